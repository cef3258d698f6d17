"""Memrefs as C: a pointer, with the known shape and strides.

A view costs nothing: a constant offset is folded into the subscripts, any other into one pointer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.dialects.builtin import DYNAMIC_INDEX, IntAttr, MemRefType, StridedLayoutAttr
from xdsl.ir import Attribute

from loomir.compiler.backends.c.expressions import Expr, add, binary, integer, multiply, subscript
from loomir.compiler.backends.c.literals import memory_type


@dataclass(frozen=True, slots=True)
class View:
    """A memref: element `(i, j)` is at `pointer[offset + i * strides[0] + j * strides[1]]`."""

    pointer: Expr
    element: Attribute
    shape: tuple[Expr, ...]
    strides: tuple[Expr, ...]
    const: bool
    offset: int = 0
    quads: bool = False
    """True if four consecutive elements are read as one (`loomir.dialects.quads`).

    The strides are those of the elements.
    """

    @property
    def c_type(self) -> str:
        """The type of a pointer to the elements."""
        return f"{'const ' if self.const else ''}{memory_type(self.element)} *"

    def at(self, indices: Sequence[Expr]) -> Expr:
        """The element at an index per dimension."""
        position = self.position(indices)
        # The pointer's own offset is read best at the end: `x[i * 3 + j + 12]`.
        return subscript(self.pointer, add(position, integer(self.offset)))

    def position(self, indices: Sequence[Expr]) -> Expr:
        """The elements between the view's first one and the one at `indices`."""
        terms: list[Expr] = []
        for i, s in zip(indices, self.strides):
            # `(i + 2) * 3` is `i * 3 + 6`, and all numbers become one.
            if i.offset is not None and isinstance(s.literal, int):
                base, distance = i.offset
                terms += [multiply(base, s), integer(distance * s.literal)]
            else:
                terms.append(multiply(i, s))
        constant = sum(t.literal for t in terms if isinstance(t.literal, int))
        rest = [t for t in terms if not isinstance(t.literal, int)]
        return add(reduce(add, rest, integer(0)), integer(constant))

    def address(self) -> Expr:
        """The pointer to the first element."""
        if self.offset == 0:
            return self.pointer
        return binary("+", self.pointer, integer(self.offset))

    def size(self) -> Expr:
        """The number of elements."""
        return reduce(multiply, self.shape, integer(1))


def row_major(shape: Sequence[Expr]) -> tuple[Expr, ...]:
    """The strides of a contiguous array."""
    strides: list[Expr] = []
    step = integer(1)
    for extent in reversed(shape):
        strides.append(step)
        step = multiply(step, extent) if step.literal is not None else multiply(extent, step)
    return tuple(reversed(strides))


def static_shape(t: MemRefType) -> tuple[Expr, ...]:
    """The extents of a memref that has no dynamic one."""
    assert DYNAMIC_INDEX not in t.get_shape(), t
    return tuple(map(integer, t.get_shape()))


def static_strides(t: MemRefType) -> tuple[Expr, ...] | None:
    """The strides of a memref if its type tells them all."""
    if not isinstance(t.layout, StridedLayoutAttr):
        return None if DYNAMIC_INDEX in t.get_shape()[1:] else row_major(static_shape_or_one(t))
    strides = t.layout.strides.data
    if not all(isinstance(s, IntAttr) for s in strides):
        return None
    return tuple(integer(s.data) for s in strides if isinstance(s, IntAttr))


def static_shape_or_one(t: MemRefType) -> tuple[Expr, ...]:
    """Return the extents, with a dynamic outermost extent as 1.

    No stride depends on the outermost extent.
    """
    return tuple(integer(1 if d == DYNAMIC_INDEX else d) for d in t.get_shape())


def contiguous(view: View) -> bool:
    """Return True if the elements are known to be contiguous.

    The test compares the text of the strides.
    """
    expected = row_major(view.shape)
    return all(
        s.text == e.text or extent.literal == 1 for s, e, extent in zip(view.strides, expected, view.shape)
    )
