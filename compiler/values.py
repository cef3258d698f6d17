"""A value that a user gives for an input, as an array of the input's type."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.facts import Fact
from loomir.errors import Error

NUMERIC = "biufV"
"""Kinds of numpy types that hold numbers; `V` are those of `ml_dtypes`."""


def fitted_value(name: str, declared: Fact, value: ArrayLike) -> np.ndarray:
    """The value in the element type and shape of the input `name`.

    Floats may be rounded to the input's precision; integers and booleans must be exactly what was given. A single
    number fits every shape of one element. Error: `value-mismatch`.
    """
    given = np.asarray(value)
    dtype = dtype_of(declared.element)
    if given.dtype.kind not in NUMERIC or given.dtype.names:
        raise Error("value-mismatch", f"input '{name}' is {declared.element}, the value is not numeric")
    with np.errstate(all="ignore"):
        array = given.astype(dtype)
        exact = dtype.kind not in "biu" or np.array_equal(array.astype(given.dtype), given)
    if not exact:
        raise Error(
            "value-mismatch", f"input '{name}' is {declared.element}, which cannot hold {given.tolist()}"
        )
    if declared.shape is None:
        return array
    if len(declared.shape) != array.ndim and array.size == 1:
        if array.ndim == 0 and all(d.static in (None, 1) for d in declared.shape):
            array = array.reshape((1,) * len(declared.shape))
        elif not declared.shape:
            array = array.reshape(())
    if len(declared.shape) != array.ndim or any(
        d.static not in (None, e) for d, e in zip(declared.shape, array.shape)
    ):
        raise Error(
            "value-mismatch",
            f"input '{name}' is {declared.type}, the value has the shape {list(array.shape)}",
        )
    return array
