"""Random programs of nested loops and branches: every engine agrees with ONNX Runtime, unrolled or not."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import numpy as np
import onnx
import pytest

import loomir
from loomir.compiler.model import ENGINES, Engine
from tests.conformance.test_upstream import MLIR_OPT, verify_upstream
from tests.differential.oracle import assert_engines_agree, run_onnxruntime
from tests.differential.programs import Program, program
from tests.support import assert_all_agree
from tests.support_c import run_sanitized

SEEDS = range(40)
SANITIZED_SEEDS = range(100, 110)
UPSTREAM_SEEDS = range(200, 220)
OPEN_SEEDS = range(300, 306)
FIRST_AND_LAST: tuple[Engine, ...] = ("graph", "loops")
UNROLLINGS = (
    "ov-loop-unroll{max-trips=4},canonicalize",
    "ov-loop-unroll{max-trips=1 factor=2},canonicalize",
)


def nodes(graph: onnx.GraphProto, depth: int = 0) -> Iterator[tuple[int, onnx.NodeProto]]:
    """Every node of a graph and its subgraphs, with the number of regions around it."""
    for node in graph.node:
        yield depth, node
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from nodes(attribute.g, depth + 1)


def make(seed: int) -> tuple[Program, list[dict[str, np.ndarray]]]:
    """The program of a seed, of moderate size, and what ONNX Runtime makes of it."""
    made = program(seed, size=10)
    return made, run_onnxruntime(made.model, made.feeds)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_engine_agrees_with_onnxruntime(seed: int) -> None:
    made, expected = make(seed)
    model = loomir.load(made.model)
    assert_engines_agree(model, made.feeds, expected, engines=ENGINES, what=f"seed {seed}")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("pipeline", UNROLLINGS)
def test_unrolling_changes_nothing(seed: int, pipeline: str) -> None:
    made, expected = make(seed)
    model = loomir.load(made.model).optimize(pipeline)
    assert_engines_agree(model, made.feeds, expected, engines=FIRST_AND_LAST, what=f"seed {seed}, {pipeline}")


@pytest.mark.parametrize("seed", SANITIZED_SEEDS)
def test_emitted_c_has_no_undefined_behaviour(seed: int) -> None:
    made = program(seed, size=6)
    (expected,) = run_onnxruntime(made.model, made.feeds[:1])
    module = loomir.load(made.model).lowered("loops")
    assert_all_agree(run_sanitized(module, made.feeds[0]), expected, f"seed {seed}")


@pytest.mark.skipif(shutil.which(MLIR_OPT) is None, reason=f"{MLIR_OPT} is installed in CI")
@pytest.mark.parametrize("seed", UPSTREAM_SEEDS)
def test_lowered_programs_are_upstream_mlir(seed: int) -> None:
    model = loomir.load(program(seed, size=10).model)
    verify_upstream(model, "structured")
    verify_upstream(model, "loops")


@pytest.mark.parametrize("seed", OPEN_SEEDS)
def test_feeds_of_different_shapes(seed: int) -> None:
    made = program(seed, size=8, open_shapes=True)
    expected = run_onnxruntime(made.model, made.feeds)
    assert_engines_agree(loomir.load(made.model), made.feeds, expected, what=f"seed {seed}")


@pytest.mark.parametrize("seed", OPEN_SEEDS)
def test_one_program_for_all_feeds(seed: int) -> None:
    """Open extents with a bound: what is lowered once serves every feed."""
    made = program(seed, size=8, open_shapes=True)
    expected = run_onnxruntime(made.model, made.feeds)
    inputs = loomir.load(made.model, optimize=False).inputs
    largest = {
        i.name: [4 if e is None else e for e in i.shape] for i in inputs if i.shape and None in i.shape
    }
    model = loomir.load(made.model, max_shapes=largest)
    model.lowered("loops")
    assert_engines_agree(
        model, made.feeds, expected, engines=("loops", "native"), what=f"seed {seed}, bounded"
    )


def test_a_seed_always_gives_the_same_program() -> None:
    first, second = program(3), program(3)
    assert first.model.SerializeToString(deterministic=True) == second.model.SerializeToString(
        deterministic=True
    )
    assert_all_agree(first.feeds[0], second.feeds[0])


def test_the_seeds_hold_what_they_are_meant_to_test() -> None:
    operators: set[str] = set()
    kinds: set[str] = set()
    for seed in SEEDS:
        for depth, node in nodes(program(seed, size=10).model.graph):
            operators.add(node.op_type)
            kinds.add(f"depth {depth}")
            attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
            if node.op_type == "Loop":
                kinds |= {"no trip count"} if not node.input[0] else set()
                kinds |= {"no condition"} if not node.input[1] else set()
                kinds |= {"scan outputs"} if len(node.output) > len(node.input) - 2 else set()
            if node.op_type == "Scan":
                kinds |= {"reverse input"} if 1 in attributes["scan_input_directions"] else set()
                kinds |= {"reverse output"} if 1 in attributes.get("scan_output_directions", ()) else set()
                kinds |= {"other axis"} if any(attributes["scan_input_axes"]) else set()
    assert {
        "Loop",
        "If",
        "Scan",
        "MatMul",
        "Concat",
        "Slice",
        "Gather",
        "Transpose",
        "ReduceSum",
    } <= operators
    assert {"depth 3", "no trip count", "no condition", "scan outputs"} <= kinds
    assert {"reverse input", "reverse output", "other axis"} <= kinds
