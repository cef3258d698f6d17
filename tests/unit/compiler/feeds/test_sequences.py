"""Sequences and optionals in the engines below GRAPH and in emitted C, against ONNX Runtime."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx.parser
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import MemRefType

import loomir
from loomir.compiler.engines.native import CStatus, build_program, run_program
from loomir.compiler.feeds import Boundary
from loomir.passes.structured.bufferize import BufferizePass
from loomir.tools.fuzz.onnx_oracle import onnxruntime_session
from tests.support import assert_values_agree, raises_error
from tests.support_tools import SANITIZE, sanitizing_compilers
from tests.unit.compiler.feeds.sequence_models import CASES, HEAD, model


@cache
def expected(name: str) -> list[dict[str, Any]]:
    session = onnxruntime_session(model(name))
    names = [o.name for o in model(name).graph.output]
    return [dict(zip(names, session.run(names, feed))) for feed in CASES[name].feeds]


@pytest.mark.parametrize("engine", ["graph", "structured", "loops", "native"])
@pytest.mark.parametrize("name", CASES)
def test_engines_agree_with_onnx_runtime(name: str, engine) -> None:
    program = loomir.load(model(name))
    for feed, want in zip(CASES[name].feeds, expected(name)):
        got = program.run(feed, engine=engine)
        for output, value in want.items():
            assert_values_agree(got[output], value, f"{output} for n = {feed['n']}")
    for n, identifier in CASES[name].fails.items():
        with pytest.raises(loomir.Error) as info:
            program.run({**CASES[name].feeds[0], "n": np.array(n, np.int64)}, engine=engine)
        assert info.value.identifier == identifier


SANITIZED = [
    "ragged_in_front_and_erased",
    "in_the_middle",
    "split_in_given_parts",
    "an_if_gives_elements_of_two_lengths",
]


@pytest.mark.parametrize("name", [*SANITIZED, "ragged_and_return", "booleans"])
def test_emitted_c(name: str, tmp_path: Path) -> None:
    """Data within the capacity gives correct results; larger data is an error.

    Sanitizers find nothing in either case.
    """
    program = loomir.load(model(name))
    if name == "ragged_and_return":
        with raises_error("unbounded-shape", "--capacity"):
            program.emit_c(tmp_path)
    code = program.emit_c(tmp_path, capacity=9)
    build_program(code, tmp_path, compiler=sanitizing_compilers()[:1], flags=("-O1", *SANITIZE))
    boundary = Boundary.of(program.lowered("loops", capacity=9))
    for feed, want in zip(CASES[name].feeds, expected(name)):
        try:
            got = boundary.assemble(run_program(code, tmp_path, feed))
        except CStatus as status:
            got = status.args[0]
        if isinstance(got, str):
            assert (got, int(feed["n"]) > 9) == ("ERROR_CAPACITY", True)
            continue
        for output, value in want.items():
            assert_values_agree(got[output], value, output)


def test_the_header_says_how_a_sequence_is_laid_out(tmp_path: Path) -> None:
    header = loomir.load(model("ragged_and_return")).emit_c(tmp_path, "r", capacity=9).header
    assert "the elements of sequence 'y', one slot of 9 each" in header
    assert "the extents of each element of sequence 'y'" in header
    assert "size_t *y_data_dim0 /* how many elements there are */" in header
    header = loomir.load(model("an_optional_is_returned")).emit_c(tmp_path, "o").header
    assert "whether optional 'y' has a value" in header
    assert "the value of optional 'y'" in header
    assert "the elements of sequence 'z'" in header


@pytest.mark.parametrize(
    "name", ["append_and_return", "an_inner_loop_appends", "ragged_and_return", "while_it_is_short"]
)
def test_appending_is_done_in_place(name: str) -> None:
    """A loop that only appends hands no buffer on: what is there already is not copied."""
    structured = loomir.load(model(name)).lowered("structured", capacity=9)
    assert not [r for r in BufferizePass.explain(structured.clone()) if r.location != "return"]
    for loop in loomir.load(model(name)).lowered("loops", capacity=9).walk():
        if isinstance(loop, scf.ForOp | scf.WhileOp):
            assert not [r for r in loop.results if isinstance(r.type, MemRefType)]


def test_elements_of_different_ranks_are_read() -> None:
    text = (
        CASES["elements_of_several_ranks"]
        .text.replace("int64 k)", "float z)")
        .replace("k = SequenceLength(y)", "t = SequenceAt(y, zero)\n z = ReduceSum<keepdims = 0>(t)")
    )
    program = loomir.load(onnx.parser.parse_model(text))
    feed = CASES["elements_of_several_ranks"].feeds[0]
    want = program.run(feed, engine="graph")["z"]
    assert want.shape == ()
    for engine in ("structured", "loops", "native"):
        assert_values_agree(program.run(feed, engine=engine)["z"], want, engine)


def test_a_sequence_as_an_input_of_emitted_c(tmp_path: Path) -> None:
    """The engines make a program for each feed; C takes any sequence that fits in its capacity, and checks what it is told."""
    text = f"""{HEAD}g (seq(float[k]) s, int64 p, optional(float[2]) o) => (float[m] y, seq(float[j]) t, float[2] v) {{
        y = SequenceAt(s, p)
        t = SequenceInsert(s, y, p)
        h = OptionalHasElement(o)
        v = If(h) <then_branch = a () => (float[2] b) {{ b = OptionalGetElement(o) }},
            else_branch = c () => (float[2] d) {{ d = Constant<value = float[2] {{7, 8}}>() }}>
    }}"""
    program = loomir.load(onnx.parser.parse_model(text))
    with raises_error("dynamic-input", "'s'", "--capacity"):
        program.emit_c(tmp_path)
    code = program.emit_c(tmp_path, capacity=4)
    assert "the extents of each element of sequence 's'" in code.header
    build_program(code, tmp_path, compiler=sanitizing_compilers()[:1], flags=("-O1", *SANITIZE))
    boundary = Boundary.of(program.lowered("loops", capacity=4))
    s = [np.arange(k, dtype=np.float32) + k for k in (2, 0, 4)]
    slots = np.zeros((3, 4), np.float32)
    for slot, element in zip(slots, s):
        slot[: element.size] = element
    feed = {"s/data": slots, "s/shapes": np.array([[2], [0], [4]]), "p": np.array(2), "o/has": np.array(True)}
    feed["o"] = np.array([5, 6], np.float32)
    got = boundary.assemble(run_program(code, tmp_path, feed))
    want = program.run({"s": s, "p": np.array(2), "o": feed["o"]}, engine="graph")
    assert_values_agree([got[k] for k in want], list(want.values()), "all")
    for wrong in (
        {"p": np.array(3)},
        {"s/shapes": np.array([[2], [0], [5]])},
        {"s/shapes": np.array([[2], [0], [-1]])},
    ):
        with pytest.raises(CStatus, match="ERROR_INDEX" if "p" in wrong else "ERROR_SHAPE"):
            run_program(code, tmp_path, {**feed, **wrong})
