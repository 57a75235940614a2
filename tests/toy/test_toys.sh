#!/usr/bin/env bash
# What an addition costs, counted: for each kind of thing that docs/adding.md describes there is a toy in a folder beside this
# script, one source file and the lines that go elsewhere (`lines`). Copies of the files that these lines go into get them, the
# program is linked with the copies and the toys in the place of what the library has, and all toys are used and their numbers
# compared with closed forms.
# How `lines` are written: tests/support/insert_lines.sh.
set -euo pipefail
if [ "${CAPSTAN_SANITIZE:-OFF}" = ON ]; then
  echo "the toys are counted and computed in the release build"
  exit 77
fi
source=$PWD
toys=$source/tests/toy
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

fail() { printf 'FAILED: %s\n' "$*"; exit 1; }

# ---- what an addition costs ------------------------------------------------------------------------------------------

# insert TREE KIND: put the lines of a kind into copies of their files, below TREE.
insert() {
  local tree=$PWD/$1
  mkdir -p "$tree"
  (cd "$source" && bash tests/support/insert_lines.sh "tests/toy/$2/lines" "$tree")
}

# changes TREE SIGN: how many lines of the files in TREE are new (>), or gone or changed (<).
changes() {
  (cd "$1" && find . -type f) | while read -r file; do diff "$source/$file" "$1/$file" || true; done | grep -c "^$2" || true
}

# cost KIND MOST [FILES]: at most so many lines elsewhere, none of which replaces another; one new file, and FILES. As the table
# of docs/adding.md has it.
cost() {
  local files
  files=$(find "$toys/$1" -type f ! -name lines | wc -l)
  if [ -n "${3:-}" ]; then files=$((files + $(wc -w <<<"$3"))); fi
  insert "alone/$1" "$1"
  local lines touched
  lines=$(changes "alone/$1" '>')
  touched=$(find "alone/$1" -type f | wc -l)
  printf '%-22s %d new, %d lines in %d\n' "$1" "$files" "$lines" "$touched"
  { [ "$lines" -gt 0 ] && [ "$lines" -le "$2" ]; } || fail "$1 takes $lines lines elsewhere, not 1 to $2"
  [ "$(changes "alone/$1" '<')" = 0 ] || fail "$1 changes lines that are there"
  grep -qE "^\| [^|]* \| [^|]*\`${3:-tests/toy/$1/}[^|]* \| $files \| $lines: " "$source/docs/adding.md" || fail "docs/adding.md has another cost of $1"
  [ "$files" = $((1 + $(wc -w <<<"${3:-}"))) ] || fail "$1 takes $files new files"
}

printf '%-22s %s\n' kind 'files'
for kind in law element stepper ring observer analysis; do cost $kind 2; done
cost drive 3 web/test/toy_drive.ts # with its page, which tests/web/browser_toy.mjs shows
[ "$(grep -vc '^web/' "$toys/drive/lines")" = 1 ] || fail "a drive without a page takes more than a line"

# ---- the program with all of them ------------------------------------------------------------------------------------

for kind in law element stepper ring observer analysis drive; do insert tree $kind; done

# Who is compiled anew: the files that have new lines, and those that expand a list that has one. (A header with a list but for
# which it is a declaration changes no object.)
lists=$(find tree/src -name '*.h' | while read -r header; do
  { diff --unchanged-line-format='=%L' --new-line-format='+%L' "$source/${header#tree/}" "$header" || true; } | awk '
    /^=#define / { name = $2; sub(/\(.*/, "", name) }
    /^\+/ && name != "" { print name }
    !/\\$/ { name = "" }'
done | LC_ALL=C sort -u | paste -sd'|')
[ -n "$lists" ] || fail "no list has a new line"
{ (cd tree && find src -name '*.c'); (cd "$source" && grep -rlE --include='*.c' "\b($lists)" src); } | LC_ALL=C sort -u >sources

