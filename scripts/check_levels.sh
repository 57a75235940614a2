#!/usr/bin/env bash
# Nothing leaves `make test` in silence: what a test leaves to `make test-all` (test_all("...") of tests/support/level.h)
# stands with that test in the table of docs/testing.md, word for word, and nothing stands there that no test says.
set -euo pipefail
cd "$(dirname "$0")/.."
bad=0
say() { echo "$1"; bad=$((bad + 1)); }

# "kind/name: words" of each call, which may be broken over lines, and of each row "| `kind/name` | words |".
said=$(for file in tests/*/test_*.c; do
  name=${file#tests/}
  name=${name/test_/}
  tr '\n' ' ' <"$file" | grep -oE 'test_all\( *"[^"]*"' | sed -E "s|^[^\"]*\"([^\"]*)\"|${name%.c}: \1|" || true
done | LC_ALL=C sort -u)
listed=$(sed -nE '/^## What moved/,/^## /s/^\| `([a-z_]+\/[a-z_0-9]+)` \| ([^|]*[^| ]) *\| `make test-all` .*/\1: \2/p' docs/testing.md | LC_ALL=C sort -u)

[ -n "$said" ] || say "no test leaves anything to make test-all: is test_all() still its name?"
while read -r line; do [ -z "$line" ] || say "not in docs/testing.md: $line"; done < <(comm -23 <(echo "$said") <(echo "$listed"))
while read -r line; do [ -z "$line" ] || say "in docs/testing.md, but no test says so: $line"; done < <(comm -13 <(echo "$said") <(echo "$listed"))
[ $bad = 0 ] || exit 1
echo "$(wc -l <<<"$said") things are left to make test-all, and docs/testing.md lists them"
