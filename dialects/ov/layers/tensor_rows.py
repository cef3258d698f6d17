"""Layer types: elements of tensors converted, moved, generated, compared and sought.

`EXPANDED_ROWS` are layer types without an operation of their own: Identity and ConvertPromoteTypes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import BFloat16Type
from xdsl.ir import Attribute

from loomir.dialects.element_types import (
    any_tensor_of,
    bf16,
    dtype_of,
    f8e8m0,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
    is_float,
    is_integer,
    is_unsigned,
)
from loomir.dialects.numerics import SMALL_FLOATS
from loomir.dialects.ov.base import OvOperation, int64_array
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.layers.attributes import (
    LayerBuilder,
    Results,
    Row,
    element_type,
    read_bool,
    read_int,
    read_lower,
)
from loomir.dialects.ov.operators.broadcasting import BroadcastOp, RangeOp
from loomir.dialects.ov.operators.comparison import LogicalXorOp
from loomir.dialects.ov.operators.constant import OneHotOp
from loomir.dialects.ov.operators.conversion import ConvertLikeOp, ConvertOp
from loomir.dialects.ov.operators.gathering import GatherNDOp, GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.layout import ReverseSequenceOp
from loomir.dialects.ov.operators.reduction import CumSumOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp
from loomir.dialects.ov.operators.sorting import SearchSortedOp
from loomir.errors import Error


def _range(layer: LayerBuilder) -> Results:
    """Range-0 has no output type: it is that of the operands."""
    return layer.make(RangeOp, *layer.operands, **{"output_type": layer.element(0), **layer.properties})


def _broadcast(layer: LayerBuilder) -> Results:
    """Convert Broadcast.

    The axes_mapping is used only in the mode "explicit", which Broadcast-1 also calls "none".
    """
    mode = layer.properties.get("mode", "numpy")
    if mode == "none":
        mode = "explicit"
    data, shape, axes = layer.take_up_to(2, 3)
    return layer.make(BroadcastOp, data, shape, axes if mode == "explicit" else None, mode=mode)


BROADCASTING_ROWS: dict[str, Row] = {
    "Broadcast": Row(BroadcastOp, {"mode": read_lower}, versions=(1, 3), upgrade=_broadcast),
    "Range": Row(RangeOp, {"output_type": element_type}, versions=(0, 4), upgrade=_range),
}  # fmt: skip


COMPARISON_ROWS: dict[str, Row] = {
    "Xor": Row(LogicalXorOp, {"auto_broadcast": read_lower}, written=False),
}  # fmt: skip


def _rounding(target: Attribute) -> dict[str, Any]:
    """Return OpenVINO's rounding attributes for conversions to small floats.

    Values out of range become infinite or NaN; those of `f8e8m0` become its limits.
    """
    if target == f8e8m0:
        return {"round_mode": "nearest"}
    return {"saturate": False} if target in SMALL_FLOATS else {}


def _rounding_of(op: OvOperation) -> dict[str, Any]:
    return _rounding(any_tensor_of(op.results[0]).element_type)


def _convert(layer: LayerBuilder) -> Results:
    target = layer.properties.get("destination_type")
    if not isinstance(target, Attribute):
        raise Error("bad-attribute", "destination_type is missing")
    return layer.make(ConvertOp, *layer.operands, destination_type=target, **_rounding(target))


def _convert_like(layer: LayerBuilder) -> Results:
    return layer.make(ConvertLikeOp, *layer.operands, **_rounding(layer.element(1)))


CONVERSION_ROWS: dict[str, Row] = {
    "Convert": Row(
        ConvertOp, {"destination_type": element_type}, upgrade=_convert,
        implies=_rounding_of,
    ),
    "ConvertLike": Row(ConvertLikeOp, upgrade=_convert_like, implies=_rounding_of),
}  # fmt: skip


def _cum_sum(layer: LayerBuilder) -> Results:
    """Without an axis it is 0."""
    data, axis = layer.take_up_to(1, 2)
    if axis is None:
        axis = layer.constant(np.array(0, np.int64))
    return layer.make(CumSumOp, data, axis, **layer.properties)


CUMULATIVE_ROWS: dict[str, Row] = {
    "CumSum": Row(CumSumOp, {"exclusive": read_bool, "reverse": read_bool}, upgrade=_cum_sum),
}  # fmt: skip


def _identity(layer: LayerBuilder) -> Results:
    """The operand itself."""
    return layer.take(1)


def _promote(layer: LayerBuilder) -> Results:
    """Both operands in a common type. Errors: `promotion-unsafe`, `unknown-rank`."""
    common = _common_type(layer)
    converted = [layer.make(ConvertOp, o, destination_type=common)[0] for o in layer.take(2)]
    return converted


def _common_type(layer: LayerBuilder) -> Attribute:
    """The type that the specification of ConvertPromoteTypes-14 gives for the operands' types."""
    a, b = layer.element(0), layer.element(1)
    unsafe = bool(layer.properties.get("promote_unsafe", False))
    target = layer.properties.get("u64_integer_promotion_target", f32)
    assert isinstance(target, Attribute)
    if a == b or b == i1:
        return a
    if a == i1:
        return b
    if is_float(a) != is_float(b):
        real, whole = (a, b) if is_float(a) else (b, a)
        return _checked(real, unsafe or _bits(real) >= 2 * _bits(whole), a, b)
    if layer.properties.get("pytorch_scalar_promotion", False):
        ranks = layer.fact(0).rank, layer.fact(1).rank
        if None in ranks:
            raise Error(
                "unknown-rank", "the rank of an input is not known", hint="set the model's input shapes"
            )
        if (ranks[0] == 0) != (ranks[1] == 0):
            scalar, tensor = (a, b) if ranks[0] == 0 else (b, a)
            signs = is_unsigned(tensor), is_unsigned(scalar)
            fits = (signs[0] == signs[1] and _bits(tensor) >= _bits(scalar)) or (
                signs == (False, True) and 2 * _bits(tensor) >= _bits(scalar)
            )
            return _checked(tensor, unsafe or fits, a, b)
    if is_integer(a) and is_unsigned(a) != is_unsigned(b):
        unsigned, signed = (_bits(a), _bits(b)) if is_unsigned(a) else (_bits(b), _bits(a))
        if unsigned <= 32 and (unsafe or 2 * unsigned <= signed):
            return {8: i8, 16: i16, 32: i32, 64: i64}[max(2 * unsigned, signed)]
        return _checked(target, unsafe, a, b)
    if _bits(a) != _bits(b):
        return a if _bits(a) > _bits(b) else b
    # Types of one width: f16 and bf16, or the two of eight bits.
    return _checked(f32 if {a, b} == {f16, bf16} else f16, unsafe, a, b)


