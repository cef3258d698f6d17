"""Maxima and minima as in IEEE 754-2019.

The result is NaN if there is one among the operands, and -0 < 0. For zeros of both signs, the results of numpy's own
functions depend on the length of an array and on the processor.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def maximum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The greater one of two elements, broadcast."""
    r = np.maximum(a, b)
    # Only zeros are equal and have another sum of signs: 0 + -0 is 0.
    return np.where((r == 0) & (a == b), a + b, r) if _has_zeros(r) else r


def minimum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The lesser one of two elements, broadcast."""
    r = np.minimum(a, b)
    return np.where((r == 0) & (a == b), -(-a + -b), r) if _has_zeros(r) else r


def greatest(
    x: np.ndarray, axes: int | Sequence[int], *, keepdims: bool = False, initial: np.ndarray | None = None
) -> np.ndarray:
    """The greatest element along axes."""
    return _reduced(np.maximum, x, axes, keepdims, initial, negative=False)


def least(
    x: np.ndarray, axes: int | Sequence[int], *, keepdims: bool = False, initial: np.ndarray | None = None
) -> np.ndarray:
    """The least element along axes."""
    return _reduced(np.minimum, x, axes, keepdims, initial, negative=True)


def joined_at(choose: np.ufunc, out: np.ndarray, at: np.ndarray, values: np.ndarray) -> None:
    """`choose.at(out, at, values)` of `np.maximum` or `np.minimum`."""
    if not _is_float(out.dtype):
        choose.at(out, at, values)
        return
    negative = choose is np.minimum
    decisive = _zeros(out, negative)
    np.logical_or.at(decisive, at, _zeros(values, negative))
    touched = np.zeros(out.shape, bool)
    touched[at] = True
    choose.at(out, at, values)
    zero = touched & (out == 0)
    out[zero] = np.where(decisive[zero] == negative, -1.0, 1.0).astype(out.dtype) * np.zeros((), out.dtype)


def _reduced(
    choose: np.ufunc,
    x: np.ndarray,
    axes: int | Sequence[int],
    keepdims: bool,
    initial: np.ndarray | None,
    *,
    negative: bool,
) -> np.ndarray:
    where = axes if isinstance(axes, int) else tuple(axes)
    options: dict = {} if initial is None else {"initial": initial}
    r = np.asarray(choose.reduce(x, where, keepdims=keepdims, **options))
    if not _has_zeros(r):
        return r
    decisive = np.logical_or.reduce(_zeros(x, negative), where, keepdims=keepdims)
    # Decisive for a maximum is any 0, for a minimum any -0.
    sign = np.where(decisive == negative, -1.0, 1.0).astype(x.dtype)
    return np.where(r == 0, sign * np.zeros((), x.dtype), r)


def _zeros(x: np.ndarray, negative: bool) -> np.ndarray:
    return (x == 0) & (np.signbit(x) == negative)


def _has_zeros(x: np.ndarray) -> bool:
    return _is_float(x.dtype) and bool((x == 0).any())


def _is_float(dtype: np.dtype) -> bool:
    return dtype.kind not in "biu"
