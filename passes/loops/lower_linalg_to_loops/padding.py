"""Padded inputs of a generic: restricted loops, and the remaining guards.

Some loops are restricted to the interior; what is left is guarded.

An input with `loomir.pads` is read as if it were larger; the element at the padded coordinate `p` is `x[p - low]` where
`0 <= p - low < size`, else the padding value. The load must not run outside. There are two ways, per dimension:

- *restrict*: if the padding is neutral for the accumulation (see below) and the coordinate is `base + c·k` with a reduction
  loop `k` innermost in it, the bounds of that loop become
  `k from ⌈max(-base, 0) / c⌉ to min(K, ⌈max(size - base, 0) / c⌉)`. If the coordinate has no reduction loop, the outermost
  reduction loop runs zero times outside. Nothing is tested per element.
- *guard*: `scf.if inside { load } else { value }`; the conditions of outer dimensions are computed in outer loops.

*Neutral* padding leaves an accumulation unchanged.

Iterations that read such padding need not run at all. The body of a `linalg.generic` is evaluated with the padded input
replaced by its padding value: if every result then is the incoming accumulator, the iteration may be skipped.

    acc + pad·w        pad = 0 and w finite (or integer)      a convolution
    acc + pad          pad = 0                                a sum
    max(acc, pad)      pad = −∞ or the least integer          max-pooling
    acc + (pad − z)·w  pad = z, integers                      a quantised convolution, also by quads

The sign of a zero is not tracked: `-0.0 + 0.0·w` is `+0.0`, which compares equal to the `-0.0` that skipping leaves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerType, MemRefType
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from loomir.dialects import quads
from loomir.dialects.element_types import dtype_of, is_float
from loomir.dialects.index_builder import Extent
from loomir.dialects.interface import entry_of
from loomir.dialects.scalars import SCALARS, Scalar
from loomir.dialects.scalars.integers import bytes_of
from loomir.dialects.scalars.row import constant_number, is_integer, wrapped
from loomir.passes.analysis.aliasing import Aliasing
from loomir.passes.loops.lower_linalg_to_loops.access import ExtentLookup, MemRefAccess
from loomir.passes.loops.lower_linalg_to_loops.index_math import IndexForm
from loomir.passes.structured.lib.memrefs import PadSpec


@dataclass(frozen=True)
class KnownNumber:
    """A number: a Python float, or an int in two's complement."""

    number: int | float


@dataclass(frozen=True)
class Accumulator:
    """The value that output `index` had before this iteration."""

    index: int


@dataclass(frozen=True)
class Finite:
    """Some number that is neither infinite nor NaN."""


@dataclass(frozen=True)
class UnknownValue:
    """Any value."""


Fact: TypeAlias = KnownNumber | Accumulator | Finite | UnknownValue
FINITE, ANYTHING = Finite(), UnknownValue()


def is_neutral(body: Block, facts: list[Fact]) -> bool:
    """Return True if the body yields its accumulators unchanged.

    `facts` holds a fact for each argument. Integer arguments count as finite in any case.
    """
    known: dict[SSAValue, Fact] = {}
    for argument, fact in zip(body.args, facts, strict=True):
        known[argument] = FINITE if fact == ANYTHING and is_integer(argument.type) else fact
    for op in body.ops:
        if isinstance(op, YieldOp):
            yielded = [_fact(value, known) for value in op.operands]
            return yielded == [Accumulator(i) for i in range(len(yielded))]
        for result in op.results:
            fact = _evaluate(op, [_fact(value, known) for value in op.operands])
            known[result] = FINITE if fact == ANYTHING and is_integer(result.type) else fact
    raise AssertionError("a linalg body without linalg.yield")


def _fact(value: SSAValue, known: dict[SSAValue, Fact]) -> Fact:
    """Return the known fact of a value in or outside the body."""
    return known[value] if value in known else constant_fact(value)


def constant_fact(value: SSAValue) -> Fact:
    """The number of an `arith.constant`; nothing is known of other values."""
    number = constant_number(value)
    if number is None:
        return ANYTHING
    return KnownNumber(wrapped(number, value.type) if isinstance(number, int) else number)


