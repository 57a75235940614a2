#!/usr/bin/env bash
# Build and test on other systems: in chroots of Debian 12, Debian 13 and Ubuntu 24.04, made by mmdebstrap.
#   scripts/chroots.sh [OPTION]... [bookworm] [trixie] [noble]
#     --level LEVEL   quick (default), test or all: what scripts/test.sh does there
#     --kinds "K..."  in place of that: build the program and these kinds of tests, and run them (docs/testing.md)
#     --dir DIR       where the chroots are kept (default: /var/tmp/capstan-chroots; some 2 GB each)
#     --fresh         make them anew
#     --again         go on from the last build there
# Packages are those of scripts/setup.sh, which runs in each chroot; what is tested is the tree as it lies here, without what
# git ignores. One line for each system: ok, FAILED, or skipped with the reason (an archive that cannot be reached, no root).
# Archives: CAPSTAN_DEBIAN and CAPSTAN_UBUNTU, otherwise those that apt uses here, otherwise the public ones.
# shellcheck disable=SC2016 # what is quoted once is for another shell
set -euo pipefail
cd "$(dirname "$0")/.."

level=quick kinds="" dir=/var/tmp/capstan-chroots fresh=no again=no systems=""
usage() { sed -n 's/^#   //p; s/^#     /  /p' "$0" | sed '1s/^/usage: /' >&2; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
  --level | --kinds | --dir) [ $# -ge 2 ] || usage ;;&
  --level) level=$2; shift ;;
  --kinds) kinds=$2; shift ;;
  --dir) dir=$2; shift ;;
  --fresh) fresh=yes ;;
  --again) again=yes ;;
  bookworm | trixie | noble) systems="$systems $1" ;;
  *) usage ;;
  esac
  shift
done
case $level in quick | test | all) ;; *) usage ;; esac
systems=${systems:-bookworm trixie noble}

# from_apt ORIGIN: the archive of that origin that apt uses here; nothing where there is none.
from_apt() {
  ! command -v apt-get >/dev/null || apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 2>/dev/null |
    awk -F'|' -v own="$1" '$1 == own && $2 == own { sub(/\/$/, "", $3); print $3; exit }'
}

debian=${CAPSTAN_DEBIAN:-$(from_apt Debian)} ubuntu=${CAPSTAN_UBUNTU:-$(from_apt Ubuntu)}
debian=${debian:-http://deb.debian.org/debian} ubuntu=${ubuntu:-http://archive.ubuntu.com/ubuntu}
keys=/usr/share/keyrings
if command -v apt-config >/dev/null; then # apt in a chroot goes the way that apt goes here
  eval "$(apt-config shell proxy Acquire::http::Proxy)"
  [ -z "${proxy:-}" ] || export http_proxy=$proxy
fi

title() {
  case $1 in
  bookworm) echo "Debian 12 (bookworm)" ;;
  trixie) echo "Debian 13 (trixie)" ;;
  noble) echo "Ubuntu 24.04 (noble)" ;;
  esac
}
archive() { if [ "$1" = noble ]; then echo "$ubuntu"; else echo "$debian"; fi; }

# reached SUITE: its archive answers.
reached() {
  local file
  file=$(mktemp -u "$dir/release.XXXXXX")
  timeout 60 /usr/lib/apt/apt-helper -o Acquire::Retries=1 download-file "$(archive "$1")/dists/$1/InRelease" "$file" >/dev/null 2>&1
  local result=$?
  rm -f "$file"
  return $result
}

# within ROOT COMMAND...: as root of that system, with /proc and /dev of its own that go with the command.
within() {
  local root=$1
  shift
  unshare --mount --propagation private -- sh -c '
    root=$1; shift
    mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && mount -t tmpfs tmpfs "$root/dev/shm" &&
      exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 ${http_proxy:+http_proxy="$http_proxy"} "$@"
  ' sh "$root" "$@"
}

# make_root SUITE KEYRING: the system without anything of ours.
make_root() {
  local part=$dir/$1.part components=main
  [ "$1" != noble ] || components=main,universe
  rm -rf --one-file-system "$part" "${dir:?}/$1"
  mmdebstrap --variant=apt --components=$components --keyring="$2" --include=ca-certificates,make "$1" "$part" "$(archive "$1")" &&
    mv "$part" "$dir/$1"
}

