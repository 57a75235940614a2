#!/usr/bin/env bash
# capstan study --slurm on a real Slurm of one node: tasks and the one that follows them are killed in the middle, one
# is cancelled, one cannot write; --resume computes what is missing, and study.h5 has the bytes of a local run.
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../cli/study_lib.sh"

cluster=$place/c
stop_cluster() { bash "$here/cluster.sh" stop "$cluster"; }
trap 'stop_cluster; clean' EXIT
started_cluster=0
CLUSTER_CPUS=6 bash "$here/cluster.sh" start "$cluster" >cluster.out 2>cluster.err || started_cluster=$?
if [ $started_cluster != 0 ]; then
  tail -n 12 cluster.err
  exit $started_cluster # 77: skipped, with the reason
fi
eval "$(cat cluster.out)"

# 200 cases, 25 a task, 6 tasks at once; case 77 diverges. With sanitizers, fewer.
ncase=200 chunk=25 seconds=10000 # a task must outlast a look at all processes
if [ "${CAPSTAN_SANITIZE:-OFF}" = ON ]; then ncase=24 chunk=3 seconds=9000; fi
bad=$((ncase * 77 / 200))
model $seconds
mkdir "its place"
mv m.yaml "its place/m.yaml"
{
  echo "force (N),stiffness (N/m)"
  for k in $(seq $ncase); do echo "$(printf '0.%04d' $((200 + 2 * k))),$([ "$k" = $bad ] && echo 1e5 || echo 1)"; done
} >"its place/cases.csv"
cat >"its place/s.yaml" <<END
capstan: 1
study: rattle, "on" a cluster's node
model: m.yaml
set: ["outputs.every=50 s"]
factors:
  - {name: force, path: "loads[0].mean"}
  - {name: stiffness, path: "clearances[0].gap.stiffness"}
design: {kind: table, file: cases.csv}
responses:
  - {name: peak, channel: gear.position, reduce: peak}
  - {name: mean, channel: gear.position, reduce: mean, from: 2 s}
slurm: {chunk: $chunk, at_once: 6}
END
study="its place/s.yaml" dir="a study's 100% \$folder"

expect 0 study "$study" -j 2 -o local
says "$ncase cases: $((ncase - 1)) fine, 1 failed"

# tasks_of JOB: a line "PROCESS TASK" for each task that runs now.
tasks_of() {
  local process name variable ours task
  for process in /proc/[0-9]*; do
    { read -r name <"$process/comm"; } 2>/dev/null && [ "$name" = capstan ] || continue
    ours=0 task=""
    while read -r -d '' variable; do
      case $variable in
      "SLURM_CONF=$SLURM_CONF" | "SLURM_ARRAY_JOB_ID=$1") ours=$((ours + 1)) ;;
      SLURM_ARRAY_TASK_ID=*) task=${variable#*=} ;;
      esac
    done 2>/dev/null <"$process/environ"
    [ $ours = 2 ] && echo "${process#/proc/} $task"
  done
}
file_of() { printf '%s/runs/%05d.h5' "$dir" "$1"; }
# What task K has not done.
missing_in() {
  local k
  for k in $(seq $(($1 * chunk + 1)) $((($1 + 1) * chunk))); do [ -e "$(file_of "$k")" ] || echo "$k"; done
}

