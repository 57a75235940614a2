#!/usr/bin/env bash
# The same results before and after: proof that a reorganisation changed nothing that a user gets. Builds an older commit beside
# the present tree, so that machine and libraries are the same, lets both programs compute the same things and compares them bit by bit.
#
#   scripts/same_results.sh OLD                      OLD (a commit) against the working tree
#   scripts/same_results.sh OLD NEW                  two commits; "worktree" is the working tree, also with what is not committed
#   scripts/same_results.sh --record FILE COMMIT     the record of one side alone, copied to FILE
#     --only PATTERN      jobs whose name matches (grep -E): 'variator', '^run:ring', '^atlas:kim', '^(cli|check):'
#     -j N                so many jobs at a time, and workers of a study (2)
#     --again             compute the older side also where its record is there
#     --old-program PATH  a program that was built of OLD in place of building it
#     --old-record FILE   a record of OLD, made on this machine by this script, in place of computing it
#
# Jobs: every example run (with its report) or, if it is a study, computed; `check` of every example and `study --list` of every study;
# `identify` and `study --optimize` as in scripts/demo.sh; two exports; every entry of the atlas with a quick claim (--quick); the schema,
# its reference, the helps and the atlas's list. Each side uses the examples and the atlas of its own commit; input files that differ are named.
#
# A record (out/same/COMMIT/record.txt) has one line for each dataset and attribute of each result: job, file and path, type,
# shape, hash of the raw values (scripts/hash_results.c). Of the hundreds of runs of a study there is one line for each file; where one differs
# its datasets are compared. Of texts (what the program said, JSON, pages) the hash of the text; the texts lie in out/same/COMMIT/results.
# The record of a commit is used again as long as machine, libraries and this script are the same.
#
# Left out, since two commits or two runs cannot have them in common; nothing else is:
#   results  /meta: capstan_version, git_hash, compiler, flags (they stand at the top of the record); of a case of a study the text
#            /case/fingerprint, a hash that the program's own goes into
#   pages    all before the data: the bundled page; capstan_version, git_hash, compiler, flags in the data
#   atlas    wall_s
#   output   lines of progress, "s of processor time", "kB of model" (the program's own structs); the folder of results is written OUT
#   studies  lock, study.id (the program's hash, paths), study.log (times, workers)
# Shortened, the same on both sides: see shorten_study, shorten_run below.
#
# The last line is "N datasets of M files equal"; or each difference is listed, and the exit code is 1.
set -euo pipefail
export LC_ALL=C
script=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
root=$(dirname "$(dirname "$script")")
base=$root/out/same
hasher=$base/hash_results

die() { printf '%s\n' "$*" >&2; exit 2; }
hash_text() { "$hasher" --text; }

# --- One job: SAME_PROGRAM, SAME_TREE (also the folder it runs in), SAME_OUT (folder of its side) ---

# line KEY TYPE SHAPE HASH: of the job at hand
line() { printf '%s\t%s\t%s\t%s\n' "$job|$1" "$2" "$3" "$4"; }

# say NAME COMMAND...: what it prints on both channels, without progress and its own folder, and its exit code
say() {
  local name=$1 code=0
  shift
  "$@" >"$into/$name.raw" 2>"$into/$name.err" || code=$?
  for part in raw err; do
    sed -E -e "s|$SAME_OUT|OUT|g" -e '/ per second of wall time/d' \
      -e 's/[0-9.e+-]+ s of processor time/TIME of processor time/' -e 's/[0-9]+ kB of model/SIZE of model/' \
      -e '/^[^:]*: +[0-9.]+ %  [0-9.e+]+ of [0-9.e+]+ /d' -e '/^study: [0-9]+ of [0-9]+ cases \(.* running/d' "$into/$name.$part"
  done >"$into/$name.said"
  rm -f "$into/$name.raw" "$into/$name.err"
  text "$name.said"
  line "$name.said exit" code one "$code"
}

# text FILE: hash of a text below the folder of the job
text() { line "$1" text "$(wc -c <"$into/$1")" "$(hash_text <"$into/$1")"; }