def _bits(element: Attribute) -> int:
    return 16 if isinstance(element, BFloat16Type) else 8 * dtype_of(element).itemsize


def _checked(common: Attribute, safe: bool, a: Attribute, b: Attribute) -> Attribute:
    if not safe:
        raise Error(
            "promotion-unsafe",
            f"{a} and {b} have no common type that holds all values of both",
            hint='promote_unsafe="true" allows it',
        )
    return common


EXPANDED_ROWS: dict[str, Row] = {
    "Identity": Row(ConvertOp, upgrade=_identity, written=False),
    "ConvertPromoteTypes": Row(
        ConvertOp,
        {"promote_unsafe": read_bool, "pytorch_scalar_promotion": read_bool, "u64_integer_promotion_target": element_type},
        upgrade=_promote,
        written=False,
    ),
}  # fmt: skip


def _gather_nd(layer: LayerBuilder) -> Results:
    """GatherND-5 joins the batch dimensions of the result. `Error("unknown-rank")`."""
    made = layer.make(GatherNDOp, *layer.operands, **layer.properties)
    batches = layer.properties.get("batch_dims", 0)
    if layer.version != 5 or not isinstance(batches, int) or batches < 2:
        return made
    rank = fact_of(made[0]).rank
    if rank is None:
        raise Error(
            "unknown-rank", "the rank of the result is not known", hint="fix the shapes of the inputs"
        )
    rest = layer.constant(int64_array(range(batches, rank)))
    (shape,) = layer.make(ShapeOfOp, made[0], output_type=i64)
    (kept,) = layer.make(GatherOp, shape, rest, layer.constant(np.array(0, np.int64)))
    (wanted,) = layer.make(ConcatOp, [layer.constant(np.array([-1])), kept], axis=0)
    return layer.make(ReshapeOp, made[0], wanted)


GATHERING_ROWS: dict[str, Row] = {
    "GatherND": Row(GatherNDOp, {"batch_dims": read_int}, upgrade=_gather_nd, versions=(5, 8)),
}  # fmt: skip


def _mode(text: str) -> str:
    """`ignore-negative` in the specification, `ignore_negative` in the files."""
    return text.strip().lower().replace("-", "_")


GENERATOR_ROWS: dict[str, Row] = {
    "OneHot": Row(OneHotOp, {"axis": read_int, "negative_indices_mode": _mode}, versions=(1, 16)),
}  # fmt: skip


def _reverse_sequence(layer: LayerBuilder) -> Results:
    """The lengths may be floats."""
    data, lengths = layer.take(2)
    if not is_integer(layer.element(1)):
        (lengths,) = layer.make(ConvertOp, lengths, destination_type=i64)
    return layer.make(ReverseSequenceOp, data, lengths, **layer.properties)


LAYOUT_ROWS: dict[str, Row] = {
    "ReverseSequence": Row(ReverseSequenceOp, {"batch_axis": read_int, "seq_axis": read_int}, upgrade=_reverse_sequence),
}  # fmt: skip


def _bucketize(layer: LayerBuilder) -> Results:
    """Convert Bucketize-3 to SearchSorted of data in the bounds.

    Operands of different types are compared as f64 or i64.
    """
    data, bounds = layer.take(2)
    types = layer.element(0), layer.element(1)
    if types[0] != types[1]:
        common = f64 if any(is_float(t) for t in types) else i64
        (data,) = layer.make(ConvertOp, data, destination_type=common)
        (bounds,) = layer.make(ConvertOp, bounds, destination_type=common)
    right = not layer.properties.get("with_right_bound", True)
    type_ = layer.properties.get("output_type", i64)
    return layer.make(SearchSortedOp, bounds, data, right_mode=right, output_type=type_)


SEARCHING_ROWS: dict[str, Row] = {
    "Bucketize": Row(SearchSortedOp, {"output_type": element_type, "with_right_bound": read_bool}, upgrade=_bucketize, written=False),
}  # fmt: skip
