#!/usr/bin/env bash
# Install what a target needs and is not there yet; quick when nothing is missing.
#   scripts/setup.sh [build] [demo] [test] [test-all] [bench] [fuzz] [deb]
# On Debian (and its relatives) with apt, through sudo when not root. Elsewhere: says what is needed and goes on.
set -euo pipefail
cd "$(dirname "$0")/.."

# Debian names; describe_elsewhere() says the same for other systems.
packages_build="cmake ninja-build pkg-config libsundials-dev libsuitesparse-dev libopenblas-dev liblapack-dev
  libnlopt-dev libhdf5-dev libyaml-dev zlib1g-dev libudunits2-dev libcmocka-dev"
packages_test="clang clang-format binutils g++"
# Of the Python package: what its tests import. Without them these are skipped.
packages_python="python3-dev python3-numpy python3-pytest python3-pandas python3-xarray python3-scipy python3-h5py
  python3-matplotlib python3-pip python3-venv mypy"
packages_notebook="python3-nbclient python3-ipykernel"
packages_test_all="valgrind libc6-dbg"
# For the test of studies on a cluster, which runs a private Slurm as root; it is skipped where that cannot be.
packages_cluster="slurm-wlm munge"
packages_bench="g++ libsiconos-numerics-dev libsiconos-kernel-dev"
packages_fuzz="clang libclang-rt-dev"
packages_deb="mmdebstrap"

have() { command -v "$1" >/dev/null 2>&1; }

needed="" cluster=no
need() { for package in "$@"; do case " $needed " in *" $package "*) ;; *) needed="$needed $package" ;; esac; done; }

# A compiler of the user's own choice counts, whatever package it came from; so do node and a browser.
need_compiler() { have "${CC:-cc}" || need gcc libc6-dev; }
need_node() { have node && have npm || need nodejs npm; }
# Debian has had Chromium without windows since 12: the tests take half of the processor time in it, so that it is worth having
# beside a browser that is there, unless somebody would have to be asked for it.
need_browser() {
  have chromium-headless-shell && return
  local other=no
  ! have chromium && ! have google-chrome || other=yes
  if has_headless_shell && { [ $other = no ] || [ "$(id -u)" = 0 ]; }; then
    need chromium-headless-shell
  elif [ $other = no ]; then
    need chromium
  fi
}
has_headless_shell() {
  [ -r /etc/os-release ] && (. /etc/os-release && [ "${ID:-}" = debian ] && [ "${VERSION_ID:-0}" -ge 12 ])
}

page=no
for group in "${@:-build}"; do
  need_compiler
  # shellcheck disable=SC2086
  need $packages_build
  case "$group" in
  build) ;;
  demo) page=yes ;;
  test) page=yes cluster=yes; need $packages_test $packages_python; need_browser ;;
  test-all) page=yes cluster=yes; need $packages_test $packages_python $packages_notebook $packages_test_all; need_browser ;;
  bench) need $packages_bench ;;
  fuzz) need $packages_fuzz ;;
  deb) page=yes; need $packages_deb ;;
  *) echo "setup: unknown group '$group' (build, demo, test, test-all, bench, fuzz, deb)" >&2; exit 2 ;;
  esac
done
[ -f web/package.json ] || page=no
[ $page = no ] || need_node

is_debian() {
  have apt-get && have dpkg-query && [ -r /etc/os-release ] &&
    (. /etc/os-release && case " ${ID:-} ${ID_LIKE:-} " in *" debian "*) true ;; *) false ;; esac)
}

installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# missing_of PACKAGE...: those that are not installed.
missing_of() { for package in "$@"; do installed "$package" || printf ' %s' "$package"; done; }

apt_options="-y -q -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300"

install_debian() {
  local missing
  # shellcheck disable=SC2086
  missing=$(missing_of $needed)
  [ -n "$missing" ] || return 0

  local as_root=""
  if [ "$(id -u)" != 0 ]; then
    if ! have sudo; then
      echo "setup: these packages are missing and there is no sudo; as root, run" >&2
      echo "  apt-get install --no-install-recommends$missing" >&2
      echo "setup: going on with what the build can find" >&2
      return 0
    fi
    as_root=sudo
  fi
  echo "setup: installing$missing"
  echo "setup: this takes a minute or two; apt's own words are in out/setup.log"
  mkdir -p out
  # shellcheck disable=SC2086
  if ! { $as_root apt-get $apt_options update &&
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get $apt_options --no-install-recommends install $missing; } \
    >out/setup.log 2>&1; then
    tail -n 30 out/setup.log >&2
    echo "setup: the packages could not be installed; going on with what the build can find" >&2
  fi
}

# Slurm, for a test only: as root only, since the test needs that, too; no service is started by its packages
# (policy-rc.d, taken away again); and when it does not succeed that test is skipped and says so.
install_cluster() {
  local missing policy=/usr/sbin/policy-rc.d mine=no
  # shellcheck disable=SC2086
  missing=$(missing_of $packages_cluster)
  [ -n "$missing" ] && [ "$(id -u)" = 0 ] || return 0
  echo "setup: installing$missing, for the test of studies on a cluster (out/setup-cluster.log)"
  mkdir -p out
  if [ ! -e $policy ]; then
    mine=yes
    trap 'rm -f /usr/sbin/policy-rc.d' EXIT
    printf '#!/bin/sh\nexit 101\n' >$policy
    chmod +x $policy
  fi
  # shellcheck disable=SC2086
  if ! { { apt-get $apt_options --no-install-recommends --dry-run install $missing || apt-get $apt_options update; } &&
    DEBIAN_FRONTEND=noninteractive apt-get $apt_options --no-install-recommends install $missing; } \
    >out/setup-cluster.log 2>&1; then
    tail -n 5 out/setup-cluster.log >&2
    echo "setup:$missing could not be installed; going on, the test of studies on a cluster will be skipped" >&2
  fi
  if [ $mine = yes ]; then
    rm -f $policy
    trap - EXIT
  fi
}

describe_elsewhere() {
  cat <<'LIST'
setup: this is not Debian, so nothing was installed. Capstan needs
  to build    a C17 compiler (gcc 12 or clang 14 and later), make, CMake 3.25, Ninja, pkg-config,
              SUNDIALS 6 or 7 (CVODE), SuiteSparse (KLU), OpenBLAS or another LAPACK, NLopt, HDF5 (C), libyaml, zlib, UDUNITS-2,
              cmocka; Node.js 18 with npm for the report's page
  to test     IDA of SUNDIALS; optional: Siconos 4 (numerics); clang and clang-format 14, binutils (nm, objdump), a C++ compiler, Chromium (best as chromium-headless-shell); optional: Python 3.11 with its headers, numpy, pytest, pandas, xarray, scipy, h5py, matplotlib, mypy; Slurm and MUNGE, tests as root
  to test all  Valgrind
  to bench    optional, for the comparison: a C++ compiler, Siconos 4 (numerics, kernel)
  to fuzz     clang with libFuzzer (compiler-rt)
  for packages  mmdebstrap
Going on with what the build can find.
LIST
}

if is_debian; then
  install_debian
  [ $cluster = no ] || install_cluster
else
  describe_elsewhere
fi

# The page's packages, exactly as locked; the stamp is the lock file that was installed.
stamp=web/node_modules/.installed-lock.json
if [ $page = yes ] && have npm && ! cmp -s web/package-lock.json $stamp; then
  echo "setup: installing the page's packages (npm)"
  (cd web && npm ci --no-audit --no-fund --loglevel=error)
  cp web/package-lock.json $stamp
fi
