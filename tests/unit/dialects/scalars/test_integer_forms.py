"""Forms of sums and products of `arith`, compared with what the operations compute."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Block, Operation, SSAValue

from loomir.dialects.affine_forms import factors_of
from loomir.dialects.scalars import integer_forms
from loomir.dialects.scalars.integer_forms import difference, form_of
from loomir.dialects.scalars.row import wrapped

KINDS = {"add": arith.AddiOp, "sub": arith.SubiOp, "mul": arith.MuliOp}
STEPS = st.lists(
    st.tuples(st.sampled_from([*KINDS, "constant"]), st.integers(0, 9), st.integers(0, 9)), max_size=8
)


@given(STEPS, st.sampled_from([8, 16, 64]), st.tuples(*[st.integers(-(2**63), 2**63 - 1)] * 2))
def test_a_form_is_the_integer_modulo_its_width(
    steps: Sequence[tuple[str, int, int]], width: int, given: tuple[int, int]
) -> None:
    type_ = IntegerType(width)
    block = Block(arg_types=[type_, type_])
    numbers: dict[SSAValue, int] = {a: wrapped(v, type_) for a, v in zip(block.args, given, strict=True)}
    values: list[SSAValue] = list(block.args)
    for kind, a, b in steps:
        x, y = values[a % len(values)], values[b % len(values)]
        if kind == "constant":
            op: Operation = arith.ConstantOp(IntegerAttr(a - b, type_))
            number = a - b
        else:
            op = KINDS[kind](x, y)
            function = {"add": int.__add__, "sub": int.__sub__, "mul": int.__mul__}[kind]
            number = function(numbers[x], numbers[y])
        block.add_op(op)
        values.append(op.results[0])
        numbers[op.results[0]] = wrapped(number, type_)
    for value in values:
        form = form_of(value, exact=False)
        total = form.constant
        for symbol, coefficient in form.terms:
            total += coefficient * int(np.prod([numbers[s] for s in factors_of(symbol)], dtype=object))
        assert wrapped(total, type_) == numbers[value]


@pytest.mark.parametrize("exact", [True, False])
def test_only_sums_without_wrap_around_are_exact(exact: bool) -> None:
    index = IndexType()
    block = Block(arg_types=[index])
    (a,) = block.args
    one = arith.ConstantOp(IntegerAttr(1, index))
    wraps = arith.AddiOp(a, one)
    exactly = arith.AddiOp(a, one, overflow=arith.IntegerOverflowAttr([arith.IntegerOverflowFlag.NSW]))
    block.add_ops([one, wraps, exactly])
    assert difference(exactly.result, a, exact=exact) == 1
    assert difference(wraps.result, a, exact=exact) == (None if exact else 1)


def test_booleans_are_no_numbers() -> None:
    block = Block(arg_types=[IntegerType(1), IntegerType(1)])
    a, b = block.args
    added = arith.AddiOp(a, b)
    block.add_op(added)
    assert difference(added.result, a, exact=False) is None
    assert form_of(added.result, exact=False).coefficient(added.result) == 1


@pytest.mark.parametrize("kind", [arith.AddiOp, arith.MuliOp])
def test_a_value_is_read_once(
    kind: type[arith.AddiOp | arith.MuliOp], monkeypatch: pytest.MonkeyPatch
) -> None:
    block = Block(arg_types=[IndexType()])
    value = block.args[0]
    for _ in range(64):
        op = kind(value, value)
        block.add_op(op)
        value = op.result
    read: list[SSAValue] = []
    monkeypatch.setattr(integer_forms, "constant_integer", read.append)
    form = form_of(value, exact=False)
    assert len(read) == len(set(read)) <= 64
    assert form.is_small
