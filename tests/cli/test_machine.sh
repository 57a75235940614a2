#!/usr/bin/env bash
# Results say on what kind of machine they were computed; a run or a study that goes on elsewhere says so.
source "$(dirname "$0")/program_lib.sh"
short_model 20

attribute() { # FILE NAME
  grep -aoE "$2" "$1" | head -n 1
}

# ---- what stands in a file; another kernel of the BLAS and another set of functions of the C library are another machine ----
expect 0 run m.yaml -o here.h5 --quiet
[ -n "$(attribute here.h5 'glibc [0-9.]+')" ] || fail "the C library is not named"
GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2 expect 0 run m.yaml -o there.h5 --quiet
[ -n "$(attribute there.h5 'glibc [0-9.]+, glibc.cpu.hwcaps=-AVX2')" ] || fail "what steers the C library is not named"
expect 0 run m.yaml -o again.h5 --quiet
cmp -s here.h5 again.h5 || fail "two runs on one machine differ"

# ---- a run that is resumed elsewhere says so, and names both; one that is resumed here does not ----
long() { sed 's/until: 20 s/until: 20000 s/' m.yaml >long.yaml; }
long
interrupted() { # the file of a run that was interrupted after its first rows
  rm -f run.h5 run.h5.part
  "$program" run long.yaml -o run.h5 --quiet >/dev/null 2>&1 &
  local process=$!
  for _ in $(seq 200); do
    [ -s run.h5.part ] && break
    sleep 0.02
  done
  kill -INT $process 2>/dev/null || true
  wait $process || true
}
interrupted
GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2 expect 0 run long.yaml -o run.h5 --resume
says "resumed on another kind of machine"
[ -n "$(attribute run.h5 'glibc [0-9.]+; glibc [0-9.]+, glibc.cpu.hwcaps=-AVX2')" ] || fail "both machines are not named"
interrupted
expect 0 run long.yaml -o run.h5 --resume
! grep -q "another kind of machine" said.err || fail "it says that the machine changed"

# ---- cases of a study from two kinds ----
cat >study.yaml <<END
capstan: 2
study: two machines
model: m.yaml
factors:
  - {name: load, path: "loads[0].mean", values: [0.04 N, 0.05 N]}
design: {kind: grid}
responses:
  - {name: largest, group: transient, channel: gear.position, reduce: max}
END
expect 0 study study.yaml -o one -j 1
! grep -q "kinds of machine" said.err || fail "one machine is said to be two"
rm one/study.h5 one/runs/*2.h5
GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2 expect 0 study study.yaml -o one -j 1 --resume --quiet
says "warning: the cases were computed on 2 kinds of machine"
