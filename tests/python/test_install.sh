#!/usr/bin/env bash
# What `make install` puts for Python, below another root: the package that a new interpreter finds there.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/python/run.sh
need numpy
unset PYTHONPATH
DESTDIR=$work/root cmake --install "$CAPSTAN_BUILD_DIR" --prefix /usr/local --component python >/dev/null
module=$(find "$work/root" -name _capstan.abi3.so)
[ "$(wc -l <<<"$module")" = 1 ] && [ -n "$module" ]
site=$(dirname "$(dirname "$module")")
cd "$work"
PYTHONPATH=$site "$python" -c "
import capstan, pathlib, sys
own = pathlib.Path(capstan.__file__).parent
assert str(own).startswith('$work'), own
assert (own / 'py.typed').exists() and (own / '_capstan.pyi').exists()
assert not list(own.glob('*.c'))
print('installed into', str(own)[len('$work/root'):], capstan.__version__)"
# Debian's interpreter finds it without being told.
case $site in "$work/root$("$python" -c "import sysconfig; print(sysconfig.get_path('platlib'))")") ;; *)
  echo "installed into ${site#"$work/root"}, where $python does not look"; exit 1 ;; esac
