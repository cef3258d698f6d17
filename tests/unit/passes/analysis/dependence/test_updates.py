"""Updates of carried values, compared with what loops compute."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import f32, i8, i64
from xdsl.ir import Operation

from loomir.compiler.engines import RunListener
from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.dialects.element_types import i1
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.dependence import dependence_of
from loomir.passes.analysis.dependence.updates import Kind, Update, identity_of, update_of
from tests.unit.passes.analysis.dependence.bodies import first_loop

FOLDS: dict[Kind, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
OPERATIONS: dict[Kind, tuple[str, ...]] = {
    "add": ("add", "subtract"),
    "multiply": ("multiply",),
    "maximum": ("maximum",),
    "minimum": ("minimum",),
    "and": ("bitwise_and",),
    "or": ("bitwise_or",),
    "xor": ("bitwise_xor",),
}


class Operands(RunListener):
    """Records the operands of an update's links, in the order of the run."""

    def __init__(self) -> None:
        self.update: Update | None = None
        self.seen: list[tuple[bool, Any]] = []

    def will_interpret_op(self, op: Operation, args: tuple[Any, ...]) -> None:
        for link in () if self.update is None else self.update.links:
            if link.op is op:
                self.seen.append((link.subtracts, args[1 - link.place]))

    def did_interpret_op(self, op: Operation, results: tuple[Any, ...]) -> None:
        pass


@pytest.mark.parametrize("kind", FOLDS)
def test_a_reduction_is_its_operands_in_any_order(kind: Kind) -> None:
    """From the identity, the operands of all iterations in reversed order, and then the initial value."""
    draw = random.Random(kind)
    four = "tensor<4xi64>"
    for _ in range(6):
        lines: list[str] = []
        value = "%v"
        for number in range(draw.randrange(1, 4)):
            name = draw.choice(OPERATIONS[kind])
            operands = [value, draw.choice(["%x", "%s", "%p"])]
            if name != "subtract" and draw.random() < 0.5:
                operands.reverse()
            value = f"%w{number}"
            lines.append(f"{value} = ov.{name} {', '.join(operands)} : ({four}, {four}) -> {four}")
        body = "\n".join(lines)
        text = f"""
        func.func @main(%a: {four}, %x: {four}, %t: tensor<6x4xi64>) -> {four} {{
          %c = ov.constant dense<[4]> : tensor<1xi64> : tensor<1xi64>
          %r = ov.loop carried(%a) sliced(%t) {{slices = [#ov.slice<axis = 0>]}} : ({four}, tensor<6x4xi64>) -> {four} {{
          ^bb0(%i: tensor<i64>, %v: {four}, %part: tensor<1x4xi64>):
            %p = ov.reshape %part, %c : (tensor<1x4xi64>, tensor<1xi64>) -> {four}
            %s = ov.add %p, %i : ({four}, tensor<i64>) -> {four}
            {body}
            ov.next carried({value} : {four})
          }}
          func.return %r : {four}
        }}"""
        module = parse_module(text)
        loop = next(op for op in walk(module) if isinstance(op, LoopOp))
        update = update_of(dependence_of(loop), 0)
        assert update is not None
        assert update.reduction == kind
        assert update.is_exact
        assert not update.is_observed
        assert update.keeps_shape
        listener = Operands()
        listener.update = update
        values = np.random.default_rng(draw.randrange(1000))
        feed = {
            f"arg{k}": values.integers(-(2**62), 2**62, shape) for k, shape in enumerate([(4,), (4,), (6, 4)])
        }
        (result,) = GraphEngine(module, listeners=(listener,))(feed).values()
        folded = np.full(4, identity_of(kind, i64))
        with np.errstate(over="ignore"):
            for subtracted, operand in reversed(listener.seen):
                folded = FOLDS[kind](folded, -operand if subtracted else operand)
            folded = FOLDS[kind](folded, feed["arg0"])
        assert len(listener.seen) == 6 * len(update.links)
        assert np.array_equal(result, folded)


def update(lines: str, following: str, more: str = "", types: str = "tensor<4xf32>") -> Update | None:
    """The update of the carried value %v of a loop with these operations; %u is carried, too."""
    loop = first_loop(f"""
    func.func @main(%a: {types}, %x: {types}, %n: tensor<i64>) -> ({types}, {types}) {{
      %r, %s = ov.loop trip(%n) carried(%a, %a) : (tensor<i64>, {types}, {types}) -> ({types}, {types}) {{
      ^bb0(%i: tensor<i64>, %v: {types}, %u: {types}):
        {lines}
        ov.next carried({following}, {more or "%x"} : {types}, {types})
      }}
      func.return %r, %s : {types}, {types}
    }}""")
    return update_of(dependence_of(loop), 0)


BINARY = "(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>"


def test_linear_updates() -> None:
    found = update(f"%w = ov.multiply %u, %v : {BINARY}\n%z = ov.subtract %x, %w : {BINARY}", "%z")
    assert found is not None
    assert found.is_linear
    assert found.reduction is None
    assert [(link.kind, link.subtracts, link.negates) for link in found.links] == [
        ("multiply", False, False),
        ("add", False, True),
    ]


def test_sums_of_floats_are_not_exact_and_maxima_are() -> None:
    for name, exact in (("add", False), ("multiply", False), ("maximum", True), ("minimum", True)):
        found = update(f"%w = ov.{name} %v, %u : {BINARY}", "%w")
        assert found is not None
        assert found.is_exact == exact
        assert found.is_idempotent == exact


@pytest.mark.parametrize(
    ("lines", "following", "more"),
    [
        (f"%w = ov.add %v, %v : {BINARY}", "%w", ""),  # it doubles
        (f"%w = ov.add %v, %u : {BINARY}", "%w", "%v"),  # with another one in the recurrence
        (f"%w = ov.add %v, %u : {BINARY}", "%u", "%w"),  # the next value is another
        ("%w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>", "%w", ""),
        (f"%w = ov.divide %v, %u : {BINARY}", "%w", ""),
        ("", "%x", ""),  # replaced
        ("", "%v", ""),  # invariant
    ],
)
def test_no_updates(lines: str, following: str, more: str) -> None:
    assert update(lines, following, more) is None


def test_a_value_that_is_read_in_between_is_observed() -> None:
    two = f"%w = ov.add %v, %x : {BINARY}\n%z = ov.add %w, %u : {BINARY}"
    for more, observed in (("%x", False), ("%w", True), ("%z", True), ("%v", True)):
        alone = two.replace("%u", "%x")
        found = update(alone, "%z", more)
        assert found is not None
        assert found.is_observed == observed


def test_a_shape_that_may_grow() -> None:
    dynamic = "tensor<?xf32>"
    found = update(f"%w = ov.add %v, %x : ({dynamic}, {dynamic}) -> {dynamic}", "%w", types=dynamic)
    assert found is not None
    assert not found.keeps_shape


def test_identities() -> None:
    kinds: dict[Kind, tuple[float, ...]] = {
        "add": (5,),
        "multiply": (5,),
        "maximum": (-128,),
        "minimum": (127,),
    }
    for kind, numbers in kinds.items():
        for number in numbers:
            assert FOLDS[kind](np.int8(number), np.int8(identity_of(kind, i8))) == number
            assert FOLDS[kind](np.float32(number), np.float32(identity_of(kind, f32))) == number
    assert np.signbit(np.float32(-0.0) + np.float32(identity_of("add", f32)))
    assert identity_of("and", i1) == 1
    assert identity_of("or", i1) == 0
