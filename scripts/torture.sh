#!/usr/bin/env bash
# Memory that runs out, in the program or in any of its libraries: the k-th allocation of a command fails, for some k of each
# command, evenly spread. A crash, an exit without a sentence, an exit code of no meaning, a command that does not end, and exit code 0
# with other bytes are findings, each printed with what shows it again.
#   scripts/torture.sh [TRIES]     in all; default 700
set -uo pipefail
cd "$(dirname "$0")/.."
tries=${1:-700}
top=$PWD
build=$(cd "${CAPSTAN_BUILD_DIR:-build/release}" && pwd)
program=$build/capstan
shim=$build/tests/libtorture.so
for file in "$program" "$shim"; do
  [ -e "$file" ] || { echo "torture.sh: $file is not built: make" >&2; exit 2; }
done
place=out/torture/$(basename "$build")-$tries
rm -rf "$place"
mkdir -p "$place"
cd "$place" || exit 2

cp "$top/examples/tensioner_rig.yaml" "$top/examples/tensioner_loop.csv" .
cp "$top"/tests/data/small_study/*.yaml .

# name: command; @ stands for what it writes, and the reference has @ = ref.
commands=(
  "check:check tensioner_rig.yaml --json"
  "run:run tensioner_rig.yaml -o @.h5 --force --quiet"
  "report:report result.h5 -o @.html"
  "export:export result.h5 --csv @.csv.d"
  "verify:verify result.h5"
  "study:study study.yaml -o @.study -j 1 --quiet"
  "identify:identify tensioner_loop.csv --law dahl -o @.h5"
  "schema:schema --markdown"
)
"$program" run tensioner_rig.yaml -o result.h5 --quiet >first.out || exit 2

# one NAME K COMMAND...: with the K-th allocation failing; K 0: none.
one() {
  local name=$1 k=$2
  shift 2
  rm -rf new.*
  timeout -k 1 120 env TORTURE_FAIL="$k" TORTURE_COUNT="$PWD/count" LD_PRELOAD="$shim" "$program" "${@//@/new}" \
    >"$name.out" 2>"$name.err"
}

findings=0 done_in_all=0
finding() {
  findings=$((findings + 1))
  echo "$1: allocation $3 of $2: $4"
  echo "  (cd $place && TORTURE_FAIL=$3 LD_PRELOAD=$shim $program ${words[*]//@/new})"
}

each=$(((tries + ${#commands[@]} - 1) / ${#commands[@]}))
for command in "${commands[@]}"; do
  name=${command%%:*}
  read -ra words <<<"${command#*:}"
  one "$name" 0 "${words[@]}" || { echo "torture.sh: $name fails by itself"; cat "$name.err"; exit 2; }
  n=$(cat count)
  rm -rf ref && mkdir ref
  mv new.* ref/ 2>/dev/null
  cp "$name.out" ref/out
  fine=0 refused=0 crashed=0 silent=0 odd=0 other=0 last=0
  for ((i = 0; i < each; i++)); do
    k=$((1 + (n - 1) * i / (each > 1 ? each - 1 : 1)))
    [ $k != $last ] || continue
    last=$k
    one "$name" $k "${words[@]}"
    code=$?
    done_in_all=$((done_in_all + 1))
    case $code in
    0)
      same=yes
      for file in ref/*; do
        new=${file#ref/}
        [ "$new" != out ] || new=$name.out
        diff -rq -x lock -x study.log "$file" "$new" >/dev/null 2>&1 || same=no
      done
      if [ $same = yes ]; then fine=$((fine + 1)); else other=$((other + 1)); finding "other bytes" "$name" $k "exit code 0"; fi
      ;;
    1 | 2)
      if [ -s "$name.err" ]; then refused=$((refused + 1)); else silent=$((silent + 1)); finding silent "$name" $k "exit code $code"; fi
      ;;
    124 | 137) odd=$((odd + 1)); finding "no end" "$name" $k "stopped after 120 s" ;;
    13[0-9]) crashed=$((crashed + 1)); finding crash "$name" $k "signal $((code - 128))" ;;
    *)
      if [ -s "$name.err" ]; then odd=$((odd + 1)); else silent=$((silent + 1)); fi
      finding "exit" "$name" $k "exit code $code: $(head -c 100 "$name.err")"
      ;;
    esac
  done
  printf '%-8s %6d allocations: %4d refused with a sentence, %3d same result, %2d crashed, %2d silent, %2d odd, %2d other bytes\n' \
    "$name" "$n" $refused $fine $crashed $silent $odd $other
done
echo "$done_in_all failing allocations, $findings findings"
[ $findings = 0 ]
