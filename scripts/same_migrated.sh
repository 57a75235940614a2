#!/usr/bin/env bash
# Model files of an older commit, rewritten by `capstan migrate`, give the results that the older program gave: every number, under its
# present name. Builds the older commit beside the present tree, so that machine and libraries are the same.
#
#   scripts/same_migrated.sh OLD [--only PATTERN] [--old-program PATH]
#
# For each example of OLD that is a model: the older program runs the file as it was; the present one migrates it (it must then be in the
# present version and pass `check` without a warning) and runs it. Both results are exported by the present program, the older one under
# present names, and all tables compared digit by digit; descriptions of quantities may be worded otherwise. What one side has alone
# is listed: results that were added since.
# Runs of minutes are left out (see `long`). The last line counts; the exit code is 1 where a number differs.
set -euo pipefail
export LC_ALL=C OPENBLAS_NUM_THREADS=1
root=$(cd "$(dirname "$0")/.." && pwd)
long="variator_spiral variator_table3_2 variator_basis variator_axial variator_slip push_force_tester_fit_six"
only=. old="" old_program=""
while [ $# -gt 0 ]; do
  case $1 in
  --only) only=$2; shift ;;
  --old-program) old_program=$(realpath "$2"); shift ;;
  -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "$0"; exit 0 ;;
  *) old=$1 ;;
  esac
  shift
done
[ -n "$old" ] || { echo "usage: scripts/same_migrated.sh OLD_COMMIT [--only PATTERN] [--old-program PATH]" >&2; exit 2; }
program=${CAPSTAN:-$root/build/release/capstan}
base=$root/out/migrated
rm -rf "$base/old" "$base/new" "$base/tables"
mkdir -p "$base/old" "$base/new" "$base/tables"
[ -d "$base/tree" ] || git clone --quiet --shared --no-checkout "$root" "$base/tree"
git -C "$base/tree" checkout --quiet --detach "$old"
if [ -z "$old_program" ]; then
  (cd "$base/tree" && cmake --preset release && cmake --build --preset release --target capstan_program) >"$base/build.log" 2>&1 ||
    { tail "$base/build.log" >&2; exit 2; }
  old_program=$base/tree/build/release/capstan
fi
cp "$base/tree"/examples/*.csv "$base/new/" 2>/dev/null || true

# numbers FOLDER: the tables without descriptions
numbers() {
  rm -f "$1/contents.csv"
  find "$1" -name '*.values.csv' -exec sed -i -E '/^(branch|mode)\.[0-9]+\.ends?,/d; s/^([^,]*,[^,]*,[^,]*),.*/\1/' {} + # ends: a sentence
  find "$1" -name '*.audit.csv' -exec sed -i -E 's/^("[^"]*"|[^,]*),//' {} +
}

# one NAME: "same TABLES", or what differs
one() {
  local name=$1 file=$base/tree/examples/$1.yaml
  (cd "$base/tree/examples" && "$old_program" run "$file" -o "$base/old/$name.h5" --quiet) >"$base/old/$name.said" 2>&1 || true
  "$program" migrate "$file" -o "$base/new/$name.yaml" || return 1
  "$program" check "$base/new/$name.yaml" >/dev/null 2>"$base/new/$name.check" || return 1
  [ ! -s "$base/new/$name.check" ] || { echo "warnings: $(head -n 1 "$base/new/$name.check")"; return 1; }
  "$program" run "$base/new/$name.yaml" -o "$base/new/$name.h5" --quiet --force >"$base/new/$name.said" 2>&1 || true
  "$program" export "$base/old/$name.h5" --codes --csv "$base/tables/$name.old" >/dev/null
  "$program" export "$base/new/$name.h5" --codes --csv "$base/tables/$name.new" >/dev/null
  numbers "$base/tables/$name.old"
  numbers "$base/tables/$name.new"
  diff -rq "$base/tables/$name.old" "$base/tables/$name.new" >"$base/tables/$name.diff" || true
  if grep -q '^Files' "$base/tables/$name.diff"; then
    sed -n 's/^Files .*\/\([^ /]*\) and .*/\1/p' "$base/tables/$name.diff" | tr '\n' ' '
    return 1
  fi
  echo "same: $(find "$base/tables/$name.new" -type f | wc -l) tables$(sed -n 's/^Only in .*\.\(old\|new\): \(.*\)/; only \1: \2/p' "$base/tables/$name.diff" | tr -d '\n')"
}

equal=0 differ=0
for file in "$base/tree"/examples/*.yaml; do
  name=$(basename "$file" .yaml)
  case " $long " in *" $name "*) continue ;; esac
  grep -q '^study:' "$file" && continue
  [[ $name =~ $only ]] || continue
  if said=$(one "$name"); then equal=$((equal + 1)); else differ=$((differ + 1)); said="DIFFERS: $said"; fi
  echo "$name: $said"
done
echo "$equal models the same, $differ not"
[ "$differ" = 0 ]
