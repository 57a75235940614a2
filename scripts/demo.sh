#!/usr/bin/env bash
# The story of a belt tensioner, from the measured loop to the belt's response; ends with where the pages lie.
set -euo pipefail
cd "$(dirname "$0")/.."
capstan=build/release/capstan
out=out/demo
mkdir -p $out
started=$SECONDS
pages=""

say() { printf '\n== %s\n' "$*"; }
show() { echo "\$ capstan ${*:2}"; "$@"; }
page() { show $capstan report "$out/$1.h5" -o "$out/$1.html"; pages="$pages  $PWD/$out/$1.html"$'\n'; }

say "1. The tensioner on the rig: imposed motion, force loops of both laws"
show $capstan run examples/tensioner_rig.yaml -o $out/tensioner_rig.h5
page tensioner_rig

say "2. Identification: from a measured loop to the parameters of a law"
show $capstan identify examples/tensioner_loop.csv -o $out/tensioner_loop.h5
page tensioner_loop

say "3. The belt with that tensioner: tension range over pulsation and force amplitude"
show $capstan run examples/tensioner_map.yaml -o $out/tensioner_map.h5
page tensioner_map

printf '\nDone in %d s. Open these in a browser:\n%s' $((SECONDS - started)) "$pages"
