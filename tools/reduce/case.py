"""A program that is being reduced, and how complicated it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FloatAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    TensorType,
    UnrankedTensorType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from loomir.compiler.checking.feeds import Feed
from loomir.dialects.element_types import stored
from loomir.dialects.interface import ROLE, arguments_of
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.walking import walk


@dataclass(frozen=True)
class Case:
    """Module, and its feed if loomir runs it."""

    module: ModuleOp
    feed: Feed | None = None


Measure = tuple[int, int, int, int, int]


def measure(case: Case) -> Measure:
    """Return the complexity of a program, the most important number first.

    Every step of the reducer must lower it. The numbers are: operations, and values that they produce or take; constants
    and arguments; elements of types; different contents; attributes.
    """
    operations = leaves = elements = contents = attributes = 0
    for op in walk(case.module):
        if isinstance(op, memref.AllocOp | memref.ViewOp):
            leaves += 1
        elif is_constant(op):
            leaves += 1
            contents += _variety(constant_contents(op))
        elif not isinstance(op, ModuleOp):
            operations += 1 + len(op.results) + len(op.operands)
        attributes += len(op.attributes)
        for value in op.results:
            elements += _size(value.type)
        for region in op.regions:
            for block in region.blocks:
                operations += 0 if isinstance(op, FuncOp) else len(block.args)
                leaves += len(block.args) if isinstance(op, FuncOp) else 0
                elements += sum(_size(a.type) for a in block.args)
        if isinstance(op, FuncOp):
            for entry in arguments_of(op):
                attributes += len(entry.attributes)
                # A buffer for an output is worse than one that is only used here.
                leaves += 3 * entry.says(ROLE)
                if entry.blob is not None:
                    contents += _variety(entry.blob)
    for value in (case.feed or {}).values():
        contents += sum(_variety(v) for v in (value if isinstance(value, list) else [value]))
    return operations, leaves, elements, contents, attributes


def _size(type_: Attribute) -> int:
    if isinstance(type_, TensorType | MemRefType):
        # An extent that is not known is worse than any number.
        return 1 + sum(1000 if e == DYNAMIC_INDEX else e for e in type_.get_shape())
    return 10_000 if isinstance(type_, UnrankedTensorType) else 1


def _variety(value: Any) -> int:
    """Return how much there is to read in an array.

    It is nothing for zeros, and little for few small integers.
    """
    if not isinstance(value, np.ndarray) or value.size > 4096:
        return 0 if value is None else 100_000
    return sum(_length(x) for x in np.unique(stored(value).reshape(-1)).tolist())


def _length(number: float) -> int:
    if number in (0, 1) and not np.signbit(number):
        return int(number)
    # A whole number is as long as its binary form; any other float is longer.
    whole = np.isfinite(number) and number == np.round(number) and abs(number) < 2**20
    return 1 + int(abs(number)).bit_length() if whole else 30


def is_constant(op: Operation) -> bool:
    """Return True if the operation is a constant of GRAPH or below."""
    return isinstance(op, ConstantOp | arith.ConstantOp)


def constant_contents(op: Operation) -> np.ndarray | None:
    """The contents of a constant; None for an attribute of another kind."""
    if isinstance(op, ConstantOp):
        return op.array
    assert isinstance(op, arith.ConstantOp)
    if isinstance(op.value, IntegerAttr | FloatAttr):
        return np.asarray(op.value.value.data)
    return None
