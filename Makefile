# The front door; CMake does the building (presets release, debug, clang, sanitize, fuzz).
#   make            build the program (build/release/capstan)
#   make demo       set up, build, run the tensioner's story, say where the reports lie
#   make test-quick  the checks and tests of a minute, while one works
#   make test       set up, then everything that must hold before a change is merged; below eight minutes
#   make test-all   the same in full: all of it sanitized, valgrind, long loops; below 45 minutes
#   make validate   every claim of the atlas, and tests that take minutes each
#   make bench      benchmarks; tables, and CSV in out/bench
#   make fuzz       fuzz the readers, FUZZ_SECONDS each (600)
#   make fuzz-settings  random settings for all examples: crashes, deaf runs, wrong results; FUZZ_RUNS of FUZZ_SEED
#   make torture    the k-th allocation fails, libraries included, for TORTURE_TRIES of them
#   make docs       docs/reference.md from the program's own tables
#   make screenshots  pictures of the reports of all drives, into docs/gallery
#   make wheel      the Python package as a file for pip
#   make install    to $(prefix), below $(DESTDIR)
#   make dist       the release as a tarball, with the page built, into out/dist
#   make deb        Debian packages from it, built and tried in a chroot, into out/deb
#   make format     write all sources as clang-format does
#   make clean      remove build/ and out/
prefix ?= /usr/local
FUZZ_SECONDS ?= 600
FUZZ_RUNS ?= 2000
FUZZ_SEED ?= 1
TORTURE_TRIES ?= 700
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CAPSTAN = build/release/capstan

.PHONY: all configure program setup demo test-quick test test-all validate bench fuzz fuzz-settings torture docs screenshots wheel install dist deb format clean

all: configure
	@cmake --build --preset release -j $(JOBS)

configure:
	@command -v cmake >/dev/null && command -v ninja >/dev/null || \
	  { echo "cmake and ninja are needed: make setup installs them"; exit 1; }
	@cmake --preset release >/dev/null

# The program alone, without tests and benchmarks.
program: configure
	@cmake --build --preset release -j $(JOBS) --target capstan_program

setup:
	@scripts/setup.sh demo

demo: setup
	@$(MAKE) --no-print-directory program
	@scripts/demo.sh

# Three levels (docs/testing.md); the quick one takes what is installed.
test-quick:
	@scripts/test.sh quick

test:
	@scripts/setup.sh test
	@scripts/test.sh test

test-all:
	@scripts/setup.sh test-all
	@scripts/test.sh all

validate: setup
	@$(MAKE) --no-print-directory all
	@scripts/validate.sh

bench:
	@scripts/setup.sh bench
	@$(MAKE) --no-print-directory all
	@cmake --build --preset release -j $(JOBS) --target benchmarks
	@scripts/bench.sh $(BENCH)

fuzz:
	@scripts/setup.sh fuzz
	@cmake --preset fuzz >/dev/null
	@cmake --build --preset fuzz -j $(JOBS)
	@scripts/fuzz.sh $(FUZZ_SECONDS)

fuzz-settings: configure
	@cmake --build --preset release -j $(JOBS) --target capstan_program fuzz_settings
	@scripts/fuzz_settings.sh $(FUZZ_RUNS) $(FUZZ_SEED)

torture: configure
	@cmake --build --preset release -j $(JOBS) --target capstan_program torture
	@scripts/torture.sh $(TORTURE_TRIES)

docs: program
	@$(CAPSTAN) schema --markdown >docs/reference.md.new && mv docs/reference.md.new docs/reference.md
	@echo "docs/reference.md is up to date"

# Chromium is what the tests need, too.
screenshots:
	@scripts/setup.sh test
	@$(MAKE) --no-print-directory program
	@scripts/screenshots.sh $(PICTURES)

# The Python package of the build as a file for pip, in out/wheel.
wheel: all
	@scripts/wheel.py

install: all
	DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(prefix)"

dist:
	@scripts/setup.sh demo
	@scripts/dist.sh

deb:
	@scripts/setup.sh deb
	@scripts/dist.sh
	@scripts/deb.sh $(SUITE)

format:
	@scripts/check_format.sh --fix

clean:
	rm -rf build out
