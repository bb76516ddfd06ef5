# Everything one does with this tree; `make` lists the commands. Debian 12 with git and make is enough: the other
# tools are installed from Debian's packages when they are missing (packaging/debian-packages.txt), as root or by sudo.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help serve test systems build demo bench seeds screenshots docs format lint asan tsan fuzz crash cluster soak packages install clean

JOBS         ?= $(shell nproc)
TESTS        ?=
SERVE        ?=
FUZZ_SECONDS ?= 10
KILLS        ?= 200
FLIPS        ?= 280
SOAK         ?= 60
FORMS        ?=
export TAVOLA_RELEASES TAVOLA_MAINTAINER
PREFIX       ?= /usr/local

# Kilobytes. Sanitizers make frames several times larger, and an expression may nest 600 levels deep.
SANITIZED_STACK := 65536

# CPU seconds that the program takes to build from nothing, without ccache (g++ 12).
SERVE_SECONDS := 380

build_preset = NINJA_STATUS='[%f of %t, %e s] ' cmake --build build/$(1) --parallel $(JOBS)
# One more than there are cores: some tests wait, for a disk that is full or a process that is killed.
run_tests    = python3 -B tests/run.py build/$(1) --jobs $$(($(JOBS) + 1)) --only '$(TESTS)'

help: ## this list
	@echo "Tavola, a DynamoDB-compatible database in C++. The commands:"
	@echo
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  JOBS=$(JOBS) parallel jobs; TESTS=regex tests by name; FUZZ_SECONDS=$(FUZZ_SECONDS) per target; KILLS=$(KILLS); SOAK=$(SOAK); PREFIX=$(PREFIX)"

serve: build/release/build.ninja ## build and start the server; SERVE="--port 9000 --in-memory" and so on
	@if [ -n "$$(find CMakeLists.txt CMakePresets.json cmake console include src web -newer build/release/tavola 2>&1)" ]; then \
	  echo "Building Tavola: about $$(( ($(SERVE_SECONDS) / $(JOBS) + 59) / 60 )) min on $(JOBS) cores the first time, later only what changed."; \
	  $(call build_preset,release) --target tavola_program && touch build/release/tavola; fi
	@build/release/tavola serve $(SERVE)

test: setup-test build/dev/build.ninja ## build, then every test
	@$(call build_preset,dev)
	@$(call run_tests,dev)

systems: setup-test build/dev/build.ninja ## the long form of the tests of the applications: many shops, many tills, many kills
	@$(call build_preset,dev)
	@LONG=yes python3 -B tests/run.py build/dev --jobs 1 --only '^systems_'

build: setup-test build/dev/build.ninja ## compile everything (preset dev: warnings are errors)
	@$(call build_preset,dev)

demo: setup-test build/dev/build.ninja ## the applications of systems/ with sample data, on one database; Ctrl-C ends all
	@$(call build_preset,dev) --target tavola_program inventory catalogue crawler_program text-analyzer
	@python3 -B systems/demo.py build/dev

bench: setup-test build/release/build.ninja ## the benchmarks, optimised; prints a table and writes bench/results/*.json
	@cmake -B build/release -DTAVOLA_BENCH=ON >/dev/null
	@$(call build_preset,release) --target bench

seeds: setup-test build/dev/build.ninja ## which tests show which requirement of the systems in designs/
	@$(call build_preset,dev)
	@python3 -B tests/designs/seeds.py build/dev --run

screenshots: setup-test build/dev/build.ninja ## pictures of the console and of the applications, in build/screenshots
	@$(call build_preset,dev) --target tavola_program catalogue inventory crawler_program text-analyzer
	@PROGRAM=build/dev/tavola-inventory WEB_PACKAGES=$(CURDIR)/build/dev/web/node_modules node tests/systems/screenshots.mjs build/screenshots
	@cp build/screenshots/dashboard-wide-light.png systems/inventory/pictures/dashboard.png
	@PROGRAM=build/dev/tavola-catalogue WEB_PACKAGES=$(CURDIR)/build/dev/web/node_modules node tests/systems/catalogue_pictures.mjs build/screenshots
	@cp build/screenshots/catalogue/sites-wide-light.png systems/catalogue/pictures/sites.png
	@WEB_PACKAGES=$(CURDIR)/build/dev/web/node_modules node tests/systems/demo_pictures.mjs build/dev build/screenshots
	@cp build/screenshots/text-analyzer/texts-wide-light.png systems/text-analyzer/pictures/texts.png
	@cp build/screenshots/text-analyzer/result-wide-light.png systems/text-analyzer/pictures/result.png
	@cp build/screenshots/crawler/status-wide-light.png systems/crawler/pictures/status.png
	@TAVOLA=build/dev/tavola WEB_PACKAGES=$(CURDIR)/build/dev/web/node_modules node tests/console/pictures.mjs build/screenshots/console
	@cp build/screenshots/console/items-wide-light.png console/pictures/items.png
	@cp build/screenshots/console/governed-wide-light.png console/pictures/governed.png
	@cp build/screenshots/console/requests-wide-dark.png console/pictures/requests.png

