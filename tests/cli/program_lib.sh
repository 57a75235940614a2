# shellcheck shell=bash
# What the tests of the command line share: a folder of their own, and words for what is expected. Sourced by scripts that run with
# CAPSTAN_BUILD_DIR set.
set -euo pipefail
source_dir=$PWD
program=$CAPSTAN_BUILD_DIR/capstan
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
unset NO_COLOR
export TERM=xterm
# what is allocated or freed holds garbage at once: reading it gives other results, or none
export MALLOC_PERTURB_=165

fail() {
  echo "FAILED: $*"
  for file in said.out said.err; do [ -s "$file" ] && sed "s/^/  $file: /" "$file"; done
  exit 1
}

# expect CODE ARGUMENTS...: run the program; what it says is in said.out and said.err.
expect() {
  local wanted=$1 code=0
  shift
  "$program" "$@" >said.out 2>said.err || code=$?
  [ "$code" = "$wanted" ] || fail "capstan $* ended with $code, not $wanted"
}

says() { grep -qF -- "$1" said.err || fail "it does not say \"$1\""; }
prints() { grep -qF -- "$1" said.out || fail "it does not print \"$1\""; }
silent() { [ ! -s "$1" ] || fail "$1 is not empty"; }

# json FILE EXPRESSION: the value of an expression of x, the object in FILE, in Python or JavaScript (what both understand).
if command -v python3 >/dev/null; then
  json() { python3 -c 'import json, sys; x = json.load(open(sys.argv[1])); y = eval(sys.argv[2]); print(y if isinstance(y, str) else json.dumps(y))' "$1" "$2"; }
elif command -v node >/dev/null; then
  json() { node -e 'const x = JSON.parse(require("fs").readFileSync(process.argv[1])), y = eval(process.argv[2]); console.log(typeof y === "string" ? y : JSON.stringify(y))' "$1" "$2"; }
else
  json() { echo "skipped: neither python3 nor node is here to read JSON"; exit 77; }
fi

# is EXPRESSION VALUE: of the object that the program printed.
is() {
  local found
  found=$(json said.out "$1") || fail "this is not JSON, or has no $1"
  [ "$found" = "$2" ] || fail "$1 is $found, not $2"
}

# short_model [SECONDS]: m.yaml, a mass that rattles.
short_model() {
  cat >m.yaml <<END
capstan: 1
name: rattling mass
drive: clearance-oscillator
bodies: [{name: gear, mass: 1 kg, position: 0.2245 m}]
springs: [{from: gear, damping: 0.05 N s/m}]
clearances:
  - gap: {from: gear, stiffness: 1 N/m, low: -0.1745 m, high: 0.1745 m, smoothing: g1, sigma: 100}
loads: [{on: gear, mean: 0.05 N, harmonics: [{amplitude: 0.008 N}]}]
forcing: {angular_frequency: 0.8 rad/s}
analyses:
  - transient: {until: ${1:-5} s, method: rk4, step: 0.1 s}
outputs: {every: 1 s}
END
}
