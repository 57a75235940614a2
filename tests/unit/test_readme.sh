#!/usr/bin/env bash
# The first model of the README is valid, and so is every example; links between the documents lead somewhere.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
capstan=$CAPSTAN_BUILD_DIR/capstan

awk '/^```yaml$/ {inside = 1; next} /^```$/ {if (inside) exit} inside' README.md >"$place/rig.yaml"
[ -s "$place/rig.yaml" ] || { echo "README.md has no model"; exit 1; }
"$capstan" check "$place/rig.yaml"
for model in examples/*.yaml; do
  echo "$model"
  "$capstan" check "$model" >/dev/null
done

# A key that is wrong is refused with its place, as the README says.
sed 's/^  c: .*/  c: 19.3 kg/' "$place/rig.yaml" >"$place/wrong.yaml"
if "$capstan" check "$place/wrong.yaml" 2>"$place/said"; then echo "a wrong unit was accepted"; exit 1; fi
grep -q 'wrong.yaml:8:6: tensioner.c: ' "$place/said" || { cat "$place/said"; exit 1; }

broken=0
for page in *.md docs/*.md; do
  while read -r link; do
    target=${link%%#*}
    case "$target" in "" | *://* | mailto:*) continue ;; esac
    [ -e "$(dirname "$page")/$target" ] || { echo "$page: no such file: $target"; broken=1; }
  done < <(grep -oE '\]\([^) ]+\)' "$page" | sed -E 's/^\]\((.*)\)$/\1/')
done
exit $broken