# results FILE: every dataset and attribute
results() {
  [ -f "$into/$1" ] || { line "$1" missing - -; return 0; }
  "$hasher" "$into/$1" | sed "s#^#$job|$1:#"
}

# The data of a page without the program that made it; the page itself is web/.
page_data() {
  sed -n '/<script id="capstan-data"/,$p' "$1" | sed -E 's/"(capstan_version|git_hash|compiler|flags)": ?"[^"]*"/"\1":""/g'
}

report() { # RESULT NAME
  say "$2" "$SAME_PROGRAM" report "$into/$1" -o "$into/$2.html"
  [ -f "$into/$2.html" ] || return 0
  page_data "$into/$2.html" >"$into/$2.data"
  rm -f "$into/$2.html"
  text "$2.data"
}

# What takes long is shortened, the same on both sides: fewer points of the same kind.
shorten_study() { # NAME FILE: a copy of it
  case $1 in
  accessory_tolerance_study) sed -i 's/count: 1024/count: 64/' "$2" ;; # the first draws of the same Sobol sequence
  tensioner_map_study) sed -i 's/count: 116/count: 29/' "$2" ;;       # angular_frequencies of each of 32 chains
  esac
}

shorten_run() { # NAME: into settings
  settings=()
  case $1 in
  variator_spiral) # 4 of 25 points
    settings=(--set "analyses=[{stationary: {cases: [
      {name: UD2, set: [ratio=2.4, primary.speed=1000 rpm, secondary.torque=-54.3 N m, secondary.clamping=16.435 kN]},
      {name: UD11, set: [ratio=2.4, primary.speed=4000 rpm, secondary.torque=-170 N m, secondary.clamping=16.558 kN]},
      {name: OD5, set: [ratio=0.5, primary.speed=2000 rpm, secondary.torque=43.4 N m, secondary.clamping=16.57 kN]},
      {name: OD14, set: [ratio=0.5, primary.speed=4000 rpm, secondary.torque=-79.6 N m, secondary.clamping=19.042 kN]}]}}]") ;;
  esac
}

