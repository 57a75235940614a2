#!/usr/bin/env bash
# Debian packages of the last commit, into out/deb/SUITE: built from the tarball of scripts/dist.sh in a fresh chroot, looked at
# by lintian, then, in a second chroot with nothing in it, installed, used (the demo; programs in C and C++) and purged.
#   scripts/deb.sh [SUITE]        bookworm; trixie, noble, ... where Capstan builds there
# DEB_BUILD_OPTIONS=noopt builds in a fraction of the time, for work on the packages themselves. Ends with 77, and the reason,
# where chroots cannot be made. Needs mmdebstrap, and root or user namespaces.
set -euo pipefail
cd "$(dirname "$0")/.."
suite=${1:-bookworm}
case $suite in
noble | jammy) mirror=http://archive.ubuntu.com/ubuntu components=main,universe ;;
*) mirror=http://deb.debian.org/debian components=main ;;
esac
mirror=${CAPSTAN_MIRROR:-$mirror}

skip() { echo "skipped: $*"; exit 77; }
command -v mmdebstrap >/dev/null || skip "no mmdebstrap: scripts/setup.sh deb installs it"
version=$(git show HEAD:CMakeLists.txt | sed -nE 's/^project\(capstan VERSION ([0-9.]+) .*/\1/p')
tarball=out/dist/capstan-$version.tar.gz
[ -s "$tarball" ] || scripts/dist.sh
to=$PWD/out/deb/$suite
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
chmod 755 "$place"
rm -rf "$to"
mkdir -p "$to"

# The source: the tarball and, beside it, packaging/debian.
source=$place/source/capstan-$version
mkdir "$place/source"
cp "$tarball" "$place/source/capstan_$version.orig.tar.gz"
tar -xzf "$tarball" -C "$place/source"
cp -r "$source/packaging/debian" "$source/debian"
head -n 1 "$source/debian/changelog" | grep -qF "($version-" || { echo "deb: packaging/debian/changelog is not about version $version" >&2; exit 1; }

# what it is built with: the names in Build-Depends
needed=$(awk '/^Build-Depends:/ { on = 1; sub(/^[^:]*:/, "") } on && /^[A-Z][^ ]*:/ { exit } on { gsub(/\([^)]*\)/, ""); gsub(/[, \t]+/, " "); printf "%s ", $0 }' "$source/debian/control" |
  sed 's/debhelper-compat/debhelper/; s/dh-sequence-python3/dh-python/')
included=$(tr -s ' ' ',' <<<"$needed lintian" | sed 's/^,//; s/,$//')

cat >"$place/source/build.sh" <<'END'
set -e
cd "$(dirname "$0")/capstan-$1"
export LC_ALL=C.UTF-8 DEB_BUILD_OPTIONS="$2"
dpkg-buildpackage -us -uc
lintian --allow-root --info --tag-display-limit 0 --fail-on error ../capstan_*.changes
END

cat >"$place/try.sh" <<'END'
set -e
cd /try
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
install() { apt-get -y -q -o Acquire::Retries=3 --no-install-recommends install "$@" >install.log 2>&1 || { tail -n 30 install.log; exit 1; }; }
left() { find / -xdev \( -path /try -o -path /proc -o -path /sys -o -path /var/log -o -path /var/cache \) -prune -o -iname '*capstan*' -print; }
purge() { apt-get -y -q purge "$@" >/dev/null; }
echo "== the demo with the installed program"
install ./capstan_*.deb
capstan --version
sh -e source/debian/tests/demo >demo.log 2>&1 || { tail -n 30 demo.log; exit 1; }
grep '^Done' demo.log
purge capstan
[ -z "$(left)" ] || { echo "left by capstan:"; left; exit 1; }
echo "== programs with the installed library"
install ./libcapstan0_*.deb ./libcapstan-dev_*.deb gcc g++ libc6-dev pkg-config
sh -e source/debian/tests/embed
purge libcapstan-dev libcapstan0
[ -z "$(left)" ] || { echo "left by the library:"; left; exit 1; }
echo "== the Python package"
install ./python3-capstan_*.deb
python3 source/debian/tests/python.py source/examples/tensioner_rig.yaml
purge python3-capstan
[ -z "$(left)" ] || { echo "left by python3-capstan:"; left; exit 1; }
echo "installed, used and purged: nothing is left"
END

# chroot_with VARIANT PACKAGES HOOK...: a fresh system, gone afterwards
chroot_with() {
  local variant=$1 packages=$2 hooks=()
  shift 2
  for hook in "$@"; do hooks+=("--customize-hook=$hook"); done
  nice mmdebstrap --quiet --variant="$variant" --components="$components" --include="$packages" "${hooks[@]}" "$suite" /dev/null "$mirror"
}

echo "deb: a chroot of $suite, with what the packages are built with"
chroot_with minbase ca-certificates true >"$to/chroot.log" 2>&1 || { tail -n 5 "$to/chroot.log"; skip "no chroot of $suite can be made here"; }
started=$SECONDS
chroot_with buildd "$included" "copy-in $place/source /root" \
  "chroot \"\$1\" sh /root/source/build.sh $version '${DEB_BUILD_OPTIONS:-}'" \
  "rm -rf \"\$1/root/source/capstan-$version\"" "copy-out /root/source $to" >"$to/build.log" 2>&1 || { tail -n 40 "$to/build.log"; echo "deb: not built; all of it: $to/build.log" >&2; exit 1; }
mv "$to"/source/*.* "$to/"
rm -rf "$to/source" "$to/build.sh"
sed -n '/^[EWI]: /p' "$to/build.log"
echo "deb: built in $((SECONDS - started)) s; lintian has no errors"
started=$SECONDS
mkdir "$place/try"
cp "$to"/*.deb "$place/try/"
cp -r "$source" "$place/try/source"
cp "$place/try.sh" "$place/try/"
chroot_with minbase ca-certificates "copy-in $place/try /" "chroot \"\$1\" sh /try/try.sh" >"$to/try.log" 2>&1 ||
  { tail -n 40 "$to/try.log"; echo "deb: all of it: $to/try.log" >&2; exit 1; }
sed -n '/^== /,$p' "$to/try.log"
echo "deb: tried in $((SECONDS - started)) s"
ls -l "$to"/*.deb
