#!/usr/bin/env bash
# One version everywhere; and, in `make test-all`, the release: the same commit gives the same tarball, which has the page and the
# name of its commit and is configured and embeds the page without Node.js.
source "$(dirname "$0")/program_lib.sh"

version=$("$program" --version | sed -nE '1s/^capstan ([0-9.]+).*/\1/p')
[ -n "$version" ] || fail "the program does not say its version"
# holds FILE PATTERN: the version after PATTERN, at its first place
holds() {
  local found
  found=$(sed -nE "s/.*$2([0-9]+\.[0-9]+\.[0-9]+).*/\1/p" "$source_dir/$1" | head -n 1)
  [ "$found" = "$version" ] || fail "$1 has version '$found', the program $version"
}
holds CMakeLists.txt '^project\(capstan VERSION '
holds CITATION.cff '^version: '
holds README.md 'simulation of belt drives\*, version '
holds CHANGELOG.md '^## \['
holds packaging/debian/changelog '^capstan \('
holds docs/install.md 'tar -xf capstan-'
holds include/capstan/capstan.h '^\/\* "'

[ "${CAPSTAN_LEVEL:-test}" = all ] && [ "${CAPSTAN_SANITIZE:-OFF}" = OFF ] || exit 0
git -C "$source_dir" rev-parse HEAD >/dev/null 2>&1 && [ -e "$source_dir/web/node_modules/esbuild/package.json" ] || exit 0 # a release itself, or no Node.js
for time in first second; do "$source_dir/scripts/dist.sh" "$place/$time" >/dev/null 2>said.err || fail "scripts/dist.sh failed"; done
cmp "$place/first/capstan-$version.tar.gz" "$place/second/capstan-$version.tar.gz" || fail "two tarballs of one commit differ"
tar -xzf "$place/first/capstan-$version.tar.gz"
commit=$(git -C "$source_dir" rev-parse --short=12 HEAD)
[ "$(cat "capstan-$version/COMMIT")" = "$commit" ] || fail "COMMIT is not $commit"
cmake -S "capstan-$version" -B build -G Ninja -D NODE_PROGRAM=NODE_PROGRAM-NOTFOUND -D CAPSTAN_TESTS=OFF -D CAPSTAN_BENCH=OFF >said.out 2>said.err || fail "the release is not configured"
ninja -C build generated/template.c generated/version.h >said.out 2>&1 || fail "the page is not embedded"
grep -qE 'cap_template_size = [1-9][0-9]{5}' build/generated/template.c || fail "the page is missing"
grep -q "CAPSTAN_GIT_HASH \"$commit\"" build/generated/version.h || fail "the program would not know its commit"
