#!/usr/bin/env bash
# The house in numbers (docs/architecture.md), as a table of Markdown: for every room its files, lines, mean and largest file, the
# include edges from it to other rooms, and the share of its lines that stands in files about one drive.
#   scripts/house_numbers.sh [COMMIT]     without: the sources as they lie here
# A file is about one drive when it has at least three of the words of the list below in it; only generic rooms are looked at for that.
set -euo pipefail
cd "$(dirname "$0")/.."
commit=${1:-}
generic=" base linalg laws model elements contact solve step hb analysis "
words='variator|pushbelt|accessory|cap_belt|groove|push_chain|cap_leaves|cap_ring|cap_saddle|cap_maxwell|cap_influence|cap_press|capm_tracking'

tree=.
if [ -n "$commit" ]; then
  tree=$(mktemp -d)
  trap 'rm -rf "$tree"' EXIT
  git archive "$commit" src | tar -x -C "$tree"
fi
cd "$tree"

find src -name '*.[ch]' | LC_ALL=C sort | xargs awk -v generic="$generic" -v words="$words" '
  # Of a path below src: src/step/exact/exact.c is of step, src/drives/bodies/planar/bodies.c of drives/bodies.
  function room_of(path,  part, n) {
    n = split(path, part, "/")
    return part[1] == "drives" && n > 2 ? "drives/" part[2] : part[1]
  }
  FNR == 1 {
    path = substr(FILENAME, 5); own = room_of(path)
    if (!(own in files)) order[++rooms] = own
    files[own]++
    file[++n] = path; room[n] = own
    if (path ~ /\.c$/) sources[own]++
  }
  { lines[own]++; length_of[n]++ }
  {
    rest = $0
    while (match(rest, words)) { spoken[n]++; rest = substr(rest, RSTART + RLENGTH) }
  }
  match($0, /^[ \t]*#[ \t]*include[ \t]*"[^"]*\//) {
    name = $0; sub(/^[^"]*"/, "", name); sub(/".*/, "", name)
    to = room_of(name)
    if (to == "capstan" || to == "generated") next
    if (to == own) within++
    else { edges[own, to]++; out[own]++; between++; if (!(to in place)) { place[to] = ++ntarget; target[ntarget] = to } }
  }
  function edges_of(from,  text, used, k, best) {
    for (;;) {
      best = ""
      for (k = 1; k <= ntarget; k++)
        if (edges[from, target[k]] && !used[target[k]] && (best == "" || edges[from, target[k]] > edges[from, best])) best = target[k]
      if (best == "") return text == "" ? "none" : text
      used[best] = 1
      text = text (text == "" ? "" : ", ") best " " edges[from, best]
    }
  }
  function row(name,  k, largest, about, share) {
    for (k = 1; k <= n; k++) {
      if (room[k] != name) continue
      if (length_of[k] > length_of[largest]) largest = k
      if (spoken[k] >= 3) { about += length_of[k] }
    }
    share = index(generic, " " name " ") ? sprintf("%.0f %%", 100 * about / lines[name]) : ""
    if (share != "") { all += lines[name]; spoke += about }
    longest = file[largest]; sub(/.*\//, "", longest)
    printf "| `%s` | %d (%d/%d) | %d | %.0f | %s %d | %d: %s | %s |\n", name, files[name], sources[name], files[name] - sources[name],
      lines[name], lines[name] / files[name], longest, length_of[largest], out[name], edges_of(name), share
    shown[name] = 1
  }
  END {
    print "| room | files (c/h) | lines | mean | largest | include edges to other rooms | about one drive |"
    print "|---|---|---|---|---|---|---|"
    count = split(generic, list, " ")
    for (i = 1; i <= count; i++) if (list[i] in files) row(list[i])
    if ("drives" in files) row("drives")
    for (i = 1; i <= rooms; i++) if (order[i] ~ /^drives\//) row(order[i])
    count = split("io report study atlas cli", list, " ")
    for (i = 1; i <= count; i++) if (list[i] in files) row(list[i])
    for (i = 1; i <= rooms; i++) if (!(order[i] in shown)) row(order[i])
    for (i = 1; i <= rooms; i++) { total += lines[order[i]]; number += files[order[i]]; c += sources[order[i]] }
    printf "| all | %d (%d/%d) | %d | %.0f | | %d, and %d within rooms | %.0f %% of the generic rooms |\n", number, c, number - c, total,
      total / number, between, within, 100 * spoke / all
  }'
