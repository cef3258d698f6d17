"""Runtime functions of generated code.

They are strided access to all lanes at once, gather and scatter, and the related checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from loomir.compiler.interpreters.core import InterpreterError, OutOfBoundsError

MAX_OVERLAP_WORK = 10_000
"""Limit on the work of an exact overlap test.

Beyond it two views count as overlapping.
"""


def out_of_bounds(array: np.ndarray, index: Sequence[Any]) -> OutOfBoundsError:
    """The error of an access outside of an array."""
    return OutOfBoundsError(f"index {[int(i) for i in index]} is outside of shape {list(array.shape)}")


def disjoint(pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> bool:
    """Return True if no pair of arrays shares an element."""
    for a, b in pairs:
        if not np.may_share_memory(a, b):
            continue
        try:
            # numpy's stub knows two special bounds only.
            if np.shares_memory(a, b, MAX_OVERLAP_WORK):  # pyright: ignore[reportArgumentType]
                return False
        except np.exceptions.TooHardError:
            return False
    return True


class Access:
    """Strided access of all lanes.

    In dimension d the lanes t access `base[d] + Σ coefficients[d][axis] · t[axis]`.

    `view` returns the elements as an array with one axis per lane loop (of extent 1 if the index does not depend on it)
    over the same memory.
    """

    __slots__ = ("_data", "_dtype", "_high", "_low", "_owner", "_shape", "_steps", "_strides", "array")

    def __init__(
        self, array: np.ndarray, coefficients: Sequence[Sequence[int]], counts: Sequence[int]
    ) -> None:
        self.array = array
        # An array with any strides is no buffer to numpy's constructor; the memory that it is a view of is.
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        self._owner = owner
        self._data = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
        self._dtype = array.dtype
        self._strides = array.strides
        self._shape = tuple(
            n if any(row[axis] for row in coefficients) else 1 for axis, n in enumerate(counts)
        )
        self._steps = tuple(
            sum(row[axis] * stride for row, stride in zip(coefficients, array.strides))
            for axis in range(len(counts))
        )
        self._low = tuple(sum(min(0, c * (n - 1)) for c, n in zip(row, counts)) for row in coefficients)
        self._high = tuple(
            size - sum(max(0, c * (n - 1)) for c, n in zip(row, counts))
            for row, size in zip(coefficients, array.shape)
        )

    def inside(self, *base: int) -> bool:
        """Return True if all lanes stay within the array."""
        return all(b + low >= 0 and b < high for b, low, high in zip(base, self._low, self._high))

    def view(self, *base: int) -> np.ndarray:
        """The lanes' elements. Raises `OutOfBoundsError`."""
        offset = self._data
        for b, low, high, stride in zip(base, self._low, self._high, self._strides):
            if b + low < 0 or b >= high:
                raise OutOfBoundsError(
                    f"base {list(base)} of a strided access is outside of shape {list(self.array.shape)}"
                )
            offset += b * stride
        return np.ndarray(self._shape, self._dtype, self._owner, offset, self._steps)

    def target(self, *base: int) -> np.ndarray:
        """Return a writable `view`.

        Raises `InterpreterError` for a read-only array, since its owner may be writable.
        """
        if not self.array.flags.writeable:
            raise InterpreterError("a store to an input or a constant")
        return self.view(*base)


def _outside(index: Any, size: int, array: np.ndarray) -> OutOfBoundsError:
    return OutOfBoundsError(
        f"indices {np.min(index)} to {np.max(index)} leave an extent of {size} in shape {list(array.shape)}"
    )


def gather(array: np.ndarray, mask: Any, index: tuple[Any, ...]) -> np.ndarray:
    """Return `array[index]` lane by lane.

    The values of lanes outside of the mask are arbitrary. Raises `OutOfBoundsError`.
    """
    safe = []
    for i, size in zip(index, array.shape):
        if mask is not None:
            i = np.where(mask, i, 0)
            if not size and np.any(mask):
                raise out_of_bounds(array, [0] * len(index))
        if np.size(i) and (np.min(i) < 0 or np.max(i) >= max(size, mask is not None)):
            raise _outside(i, size, array)
        safe.append(i)
    if array.size == 0:
        return np.zeros(np.broadcast_shapes(*(np.shape(i) for i in safe)), array.dtype)
    return array[tuple(safe)]


def scatter(
    array: np.ndarray, mask: Any, index: tuple[Any, ...], value: Any, counts: tuple[int, ...]
) -> None:
    """Perform `array[index] = value` for every lane of the mask.

    If the mask is None, these are all lanes. Raises `OutOfBoundsError`.
    """
    index = tuple(np.broadcast_to(i, counts) for i in index)
    value = np.broadcast_to(value, counts)
    if mask is not None:
        mask = np.broadcast_to(mask, counts)
        index = tuple(i[mask] for i in index)
        value = value[mask]
    for i, size in zip(index, array.shape):
        if i.size and (i.min() < 0 or i.max() >= size):
            raise _outside(i, size, array)
    array[index] = value


def active(mask: Any, counts: tuple[int, ...]) -> int:
    """How many lanes run."""
    if mask is None:
        return prod(counts)
    return int(np.count_nonzero(np.broadcast_to(mask, counts)))


def span(lower: Any, upper: Any, mask: Any) -> tuple[int, int]:
    """Return the smallest range that contains the ranges of the mask's lanes."""
    lower, upper = np.broadcast_arrays(lower, upper)
    runs = lower < upper if mask is None else (lower < upper) & mask
    if not np.any(runs):
        return 0, 0
    runs, lower, upper = np.broadcast_arrays(runs, lower, upper)
    return int(lower[runs].min()), int(upper[runs].max())


def total_trips(lower: Any, upper: Any, mask: Any, counts: tuple[int, ...]) -> int:
    """Return the total trip count of the mask's lanes.

    Each lane runs from `lower` to `upper`.
    """
    trips = np.broadcast_to(np.maximum(np.subtract(upper, lower), 0), counts)
    return int(trips.sum() if mask is None else trips[np.broadcast_to(mask, counts)].sum())


def lane_numbers(count: int, axis: int, rank: int) -> np.ndarray:
    """0, 1, … along one axis of `rank`."""
    shape = [1] * rank
    shape[axis] = count
    return np.arange(count, dtype=np.int64).reshape(shape)
