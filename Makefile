# Two commands are all a newcomer needs: `make demo` and `make test`. Each sets up what it needs.
# Budgets on two cores, once set up: check 3 minutes, test 8, test-slow 40, docs 15. `bench` and `prove` have none.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BASILISK := .venv-basilisk

.PHONY: demo test test-all test-slow check bench prove docs clean

# The main job: what can be found of a servicer with a known load, then all of it; the report's path is the last line.
demo: $(VENV)/ready
	rm -rf demo && mkdir demo
	$(BIN)/freefloat new demo/servicing
	$(BIN)/freefloat inspect demo/servicer.yaml
	$(BIN)/freefloat run demo/servicing.yaml -o demo/servicing.run

test: $(VENV)/ready-test
	$(BIN)/pytest -n 2

test-all: test test-slow

test-slow: $(VENV)/ready-test $(BASILISK)/ready
	$(BIN)/pytest -n 2 -m slow

check: $(VENV)/ready-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Ratios go into benchmarks/history.csv too: commit it with the change whose speed it shows.
bench: $(VENV)/ready-test
	for script in benchmarks/bench_*.py; do $(BIN)/python $$script --history benchmarks/history.csv || exit 1; done

# Statistics of many flights, too long for tests: each script writes a page of docs/proof, which is committed.
# RUNS=20 for as many flights of each, else as many as the page needs. A promise that is broken stops no other script.
prove: $(VENV)/ready-test
	failed=; for script in $(basename $(notdir $(wildcard proof/prove_*.py))); do \
	  $(BIN)/python -m proof.$$script $(if $(RUNS),--runs $(RUNS)) || failed="$$failed $$script"; \
	done; test -z "$$failed" || { echo "not as promised:$$failed" >&2; exit 1; }

# The site in site/. Published studies are run again where sources changed since; `make -j2 docs` runs two at once.
STUDIES := naveen gautier ayusawa christidi spirolazzi flexible
SOURCES := $(shell find src -name '*.py' -o -name '*.yaml')

docs: $(VENV)/ready-docs $(STUDIES:%=build/studies/%.json)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "open site/index.html"

build/studies/%.json: $(SOURCES) docs/hooks/run_study.py | $(VENV)/ready-docs
	$(BIN)/python docs/hooks/run_study.py $* $@

clean:
	rm -rf $(VENV) $(BASILISK) .numba_cache .pytest_cache .mypy_cache .ruff_cache demo build site

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"

$(VENV)/ready: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/ready-test: pyproject.toml $(VENV)/ready | $(BIN)/python
	$(BIN)/python -m pip install --quiet --group test --group check
	touch $@

# Another simulator of spacecraft, which pins numpy from above: only slow tests run it, as a program of its own.
$(BASILISK)/ready:
	$(PYTHON) -m venv $(BASILISK)
	$(BASILISK)/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BASILISK)/bin/python -m pip install --quiet "bsk>=2.12"
	touch $@

$(VENV)/ready-docs: pyproject.toml $(VENV)/ready | $(BIN)/python
	$(BIN)/python -m pip install --quiet --group docs
	touch $@
