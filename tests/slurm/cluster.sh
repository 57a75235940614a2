#!/usr/bin/env bash
# A Slurm cluster of one node, this one, for tests: munged, slurmctld and slurmd on the loopback interface.
#   tests/slurm/cluster.sh start DIR   all files under DIR (a short path without spaces), ports that are free;
#                                      sets up and prints the line `export SLURM_CONF=...` to be evaluated
#                                      (CLUSTER_CPUS=8: the node takes so many tasks at once)
#   tests/slurm/cluster.sh stop DIR    cancels its jobs and ends what `start DIR` began, and only that
# Needs root and the packages slurm-wlm and munge. Several clusters may run at once. Exit 77: cannot run here,
# with the reason on stderr; nothing is left behind then.
set -uo pipefail

verb=${1:-} dir=${2:-}
[ -n "$dir" ] || { echo "usage: cluster.sh start|stop DIR" >&2; exit 2; }
dir=$(realpath -m "$dir")
PATH=$PATH:/usr/sbin:/sbin

cannot() {
  echo "cluster.sh: $1" >&2
  exit 77
}

# pid_of FILE: the process named there, as long as it is there.
pid_of() {
  local pid
  pid=$(cat "$1" 2>/dev/null) && [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null && echo "$pid"
}

# Wardens of job steps outlive slurmd; those of this cluster are known by their SLURM_CONF.
wardens() {
  local process
  for process in /proc/[0-9]*; do
    [ "$(cat "$process/comm" 2>/dev/null)" = slurmstepd ] || continue
    cat "$process/environ" 2>/dev/null | tr '\0' '\n' | grep -qxF "SLURM_CONF=$dir/slurm.conf" && echo "${process#/proc/}"
  done
}

# running PID...: one of them is there, and not only as an entry that its parent has not looked at yet.
running() {
  local pid
  for pid in "$@"; do
    [ -e "/proc/$pid" ] && ! grep -qs '^State:[[:space:]]*Z' "/proc/$pid/status" && return 0
  done
  return 1
}

# end PID...: at once; nothing of a test's cluster is worth saving, and slurmctld takes seconds for it.
end() {
  local try
  [ $# -gt 0 ] || return 0
  kill -KILL "$@" 2>/dev/null
  for try in $(seq 40); do
    running "$@" || break
    sleep 0.05
  done
}

stop() {
  export SLURM_CONF=$dir/slurm.conf
  local try
  if pid_of "$dir/slurmctld.pid" >/dev/null && [ -n "$(timeout 5 squeue --noheader 2>/dev/null)" ]; then
    timeout 5 scancel --quiet --signal=KILL --full --state=RUNNING --user=root 2>/dev/null
    timeout 5 scancel --quiet --user=root 2>/dev/null
    for try in $(seq 40); do
      [ -z "$(wardens)" ] && break
      sleep 0.05
    done
  fi
  # shellcheck disable=SC2046
  end $(pid_of "$dir/slurmctld.pid") $(pid_of "$dir/slurmd.pid")
  # shellcheck disable=SC2046
  end $(wardens)
  # shellcheck disable=SC2046
  end $(pid_of "$dir/munge/pid")
}

port_is_free() { ! grep -qiE "^ *[0-9]+: [0-9A-F]+:$(printf '%04X' "$1") " /proc/net/tcp /proc/net/tcp6 2>/dev/null; }

free_port() {
  local port
  while :; do
    port=$((20000 + (RANDOM * 32768 + RANDOM) % 12000)) # below the ports that systems hand out by themselves
    port_is_free $port && [ $port != "${1:-}" ] && { echo $port; return; }
  done
}

write_configuration() {
  local host control=$1 node=$2
  host=$(hostname -s)
  cat >"$dir/slurm.conf" <<CONF
ClusterName=capstan-test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$control
SlurmdPort=$node
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
SlurmdParameters=config_overrides
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
ReturnToService=2
KillWait=5
MaxArraySize=1001
MpiDefault=none
MailProg=/bin/true
NodeName=$host NodeAddr=127.0.0.1 CPUs=${CLUSTER_CPUS:-$(nproc)} State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
}

start_munge() {
  head -c 1024 /dev/urandom >"$dir/munge/key"
  chmod 400 "$dir/munge/key"
  munged --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" --pid-file="$dir/munge/pid" \
    --log-file="$dir/munge/log" --seed-file="$dir/munge/seed" >"$dir/log/munged.out" 2>&1
}

# One try, with two ports: true when the node takes jobs.
start_daemons() {
  local control try
  control=$(free_port)
  write_configuration "$control" "$(free_port "$control")"
  slurmctld -i >"$dir/log/slurmctld.out" 2>&1 || return 1
  slurmd >"$dir/log/slurmd.out" 2>&1 || return 1
  for try in $(seq 100); do
    [ "$(timeout 5 sinfo --noheader --format=%T 2>/dev/null)" = idle ] && return 0
    pid_of "$dir/slurmctld.pid" >/dev/null || [ "$try" -lt 20 ] || return 1
    sleep 0.1
  done
  return 1
}

start() {
  local program
  [ "$(id -u)" = 0 ] || cannot "not root: munged, slurmctld and slurmd of a private cluster need it"
  for program in munged slurmctld slurmd sbatch squeue scontrol scancel; do
    command -v $program >/dev/null || cannot "no $program here (packages slurm-wlm, munge)"
  done
  [ ${#dir} -le 80 ] && [[ $dir =~ ^[A-Za-z0-9_./-]+$ ]] || cannot "a folder with a short, plain name is needed: $dir"
  mkdir -p "$dir"/{state,spool,log,munge} || cannot "$dir cannot be written"
  chmod 755 "$dir" "$dir"/munge
  export SLURM_CONF=$dir/slurm.conf
  start_munge || cannot "munged did not start: $(tail -n 1 "$dir/log/munged.out")"
  local attempt
  for attempt in 1 2 3; do
    start_daemons && { echo "export SLURM_CONF=$SLURM_CONF"; return; }
    # shellcheck disable=SC2046
    end $(pid_of "$dir/slurmctld.pid") $(pid_of "$dir/slurmd.pid")
  done
  tail -n 5 "$dir"/log/*.log "$dir"/log/*.out >&2
  stop
  cannot "slurmctld or slurmd did not start (their last words are above)"
}

case $verb in
start | stop) $verb ;;
*) echo "usage: cluster.sh start|stop DIR" >&2; exit 2 ;;
esac
