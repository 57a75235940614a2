# shellcheck shell=bash
# What the tests of `capstan study` share: a folder of their own with a small model and a study file, and words for
# what is expected. Sourced by test_study*.sh, which run with CAPSTAN_BUILD_DIR set.
set -euo pipefail
program=$CAPSTAN_BUILD_DIR/capstan
export MALLOC_PERTURB_=165 # as in program_lib.sh
place=$(mktemp -d)
started=()

clean() {
  for process in "${started[@]}"; do kill -9 "$process" 2>/dev/null || true; done
  if mountpoint -q "$place/full"; then umount "$place/full"; fi
  if mountpoint -q "$place/still"; then umount "$place/still"; fi
  rm -rf "$place"
}
trap clean EXIT
cd "$place"

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
prints() { grep -qxF -- "$1" said.out || fail "it does not print \"$1\""; }
same() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; }

# start ARGUMENTS...: run it in the background; its process is $process.
start() {
  "$program" "$@" >said.out 2>said.err &
  process=$!
  started+=("$process")
}

# finish CODE: wait for it.
finish() {
  local code=0
  wait "$process" 2>/dev/null || code=$?
  [ "$code" = "$1" ] || fail "it ended with $code, not $1"
}

count() { find "$1/runs" -name '*.h5' 2>/dev/null | wc -l; }

# until_cases N DIR: wait until so many cases are finished.
until_cases() {
  for _ in $(seq 600); do
    [ "$(count "$2")" -ge "$1" ] && return
    kill -0 "$process" 2>/dev/null || fail "it ended before $1 cases were there"
    sleep 0.02
  done
  fail "only $(count "$2") cases after a long time"
}

# model SECONDS: m.yaml, a mass that rattles for so long.
model() {
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

# long_study [SECONDS]: s.yaml with six short cases and then four of so many simulated seconds, in which the program can be disturbed.
long_study() {
  local t=${1:-80000}
  [ "${CAPSTAN_SANITIZE:-OFF}" != ON ] || t=$((t / 16))
  cat >s.yaml <<END
capstan: 1
study: long
model: m.yaml
factors:
  - {name: until, path: "analyses[0].transient.until", values: [5 s, 6 s, 7 s, 8 s, 9 s, 10 s, $t s, $t.5 s, $((t + 1)) s, $((t + 2)) s]}
design: {kind: grid}
responses:
  - {name: peak, channel: gear.position, reduce: peak}
END
}

# study COUNT [STIFFNESSES] [MORE LINES]: s.yaml, a grid of loads and stiffnesses; 1e5 N/m makes the method diverge.
study() {
  cat >s.yaml <<END
capstan: 1
study: rattle
model: m.yaml
factors:
  - {name: force, path: "loads[0].mean", from: 0.02 N, to: 0.08 N, count: $1}
  - {name: stiffness, path: "clearances[0].gap.stiffness", values: [${2:-1 N/m, 2 N/m}]}
design: {kind: grid}
responses:
  - {name: peak, channel: gear.position, reduce: peak}
  - {name: mean, channel: gear.position, reduce: mean, from: 2 s}
  - {name: ratio, expression: "peak/mean", unit: "1"}
${3:-}
END
}