# Ubuntu's keys, where this system has none of them, from the package of Debian 13, which Debian has signed.
ubuntu_keys() {
  local keyring=$keys/ubuntu-archive-keyring.gpg
  if [ ! -r $keyring ]; then
    keyring=$dir/ubuntu$keys/ubuntu-archive-keyring.gpg
    if [ ! -r "$keyring" ]; then
      { [ -e "$dir/trixie/etc/os-release" ] || make_root trixie $keys/debian-archive-keyring.gpg; } >&2 || return 1
      within "$dir/trixie" sh -c 'apt-get -q update && cd /tmp && apt-get -q download ubuntu-keyring' >&2 || return 1
      dpkg-deb -x "$dir"/trixie/tmp/ubuntu-keyring_*.deb "$dir/ubuntu" || return 1
    fi
  fi
  [ -r "$keyring" ] && echo "$keyring"
}

# copy_tree ROOT: the files that git knows or would know. With --again what has not changed since the last copy keeps its time.
copy_tree() {
  local to=$1/src/capstan stamp=$1/src/copied
  [ $again = yes ] || rm -rf --one-file-system "$to" "$stamp"
  mkdir -p "$to"
  find "$to" -mindepth 1 -maxdepth 1 ! -name build ! -name out -exec rm -rf --one-file-system {} +
  touch "$stamp.new"
  git ls-files -co --exclude-standard -z | while IFS= read -r -d '' file; do
    [ ! -e "$file" ] || printf '%s\0' "$file" # deleted, and git has not been told
  done | tar --null -T - -cf - | tar -xf - --no-same-owner -C "$to"
  # what was changed while the last build was under way would be older than what was made of it
  [ ! -e "$stamp" ] || find "$to" \( -path "$to/build" -o -path "$to/out" \) -prune -o -type f -newer "$stamp" -exec touch {} +
  mv "$stamp.new" "$stamp"
}

# What runs within the chroot: $1 level, $2 kinds.
inside='
cd /src/capstan
scripts/setup.sh build
echo "compiler: $(cc --version | head -n 1)"
for package in libsundials-dev libhdf5-dev; do echo "$package: $(dpkg-query -W -f "\${Version}" $package)"; done
if [ -z "$2" ]; then exec scripts/test.sh "$1"; fi
export CAPSTAN_LEVEL=$1
targets=capstan_program labels=""
for kind in $2; do
  ! ls tests/$kind/test_*.c >/dev/null 2>&1 || targets="$targets tests_$kind"
  labels=$labels${labels:+"|"}$kind
done
cmake --preset release && cmake --build --preset release -j "$(nproc)" --target $targets || exit 1
ctest --preset release -L "^($labels)\$" -j "$(nproc)" --no-tests=error --timeout 900'

# outcome LOG: in a few words.
outcome() {
  local version
  version=$(sed -nE 's/^libsundials-dev: ([0-9.]+).*/SUNDIALS \1/p; s/^libhdf5-dev: ([0-9.]+).*/HDF5 \1/p; s/^compiler: .* ([0-9.]+)$/gcc \1/p' "$1" | paste -sd, | sed 's/,/, /g')
  echo "$version: $(grep -E '^[0-9]+ passed, [0-9]+ failed$|^[0-9]+% tests passed' "$1" | tail -n 1)"
}

# system SUITE: one line.
failures=0
system() {
  local suite=$1 root=$dir/$1 log=$dir/$1.log keyring=$keys/debian-archive-keyring.gpg since=$SECONDS
  skip() { printf 'skipped  %-22s %s\n' "$(title "$suite")" "$1"; }
  fail() { printf 'FAILED   %-22s %s (all of it: %s)\n' "$(title "$suite")" "$1" "$log"; failures=$((failures + 1)); }
  [ "$(id -u)" = 0 ] || { skip "chroots are made as root"; return; }
  for command in mmdebstrap unshare git; do
    command -v $command >/dev/null || { skip "no $command"; return; }
  done
  unshare --mount true 2>/dev/null || { skip "nothing may be mounted here"; return; }
  mkdir -p "$dir"
  if [ $fresh = yes ] || [ ! -e "$root/etc/os-release" ]; then
    reached "$suite" || { skip "$(archive "$suite") cannot be reached, or has no $suite"; return; }
    [ "$suite" != noble ] || keyring=$(ubuntu_keys 2>"$log") || { skip "no keys of Ubuntu's archive ($log)"; return; }
    [ -r "$keyring" ] || { skip "no keys of its archive ($keyring)"; return; }
    make_root "$suite" "$keyring" >"$log" 2>&1 || { fail "the system could not be made"; return; }
  fi
  copy_tree "$root"
  if within "$root" bash -c "$inside" inside "$level" "$kinds" >"$log" 2>&1; then
    printf 'ok       %-22s %4d s  %s\n' "$(title "$suite")" $((SECONDS - since)) "$(outcome "$log")"
  else
    fail "$(outcome "$log")"
  fi
}

for suite in $systems; do system "$suite"; done
[ $failures = 0 ]