study() { # NAME
  local more=""
  grep -q '^optimise:' "examples/$1.yaml" && more=--optimize
  mkdir -p "$into/in"
  cp examples/*.yaml "$into/in"
  shorten_study "$1" "$into/in/$1.yaml"
  cd "$into/in"
  say study "$SAME_PROGRAM" study "$1.yaml" -o "$into/study" -j "$SAME_JOBS" $more
  results study/study.h5
  (cd "$into/study" && find . -name '*.yaml' -o -name '*.csv' | sort) | while read -r name; do text "study/${name#./}"; done
  (cd "$into/study" && find runs -name '*.h5' | sort | xargs -r -n 256 "$hasher" --whole) | sed "s#^#$job|study/#"
  report study/study.h5 report
}

one_job() {
  job=$1 kind=${1%%:*} name=${1#*:}
  into=$SAME_OUT/results/${job//[: ]/-}
  rm -rf "$into"
  mkdir -p "$into" "$SAME_OUT/lines"
  cd "$SAME_TREE"
  case $kind in
  cli) read -ra words <<<"$name" && say said "$SAME_PROGRAM" "${words[@]}" ;;
  check) say said "$SAME_PROGRAM" check "examples/$name.yaml" ;;
  list) say said "$SAME_PROGRAM" study "examples/$name.yaml" --list ;;
  run)
    shorten_run "$name"
    say said "$SAME_PROGRAM" run "examples/$name.yaml" -o "$into/$name.h5" "${settings[@]}"
    results "$name.h5"
    [ ! -f "$into/$name.h5" ] || report "$name.h5" report
    case $name in
    tensioner_rig) say csv "$SAME_PROGRAM" export "$into/$name.h5" --csv "$into/csv" ;;
    ring_tracking) say vtk "$SAME_PROGRAM" export "$into/$name.h5" --vtk "$into/vtk" ;;
    esac
    (cd "$into" && find . -path './csv/*' -type f -o -path './vtk/*' -type f) | sort | while read -r file; do text "${file#./}"; done
    ;;
  identify)
    say said "$SAME_PROGRAM" identify "examples/$name.csv" --law both -o "$into/$name.h5"
    results "$name.h5"
    report "$name.h5" report
    ;;
  study) (study "$name") ;;
  atlas)
    local code=0
    "$SAME_PROGRAM" atlas run "$name" --quick --quiet --json >"$into/json.raw" 2>"$into/err.said" || code=$?
    sed -E 's/"wall_s": [-+0-9.eE]+/"wall_s": 0/' "$into/json.raw" >"$into/json.said"
    rm -f "$into/json.raw"
    text json.said
    text err.said
    line "exit" code one "$code"
    ;;
  *) die "no such job: $job" ;;
  esac >"$SAME_OUT/lines/${job//[: ]/-}"
}

timed_job() {
  local since=$EPOCHREALTIME
  trap 'echo "$1: cannot be computed (line $LINENO)" >&2' ERR # of the job, not of the program: what that says is recorded
  one_job "$1"
  awk -v "a=$since" -v "b=$EPOCHREALTIME" -v "job=$1" 'BEGIN { printf "%.2f\t%s\n", b - a, job }' >>"$SAME_OUT/times.txt"
}

if [ "${1:-}" = --one ]; then # called by xargs below
  timed_job "$2"
  exit 0
fi

# --- What there is to do ---

# Those that take longest come first, so that no core waits for the other at the end.
longest="study:accessory_tolerance_study study:tensioner_map_study study:tensioner_design_study run:variator_table3_2 run:variator_basis
run:variator_spiral run:variator_slip run:variator_axial run:accessory_drive_orders run:push_force_tester_fit_six"

jobs_of() { # TREE PROGRAM
  cd "$1"
  local file name command
  for command in run check report identify study export atlas schema; do echo "cli:$command --help"; done
  printf 'cli:%s\n' "--help" "schema" "schema --markdown" "atlas list"
  for file in examples/*.yaml; do
    name=$(basename "$file" .yaml)
    echo "check:$name"
    if grep -q '^study:' "$file"; then printf '%s\n' "list:$name" "study:$name"; else echo "run:$name"; fi
  done
  echo identify:tensioner_loop
  "$2" atlas list | awk '$2 > 0 { print "atlas:" $1 }'
}

in_order() { # the longest first, the rest as it comes
  awk -v "first=$longest" '
    BEGIN { n = split(first, list, /[ \n]+/); for (i = 1; i <= n; i++) rank[list[i]] = i }
    { print ($0 in rank ? rank[$0] : n + NR) "\t" $0 }' | sort -n | cut -f 2-
}

# --- The machine ---

blas_of() { ldd "$1" | awk '/blas|lapack/ { print $3 }' | while read -r library; do readlink -f "$library"; done | sort -u | tr '\n' ' '; }

machine() { # PROGRAM
  echo "# processor  $(awk -F': *' '/^model name/ { print $2; exit }' /proc/cpuinfo), $(nproc) cores; $(uname -srm)"
  echo "# BLAS       $(blas_of "$1")$(OPENBLAS_VERBOSE=2 "$1" --version 2>&1 | grep -m1 '^Core:' || true); OPENBLAS_NUM_THREADS=$OPENBLAS_NUM_THREADS${OPENBLAS_CORETYPE:+; OPENBLAS_CORETYPE=$OPENBLAS_CORETYPE}"
  echo "# libraries  $(ldd "$1" | awk '/=> \// { print $3 }' | while read -r library; do readlink -f "$library"; done | sort | xargs sha256sum | sha256sum | cut -c1-16) (all that the program loads)"
  echo "# compiler   $(cc --version | head -n 1)"
  echo "# script     $(cat "$script" "$root/scripts/hash_results.c" | sha256sum | cut -c1-16)"
}

# --- One side ---

# tree_of COMMIT: a clone of its own, not a work tree, so that the version that the build looks up is that of the commit.
tree_of() {
  local tree=$base/$1/tree
  if [ "$(git -C "$tree" rev-parse --short=12 HEAD 2>/dev/null)" != "$1" ]; then
    rm -rf "$tree"
    git clone --quiet --shared --no-checkout "$root" "$tree"
    git -C "$tree" checkout --quiet --detach "$1"
  fi
  if [ -d "$root/web/node_modules" ] && [ ! -e "$tree/web/node_modules" ]; then ln -s "$root/web/node_modules" "$tree/web/node_modules"; fi
}

build() { # TREE
  echo "building $1" >&2
  (cd "$1" && cmake --preset release && cmake --build --preset release -j "$jobs" --target capstan_program) >"$base/build.log" 2>&1 ||
    { tail -n 30 "$base/build.log" >&2; die "$1 does not build"; }
}

# program_of SIDE: builds what is missing; sets tree and program
program_of() {
  tree=$root
  if [ "$1" != worktree ]; then tree_of "$1"; tree=$base/$1/tree; fi
  program=$tree/build/release/capstan
  if [ "$1" = "$old" ] && [ -n "$old_program" ]; then
    program=$old_program
    "$program" --version | grep -qF "($1," || die "$program is not built of $1: $("$program" --version)"
  else build "$tree"; fi
}

# place_of SIDE: its folder; that of a part of the jobs is another one, so that a whole record stays
place_of() { echo "$base/$1${only:+-part}"; }

# for_jobs FOLDER: the variables of a job
for_jobs() { export SAME_TREE=$tree SAME_PROGRAM=$program SAME_OUT=$1 SAME_JOBS=$jobs; }

inputs_of() { (cd "$tree" && find examples atlas -type f | sort | xargs sha256sum | awk '{ print "input|" $2 "\tinput\t-\t" substr($1, 1, 16) }'); }

record_side() { # SIDE
  local side since=$SECONDS
  side=$(place_of "$1")
  program_of "$1"
  for_jobs "$side"
  rm -rf "$side/results" "$side/lines" "$side/times.txt" "$side/record.txt"
  mkdir -p "$side/lines"
  jobs_of "$tree" "$program" | in_order | { grep -E -- "${only:-.}" || true; } >"$side/jobs.txt"
  [ -s "$side/jobs.txt" ] || die "no job is called like $only"
  echo "computing $(wc -l <"$side/jobs.txt") jobs with $("$program" --version)" >&2
  { grep '^study:' "$side/jobs.txt" || true; } | xargs -r -d '\n' -n 1 "$script" --one || die "$1: not complete" # these use all cores themselves
  { grep -v '^study:' "$side/jobs.txt" || true; } | xargs -r -d '\n' -n 1 -P "$jobs" "$script" --one || die "$1: not complete"
  times >"$base/core.txt"
  {
    machine "$program"
    echo "# jobs       ${only:-all}"
    echo "# commit     $1, $("$program" --version)$([ "$1" = worktree ] && git -C "$root" status --short --untracked-files=no | awk 'END { print ", " NR " files not committed" }')"
    echo "# left out   $("$hasher" --left-out); see the top of scripts/same_results.sh"
    inputs_of
    cat "$side"/lines/* | sort
    echo "# took $((SECONDS - since)) s, $(core_seconds "$base/core.txt") s of one core, with the build"
  } >"$side/record.new"
  mv "$side/record.new" "$side/record.txt"
  echo "$1: $(grep -vc '^#' "$side/record.txt") lines in ${side#"$root/"}/record.txt, $(sed -n "s/^# took //p" "$side/record.txt"); longest: $(sort -rn "$side/times.txt" | head -n 3 | awk '{ printf "%s %s s  ", $2, $1 }')" >&2
}

# core_seconds FILE: what the commands so far have used, from the words of `times` (which a subshell starts anew)
core_seconds() { awk 'NR == 2 { n = split($0, t, /[ms ]+/); print int(60 * (t[1] + t[3]) + t[2] + t[4]) }' "$1"; }

# usable RECORD PROGRAM: complete, of this machine and this script, with all jobs or those that are asked for
usable() {
  [ -f "$1" ] && tail -n 1 "$1" | grep -q '^# took' || return 1
  { grep -qx '# jobs       all' "$1" || grep -qxF "# jobs       ${only:-all}" "$1"; } || return 1
  [ "$(machine "$2")" = "$(head -n 5 "$1")" ]
}

# --- The comparison ---

# lines_of RECORD: those to be compared
lines_of() { grep -v '^#' "$1" | awk -F'\t' -v "only=${only:-.}" '{ job = $1; sub(/\|.*/, "", job) } job == "input" || job ~ only' | sort; }

