#!/usr/bin/env bash
# The three levels of tests; `make test-quick`, `make test`, `make test-all` and .ci/run end here (docs/testing.md).
#   scripts/test.sh [quick|test|all]
# Prints each step's outcome with its time and that of the processors, then what it took of the time that the level is
# allowed (a warning when it was more: machines differ), and a last line "N passed, N failed", counted over tests and checks.
set -uo pipefail
cd "$(dirname "$0")/.."
level=${1:-test}
case $level in
quick) limit=60 ;;
test) limit=480 ;;
all) limit=2700 ;;
*) echo "test.sh: unknown level '$level' (quick, test, all)" >&2; exit 2 ;;
esac
export CAPSTAN_LEVEL=$level
jobs=$(nproc 2>/dev/null || echo 2)
out=out/test
mkdir -p $out
passed=0 failed=0 failures=""
started=$SECONDS

# Kinds of tests. What reads and writes memory in every way is run under the sanitizers at each `make test`; numbers are
# compared in the release build, and verify and cross are sanitized in `make test-all`.
kinds_quick="unit fuzz bad drives"
kinds_sanitized="unit fault bad fuzz drives"

fail() { failed=$((failed + $1)); failures="$failures  $2"$'\n'; }

# Seconds that the processors spent on everything that was started and has ended, into $cpu. (`times` knows its own shell's.)
processors() {
  local file=$out/times-$BASHPID
  times >"$file"
  cpu=$(awk 'NR == 2 { for (k = 1; k <= 2; k++) { split($k, t, /[ms]/); sum += 60 * t[1] + t[2] } printf "%d", sum + 0.5 }' "$file")
  rm -f "$file"
}

# line OUTCOME NAME SINCE PROCESSORS_BEFORE TEXT
line() {
  processors
  printf '  %-7s %-28s %4d s (%4d s cpu)  %s\n' "$1" "$2" $((SECONDS - $3)) $((cpu - $4)) "$5"
}

