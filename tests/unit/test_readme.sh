#!/usr/bin/env bash
# The first model of the README is valid, and so are every example and the study of docs/studies.md. (Links: scripts/check_links.sh.)
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
capstan=$CAPSTAN_BUILD_DIR/capstan

awk '/^```yaml$/ {inside = 1; next} /^```$/ {if (inside) exit} inside' README.md >"$place/rig.yaml"
[ -s "$place/rig.yaml" ] || { echo "README.md has no model"; exit 1; }
"$capstan" check "$place/rig.yaml"
for model in examples/*.yaml; do
  echo "$model"
  case $model in
  *_study.yaml) "$capstan" study "$model" --list >/dev/null ;;
  *) "$capstan" check "$model" >/dev/null ;;
  esac
done

# The study of docs/studies.md, beside the model that it names.
cp examples/belt_tensioner_mass.yaml "$place"
awk '/^ *```yaml$/ {inside = 1; next} /^ *```$/ {if (inside) exit} inside' docs/studies.md | sed 's/^   //' >"$place/stiff.yaml"
[ "$("$capstan" study "$place/stiff.yaml" --list | wc -l)" = 22 ] || { echo "the study of docs/studies.md has not 21 cases"; exit 1; }

# A key that is wrong is refused with its place, as the README says.
sed 's/^  c: .*/  c: 19.3 kg/' "$place/rig.yaml" >"$place/wrong.yaml"
if "$capstan" check "$place/wrong.yaml" 2>"$place/said"; then echo "a wrong unit was accepted"; exit 1; fi
grep -q 'wrong.yaml:8:6: tensioner.c: ' "$place/said" || { cat "$place/said"; exit 1; }
