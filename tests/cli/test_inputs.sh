#!/usr/bin/env bash
# Inputs from files: what is fed, what is refused, and that an interrupted run goes on with the same bytes.
source "$(dirname "$0")/program_lib.sh"

cat >m.yaml <<'END'
capstan: 2
name: a rod that someone moves and a mass that someone pushes
drive: belt-tensioner-mass
masses: {mass: 73.84 kg, pulley: 0.15 kg}
belt: {stiffness: 560 kN/m, damping: 160 N s/m}
load: {mean: {input: push, start: 10 N}, amplitude: 100 N, angular_frequency: 60 rad/s}
tensioner: {law: dahl, a: 7.146e4 N/m, b: 959.6 N, d: 5.322e4 N/m, e: 397.2 N, lambda: 117355, mu: 0.37}
analyses: [{statics: {}}, {transient: {until: 1 s, method: midpoint, step: 50 us}}]
outputs: {every: 1 ms, checkpoint: 1 ms}
END
cp m.yaml extrapolation.yaml
printf 'time [s], push [kN]\n0, 0.01\n0.2505, 0.2\n0.5, 0.1\n2, 0\n' >linear.csv
printf 'time [s];push [N]\n-1;20\n0,2505;200\n' >held.csv

# what is fed is in the channel of the input
run() { expect 0 run "$@" --force --quiet; }
column() { awk -F, -v name="$2" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i ~ "^\"?" name) c = i} $1 + 0 == '"$3"' && NR > 1 {print $c}' "$1" | head -1; }
run m.yaml --input linear.csv -o linear.h5
expect 0 report linear.h5
grep -q '"fed_by":"linear.csv (linear, ' linear.html || fail "the page does not say what fed the inputs"
run m.yaml --input-held held.csv -o held.h5
run m.yaml -o start.h5
for name in linear held start; do expect 0 export $name.h5 --csv "$name"; done
near() { awk -v a="$1" -v b="$2" 'BEGIN {exit !(a != "" && (a - b < 1e-6) && (b - a < 1e-6))}' || fail "$3: $1, not $2"; }
near "$(column linear/transient.csv input.push 0.5)" 100 "fed linearly"
near "$(column linear/transient.csv input.push 1)" 66.6666666667 "fed linearly at the end"
near "$(column held/transient.csv input.push 0.25)" 20 "held before a row"
near "$(column held/transient.csv input.push 0.251)" 200 "held after a row"
near "$(column start/transient.csv input.push 1)" 10 "not fed"
expect 0 run m.yaml --input linear.csv -o linear.h5 --force
says 'statics: the input "push" stays at its start, 10 N'

# where it does not begin with the start of the model, it says so
expect 0 check m.yaml --input-held held.csv
says 'held.csv:2:1: note: the input "push" begins with 20 N; the initial state is that with its start in the model, 10 N'

# interrupted anywhere and resumed: the same bytes
printf 'time [s], push [kN]\n0, 0.01\n0.2505, 0.2\n0.5, 0.1\n2.00017, 0\n4, 0.1\n' >long.csv
for model in m extrapolation; do
  long=(run $model.yaml --set 'analyses=[{transient: {until: 4 s, method: '"$([ $model = m ] && echo midpoint, step: 20 us || echo extrapolation)"'}}]')
  expect 0 "${long[@]}" --input long.csv -o whole.h5 --force --quiet
  rm -f part.h5 part.h5.part
  code=1 interruptions=-1
  while [ $code != 0 ]; do
    code=0
    "$program" "${long[@]}" --input long.csv -o part.h5 --quiet --resume --time-limit 0.04 >said.out 2>said.err || code=$?
    [ $code = 0 ] || [ $code = 124 ] || fail "an interrupted run ended with $code"
    interruptions=$((interruptions + 1))
  done
  [ $interruptions -gt 0 ] || fail "$model: the run was never interrupted"
  cmp -s whole.h5 part.h5 || fail "$model: a run that was resumed differs"
  echo "$model: $interruptions interruptions, the same bytes"
done

