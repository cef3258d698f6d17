"""Steps that change shapes, or make tensors of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from loomir.tools.fuzz.builder import LARGEST_RANK, Builder
from loomir.tools.fuzz.operations.indexing import index
from loomir.tools.fuzz.program import DTYPES, elements, most


def unsqueeze(b: Builder) -> None:
    """A new axis of 1."""
    x = b.any_of(b.any_type(), lambda v: v.rank < LARGEST_RANK)
    if x.shape is not None and x.rank < LARGEST_RANK:
        axis = b.integer(0, x.rank)
        given = axis if b.chance(0.7) else axis - x.rank - 1
        shape = (*x.shape[:axis], 1, *x.shape[axis:])
        b.emit("Unsqueeze", [x, b.vector(given)], x.dtype, shape, x.limit)


def squeeze(b: Builder) -> None:
    """One axis of 1 less."""
    x = b.pick(b.any_type(), lambda v: 1 in (v.shape or ()))
    if x is None or x.shape is None:
        return
    axis = b.choose([i for i, e in enumerate(x.shape) if e == 1])
    given = axis if b.chance(0.7) else axis - x.rank
    shape = (*x.shape[:axis], *x.shape[axis + 1 :])
    b.emit("Squeeze", [x, b.vector(given)], x.dtype, shape, x.limit)


def reshape(b: Builder) -> None:
    """The same elements in another static shape."""
    x = b.pick(b.any_type(), lambda v: v.static and v.rank > 0)
    if x is None or x.shape is None:
        return
    shape = [most(e) for e in reversed(x.shape)] if b.chance(0.7) else [elements(x.shape)]
    if 0 in shape:
        b.emit("Reshape", [x, b.vector(*shape)], x.dtype, tuple(shape), x.limit, allowzero=1)
        return
    given = list(shape)
    if b.chance(0.5):
        given[b.integer(0, len(given) - 1)] = -1
    b.emit("Reshape", [x, b.vector(*given)], x.dtype, tuple(shape), x.limit)


def shape_of(b: Builder) -> None:
    """The extents of a value, or their product, as integers."""
    x = b.pick(b.any_type(), lambda v: v.rank > 0)
    if x is None or x.shape is None:
        return
    if b.chance(0.3):
        b.emit("Size", [x], "i64", (), float(max(elements(x.shape), 1)))
    else:
        b.emit("Shape", [x], "i64", (x.rank,), float(max(1, *(most(e) for e in x.shape))))


def filled(b: Builder) -> None:
    """A constant of the shape of another value."""
    x = b.pick(b.any_type(), lambda v: v.rank > 0)
    if x is None or x.shape is None:
        return
    extents = b.emit("Shape", [x], "i64", (x.rank,), 12)
    dtype = b.any_type()
    number = 0.25 if dtype == b.float else 3
    fill = np.array([number], DTYPES[dtype])
    b.emit("ConstantOfShape", [extents], dtype, x.shape, 3, value=fill)


def range_(b: Builder) -> None:
    """Emit the numbers below a computed one.

    Their count is the computed number, which may be 0.
    """
    below = index(b, b.choose((3, 5)), ())
    most_ = int(below.limit) - 1
    b.feature("dynamic extent")
    b.emit("Range", [b.number(0), below, b.number(1)], "i64", (b.open(0, most_),), most_)


STEPS: dict[Callable[[Builder], None], int] = {
    unsqueeze: 1,
    squeeze: 1,
    reshape: 1,
    shape_of: 1,
    filled: 1,
    range_: 1,
}
