#!/usr/bin/env bash
# What is written for SUNDIALS 7 compiles where SUNDIALS 6 is installed, against declarations of our own
# (tests/support/sundials7); where 7 is installed, these declarations agree with its headers.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
declarations=$PWD/tests/support/sundials7
commands=$CAPSTAN_BUILD_DIR/compile_commands.json
[ -r "$commands" ] || { echo "no $commands"; exit 77; }

# reads FILE OUTPUT [FLAG...] [AS]: the compiler reads FILE, or AS in its place, with the flags of FILE's build.
reads() {
  local file=$1 said=$2 command
  shift 2
  command=$(FILE=$PWD/$file awk '
    sub(/^ *"command": "/, "") { sub(/",? *$/, ""); gsub(/\\"/, "\""); gsub(/\\\\/, "\\"); command = $0 }
    index($0, "\"file\": \"" ENVIRON["FILE"] "\"") { print command; exit }' "$commands")
  [ -n "$command" ] || { echo "$file is not built"; exit 1; }
  command=$(sed -E 's/ -o [^ ]+ -c [^ ]+$//; s/ -M[FT] [^ ]+//g; s/ -MD//' <<<"$command")
  (cd "$CAPSTAN_BUILD_DIR" && eval "$command -fsyntax-only $*") >"$said" 2>&1
}

for file in src/step/cvode.c tests/reference/ida.c; do
  reads $file "$place/said" "-I$declarations" "$PWD/$file" ||
    { cat "$place/said"; echo "$file does not compile with SUNDIALS 7"; exit 1; }
done

# The declarations are those that were read, and know nothing of version 6.
cat >"$place/six.c" <<'CODE'
#include "step/sundials.h"
#include <cvode/cvode.h>
realtype x;
int f(void *memory) { return CVodeSetErrHandlerFn(memory, 0, 0); }
CODE
if reads src/step/cvode.c "$place/said" "-I$declarations" "$place/six.c"; then
  echo "what SUNDIALS 7 has not is declared"
  exit 1
fi
for name in realtype CVodeSetErrHandlerFn; do
  grep -q "$name" "$place/said" || { cat "$place/said"; echo "$name is not what the compiler refuses"; exit 1; }
done

cat >"$place/both.c" <<'CODE'
#include <sundials/sundials_config.h>
#if SUNDIALS_VERSION_MAJOR >= 7
#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include DECLARED(declarations.h)
#include DECLARED(cvode/cvode.h)
#include DECLARED(ida/ida.h)
#else
#warning only version 6 is here
#endif
CODE
sed -i "s|DECLARED(\(.*\))|\"$declarations/\1\"|" "$place/both.c"
if ! reads tests/reference/ida.c "$place/said" -Wno-error=cpp "$place/both.c"; then
  cat "$place/said"
  echo "tests/support/sundials7 and the headers of SUNDIALS do not agree"
  exit 1
fi
if grep -q 'only version 6 is here' "$place/said"; then
  echo "the code for SUNDIALS 7 compiles; version 6 is installed, its headers were not compared"
else
  echo "the code for SUNDIALS 7 compiles; its declarations agree with the headers that are installed"
fi