# The commands of the build, with the copies before the sources; made quickly rather than for speed. Toys as registry.c.
command_of() {
  ninja -C "$CAPSTAN_BUILD_DIR" -t commands -s "CMakeFiles/capstan.dir/$1.o" | sed -E \
    -e "s| -I| -I$place/tree/src -I|" -e 's/ -MD -MT [^ ]+ -MF [^ ]+//' -e 's/ -O3/ -O1/' -e 's/ -o [^ ]+ -c [^ ]+//'
}
compile() { (cd "$CAPSTAN_BUILD_DIR" && eval "$1 -o $place/$2 -c $3") || fail "$3 does not compile"; }

mkdir objects
objects=() count=0
while read -r file; do
  path=$source/$file
  if [ -e "tree/$file" ]; then path=$place/tree/$file; fi
  compile "$(command_of "$file")" "objects/$count.o" "$path"
  objects+=("$place/objects/$count.o")
  count=$((count + 1))
done <sources
as_registry=$(command_of src/drives/registry.c)
for file in "$toys"/*/*.c; do
  compile "$as_registry" "objects/$count.o" "$file"
  foreign=$(nm --extern-only --defined-only "objects/$count.o" | awk -v file="$(basename "$file" .c)" '$3 !~ "^cap_" file "(_|$)"')
  [ -z "$foreign" ] || fail "$file has names that are not its own: $foreign"
  objects+=("$place/objects/$count.o")
  count=$((count + 1))
done
link=$(ninja -C "$CAPSTAN_BUILD_DIR" -t commands capstan | tail -n 1)
(cd "$CAPSTAN_BUILD_DIR" && eval "${link/ -o capstan / -o $place/capstan ${objects[*]} }") || fail "the program does not link"
echo "$count of $(find "$source/src" -name '*.c' | wc -l) files compiled"

# ---- what it says and computes -------------------------------------------------------------------------------------------

# expect CODE ARGUMENTS...: what the program says is in `said`.
expect() {
  local wanted=$1 code=0
  shift
  ./capstan "$@" >said 2>&1 || code=$?
  [ "$code" = "$wanted" ] || { cat said; fail "capstan $* ends with $code, not $wanted"; }
}
says() { grep -qF -- "$1" said || { cat said; fail "it does not say: $1"; }; }

# run NAME: the model of standard input; its tables and arrays are in NAME/.
run() {
  cat >"$1.yaml"
  expect 0 run "$1.yaml" -o "$1.h5" --quiet
  expect 0 export "$1.h5" --csv "$1"
}

# holds FILE WHAT EXPRESSION: true in every row; x("name") is the value of a column, near(a, b) within 1e-9 of b, beyond one.
holds() {
  awk -F, '
    NR == 1 { for (k = 1; k <= NF; k++) { split($k, word, " "); at[word[1]] = k } next }
    { rows++ }
    !right() { print FILENAME ": " $0; bad = 1; exit }
    END { exit bad || !rows }
    function x(name) { if (!(name in at)) { print "no column " name; exit bad = 1 } return $at[name] }
    function near(a, b, size) { size = b < 0 ? -b : b; return a - b <= 1e-9 * (1 + size) && b - a <= 1e-9 * (1 + size) }
    function right() { return '"$3"' }' "$1" || fail "$2"
}

expect 0 schema
for name in '"quadratic"' '"toy-euler"' '"pulse"' '"toy"' 'toy (travel only)'; do says "$name"; done
expect 0 schema --markdown
says 'toy-euler (fixed step, smooth laws)'

# The discrete motion of a mass on a spring, w^2 = 25: x_n = x_0 cos(n a) - x_0 (h w)^2/2 sin(n a)/sin(a), sin(a/2) = h w/2.
run toy <<'MODEL'
capstan: 1
name: drive, stepper, observer, analysis
drive: toy
mass: 2 kg
stiffness: 50 N/m
position: 0.1 m
analyses:
  - transient: {until: 4 s, method: toy-euler, step: 10 ms}
  - pulse: {speed: 3 m/s}
outputs: {every: 0.1 s}
MODEL
turn='2 * atan2(0.025, sqrt(1 - 0.025 ^ 2))'
holds toy/transient.csv 'the toy stepper does not take the steps of symplectic Euler' \
  "near(x(\"mass.position\"), 0.1 * cos(100 * x(\"time\") * $turn) - 0.1 * 0.00125 * sin(100 * x(\"time\") * $turn) / sin($turn))"
holds toy/transient.csv "the force of the toy drive's spring" 'near(x("spring.force"), 50 * x("mass.position"))'
holds toy/transient.toy.csv 'the toy observer has not seen all rows' 'x("toy.rows") == 41'
most=$(awk -F, 'NR > 1 && $3 * $3 > most { most = $3 * $3 } END { printf "%.17g", most }' toy/transient.csv)
holds toy/transient.toy.csv 'the toy observer has another largest energy' "near(x(\"toy.kinetic\"), $most) && x(\"toy.kinetic\") > 0.24"
holds toy/pulse.coordinates.csv 'the toy analysis counts other coordinates' 'x("coordinates") == 1'
holds toy/pulse.momentum.csv 'the toy analysis has another momentum' 'x("momentum") == 6'

run law <<'MODEL'
capstan: 1
name: law
drive: tensioner-rig
tensioner: {law: quadratic, k: 1000 N/m, second: 2e5 N/m2}
deflection: {motion: harmonic, mean: 1 mm, amplitude: 2 mm, angular_frequency: 10 rad/s}
analyses: [{transient: {until: 1 s}}]
outputs: {every: 10 ms}
MODEL
u='(0.001 + 0.002 * sin(10 * x("time")))'
holds law/transient.csv 'the toy law has another force' "near(x(\"tensioner.force\"), 1000 * $u + 2e5 * $u ^ 2)"

# m v' = -d |v| v with d/m = 1/4: v = v_0/(1 + v_0 t/4), x = 4 ln(1 + v_0 t/4).
run element <<'MODEL'
capstan: 1
name: element
drive: clearance-oscillator
bodies: [{name: gear, mass: 2 kg, velocity: 3 m/s}]
forcing: {angular_frequency: 1 rad/s}
analyses: [{transient: {until: 2 s, method: rk4, step: 1 ms}}]
outputs: {every: 0.1 s}
MODEL
holds element/transient.csv 'the toy element does not slow down as it should' \
  'near(x("gear.velocity"), 3 / (1 + 0.75 * x("time"))) && near(x("gear.position"), 4 * log(1 + 0.75 * x("time")))'

run ring <<'MODEL'
capstan: 1
name: ring model
drive: ring
ring:
  model: toy
  length: 667.0139 mm
  section: {layers: 9, packs: 2, thickness: 0.185 mm, width: 9.75 mm, modulus: 1.8e11 N/m2, density: 8000 kg/m3}
centre_distance: 155 mm
start: {theta: 0.4, speed: 10 m/s}
analyses: [{transient: {until: 0.2 s, method: rk4, step: 1 ms}}]
outputs: {every: 10 ms}
MODEL
holds ring/transient.csv 'the toy ring does not travel as it should' \
  'near(x("ring.travel"), 10 * x("time")) && near(x("ring.energy.motion"), 18 * 0.185e-3 * 9.75e-3 * 8000 * 0.6670139 * 50)'

# refused MODEL KEY NAME: another name is refused, and among those that are known is the toy.
refused() {
  expect 2 check "$1.yaml" --set "$2=nothing"
  says "$3"
}
refused toy drive '"toy"'
refused toy 'analyses[0].transient.method' '"toy-euler"'
refused law tensioner.law '"quadratic"'
refused ring ring.model '"toy"'
sed 's/pulse:/puls:/' toy.yaml >wrong.yaml
expect 2 check wrong.yaml
says '"pulse"'
if "$CAPSTAN_BUILD_DIR/capstan" check toy.yaml >said 2>&1; then fail "the program knows the toy without its lines"; fi
says 'unknown drive "toy"'
echo "all toys compute what they should"
