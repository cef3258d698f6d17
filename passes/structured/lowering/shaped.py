"""`Shaped`: what a value of the model is below GRAPH."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from xdsl.ir import Attribute, Operation, SSAValue

from loomir.dialects.element_types import element_of, is_unsigned, signless
from loomir.dialects.index_builder import all_static
from loomir.dialects.ov.bounds import with_known
from loomir.passes.structured.lowering.builder import Extent, tensor_type


class Materialiser(Protocol):
    """Materialiser of constants when they are used: a `Lowering`."""

    def constant(self, value: Any, element: Attribute) -> SSAValue: ...

    def materialise(self, x: Shaped) -> SSAValue: ...


class Shaped:
    """Value of the model below GRAPH (see `base`).

    It is immutable, except for lazily materialised constants.
    """

    __slots__ = (
        "_low",
        "_splat",
        "_value",
        "anchor",
        "array",
        "bounds",
        "destination",
        "dims",
        "element",
        "flat",
    )

    def __init__(
        self,
        low: Materialiser,
        value: SSAValue | None,
        element: Attribute,
        dims: Sequence[Extent],
        bounds: Sequence[int],
        *,
        array: np.ndarray | None = None,
        destination: SSAValue | None = None,
        flat: SSAValue | None = None,
        anchor: Operation | None = None,
    ) -> None:
        assert len(dims) == len(bounds)
        self._low = low
        self._value = value
        self._splat: SSAValue | None = None
        self.element = element
        self.dims: tuple[Extent, ...] = tuple(dims)
        self.bounds = with_known(bounds, self.dims)
        self.array = array
        self.destination = destination
        """The capacity tensor.empty that this value was computed into the front of."""
        self.flat = flat
        """A capacity tensor that already holds exactly this value at its front."""
        self.anchor = anchor

    @staticmethod
    def of_array(low: Materialiser, array: np.ndarray, *, anchor: Operation | None = None) -> Shaped:
        """Return a constant that is created only when its value is used.

        The constant is created before the operation `anchor`, or where its value is used.
        """
        element = element_of(array.dtype)
        return Shaped(low, None, element, array.shape, array.shape, array=array, anchor=anchor)

    @property
    def rank(self) -> int:
        return len(self.dims)

    @property
    def type(self) -> Attribute:
        """The type of `value`: a scalar's element type, or a tensor type."""
        return tensor_type(self.element, self.dims) if self.dims else signless(self.element)

    @property
    def unsigned(self) -> bool:
        return is_unsigned(self.element)

    @property
    def static(self) -> tuple[int, ...] | None:
        """The extents where all are numbers."""
        return tuple(self.dims) if all_static(self.dims) else None

    @property
    def splat(self) -> SSAValue | None:
        """Scalar that every element equals, or None.

        It exists for rank 0 and for a constant of equal elements.
        """
        if self._splat is None:
            if not self.dims:
                self._splat = self.value
            elif self.array is not None and is_splat(self.array):
                self._splat = self._low.constant(self.array.flat[0], self.element)
        return self._splat

    @property
    def value(self) -> SSAValue:
        """SSA value, materialised on first use.

        The first use creates a constant's argument of `main`, or fills a tensor.
        """
        if self._value is None:
            self._value = self._low.materialise(self)
        return self._value


def is_splat(array: np.ndarray) -> bool:
    """Return True if all elements are the same, bit for bit.

    NaNs and signs of zero are therefore distinguished.
    """
    if not array.size:
        return False
    if array.size == 1 or not any(s for s, n in zip(array.strides, array.shape) if n > 1):
        return True
    bits = np.ascontiguousarray(array).reshape(-1).view(f"u{array.dtype.itemsize}")
    return bool(bits[0] == bits[-1] and (bits == bits[0]).all())


def as_bool(array: np.ndarray) -> np.ndarray:
    """A boolean array with valid bytes: xDSL packs true as 0xFF."""
    return array.view(np.uint8) != 0 if array.dtype == np.bool_ else array
