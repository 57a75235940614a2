#!/usr/bin/env bash
# Names and state of the library's objects, read from a finished build by two nm over all of them:
#  - an external symbol of src/.../file.c is cap_file, cap_file_... or capm_file_...; tables that a header of another
#    file declares are cap_registry_...; the public calls are those of include/capstan, what their files (src/session)
#    share is cap_session_...;
#  - no object holds mutable state of its own (.data, .bss): everything lives in what the caller hands in. Locks are the
#    exception, with what they guard: state that a library below keeps in globals.
#   scripts/check_symbols.sh [BUILD_DIR]
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/release}
objects=$build/CMakeFiles/capstan.dir/src
[ -d "$objects" ] || { echo "no objects in $objects: build first" >&2; exit 2; }

public=$(cat include/capstan/*.h 2>/dev/null | grep -oE '\bcapstan_[a-z0-9_]+' | sort -u | tr '\n' ' ' || true)

# Only objects whose source is there: others are left over from files that are gone.
listed=$(find "$objects" -name '*.c.o' | LC_ALL=C sort | while read -r object; do
  source=src/${object#"$objects"/}
  [ ! -f "${source%.o}" ] || printf '%s\n' "$object"
done)

# symbols OPTION...: lines of the System V format, name|value|class|type|size|line|section, below one that names the object.
symbols() { xargs nm --defined-only --format=sysv "$@" <<<"$listed"; }

{ symbols --extern-only; echo "--- all"; symbols; } | awk -v objects="$objects/" -v public=" $public" '
  BEGIN { guard["udunits_lock"]; guard["hdf5_lock"]; guard["blas_threads"] }
  /^--- all$/ { all = 1 }
  /^Symbols from / {
    source = $3
    sub(/:$/, "", source)
    source = "src/" substr(source, length(objects) + 1)
    sub(/\.o$/, "", source)
    file = source
    sub(/.*\//, "", file)
    sub(/\.c$/, "", file)
  }
  split($0, part, "|") == 7 && part[1] !~ /^Name / {
    name = part[1]; class = part[3]; section = part[7]
    gsub(/[ \t]/, "", name); gsub(/[ \t]/, "", class); gsub(/[ \t]/, "", section)
    if (!all) external(name, class)
    else if (section ~ /^\.(data|bss|tdata|tbss)(\.|$)/ && section !~ /^\.data\.rel\.ro/ && !(name in guard)) {
      print source ": " name " is mutable state of the library"
      bad++
    }
  }
  function external(name, class) {
    checked++
    if (name ~ "^capm?_" file "(_|$)" || name ~ /^cap_registry_/) return
    if (name ~ /^capstan_/ && index(public, " " name " ")) return
    if (source ~ /^src\/session\// && name ~ /^cap_session_/) return
    print source ": " name " (" class ") should start with cap_" file "_ or capm_" file "_, or be static"
    bad++
  }
  END {
    if (!checked) { print "no symbol was found"; exit 1 }
    if (bad) { print bad " findings in " checked " symbols"; exit 1 }
    print checked " external symbols carry their file'"'"'s name"
  }'
