#!/usr/bin/env bash
# Includes point upward only: a file may include its own room and the rooms before it in this list.
set -euo pipefail
cd "$(dirname "$0")/.."

rooms="base linalg laws model elements contact solve step hb analysis drives io report study atlas cli"

find src -name '*.[ch]' | LC_ALL=C sort | xargs awk -v rooms="$rooms" '
  BEGIN { n = split(rooms, list, " "); for (i = 1; i <= n; i++) place[list[i]] = i }
  FNR == 1 {
    split(FILENAME, part, "/"); own = part[2]
    if (!(own in place)) { print FILENAME ":1: the room \"" own "\" is not in the list of scripts/check_includes.sh"; bad++ }
  }
  match($0, /^[ \t]*#[ \t]*include[ \t]*"[^"]*"/) {
    name = $0; sub(/^[^"]*"/, "", name); sub(/".*/, "", name)
    if (name !~ /\//) {
      if (name == "version.h" ) next                       # made by the build
      print FILENAME ":" FNR ": include \"" name "\" with its room, such as \"" own "/" name "\""; bad++; next
    }
    room = name; sub(/\/.*/, "", room)
    if (room == "capstan" || room == "generated") next     # the public header; files made by the build
    if (!(room in place)) { print FILENAME ":" FNR ": \"" name "\" is in no room"; bad++ }
    else if (place[room] > place[own]) {
      print FILENAME ":" FNR ": " own " must not include \"" name "\": " room " comes after " own; bad++
    }
    checked++
  }
  END { if (bad) { print bad " includes point the wrong way"; exit 1 } print checked " includes point upward" }'
