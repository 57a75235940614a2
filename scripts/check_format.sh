#!/usr/bin/env bash
# All C and C++ sources as .clang-format writes them (clang-format 14); with --fix, write them so.
set -euo pipefail
cd "$(dirname "$0")/.."
formatter=clang-format
if command -v clang-format-14 >/dev/null; then formatter=clang-format-14; fi
mapfile -t files < <(find src include tests bench -name '*.[ch]' -o -name '*.cpp' 2>/dev/null | LC_ALL=C sort)
if [ "${1:-}" = --fix ]; then
  $formatter -i "${files[@]}"
else
  $formatter --dry-run -Werror "${files[@]}"
  echo "${#files[@]} files are formatted"
fi
