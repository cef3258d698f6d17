"""C types and literals of loomir's element types, and initialisers of weights.

| type | in memory | as a value |
|---|---|---|
| `f32`, `f64` | `float`, `double` | the same |
| `f16`, `bf16` | `uint16_t` | `float` that the 16 bits can hold |
| `i8` … `i64` | `int8_t` … `int64_t` | the same: unsigned operations convert |
| `i1` | `bool` | `bool` |
| `index` | | `ptrdiff_t` |
| `vector<8xf32>` | | `loomir_f32x8` (`vectors.py`) |
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from xdsl.dialects.builtin import (
    IndexType,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute

from loomir.compiler.backends.c.expressions import UNARY, Expr, boolean, integer
from loomir.dialects.element_types import FLOATS, element_of, is_storage, is_storage_integer, is_unsigned
from loomir.errors import Error

_LINE = 104
"""Columns of a line of an initialiser."""


def kind(t: Attribute) -> str:
    """Return the kind of a type, which appears in helper function names.

    The kinds are `f32`, `f64`, `f16`, `bf16`, `i1` … `i64` and `index`.

    Raises `c-unsupported-type`.
    """
    if type(t) in FLOATS:
        return t.name
    if isinstance(t, IndexType):
        return "index"
    if isinstance(t, IntegerType) and t.width.data in (1, 8, 16, 32, 64):
        return f"i{t.width.data}"
    raise Error(
        "c-unsupported-type", f"C has no type for {t}", hint="i1, i8 … i64, f16, bf16, f32, f64, index"
    )


_VALUE_TYPES = {
    "f32": "float",
    "f64": "double",
    "f16": "float",
    "bf16": "float",
    "i1": "bool",
    "i8": "int8_t",
    "i16": "int16_t",
    "i32": "int32_t",
    "i64": "int64_t",
    "index": "ptrdiff_t",
}
_BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}


def value_type(t: Attribute) -> str:
    """Return the C type of a scalar or vector SSA value.

    `vectors.py` defines the vector types; the lanes of a mask have 32 bits.
    """
    if isinstance(t, VectorType):
        k, lanes = kind(t.element_type), t.get_shape()[0]
        if k in ("f16", "bf16", "index") or lanes & (lanes - 1):
            raise Error(
                "c-unsupported-type",
                f"C has no type for {t}",
                hint="vectors have 2, 4, 8 … lanes of i1, i8 … i64, f32 or f64",
            )
        return f"loomir_{'i32' if k == 'i1' else k}x{lanes}"
    return _VALUE_TYPES[kind(t)]


def memory_type(t: Attribute) -> str:
    """The C type of an element in memory."""
    k = kind(t)
    return "uint16_t" if k in ("f16", "bf16") else _VALUE_TYPES[k]


def user_type(dtype: np.dtype) -> str:
    """Return the C type of an element as the caller sees it.

    A storage type is the integer, or the bits of the float.
    """
    if is_storage(element := element_of(dtype)):
        return "int8_t" if is_storage_integer(element) and not is_unsigned(element) else "uint8_t"
    if dtype.kind == "b":
        return "bool"
    if dtype.kind in "iu":
        return f"{dtype.name}_t"
    return {4: "float", 8: "double", 2: "uint16_t"}[dtype.itemsize]


def bits(k: str) -> int:
    """Return the width of an integer kind in bits.

    An index counts as 64, the widest that it may be.
    """
    return _BITS[k]


def limits(k: str) -> tuple[int, int]:
    """Return the least and greatest signed value of an integer kind.

    A boolean is 0 or 1.
    """
    if k == "i1":
        return 0, 1
    half = 1 << (_BITS[k] - 1)
    return -half, half - 1


def integer_literal(value: int, k: str) -> Expr:
    """A literal of an integer kind, `true` and `false` for i1."""
    if k == "i1":
        return boolean(value != 0)
    # The least value of a type is no literal with a minus: its absolute value does not fit.
    if value == -(1 << 63):
        return Expr("INT64_MIN", literal=value)
    if value == -(1 << 31):
        return Expr("INT32_MIN", literal=value)
    return integer(value)


def float_literal(value: float, k: str) -> Expr:
    """Return the shortest literal that reads back as exactly the same number.

    Infinity and NaN are `INFINITY` and `NAN`.
    """
    if k == "f64":
        text = _macro(value) or repr(float(value))
    else:
        text = _macro(value) or f"{_single(np.float32(value))}f"
    negative = text.startswith("-")
    return Expr(text, UNARY if negative else 100, literal=float(value))


_LARGE, _HUGE = 1e6, 1e16


def _single(value: np.float32) -> str:
    """Return the shortest text of an f32, equal in every numpy.

    The versions' `str` has exponents from `_LARGE` or from `_HUGE` on.
    """
    if _LARGE <= abs(value) < _HUGE:
        return np.format_float_scientific(value, trim="-", exp_digits=2)
    return str(value)


def _macro(value: float) -> str | None:
    if value != value:
        return "NAN"
    if value in (float("inf"), float("-inf")):
        return "INFINITY" if value > 0 else "-INFINITY"
    return None


def initialiser(array: np.ndarray) -> Iterable[str]:
    """Return the lines between the braces of a `static const` array.

    The elements are in row-major order. Floats have their shortest exact form, 16-bit floats are bits.
    """
    flat = array.reshape(-1)
    if flat.size == 0:
        # C has no empty array; the pointer is never read.
        return ["0"]
    return _wrap(_element_texts(flat))


def _element_texts(flat: np.ndarray) -> list[str]:
    if flat.dtype.kind == "b":
        return list(map(str, flat.view(np.uint8).tolist()))
    if flat.dtype.kind in "iu":
        texts = list(map(str, flat.tolist()))
        if flat.dtype.itemsize == 8:
            least = np.flatnonzero(flat == np.iinfo(np.int64).min)
            for k in least.tolist():
                texts[k] = "INT64_MIN"
        return texts
    if flat.dtype.itemsize == 2:
        return list(map("0x%04x".__mod__, flat.view(np.uint16).tolist()))
    if flat.dtype == np.float64:
        texts = list(map(repr, flat.tolist()))
    else:
        # str of a numpy float32 is its shortest form.
        texts = [f"{text}f" for text in map(str, flat)]
        size = np.abs(flat)
        for k in np.flatnonzero((size >= _LARGE) & (size < _HUGE)).tolist():
            texts[k] = f"{_single(flat[k])}f"
    odd = np.flatnonzero(~np.isfinite(flat))
    for k in odd.tolist():
        texts[k] = _macro(float(flat[k])) or texts[k]
    return texts


def _wrap(texts: list[str]) -> Iterable[str]:
    """As many elements a line as the widest allows."""
    per_line = max(1, _LINE // (max(map(len, texts)) + 2))
    for start in range(0, len(texts), per_line):
        yield ", ".join(texts[start : start + per_line]) + ("," if start + per_line < len(texts) else "")
