#!/usr/bin/env bash
# What documents and comments point at is there:
#  - every relative link of the documents leads to a file or folder, and to a heading where one is named;
#  - a link whose words are a name in code, [`cap_model_rates`](../src/model/model.c), leads to where that is defined;
#  - an excerpt, a block of C in docs/architecture.md whose first line is the comment /* src/model/data.h */, has lines of that
#    file in their order, whatever is left out between them;
#  - paths in `code` of documents and in comments of C are files: "src/step/theta.c" or, below src, "step/theta.c", with *, {a,b} and
#    <name> as patterns; a name of a file alone, "theta.c", is one somewhere. CHANGELOG.md may speak of files that were;
#  - names of the code in the same places, cap_eval, CAP_EVAL_FAST or cap_eval.held, are names of it, and members of that struct;
#  - the head of a source file, /* step/theta.c — ..., names that file;
#  - docs/architecture.md has the rooms of scripts/check_includes.sh in their order, its drawing all rooms and all folders of drives.
set -euo pipefail
cd "$(dirname "$0")/.."
rooms=$(find src -mindepth 1 -maxdepth 1 -type d -printf '%f ')
folders=(src include tests bench docs scripts web examples atlas cmake)
bad=0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Files and folders, one a line, without what is made.
find "${folders[@]}" .ci ./*.* Makefile LICENSE NOTICE \( -name node_modules -o -name dist \) -prune -o -print | sed 's|^\./||' |
  LC_ALL=C sort -u >"$work/there"
find README.md CONTRIBUTING.md CHANGELOG.md docs -name '*.md' | LC_ALL=C sort >"$work/documents"
mapfile -t documents <"$work/documents"
mapfile -t sources < <(find src include tests bench -name '*.[ch]' | LC_ALL=C sort)

# found WHAT: the lines on standard input, "file:line: ...", are findings.
found() {
  local lines
  lines=$(cat)
  [ -n "$lines" ] || return 0
  awk -v what="$1" '{ print $0 ": " what }' <<<"$lines"
  bad=$((bad + $(wc -l <<<"$lines")))
}

# Of documents, tab-separated: "heading FILE SLUG", "link FILE LINE WORDS TARGET", "code FILE LINE TEXT"; excerpts and other
# blocks are no text.
awk '
  function slug(text) {
    gsub(/\]\([^)]*\)/, "", text)
    text = tolower(text)
    gsub(/—|–|×|·|…|’|“|”|§|²|³|→|≤|≥|°/, "", text)
    gsub(/[][!"#$%&()*+,.\/:;<=>?@\\^`{|}~]/, "", text); gsub(/\047/, "", text)
    gsub(/ /, "-", text)
    return text
  }
  FNR == 1 { block = 0 }
  /^ *```/ { block = !block; next }
  block || /^    [^ ]/ && blank { if (NF) next }
  { blank = !NF || blank && /^    / }
  /^#+ / {
    text = $0; sub(/^#+ +/, "", text); text = slug(text)
    print "heading\t" FILENAME "\t" text (seen[FILENAME, text] ? "-" seen[FILENAME, text] : "")
    seen[FILENAME, text]++
  }
  {
    rest = $0
    while (match(rest, /\[[^][]*\]\([^()]*\)/)) {
      link = substr(rest, RSTART + 1, RLENGTH - 2); at = index(link, "](")
      print "link\t" FILENAME "\t" FNR "\t" substr(link, 1, at - 1) "\t" substr(link, at + 2)
      rest = substr(rest, RSTART + RLENGTH)
    }
    rest = $0
    while (match(rest, /(src|srcset|href)="[^"]*"/)) {
      link = substr(rest, RSTART, RLENGTH - 1); sub(/^[a-z]*="/, "", link)
      print "link\t" FILENAME "\t" FNR "\t\t" link
      rest = substr(rest, RSTART + RLENGTH)
    }
    rest = $0
    while (match(rest, /`[^`]+`/)) {
      print "code\t" FILENAME "\t" FNR "\t" substr(rest, RSTART + 1, RLENGTH - 2)
      rest = substr(rest, RSTART + RLENGTH)
    }
  }' "${documents[@]}" >"$work/text"

# ---- links ----

awk -F '\t' -v OFS='\t' '
  function resolve(path,  n, part, i, top, out) {
    n = split(path, part, "/"); top = 0
    for (i = 1; i <= n; i++)
      if (part[i] == "..") { if (!top) return "outside"; top-- }
      else if (part[i] != "" && part[i] != ".") kept[++top] = part[i]
    for (i = 1; i <= top; i++) out = out (i > 1 ? "/" : "") kept[i]
    return out == "" ? "." : out
  }
  FILENAME ~ /there$/ { there[$1] = 1; next }
  $1 == "heading" { heading[$2, $3] = 1; next }
  $1 == "link" { file[++n] = $2; line[n] = $3; words[n] = $4; target[n] = $5 }
  END {
    there["."] = 1
    for (k = 1; k <= n; k++) {
      if (target[k] ~ /^[a-z]+:/ || target[k] ~ /^[^"]* / && target[k] !~ /"$/) continue # elsewhere; or brackets of mathematics
      path = target[k]; anchor = ""
      sub(/ ".*"$/, "", path)
      if ((at = index(path, "#")) > 0) { anchor = substr(path, at + 1); path = substr(path, 1, at - 1) }
      folder = file[k]; if (!sub(/\/[^\/]*$/, "", folder)) folder = ""
      path = path == "" ? file[k] : resolve(folder "/" path)
      checked++
      if (!(path in there)) print "bad", file[k] ":" line[k] ": (" target[k] ")"
      else if (anchor != "" && path ~ /\.md$/ && !((path, anchor) in heading)) print "bad", file[k] ":" line[k] ": (" target[k] ")"
      else if (words[k] ~ /^`[A-Za-z_][A-Za-z_0-9]*`$/ && path ~ /\.(c|h|sh|ts)$/) print "name", file[k] ":" line[k], substr(words[k], 2, length(words[k]) - 2), path
    }
    print "count", checked + 0
  }' "$work/there" "$work/text" >"$work/links"
found "leads nowhere" < <(sed -n "s/^bad\t//p" "$work/links")

# A definition, or in a header a declaration, begins its line or is a member of an enumeration; a rule of a table is no less.
found "is not defined there" < <(while IFS=$'\t' read -r _ at name path; do
  grep -qE "^[A-Za-z#}][^;]*\b$name\b *([[(={;,]|\$)|^#define $name\b|^  $name( =|,|\$)|^$name\(\)|^(export )?(function|const|interface) $name\b" "$path" ||
    echo "$at: $name in $path"
done < <(sed -n "/^name/p" "$work/links"))

# ---- excerpts ----

found "the excerpt is old" < <(awk '
  function squeezed(text) { gsub(/[ \t]+/, "", text); return text }
  /^```c/ { block = 1; path = ""; next }
  /^```/ { block = 0 }
  !block { next }
  path == "" {
    if (!match($0, /^\/\* [^ ]+ \*\/$/)) { print FILENAME ":" FNR ": the excerpt does not begin with its file"; block = 0; next }
    path = substr($0, 4, RLENGTH - 6); excerpts++
    rest = ""
    while ((getline text < path) > 0) { sub(/\\$/, "", text); rest = rest squeezed(text) }
    close(path)
    if (rest == "") print FILENAME ":" FNR ": " path " cannot be read"
    next
  }
  NF && squeezed($0) != "..." {
    own = squeezed($0); at = index(rest, own)
    if (at) rest = substr(rest, at + length(own))
    else print FILENAME ":" FNR ": not in " path " there: " $0
  }
  END { if (!excerpts) print "docs/architecture.md:1: no excerpt was found" }' docs/architecture.md)

# ---- heads ----

found "the head names another file" < <(find src -name '*.[ch]' -print0 | LC_ALL=C sort -z |
  xargs -0 awk 'FNR == 1 && /^\/\* [^ ]*\.[ch] — / && $2 != substr(FILENAME, 5) { print FILENAME ":1: " $2 }')

# ---- the plan ----

plan=$(sed -nE 's/^(generic|rooms)="(.*)"$/\2/p' scripts/check_includes.sh | tr '\n' ' ' | sed 's/\$generic //' | xargs)
table=$(sed -nE '/^## Rooms/,/^The rooms/s/^\| `([a-z]+)` \|.*/\1/p' docs/architecture.md | xargs)
if [ -z "$plan" ] || [ "$plan" != "$table" ]; then
  found "is not the list of scripts/check_includes.sh: $plan" <<<"docs/architecture.md:1: $table"
