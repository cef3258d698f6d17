"""Forms of the integers of random loop bodies, compared with the integers of a run."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import IntegerType, TensorType
from xdsl.ir import Operation, SSAValue

from loomir.compiler.engines import RunListener
from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.dialects.affine_forms import factors_of
from loomir.dialects.ov.integer_forms import IntegerForms
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.scalars.row import wrapped
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.inference import infer

Step = tuple[str, int, int, str]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "subtract", "multiply", "negative", "convert", "constant"]),
        st.integers(0, 12),
        st.integers(0, 12),
        st.sampled_from(["i8", "i32", "i64"]),
    ),
    max_size=7,
)


def program(steps: Sequence[Step], following: Sequence[int], trips: int) -> str:
    """A loop over two carried integers, i64 and i8, whose next values are values of their types."""
    lines: list[str] = []
    values = [("%i", "i64"), ("%k", "i64"), ("%l", "i8"), ("%n", "i64"), ("%m", "i8")]
    for number, (kind, a, b, to) in enumerate(steps):
        name, (x, type_) = f"%s{number}", values[a % len(values)]
        others = [y for y, t in values if t == type_]
        tensor = f"tensor<{type_}>"
        if kind == "constant":
            tensor = f"tensor<{to}>"
            lines.append(f"{name} = ov.constant dense<{b - 4}> : {tensor} : {tensor}")
            type_ = to
        elif kind == "convert":
            lines.append(f"{name} = ov.convert {x} {{destination_type = {to}}} : ({tensor}) -> tensor<{to}>")
            type_ = to
        elif kind == "negative":
            lines.append(f"{name} = ov.negative {x} : ({tensor}) -> {tensor}")
        else:
            y = others[b % len(others)]
            lines.append(f"{name} = ov.{kind} {x}, {y} : ({tensor}, {tensor}) -> {tensor}")
        values.append((name, type_))
    ends: list[str] = []
    for place, type_ in zip(following, ("i64", "i8"), strict=True):
        alike = [name for name, t in values if t == type_ and name != "%i"]
        ends.append(alike[place % len(alike)])
    body = "\n".join(lines)
    return f"""
    func.func @main(%n: tensor<i64>, %m: tensor<i8>) -> (tensor<i64>, tensor<i8>) {{
      %trips = ov.constant dense<{trips}> : tensor<i64> : tensor<i64>
      %r, %s = ov.loop trip(%trips) carried(%n, %m) : (tensor<i64>, tensor<i64>, tensor<i8>) -> (tensor<i64>, tensor<i8>) {{
      ^bb0(%i: tensor<i64>, %k: tensor<i64>, %l: tensor<i8>):
        {body}
        ov.next carried({ends[0]}, {ends[1]} : tensor<i64>, tensor<i8>)
      }}
      func.return %r, %s : tensor<i64>, tensor<i8>
    }}"""


class Compared(RunListener):
    """Compares the results of the operations in a body with their forms."""

    def __init__(self, loop: LoopOp, forms: IntegerForms, outside: dict[SSAValue, int]) -> None:
        self.loop, self.forms, self.values = loop, forms, dict(outside)
        self.iteration = -1
        self.seen = 0

    def will_interpret_op(self, op: Operation, args: tuple[Any, ...]) -> None:
        if op is self.loop.body.block.first_op:
            self.iteration += 1

    def did_interpret_op(self, op: Operation, results: tuple[Any, ...]) -> None:
        if op.parent is not self.loop.body.block or not op.results:
            return
        form, type_ = self.forms.of(op.results[0]), op.results[0].type
        if form is None:
            return
        assert isinstance(type_, TensorType)
        assert isinstance(type_.element_type, IntegerType)
        values = {**self.values, self.loop.iteration: self.iteration}
        number = form.constant + sum(c * prod(values[f] for f in factors_of(s)) for s, c in form.terms)
        assert wrapped(number, type_.element_type) == int(results[0])
        if self.forms.is_exact(op.results[0]):
            assert number == int(results[0])
        self.seen += 1


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    STEPS,
    st.tuples(*[st.integers(0, 12)] * 2),
    st.integers(2, 5),
    st.tuples(st.integers(-(2**62), 2**62), st.integers(-128, 127)),
)
def test_forms_are_the_integers_of_a_run(
    steps: Sequence[Step], following: Sequence[int], trips: int, given: tuple[int, int]
) -> None:
    module = parse_module(program(steps, following, trips))
    loop = next(op for op in walk(module) if isinstance(op, LoopOp))
    assert loop.parent is not None
    forms = IntegerForms(loop, infer(module).fact)
    compared = Compared(loop, forms, dict(zip(loop.parent.args, given, strict=True)))
    feed = {"arg0": np.array(given[0], np.int64), "arg1": np.array(given[1], np.int8)}
    GraphEngine(module, listeners=(compared,))(feed)


def test_counters() -> None:
    """A step may be a value from outside; a value that grows by the iteration number has no form."""
    for steps, following, expected in (
        ([("add", 1, 2, "i64")], 2, "n"),  # k + n
        ([("add", 1, 0, "i64")], 2, None),  # k + i
        ([("constant", 0, 7, "i64"), ("subtract", 1, 3, "i64")], 3, "-3"),
    ):
        module = parse_module(program(steps, (following, 0), 4))
        loop = next(op for op in walk(module) if isinstance(op, LoopOp))
        form = IntegerForms(loop, infer(module).fact).of(loop.carried_arguments[0])
        if expected is None:
            assert form is None
            continue
        assert form is not None
        slope, rest = form.split(loop.iteration)
        assert slope.number == (None if expected == "n" else int(expected))
        assert list(rest.symbols()) == [loop.carried[0]]


def test_squares_of_squares_have_no_form() -> None:
    squares = [("multiply", 0, 0, "")] + [("multiply", 5 + k, 3 + k, "") for k in range(63)]
    module = parse_module(program(squares, (0, 0), 4))
    loop = next(op for op in walk(module) if isinstance(op, LoopOp))
    forms = IntegerForms(loop, infer(module).fact)
    found = [forms.of(op.results[0]) for op in loop.body.block.ops if op.results]
    assert str(found[0]).count("*") == 1
    assert found[-1] is None