# Submitted and followed. The place of the last case is blocked; tasks 0 to 2 are held after their first case.
start study "$study" --slurm -o "$dir"
until_cases 1 "$dir"
mkdir -p "$(file_of $ncase).part/blocked"
held=()
for _ in $(seq 1000); do
  while read -r process_of_task task; do
    [ "$task" -le 2 ] && [ -z "${held[$task]:-}" ] && [ -e "$(file_of $((task * chunk + 1)))" ] || continue
    kill -STOP "$process_of_task" && held[task]=$process_of_task
  done < <(tasks_of 1)
  [ ${#held[@]} -lt 3 ] || break
  sleep 0.01
done
[ ${#held[@]} = 3 ] || fail "tasks 0 to 2 have not all begun, or have ended too soon"
# Ctrl-C: the job goes on, and it is said how to come back.
kill -INT "$process"
finish 130
says 'job 1: '
says 'job 1 continues on its own'
says '--resume --slurm returns to it, scancel 1 ends it'
[ -n "$(tasks_of 1)" ] || fail "no task runs after Ctrl-C"
# Nobody else computes meanwhile.
expect 2 study "$study" -o "$dir" --resume -j 2
says 'job 1 computes cases of this study'
# Back to it, also when its number was never written down; and killed.
rm "$dir/slurm/001/job"
follow() {
  start study "$study" --slurm -o "$dir" --resume
  for _ in $(seq 500); do grep -q following said.err && break; sleep 0.02; done
  says 'job 1 is still in the queue: following it'
}
follow
kill -KILL "$process"
finish 137

# Back once more; two tasks are killed in the middle, one is cancelled.
follow
kill -KILL "${held[0]}" "${held[1]}" || fail "tasks 0 and 1 were not there to be killed"
scancel 1_2
finish 1
says 'of 8 tasks of job 1 ended before all their cases were done'
says '2 killed by signal 9 (FAILED): tasks 0, 1'
says '1 cancelled (CANCELLED): task 2'
says '1 with exit code 2 (FAILED): task 7; capstan: cannot write'
for task in 0 1 2 7; do [ -n "$(missing_in $task)" ] || fail "nothing is missing of task $task"; done
for task in 3 4 5 6; do [ -z "$(missing_in $task)" ] || fail "task $task has not done all of its cases"; done
missing=$((ncase - $(count "$dir")))
says ", $missing missing"
grep -q 'stopped by a signal; finished cases are kept' "$dir/slurm/001/2.log" || fail "the cancelled task did not stop well"

# --resume: only what is missing, and the bytes of a run that nothing disturbed.
rm -r "$(file_of $ncase).part"
stat -c '%i %Y %n' "$dir"/runs/*.h5 >before
expect 0 study "$study" --slurm -o "$dir" --resume
says "job 9: $missing cases in"
says "$ncase cases: $((ncase - 1)) fine, 1 failed"
says "capstan: case $bad failed: "
prints "$dir/study.h5"
same local/study.h5 "$dir/study.h5"
stat -c '%i %Y %n' "$dir"/runs/*.h5 >after
[ -z "$(comm -23 <(sort before) <(sort after))" ] || fail "cases that were there were computed again"
# One line a case, but of the two that were killed, perhaps right after the file had appeared.
lines=$(cut -f1 "$dir/study.log" | grep '^[0-9]' | sort -u | wc -l)
[ "$lines" -ge $((ncase - 2)) ] || fail "study.log has lines of $lines cases only"
[ -z "$(find "$dir" -name '*.part*' -o -name '*.new' -o -name '*.cases')" ] || fail "something half written was left"

# A task that is run again (requeued) finds its cases; without Slurm around it, it says so.
SLURM_ARRAY_TASK_ID=3 expect 0 study --task "$dir/slurm/001"
prints "0 cases fine, 0 failed, $chunk were there before"
# By two processes, as with --cpus-per-task=2; what is not there is computed.
rm "$(file_of $((3 * chunk + 1)))" "$(file_of $((4 * chunk)))"
SLURM_ARRAY_TASK_ID=3 SLURM_CPUS_PER_TASK=2 expect 0 study --task "$dir/slurm/001"
prints "2 cases fine, 0 failed, $((chunk - 2)) were there before"
for k in $((3 * chunk + 1)) $((4 * chunk)); do same "local/runs/$(printf %05d $k).h5" "$(file_of $k)"; done
rm "$dir/slurm/001/3.cases"
expect 2 study --task "$dir/slurm/001"
says 'expected a number in SLURM_ARRAY_TASK_ID, got not set'
# Nothing is missing: nothing is submitted. How it is computed is not what it is, and may change.
sed -i 's/at_once: 6/at_once: 5/' "$study"
expect 0 study "$study" --slurm -o "$dir" --resume
[ ! -e "$dir/slurm/003" ] || fail "there is a submission of nothing"
# What Slurm refuses, in its own words; no Slurm.
sed 's/at_once: 5/options: ["--partition=none"]/' "$study" >"its place/t.yaml"
expect 2 study "its place/t.yaml" --slurm -o refused
says 'sbatch refuses (code 1): Batch job submission failed: Invalid partition name specified'
PATH=/nowhere expect 2 study "$study" --slurm -o nowhere
says "Slurm's sbatch was not found; expected it in the PATH"
[ ! -e nowhere ] || fail "a folder was made although there is no Slurm"
echo "$ncase cases, $missing of them lost with 4 of 8 tasks and computed again: the same bytes as without Slurm"
