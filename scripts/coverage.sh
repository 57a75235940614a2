#!/usr/bin/env bash
# Lines of src that tests execute: builds the preset coverage, runs tests of some kinds, and counts with gcov. Prints each file below
# 90 %, each room, and the whole.
#   scripts/coverage.sh [KIND...]      default: unit verify cross fault bad cli drives fuzz
#   scripts/coverage.sh --count        only count what was run before
set -uo pipefail
cd "$(dirname "$0")/.."
build=build/coverage out=out/coverage
jobs=$(nproc 2>/dev/null || echo 2)
mkdir -p $out
if [ "${1:-}" != --count ]; then
  [ $# -gt 0 ] || set -- unit verify cross fault bad cli drives fuzz
  cmake --preset coverage >$out/build.log && cmake --build --preset coverage -j "$jobs" >>$out/build.log 2>&1 ||
    { tail -n 20 $out/build.log; exit 1; }
  find $build -name '*.gcda' -delete
  ctest --preset coverage -L "^($(tr ' ' '|' <<<"$*"))\$" -j "$jobs" --timeout 3600 >$out/tests.log 2>&1
  grep -E 'tests passed' $out/tests.log
fi

# One line for each line of code that could be executed: file, line, count. A file that no test touches has notes only; gcov counts it too.
find $build/CMakeFiles -name '*.gcno' -path '*/src/*' | xargs -n 40 gcov --json-format --stdout 2>$out/gcov.log |
  python3 -c '
import collections, json, os, sys
top = os.getcwd() + "/"
files = collections.defaultdict(dict)
for text in sys.stdin:
    if not text.startswith("{"): continue
    for f in json.loads(text)["files"]:
        name = os.path.normpath(os.path.join(top, f["file"]))
        if not name.startswith(top + "src/"): continue
        lines = files[name[len(top):]]
        for l in f["lines"]: lines[l["line_number"]] = lines.get(l["line_number"], 0) + l["count"]
rooms = collections.defaultdict(lambda: [0, 0])
low = []
for name, lines in sorted(files.items()):
    ran = sum(1 for n in lines.values() if n)
    for room in (name.split("/")[1], ""):
        rooms[room][0] += ran
        rooms[room][1] += len(lines)
    if lines and ran < 0.9 * len(lines): low.append((ran / len(lines), len(lines) - ran, name))
print("files below 90 %: lines executed, lines not executed")
for share, missing, name in sorted(low, key=lambda x: -x[1]): print(f"  {100 * share:5.1f} %  {missing:4d}  {name}")
print("rooms")
for room, (ran, all_) in sorted(rooms.items()):
    if room: print(f"  {100 * ran / all_:5.1f} %  {room}")
ran, all_ = rooms[""]
print(f"{100 * ran / all_:.1f} % of {all_} lines of src")
'
