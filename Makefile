# README's two commands are `make demo` and `make test`; both set up a virtual environment first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: demo test lint types pytest lit conformance conformance-openvino conformance-update clean

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

# All of ONNX's backend tests in the graph and the native engine, compared with tests/conformance/onnx_suite.toml.
conformance: $(VENV)/.installed-dev
	$(BIN)/python -m tests.conformance.onnx_suite

# ONNX's node models as OpenVINO converts and saves them, compared with OpenVINO; a report under build/.
conformance-openvino: $(VENV)/.installed-dev
	$(BIN)/python -m tests.conformance.openvino_nodes

conformance-update: $(VENV)/.installed-dev
	$(BIN)/python -m tests.conformance.onnx_suite --update

clean:
	rm -rf build $(VENV)
