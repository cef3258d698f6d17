"""Copies of the body of an `scf.for` outside of it.

Unrolling and peeling are built from them.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.scalars.constants import constant_integer


def inline_iterations(
    loop: scf.ForOp, point: InsertPoint, first: int, count: int, values: Sequence[SSAValue]
) -> list[SSAValue]:
    """Emit `count` iterations from number `first` on as straight-line code.

    The bounds are constants. Returns the carried values.
    """
    lower, step = constant_integer(loop.lb), constant_integer(loop.step)
    assert lower is not None
    assert step is not None
    for k in range(first, first + count):
        index = loop_constant(lower + k * step, loop, point) if loop.body.block.args[0].uses else loop.lb
        values = copy_body(loop, point, index, values)
    return list(values)


def copy_body(
    loop: scf.ForOp, point: InsertPoint, iv: SSAValue, values: Sequence[SSAValue]
) -> list[SSAValue]:
    """A copy of the body at a point; returns what it yields."""
    block = loop.body.block
    mapping: dict[SSAValue, SSAValue] = dict(zip(block.args, (iv, *values), strict=True))
    for op in block.ops:
        if isinstance(op, scf.YieldOp):
            return [mapping.get(value, value) for value in op.operands]
        Rewriter.insert_op(op.clone(mapping), point)
    raise AssertionError("a loop body without scf.yield")


def loop_constant(value: int, loop: scf.ForOp, point: InsertPoint) -> SSAValue:
    """A constant of the induction variable's type."""
    type_ = loop.lb.type
    assert isinstance(type_, IndexType | IntegerType)
    return emit(arith.ConstantOp(IntegerAttr(value, type_)), loop, point)


def distance(loop: scf.ForOp, point: InsertPoint) -> SSAValue:
    """Return the distance that a loop covers: ub - lb, or 0.

    The distance must be read as unsigned: bounds may be farther apart than half of all numbers.
    """
    return emit(arith.SubiOp(emit(arith.MaxSIOp(loop.ub, loop.lb), loop, point), loop.lb), loop, point)


def emit(op: Operation, loop: scf.ForOp, point: InsertPoint) -> SSAValue:
    """Insert an operation with one result that represents part of the loop."""
    op.location = loop.location
    Rewriter.insert_op(op, point)
    return op.results[0]
