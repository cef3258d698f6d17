# README's two commands are `make demo` and `make test`; both set up a virtual environment first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: demo test lint types pytest lit fuzz fuzz-nightly conformance conformance-openvino conformance-update clean

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

test: lint types pytest lit fuzz

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-dev
	$(BIN)/basedpyright --level error

pytest: $(VENV)/.installed-dev
	$(BIN)/pytest -n 2

lit: $(VENV)/.installed-dev
	$(BIN)/lit -q tests/lit

# Random programs through every engine, one optimisation level each in rotation: docs/fuzzing.md. Failures are under build/fuzz/.
FUZZ := $(BIN)/python -m loomir.tools.loomir_fuzz --jobs 2 --output build/fuzz

fuzz: $(VENV)/.installed-dev
	$(FUZZ) --seed 2026 --count 2000

# Another seed every day, ten times as many, and more of what can be compared.
fuzz-nightly: $(VENV)/.installed-dev
	$(FUZZ) --seed $(shell date +%Y%m%d) --count 20000 --openvino --metamorphic
	LOOMIR_NIGHTLY=1 $(BIN)/pytest tests/differential/test_check_each_pass.py

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