fi
found "is not in docs/architecture.svg" < <(
  { echo "$plan" | tr ' ' '\n'; find src/drives -mindepth 1 -type d -printf '%f\n'; } | while read -r name; do
    grep -qE ">$name</t(ext|span)>" docs/architecture.svg || echo "src: $name"
  done)

# ---- paths ----

# Of comments: "comment FILE LINE TEXT", without the words in strings.
awk -v OFS='\t' '
  FNR == 1 { inside = 0 }
  {
    rest = $0; text = ""
    if (!inside) gsub(/"([^"\\]|\\.)*"/, "", rest)
    while (rest != "")
      if (inside) {
        if (at = index(rest, "*/")) { text = text " " substr(rest, 1, at - 1); rest = substr(rest, at + 2); inside = 0 }
        else { text = text " " rest; rest = "" }
      } else if (at = index(rest, "/*")) { rest = substr(rest, at + 2); inside = 1 }
      else if (at = index(rest, "//")) { text = text " " substr(rest, at + 2); rest = "" }
      else rest = ""
    if (text ~ /\.[ch*]|capm?_|CAPM?_/) print "comment", FILENAME, FNR, text
  }' "${sources[@]}" >"$work/comments"

grep -v $'^[a-z]*\tCHANGELOG.md\t' "$work/text" | cat - "$work/comments" | awk -F '\t' -v rooms="$rooms" -v folders="${folders[*]}" -v list="$work/there" '
  BEGIN {
    n = split(rooms, part, " "); for (i = 1; i <= n; i++) room[part[i]] = 1
    n = split(folders, part, " "); for (i = 1; i <= n; i++) folder[part[i]] = 1
    n = 0
    while ((getline path < list) > 0) {
      there[path] = 1; all[++n] = path
      name = path; sub(/.*\//, "", name); named[name] = 1
    }
  }
  # Whether a file is of the pattern, which is that of a path or, alone, of a name.
  function exists(word,  k, path) {
    if (word !~ /[*{<]/) return alone ? word in named : word in there
    if (word in known) return known[word]
    pattern = word
    gsub(/<[^>]*>/, "*", pattern); gsub(/\./, "\\.", pattern); gsub(/\*/, "[^/]*", pattern)
    gsub(/\{/, "(", pattern); gsub(/\}/, ")", pattern); gsub(/,/, "|", pattern)
    pattern = (alone ? "(^|/)" : "^") pattern "$"
    for (k = 1; k <= n && all[k] !~ pattern; k++);
    return known[word] = k <= n
  }
  $1 == "code" || $1 == "comment" {
    text = $4
    while (match(text, /[A-Za-z0-9_.<*][A-Za-z0-9_.\/*{},<>-]*/)) {
      word = substr(text, RSTART, RLENGTH)
      before = RSTART > 1 ? substr(text, RSTART - 1, 1) : ""; after = substr(text, RSTART + RLENGTH, 1)
      text = substr(text, RSTART + RLENGTH)
      if (before ~ /[\/:="$~-]/ || after ~ /[=$:\/"]/ && after != ":") continue
      sub(/[.,*-]*[.,-]$/, "", word); sub(/\/$/, "", word)
      if (word !~ /[{<]/) sub(/[,>}].*$/, "", word)
      first = word; sub(/\/.*/, "", first)
      alone = word !~ /\//
      source = word ~ /[a-z0-9_*}>]\.([ch*]|\{c,h\})$/ && word ~ /^[a-z*]/
      if (alone && !(source && word ~ /^[a-z][a-z0-9_*]*[a-z0-9_*]\.([ch]|\*)$/)) continue
      if (alone && (after == ":" || word ~ /^[a-z0-9]*\.\*$/ || word == "cmocka.h")) continue # a key, a pattern of channels, a header of others
      if (!alone && !(first in room) && !(first in folder)) continue
      if ($1 == "comment" && !(source || word ~ /^docs\/.*\.md$/)) continue
      checked++
      if (!exists(word) && !((first in room) && !alone && exists("src/" word))) print $2 ":" $3 ": " word
    }
  }
  END { print "count " checked + 0 }' >"$work/paths"
found "there is no such file" < <(sed "/^count/d" "$work/paths")

# ---- names ----

# Words of the code without comments and strings, and for each struct those within it.
grep -v $'^[a-z]*\tCHANGELOG.md\t' "$work/text" | cat - "$work/comments" | awk -F '\t' -v sources="${sources[*]}" '
  function read_words(path,  line, rest, inside, n, k, word, own) {
    while ((getline line < path) > 0) {
      rest = line
      if (!inside) gsub(/"([^"\\]|\\.)*"/, "", rest)
      gsub(/\/\*([^*]|\*[^\/])*\*\//, " ", rest)
      if (inside) { if (!(k = index(rest, "*/"))) continue; rest = substr(rest, k + 2); inside = 0 }
      if (k = index(rest, "/*")) { inside = 1; rest = substr(rest, 1, k - 1) }
      n = split(rest, word, /[^A-Za-z0-9_]+/)
      if (rest ~ /^(typedef )?struct capm?_[a-z0-9_]+ \{/) { own = word[word[1] == "typedef" ? 3 : 2]; struct[own] = 1 }
      for (k = 1; k <= n; k++) {
        words[word[k]] = 1
        if (own != "") member[own, word[k]] = 1
        if (word[k] ~ /_FIELDS$/) delete struct[own] # its members stand in a list
      }
      if (rest ~ /^\}/) own = ""
    }
    close(path)
  }
  BEGIN { n = split(sources, path, " "); for (i = 1; i <= n; i++) read_words(path[i]) }
  $1 == "code" || $1 == "comment" {
    text = $4
    while (match(text, /(cap|capm|CAP|CAPM)_[A-Za-z0-9_]+(\.[a-z][a-z0-9_]*)?[*<{.]?/)) {
      name = substr(text, RSTART, RLENGTH)
      before = RSTART > 1 ? substr(text, RSTART - 1, 1) : ""
      text = substr(text, RSTART + RLENGTH)
      if (before ~ /[A-Za-z0-9_\/<-]/ || name ~ /[*<{]$/ || name ~ /_\.?$/ || tolower(name) ~ /_(x|thing)(_|$)/) continue # patterns
      sub(/\.$/, "", name); part = ""
      if (k = index(name, ".")) { part = substr(name, k + 1); name = substr(name, 1, k - 1) }
      if (part == "c" || part == "h") continue
      checked++
      if (!(name in words)) { print $2 ":" $3 ": " name; continue }
      if (part != "" && name in struct && !((name, part) in member)) print $2 ":" $3 ": " name "." part
    }
  }
  END { print "count " checked + 0 }' >"$work/names"
found "there is no such name" < <(sed '/^count/d' "$work/names")

links=$(sed -n 's/^count\t//p' "$work/links")
paths=$(sed -n 's/^count //p' "$work/paths")
names=$(sed -n 's/^count //p' "$work/names")
if [ "$links" -le 50 ] || [ "$paths" -le 500 ] || [ "$names" -le 200 ]; then
  echo "only $links links, $paths paths and $names names were found"
  bad=$((bad + 1))
fi
[ $bad = 0 ] || { echo "$bad findings"; exit 1; }
echo "$links links, $paths paths and $names names of the code lead somewhere"
