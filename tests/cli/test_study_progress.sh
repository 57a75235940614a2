#!/usr/bin/env bash
# What a study shows: a line for all and one for each worker that are drawn again on a terminal, plain lines elsewhere.
source "$(dirname "$0")/study_lib.sh"
command -v script >/dev/null || { echo "skipped: there is no script(1) here to play a terminal"; exit 77; }
model
long_study 100000 # longer than it takes to draw again, also on a fast machine
expect 0 study s.yaml -j 2 -o plain
grep -q $'\033' said.err && fail "control characters where there is no terminal"
script -qec "stty rows 10 cols 60; $program study s.yaml -j 2 -o live" typescript </dev/null >/dev/null || fail "it failed on a terminal: $(cat typescript)"
grep -q 'study: [0-9]* of 10 cases ([0-9.]* %), 0 failed, 2 running' typescript || fail "no line for all: $(cat typescript)"
grep -q 'worker 1 ' typescript && grep -q 'worker 2 ' typescript || fail "no line for each worker"
grep -q $'\033\[3A' typescript || fail "the lines are not drawn again in their place"
tr '\r' '\n' <typescript | sed 's/\x1b\[[0-9]*[A-Z]//g' | awk 'length > 60 && !/capstan|Script/ {exit 1}' || fail "a line is wider than the terminal"
same plain/study.h5 live/study.h5
# more workers than the terminal has lines
script -qec "stty rows 6 cols 60; $program study s.yaml -j 8 -o many" typescript </dev/null >/dev/null
grep -q 'and 5 more workers' typescript || fail "no word of the workers that do not fit"
same plain/study.h5 many/study.h5
echo "drawn on a terminal, plain elsewhere"
