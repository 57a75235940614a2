#!/usr/bin/env bash
# Puts lines into copies of the program's files, as one does who adds something to it.
#   insert_lines.sh LINES TREE    from the top of the sources; the copies are below TREE, made where they are missing
# A row of LINES: file, before or after, a text that one line of the file has, the new line; separated by tabulators.
set -euo pipefail
while IFS=$'\t' read -r file where anchor text; do
  [ -e "$2/$file" ] || install -D -m 644 "$file" "$2/$file"
  [ "$(grep -cF -- "$anchor" "$2/$file")" = 1 ] || { echo "FAILED: $1: $file has not one line with: $anchor"; exit 1; }
  anchor=$anchor where=$where text=$text awk '
    index($0, ENVIRON["anchor"]) { print ENVIRON["where"] == "before" ? ENVIRON["text"] "\n" $0 : $0 "\n" ENVIRON["text"]; next }
    { print }' "$2/$file" >"$2/changed"
  mv "$2/changed" "$2/$file"
done <"$1"
