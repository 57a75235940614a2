#!/usr/bin/env bash
# Run each fuzz target for a while (default 600 s each) from its seeds; findings stay in out/fuzz.
#   scripts/fuzz.sh [SECONDS]
set -uo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-600}
failed=0 found=0
# Leaks are looked for when a target ends. After each input they would take hundreds of times as long as the input where a library
# keeps memory for its next call.
export LSAN_OPTIONS=suppressions=$PWD/tests/fuzz/leaks.supp:print_suppressions=0
for program in build/fuzz/tests/fuzz_*; do
  [ -x "$program" ] && [ -f "$program" ] || continue
  name=$(basename "$program")
  [ -f "tests/fuzz/$name.c" ] || continue # left over from a source that is gone
  found=$((found + 1))
  corpus=out/fuzz/$name/corpus
  mkdir -p "$corpus"
  seeds=tests/data/$name words=tests/fuzz/$name.dict
  echo "== $name, $seconds s"
  # shellcheck disable=SC2046
  "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -detect_leaks=0 -print_final_stats=1 \
    $([ -f "$words" ] && echo "-dict=$words") \
    -artifact_prefix="out/fuzz/$name/" "$corpus" $([ -d "$seeds" ] && echo "$seeds") >"out/fuzz/$name/log" 2>&1 || failed=1
  grep -E '^stat::number_of_executed_units|^==[0-9]+==|SUMMARY' "out/fuzz/$name/log"
done
[ $found -gt 0 ] || { echo "no fuzz target was built" >&2; exit 1; }
[ $failed = 0 ] && echo "no finding in $found targets"
exit $failed
