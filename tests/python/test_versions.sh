#!/usr/bin/env bash
# The same extension module in other versions of Python, from 3.12 on, as many as are installed.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/python/run.sh
unset PYTHONPATH
count=0
for minor in 12 13 14 15; do
  command -v python3.$minor >/dev/null && python3.$minor -c "" 2>/dev/null || continue
  python3.$minor tests/python/other_version.py "$package/capstan" examples/python/torque_drive.yaml
  count=$((count + 1))
done
[ $count -gt 0 ] || skip "there is no other version of Python, 3.12 or later"
