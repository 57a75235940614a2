#!/usr/bin/env bash
# The release as a tarball, out/dist/capstan-VERSION.tar.gz: the files of the last commit with its name, and the page of the
# reports, so that building needs no Node.js; beside it uPlot's source, the one part of the page that is not in web/src. The same
# commit gives the same bytes.
#   scripts/dist.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
to=${1:-out/dist}
git rev-parse --git-dir >/dev/null 2>&1 || { echo "dist: this is no git repository: a tarball is made from a commit" >&2; exit 2; }
git diff --quiet HEAD -- || echo "dist: changes that are not committed are not in the tarball" >&2
for package in esbuild uplot typescript; do
  [ -e web/node_modules/$package/package.json ] || { echo "dist: the page needs Node.js and the packages of web/: scripts/setup.sh demo" >&2; exit 2; }
done

version=$(git show HEAD:CMakeLists.txt | sed -nE 's/^project\(capstan VERSION ([0-9.]+) .*/\1/p')
name=capstan-$version
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# the page of the commit, not of the folder
git archive HEAD web | tar -x -C "$place"
ln -s "$PWD/web/node_modules" "$place/web/node_modules"
(cd "$place/web" && node node_modules/typescript/bin/tsc --noEmit && node build.mjs "$place/report.html")
git rev-parse --short=12 HEAD >"$place/COMMIT"

mkdir -p "$to"
git -c tar.umask=0022 archive --format=tar --prefix="$name/web/dist/" --add-file="$place/report.html" --add-file=web/node_modules/uplot/dist/uPlot.esm.js --prefix="$name/" --add-file="$place/COMMIT" HEAD |
  gzip -9 -n >"$place/tar.gz"
mv "$place/tar.gz" "$to/$name.tar.gz"
echo "$to/$name.tar.gz: $(stat -c %s "$to/$name.tar.gz") bytes, sha256 $(sha256sum "$to/$name.tar.gz" | cut -d ' ' -f 1)"
