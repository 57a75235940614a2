#!/usr/bin/env bash
# The wheel: the same bytes twice, its list of contents, and a model that runs from it, installed by pip where there is one.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/python/run.sh
need numpy
first=$("$python" scripts/wheel.py "$CAPSTAN_BUILD_DIR" "$work/one")
second=$("$python" scripts/wheel.py "$CAPSTAN_BUILD_DIR" "$work/two")
cmp "$first" "$second"
case $first in *-cp311-abi3-linux_*.whl) ;; *) echo "the wheel is called $first"; exit 1 ;; esac

"$python" - "$first" <<'CODE'
import base64, hashlib, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    names = wheel.namelist()
    record = next(name for name in names if name.endswith("/RECORD"))
    rows = [line.split(",") for line in wheel.read(record).decode().splitlines()]
    assert [row[0] for row in rows] == names, "RECORD lists other files"
    for name, digest, size in rows[:-1]:
        data = wheel.read(name)
        own = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        assert digest == "sha256=" + own and int(size) == len(data), name
    assert {"capstan/py.typed", "capstan/_capstan.abi3.so", "capstan/__init__.py"} <= set(names)
CODE

# runs PYTHON: imports what was installed, from a folder of its own, and runs a model.
runs() {
  (cd "$work" && "$@" -c "
import capstan, sys
assert capstan.__file__.startswith(sys.argv[1]), capstan.__file__
run = capstan.Model(sys.argv[2], {'analyses': [{'transient': {'until': '0.1 s'}}]}).run()
print('from the wheel:', len(run.transient.time), 'rows')" "$work" "$model")
}
model=$PWD/examples/tensioner_rig.yaml
unset PYTHONPATH
if "$python" -c "import venv, pip, ensurepip" 2>/dev/null; then
  "$python" -m venv --system-site-packages --without-pip "$work/venv"
  "$work/venv/bin/python" -m pip --disable-pip-version-check install --quiet --no-index --no-deps "$first"
  runs "$work/venv/bin/python"
  "$work/venv/bin/python" -m pip show capstan | sed -n '1,2p'
else
  echo "pip was not tried: $python has no venv with pip"
fi
"$python" -m zipfile -e "$first" "$work/site"
PYTHONPATH=$work/site runs "$python"