# differ_in KEY: what two results or texts differ in, as far as their files are there
differ_in() {
  local job=${1%%|*} thing=${1#*|}
  local name=${thing%%:*} path=${thing#*:} folder
  folder=results/${job//[: ]/-}
  local a=$old_place/$folder/$name b=$new_place/$folder/$name
  [ -f "$a" ] && [ -f "$b" ] || return 0
  case $name in
  *.h5)
    if [ "$path" != "$name" ]; then "$hasher" --differ "$a" "$b" "$path" | sed 's/^/      /'; return 0; fi
    { diff <("$hasher" "$a" | cut -f 1,4) <("$hasher" "$b" | cut -f 1,4) || true; } | sed -n 's/^[<>] //p' | cut -f 1 | sort -u |
      while read -r path; do printf '      %s: ' "$path"; "$hasher" --differ "$a" "$b" "$path"; done
    ;;
  *.data | json.said) { diff <(sed 's/, *"/,\n"/g' "$a") <(sed 's/, *"/,\n"/g' "$b") || true; } | sed -n '1,6s/^\(.\{200\}\).*/\1 .../;1,6s/^/      /p' ;;
  *) { diff "$a" "$b" || true; } | sed -n '1,6s/^/      /p' ;;
  esac
}

# Files of the older side, where only its record is there: the jobs that differ are computed once more.
old_files_for() {
  local wanted=""
  while read -r job; do [ -d "$old_place/results/${job//[: ]/-}" ] || wanted+=$job$'\n'; done
  [ -n "$wanted" ] || return 0
  echo "computing once more, to say by how much they differ: $(tr '\n' ' ' <<<"$wanted")" >&2
  program_of "$old"
  for_jobs "$old_place"
  printf '%s' "$wanted" | xargs -r -d '\n' -n 1 "$script" --one
}

