#!/usr/bin/env bash
# mypy --strict over the package and its examples.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/python/run.sh
need numpy mypy
MYPYPATH=python "$python" -m mypy --strict --config-file python/pyproject.toml --cache-dir "$work/cache" python/capstan examples/python
