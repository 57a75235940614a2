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