docs: build/dev/build.ninja ## write docs/designs/ anew, from designs/
	@$(call build_preset,dev) --target tavola_program
	@for design in $(filter-out %.cases.yaml,$(wildcard designs/*.yaml)); do \
	  build/dev/tavola design docs $$design >docs/designs/$$(basename $$design .yaml).md || exit 1; done

format: setup-test ## lay the code out with clang-format-19
	@python3 -B tests/format.py --write

lint: setup-lint build/dev/build.ninja ## clang-tidy-19
	@$(call build_preset,dev)
	@python3 -B tests/lint.py build/dev --jobs $(JOBS)

asan: setup-test build/asan/build.ninja ## every test under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(call build_preset,asan)
	@ulimit -s $(SANITIZED_STACK); $(call run_tests,asan)

tsan: setup-test build/tsan/build.ninja ## every test under ThreadSanitizer
	@$(call build_preset,tsan)
	@ulimit -s $(SANITIZED_STACK); $(call run_tests,tsan)

fuzz: setup-lint build/fuzz/build.ninja ## every fuzz target for FUZZ_SECONDS
	@$(call build_preset,fuzz)
	@python3 -B fuzz/run.py build/fuzz --seconds $(FUZZ_SECONDS)

crash: setup-test build/dev/build.ninja ## the crash test in its long form: KILLS kills, FLIPS flipped bits
	@$(call build_preset,dev) --target crash_test
	@KILLS=$(KILLS) FLIPS=$(FLIPS) build/dev/tests/crash_test

cluster: setup-test build/dev/build.ninja ## eight servers in front of one for a minute, killed in turn; lost answers; histories; another server behind them; two on PostgreSQL
	@$(call build_preset,dev) --target tavola_program
	@TAVOLA_FRONTS=8 TAVOLA_SECONDS=60 python3 -B tests/upstream/cluster_test.py build/dev/tavola
	@TAVOLA_CALLS=600 python3 -B tests/upstream/failures_test.py build/dev/tavola
	@TAVOLA_SECONDS=60 python3 -B tests/upstream/history_test.py build/dev/tavola
	@for name in governed governed_contention governed_model; do \
	  python3 -B tests/designs/$${name}_test.py build/dev/tavola --front --dynoxide || [ $$? -eq 77 ] || exit 1; done
	@for cases in designs/*.cases.yaml; do for behind in tavola dynoxide; do \
	  python3 -B tests/designs/run_cases.py build/dev/tavola $$cases --front $$behind || [ $$? -eq 77 ] || exit 1; done; done
	@TAVOLA_SECONDS=60 python3 -B tests/postgres/history_test.py build/dev/tavola

soak: setup-test build/dev/build.ninja ## minutes of load and of checked histories, in memory and on disk: SOAK seconds each
	@$(call build_preset,dev) --target tavola_program
	@for data in "" "--data -"; do \
	  python3 -B tests/history/run.py build/dev/tavola --seconds $(SOAK) $$data && \
	  python3 -B tests/stress/load.py build/dev/tavola --connections 256 --seconds $(SOAK) $$data || exit 1; done

packages: setup-package build/static/build.ninja ## every package in build/packages, each installed and used; FORMS="deb npm" only these
	@$(call build_preset,static)
	@python3 -B packaging/build.py $(FORMS)
	@python3 -B packaging/test.py $(FORMS)

install: build/release/build.ninja ## install the program, the library and the manual page under PREFIX
	@$(call build_preset,release)
	@cmake --install build/release --prefix $(PREFIX)
	@[ "$$(id -u)" -ne 0 ] || ldconfig  # programs find the shared library

clean: ## remove every build
	rm -rf build

# Configuring: once per preset, and again when the presets change; ninja does it by itself when a CMake file changes.
build/%/build.ninja: CMakePresets.json | setup-build
	@mkdir -p build
	@echo "Configuring build/$*"
	@cmake --fresh --preset $* >build/$*.log 2>&1 || { cat build/$*.log >&2; rm -f $@; exit 1; }
	@touch $@

build/static/build.ninja: | setup-package
build/fuzz/build.ninja: | setup-lint
build/dev/build.ninja build/asan/build.ninja build/tsan/build.ninja: | setup-test

.PHONY: setup-build setup-test setup-lint setup-package
setup-build:
	@packaging/setup build
setup-test:
	@packaging/setup build test
setup-lint:
	@packaging/setup build test lint
setup-package:
	@packaging/setup build test package
	@packaging/source simdjson
	@python3 -B packaging/roots.py