# another file is another run
rm -f part.h5
code=0
"$program" "${long[@]}" --input long.csv -o part.h5 --quiet --time-limit 0.04 >/dev/null 2>&1 || code=$?
[ $code = 124 ] || fail "a run that takes too long ended with $code"
sed 's/0.2$/0.3/' long.csv >other.csv
expect 2 "${long[@]}" --input other.csv -o part.h5 --resume
says "the files that feed inputs (--input)"
expect 2 "${long[@]}" -o part.h5 --resume
says "the files that feed inputs (--input)"

# refused: file, line, column, and nothing is written
refused() { # WHAT IT SAYS, TEXT OF THE FILE, OPTION
  printf "$2" >bad.csv
  rm -f bad.h5
  expect 2 run m.yaml "${3:---input}" bad.csv -o bad.h5
  says "$1"
  [ ! -e bad.h5 ] && [ ! -e bad.h5.part ] || fail "a refused run left a file"
}
refused 'bad.csv:1:11: expected the name of an input of the model, got the column "psh"; did you mean "push"?' 'time [s], psh [N]\n0, 10\n1, 10\n'
refused 'bad.csv:1:11: "push": expected a force in a unit such as "N", got m' 'time [s], push [m]\n0, 10\n1, 10\n'
refused 'bad.csv:1:1: expected a column "time [s]", got none' 'zeit [s], push [N]\n0, 10\n1, 10\n'
refused 'bad.csv:1:1: the model has input "push", which no file feeds' 'time [s]\n0\n1\n'
refused 'bad.csv:3:1: ends before the run; expected a last row at t = 1 s or later, got 0.9 s' 'time [s], push [N]\n0, 10\n0.9, 10\n'
refused 'bad.csv:2:1: begins after the run; expected a first row at t = 0 s or before, got 0.1 s' 'time [s], push [N]\n0.1, 10\n1, 10\n'
refused 'bad.csv:2:1: begins after the run' 'time [s], push [N]\n0.1, 10\n1, 10\n' --input-held
refused 'bad.csv:3:3: push: expected a number, got "nan"' 'time [s], push [N]\n0, 10\n1,nan\n'
refused 'bad.csv:4:1: expected a time above 0.5 s, that of the row before, got 0.5 s' 'time [s], push [N]\n0, 10\n0.5, 10\n0.5, 10\n1, 10\n'
expect 2 run m.yaml --input linear.csv --input-held held.csv -o bad.h5
says 'held.csv:1:10: the input "push" is fed by linear.csv already'
expect 2 run "$source_dir/examples/two_pulley.yaml" --input linear.csv -o bad.h5
says 'linear.csv: expected a model with inputs'
expect 2 run m.yaml --input linear.csv --set 'analyses=[{statics: {}}]' -o bad.h5
says 'linear.csv: expected an analysis that follows inputs (transient, quasistatic), got none'
expect 2 check m.yaml --input nowhere.csv
says 'nowhere.csv: cannot be opened'

# a position is fed linearly, from its start on
cat >rig.yaml <<'END'
capstan: 2
name: rig
drive: tensioner-rig
deflection: {input: rod, start: 0.5 mm}
tensioner: {law: dahl, a: 7.146e4 N/m, b: 959.6 N, d: 5.322e4 N/m, e: 397.2 N, lambda: 117355, mu: 0.37}
analyses: [{transient: {until: 1 s}}]
END
printf 'time [s], rod [mm]\n0, 0.5\n0.3, 1\n1, 0.2\n' >rod.csv
run rig.yaml --input rod.csv -o rig.h5
expect 2 run rig.yaml --input-held rod.csv -o bad.h5
says 'the input "rod" imposes a position, which must not jump; expected values that are linear'
printf 'time [s], rod [mm]\n0, 0.6\n0.3, 1\n1, 0.2\n' >rod.csv
expect 2 run rig.yaml --input rod.csv -o bad.h5
says 'rod.csv:2:1: the input "rod" imposes a position, which must not jump; expected 0.0005 m at t = 0 s, its start in the model, got 0.0006 m'
expect 2 check rig.yaml --set 'tensioner={law: masing, k0: 2.34e5 N/m, F0: -573 N, c: 10 N s/m, sliders: [{k: 4.84e5 N/m, alpha: 163 N}]}' \
  --set 'analyses=[{transient: {until: 1 s, method: exact}}]'
