# README's two commands are `make demo` and `make test`; both set up a virtual environment first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: demo test lint types pytest lit clean

# One stamp per set of extras: the demo needs no test oracles.
$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

demo: $(VENV)/.installed
	$(BIN)/python examples/demo.py

test: lint types pytest lit

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-dev
	$(BIN)/basedpyright --level error

pytest: $(VENV)/.installed-dev
	$(BIN)/pytest -n 2

lit: $(VENV)/.installed-dev
	$(BIN)/lit -q tests/lit

clean:
	rm -rf build $(VENV)
