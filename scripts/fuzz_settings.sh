#!/usr/bin/env bash
# Random settings over all keys of all examples (tests/fuzz/settings.c): crashes, deaf runs, results with exit code 0 that
# `capstan verify` does not accept are findings, printed with the command that shows them again.
#   scripts/fuzz_settings.sh [RUNS [SEED]]     default: 2000 runs, seed 1
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/release
[ -x $build/tests/fuzz_settings ] || { echo "fuzz_settings.sh: $build/tests/fuzz_settings is not built: make" >&2; exit 2; }
models=()
for model in examples/*.yaml; do
  case $model in *_study.yaml) ;; *) models+=("$model") ;; esac
done
exec nice $build/tests/fuzz_settings --runs "${1:-2000}" --seed "${2:-1}" "${models[@]}"