def _evaluate(op: Operation, operands: list[Fact]) -> Fact:
    if isinstance(op, arith.ConstantOp):
        return constant_fact(op.result)
    row = SCALARS.get(type(op))
    if row is None or len(op.results) != 1:
        return ANYTHING
    result = op.results[0].type
    known = [fact.number for fact in operands if isinstance(fact, KnownNumber)]
    if len(known) == len(operands):
        return _computed(row, op, known)
    neutral = None if row.neutral is None else row.neutral(result)
    match op, operands:
        case _, [other, KnownNumber(number=n)] if n == neutral:
            return other
        case _, [KnownNumber(number=n), other] if row.commutative and n == neutral:
            return other
        case quads.DotOp(), [accumulator, KnownNumber(number=int(n)), _] if all(
            byte == op.zero.value.data for byte in bytes_of(n, unsigned=op.unsigned is not None)
        ):
            return accumulator
        case arith.MuliOp() | arith.MulfOp(), [KnownNumber(number=0), Finite()] | [
            Finite(),
            KnownNumber(number=0),
        ]:
            # 0·∞ is NaN.
            return KnownNumber(0)
        case arith.ExtFOp(), [Finite()]:
            return FINITE
        case (arith.SIToFPOp() | arith.UIToFPOp(), [Finite()]) if _holds_any_integer(
            op.operands[0].type, result
        ):
            return FINITE
        case _:
            return ANYTHING


def _computed(row: Scalar, op: Operation, numbers: list[int | float]) -> KnownNumber:
    """Return the result of an operation for known numbers."""
    with np.errstate(all="ignore"):
        result = row.numpy(op)(*[dtype_of(v.type).type(n) for v, n in zip(op.operands, numbers)])
    return KnownNumber((float if is_float(op.results[0].type) else int)(result))


def _holds_any_integer(source: Attribute, target: Attribute) -> bool:
    """Return True if no integer of the source type overflows the float.

    All float types but f16 hold 2⁶⁴.
    """
    return isinstance(source, IntegerType) and isinstance(target, AnyFloat) and target.bitwidth > 16


def is_finite(array: np.ndarray) -> bool:
    """Return True if all elements are finite; integers always are."""
    if array.dtype.kind in "iub":
        return True
    return bool(np.isfinite(array).all())


@dataclass(frozen=True)
class PaddedDimension:
    """One dimension of a padded input, as the loops must handle it.

    `terms` is the padded coordinate, `low` is subtracted from it to obtain the index into the buffer, and `size` is the
    buffer's extent; `below` and `above` tell on which sides there is padding at all.
    """

    terms: IndexForm
    low: Extent
    size: Extent
    below: bool
    above: bool


def neutral_pads(
    generic: GenericOp, pads: dict[int, PadSpec], aliasing: Aliasing, facts: BlobFacts
) -> set[int]:
    """The padded inputs whose padding leaves every accumulator unchanged."""
    if not pads:
        return set()
    count = len(generic.inputs)
    ordinary = [facts.of_input(value, aliasing) for value in generic.inputs]
    # A padded input holds either its elements or its padding.
    for position, pad in pads.items():
        fact = constant_fact(pad.value)
        if not isinstance(fact, KnownNumber) or not math.isfinite(fact.number):
            ordinary[position] = ANYTHING
    outputs: list[Fact] = [Accumulator(i) for i in range(len(generic.outputs))]
    neutral: set[int] = set()
    for position, pad in pads.items():
        fact = constant_fact(pad.value)
        if isinstance(fact, KnownNumber):
            inputs = [fact if i == position else ordinary[i] for i in range(count)]
            if is_neutral(generic.body.block, inputs + outputs):
                neutral.add(position)
    return neutral


class BlobFacts:
    """Cache of the function arguments that are constants with finite elements.

    Each argument is examined once.
    """

    def __init__(self) -> None:
        self._finite: dict[SSAValue, bool] = {}

    def of_input(self, value: SSAValue, aliasing: Aliasing) -> Fact:
        """Return the known fact of all elements of a generic's input."""
        if not isinstance(value.type, MemRefType):
            return constant_fact(value)
        base = aliasing.base(value)
        return FINITE if isinstance(base, BlockArgument) and self._is_finite_blob(base) else ANYTHING

    def _is_finite_blob(self, argument: BlockArgument) -> bool:
        found = self._finite.get(argument)
        if found is None:
            blob = entry_of(argument).blob
            found = self._finite[argument] = blob is not None and is_finite(blob)
        return found


@dataclass(frozen=True)
class Padded:
    """Padded input: coordinate offsets, edges, the outside value, and its neutrality.

    `low` is subtracted from the coordinates.
    """

    low: tuple[Extent, ...]
    edges: tuple[PaddedDimension, ...]
    value: SSAValue
    neutral: bool


def padded_input(access: MemRefAccess, pad: PadSpec, neutral: bool, extents: ExtentLookup) -> Padded:
    """The padded form of an access; dimensions without padding have no edge."""
    edges: list[PaddedDimension] = []
    for i, terms in enumerate(access.coordinates):
        below, above = pad.low[i] != 0, pad.high[i] != 0
        if below or above:
            edges.append(PaddedDimension(terms, pad.low[i], extents.get(access.value, i), below, above))
    return Padded(pad.low, tuple(edges), pad.value, neutral)