# list_differences OLD_LINES NEW_LINES: of base/keys.results
list_differences() {
  local n=0 where key
  awk -F'\t' 'FILENAME == ARGV[1] { a[$1] = $2 " " $3 " " $4; next } FILENAME == ARGV[2] { b[$1] = $2 " " $3 " " $4; next }
    { print (!($1 in b) ? "only before" : !($1 in a) ? "only now" : a[$1] ~ /^code/ ? "was " a[$1] ", is " b[$1] : "differs") "\t" $1 }' "$1" "$2" "$base/keys.results" |
    while IFS=$'\t' read -r where key; do
      echo "  $where: $key"
      if [ "$where" = differs ] && [ $((n += 1)) -le 1000 ]; then differ_in "$key"; fi
    done
}

compare() { # OLD_RECORD NEW_RECORD
  local a=$base/old.lines b=$base/new.lines differ=$base/differences.txt
  lines_of "$1" >"$a"
  lines_of "$2" >"$b"
  comm -3 "$a" "$b" | sed 's/^\t//' | cut -f 1 | sort -u >"$base/keys.txt" || die "the records cannot be compared"
  sed -n 's/^input|/input file differs: /p' "$base/keys.txt"
  { grep -v '^input|' "$base/keys.txt" || true; } >"$base/keys.results"
  local files datasets
  files=$(grep -v '^input|' "$a" | cut -f 1 | sed -E 's/(\.h5):.*/\1/;s/ exit$//' | sort -u | wc -l)
  datasets=$(awk -F'\t' '!/^input\|/ { n += $2 == "file" ? $3 : 1 } END { print n + 0 }' "$a") # of the runs of a study, too
  [ "$datasets" -gt 0 ] || die "nothing was compared"
  awk -F'\t' '$2 == "code" && $4 != 0 { print "note: exit code " $4 " of " $1 }' "$b"
  if [ ! -s "$base/keys.results" ]; then
    echo "$datasets datasets of $files files equal"
    return 0
  fi
  cut -d '|' -f 1 "$base/keys.results" | sort -u | old_files_for
  list_differences "$a" "$b" >"$differ"
  head -n 400 "$differ"
  [ "$(wc -l <"$differ")" -le 400 ] || echo "  ... all of it: out/same/differences.txt"
  echo "$(wc -l <"$base/keys.results") of $datasets datasets differ, in jobs: $(cut -d '|' -f 1 "$base/keys.results" | sort -u | tr '\n' ' ')"
  return 1
}

