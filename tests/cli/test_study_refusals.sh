#!/usr/bin/env bash
# What capstan study refuses: each with a sentence that says what and where, exit code 2, and nothing touched.
source "$(dirname "$0")/study_lib.sh"
model 5
study 3

picture() { find . -path ./said.out -prune -o -path ./said.err -prune -o -name '*.picture' -prune -o -printf '%p %s %i %T@\n' | grep -v '^\. ' | sort; }
# refused ARGUMENTS...: it ends with 2, and nothing was written
refused() {
  picture >before.picture
  expect 2 "$@"
  picture >after.picture
  same before.picture after.picture
}

expect 0 study s.yaml -o good --quiet
cp good/study.h5 kept.h5

refused study s.yaml -o good
says "already exists in 'good': --resume continues it, --force starts over, -o selects another folder"
refused study nothing.yaml
says nothing.yaml
refused study s.yaml -j 0
refused study

# another study
sed 's/^study: .*/study: other/' s.yaml >other.yaml
refused study other.yaml -o good --resume
says "'good' is the folder of the study \"rattle\", not of \"other\""

# what changed is named
cp m.yaml m.kept
sed -i 's/damping: 0.05/damping: 0.06/' m.yaml
refused study s.yaml -o good --resume
says "m.yaml' has changed since the study in 'good' was begun"
cp m.kept m.yaml
cp s.yaml s.kept
sed -i 's/count: 3/count: 4/' s.yaml
refused study s.yaml -o good --resume
says "s.yaml' has changed since the study in 'good' was begun"
cp s.kept s.yaml
cp good/study.id id.kept
sed -i 's/^program: .*/program: 0.0.1 abc/' good/study.id
refused study s.yaml -o good --resume
says 'was begun by capstan 0.0.1 abc'
cp id.kept good/study.id

# a table of cases is an input like the model
printf 'force [N],stiffness [N/m]\n0.03,1\n0.05,2\n' >cases.csv
sed 's/^design: .*/design: {kind: table, file: cases.csv}/; s/, from: .* count: 3}/}/; s/, values: .*/}/' s.yaml >table.yaml
expect 0 study table.yaml -o table --quiet
sed -i 's/0.05,2/0.06,2/' cases.csv
refused study table.yaml -o table --resume
says "cases.csv' has changed since the study in 'table' was begun"

# sections that decide no results may change: only what is made of the results is new
printf 'slurm: {chunk: 3}\nanalysis: {surface: true}\n' >>s.yaml
expect 0 study s.yaml -o good --resume --quiet
same s.yaml good/study.yaml
cmp -s kept.h5 good/study.h5 && fail "the analysis that was asked for is not there"
cp s.kept s.yaml
expect 0 study s.yaml -o good --resume --quiet
same kept.h5 good/study.h5

# --force begins anew what has changed, and removes nothing but what a study of this name left
cp -r good changed
sed -i 's/count: 3/count: 2/' s.yaml
refused study s.yaml -o changed
says "s.yaml' has changed since the study in 'changed' was begun"
refused study s.yaml -o changed --force --resume
says '--resume (continue) and --force (start over) exclude each other'
refused study other.yaml -o changed --force
says "'changed' is the folder of the study \"rattle\", not of \"other\""
mkdir changed/slurm
refused study s.yaml -o changed --force
says 'was submitted to a cluster, whose tasks may still write there: --force does not remove it'
rmdir changed/slurm
echo mine >changed/note.txt
expect 0 study s.yaml -o fresh --quiet
expect 0 study s.yaml -o changed --force --quiet
same fresh/study.h5 changed/study.h5
[ "$(count changed)" = "$(count fresh)" ] || fail "cases of the earlier study are left"
[ "$(cat changed/note.txt)" = mine ] || fail "--force has removed a file that is no study's"
cp s.kept s.yaml

# other folders and places
mkdir papers && echo years >papers/thesis.tex
refused study s.yaml -o papers
says "'papers' holds files and is not the folder of a study"
refused study s.yaml -o papers --force
says "'papers' holds files and is not the folder of a study"
refused study s.yaml -o papers/thesis.tex
says "'papers/thesis.tex' is not a folder"
refused study s.yaml -o papers/thesis.tex/deeper
says 'Not a directory'
refused study s.yaml -o no/such/place
says 'No such file or directory'

# a factor that sets nothing
sed 's/loads\[0\].mean/loads[0].meen/' s.yaml >wrong.yaml
refused study wrong.yaml
says 'wrong.yaml:5:'
says 'meen'
says 'mean'

# files in runs/ that are not what they should be: the study goes on only when they are gone
cp good/runs/00002.h5 second.kept
echo garbage >good/runs/00002.h5
expect 2 study s.yaml -o good --resume
says 'good/runs/00002.h5'
says 'when it is removed, --resume computes case 2 again'
head -c 3000 second.kept >good/runs/00002.h5
expect 2 study s.yaml -o good --resume
says 'good/runs/00002.h5'
says 'when it is removed, --resume computes case 2 again'
cp good/runs/00003.h5 good/runs/00002.h5
expect 2 study s.yaml -o good --resume
says 'good/runs/00002.h5: expected this case of the study, got another one'
same kept.h5 good/study.h5
if grep -qF 'resume goes on' said.err; then fail "it says that --resume goes on, which ends there again"; fi
rm good/runs/00002.h5
echo garbage >good/runs/00002.h5.part
expect 2 study s.yaml -o good --resume
says 'good/runs/00002.h5.part: not an HDF5 file; without that file the run begins anew'
rm good/runs/00002.h5.part
expect 0 study s.yaml -o good --resume
same second.kept good/runs/00002.h5
same kept.h5 good/study.h5

# a study of which every case fails has failed; of which some do, it has results
study 2 '1e5 N/m'
expect 1 study s.yaml -o hopeless --quiet
says '2 cases: 0 fine, 2 failed'
study 2 '1 N/m, 1e5 N/m'
expect 0 study s.yaml -o mixed --quiet
says '4 cases: 2 fine, 2 failed'

# two at once
study 3
model 100000
start study s.yaml -j 1 -o twice
until_cases 1 twice
mv said.err first.err
refused_while=0
"$program" study s.yaml -o twice --resume >second.out 2>second.err || refused_while=$?
[ $refused_while = 2 ] || fail "a second process was let in ($refused_while)"
grep -q "'twice' is in use: process $process on " second.err || fail "$(cat second.err)"
kill -INT "$process"
finish 130
echo "each refused with its reason, nothing touched"
