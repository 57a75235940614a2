#!/usr/bin/env bash
# Cases that start from the end of their neighbour: the same bytes for every number of workers, after a killed worker
# and a killed program, and when a case in the middle is computed again. Replicates and their seeds.
source "$(dirname "$0")/study_lib.sh"
model 20
study 8 '1 N/m, 2 N/m, 1e5 N/m' 'continuation: force'
expect 0 study s.yaml -j 1 -o straight
says '24 cases: 16 fine, 8 failed'
study 8 '1 N/m, 2 N/m, 1e5 N/m'
expect 0 study s.yaml -j 2 -o apart
cmp -s straight/runs/00010.h5 apart/runs/00010.h5 && fail "continuation changes nothing: this test shows nothing"
study 8 '1 N/m, 2 N/m, 1e5 N/m' 'continuation: force'
expect 0 study s.yaml -j 3 -o three
same straight/study.h5 three/study.h5

# when a worker or the program is killed, with a chain that ends in long cases
mv s.yaml short.yaml
long_study
echo 'continuation: until' >>s.yaml
expect 0 study s.yaml -j 1 -o long
start study s.yaml -j 2 -o worker
until_cases 6 worker
kill -9 "$(pgrep -P "$process" | head -1)"
finish 0
says 'was killed by signal 9'
same long/study.h5 worker/study.h5
start study s.yaml -j 2 -o killed
until_cases 6 killed
kill -9 "$process"
finish 137
expect 0 study s.yaml -j 2 -o killed --resume
same long/study.h5 killed/study.h5
mv short.yaml s.yaml

rm three/runs/00010.h5 three/runs/00011.h5
expect 0 study s.yaml -j 2 -o three --resume
for k in 10 11; do same "straight/runs/000$k.h5" "three/runs/000$k.h5"; done
same straight/study.h5 three/study.h5

model 5
sed -i 's/^name:.*/&\nseed: 40/' m.yaml
study 2 '1 N/m' 'replicates: 3'
expect 0 study s.yaml --list
prints 'case [-],force [N],stiffness [N/m],seed [-]'
prints '3,0.02,1,42'
expect 0 study s.yaml -o seeds --quiet
"$program" export seeds/study.h5 --csv table >/dev/null
[ "$(cut -d, -f10 table/study.csv | tail -n +2 | tr '\n' ' ')" = '40 41 42 40 41 42 ' ] || fail "the seeds are wrong: $(head -3 table/study.csv)"
echo "chains end in the same bytes whatever happens to them"
