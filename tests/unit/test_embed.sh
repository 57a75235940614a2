#!/usr/bin/env bash
# The examples of docs/embedding.md: a C program that steps a drive with a controller and restores a state, and one that sets a parameter, runs in memory and prints a maximum, which is that of the
# file that `capstan run` writes.
set -euo pipefail
library=$(find "$CAPSTAN_BUILD_DIR" -maxdepth 1 -name 'libcapstan.so.*.*' | head -1)
[ -n "$library" ] || { echo "this build has no shared library"; exit 77; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
sanitize=""
[ "${CAPSTAN_SANITIZE:-OFF}" = OFF ] || sanitize="-fsanitize=address,undefined"
ln -s "$(realpath "$library")" "$place/$(objdump -p "$library" | awk '$1 == "SONAME" { print $2 }')"
# shellcheck disable=SC2086
"$CC" -std=c17 -Wall -Wextra -Werror $sanitize -Iinclude examples/embed/maximum.c -o "$place/maximum" "$library"
maximum() { LD_LIBRARY_PATH=$place "$place/maximum" "$@"; }
fail() { echo "$*"; exit 1; }

model=examples/tensioner_rig.yaml
said=$(maximum $model tensioner.k0 N/m tensioner.force 2e5 2.34e5)
[ "$(wc -l <<<"$said")" = 4 ] || fail "it prints: $said"
k=0
for value in 2e5 2.34e5; do
  k=$((k + 1))
  "$CAPSTAN_BUILD_DIR/capstan" run $model -o "$place/$k.h5" --quiet --set "tensioner.k0=$value N/m" >/dev/null
  "$CAPSTAN_BUILD_DIR/capstan" export "$place/$k.h5" --csv "$place/$k" >/dev/null
  most=$(cat "$place/$k"/*.csv | awk -F, '
    /\[/ { column = 0; for (i = 1; i <= NF; i++) if ($i ~ /^"?tensioner\.force \[N\]/) column = i; next }
    column && (!n++ || $column + 0 > most) { most = $column + 0 }
    END { printf "%.4g", most }')
  [ "$(sed -n "$((2 * k))p" <<<"$said")" = "  tensioner.force: at most $most N" ] || fail "the file has $most: $said"
done

code=0
maximum $model tensioner.k0 m tensioner.force 1 2>"$place/said" || code=$?
[ $code = 2 ] && grep -q 'tensioner.k0.*expected' "$place/said" || fail "a wrong unit ends with $code: $(cat "$place/said")"
code=0
maximum $model tensioner.k0 N/m nothing 2e5 >/dev/null 2>"$place/said" || code=$?
[ $code = 2 ] && grep -q 'no column is called nothing' "$place/said" || fail "a wrong column ends with $code"

# shellcheck disable=SC2086
"$CC" -std=c17 -Wall -Wextra -Werror $sanitize -Iinclude examples/embed/controller.c -o "$place/controller" "$library"
said=$(LD_LIBRARY_PATH=$place "$place/controller" examples/python/torque_drive.yaml)
[ "$(wc -l <<<"$said")" = 3 ] || fail "the controller prints: $said"
awk '/N m more/ { speed[++n] = $7; tension[n] = $11 } END { exit !(n == 2 && speed[1] > speed[2] && speed[2] > 800 && tension[1] > 300) }' \
  <<<"$said" || fail "the controller prints: $said"
