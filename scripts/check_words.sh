#!/usr/bin/env bash
# Words of the field: the patterns of docs/glossary.md ("Words that are not used") are in no text that a user reads: documents, the part
# of CHANGELOG.md above its mark, examples, atlas, strings of the page and of the program, the reference page and --help.
# A pattern with "comments" is not in the comments of the sources either.
#   scripts/check_words.sh [PATH...]   PATH: findings of these files or folders only
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C.UTF-8

program=${CAPSTAN:-build/release/capstan}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ---- patterns: "PATTERN<tab>INSTEAD<tab>WHERE" ----
awk '
  /^## / { inside = $0 == "## Words that are not used" }
  inside && /^\| `/ {
    line = $0; gsub(/\\\|/, "\001", line)
    if (split(line, cell, /\|/) != 5) { print FILENAME ":" FNR ": expected three columns" >"/dev/stderr"; exit 1 }
    for (k = 2; k <= 4; k++) { gsub(/\001/, "|", cell[k]); gsub(/^ +| +$/, "", cell[k]) }
    gsub(/^`|`$/, "", cell[2])
    print cell[2] "\t" cell[3] "\t" cell[4]
  }' docs/glossary.md >"$work/patterns"
[ "$(wc -l <"$work/patterns")" -ge 20 ] || { echo "docs/glossary.md: the list of words was not found"; exit 1; }

# ---- texts: "FILE:LINE<tab>TEXT", one a line ----

# Paragraphs of documents as one line each; code spans with a path, targets of links and commands of sample output left out. Stops at
# the mark of CHANGELOG.md, and leaves out the list itself.
documents() {
  awk '
    function flush() { if (text != "") print file ":" first "\t" text; text = "" }
    FNR == 1 { flush(); file = FILENAME; skip = 0 }
    /^## Words that are not used/ { flush(); skip = 1 }
    /<!-- older wording below -->/ { flush(); skip = 1 }
    skip { next }
    /^ *$/ || /^ *```/ || /^ *([-|*#]|[0-9]+\.) ?/ || /^    / { flush() }
    {
      line = $0
      gsub(/`[^`]*[\/][^`]*`/, "`...`", line); gsub(/`[^`]*\.(c|h|ts|mjs|sh|yaml|md)`/, "`...`", line)
      gsub(/\]\([^)]*\)/, "]", line); gsub(/<!--.*-->/, "", line); sub(/^ +/, "", line)
      gsub(/(v1: [^)]*|not: [^|.;]*)/, "", line)
      if (text == "") { first = FNR; text = line } else text = text " " line
    }
    END { flush() }' "$@"
}

# String literals of C or TypeScript, those that follow each other joined. Left out: names of version 1, in the members and tables that
# list them (.was, names_were, NAME_were[], NAME_left[]); and what is a name and no text: without blanks, lower case, its parts joined by
# points (keys and channels among these are looked at in `schema --markdown`). With comments=1: the comments instead.
literals() {
  awk -v comments="${comments:-0}" '
    function flush() { if (text != "") print file ":" first "\t" text; text = "" }
    function put(piece) { if (text == "") { first = FNR; text = piece } else text = text piece }
    FNR == 1 { flush(); file = FILENAME; block = 0; old = 0; name = file ~ /\.[ch]$/ ? "^[a-z0-9_%]+(\\.[a-z0-9_%-]+)*$" : "^[a-z0-9]+(\\.[a-z0-9-]+)+$" }
    !comments && /_(were|left)\[\] *= *[{]/ { flush(); old = 1 }
    old { if (/;/) old = 0; next }
    {
      rest = $0
      if (rest ~ /^ *#include/) next
      # A literal of the line before goes on only at the beginning of this one.
      if (comments || rest !~ /^ *"/) flush()
      gsub(/\.(was|names_were|c_was) *= *("[^"]*"|\([^)]*\)[^}]*\})/, "", rest)
      while (rest != "") {
        if (block) {
          at = index(rest, "*/")
          if (comments) put(" " (at ? substr(rest, 1, at - 1) : rest))
          if (!at) break
          rest = substr(rest, at + 2); block = 0
          if (comments) flush()
          continue
        }
        if (!match(rest, /"([^"\\]|\\.)*"|`([^`\\]|\\.)*`|\047([^\047\\]|\\.)*\047|\/\*|\/\//)) break
        token = substr(rest, RSTART, RLENGTH)
        before = substr(rest, 1, RSTART - 1)
        rest = substr(rest, RSTART + RLENGTH)
        if (token == "/*") { block = 1; continue }
        if (token == "//") { if (comments) { put(rest); flush() } break }
        if (!comments && length(token) > 2) {
          if (text != "" && before !~ /^ *$/) flush()
          piece = substr(token, 2, length(token) - 2)
          gsub(/\$\{[^}]*\}/, "...", piece)
          if (piece !~ name) put(piece) # "div.beside", "study.cases": classes, names
        }
      }
    }
    END { flush() }' "$@"
}

# Identifiers of atlas entries are no text.
plain() { awk '{ line = $0; gsub(/{id: [A-Za-z0-9_-]+/, "{id", line); print FILENAME ":" FNR "\t" line }' "$@"; }

mapfile -t md < <(find README.md CONTRIBUTING.md CHANGELOG.md docs -name '*.md' ! -name reference.md | sort)
mapfile -t models < <(find examples atlas -name '*.yaml' -o -name '*.md' | sort)
mapfile -t sources < <(find src include -name '*.[ch]' | sort)
mapfile -t pages < <(find web/src -name '*.ts' -o -name '*.html' | sort)
{
  documents "${md[@]}"
  plain "${models[@]}"
  literals "${sources[@]}"
  literals "${pages[@]}"
  if [ -x "$program" ]; then
    "$program" schema --markdown | awk '{ print "program:schema --markdown:" NR "\t" $0 }'
    for command in "" run check report export identify study atlas schema; do
      "$program" $command --help 2>&1 | awk -v command="${command:+$command }" '{ print "program:" command "--help:" NR "\t" $0 }'
    done
  fi
} >"$work/text"
comments=1 literals "${sources[@]}" "${pages[@]}" >"$work/comments"

# ---- findings ----
select_files() {
  if [ $# -gt 0 ]; then
    awk -v paths="$*" 'BEGIN { n = split(paths, path, " ") } { for (k = 1; k <= n; k++) if (index($0, path[k]) == 1) { print; next } }'
  else cat
  fi
}
: >"$work/found"
for kind in text comments; do
  select_files "$@" <"$work/$kind" >"$work/chosen"
  cut -f 1 "$work/chosen" >"$work/where"
  cut -f 2- "$work/chosen" >"$work/what"
  while IFS=$'\t' read -r pattern instead where; do
    case $kind:$where in text:* | comments:*comments*) ;; *) continue ;; esac
    # Lines first, what surrounds the word only in these: looking for both at once is slow.
    grep -nPi -- "$pattern" "$work/what" >"$work/lines" || [ $? = 1 ] || { echo "pattern '$pattern' is invalid"; exit 1; }
    [ -s "$work/lines" ] || continue
    cut -d : -f 1 "$work/lines" >"$work/numbers"
    cut -d : -f 2- "$work/lines" | grep -noPi -- ".{0,40}(?:$pattern).{0,30}" |
      awk -v instead="${instead:+ (instead: $instead)}" -v places="$work/where" -v numbers="$work/numbers" '
        BEGIN {
          while ((getline line <places) > 0) place[++n] = line
          while ((getline line <numbers) > 0) number[++m] = line
        }
        { at = index($0, ":"); print place[number[substr($0, 1, at - 1)]] ": ..." substr($0, at + 1) "..." instead }' >>"$work/found"
  done <"$work/patterns"
done
count=$(wc -l <"$work/found")
if [ "$count" -gt 0 ]; then
  sort -t : -k 1,1 -k 2,2n "$work/found"
  echo "$count findings: words that docs/glossary.md does not use"
  exit 1
fi
echo "words: $(wc -l <"$work/patterns") patterns, none found"
