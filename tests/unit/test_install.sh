#!/usr/bin/env bash
# `make install`: the program runs, and a user's C program compiles, links and runs with pkg-config alone.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
command -v pkg-config >/dev/null || { echo "no pkg-config"; exit 77; }

cmake --install "$CAPSTAN_BUILD_DIR" --prefix "$place/first" >/dev/null
mv "$place/first" "$place/moved" # the pkg-config file must not remember where it was installed
prefix=$place/moved
version=$("$prefix/bin/capstan" --version)

sanitize=""
[ "${CAPSTAN_SANITIZE:-OFF}" = OFF ] || sanitize="-fsanitize=address,undefined"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
# shellcheck disable=SC2046,SC2086
"$CC" -std=c17 -Wall -Wextra -Werror $sanitize tests/data/install/user.c -o "$place/user" $(pkg-config --cflags --libs capstan)

model=examples/tensioner_rig.yaml
sed 's/^tensioner:/tensoiner:/' $model >"$place/misspelt.yaml"
said=$("$place/user" $model "$place/misspelt.yaml" "$place/result.h5")
[ "$said" = "capstan $(pkg-config --modversion capstan)" ] || { echo "the library says '$said'"; exit 1; }
case "$version" in "$said"*) ;; *) echo "the program says '$version', the library '$said'"; exit 1 ;; esac
[ -s "$place/result.h5" ] || { echo "no result was written"; exit 1; }
if grep -rl -- "$PWD" "$prefix/include" "$prefix/lib/pkgconfig"; then echo "refers to the source folder"; exit 1; fi
for file in man/man1/capstan.1 man/man1/capstan-run.1 bash-completion/completions/capstan zsh/site-functions/_capstan fish/vendor_completions.d/capstan.fish; do
  [ -s "$prefix/share/$file" ] || { echo "share/$file is not installed"; exit 1; }
done

# every library that the program is linked with is named in NOTICE; HDF5 brings no access to the network where it is linked statically
for file in LICENSE NOTICE; do
  [ -s "$prefix/share/doc/capstan/$file" ] || { echo "$file is not installed"; exit 1; }
done
for library in $(objdump -p "$prefix/bin/capstan" | awk '$1 == "NEEDED" { print $2 }'); do
  case $library in
  libsundials*) name=SUNDIALS ;;
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
  *) echo "$library is not named in NOTICE"; exit 1 ;;
  esac
  grep -q -- "$name" NOTICE || { echo "NOTICE does not name $name, of $library"; exit 1; }
done
if grep -q '^CAPSTAN_HDF5_IS_APART:INTERNAL=1' "$CAPSTAN_BUILD_DIR/CMakeCache.txt" && ldd "$prefix/bin/capstan" | grep -E 'libcurl|libssl|libldap'; then
  echo "the program is linked with network libraries"
  exit 1
fi
