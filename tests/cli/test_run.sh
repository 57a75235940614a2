#!/usr/bin/env bash
# capstan run, check and report from the shell: JSON, exit codes of signals, closed pipes, older results, colour.
source "$(dirname "$0")/program_lib.sh"
short_model

# ---- --json: one object on standard output, nothing else ----
expect 0 check m.yaml --json
is 'x["command"]' check
is 'x["status"]' valid
is 'x["exit_code"]' 0
is 'x["findings"]' '[]'
is 'x["drive"]' clearance-oscillator
is 'x["analyses"]' '["transient"]'
is 'x["channels"][0]["name"]' gear.position
is 'x["channels"][0]["unit"]' m
silent said.err

expect 0 run m.yaml --json
is 'x["command"]' run
is 'x["status"]' complete
is 'x["exit_code"]' 0
is 'x["error"]' null
is 'x["result"]' m.h5
is 'x["analyses"][0]["name"]' transient
is 'x["analyses"][0]["status"]' complete
is 'x["analyses"][0]["groups"][0]["name"]' transient
is 'x["analyses"][0]["groups"][0]["rows"]' 6
is 'x["analyses"][0]["groups"][0]["channels"][0]["unit"]' s
is 'x["wall_time"] >= x["analyses"][0]["wall_time"]' true
is 'x["analyses"][0]["wall_time"] > 0' true
is 'x["analyses"][0]["processor_time"] >= 0' true
is 'x["analyses"][0]["energy_residual"] >= 0' true
is 'x["analyses"][0]["energy_residual"] < 1e-3' true
residual=$(json said.out 'x["notes"][0]')
says "$residual" # notes are told on standard error all the same
expect 0 run m.yaml --json --quiet --force
silent said.err
is 'x["notes"][0]' "$residual"

sed 's/mass: 1 kg/mass: 1 m/; s/until: 5 s/untill: 5 s/' m.yaml >bad.yaml
for command in check run; do
  expect 2 $command bad.yaml --json
  is 'x["status"]' refused
  is 'x["exit_code"]' 2
  is 'x["findings"][1]["severity"]' error
  is 'x["findings"][0]["severity"]' error
  is 'x["findings"][0]["file"]' bad.yaml
  is 'x["findings"][0]["line"]' 4
  is 'x["findings"][0]["column"]' "$(awk 'NR == 4 {print index($0, "1 m")}' bad.yaml)"
  is 'x["findings"][0]["key"]' 'bodies[0].mass'
  is 'x["findings"][1]["key"]' 'analyses[0].transient'
  message=$(json said.out 'x["findings"][0]["message"]')
  says "bad.yaml:4:$(awk 'NR == 4 {print index($0, "1 m")}' bad.yaml): bodies[0].mass: $message"
done
expect 2 run nowhere.yaml --json
is 'x["result"]' null
is 'x["findings"][0]["file"]' nowhere.yaml
is 'x["findings"][0]["line"]' null
[ ! -e bad.h5 ] || fail "a refused run has left a file"

# ---- an older result stays without --force; --resume is not asked ----
cp m.h5 kept.h5
expect 2 run m.yaml
says 'm.h5 already holds a result (rattling mass): --force overwrites it, -o selects another file'
silent said.out
cmp -s m.h5 kept.h5 || fail "a refused run has touched the older result"
expect 2 run m.yaml --json
is 'x["error"]' 'm.h5 already holds a result (rattling mass): --force overwrites it, -o selects another file'
expect 0 run m.yaml --set loads[0].mean='0.06 N' --force
cmp -s m.h5 kept.h5 && fail "--force has not overwritten the result"
expect 0 run m.yaml -o resumed.h5 --resume
expect 0 run m.yaml -o resumed.h5 --resume
cp m.yaml m.kept
expect 2 run m.yaml -o m.yaml --force
says 'm.yaml is not a result of capstan and is not overwritten'
cmp -s m.yaml m.kept || fail "the model was overwritten"
: >empty.h5
expect 0 run m.yaml -o empty.h5 # nothing is lost

# a page may be made again; what is no page stays
"$program" report m.h5 >said.out 2>said.err || grep -q 'this build has no report page' said.err || fail "no page is made"
[ ! -e m.html ] || expect 0 report m.h5
expect 2 report m.h5 -o m.yaml
says 'm.yaml is not a page of capstan and is not overwritten'
cmp -s m.yaml m.kept || fail "the model was overwritten"

