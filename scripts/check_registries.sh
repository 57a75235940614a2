#!/usr/bin/env bash
# What is listed once stays listed once (docs/adding.md): a stepper is known by what its type says of it, so that a new one is
# its file and its line in src/step/steppers.h. Nothing compares steppers by identity, no other list names them, and what the
# list and the files in src/step define is the same.
set -euo pipefail
cd "$(dirname "$0")/.."
list=src/step/steppers.h
bad=0

# found WHAT: the lines on standard input are findings.
found() {
  local lines
  lines=$(cat)
  [ -n "$lines" ] || return 0
  printf '%s\n%s\n' "$lines" "$1"
  bad=$((bad + $(wc -l <<<"$lines")))
}

rows=$(sed -nE 's/^ *X\(([a-z0-9_]+),.*/\1/p' $list | LC_ALL=C sort)
defined=$(grep -rhoE --include='*.c' '^const cap_stepper_type cap_[a-z0-9_]+_type\b' src |
  sed -E 's/.* cap_(.*)_type/\1/' | LC_ALL=C sort)
names=$(grep -rhE -A1 --include='*.c' '^const cap_stepper_type cap_[a-z0-9_]+_type\b' src |
  sed -nE 's/^ *\.name = "([^"]+)".*/\1/p' | paste -sd'|')
if [ -z "$rows" ] || [ -z "$names" ]; then
  echo "$list or the types in src/step are not as this script expects"
  exit 1
fi

found "is defined, or listed in $list, but not both" < <(
  diff <(echo "$rows") <(echo "$defined") | sed -nE 's/^[<>] (.*)/cap_\1_type/p')

type="&cap_($(paste -sd'|' <<<"$defined"))_type\\b"
found "compares a stepper by identity: ask for a property of cap_stepper_type" < <(
  grep -rnE --include='*.[ch]' "[=!]= *$type|$type *[=!]=" src bench)

# Two names in a row, also over a line break, are a list.
found "lists steppers: take a column of $list" < <(
  find src -name '*.[ch]' -print0 | LC_ALL=C sort -z | xargs -0 awk -v name="\"($names)\"" '
    FNR == 1 { before = "" }
    match(before $0, name "[ \t]*,[ \t]*" name) { print FILENAME ":" FNR ":" $0 }
    { before = $0 ~ (name "[ \t]*,[ \t]*$") ? $0 : "" }')

[ $bad = 0 ] || { echo "$bad findings"; exit 1; }
echo "$(wc -l <<<"$rows") steppers are listed once and known by their properties"
