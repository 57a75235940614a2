#!/usr/bin/env bash
# A second compiler's opinion: clang reads all sources, in make test-all also tests and benchmarks, with the warnings of the build as
# errors, and makes nothing of them (-fsyntax-only).
#   scripts/check_clang.sh
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$(nproc 2>/dev/null || echo 2)
# Flags and files are those of the preset clang; version.h is all that must be made.
cmake --preset clang
cmake --build --preset clang --target capstan_version
# The commands as a shell takes them, one a line; the bytes of the page in generated/ are no source.
commands=$(awk '
  sub(/^ *"command": "/, "") {
    sub(/",? *$/, "")
    gsub(/\\"/, "\"")
    gsub(/\\\\/, "\\")
    if (!/\/generated\/[^ ]*$/ && sub(/ -o [^ ]* -c /, " -fsyntax-only ")) print
  }' build/clang/compile_commands.json)
[ "${CAPSTAN_LEVEL:-all}" = all ] || commands=$(grep -v -e " [^ ]*/tests/[^ ]*$" -e " [^ ]*/bench/[^ ]*$" <<<"$commands")
count=$(wc -l <<<"$commands")
[ "$count" -gt 100 ] || { echo "only $count files are in build/clang/compile_commands.json"; exit 1; }
cd build/clang
xargs -d '\n' -P "$jobs" -n 16 sh -c 'bad=0; for command; do eval "$command" || bad=1; done; exit $bad' sh <<<"$commands" ||
  { echo "clang finds what is written above"; exit 1; }
echo "clang reads $count files without a warning"