# ---- signals: 130 and 143, and what was computed stays ----
length=200000
[ "${CAPSTAN_SANITIZE:-OFF}" != ON ] || length=40000
for signal in INT TERM; do
  code=0
  "$program" run m.yaml -o "$signal.h5" --json --quiet --set "analyses[0].transient.until=$length s" >said.out 2>said.err &
  process=$!
  for _ in $(seq 500); do [ -e "$signal.h5.part" ] && break; sleep 0.01; done
  sleep 0.05
  kill -$signal $process
  wait $process || code=$?
  [ $code = $((128 + $(kill -l $signal))) ] || fail "a run that SIG$signal ended has the exit code $code"
  says "what was computed so far is in $signal.h5; --resume continues from there"
  is 'x["status"]' interrupted
  is 'x["exit_code"]' $code
  is 'x["result"]' "$signal.h5"
  is 'x["analyses"][0]["status"]' interrupted
done
expect 2 run m.yaml -o INT.h5
says 'INT.h5 holds an interrupted run: --resume continues it, --force starts over, -o selects another file'
expect 0 run m.yaml -o INT.h5 --force
# a run that was killed leaves INT.h5.part, which is as much work
"$program" run m.yaml -o killed.h5 --quiet --set "analyses[0].transient.until=$length s" >said.out 2>said.err &
process=$!
for _ in $(seq 500); do [ -e killed.h5.part ] && break; sleep 0.01; done
sleep 0.4
kill -KILL $process
wait $process 2>/dev/null || true
expect 2 run m.yaml -o killed.h5
says 'killed.h5.part holds an interrupted run: --resume continues it, --force starts over'
expect 0 run m.yaml -o killed.h5 --force

# ---- a reader that leaves early loses nothing ----
for stream in 'm1.h5 >pipe' 'm2.h5 2>pipe' 'm3.h5 >pipe 2>&1'; do
  rm -f pipe
  mkfifo pipe
  head -c 0 pipe >/dev/null &
  code=0
  eval "$program run m.yaml --quiet -o $stream" || code=$?
  [ $code = 0 ] || fail "'$stream' with a closed pipe ends with $code"
  wait
  cmp -s "${stream%% *}" resumed.h5 || fail "the result behind a closed pipe is not whole"
done
set +o pipefail
"$program" schema | head -1 >first
[ "$(cat first)" = '{' ] || fail "no first line"
(
  "$program" schema
  echo $? >code
) | head -1 >first
[ "$(cat code)" = 0 ] || fail "a closed pipe is an error: $(cat code)"
set -o pipefail
if [ -c /dev/full ]; then
  code=0
  "$program" schema >/dev/full 2>said.err || code=$?
  [ $code = 2 ] || fail "a full disk behind standard output ends with $code"
  says 'standard output could not be written: No space left on device'
fi

# ---- natural frequencies on the terminal: 1 Hz and c/(2 sqrt(k m)) = 0.796 % of a mass on a spring ----
sed 's/damping: 0.05 N s.m/stiffness: 39.4784176 N\/m, damping: 0.1 N s\/m/; /^clearances/,/gap/d; s/transient: {.*}/modes: {}/' m.yaml >modes.yaml
expect 0 run modes.yaml
grep -qE '^ +1 +1\.0000 +6\.2832 +0\.796  gear(\.position)? \(100 %\)$' said.err || fail "no table of modes"

# ---- colour: on a terminal that can, and never against NO_COLOR ----
expect 2 run bad.yaml
grep -q $'\033' said.err && fail "colour where there is no terminal"
expect 2 run bad.yaml --color=always
grep -q $'\033\[1;31m' said.err || fail "no colour with --color=always"
plain=$(sed 's/\x1b\[[0-9;]*m//g' said.err)
expect 2 run bad.yaml
[ "$plain" = "$(cat said.err)" ] || fail "colour changes the words"
expect 2 run bad.yaml --color=pink
says '--color: expected auto, always or never, got "pink"'
if command -v script >/dev/null; then
  on_terminal() { script -qec "$1" typescript </dev/null >/dev/null || true; }
  on_terminal "$program run bad.yaml"
  grep -q $'\033\[1;31m' typescript || fail "no colour on a terminal"
  for never in 'env NO_COLOR=1' 'env TERM=dumb' 'env -u TERM'; do
    on_terminal "$never $program run bad.yaml"
    grep -q $'\033\[1' typescript && fail "colour in spite of $never"
  done
  on_terminal "$program run bad.yaml --color=never"
  grep -q $'\033\[1' typescript && fail "colour in spite of --color=never"
  # progress in words that a person understands
  on_terminal "$program run m.yaml -o live.h5 --set 'analyses[0].transient.until=$length s'"
  grep -qE 'transient: +[0-9.]+ %  [0-9.e+]+ of [0-9.e+]+ s of motion  [0-9.e+]+ s per second, .* left' typescript ||
    fail "no progress on a terminal: $(head -c 500 typescript)"
fi
echo "JSON, signals, closed pipes, older results, colour"
