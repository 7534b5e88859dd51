# Two commands are all a newcomer needs: `make demo` and `make test`. Each sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-all test-slow check bench clean

demo: $(VENV)/ready
	$(BIN)/freefloat inspect src/freefloat/studies/servicer.yaml
	$(BIN)/freefloat inspect src/freefloat/studies/servicer.yaml --model momentum --known load
	rm -rf demo && mkdir demo
	cd demo && ../$(BIN)/freefloat new servicing
	cd demo && ../$(BIN)/freefloat design servicing.yaml --starts 4 -o servicing.excitation.json
	cd demo && ../$(BIN)/freefloat simulate servicing.yaml --excitation servicing.excitation.json --seed 1 -o flight.parquet
	cd demo && ../$(BIN)/freefloat data flight.parquet --plot flight.html
	cd demo && ../$(BIN)/freefloat identify servicing.yaml flight.parquet -o servicing.json
	cd demo && ../$(BIN)/freefloat simulate servicing.yaml --seed 2 -o unseen.parquet
	cd demo && ../$(BIN)/freefloat validate servicing.yaml servicing.json unseen.parquet --plot validation.html
	cd demo && ../$(BIN)/freefloat export servicing.json -o identified.urdf --robot identified.yaml
	@echo "the flight as a page: demo/flight.html; its validation: demo/validation.html; the identified robot: demo/identified.urdf"

test: $(VENV)/ready-test
	$(BIN)/pytest -n 2

test-all: test test-slow

test-slow: $(VENV)/ready-test
	$(BIN)/pytest -n 2 -m slow

check: $(VENV)/ready-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/ready-test
	for script in benchmarks/bench_*.py; do $(BIN)/python $$script || exit 1; done

clean:
	rm -rf $(VENV) .numba_cache .pytest_cache .mypy_cache .ruff_cache demo

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"

$(VENV)/ready: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/ready-test: pyproject.toml $(VENV)/ready | $(BIN)/python
	$(BIN)/python -m pip install --quiet --group test --group check
	touch $@
