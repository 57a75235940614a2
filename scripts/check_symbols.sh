#!/usr/bin/env bash
# Names and state of the library's objects, read from a finished build:
#  - an external symbol of src/<room>/<file>.c is cap_<file>, cap_<file>_... or capm_<file>_...; tables that a
#    header of another file declares are cap_registry_...; the public calls are those of include/capstan;
#  - no object holds mutable state of its own (.data, .bss): everything lives in what the caller hands in.
#   scripts/check_symbols.sh [BUILD_DIR]
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/release}
objects=$build/CMakeFiles/capstan.dir/src
[ -d "$objects" ] || { echo "no objects in $objects: build first" >&2; exit 2; }

public=$(cat include/capstan/*.h 2>/dev/null | grep -oE '\bcapstan_[a-z0-9_]+' | sort -u | tr '\n' ' ' || true)

find "$objects" -name '*.c.o' | LC_ALL=C sort | {
  bad=0 checked=0
  while read -r object; do
    source=src/${object#"$objects"/}
    source=${source%.o}
    [ -f "$source" ] || continue # left over from a file that is gone
    file=$(basename "$source" .c)
    while read -r kind name; do
      checked=$((checked + 1))
      case "$name" in
      "cap_$file" | "cap_${file}_"* | "capm_$file" | "capm_${file}_"* | cap_registry_*) continue ;;
      capstan_*) case " $public " in *" $name "*) continue ;; esac ;;
      esac
      echo "$source: $name ($kind) should start with cap_${file}_ or capm_${file}_, or be static"
      bad=$((bad + 1))
    done < <(nm --defined-only --extern-only --format=posix "$object" | awk '{print $2, $1}')
    while read -r name; do
      [ "$name" = udunits_lock ] && continue # guards the state that udunits itself keeps in globals
      echo "$source: $name is mutable state of the library"
      bad=$((bad + 1))
    done < <(objdump -t "$object" | awk 'NF > 4 && $(NF-2) ~ /^\.(data|bss)(\.|$)/ && $(NF-2) !~ /^\.data\.rel\.ro/ && $NF !~ /^\.(data|bss)/ {print $NF}')
  done
  [ $bad = 0 ] || { echo "$bad findings in $checked symbols"; exit 1; }
  echo "$checked external symbols carry their file's name"
}
