#!/usr/bin/env bash
# tests/bad/golden.txt anew, from what the program says now; read `git diff tests/bad/golden.txt` before it is committed.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset release >/dev/null
cmake --build --preset release --target tests_bad
CAPSTAN_RENEW_GOLDEN=1 build/release/tests/tests_bad malformed
git --no-pager diff --stat tests/bad/golden.txt
