# README's two commands are `make demo` and `make test`; both set up a virtual environment first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: demo model-optimizer model-optimizer-names test lint types quick affected durations pytest thorough versions versions-sample pages rooms site lit corruptions mutations fuzz fuzz-sample fuzz-orders fuzz-openvino fuzz-quantised older-processor fuzz-nightly machines attack frozen-c ulp code-lines conformance conformance-openvino conformance-export conformance-update producers engines leaderboard clean

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

# What takes over a minute is a target of its own, and a sample of it is here: `make fuzz`, `make conformance`, `make attack` …
test: lint types pytest fuzz-sample

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-dev
	$(BIN)/basedpyright --level error

# The Model Optimizer that tests compare with, where `make model-optimizer` has installed it.
MODEL_OPTIMIZER := build/model-optimizer
export LOOMIR_MO_ORACLE ?= $(abspath $(firstword $(wildcard $(MODEL_OPTIMIZER)/lib/python*/site-packages/openvino/tools/mo)))

model-optimizer: $(MODEL_OPTIMIZER)/.installed

$(MODEL_OPTIMIZER)/.installed: tests/model_optimizer/requirements.txt
	$(PYTHON) -m venv $(MODEL_OPTIMIZER)
	$(MODEL_OPTIMIZER)/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

# By which names nodes go in its later phases: what it answers is kept, and docs/model-optimizer-names.md written (tests/model_optimizer/names.py).
model-optimizer-names: $(MODEL_OPTIMIZER)/.installed $(VENV)/.installed-dev
	$(BIN)/python -m tests.model_optimizer.names $(MODEL_OPTIMIZER)/bin/python

# The tests of what is changed in the working tree, and of what imports it: tests/affected.py.
affected: $(VENV)/.installed-dev
	$(BIN)/python -m tests.affected

# Lit tests and unit tests that need no C compiler and no time: an answer in three minutes. `make durations` measures which.
quick: $(VENV)/.installed-dev
	$(BIN)/pytest -n 2 -m quick tests/lit tests/unit tests/conformance

durations: $(VENV)/.installed-dev
	rm -rf build/durations
	LOOMIR_THOROUGH=all $(BIN)/python -m pytest -p tests.durations -n 2
	$(BIN)/python -m tests.durations

pytest: $(VENV)/.installed-dev
	$(BIN)/pytest -n 2

# Every case of every family of which `make test` takes a sample; PART=1 to 5 is a fifth of them: tests/tiers.py.
PART ?= all
thorough: $(VENV)/.installed-dev
	LOOMIR_THOROUGH=$(PART) $(BIN)/pytest -n 2

# pytest with the lowest and the newest version of each dependency, on every Python that is here: tests/versions.py.
versions: $(VENV)/.installed-dev
	$(BIN)/python -m tests.versions

versions-sample: $(VENV)/.installed-dev
	$(BIN)/python -m tests.versions --smoke

# The documentation as a site in build/site; a link that leads nowhere is an error (mkdocs.yml).
site: $(VENV)/.installed-dev
	$(BIN)/mkdocs build --strict

lit: $(VENV)/.installed-dev
	$(BIN)/pytest -n 2 tests/lit

# Every expected text under tests/lit corrupted in turn: its test has to fail. A sample is in `make test`; docs/testing.md.
corruptions: $(VENV)/.installed-dev
	$(BIN)/python -m tests.lit_corruptions

# Single mistakes planted in the control-flow passes, each in a process of its own: some test has to fail. A sample is in `make test`.
mutations: $(VENV)/.installed-dev
	$(BIN)/python -m tests.differential.mutations

# Random programs through every engine, one optimisation level each in rotation: docs/fuzzing.md. Failures are under build/fuzz/.
SEED ?= $(shell date +%Y%m%d)
FUZZ := $(BIN)/python -m loomir.tools.loomir_fuzz --forms --jobs 2 --output build/fuzz

fuzz: $(VENV)/.installed-dev
	$(FUZZ) --seed 2026 --count 2000

fuzz-sample: $(VENV)/.installed-dev
	$(FUZZ) --seed 2026 --count 300

# Passes in random legal orders with random options, the program run after each of them. Another seed every day, or SEED=….
fuzz-orders: $(VENV)/.installed-dev
	$(FUZZ) --level orders --check-each-pass --no-ir --engines graph,structured --seed $(SEED) --count 400

# Random programs as OpenVINO IR that loomir writes: read back the same, and run by OpenVINO, whose differences are all of known classes.
fuzz-openvino: $(VENV)/.installed-dev
	$(BIN)/python -m tests.differential.exported_programs

# Random quantised programs with integers: each quantised tensor is at most a step from what floats give of the same quantised tensors.
fuzz-quantised: $(VENV)/.installed-dev
	$(BIN)/python -m tests.differential.quantised_programs

# Another seed every day, ten times as many, and more of what can be compared.
fuzz-nightly: $(VENV)/.installed-dev
	$(FUZZ) --seed $(SEED) --count 20000 --openvino --metamorphic

# Native code as users get it, and for the levels of x86-64, by two C compilers: 2,000 random programs and ONNX's node tests by each of these.
# What a processor lacks is compiled only, and said. Some half an hour on two cores.
MACHINES ?= native,x86-64-v3,x86-64-v4
COMPILERS ?= gcc,ziglang

