#!/usr/bin/env bash
# `make install`: the program runs; a user's C and C++ programs compile, link and run, by pkg-config and by find_package; the
# library offers what its header declares and nothing else.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
command -v pkg-config >/dev/null || { echo "no pkg-config"; exit 77; }

cmake --install "$CAPSTAN_BUILD_DIR" --prefix "$place/first" >/dev/null
mv "$place/first" "$place/moved" # the pkg-config file must not remember where it was installed
prefix=$place/moved
version=$("$prefix/bin/capstan" --version)
fail() { echo "$*"; exit 1; }

sanitize=""
[ "${CAPSTAN_SANITIZE:-OFF}" = OFF ] || sanitize="-fsanitize=address,undefined"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib
CXX=${CXX:-c++}
command -v "$CXX" >/dev/null || CXX=""
[ -n "$CXX" ] || echo "no C++ compiler: only C is tried"

# the header: strict C and C++, on standard headers alone
included=$(sed -nE 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*//p' "$prefix/include/capstan/"*.h | sort -u)
for header in $included; do
  case $header in
  '<signal.h>' | '<stddef.h>' | '<stdint.h>') ;;
  *) fail "the installed header includes $header" ;;
  esac
done
for language in c11 c17 ${CXX:+c++11 c++17}; do
  compiler=$CC kind=c
  case $language in c++*) compiler=$CXX kind=c++ ;; esac
  printf '#include <capstan/capstan.h>\nint main(void) { return capstan_version() == 0; }\n' |
    "$compiler" -std=$language -x $kind -Wall -Wextra -pedantic -Werror -I"$prefix/include" -fsyntax-only - || fail "the header is not $language"
done

# names: those that the header declares, in both directions
names() { "$CC" -std=c17 -E -P "$prefix/include/capstan/capstan.h" | grep -oE '\bcapstan_[a-z0-9_]+\(' | tr -d '(' | LC_ALL=C sort -u; }
offered() { nm -D --defined-only "$prefix/lib/libcapstan.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort -u; }
difference=$(diff <(names) <(offered)) || fail "declared (<) and offered (>) differ: $difference"
[ "$(names | wc -l)" -ge 5 ] || fail "hardly a name was found in the header"
soname=$(objdump -p "$prefix/lib/libcapstan.so" | awk '$1 == "SONAME" { print $2 }')
[ "$soname" = libcapstan.so.0 ] || fail "the library calls itself $soname"
[ ! -e "$prefix/lib/libcapstan.a" ] || fail "the static library is installed"

model=examples/tensioner_rig.yaml
sed 's/^tensioner:/tensoiner:/' $model >"$place/misspelt.yaml"
# try PROGRAM: it says the library's version, and writes a result
try() {
  local said
  rm -f "$place/result.h5"
  said=$("$1" $model "$place/misspelt.yaml" "$place/result.h5") || fail "$1 ends with $?"
  [ "$said" = "capstan $(pkg-config --modversion capstan)" ] || fail "the library says '$said'"
  case "$version" in "$said"*) ;; *) fail "the program says '$version', the library '$said'" ;; esac
  [ -s "$place/result.h5" ] || fail "$1 wrote no result"
}

# shellcheck disable=SC2046,SC2086
"$CC" -std=c17 -Wall -Wextra -Werror $sanitize tests/data/install/user.c -o "$place/user" $(pkg-config --cflags --libs capstan)
try "$place/user"
if [ -n "$CXX" ]; then
  # shellcheck disable=SC2046,SC2086
  "$CXX" -std=c++11 -Wall -Wextra -Werror $sanitize tests/data/install/user.cpp -o "$place/user_cpp" $(pkg-config --cflags --libs capstan)
  try "$place/user_cpp"
fi
# without the sanitizers, which CMake's own trials would need, too
if [ -n "$CXX" ] && [ -z "$sanitize" ]; then
  cmake -S tests/data/install -B "$place/found" -G Ninja -D CMAKE_PREFIX_PATH="$prefix" -D CMAKE_C_COMPILER="$CC" -D CMAKE_CXX_COMPILER="$CXX" >/dev/null
  cmake --build "$place/found" >/dev/null || fail "find_package(Capstan) does not lead to a program"
  (unset LD_LIBRARY_PATH; try "$place/found/user"; try "$place/found/user_cpp")
fi
if grep -rl -- "$PWD" "$prefix/include" "$prefix/lib/pkgconfig" "$prefix/lib/cmake"; then fail "refers to the source folder"; fi
for file in man/man1/capstan.1 man/man1/capstan-run.1 bash-completion/completions/capstan zsh/site-functions/_capstan fish/vendor_completions.d/capstan.fish; do
  [ -s "$prefix/share/$file" ] || fail "share/$file is not installed"
done

# every library that the program is linked with is named in NOTICE; HDF5 brings no access to the network where it is linked statically
for file in LICENSE NOTICE; do
  [ -s "$prefix/share/doc/capstan/$file" ] || fail "$file is not installed"
done
for library in $(objdump -p "$prefix/bin/capstan" | awk '$1 == "NEEDED" { print $2 }'); do
  case $library in
  libsundials*) name=SUNDIALS ;;
  libmpi*) name="Open MPI" ;; # of SUNDIALS 7
  libklu* | libbtf*) name=KLU ;;
  libamd* | libcolamd* | libsuitesparse*) name=AMD ;;
  libopenblas* | liblapack* | libblas*) name=OpenBLAS ;;
  libhdf5*) name=HDF5 ;;
  libsz* | libaec*) name=libaec ;;
  libz.*) name=zlib ;;
  libyaml*) name=libyaml ;;
  libnlopt*) name=NLopt ;;
  libudunits*) name=UDUNITS-2 ;;
  libc.* | libm.* | libdl.* | libpthread.* | ld-linux*) name="GNU C library" ;;
  libgcc* | libgfortran* | libquadmath*) name=libgfortran ;;
  libasan* | libubsan* | libstdc++*) continue ;; # of the sanitizers
  *) fail "$library is not named in NOTICE" ;;
  esac
  grep -q -- "$name" NOTICE || fail "NOTICE does not name $name, of $library"
done
if grep -q '^CAPSTAN_HDF5_IS_APART:INTERNAL=1' "$CAPSTAN_BUILD_DIR/CMakeCache.txt" && ldd "$prefix/bin/capstan" | grep -E 'libcurl|libssl|libldap'; then
  fail "the program is linked with network libraries"
fi
