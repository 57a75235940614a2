#!/usr/bin/env bash
# mypy --strict over the package and its examples, in make test-all: it reads the types of numpy and pandas for half a minute.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/python/run.sh
[ "${CAPSTAN_LEVEL:-test}" = all ] || skip "make test-all looks at the types of the package"
need numpy mypy
MYPYPATH=python "$python" -m mypy --strict --config-file python/pyproject.toml --cache-dir "$work/cache" python/capstan examples/python
