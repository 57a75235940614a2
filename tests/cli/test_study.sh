#!/usr/bin/env bash
# capstan study from end to end: the same bytes for every number of workers, rows for cases that fail, what is there
# is not computed again, a folder can be moved.
source "$(dirname "$0")/study_lib.sh"
model 5
study 6

# the cases, without computing anything
expect 0 study s.yaml --list
prints 'case [-],force [N],stiffness [N/m]'
prints '1,0.02,1'
prints '12,0.08,2'
[ "$(wc -l <said.out)" = 13 ] || fail "the list has another length"
[ ! -e s ] || fail "--list made a folder"

# by one, two and three workers; the folder takes the name of the study file
expect 0 study s.yaml -j 1
prints s/study.h5
says '12 cases: 12 fine, 0 failed'
says 'capstan report s/study.h5'
expect 0 study s.yaml -j 2 -o two --quiet
[ ! -s said.err ] || fail "--quiet is not quiet"
expect 0 study s.yaml -j3 -o three
same s/study.h5 two/study.h5
same s/study.h5 three/study.h5
for k in $(seq -w 1 12); do same "s/runs/000$k.h5" "three/runs/000$k.h5"; done
[ "$(wc -l <s/study.log)" = 13 ] || fail "the log has not one line a case"
[ -z "$(find s three -name '*.part*' -o -name '*.new')" ] || fail "something half written was left"

# what is there is not computed again; what is missing is
stat -c '%i %.9Y %n' two/runs/* >before
expect 0 study s.yaml -j 2 -o two --resume
stat -c '%i %.9Y %n' two/runs/* >after
same before after
same s/study.h5 two/study.h5
rm two/runs/00007.h5
expect 0 study s.yaml -j 2 -o two --resume
same s/runs/00007.h5 two/runs/00007.h5
same s/study.h5 two/study.h5
stat -c '%i %.9Y %n' two/runs/* >after
[ "$(diff before after | grep -c '^<')" = 1 ] || fail "more than the missing case was computed"
[ "$(tail -n +14 two/study.log | cut -f1)" = 7 ] || fail "the log does not say that case 7 was computed again"

# a folder that was moved, with relative paths inside
mkdir -p there/deep
mv two there/deep/moved
cp m.yaml s.yaml there/
rm there/deep/moved/runs/00003.h5 there/deep/moved/study.h5
(cd there && "$program" study s.yaml -o deep/moved --resume --quiet >/dev/null)
same s/study.h5 there/deep/moved/study.h5

# a case that fails is a row with its reason, and the others are as they would be
study 4 '1 N/m, 1e5 N/m'
expect 0 study s.yaml -j 2 -o failing
prints failing/study.h5
says '8 cases: 4 fine, 4 failed'
says 'capstan: 4 cases (2, 4, 6, 8) failed: '
says 'is not finite'
"$program" export failing/study.h5 --csv table >/dev/null
cut -d, -f1,7 table/study.csv | head -3 | tr '\n' ' ' >rows
grep -q '^case \[1\],status 1,fine 2,failed $' rows || fail "the rows are $(cat rows)"
grep -q '2: .*is not finite' table/study.values.csv || fail "no reason in the file"
expect 0 study s.yaml -j 1 -o failing1
same failing/study.h5 failing1/study.h5
stat -c '%i %n' failing/runs/* >before
expect 0 study s.yaml -o failing --resume --quiet
says '8 cases: 4 fine, 4 failed'
stat -c '%i %n' failing/runs/* >after
same before after
expect 0 report failing/study.h5 -o failing.html

# a list of cases is a table of cases, also of factors without a dimension
cat >s.yaml <<END
capstan: 1
study: lists
model: m.yaml
factors:
  - {name: force, path: "loads[0].mean", distribution: {law: log-normal, mean: 0.05 N, deviation: 0.01 N}}
  - {name: sigma, path: "clearances[0].gap.sigma", from: 50, to: 150}
design: {kind: latin-hypercube, count: 3}
responses:
  - {name: peak, channel: gear.position, reduce: peak}
END
"$program" study s.yaml --list >cases.csv
expect 0 study s.yaml -o lists --quiet
# a response that has no value is told, though the cases are fine
sed 's/reduce: peak/reduce: settled/; s/: lists/: restless/' s.yaml >restless.yaml
expect 0 study restless.yaml
says '3 cases: 3 fine, 0 failed'
says 'capstan: 2 cases with a remark, first case 1: response peak: not settled'

sed -i 's/{kind: latin.*/{kind: table, file: cases.csv}/' s.yaml
expect 0 study s.yaml --list
same cases.csv said.out
"$program" export lists/study.h5 --csv lists.csv >/dev/null
grep -q 'force: log-normal, mean 0.05 N, deviation 0.01 N' lists.csv/study.values.csv || fail "the law is told wrongly"
echo "the same bytes for 1, 2 and 3 workers; 4 failed cases are rows"
