#!/usr/bin/env bash
# The long checks: the tests of tests/long, those that take long under the sanitizers, and every claim of the atlas.
set -uo pipefail
cd "$(dirname "$0")/.."
capstan=build/release/capstan
mkdir -p out/validate
failed=0

echo "== long tests"
ctest --test-dir build/release -L long --no-tests=ignore --output-on-failure || failed=1

echo "== tests that take long under the sanitizers"
{ cmake --preset sanitize && cmake --build --preset sanitize -j "$(nproc)"; } >out/validate/sanitize.log 2>&1 &&
  ctest --test-dir build/sanitize -L '^sanitized$' --no-tests=error --output-on-failure -j "$(nproc)" ||
  { failed=1; echo "failed; the build's words are in out/validate/sanitize.log"; }

echo "== atlas"
"$capstan" atlas run --all -o out/validate/atlas
status=$?
case $status in
0) ;;
3) echo "a claim that held does not hold any more; it is marked above"; failed=1 ;;
*) failed=1 ;;
esac
echo "the atlas lies in out/validate/atlas"
exit $failed
