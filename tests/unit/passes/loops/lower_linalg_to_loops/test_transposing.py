"""Transpositions that go through memory in blocks, with the same elements."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import scf

from loomir.dialects.upstream.walking import walk
from tests.unit.passes.loops.lower_linalg_to_loops.nests import generic, lowered, parse, run, whole

MOVE = "^bb0(%x0: f32, %old: f32):\nlinalg.yield %x0 : f32\n}"
ADD = "^bb0(%x0: f32, %x1: f32, %old: f32):\n%s = arith.addf %x0, %x1 : f32\nlinalg.yield %s : f32\n}"


def text(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


@pytest.mark.parametrize("machine", ["generic", "x86-64-v3"])
@pytest.mark.parametrize(
    ("shape", "order", "loops"),
    [
        ((64, 256), (1, 0), 4),
        ((3, 100, 7, 25), (0, 3, 1, 2), 5),  # 7 is a side of its own
        ((3, 101, 90), (0, 2, 1), 3),  # 101 is a prime
        ((64, 100), (1, 0), 2),  # fits in the first cache
        ((20, 64, 16), (1, 0, 2), 3),  # rows are moved as they are
    ],
)
def test_a_transposition(shape: tuple[int, ...], order: tuple[int, ...], loops: int, machine: str) -> None:
    letters = "abcd"[: len(shape)]
    source = ", ".join(letters[order.index(dim)] for dim in range(len(shape)))
    result = tuple(shape[dim] for dim in order)
    names = [f"x: {text(shape)}"], [f"y: {text(result)}"]
    module = parse(*names, generic(f"{source}; {', '.join(letters)}", "p" * len(shape), *names, body=MOVE))
    x = whole(*shape)
    found = lowered(module, machine)
    nest = sum(isinstance(op, scf.ForOp) for op in walk(found))
    if loops > 3 or machine == "generic":
        assert nest - sum(n == 1 for n in shape) == loops
    assert np.array_equal(run(found, x=x)["y"], x.transpose(order))


def test_one_of_two_inputs() -> None:
    ins, outs = ["x: 128x96", "z: 96x128"], ["y: 96x128"]
    module = lowered(parse(ins, outs, generic("b, a; a, b; a, b", "pp", ins, outs, body=ADD)), "generic")
    assert sum(isinstance(op, scf.ForOp) for op in walk(module)) == 4
    x, z = whole(128, 96), whole(96, 128)
    assert np.array_equal(run(module, x=x, z=z)["y"], x.T + z)


def test_two_outputs_with_different_rows_stay() -> None:
    ins, outs = ["x: 128x96"], ["y: 96x128", "z: 128x96"]
    body = "^bb0(%x0: f32, %o0: f32, %o1: f32):\nlinalg.yield %x0, %x0 : f32, f32\n}"
    module = lowered(parse(ins, outs, generic("b, a; a, b; b, a", "pp", ins, outs, body=body)), "generic")
    assert sum(isinstance(op, scf.ForOp) for op in walk(module)) == 2


def test_the_number_of_an_iteration_is_that_of_the_whole_loop() -> None:
    ins, outs = ["x: 128x96"], ["y: 96x128"]
    body = """^bb0(%x0: f32, %old: f32):
      %a = linalg.index 0 : index
      %b = linalg.index 1 : index
      %ab = arith.subi %a, %b : index
      %i = arith.index_cast %ab : index to i32
      %f = arith.sitofp %i : i32 to f32
      %s = arith.addf %x0, %f : f32
      linalg.yield %s : f32
    }"""
    module = lowered(parse(ins, outs, generic("b, a; a, b", "pp", ins, outs, body=body)), "generic")
    assert sum(isinstance(op, scf.ForOp) for op in walk(module)) == 4
    x = whole(128, 96)
    wanted = x.T + np.arange(96)[:, None] - np.arange(128)
    assert np.array_equal(run(module, x=x)["y"], wanted.astype(np.float32))
