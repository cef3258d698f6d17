"""Elementwise arithmetic, conversions, reductions, cumulative products, ArgMax and Einsum.

- Shifts by negative numbers, or by at least the type's width: OpenVINO leaves them undefined.
- Test whether a maximum is -∞: OpenVINO's plugins return the lowest finite number as the maximum of elements that are all -∞.
- Conversions saturate numbers that are out of range: OpenVINO leaves the result undefined; its plugins return low bits, infinities
  or NaN.
- Logical reductions along no axes, and along axes that are not constants: OpenVINO's plugins have the latter only for numbers.
- CumProd is a loop along its axis.
- ArgMax is the index result of a TopK of one element.
- Einsum: OpenVINO takes no spaces in an equation.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Attribute, Block, OpResult, Region, SSAValue

from loomir.dialects.element_types import (
    bf16,
    dtype_of,
    f16,
    f32,
    i1,
    i8,
    i16,
    i32,
    is_float,
    is_unsigned,
    ui8,
    ui16,
)
from loomir.dialects.numerics import SMALL_FLOATS
from loomir.dialects.ov.attributes import Slicing, to_bool, to_float, to_int, to_str
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.dialects.ov.operators.comparison import EqualOp, LessOp, LogicalNotOp, SelectOp
from loomir.dialects.ov.operators.contraction import EinsumOp
from loomir.dialects.ov.operators.control_flow import TRIP_TYPE, LoopOp, NextOp
from loomir.dialects.ov.operators.conversion import ConvertLikeOp, ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import (
    BitCastOp,
    BitwiseLeftShiftOp,
    BitwiseRightShiftOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.elementwise_unary import ClampOp
from loomir.dialects.ov.operators.layout import ReverseOp
from loomir.dialects.ov.operators.reduction import (
    CumProdOp,
    ReduceLogicalAndOp,
    ReduceLogicalOrOp,
    ReduceMaxOp,
    ReduceMinOp,
)
from loomir.dialects.ov.operators.reshape import SqueezeOp
from loomir.dialects.ov.operators.sorting import ArgMaxOp, TopKOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.errors import Error
from loomir.passes.graph.convert_ov_to_openvino.checks import Checks
from loomir.passes.graph.convert_ov_to_openvino.legalization import legalizes
from loomir.passes.graph.lib.decompositions import Sizes, rank_of


@legalizes(BitwiseLeftShiftOp, BitwiseRightShiftOp)
def shift(
    op: BitwiseLeftShiftOp | BitwiseRightShiftOp, build: GraphBuilder, checks: Checks
) -> Sequence[SSAValue] | None:
    """Shift by a clamped number and select the result.

    If the original number is out of range, the result is zero, or all sign bits for a signed right shift.
    """
    element = build.fact(op.a).element
    most = 8 * dtype_of(element).itemsize - 1
    bounds = checks.fact(op.b).bounds
    if (bounds is not None and (bounds[0] >= 0).all() and (bounds[1] <= most).all()) or _is_limited_shift(
        op.b, most
    ):
        return None
    limited = build.make(ClampOp, op.b, attributes={"min": 0.0, "max": float(most)})
    inside = build.make(EqualOp, limited, op.b)
    attributes = {"auto_broadcast": op.auto_broadcast}
    shifted = build.make(type(op), op.a, limited, attributes=attributes)
    if isinstance(op, BitwiseRightShiftOp) and not is_unsigned(element):
        outside = build.make(type(op), op.a, build.scalar(most, element))
    else:
        outside = build.constant(np.zeros((), dtype_of(element)))
    return [build.make(SelectOp, inside, shifted, outside)]


def _is_limited_shift(value: SSAValue, most: int) -> bool:
    clamp = value.op if isinstance(value, OpResult) else None
    return isinstance(clamp, ClampOp) and to_float(clamp.min) >= 0 and to_float(clamp.max) <= most


@legalizes(EqualOp)
def equal(op: EqualOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """Test whether all numbers are -∞, instead of their maximum.

    Attention tests this for masked rows.
    """
    for greatest, other in ((op.a, op.b), (op.b, op.a)):
        maximum = greatest.op if isinstance(greatest, OpResult) else None
        number = build.fact(other).value
        if not isinstance(maximum, ReduceMaxOp) or number is None or number.size != 1:
            continue
        if not is_float(build.fact(other).element) or float(number.reshape(())) != -np.inf:
            continue
        if number.ndim > (build.fact(greatest).rank or 0):
            continue  # It gives the result dimensions.
        each = build.make(EqualOp, maximum.data, other)
        attributes = {"keep_dims": maximum.keep_dims}
        return [build.make(ReduceLogicalAndOp, each, maximum.axes, attributes=attributes)]
    return None


_NARROW = (i8, ui8, i16, ui16)
"""Integer types whose limits are exact in f32.

