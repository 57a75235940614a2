#!/usr/bin/env bash
# Thrust ratios of variators element by element beside those of the continuum, as a table for
# docs/variator_map.md, from the model of atlas/variator-elements-continuum.
#   scripts/elements_beside_continuum.sh [BUILD_DIR [SETTING...]]
# SETTING as for --set. Takes ten minutes of processor time with 437 elements.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/release}
shift || true
settings=()
for s in "$@"; do settings+=(--set "$s"); done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
result=$folder/points.h5
"$build/capstan" run atlas/variator-elements-continuum/variator.yaml -o "$result" --quiet "${settings[@]}" >&2 || true
"$build/capstan" export "$result" --csv "$folder/csv" >&2
python3 - "$folder/csv" <<'PYTHON'
import csv, glob, os, re, sys

columns = {}
for name in sorted(glob.glob(os.path.join(sys.argv[1], '**', '*.csv'), recursive=True)):
    with open(name, newline='') as f:
        rows = list(csv.reader(row for row in f if not row.startswith('#')))
    for k, head in enumerate(rows[0] if rows else []):
        columns.setdefault(re.sub(r' *[\[(].*', '', head), [row[k] for row in rows[1:] if k < len(row)])
wanted = {'mean.ratio.thrust': 'elements', 'error.ratio.thrust': 'standard error',
          'continuum.thrust_ratio': 'continuum', 'distance.thrust_ratio': 'distance'}
names = columns.get('case') or columns.get('name')
print('| case | ' + ' | '.join(wanted.values()) + ' |\n|' + '---|' * (1 + len(wanted)))
for i, name in enumerate(names):
    print(f'| {name} | ' + ' | '.join(f'{float(columns[w][i]):.3f}' for w in wanted) + ' |')
PYTHON
