#!/usr/bin/env bash
# The architecture (docs/architecture.md), held:
#  - includes point upward only: a file may include its own room and the rooms before it in the list below;
#  - a drive, a folder of src/drives, sees the generic rooms and itself, never another drive; the files that lie
#    in src/drives itself list the drives and see all of them;
#  - what Linux has and POSIX has not is called in src/base/platform.c alone;
#  - capstan run, what is in python/ and src/fmi reach the engine by the public header alone: they include capstan/capstan.h
#    and what is the command line's own (cli/);
#  - generic rooms name no drive: none of the words below, and no type or function that a drive's headers declare.
set -euo pipefail
cd "$(dirname "$0")/.."

generic="base linalg laws model elements contact solve step hb analysis"
rooms="$generic drives io report study session atlas cli"
words='variator|pushbelt|accessory|cap_belt|push_chain|groove'

find src -name '*.[ch]' | LC_ALL=C sort | xargs awk -v rooms="$rooms" '
  function room_of(path,  part) { split(path, part, "/"); return part[1] }
  # The drive that a path below src belongs to; "" for what lies in drives itself, and elsewhere.
  function drive_of(path,  part, n) { n = split(path, part, "/"); return part[1] == "drives" && n > 2 ? part[2] : "" }
  BEGIN { n = split(rooms, list, " "); for (i = 1; i <= n; i++) place[list[i]] = i }
  FNR == 1 {
    file = substr(FILENAME, 5); own = room_of(file); drive = drive_of(file)
    if (!(own in place)) { print FILENAME ":1: the room \"" own "\" is not in the list of scripts/check_includes.sh"; bad++ }
  }
  match($0, /^[ \t]*#[ \t]*include[ \t]*"[^"]*"/) {
    name = $0; sub(/^[^"]*"/, "", name); sub(/".*/, "", name)
    if (name == "version.h") next                          # made by the build
    if (name !~ /\//) {
      print FILENAME ":" FNR ": include \"" name "\" with its room, such as \"" own "/" name "\""; bad++; next
    }
    room = room_of(name)
    if (room == "capstan" || room == "generated") next     # the public header; files made by the build
    if (!(room in place)) { print FILENAME ":" FNR ": \"" name "\" is in no room"; bad++ }
    else if (place[room] > place[own]) {
      print FILENAME ":" FNR ": " own " must not include \"" name "\": " room " comes after " own; bad++
    } else if (drive != "" && drive_of(name) != "" && drive_of(name) != drive) {
      print FILENAME ":" FNR ": the drive " drive " must not include \"" name "\" of the drive " drive_of(name); bad++
    }
    checked++
  }
  END { if (bad) { print bad " includes point the wrong way"; exit 1 } print checked " includes point upward" }'

mapfile -t doors < <(ls src/cli/run.c; find python src/fmi -name '*.[ch]' 2>/dev/null | LC_ALL=C sort)
if awk '
  match($0, /^[ \t]*#[ \t]*include[ \t]*"[^"]*"/) {
    name = $0; sub(/^[^"]*"/, "", name); sub(/".*/, "", name)
    if (name == "capstan/capstan.h" || name ~ /^(cli|fmi)\// || name !~ /\// && FILENAME ~ /^python\//) next
    print FILENAME ":" FNR ": include \"capstan/capstan.h\" in place of \"" name "\": it is to use the public header alone"; bad++
  }
  END { exit !bad }' "${doors[@]}"; then
  exit 1
fi
echo "${#doors[@]} files use the public header alone"

folders=() bad=0
for room in $generic; do folders+=("src/$room"); done
if grep -rnE --include='*.[ch]' "$words" "${folders[@]}"; then
  echo "generic rooms name no drive: the lines above do"
  bad=1
fi

linux='prctl|sigtimedwait|F_OFD_[A-Z]+|mremap|MAP_NORESERVE|posix_fallocate|fallocate|fdatasync|syncfs|pipe2|accept4|sched_getaffinity|gnu_get_libc_version|epoll_[a-z]+|inotify_[a-z]+|memfd_create|renameat2|copy_file_range'
if grep -rnE --include='*.[ch]' "\\b($linux)\\b|\"/proc/" src | grep -v '^src/base/platform\.[ch]:'; then
  echo "what Linux alone has is asked for in src/base/platform.c: the lines above do so elsewhere"
  bad=1
fi

# Types and functions that the headers of drives declare, looked for in the generic rooms as whole words.
names=$(mktemp)
trap 'rm -f "$names"' EXIT
find src/drives -mindepth 2 -name '*.h' -print0 | xargs -0 grep -hoE '^(typedef )?(struct|enum) capm?_[a-z0-9_]+|^\} capm?_[a-z0-9_]+|^[a-z][a-zA-Z0-9_ ]*[ *]capm?_[a-z0-9_]+\(|^extern const [a-z_ ]+\*?capm?_[a-z0-9_]+' |
  grep -oE 'capm?_[a-z0-9_]+\(?$' | tr -d '(' | LC_ALL=C sort -u >"$names"
if grep -rnwFf "$names" --include='*.[ch]' "${folders[@]}"; then
  echo "generic rooms use no type or function of a drive: the lines above do"
  bad=1
fi
[ $bad = 0 ] || exit 1
echo "generic rooms name no drive ($(wc -l <"$names") types and functions of drives looked for)"
