"""`ov-remove-casts`: of conversions one behind the other those go that lose nothing."""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from loomir.dialects.diagnostics import PatternRemarks
from loomir.dialects.element_types import (
    any_tensor_of,
    dtype_of,
    i1,
    is_float,
    is_integer,
    is_storage_integer,
    is_unsigned,
)
from loomir.dialects.ov.canonicalization.identities import SameElement
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.upstream.rewriting import rewrite


@dataclass(frozen=True)
class OvRemoveCastsPass(ModulePass):
    """Merges two conversions if the intermediate type holds every value.

    If the result has the original type, no conversion remains.

    ```mlir
    %a = ov.convert %x {destination_type = f32} : (tensor<4xf16>) -> tensor<4xf32>         // before
    %y = ov.convert %a {destination_type = f16} : (tensor<4xf32>) -> tensor<4xf16>
    %b = ov.convert %k {destination_type = i32} : (tensor<4xi8>) -> tensor<4xi32>
    %z = ov.convert %b {destination_type = i64} : (tensor<4xi32>) -> tensor<4xi64>

    %z = ov.convert %k {destination_type = i64} : (tensor<4xi8>) -> tensor<4xi64>          // after: %y is %x
    ```

    Conversions to a value's own type are removed as `canonicalize` removes them. A conversion that loses values stays
    (`i32` to `f32`), and so do chains whose results depend on the intermediate type: a negative number converted to an
    unsigned one is 0 as a float, and its bits as an integer.
    """

    name = "ov-remove-casts"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        with PatternRemarks().recording(op, self.name):
            rewrite(op, GreedyRewritePatternApplier([SameElement(), ConvertOfConvert()]))


class ConvertOfConvert(RewritePattern):
    """Folds `convert(convert(x, B), C) → convert(x, C)`, or to x of type C.

    B must have every value of x's type.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ConvertOp, rewriter: PatternRewriter) -> None:
        inner = op.data.owner
        if not isinstance(inner, ConvertOp):
            return
        first, middle, last = (any_tensor_of(v).element_type for v in (inner.data, op.data, op.output))
        if not (has_every_value(first, middle) and _same_at_once(first, middle, last)):
            return
        if inner.data.type == op.output.type:
            rewriter.replace(op, [], [inner.data])
        else:
            properties = {"saturate": op.saturate, "round_mode": op.round_mode, "destination_type": last}
            new = ConvertOp.create(
                operands=[inner.data], properties=properties, result_types=[op.output.type]
            )
            new.location = op.location
            rewriter.replace(op, new)
        if not inner.output.uses:
            rewriter.erase(inner)


def has_every_value(element: Attribute, of: Attribute) -> bool:
    """Return True if type `of` has every value of type `element`.

    Both are types of numbers or booleans.
    """
    if element == of:
        return _is_whole(element) or is_float(element)
    if of == i1:
        return False
    if _is_whole(of):
        return _is_whole(element) and _whole_bits(element, of) <= _bits(of)
    if not is_float(of):
        return False
    if is_float(element):
        a, b = (ml_dtypes.finfo(dtype_of(e)) for e in (element, of))
        return a.nmant <= b.nmant and a.maxexp <= b.maxexp and a.minexp >= b.minexp
    # The greatest magnitude of a signed number is a power of two.
    digits = ml_dtypes.finfo(dtype_of(of)).nmant + 1
    return _is_whole(element) and _bits(element) - (not _without_sign(element)) <= digits


def _same_at_once(first: Attribute, middle: Attribute, last: Attribute) -> bool:
    """Return True if a direct conversion yields the same value.

    The value of type `first` exists in `middle`, too. It becomes the same value of type `last` in one step.
    """
    if first == last or last == i1:
        return True
    if is_float(first):
        # From a float to a float or to an integer by its value alone.
        return is_float(last) or is_integer(last)
    if _is_whole(middle) and is_integer(last):
        # By its low bits.
        return True
    # (Large integers may be rounded twice on the way to a float of few bits.)
    return (is_integer(last) or is_float(last)) and has_every_value(first, last)


def _is_whole(element: Attribute) -> bool:
    return element == i1 or is_integer(element) or is_storage_integer(element)


def _without_sign(element: Attribute) -> bool:
    return element == i1 or is_unsigned(element)


def _bits(element: Attribute) -> int:
    assert isinstance(element, IntegerType)
    return element.width.data


def _whole_bits(element: Attribute, of: Attribute) -> int:
    """Return the bits that another integer type needs for all values.

    The values are those of `element`. For negative values in an unsigned type, the result exceeds all existing widths.
    """
    if _without_sign(element) == _without_sign(of):
        return _bits(element)
    return _bits(element) + 1 if _without_sign(element) else 1 << 16
