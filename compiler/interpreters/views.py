"""Checked numpy views for the shape operations of `tensor` and `memref`.

The views share memory with their source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, TensorType
from xdsl.ir import Attribute

from loomir.compiler.interpreters.core import InterpreterError, OutOfBoundsError


def mixed(static: Sequence[int], dynamic: Iterator[int]) -> tuple[int, ...]:
    """A static list whose `DYNAMIC_INDEX` entries are taken from the operands."""
    return tuple([int(next(dynamic)) if n == DYNAMIC_INDEX else n for n in static])


def checked(array: np.ndarray, result: Attribute) -> np.ndarray:
    """Return the array after checking its shape against the type.

    `?` matches any extent.
    """
    assert isinstance(result, TensorType | MemRefType)
    shape = result.get_shape()
    if len(shape) != array.ndim or any(d != DYNAMIC_INDEX and d != n for d, n in zip(shape, array.shape)):
        raise InterpreterError(f"the value has shape {list(array.shape)}, its type is {result}")
    return array


def check_index(array: np.ndarray, index: Sequence[int]) -> tuple[int, ...]:
    """Return the index as a tuple after a bounds check.

    Raises `OutOfBoundsError`, since numpy would wrap a negative index.
    """
    if any(not 0 <= i < n for i, n in zip(index, array.shape, strict=True)):
        raise OutOfBoundsError(f"index {list(map(int, index))} is outside of shape {list(array.shape)}")
    return tuple(index)


def slice_view(
    array: np.ndarray, offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int]
) -> np.ndarray:
    """`array[offset : offset + size * stride : stride]` in each dimension. Raises `OutOfBoundsError`."""
    cuts: list[slice] = []
    for k, (offset, size, stride, extent) in enumerate(
        zip(offsets, sizes, strides, array.shape, strict=True)
    ):
        if stride <= 0 or size < 0:
            raise InterpreterError(f"size {size} and stride {stride} in dimension {k} of a slice")
        last = offset + (size - 1) * stride if size else offset - 1
        if offset < 0 or last >= extent:
            raise OutOfBoundsError(
                f"offset {offset}, size {size}, stride {stride} leaves dimension {k} of {list(array.shape)}"
            )
        cuts.append(slice(offset, last + 1, stride))
    return array[tuple(cuts)]


def reshaped(array: np.ndarray, shape: Sequence[int], *, share: bool) -> np.ndarray:
    """Reshape the array to a shape with the same number of elements.

    With `share` the result shares the array's memory.
    """
    if prod(shape) != array.size or any(n < 0 for n in shape):
        raise InterpreterError(f"shape {list(array.shape)} cannot become {list(shape)}")
    result = array.reshape(tuple(shape))
    if share and array.size and not np.may_share_memory(result, array):
        raise InterpreterError(
            f"a buffer of shape {list(array.shape)} and strides {array.strides} is not contiguous"
        )
    return result


def collapsed_shape(shape: Sequence[int], groups: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The shape after collapsing each group of dimensions into one."""
    if groups and [d for group in groups for d in group] != list(range(len(shape))):
        raise InterpreterError(f"the reassociation {groups} does not fit rank {len(shape)}")
    return tuple(prod(shape[d] for d in group) for group in groups)


def check_expansion(shape: Sequence[int], expanded: Sequence[int], groups: Sequence[Sequence[int]]) -> None:
    """Check that each group of expanded dimensions matches its source dimension.

    Each group must hold as many elements as the source dimension.
    """
    if tuple(shape) != collapsed_shape(expanded, groups):
        raise InterpreterError(f"shape {list(shape)} cannot expand to {list(expanded)} by {groups}")
