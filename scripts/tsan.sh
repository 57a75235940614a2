#!/usr/bin/env bash
# Two models in two threads of one host (tests/cross/test_guests.c), and eighteen sessions in eighteen (tests/cross/test_session.c), under
# ThreadSanitizer: no data race in the library, nor in what it calls (their locks are seen, their memory only where the C library
# touches it for them).
#   scripts/tsan.sh [TEST[:CASES]...]     tests of the kind cross, or those of their cases that fit a pattern
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
[ $# -gt 0 ] || set -- guests "session:sessions_in_threads_*" # its other cases have one thread
cmake --preset tsan >/dev/null
cmake --build --preset tsan -j "$jobs" --target tests_cross
for test in "$@"; do
  name=${test%%:*} cases=()
  [ "$name" = "$test" ] || cases=("${test#*:}")
  TSAN_OPTIONS="halt_on_error=1:exitcode=66:second_deadlock_stack=1" build/tsan/tests/tests_cross "$name" ${cases[@]+"${cases[@]}"}
done
echo "no data race in: $*"
