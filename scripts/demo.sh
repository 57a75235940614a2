#!/usr/bin/env bash
# The story of a belt tensioner: its loop on the rig, its law from a measured loop, what the belt does with it; then
# a clearance that rattles, with every branch of its response; a disc that rolls; an accessory drive; parts of a pushbelt, a whole variator; a study.
# Ends with where the pages lie.
set -euo pipefail
cd "$(dirname "$0")/.."
capstan=${CAPSTAN:-build/release/capstan} # CAPSTAN=capstan: the installed one
out=out/demo
mkdir -p $out
started=$SECONDS
pages=""

say() { printf '\n== %s\n' "$*"; }
show() { printf '\n$ capstan %s\n' "${*:2}"; "$@"; }
page() { show $capstan report "$out/$1.h5" -o "$out/$1.html"; pages="$pages  $PWD/$out/$1.html"$'\n'; }

say "1. The tensioner on the rig: imposed motion, force loop"
show $capstan run examples/tensioner_rig.yaml --force -o $out/tensioner_rig.h5
page tensioner_rig

say "2. Identification: from a measured loop to the parameters of either law"
show $capstan identify examples/tensioner_loop.csv --law both -o $out/tensioner_loop.h5
page tensioner_loop

say "3. The belt with that tensioner: range of its tension over angular_frequency, for sixteen loads"
show $capstan run examples/tensioner_map.yaml --force -o $out/tensioner_map.h5
page tensioner_map
show $capstan run examples/tensioner_map_dahl.yaml --force -o $out/tensioner_map_dahl.h5
page tensioner_map_dahl

say "4. A mass in a clearance: its response through the folds, and the branches that no end of the range leads to"
show $capstan run examples/clearance_search.yaml --force -o $out/clearance_search.h5
page clearance_search

say "5. Rolling: a disc in steady precession, and how a viscoelastic contact tends to ideal rolling"
show $capstan run examples/rolling_disc.yaml --force -o $out/rolling_disc.h5
page rolling_disc
show $capstan run examples/rolling_convergence.yaml --force -o $out/rolling_convergence.h5
page rolling_convergence

say "6. An accessory drive: layout, modes, response and life with its belt as springs; then as 194 segments through a ramp"
show $capstan run examples/accessory_drive.yaml --force -o $out/accessory_drive.h5
page accessory_drive
show $capstan run examples/accessory_drive_segments.yaml --force -o $out/accessory_drive_segments.h5
page accessory_drive_segments

say "7. Parts of a pushbelt: bodies in contact, a ring on two pulleys, a sheave that gives way, elements in compression and their stiffness found again"
for example in slider_crank ring_pulleys sheave push_force_tester push_force_tester_fit ring_tracking; do
  show $capstan run examples/$example.yaml --force -o $out/$example.h5
  page $example
done

say "8. A pushbelt variator, element by element; and as a continuum: maps in milliseconds a point"
for example in variator variator_map; do
  show $capstan run examples/$example.yaml --force -o $out/$example.h5
  page $example
done

say "9. A study: 64 tensioners for the accessory drive, their trade-off, and the best one within limits"
show $capstan study examples/tensioner_design_study.yaml -o $out/tensioner_design_study --force --optimize
page tensioner_design_study/study

printf '\nDone in %d s. Open these in a browser:\n%s' $((SECONDS - started)) "$pages"
