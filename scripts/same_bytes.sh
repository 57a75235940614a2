#!/usr/bin/env bash
# What the bytes of results depend on: every example computed with other kernels of the BLAS, other variants of the C library's
# functions, more threads of either, each compared with the plain run. Descriptions of the machine are left out.
#
#   scripts/same_bytes.sh [--only PATTERN]
#
# A line for each example: for each variant "same", or how many datasets differ and by how much: the largest difference over the
# largest absolute value of the dataset. The last lines count. The exit code is 1 where threads change a byte, which they must never do.
set -euo pipefail
export LC_ALL=C
root=$(cd "$(dirname "$0")/.." && pwd)
program=${CAPSTAN:-$root/build/release/capstan}
long="variator_spiral variator_table3_2 variator_basis variator_axial variator_slip push_force_tester_fit_six"
only=.
while [ $# -gt 0 ]; do
  case $1 in
  --only) only=$2; shift ;;
  *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "$0"; exit 2 ;;
  esac
  shift
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
hdf5=hdf5
pkg-config --exists hdf5 || hdf5=hdf5-serial
# shellcheck disable=SC2046
cc -std=c17 -O2 -o "$work/hash" "$root/scripts/hash_results.c" $(pkg-config --cflags --libs $hdf5) -lm

names=(haswell skylakex prescott no-fma blas-threads threads)
variant() { # NAME COMMAND...
  local name=$1
  shift
  case $name in
  plain) "$@" ;;
  haswell) OPENBLAS_CORETYPE=Haswell "$@" ;;
  skylakex) OPENBLAS_CORETYPE=SkylakeX "$@" ;;
  prescott) OPENBLAS_CORETYPE=Prescott "$@" ;;
  no-fma) GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4 "$@" ;;
  blas-threads) OPENBLAS_NUM_THREADS=4 "$@" ;;
  threads) "$@" --threads 3 ;;
  esac
}

run() { # VARIANT EXAMPLE
  (cd "$root/examples" && variant "$1" "$program" run "$2.yaml" -o "$work/$1.h5" --force --quiet) >/dev/null 2>&1 || true
  "$work/hash" "$work/$1.h5" >"$work/$1.txt" || { echo "$2: no results with the variant $1" >&2; exit 2; }
}

# differences NAME: "same", or "N of M, LARGEST"
differences() {
  local n worst=0
  n=$(diff "$work/plain.txt" "$work/$1.txt" | grep -c '^<' || true)
  [ "$n" != 0 ] || { echo same; return; }
  while IFS=$'\t' read -r path _; do
    found=$("$work/hash" --differ "$work/plain.h5" "$work/$1.h5" "$path" 2>/dev/null |
      sed -n 's/.*at most by \([^ ]*\) .*largest of all \([^)]*\)).*/\1 \2/p')
    worst=$(awk -v a="$worst" -v b="${found:-0 1}" 'BEGIN { split(b, v, " "); r = v[2] > 0 ? v[1] / v[2] : 0; print (r > a + 0 ? r : a) }')
  done < <(diff "$work/plain.txt" "$work/$1.txt" | sed -n 's/^< //p')
  echo "$n of $(wc -l <"$work/plain.txt"), $worst"
}

declare -A same
total=0 wrong=0
for file in "$root"/examples/*.yaml; do
  name=$(basename "$file" .yaml)
  case " $long " in *" $name "*) continue ;; esac
  grep -q '^study:' "$file" && continue
  [[ $name =~ $only ]] || continue
  run plain "$name"
  total=$((total + 1)) line=""
  for v in "${names[@]}"; do
    run "$v" "$name"
    found=$(differences "$v")
    if [ "$found" = same ]; then same[$v]=$((${same[$v]:-0} + 1)); else line+="; $v: $found"; fi
    case $v:$found in *threads:same) ;; *threads:*) wrong=1 ;; esac
  done
  echo "$name: ${line:2}"
done
for v in "${names[@]}"; do echo "$v: the same bytes in ${same[$v]:-0} of $total examples"; done
exit $wrong
