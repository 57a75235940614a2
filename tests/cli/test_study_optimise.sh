#!/usr/bin/env bash
# capstan study --optimize from end to end: a mass on a spring rests at force/stiffness; the same bytes for every number
# of workers, after an interruption and with evaluations that are gone; what cannot be gone on with is refused.
source "$(dirname "$0")/study_lib.sh"

rest() { # UNTIL METHOD EVALUATIONS STARTS [MORE OF THE SECTION]
  cat >m.yaml <<END
capstan: 1
name: mass on a spring
drive: clearance-oscillator
bodies: [{name: gear, mass: 1 kg, position: 0 m}]
springs: [{from: gear, stiffness: 1 N/m, damping: 1 N s/m}]
loads: [{on: gear, mean: 0.05 N}]
forcing: {angular_frequency: 0.8 rad/s}
analyses:
  - transient: {until: $1 s, method: rk4, step: 0.1 s}
outputs: {every: 10 s}
END
  cat >s.yaml <<END
capstan: 1
study: where it rests
model: m.yaml
factors:
  - {name: force, path: "loads[0].mean", from: 0.1 N, to: 1 N, count: 2}
  - {name: stiffness, path: "springs[0].stiffness", from: 0.5 N/m, to: 4 N/m, count: 2, spacing: log}
design: {kind: grid}
responses:
  - {name: x, channel: gear.position, reduce: last}
  - {name: miss, expression: "(x - 0.5)^2 + 0.1*(stiffness - 1)^2", unit: "1"}
optimise: {response: miss, goal: minimise, method: $2, evaluations: $3, starts: $4, tolerance: 1e-2${5:-}}
END
}

# the optimum is x = 0.5 m at 1 N/m; two starts by one and by two workers
rest 40 bobyqa 30 2
expect 0 study s.yaml -j 1 --optimize -o one
prints one/study.h5
says '4 cases: 4 fine, 0 failed'
says 'optimum: miss = '
says ' evaluations; steps are below the tolerance'
"$program" export one/study.h5 --csv table >/dev/null
awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) { sub(/ .*/, "", $k); at[$k] = k }; next }
  $at["best"] == 1 { x = $at["response.x"]; stiffness = $at["factor.stiffness"] }
  END { if (!(x > 0.49 && x < 0.51 && stiffness > 0.95 && stiffness < 1.05)) { print x, stiffness; exit 1 } }' table/optimise.csv >said.out ||
  fail "the optimum is another"
expect 0 study s.yaml -j 2 --optimize -o two
same one/study.h5 two/study.h5

# evaluations that are gone are computed again; without --optimize what was found stays in
rm two/optimise/1-0004.h5 two/optimise/2-0005.h5
expect 0 study s.yaml -j 2 --optimize --resume -o two
same one/study.h5 two/study.h5
rm two/study.h5
expect 0 study s.yaml --resume -o two
same one/study.h5 two/study.h5
rm two/optimise/1-0004.h5
expect 0 study s.yaml --resume -o two
says 'two/optimise is incomplete'

# another optimisation in the same folder
sed -i 's/tolerance: 1e-2/tolerance: 1e-2, bounds: [{response: x, below: 0.4 m}]/; s/bobyqa/cobyla/' s.yaml
expect 2 study s.yaml --optimize --resume -o one
says 'belongs to another optimisation; expected the one of this study; remove that folder to start over'
rm -r one/optimise
expect 0 study s.yaml --optimize --resume -o one
says 'at their limits: x (below)'

# interrupted and gone on with
evaluation=40000 # simulated seconds: one must outlast a look at the folder
[ "${CAPSTAN_SANITIZE:-OFF}" != ON ] || evaluation=5000
rest $evaluation sbplx 10 1
expect 0 study s.yaml --optimize -o whole
start study s.yaml --optimize -o broken
for _ in $(seq 1000); do [ -e broken/optimise/1-0002.h5 ] && break; sleep 0.01; done
kill -INT "$process"
finish 130
says 'interrupted; --resume --optimize continues'
[ ! -e broken/optimise/1-0010.h5 ] || fail "it was over before it was interrupted"
expect 0 study s.yaml --optimize --resume -o broken
same whole/study.h5 broken/study.h5

# nothing to optimise
sed -i '/^optimise/d' s.yaml
expect 2 study s.yaml --optimize -o none
says '--optimize requires the section "optimise"'