says 'it has inputs'

# equilibria follow a compression that is fed as they follow its path: straight between two points, and then with a kink
tester() {
  cat <<END
capstan: 2
name: stack
drive: push-force-tester
elements: {simulated: 6, real: 20}
contact: {edge: {stiffness: 5 MN, transition: 4e-4, nonlinearity: 7500}}
press: {path: $1}
analyses: [{quasistatic: {until: 1 s, steps: 20}}]
END
}
tester '[[0 s, 0], [1 s, 1e-3]]' >path.yaml
tester '{input: press, start: 0}' >press.yaml
printf 'time [s], press [-]\n0, 0\n1, 0.001\n' >press.csv
printf 'time [s], press [-]\n0, 0\n0.5, 0.0008\n2, 0.0014\n' >kink.csv
for name in path press; do
  run $name.yaml $([ $name = press ] && echo --input press.csv) -o $name.h5
  expect 0 export $name.h5 --csv $name
done
force() { head -1 "$1" | tr ',' '\n' | tr -d '"' | grep -nm1 '^clamp.force' | cut -d: -f1; }
n=$(force path/quasistatic.csv)
[ -n "$n" ] || fail "no channel clamp.force: $(head -c 300 path/quasistatic.csv)"
paste -d, <(cut -d, -f"$n" path/quasistatic.csv) <(cut -d, -f"$(force press/quasistatic.csv)" press/quasistatic.csv) |
  awk -F, 'NR > 1 {d = $1 - $2; if (d < 0) d = -d; if ($1 > most) most = $1; if (d > worst) worst = d; rows++}
    END {exit !(rows == 21 && most > 100 && worst < 1e-6 * most)}' || fail "equilibria do not follow the input"
run press.yaml --input kink.csv -o kink.h5
expect 0 export kink.h5 --csv kink
near "$(column kink/quasistatic.csv input.press 1)" 0.001 "equilibria fed with a kink"

# a study: fed in all cases, and over the start
study() { # FACTOR, FURTHER KEYS
  cat <<END
capstan: 2
study: mass
model: m.yaml
factors: [{name: f, path: $1, values: [50 N, 100 N]}]
design: {kind: grid}
responses: [{name: top, channel: input.push, reduce: max}]
$2
END
}
study load.amplitude 'inputs: [linear.csv]' >fed.yaml
study load.mean.start '' >start.yaml
study load.amplitude 'inputs_held: [rod.csv]' >bad.yaml
responses() { awk -F, -v name=response.top 'NR == 1 {for (i = 1; i <= NF; i++) if (index($i, name)) c = i} NR > 1 {print $c + 0}' "$1" | xargs; }
for name in fed start; do
  expect 0 study $name.yaml -o $name.study
  expect 0 export $name.study/study.h5 --csv $name.table
done
# the peak lies between two rows
[ "$(responses fed.table/study.csv)" = "199.8 199.8" ] || fail "a study that is fed: $(responses fed.table/study.csv)"
[ "$(responses start.table/study.csv)" = "50 100" ] || fail "a study over the start: $(responses start.table/study.csv)"
expect 2 study bad.yaml -o bad.study
says 'rod.csv:1:11: expected the name of an input of the model, got the column "rod"'
sed -i 's/0.2$/0.3/' linear.csv
expect 2 study fed.yaml -o fed.study --resume
says linear.csv

# what a model has
expect 0 check m.yaml --input linear.csv
prints 'starts at 10 N'
prints 'linear.csv (linear, '
expect 0 check m.yaml --set 'load.mean.start=12 N'
prints 'starts at 12 N'
expect 2 check m.yaml --set 'load.mean={input: 2push, start: 1 N}'
says 'expected a name of letters, digits'
expect 2 check m.yaml --set 'load.amplitude={input: push, start: 1 N}'
says 'got an input, which this key does not take'
