#!/usr/bin/env bash
# The page's rooms: drives/ and analyses/ of web/src are known to the rest by their registries only.
#   - a generic file names no drive, compares none, and has no chain of predicates isThing(group);
#   - it includes nothing of a drive but drives/registry and drives/drive (types);
#   - drives do not see each other: drives/<drive>.ts takes from one family's folder, families from none but their own;
#   - every drives/<drive>.ts stands in the registry.
set -euo pipefail
cd "$(dirname "$0")/../web/src"

words='variator|pushbelt|accessory|tensioner|oscillator|sheave|push[-_ ]force|rolling[-_ ]body|ring[-_ ]tracking'
bad=0
# refuse TEXT FOUND: what was found is wrong.
refuse() { [ -z "$2" ] || { printf '%s:\n%s\n' "$1" "$2"; bad=1; }; }
# found GREP-ARGUMENT...: matching lines, or nothing.
found() { grep -nE "$@" || [ $? = 1 ]; }

generic=$(find . -name '*.ts' -not -path './drives/*' | LC_ALL=C sort)
families=$(find drives -mindepth 1 -maxdepth 1 -type d | LC_ALL=C sort)
descriptors=$(find drives -maxdepth 1 -name '*.ts' -not -name registry.ts -not -name drive.ts | LC_ALL=C sort)

# Studies have pages of their own, and analyses/ knows its own kinds.
plain=$(grep -vE '^\./(analyses/|study|summary_study)' <<<"$generic")
# shellcheck disable=SC2086
{
  refuse "generic files name a drive" "$(found -i "$words" $generic)"
  refuse "generic files compare drives: drives/registry.ts has what differs" "$(found "drive(Of\(report\))? *[!=]==? *['\"]" $generic)"
  refuse "predicates of kinds in generic files: analyses/registry.ts has what differs" "$(found '\bis[A-Z][A-Za-z]*\(([a-z]+\.)?(group|g)\b' $plain)"
  refuse "generic files include a drive" "$(found "from '[^']*drives/" $generic | { grep -vE "drives/(registry|drive)'" || true; })"
}
for family in $families; do
  refuse "$family sees another family or the registry" \
    "$(found -r "from '(\.\./[^.']*|[^']*drives/[^']*)'" "$family" | { grep -vE "from '\.\./drive'" || true; })"
done
for file in $descriptors; do
  refuse "$file sees another drive" "$(found "from '\./" "$file" | { grep -vE "from '\./(drive|[a-z_]+/[a-z_]+)'" || true; })"
  used=$(sed -nE "s#.* from '\./([a-z_]+)/.*#\1#p" "$file" | sort -u | wc -l)
  [ "$used" -le 1 ] || { echo "$file takes from $used families"; bad=1; }
  grep -q "from './$(basename "$file" .ts)'" drives/registry.ts || { echo "$file is not in drives/registry.ts"; bad=1; }
done
[ $bad = 0 ] || exit 1
echo "$(wc -l <<<"$generic") generic files name no drive; $(wc -l <<<"$descriptors") drives in the registry"
