#!/usr/bin/env bash
# The package by its own tests, test_*.py of this folder.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/python/run.sh
need numpy pytest
"$python" -m pytest -c python/pyproject.toml --rootdir . --basetemp "$work/tmp" tests/python
