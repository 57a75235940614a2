#!/usr/bin/env bash
# What the sanitizers do not see, values that were never set: a set of tests and of programs of the release build under
# valgrind. Memory that is lost counts, too.
#   scripts/valgrind.sh [KIND/NAME...]    only these tests, and no program
set -uo pipefail
cd "$(dirname "$0")/.."
build=build/release
out=out/test/valgrind
jobs=$(nproc 2>/dev/null || echo 2)
rm -rf $out
mkdir -p $out

# Tests of files, tables and memory, of every kind of kernel, and of each law, element and contact; what starts other
# programs, counts allocations or takes minutes at a thirtieth of the speed is not among them.
tests="unit/arena unit/attitude unit/band unit/beam unit/belt_contact unit/belt_path unit/blocks unit/bordered unit/capstan_session
  unit/cholesky_sparse unit/clearance unit/clutch unit/compression unit/contact_rows unit/contacts unit/csv unit/diag unit/digest
  unit/elements unit/export unit/expr unit/fft unit/fields unit/filter unit/flank unit/fourier unit/groove unit/hash
  unit/h5_image unit/inertia unit/layout unit/lcp unit/leaves unit/levenberg unit/linalg unit/maxwell unit/model unit/model_file
  unit/multipliers unit/planar_rows unit/press unit/push_chain unit/quaternion unit/reduce unit/results_hostile unit/ring_chain
  unit/ring_pulley unit/saddle unit/schema unit/span unit/spline unit/status unit/stick unit/stiffness unit/tables
  unit/tracking_table unit/units unit/variator_geometry unit/yaml verify/attitude_closed verify/law verify/loops
  verify/exact verify/hydraulic verify/hubs verify/mounts verify/session"
# The shortest example of each drive, and settings that make it shorter still.
examples="tensioner_rig belt_tensioner_mass clearance_oscillator rolling_sleigh accessory_slip two_pulley ring_free incline
  bouncing_ball ring_tracking push_force_tester sheave,analyses[0].transient.until=0.1:ms
  variator,analyses[0].transient.until=0.2:ms"
# What is done with the results of the runs above, and a study with its workers.
after="report export verify study"

# one NAME COMMAND...: run it; what valgrind has to say is in its log.
one() {
  local name=$1 log=$out/${1//\//-}.log
  shift
  if ! valgrind -q --error-exitcode=99 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
    --trace-children="${children:-no}" --suppressions=scripts/valgrind.supp "$@" >"$log" 2>&1; then
    echo "FAILED: $name"
    grep -E '^==[0-9]+==|FAILED|ERROR' "$log" | head -n 40
    return 1
  fi
}

run_one() {
  case $1 in
  report) one "$1" $build/capstan report $out/accessory_slip.h5 -o $out/accessory_slip.html ;;
  export) one "$1" $build/capstan export $out/accessory_slip.h5 --csv $out/csv --vtk $out/vtk ;;
  verify) one "$1" $build/capstan verify $out/*.h5 ;;
  study) children=yes one "$1" $build/capstan study tests/data/small_study/study.yaml -o $out/study -j 2 --quiet ;;
  */*) one "$1" $build/tests/tests_"${1%%/*}" "${1#*/}" ;;
  *,*) one "$1" $build/capstan run "examples/${1%%,*}.yaml" -o "$out/${1%%,*}.h5" --force --quiet --set "$(tr ':' ' ' <<<"${1#*,}")" ;;
  *) one "$1" $build/capstan run "examples/$1.yaml" -o "$out/$1.h5" --force --quiet ;;
  esac
}
export -f one run_one
export build out

# run_all NAME...: several at a time.
run_all() {
  [ $# = 0 ] || printf '%s\n' "$@" | xargs -d '\n' -P "$jobs" -n 1 bash -c 'run_one "$1"' bash ||
    { echo "valgrind finds what is written above"; exit 1; }
}

[ $# -gt 0 ] && after="" || set -- $tests $examples
run_all "$@"
# shellcheck disable=SC2086
run_all $after
# shellcheck disable=SC2086
set -- "$@" $after
echo "valgrind finds nothing in $# tests and programs"