Conversions from other types take their low bits.
"""


@legalizes(ConvertOp)
def convert(op: ConvertOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """Remove a conversion to the same type, or limit its operand.

    (OpenVINO's conversion to the same type turns infinities into finite numbers.)
    """
    element, target = build.fact(op.data).element, op.destination_type
    if element == target:
        return [op.data]
    attributes = {"destination_type": target, "round_mode": op.round_mode}
    if target in SMALL_FLOATS and to_bool(op.saturate):
        if not is_float(element):
            raise Error("not-in-openvino", f"OpenVINO cannot saturate {element} to {target}")
        limited = _finite(build, op.data, _greatest(target))
        return [build.make(ConvertOp, limited, attributes={**attributes, "saturate": False})]
    if target in _NARROW and is_float(element):
        limits = np.iinfo(dtype_of(target))
        low, high = _inside(limits.min, element), _inside(limits.max, element)
        if not _is_limited(op.data, low, high):
            return [build.make(ConvertOp, _limited(build, op.data, low, high), attributes=attributes)]
    return None


@legalizes(ConvertLikeOp)
def convert_like(op: ConvertLikeOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """Replace ConvertLike by Convert if one layer is not enough.

    A constant is replaced by another constant, because a layer would lose its infinities.
    """
    data, target = build.fact(op.data), build.fact(op.like).element
    attributes = {"destination_type": target, "saturate": op.saturate, "round_mode": op.round_mode}
    if data.value is not None:
        return [build.constant(ConvertOp.make(op.data, attributes=attributes).evaluate(data.value))]
    narrows = target in SMALL_FLOATS or (target in _NARROW and is_float(data.element))
    if data.element != target and not narrows:
        return None
    return [build.make(ConvertOp, op.data, attributes=attributes)]


@legalizes(BitCastOp)
def bit_cast(op: BitCastOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue]:
    """Convert between integers of one width, and booleans.

    Error: `not-in-openvino` for the bits of floats.
    """
    element, target = build.fact(op.data).element, op.destination_type
    if element != target and (is_float(element) or is_float(target)):
        raise Error("not-in-openvino", f"no operation set of OpenVINO reads bits of {element} as {target}")
    return [build.make(ConvertOp, op.data, attributes={"destination_type": target})]


def _greatest(element: Attribute) -> float:
    """The greatest finite number of a small float."""
    return float(
        np.array(SMALL_FLOATS[element].greatest, np.uint8).view(dtype_of(element)).astype(np.float32)
    )


def _inside(limit: int, element: Attribute) -> float:
    """Return an integer type's limit, or the closest float inside it."""
    number = np.array(limit).astype(dtype_of(element))
    if abs(float(number)) > abs(limit):
        number = np.nextafter(number, np.zeros_like(number))
    return float(number)


def _limited(build: GraphBuilder, value: SSAValue, low: float, high: float) -> SSAValue:
    return build.make(ClampOp, value, attributes={"min": low, "max": high})


def _finite(build: GraphBuilder, value: SSAValue, greatest: float) -> SSAValue:
    """Clamp a number to the range from -greatest to greatest.

    NaN stays. (OpenVINO's Clamp turns it into the lower limit, and in OpenVINO's Greater it is greater than all numbers.)
    """
    high, low = build.like(greatest, value), build.like(-greatest, value)
    value = build.make(SelectOp, build.make(LessOp, high, value), high, value)
    return build.make(SelectOp, build.make(LessOp, value, low), low, value)


def _is_limited(value: SSAValue, low: float, high: float) -> bool:
    clamp = value.op if isinstance(value, OpResult) else None
    return isinstance(clamp, ClampOp) and low <= to_float(clamp.min) and to_float(clamp.max) <= high


@legalizes(ReduceLogicalAndOp, ReduceLogicalOrOp)
def logical(
    op: ReduceLogicalAndOp | ReduceLogicalOrOp, build: GraphBuilder, checks: Checks
) -> Sequence[SSAValue] | None:
    """Express a logical reduction by the minimum of ones and zeros.

    The minimum of no elements is true. A logical or is true if not all elements are false.
    """
    axes = build.fact(op.axes).value
    if axes is not None:
        return [op.data] if axes.size == 0 else None
    any_of = isinstance(op, ReduceLogicalOrOp)
    data = build.make(LogicalNotOp, op.data) if any_of else op.data
    numbers = build.make(ConvertOp, data, attributes={"destination_type": i32})
    least = build.make(ReduceMinOp, numbers, op.axes, attributes={"keep_dims": op.keep_dims})
    result = build.make(ConvertOp, least, attributes={"destination_type": i1})
    return [build.make(LogicalNotOp, result) if any_of else result]


@legalizes(CumProdOp)
def cum_prod(op: CumProdOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue]:
    """Express CumProd by a loop that carries the product so far.

    Smaller floats are multiplied in f32. Error: `not-in-openvino` if rank or axis is not known.
    """
    axis, fact = checks.fact(op.axis).value, checks.fact(op.data)
    if fact.rank == 1:
        axis = np.zeros((), np.int64)  # There is no other.
    if axis is None or fact.shape is None:
        raise Error("not-in-openvino", f"{op.name} in OpenVINO needs a known axis and rank")
    if fact.elements.hi == 0:
        return [op.data]
    place = normalise_axis(int(axis.reshape(-1)[0]), len(fact.shape))
    wide = f32 if fact.element in (f16, bf16) else fact.element
    value = op.data
    if wide != fact.element:
        value = build.make(ConvertOp, value, attributes={"destination_type": wide})
    sizes = Sizes(build)
    extents = sizes.of(value)
    extents[place] = 1
    ones = build.make(BroadcastOp, build.constant(np.ones((), dtype_of(wide))), sizes.vector(extents))
    value = _cumulative_loop(op, build, value, ones, place)
    if wide != fact.element:
        value = build.make(ConvertOp, value, attributes={"destination_type": fact.element})
    return [value]


def _cumulative_loop(
    op: CumProdOp, build: GraphBuilder, value: SSAValue, ones: SSAValue, place: int
) -> SSAValue:
    fact = build.fact(value)
    assert fact.shape is not None
    part = Fact(fact.element, (*fact.shape[:place], Dim(1, 1), *fact.shape[place + 1 :])).type
    block = Block(arg_types=[TRIP_TYPE, part, part])
    for argument in block.args:
        argument.location = build.location
    inside = build.inside(block)
    _, before, element = block.args
    after = inside.make(MultiplyOp, before, element)
    shown = before if to_bool(op.exclusive) else after
    inside.emit(NextOp.build(operands=[[], [after], [], [shown]]))
    slicing = Slicing(place, -1, 0, -1) if to_bool(op.reverse) else Slicing(place)
    loop = build.emit(
        LoopOp.of(
            trip=None,
            cond=None,
            carried=[ones],
            sliced=[value],
            slices=[slicing],
            concats=[slicing],
            final_types=[part],
            last_types=[],
            concat_types=[fact.type],
            body=Region(block),
        )
    )
    return loop.concat[0]


@legalizes(ArgMaxOp)
def arg_max(op: ArgMaxOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue]:
    """Express ArgMax by a TopK of one element.

    For the last of equal elements, TopK takes the first on the reversed axis. (NaN never wins there.)
    """
    axis = to_int(op.axis) % rank_of(build, op.data)
    data = op.data
    if op.last:
        data = build.make(ReverseOp, data, build.integers([axis]), attributes={"mode": "index"})
    one = build.constant(np.array(1, np.int64))
    _, places = build.make_all(
        TopKOp, data, one,
        attributes={
            "axis": axis, "mode": op.mode, "sort": "value", "stable": True, "index_element_type": op.index_element_type,
        },
    )  # fmt: skip
    if op.last:
        sizes = Sizes(build)
        extent = sizes.value(sizes.of(data)[axis])
        last = build.make(SubtractOp, extent, build.integers([1]))
        last = build.make(ConvertOp, last, attributes={"destination_type": op.index_element_type})
        places = build.make(SubtractOp, last, places)
    if to_bool(op.keep_dims):
        return [places]
    return [build.make(SqueezeOp, places, build.integers([axis]))]


@legalizes(EinsumOp)
def einsum(op: EinsumOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """The same equation without spaces."""
    equation = to_str(op.equation)
    dense = equation.replace(" ", "")
    if dense == equation:
        return None
    return [build.make(EinsumOp, list(op.inputs), attributes={"equation": dense})]
