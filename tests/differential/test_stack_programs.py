"""Stacks in loops: sequences that nested branches push to and pop from, for inputs of no, one, two and more elements."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import onnx
import onnx.parser
import pytest

import loomir
from loomir.compiler.model import ENGINES
from tests.differential.oracle import assert_engines_agree, run_onnxruntime
from tests.differential.stack_programs import CONSTANTS, HEAD, StackProgram

LENGTHS = (0, 1, 2, 7)

BRACKETS = f"""{HEAD} g (int64[n] tokens) => (bool balanced) {{
    {CONSTANTS}
    trips = Size(tokens)
    start = SequenceEmpty<dtype = 7>()
    left, matched = Loop(trips, yes, start, yes) <body = step
        (int64 i, bool c, seq(int64) stack, bool ok) => (bool again, seq(int64) next, bool fine) {{
      again = Identity(c)
      token = Gather<axis = 0>(tokens, i)
      opens = Greater(token, zero)
      next, fine = If(opens) <
        then_branch = push () => (seq(int64) pushed, bool ok1) {{
          pushed = SequenceInsert(stack, token)
          ok1 = Identity(ok)
        }},
        else_branch = close () => (seq(int64) closed, bool ok2) {{
          size = SequenceLength(stack)
          filled = Greater(size, zero)
          closed, ok2 = If(filled) <
            then_branch = pop () => (seq(int64) popped, bool ok3) {{
              top = SequenceAt(stack, minus)
              mate = Neg(top)
              same = Equal(mate, token)
              popped, ok3 = If(same) <
                then_branch = match () => (seq(int64) shorter, bool ok4) {{
                  shorter = SequenceErase(stack, minus)
                  ok4 = Identity(ok)
                }},
                else_branch = mismatch () => (seq(int64) kept, bool ok5) {{
                  kept = Identity(stack)
                  ok5 = Identity(no)
                }}>
            }},
            else_branch = nothing () => (seq(int64) empty, bool ok6) {{
              empty = Identity(stack)
              ok6 = Identity(no)
            }}>
        }}>
    }}>
    rest = SequenceLength(left)
    none_left = Equal(rest, zero)
    balanced = And(none_left, matched)
}}"""
"""Program that tests if brackets match.

A kind of bracket is a number, and its closing bracket the negative.
"""


@pytest.mark.parametrize("length", [None, *LENGTHS])
def test_brackets(length: int | None) -> None:
    text = BRACKETS if length is None else BRACKETS.replace("int64[n]", f"int64[{length}]")
    words = [[], [1], [-1], [1, -1], [1, -2], [1, 2, -2, -1, 3, -3, 4], [1, 2, 3, -3, -2, -1, -1]]
    feeds = [{"tokens": np.array(w, np.int64)} for w in words if length in (None, len(w))]
    model = onnx.parser.parse_model(text)
    expected = run_onnxruntime(model, feeds)
    assert_engines_agree(loomir.load(model), feeds, expected)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("length", LENGTHS)
def test_random_programs(seed: int, length: int) -> None:
    program = StackProgram(seed, length if seed % 2 else None)
    feeds = [{"tokens": np.random.default_rng(seed).integers(-3, 4, length)}]
    model = loomir.load(program.model)
    try:
        expected = run_onnxruntime(program.model, feeds)
    except Exception:  # ONNX Runtime has no class for it: something is popped that is not there
        for engine in ENGINES:
            with suppress(loomir.Error):  # what nothing uses may be gone, and its failure with it
                model.run(feeds[0], engine=engine)
        return
    assert_engines_agree(model, feeds, expected)
