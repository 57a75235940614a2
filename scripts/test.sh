#!/usr/bin/env bash
# Everything that must hold before a change is merged; `make test` and .ci/run end here.
# Prints each step's outcome and a last line "N passed, N failed", counted over the tests and checks.
set -uo pipefail
cd "$(dirname "$0")/.."
jobs=$(nproc 2>/dev/null || echo 2)
out=out/test
mkdir -p $out
passed=0 failed=0 failures=""
started=$SECONDS

fail() { failed=$((failed + $1)); failures="$failures  $2"$'\n'; }

# check NAME COMMAND...: one check, quiet when it passes.
check() {
  local name=$1 log=$out/${1//[, ]/-}.log since=$SECONDS
  shift
  if "$@" >"$log" 2>&1; then
    passed=$((passed + 1))
    printf '  ok      %-28s %4d s  %s\n' "$name" $((SECONDS - since)) "$(tail -n 1 "$log" | cut -c1-80)"
    return 0
  fi
  tail -n 60 "$log"
  printf '  FAILED  %-28s %4d s  (all of it: %s)\n' "$name" $((SECONDS - since)) "$log"
  fail 1 "$name"
  return 1
}

has() { command -v "$1" >/dev/null 2>&1; }
# skip NAME REASON: neither passed nor failed, but never silent.
skip() { printf '  skipped %-28s         %s\n' "$1" "$2"; }

configure_and_build() { cmake --preset "$1" && cmake --build --preset "$1" -j "$jobs"; }

# docs/reference.md is what the program's own tables say.
check_reference() {
  build/release/capstan schema --markdown | diff docs/reference.md - ||
    { echo "docs/reference.md is out of date: make docs"; return 1; }
  echo "docs/reference.md is up to date"
}

# reason_of PRESET TEST: the last line that it printed.
reason_of() {
  awk -v "test=$2" '
    /^[0-9]+\/[0-9]+ Testing: / { own = ($3 == test); said = 0; last = "" }
    own && said && /^<end of output>$/ { print last; exit }
    own && said && NF { last = $0 }
    own && /^-+$/ { said = 1 }' "build/$1/Testing/Temporary/LastTest.log" 2>/dev/null | cut -c1-150
}

# run_tests PRESET: every ctest entry counts.
run_tests() {
  local log=$out/ctest-$1.log since=$SECONDS
  # One more than there are cores: tests in the browser wait for much of their time.
  ctest --preset "$1" -j $((jobs + 1)) --no-tests=error --timeout 600 >"$log" 2>&1
  local line
  line=$(grep -E '^[0-9]+% tests passed, [0-9]+ tests failed out of [0-9]+' "$log" | tail -n 1)
  if [ -z "$line" ]; then
    tail -n 40 "$log"
    fail 1 "tests, $1: ctest did not finish"
    return
  fi
  local bad total skipped
  bad=$(sed -E 's/.*passed, ([0-9]+) tests failed.*/\1/' <<<"$line")
  total=$(sed -E 's/.*out of ([0-9]+).*/\1/' <<<"$line")
  skipped=$(grep -cE '\*\*\*Skipped' "$log")
  passed=$((passed + total - bad - skipped))
  local name
  for name in $(sed -nE 's/.*Test +#[0-9]+: ([^ ]+) .*\*\*\*Skipped.*/\1/p' "$log"); do
    skip "tests, $1" "$name: $(reason_of "$1" "$name")"
  done
  if [ "$bad" = 0 ]; then
    printf '  ok      %-28s %4d s  %d tests\n' "tests, $1" $((SECONDS - since)) $((total - skipped))
  else
    cat "$log"
    printf '  FAILED  %-28s %4d s  %d of %d tests\n' "tests, $1" $((SECONDS - since)) "$bad" "$total"
    fail "$bad" "tests, $1: $(sed -nE 's/^[[:space:]]*[0-9]+ - (.*) \(.*\)$/\1/p' "$log" | tr '\n' ' ')"
  fi
}

check "includes" scripts/check_includes.sh
if has clang-format; then check "format" scripts/check_format.sh; else skip "format" "no clang-format"; fi
if [ -f web/package.json ] && grep -q '"test"' web/package.json; then
  check "page" npm --prefix web test --silent
fi
if check "build, release" configure_and_build release; then
  check "symbols" scripts/check_symbols.sh build/release
  check "reference" check_reference
  run_tests release
fi
if has clang; then check "build, clang" configure_and_build clang; else skip "build, clang" "no clang"; fi
if check "build, sanitizers" configure_and_build sanitize; then
  run_tests sanitize
fi

[ -z "$failures" ] || printf 'failed:\n%s' "$failures"
echo "took $((SECONDS - started)) s"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