# --- Options ---

only="" record="" jobs=2 again=0 old_program="" old_record="" commits=()
while [ $# -gt 0 ]; do
  case $1 in
  --only) only=$2; shift ;;
  --record) record=$2; shift ;;
  -j) jobs=$2; shift ;;
  --again) again=1 ;;
  --old-program) old_program=$(realpath "$2"); shift ;;
  --old-record) old_record=$(realpath "$2"); shift ;;
  -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "$script"; exit 0 ;;
  -*) die "no such option: $1 (--help)" ;;
  *) commits+=("$1") ;;
  esac
  shift
done
case ${#commits[@]} in 1 | 2) ;; *) die "usage: scripts/same_results.sh [OPTIONS] OLD_COMMIT [NEW_COMMIT|worktree] (--help)" ;; esac

side_of() {
  if [ "$1" = worktree ]; then echo worktree; else
    git -C "$root" rev-parse --short=12 "$1^{commit}" 2>/dev/null || die "no such commit: $1"; fi
}
old=$(side_of "${commits[0]}")
new=$(side_of "${commits[1]:-worktree}")
export OPENBLAS_NUM_THREADS=${OPENBLAS_NUM_THREADS:-1}
mkdir -p "$base"
hdf5=hdf5
if pkg-config --exists "hdf5-serial"; then hdf5="hdf5-serial"; fi # where hdf5 is the one with MPI
# shellcheck disable=SC2046
cc -std=c17 -O2 -Wall -Wextra -o "$hasher" "$root/scripts/hash_results.c" $(pkg-config --cflags --libs $hdf5) -lm

started=$SECONDS
if [ -n "$record" ]; then
  record_side "$old"
  grep '^#' "$(place_of "$old")/record.txt"
  cp "$(place_of "$old")/record.txt" "$record"
  echo "took $((SECONDS - started)) s"
  exit 0
fi
[ "$old" != "$new" ] || die "both sides are $old"

record_side "$new"
new_program=$program
new_place=$(place_of "$new")
old_place=$base/$old old_side=$base/$old/record.txt # all jobs, also where only some are asked for
if [ -n "$old_record" ]; then old_side=$old_record
elif [ $again = 1 ] || ! usable "$old_side" "$new_program"; then old_place=$(place_of "$old") old_side=$(place_of "$old")/record.txt; fi
if [ $again = 0 ] && usable "$old_side" "$new_program"; then echo "$old: its record is used again" >&2
else
  [ -z "$old_record" ] || die "$old_record is not of this machine, these libraries and this script, or not of all these jobs"
  record_side "$old"
fi
head -n 5 "$new_place/record.txt"
for side in "$old_side" "$new_place/record.txt"; do sed -n '/^# commit/p' "$side"; done
sed -n '/^# left out/p' "$new_place/record.txt"
status=0
compare "$old_side" "$new_place/record.txt" >"$base/verdict.txt" || status=$?
echo "took $((SECONDS - started)) s"
cat "$base/verdict.txt"
exit $status
