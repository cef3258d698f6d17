"""Conversions between element types, and simulated quantisation of floats.

Floats of simulated quantisation take only as many values as a quantised tensor could hold. Real quantisation, to integers and
back, consists of arithmetic and Convert; the importers emit it so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import BoolAttr, IntegerAttr, StringAttr
from xdsl.ir import Attribute, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, prop_def, result_def, traits_def

from loomir.dialects.element_types import (
    TENSOR,
    dtype_of,
    element_of,
    f8e4m3fn,
    f8e5m2,
    f8e8m0,
    i1,
    is_float,
    is_integer,
    is_storage,
    is_storage_integer,
)
from loomir.dialects.numerics import ROUND_MODES, SMALL_FLOATS, is_integer_dtype, truncated_to
from loomir.dialects.ov.attributes import NUMPY, TRUE, choice, to_bool, to_int, to_str
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.interfaces import Broadcasting, Layout, NamedExtents, NamedOperand, Sources
from loomir.dialects.ov.shape_rules import (
    auto_broadcast_shapes,
    broadcast_shapes,
    check_element,
    fact_from,
    interval_of,
    is_boolean,
    is_number,
    same_element,
    tracked,
    truth,
)
from loomir.dialects.speculation import FailsOnShapes
from loomir.errors import Error


@irdl_op_definition
class ConvertOp(OvOperation):
    """Each element as a value of type `destination_type`. OpenVINO Convert-1, ONNX Cast-25.

    - to boolean: whether it is not zero (NaN is not);
    - from boolean: 0 or 1;
    - integer to integer: the low bits;
    - float to integer: towards zero; beyond the range of the type its nearest limit, NaN gives 0 (the
      specifications leave both open);
    - to float: the nearest value, ties to even;
    - to an integer of 2 or 4 bits: as to `i32`, then the low bits;
    - to a float of 4, 6 or 8 bits: as a float of 32 or 64 bits to the nearest value. What is out of range is limited to
      the greatest finite number where `saturate` is true or the type has nothing else, and is an infinity, or NaN
      where the type has none, where it is false. NaN gives 0 where the type has none;
    - to `f8E8M0FNU`: the magnitude as a power of two, rounded as `round_mode` says (up, down; nearest, ties up). What is
      out of range is limited where `saturate` is true, and else NaN.

    Errors: `element-type`, `attribute-value`.
    """

    ELEMENTWISE: ClassVar[tuple[int, ...]] = (0,)
    SIZED_AS: ClassVar[tuple[int, ...]] = (0,)
    name = "ov.convert"
    data = operand_def(TENSOR)
    destination_type = prop_def(TypeAttribute)
    saturate = prop_def(BoolAttr, default_value=TRUE)
    round_mode = prop_def(StringAttr, default_value=StringAttr("up"))
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, target = facts[0], self.destination_type
        for element in (data.element, target):
            _check(element)
        choice(self.round_mode, "round_mode", ROUND_MODES)
        if is_float(target) or is_float(data.element):
            return [Fact(target, data.shape)]
        interval = interval_of(data)
        if interval is None or not tracked(target):
            return [Fact(target, data.shape)]
        if target == i1 and is_integer(data.element):
            lo, hi = interval
            zero, nonzero = (lo == 0) & (hi == 0), (lo > 0) | (hi < 0)
            interval = truth(nonzero, ~np.asarray(zero, bool))
        return [fact_from(target, data.shape, interval)]

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        element = self.destination_type
        target = dtype_of(element)
        if x.dtype == target:
            return x
        if is_storage(element_of(x.dtype)):
            # Exactly, but for 2^-127 and 2^127 as f16.
            x = x.astype(np.int8 if is_storage_integer(element_of(x.dtype)) else np.float32)
        if is_storage_integer(element):
            whole = (
                x if x.dtype == np.bool_ or is_integer_dtype(x.dtype) else truncated_to(x, np.dtype(np.int32))
            )
            return whole.astype(np.int8).astype(target)
        if element == f8e8m0:
            return powers_of_two(x, to_bool(self.saturate), to_str(self.round_mode)).view(target)
        if element in SMALL_FLOATS:
            return to_small_float(x, element, to_bool(self.saturate))
        if target == np.bool_:
            return np.asarray(x != 0, np.bool_)
        if is_integer_dtype(target) and x.dtype != np.bool_ and not is_integer_dtype(x.dtype):
            return truncated_to(x, target)
        return x.astype(target)


@irdl_op_definition
class ConvertLikeOp(OvOperation):
    """Conversion of each element to the element type of `like`.

    OpenVINO ConvertLike-1, ONNX CastLike-25.

    Composite: `ov.convert`, whose attributes it has. Errors: `element-type`, `attribute-value`.
    """

    COMPOSITE: ClassVar[bool] = True
    ELEMENTWISE: ClassVar[tuple[int, ...]] = (0,)

    name = "ov.convert_like"
    data = operand_def(TENSOR)
    like = operand_def(TENSOR)
    saturate = prop_def(BoolAttr, default_value=TRUE)
    round_mode = prop_def(StringAttr, default_value=StringAttr("up"))
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, target = facts[0], facts[1].element
        for element in (data.element, target):
            _check(element)
        choice(self.round_mode, "round_mode", ROUND_MODES)
        return [Fact(target, data.shape)]


def _check(element: Attribute) -> None:
    if not (is_number(element) or is_boolean(element) or is_storage(element)):
        raise Error("element-type", f"{element} cannot be converted, expected numbers or booleans")


def to_small_float(x: np.ndarray, element: Attribute, saturate: bool) -> np.ndarray:
    """Numbers as floats of 4, 6 or 8 bits."""
    target = dtype_of(element)
    real = x if x.dtype == np.float64 else x.astype(np.float32)
    if saturate or SMALL_FLOATS[element].nan is None:
        info = ml_dtypes.finfo(target)
        real = np.clip(real, real.dtype.type(info.min), real.dtype.type(info.max))
    if SMALL_FLOATS[element].nan is None:
        real = np.nan_to_num(real, nan=0.0)
    return real.astype(target)


def powers_of_two(x: np.ndarray, saturate: bool, round_mode: str) -> np.ndarray:
    """Return the codes of numbers as `f8E8M0FNU`.

    The codes are the biased exponents of their magnitudes, 255 for NaN.
    """
    bits = np.asarray(x.astype(np.float32)).view(np.uint32) & 0x7FFFFFFF
    upwards = {"up": 0x7FFFFF, "nearest": 0x400000, "down": 0}[round_mode]
    # A subnormal number is 2^-127, the least code, or 2^-126, the next one.
    least_above = {"up": 0x400001, "nearest": 0x600000, "down": 0x800000}[round_mode]
    code = np.where(bits < 0x800000, (bits >= least_above).astype(np.uint32), (bits + upwards) >> 23)
    if saturate:
        code = np.minimum(code, 254)
    else:
        code = np.where(bits < 0x400000, 255, np.minimum(code, 255))
    return np.asarray(np.where(bits > 0x7F800000, 255, code), np.uint8)


@irdl_op_definition
class FakeQuantizeOp(OvOperation):
    """Rounding of x to `levels` equidistant values. OpenVINO FakeQuantize-1.

    x is limited to the input range, rounded to one of its `levels` equidistant values, and mapped to the output range.

    ```
    y = output_low                      where x <= min(input_low, input_high)
        output_high                     where x > max(input_low, input_high)
        round((x - input_low) / (input_high - input_low) * (levels - 1)) / (levels - 1)
            * (output_high - output_low) + output_low
    ```
    computed in this order; halves are rounded to the even number. The four limits are broadcast to x as
    `auto_broadcast` (numpy, none, pdpd) specifies. Composite. Errors: `element-type`, `element-types-differ`,
    `broadcast-shapes`, `attribute-value`.
    """

    LAYOUT: ClassVar[Layout | None] = Broadcasting((-1,))

    COMPOSITE: ClassVar[bool] = True

    name = "ov.fake_quantize"
    SOURCES: ClassVar = Sources(openvino=("FakeQuantize", 0))
    NAMES: ClassVar[tuple[str, ...]] = ("data", "input_low", "input_high", "output_low", "output_high")

    data = operand_def(TENSOR)
    input_low = operand_def(TENSOR)
    input_high = operand_def(TENSOR)
    output_low = operand_def(TENSOR)
    output_high = operand_def(TENSOR)
    levels = prop_def(IntegerAttr)
    auto_broadcast = prop_def(StringAttr, default_value=NUMPY)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        element = same_element(facts, self.NAMES)
        check_element(facts[0], "data", is_float, "a float")
        if to_int(self.levels) < 2:
            raise Error("attribute-value", f"levels is {to_int(self.levels)}, expected at least 2")
        mode = to_str(self.auto_broadcast)
        shape = facts[0].shape
        for limit in facts[1:]:
            shape = auto_broadcast_shapes(mode, [shape, limit.shape])
        return [Fact(element, shape)]

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents | None:
        """Where nothing is broadcast all extents are equal."""
        rank = next((f.rank for f in facts if f.rank is not None), None)
        if rank is None or to_str(self.auto_broadcast) not in ("none", "explicit"):
            return None
        names = [f"dimension {k}" for k in range(rank)]
        return NamedExtents(
            "broadcast-shapes", [NamedOperand(i, what, names) for i, what in enumerate(self.NAMES)]
        )


@irdl_op_definition
class FakeConvertOp(OvOperation):
    """Rounding to the 8-bit float `destination_type`. OpenVINO FakeConvert-13.

    `(convert(convert(data * scale - shift)) + shift) / scale`; the inner conversion saturates at the range of
    `destination_type`. Without `shift` nothing is subtracted and added. Composite. Errors: `element-type`,
    `element-types-differ`, `broadcast-shapes`, `attribute-value`.
    """

    LAYOUT: ClassVar[Layout | None] = Broadcasting((-1,))

    COMPOSITE: ClassVar[bool] = True

    name = "ov.fake_convert"
    SOURCES: ClassVar = Sources(openvino=("FakeConvert", 13))
    data = operand_def(TENSOR)
    scale = operand_def(TENSOR)
    shift = opt_operand_def(TENSOR)
    destination_type = prop_def(TypeAttribute, default_value=f8e4m3fn)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        element = same_element(facts, ("data", "scale", "shift"))
        check_element(facts[0], "data", is_float, "a float")
        if self.destination_type not in (f8e4m3fn, f8e5m2):
            raise Error(
                "attribute-value", f"destination_type is {self.destination_type}, expected f8e4m3 or f8e5m2"
            )
        return [Fact(element, broadcast_shapes([fact.shape for fact in facts]))]
