# Sourced by the scripts of this folder: the interpreter and the package of the build, or the reason to skip.
#   need PACKAGE...   skips the test unless all can be imported
cache() { sed -n "s/^$1:[A-Z]*=//p" "$CAPSTAN_BUILD_DIR/CMakeCache.txt"; }
skip() { echo "skipped: $1"; exit 77; }
python=$(cache Python3_EXECUTABLE)
[ -z "$python" ] && python=$(cache _Python3_EXECUTABLE)
package=$CAPSTAN_BUILD_DIR/python
[ -e "$package/capstan/_capstan.abi3.so" ] || skip "this build has no Python package (it needs Python 3.11 with its headers: python3-dev)"
need() {
  local name
  for name in "$@"; do "$python" -c "import $name" 2>/dev/null || skip "$python cannot import $name"; done
}
export PYTHONPATH=$package PYTHONDONTWRITEBYTECODE=1 PYTHONNOUSERSITE=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
