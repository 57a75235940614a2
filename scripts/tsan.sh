#!/usr/bin/env bash
# Two models in two threads of one host under ThreadSanitizer (tests/cross/test_guests.c): no data race in the library, nor in what
# it calls (their locks are seen, their memory only where the C library touches it for them).
#   scripts/tsan.sh [TEST...]     tests of the kind cross; default: guests
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
cmake --preset tsan >/dev/null
cmake --build --preset tsan -j "$jobs" --target tests_cross
for test in "${@:-guests}"; do
  TSAN_OPTIONS="halt_on_error=1:exitcode=66:second_deadlock_stack=1" build/tsan/tests/tests_cross "$test"
done
echo "no data race in: ${*:-guests}"
