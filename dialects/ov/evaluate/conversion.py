"""Numpy semantics of Convert."""

from __future__ import annotations

import ml_dtypes
import numpy as np
from xdsl.ir import Attribute

from loomir.dialects.element_types import dtype_of, element_of, f8e8m0, is_storage, is_storage_integer
from loomir.dialects.ov.attributes import to_bool, to_str
from loomir.dialects.ov.conversion import ConvertOp
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.evaluate.numeric import is_integer_dtype, truncated_to
from loomir.dialects.small_floats import SMALL_FLOATS


@evaluates(ConvertOp)
def convert(op: ConvertOp, x: np.ndarray) -> np.ndarray:
    element = op.destination_type
    target = dtype_of(element)
    if x.dtype == target:
        return x
    if is_storage(element_of(x.dtype)):
        # Exactly, but for 2^-127 and 2^127 as f16.
        x = x.astype(np.int8 if is_storage_integer(element_of(x.dtype)) else np.float32)
    if is_storage_integer(element):
        whole = x if x.dtype == np.bool_ or is_integer_dtype(x.dtype) else truncated_to(x, np.dtype(np.int32))
        return whole.astype(np.int8).astype(target)
    if element == f8e8m0:
        return powers_of_two(x, to_bool(op.saturate), to_str(op.round_mode)).view(target)
    if element in SMALL_FLOATS:
        return to_small_float(x, element, to_bool(op.saturate))
    if target == np.bool_:
        return np.asarray(x != 0, np.bool_)
    if is_integer_dtype(target) and x.dtype != np.bool_ and not is_integer_dtype(x.dtype):
        return truncated_to(x, target)
    return x.astype(target)


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
    """The codes of numbers as `f8E8M0FNU`: biased exponents of their magnitudes, 255 for NaN."""
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
