#!/usr/bin/env bash
# All C and C++ sources as .clang-format writes them (clang-format 14); with --fix, write them so; with
# --version, tell by the exit code whether that one is here, since others write other spaces.
# Beside that what clang-format does not see:
#  - products as counts of CAP_ARENA_NEW stand in brackets, or else it takes them for pointers (`n *m`);
#  - a comment ends on its last line of words; `*/` alone on a line is for the comment at the head of a file;
#  - lines of comments have 110 columns at most, which are left to whoever writes them.
set -euo pipefail
cd "$(dirname "$0")/.."
formatter=clang-format
if command -v clang-format-14 >/dev/null; then formatter=clang-format-14; fi
if [ "${1:-}" = --version ]; then # whether there is the one whose form the sources have
  command -v $formatter >/dev/null && $formatter --version | grep -q 'version 14\.'
  exit
fi
mapfile -t files < <(find src include python tests bench -name '*.[ch]' -o -name '*.cpp' 2>/dev/null | LC_ALL=C sort)
if [ "${1:-}" = --fix ]; then
  $formatter -i "${files[@]}"
else
  $formatter --dry-run -Werror "${files[@]}"
fi

# found <what is wrong>: tells the lines that are read, if any
found() { awk -v what="$1" '{print $0 ": " what} END {exit NR == 0}' >&2; }
bad=0

nested='(\((?:[^()]|(?1))*+\))' # a pair of brackets with all that is in it
pointer="(?:[^(),]|$nested)*+,[^,()]*+,(?:[^()]|(?1))*?(?<=[\w)\]]) \*[\w(]"
LC_ALL=C grep -zoP "CAP_ARENA_NEW\(\K$pointer" "${files[@]}" | tr '\n\0' ' \n' |
  found 'the product is formatted as a pointer; put the count in brackets' && bad=1
awk 'FNR == 1 { head = /^\/\*/ }
     /^[ \t]*\*\/[ \t]*$/ && !head { print FILENAME ":" FNR }
     /\*\// { head = 0 }' "${files[@]}" |
  found 'the comment ends on the line before' && bad=1
LC_ALL=C.UTF-8 grep -nE '^.{111,}' "${files[@]}" | cut -d: -f1,2 | found 'more than 110 columns' && bad=1

[ $bad = 0 ] || exit 1
echo "${#files[@]} files are formatted"
