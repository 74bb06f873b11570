# Short names for the commands of CONTRIBUTING.md. `make dev` first; PYTHON chooses the interpreter it uses.
PYTHON ?= python3
BIN := .venv/bin
.PHONY: dev test fast asan tsan fuzz fuzz-solves mutants bench wheel docs lint clean

dev: ## environment with everything a change needs
	$(PYTHON) -m venv .venv && $(BIN)/python -m pip install -q -e '.[dev]'
	test ! -d .git || $(BIN)/pre-commit install

test: ## all tests of both layers on the built wheel, in fresh environments
	$(PYTHON) tests/run.py --all

fast: ## the quick tests on the working tree
	$(BIN)/python -m pytest -q -m 'not slow and not build' tests

asan: ## C tests and extension under AddressSanitizer and UndefinedBehaviorSanitizer, with the planted bugs
	$(BIN)/python -m pytest -q tests/test_c.py tests/test_sanitizers.py -k 'asan'

tsan: ## the same under ThreadSanitizer
	$(BIN)/python -m pytest -q tests/test_sanitizers.py -k 'tsan'

FUZZ_SECONDS ?= 600
fuzz: ## every reader of files for 10 minutes each; what breaks one lands in build/fuzz
	mkdir -p build/fuzz && $(BIN)/python -m pip install -q atheris
	for name in urdf sdf mjcf roboop bvh toml dh network; do mkdir -p build/fuzz/$$name && \
	  $(BIN)/python tests/fuzz/readers.py $$name build/fuzz/$$name tests/read/corpus/$$name \
	  -max_total_time=$(FUZZ_SECONDS) -timeout=60 -rss_limit_mb=400 -artifact_prefix=build/fuzz/$$name- || exit 1; done

FUZZ_SOLVES ?= 2000000
FUZZ_SEED ?= 0
fuzz-solves: ## random figures, goals, solvers and options against a judge of its own; about an hour
	$(BIN)/python tests/fuzz/solves.py --solves $(FUZZ_SOLVES) --seed $(FUZZ_SEED)

MUTANTS ?= 200
MUTANT_SEED ?= 1
MUTANT_JOBS ?= 1
mutants: ## how many small changes of the sources the tests notice: our own list, and so many drawn; an hour or two, and goes on where it was
	$(BIN)/python tests/mutants.py --draw $(MUTANTS) --seed $(MUTANT_SEED) --jobs $(MUTANT_JOBS)

bench: ## times of FABRIK on free chains; python -m benchmarks lists the others
	$(BIN)/python -m benchmarks chains

wheel: ## source archive and wheel into dist/
	$(BIN)/python -m build

docs: ## the site into build/site, warnings as errors
	$(BIN)/python -m sphinx -W -b html docs build/site

lint: ## everything that is checked without running the code
	$(BIN)/pre-commit run --all-files

clean:
	rm -rf build dist *.egg-info handik/_core*.so
