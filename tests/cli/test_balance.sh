#!/usr/bin/env bash
# An energy balance that does not close: warned of, marked in the file and on the page, and a failure where it is unusable.
source "$(dirname "$0")/program_lib.sh"
sed 's/until: 200 s}/until: 200 s, method: cvode}/' "$source_dir/examples/clearance_oscillator.yaml" >shaken.yaml # rk5 closes it
grep -q "method: cvode" shaken.yaml || fail "the example has changed"
rattling=$PWD/shaken.yaml

# ---- a share of 2e-3 in the transient: a warning that --quiet does not hide, and the result stands ----
still=(--set "loads[0].mean=0 N" --set "forcing.angular_frequency=47.6 rad/s")
expect 0 run "$rattling" "${still[@]}" --set "outputs.balance=ignore" -o open.h5 --quiet
says "transient: warning: the energy balance is open: 0.0021 of the energy converted is not accounted for; expected at most 0.001"
says "periodic: warning: the energy balance is ignored: 0.024 of the energy converted is not accounted for; expected at most 0.01"
expect 0 export open.h5 --csv open
grep -q '^balance,"\?open: 0.0021' open/transient.values.csv || fail "the group has no mark"
grep -q '^balance,"\?ignored: 0.024' open/periodic.values.csv || fail "the group has no mark"

# ---- above 1e-2: all is computed, marked, and the run fails ----
expect 1 run "$rattling" "${still[@]}" -o unusable.h5 --quiet
says "periodic: the energy balance does not close: 0.024 of the energy converted is not accounted for; expected at most 0.01"
says "outputs.balance: ignore"
says "the results are in unusable.h5, marked as unusable"
[ -f unusable.h5 ] || fail "the results are not there"
expect 0 export unusable.h5 --csv unusable
grep -q '^balance,"\?unusable: 0.024' unusable/periodic.values.csv || fail "the group has no mark"
expect 1 run "$rattling" "${still[@]}" -o unusable.h5 --quiet --resume # what was computed is no better the next time
says "the energy balance does not close"
expect 1 run "$rattling" "${still[@]}" -o json.h5 --json --quiet
is 'x["status"]' failed
is 'x["exit_code"]' 1

# ---- the rounding of what is at rest is none ----
expect 0 run "$source_dir/examples/stacked_blocks.yaml" --set "analyses[0].transient.until=0.1 s" -o rest.h5 --quiet
silent said.err

# ---- time integration that takes more than 1 % ----
expect 0 run "$source_dir/examples/slider_crank.yaml" --set "analyses[0].transient.step=1 us" -o lossy.h5 --quiet
says "transient: warning: time integration takes 4."
says "expected at most 1 %"
expect 0 run "$source_dir/examples/slider_crank.yaml" -o finer.h5 --quiet
silent said.err

# ---- cases of a study: unusable ones fail, and a study of which no case is fine fails; open ones say so ----
cp "$rattling" rattling.yaml
cat >study.yaml <<END
capstan: 2
study: open balances
model: rattling.yaml
factors:
  - {name: load, path: "loads[0].mean", values: [0 N]}
  - {name: speed, path: forcing.angular_frequency, values: [47.6 rad/s]}
design: {kind: grid}
responses:
  - {name: largest, group: transient, channel: gear.position, reduce: max}
END
expect 1 study study.yaml -o failed_study -j 1 --quiet
says "case 1 failed: periodic: the energy balance does not close"
says "0 fine, 1 failed"
sed -i '/^  - periodic/d' rattling.yaml
expect 0 study study.yaml -o open_study -j 1 --quiet
expect 0 export open_study/study.h5 --csv rows
grep -rq 'transient: energy balance open: 0.0021' rows || fail "the row of an open case does not say so"