machines: $(VENV)/.installed-dev
	$(FUZZ) --seed 2026 --count 2000 --engines native --no-ir --machines $(MACHINES) --compilers $(COMPILERS) --c-flags O2 --every-build
	$(BIN)/python -m tests.conformance.onnx_suite --machines $(MACHINES) --compilers $(COMPILERS)

# Damaged files of every kind: docs/testing.md. Another seed every day, or SEED=…; what is wrong is under build/attack/.
attack: $(VENV)/.installed-dev
	$(BIN)/python -m tests.hostile.attack --seed $(SEED) --count 20000 --jobs 2

# Whether the emitted C is what it was, to the byte, for changes that are to leave it alone: tests/frozen_c.py.
frozen-c: $(VENV)/.installed-dev
	$(BIN)/python -m tests.frozen_c

# How far exponentials, logarithms, tangents and error functions as arithmetic are from the true ones: every f32 of a range. Some two minutes.
ulp: $(VENV)/.installed-dev
	$(BIN)/python -m tests.ulp

# The tables of docs/ that are measured and the same each time (bytes, instructions). Some 30 minutes; tests say when they are old.
pages: $(VENV)/.installed-dev rooms
	mkdir -p build
	$(BIN)/python benchmarks/levels.py > build/levels.md && mv build/levels.md docs/levels.md
	$(BIN)/python benchmarks/corpus_levels.py > build/corpus.md && mv build/corpus.md docs/corpus.md
	$(BIN)/python benchmarks/embedded.py > build/microcontrollers.md && mv build/microcontrollers.md docs/microcontrollers.md

# The picture of the rooms in docs/architecture.md, from the import graph: tests/rooms.py. A test says when it is old.
rooms: $(VENV)/.installed-dev
	mkdir -p build
	$(BIN)/python -m tests.rooms > build/rooms.svg && mv build/rooms.svg docs/rooms.svg

# Lines of code of each layer, without comments and docstrings.
code-lines: $(VENV)/.installed-dev
	$(BIN)/python -m tests.code_lines

# The quantised tests as on a processor with AVX2 and without VNNI, where integer kernels saturate: docs/testing.md. ONNX Runtime runs under
# Debian's qemu-user; OpenVINO runs in processes of its own, which are not emulated, and has a switch.
QUANTISED := tests/unit/passes/front/convert_onnx_to_ov/test_quantisation.py tests/conformance/test_real_models.py

older-processor: $(VENV)/.installed-dev
	ONEDNN_MAX_CPU_ISA=AVX2 qemu-x86_64 -cpu Haswell $(BIN)/python -m pytest -p no:cacheprovider $(QUANTISED) -k quantis

# All of ONNX's backend tests in the graph and the native engine, compared with tests/conformance/onnx_suite.toml.
conformance: $(VENV)/.installed-dev
	$(BIN)/python -m tests.conformance.onnx_suite

# ONNX's node models as OpenVINO converts and saves them, compared with OpenVINO; a report under build/.
conformance-openvino: $(VENV)/.installed-dev
	$(BIN)/python -m tests.conformance.openvino_nodes

# OpenVINO IR that loomir writes, run by OpenVINO: ONNX's backend tests, beside OpenVINO's own converter, and what that converter wrote.
conformance-export: $(VENV)/.installed-dev
	$(BIN)/python -m tests.conformance.exported_models
	$(BIN)/python -m tests.conformance.exported_models --for openvino-2026
	$(BIN)/python -m tests.conformance.openvino_nodes_again

conformance-update: $(VENV)/.installed-dev
	$(BIN)/python -m tests.conformance.onnx_suite --update

# Makes the models of tests/fixtures/producers anew, each producer in an environment of its own: docs/testing.md.
PRODUCERS := build/producers

$(PRODUCERS)/%/.installed: tests/producers/requirements-%.txt
	$(PYTHON) -m venv $(PRODUCERS)/$*
	$(PRODUCERS)/$*/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

producers: $(foreach producer,torch onnxscript spox,$(PRODUCERS)/$(producer)/.installed)
	$(PRODUCERS)/torch/bin/python -m tests.producers.with_torch_dynamo
	$(PRODUCERS)/torch/bin/python -m tests.producers.with_torch_script
	$(PRODUCERS)/onnxscript/bin/python -m tests.producers.with_onnxscript
	$(PRODUCERS)/spox/bin/python -m tests.producers.with_spox

# Engines that benchmarks/loops.py and benchmarks/leaderboard.py compare with, each in an environment of its own (1.6 GB together).
# What does not install is left out; the benchmarks say so.
ENGINES := build/engines

$(ENGINES)/%/.installed: benchmarks/engines/requirements-%.txt
	$(PYTHON) -m venv $(ENGINES)/$*
	$(ENGINES)/$*/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

engines:
	-$(MAKE) --keep-going $(patsubst benchmarks/engines/requirements-%.txt,$(ENGINES)/%/.installed,$(wildcard benchmarks/engines/requirements-*.txt))

# docs/leaderboard.md: the corpus in every engine that is installed. Some half an hour.
CORPUS := build/corpus

leaderboard: engines $(VENV)/.installed-dev
	$(BIN)/python examples/make_corpus.py $(CORPUS)
	$(BIN)/python benchmarks/leaderboard.py $(CORPUS) --cpu-time > build/leaderboard.md && mv build/leaderboard.md docs/leaderboard.md

clean:
	rm -rf build $(VENV)
