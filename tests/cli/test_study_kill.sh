#!/usr/bin/env bash
# Workers killed, the program killed, interrupted, told to end: nothing finished is lost, --resume computes what is
# missing, and the collected file has the bytes of an undisturbed study.
source "$(dirname "$0")/study_lib.sh"
model
long_study
expect 0 study s.yaml -j 2 -o straight

worker() { pgrep -P "$process" | head -1; }

# a worker is killed: another takes its place, and the case is computed all the same
start study s.yaml -j 2 -o worker
until_cases 5 worker
kill -9 "$(worker)"
finish 0
says 'was killed by signal 9 (Killed) at case'
says '10 cases: 10 fine, 0 failed'
same straight/study.h5 worker/study.h5

# the program is killed: its workers go with it, and --resume goes on
start study s.yaml -j 2 -o killed
until_cases 5 killed
workers=$(pgrep -P "$process")
kill -9 "$process"
finish 137
for _ in $(seq 100); do
  alive=0
  for w in $workers; do [ "$(ps -o stat= -p "$w" 2>/dev/null | cut -c1)" != "" ] && alive=1; done
  [ $alive = 0 ] && break
  sleep 0.02
done
[ $alive = 0 ] || fail "workers live on"
n=$(count killed)
[ "$n" -lt 10 ] || fail "it was killed too late"
[ ! -e killed/study.h5 ] || fail "a killed study has a collected file"
stat -c '%i %.9Y %n' killed/runs/*.h5 >before
expect 2 study s.yaml -j 2 -o killed
says 'already exists in '"'killed'"': --resume continues it, --force starts over, -o selects another folder'
expect 0 study s.yaml -j 2 -o killed --resume
same straight/study.h5 killed/study.h5
stat -c '%i %.9Y %n' killed/runs/*.h5 >after
[ "$(comm -12 <(sort before) <(sort after) | wc -l)" = "$n" ] || fail "finished cases were computed again"

# Ctrl-C, and a batch system's SIGTERM: it says how to go on, and what is there can be looked at
for signal in INT TERM; do
  start study s.yaml -j 2 -o "stopped$signal"
  until_cases 5 "stopped$signal"
  kill -"$signal" "$process"
  finish $((128 + $(kill -l $signal)))
  says 'missing'
  says '--resume computes what is missing'
  prints "stopped$signal/study.h5"
  n=$(count "stopped$signal")
  [ "$n" -lt 10 ] || fail "it was stopped too late"
  expect 0 report "stopped$signal/study.h5" -o page.html
  expect 0 study s.yaml -j 3 -o "stopped$signal" --resume
  same straight/study.h5 "stopped$signal/study.h5"
done
[ -z "$(find . -name '*.part*' -o -name '*.new')" ] || fail "something half written was left"
echo "byte-identical after a killed worker, a killed program, SIGINT and SIGTERM"
