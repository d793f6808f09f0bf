# make demo | test | check | fuzz | bench: each sets up what it needs. Only Python 3.11+ and make must be there.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SHELL := /bin/bash

# A virtual environment for the demo (what a user installs), and what development needs on top.
$(VENV)/.user: pyproject.toml packages/encoder/pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Afterturn needs Python 3.11 or newer: make PYTHON=python3.12 …")'
	@echo 'Installing Afterturn into $(VENV); the first time this takes a minute or two …'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e packages/encoder -e '.[local]'
	touch $@

$(VENV)/.dev: $(VENV)/.user
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[local,llm,openai,anthropic,data,otel]' --group dev
	touch $@


.PHONY: setup demo test check model lint docs fuzz bench live dist clean

setup: $(VENV)/.dev

demo: $(VENV)/.user
	$(BIN)/afterturn demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest

# All that CI runs.
check: $(VENV)/.dev lint docs dist model test

# A small real model for the tests that need one; without it they skip and say so.
model: $(VENV)/.dev
	$(BIN)/python benchmarks/fetch_live_model.py --model smollm2 || echo 'no small model: tests of a real server will skip'

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

docs: $(VENV)/.dev
	$(BIN)/python tools/reference.py --check
	$(BIN)/python tools/check_links.py

dist: $(VENV)/.dev
	$(BIN)/python -m build --outdir dist . >/dev/null
	$(BIN)/python -m build --outdir dist packages/encoder >/dev/null

fuzz: $(VENV)/.dev
	AFTERTURN_FUZZ_EXAMPLES=$${EXAMPLES:-1000000} $(BIN)/python -m pytest tests/stream/test_properties.py tests/stream/test_reference.py

bench: $(VENV)/.dev
	$(BIN)/afterturn bench all

# The measurements of docs/measurements.md on a live model (1.1 GB, fetched once; about half an hour).
live: $(VENV)/.dev
	$(BIN)/python benchmarks/fetch_live_model.py
	$(BIN)/python benchmarks/measure_judges.py

clean:
	rm -rf $(VENV) dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache
