"""`arith-form-high-products`: computation of only the upper half of 64-bit products.

The pass applies where nothing else is needed. Sums of integers are requantised in this way (`ov-to-integer`). On a
machine with vectors

```mlir
%a = arith.extsi %sum : i32 to i64
%m = arith.extsi %multiplier : i32 to i64
%product = arith.muli %a, %m : i64
%half = arith.constant 68719476736 : i64          // 2³⁶
%shift = arith.constant 37 : i64
%moved = arith.addi %product, %half : i64
%wide = arith.shrsi %moved, %shift : i64
%r = arith.trunci %wide : i64 to i32
```
becomes
```mlir
%half = arith.constant 16 : i32                   // 2³⁶ ⁻ ³²
%shift = arith.constant 5 : i32                   // 37 − 32
%low, %high = arith.mulsi_extended %sum, %multiplier : i32
%moved = arith.addi %high, %half : i32
%r = arith.shrsi %moved, %shift : i32
```

so that vectors have twice as many lanes. The addend must be a multiple of 2³², so that there is no carry from the lower
half, and the shift must be from 32 to 63.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from loomir.dialects.scalars.row import constant_integer
from loomir.dialects.upstream.rewriting import rewrite
from loomir.passes.analysis.machines import machine_of

_HALF = 32
"""Bits of each half of the product."""


@dataclass(frozen=True)
class ArithFormHighProductsPass(ModulePass):
    """Computes only upper halves of products, on a `machine` with vectors.

    See the module's docstring.
    """

    name = "arith-form-high-products"
    EXACT = True

    machine: str = "generic"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if machine_of(self.machine).lanes > 1:
            rewrite(op, FormHighProduct(), once=True)


class FormHighProduct(RewritePattern):
    """Computes the upper half of a product that is shifted and truncated.

    See the module's docstring.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.TruncIOp, rewriter: PatternRewriter) -> None:
        shift = _owner(op.input, arith.ShRSIOp)
        by = None if shift is None else constant_integer(shift.rhs)
        if shift is None or by is None or not _HALF <= by < 2 * _HALF:
            return
        if op.input.type != i64 or op.result.type != i32:
            return
        moved, added, product = _owner(shift.lhs, arith.AddiOp), 0, shift.lhs
        if moved is not None:
            number = constant_integer(moved.rhs)
            if number is None or number % (1 << _HALF):
                return
            added, product = number >> _HALF, moved.lhs
        multiply = _owner(product, arith.MuliOp)
        if multiply is None:
            return
        new: list[Operation] = []
        a, b = (_of_32_bits(factor, new) for factor in multiply.operands)
        if a is None or b is None:
            return
        value = _added(new, arith.MulSIExtendedOp(a, b)).results[1]
        if added:
            value = _added(new, arith.AddiOp(value, _constant(new, added))).results[0]
        if by > _HALF:
            value = _added(new, arith.ShRSIOp(value, _constant(new, by - _HALF))).results[0]
        for each in new:
            each.location = op.location
        rewriter.replace(op, new, [value])
        for used in (shift, moved, multiply, *(factor.owner for factor in multiply.operands)):
            if isinstance(used, Operation) and not any(result.uses for result in used.results):
                rewriter.erase(used)


_T = TypeVar("_T", bound=Operation)


def _owner(value: SSAValue, kind: type[_T]) -> _T | None:
    """Return the defining operation of a single-use value, if of this kind."""
    return value.owner if isinstance(value.owner, kind) and value.has_one_use() else None


def _of_32_bits(value: SSAValue, new: list[Operation]) -> SSAValue | None:
    """Return a 64-bit integer as a 32-bit integer, or None.

    The integer must have been extended from 32 bits, or be a constant that fits in 32 bits.
    """
    if isinstance(value.owner, arith.ExtSIOp) and value.owner.input.type == i32:
        return value.owner.input
    number = constant_integer(value)
    return None if number is None or not -(1 << 31) <= number < 1 << 31 else _constant(new, number)


def _constant(new: list[Operation], number: int) -> SSAValue:
    return _added(new, arith.ConstantOp(IntegerAttr(number, i32))).results[0]


def _added(new: list[Operation], made: Operation) -> Operation:
    new.append(made)
    return made