# check NAME COMMAND...: one check, quiet when it passes.
check() {
  local name=$1 log=$out/${1//[, ]/-}.log since=$SECONDS before
  processors
  before=$cpu
  shift
  if "$@" >"$log" 2>&1; then
    passed=$((passed + 1))
    line ok "$name" "$since" "$before" "$(tail -n 1 "$log" | cut -c1-80)"
    return 0
  fi
  tail -n 60 "$log"
  line FAILED "$name" "$since" "$before" "(all of it: $log)"
  fail 1 "$name"
  return 1
}

has() { command -v "$1" >/dev/null 2>&1; }
# skip NAME REASON: neither passed nor failed, but never silent.
skip() { printf '  skipped %-28s         %s\n' "$1" "$2"; }

# programs KIND...: the targets that these kinds of tests need; kinds of scripts only have no program.
programs() {
  echo capstan_program
  for kind in "$@"; do ! compgen -G "tests/$kind/test_*.c" >/dev/null || echo "tests_$kind"; done
}

# configure_and_build PRESET [TARGET...]: without targets, everything.
configure_and_build() {
  local preset=$1
  shift
  cmake --preset "$preset" && cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"}
}

# docs/reference.md is what the program's own tables say.
check_reference() {
  build/release/capstan schema --markdown | diff docs/reference.md - ||
    { echo "docs/reference.md is out of date: make docs"; return 1; }
  echo "docs/reference.md is up to date"
}

# The page's sources; their types are checked where the release build makes the page of them, so that this must be possible.
check_page() {
  has node && [ -f web/node_modules/typescript/bin/tsc ] || { echo "no Node.js or no packages in web/: scripts/setup.sh test"; return 1; }
  scripts/check_web.sh
}

# reason_of PRESET TEST: the last line that it printed.
reason_of() {
  awk -v "test=$2" '
    /^[0-9]+\/[0-9]+ Testing: / { own = ($3 == test); said = 0; last = "" }
    own && said && /^<end of output>$/ { print last; exit }
    own && said && NF { last = $0 }
    own && /^-+$/ { said = 1 }' "build/$1/Testing/Temporary/LastTest.log" 2>/dev/null | cut -c1-150
}

# run_tests PRESET [KIND...]: every ctest entry counts; without kinds, all but those of `make validate`.
run_tests() {
  local preset=$1 since=$SECONDS log before
  processors
  log=$out/ctest-$preset.log before=$cpu
  shift
  local labels=()
  [ $# = 0 ] || labels=(-L "^($(tr ' ' '|' <<<"$*"))\$")
  # More than there are cores: tests in the browser and on a cluster wait for much of their time.
  ctest --preset "$preset" "${labels[@]}" -j $((jobs + 2)) --no-tests=error --timeout 900 >"$log" 2>&1
  local summary
  summary=$(grep -E '^[0-9]+% tests passed, [0-9]+ tests failed out of [0-9]+' "$log" | tail -n 1)
  if [ -z "$summary" ]; then
    tail -n 40 "$log"
    fail 1 "tests, $preset: ctest did not finish"
    return
  fi
  local bad total skipped
  bad=$(sed -E 's/.*passed, ([0-9]+) tests failed.*/\1/' <<<"$summary")
  total=$(sed -E 's/.*out of ([0-9]+).*/\1/' <<<"$summary")
  skipped=$(grep -cE '\*\*\*Skipped' "$log")
  passed=$((passed + total - bad - skipped))
  local name
  for name in $(sed -nE 's/.*Test +#[0-9]+: ([^ ]+) .*\*\*\*Skipped.*/\1/p' "$log"); do
    skip "tests, $preset" "$name: $(reason_of "$preset" "$name")"
  done
  if [ "$bad" = 0 ]; then
    line ok "tests, $preset" "$since" "$before" "$((total - skipped)) tests"
  else
    cat "$log"
    line FAILED "tests, $preset" "$since" "$before" "$bad of $total tests"
    fail "$bad" "tests, $preset: $(sed -nE 's/^[[:space:]]*[0-9]+ - (.*) \(.*\)$/\1/p' "$log" | tr '\n' ' ')"
  fi
}

# lane NAME COMMAND: in the background, on the files of its own; join NAME prints its lines when it has ended and counts them.
# A process group of its own: what is started in the background without one does not hear Ctrl-C, and tests try that.
declare -A lane_of
trap 'for lane in "${lane_of[@]}"; do kill -TERM -- "-$lane" 2>/dev/null; done; exit 130' INT TERM
lane() {
  local name=$1
  shift
  set -m
  (
    set +m
    trap - INT TERM
    passed=0 failed=0 failures=""
    "$@"
    printf '%s %s\n%s' $passed $failed "$failures" >"$out/lane-$name.counts"
  ) >"$out/lane-$name.log" 2>&1 </dev/null &
  lane_of[$name]=$!
  set +m
}

join() {
  local here there said
  wait "${lane_of[$1]}"
  cat "$out/lane-$1.log"
  { read -r here there; said=$(cat); } <"$out/lane-$1.counts" || { here=0 there=1 said="  lane $1 did not end"; }
  rm -f "$out/lane-$1.counts"
  passed=$((passed + here)) failed=$((failed + there))
  [ -z "$said" ] || failures="$failures$said"$'\n'
}

# What reads the sources alone.
sources() {
  check "includes" scripts/check_includes.sh
  check "registries" scripts/check_registries.sh
  check "levels" scripts/check_levels.sh
  check "links" scripts/check_links.sh
  check "words" scripts/check_words.sh
  check "messages" scripts/messages.sh --check
  if scripts/check_format.sh --version; then check "format" scripts/check_format.sh; else skip "format" "no clang-format 14"; fi
  [ $level != quick ] || return
  check "page" check_page
  if has clang; then check "clang" scripts/check_clang.sh; else skip "clang" "no clang"; fi
}

# shellcheck disable=SC2046,SC2086
release() {
  if [ $level = quick ]; then
    check "build, release" configure_and_build release $(programs $kinds_quick) || return
  else
    check "build, release" configure_and_build release || return
  fi
  check "symbols" scripts/check_symbols.sh build/release
  check "reference" check_reference
  if [ $level = quick ]; then
    run_tests release $kinds_quick
    return
  fi
  check "sample output" scripts/sample_output.sh --check
  run_tests release
}

# shellcheck disable=SC2046,SC2086
sanitizers() {
  if [ $level = test ]; then
    check "build, sanitizers" configure_and_build sanitize $(programs $kinds_sanitized) && run_tests sanitize $kinds_sanitized
    return
  fi
  # Memory is looked at, not numbers: what a test does again for a number is left to the release build.
  if check "build, sanitizers" configure_and_build sanitize; then CAPSTAN_EVERY=1 CAPSTAN_LEVEL=test run_tests sanitize; fi
  check "threads" scripts/tsan.sh
  check "build, benchmarks" configure_and_build release benchmarks
  if has valgrind; then check "valgrind" scripts/valgrind.sh; else skip "valgrind" "no valgrind"; fi
}

# In `make test` two lanes side by side: what one leaves of the cores while it configures, links or waits for the browser, the
# other uses. The tests are made for that: they look at processor time, or allow for what else runs.
if [ $level = test ]; then
  own_lane() { sources; sanitizers; }
  lane beside own_lane
  release
  join beside
else
  sources
  release
  [ $level = quick ] || sanitizers
fi

[ -z "$failures" ] || printf 'failed:\n%s' "$failures"
took=$((SECONDS - started))
processors
[ $took -le $limit ] || echo "warning: that was longer than this level is allowed on two cores without other work"
echo "took $took s of $limit s allowed ($cpu s cpu)"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
