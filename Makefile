# make study = set up + the main job with its report; make test = set up + tests;
# make check = lint, types, architecture, doctests
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

.PHONY: study test test-dashboard docs check setup setup-dev lock clean

study: $(VENV)/.core
	@$(BIN)/equipoise study resnet --report report/resnet.html

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 tests

# Only the running dashboard: in a browser (skipped without chromium) and under made-up requests.
test-dashboard: $(VENV)/.dev
	$(BIN)/python -m pytest -m dashboard tests/web

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest --doctest-modules src

# The site from docs/, into site/, which loads nothing from elsewhere. Warnings are errors.
docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

setup: $(VENV)/.core
setup-dev: $(VENV)/.dev

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[charts]'
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@ $(VENV)/.core

$(VENV)/.docs: pyproject.toml constraints.txt | $(VENV)/.core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[docs]'
	@touch $@ $(VENV)/.core

# Writes the versions of a new environment, without any index address.
lock:
	rm -rf .lock-venv && $(PYTHON) -m venv .lock-venv
	.lock-venv/bin/python -m pip install --quiet --disable-pip-version-check '.[all,dev,docs]'
	(echo "# Versions that the tests ran with; pip install --constraint constraints.txt ..."; \
	 .lock-venv/bin/python -m pip freeze --exclude equipoise) > constraints.txt
	rm -rf .lock-venv

clean:
	rm -rf $(VENV) build dist report site .hypothesis .mypy_cache .ruff_cache .pytest_cache
