#!/usr/bin/env bash
# Thrust ratios of variators element by element and of the continuum under the same loads, as the table of
# docs/variator_map.md, from the model of atlas/variator-elements-continuum.
#   scripts/elements_beside_continuum.sh [BUILD_DIR [SETTING...]]
# SETTING as for --set. Takes five minutes of processor time with 437 elements.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/release}
shift || true
model=atlas/variator-elements-continuum/variator.yaml
settings=()
for s in "$@"; do settings+=(--set "$s"); done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$build/capstan" run "$model" -o "$folder/points.h5" --quiet ${settings[@]+"${settings[@]}"} >&2
"$build/capstan" export "$folder/points.h5" --csv "$folder/csv" >&2
python3 - "$model" "$folder/csv/stationary.case.csv" <<'PYTHON'
import csv, re, sys

names = re.findall(r'- \{name: ([^,]+),', open(sys.argv[1]).read())
rows = list(csv.reader(open(sys.argv[2], newline='')))
at = {re.sub(r' *\[[^]]*\]$', '', head): k for k, head in enumerate(rows[0])}
print('| case | elements | standard error | continuum | elements minus continuum |\n|---|---|---|---|---|')
for name, row in zip(names, rows[1:]):
    of = lambda what: f'{float(row[at[what]]):.3f}'
    values = [of(w) for w in ('mean.ratio.thrust', 'error.ratio.thrust', 'continuum.thrust_ratio')]
    print(f'| {name} | ' + ' | '.join(values) + f" | {float(row[at['distance.thrust_ratio']]):+.3f} |")
PYTHON
