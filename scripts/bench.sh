#!/usr/bin/env bash
# Run every benchmark of the release build, one after the other; tables go to the terminal, CSV to out/bench.
#   scripts/bench.sh [NAME...]    only bench_NAME
# Each program prints its table and, given a path as first argument, writes the same numbers there as CSV.
set -uo pipefail
cd "$(dirname "$0")/.."
build=build/release/bench
mkdir -p out/bench
failed=0
{ uname -srm; grep -m1 'model name' /proc/cpuinfo; build/release/capstan --version; } 2>/dev/null | tee out/bench/machine.txt

found=0
for program in "$build"/bench_*; do
  [ -x "$program" ] && [ -f "$program" ] || continue
  name=$(basename "$program")
  [ -f "bench/$name.c" ] || [ -f "bench/$name.cpp" ] || continue # left over from a source that is gone
  if [ $# -gt 0 ]; then case " $* " in *" ${name#bench_} "*) ;; *) continue ;; esac; fi
  found=$((found + 1))
  printf '\n== %s\n' "${name#bench_}"
  "$program" "out/bench/${name#bench_}.csv" || { echo "$name failed" >&2; failed=1; }
done
[ $found -gt 0 ] || { echo "no benchmark was run" >&2; exit 1; }
printf '\nnumbers are in out/bench/*.csv\n'
exit $failed
