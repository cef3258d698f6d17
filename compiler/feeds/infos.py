"""Descriptions of inputs and outputs for users, and checks of fed values.

Inputs and outputs are tensors, sequences and optionals. A sequence is a list of arrays, an absent optional is `None`,
an optional with a value is the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Attribute

from loomir.compiler.feeds.values import fed_array
from loomir.dialects.element_types import dtype_name, dtype_of
from loomir.dialects.interface import Entry
from loomir.dialects.ovseq.types import GraphValue, OptionalType, SequenceType
from loomir.dialects.quantisation import Quantisation
from loomir.errors import Error

Bounds = tuple[int | None, ...] | None

NOTHING = Entry()

SAMPLE_TEXTS = ("", "a", "b", "ab", "Ω", "a b")
"""Strings that occur in samples."""


@dataclass(frozen=True)
class TensorInfo:
    """Tensor input or output.

    `shape` contains None for a dynamic extent, and is None if the rank is unknown.

    `max_shape` contains the largest extents of an input with bounds, and None for a dynamic dimension without one.
    """

    name: str
    dtype: np.dtype
    shape: tuple[int | None, ...] | None
    max_shape: Bounds = None
    quantisation: Quantisation | None = None
    """For which real numbers its integers stand."""

    @staticmethod
    def of(name: str, type_: Attribute, entry: Entry = NOTHING) -> TensorInfo:
        """Create the description from a GRAPH tensor type and its entry.

        The entry holds the properties of the argument or result.
        """
        assert isinstance(type_, TensorType | UnrankedTensorType)
        dtype = dtype_of(type_.element_type)
        if isinstance(type_, UnrankedTensorType):
            return TensorInfo(name, dtype, None)
        shape = tuple(None if e < 0 else e for e in type_.get_shape())
        return TensorInfo(name, dtype, shape, entry.bounds, entry.quantisation)

    @property
    def is_dynamic(self) -> bool:
        """True if the type leaves something open that a value decides."""
        return self.shape is None or None in self.shape

    @property
    def bounded(self) -> bool:
        """True if every extent is static or has an upper bound."""
        if self.shape is None:
            return False
        return all(e is not None or b is not None for e, b in zip(self.shape, self._bounds))

    @property
    def _bounds(self) -> tuple[int | None, ...]:
        return self.max_shape or (None,) * len(self.shape or ())

    def accepts(self, shape: Sequence[int]) -> bool:
        """Return True if an array of this shape may be fed."""
        if self.shape is None:
            return True
        return len(shape) == len(self.shape) and all(
            e in (None, x) and (b is None or x <= b) for e, b, x in zip(self.shape, self._bounds, shape)
        )

    def fitted(self, given: object) -> np.ndarray:
        """Return a fed value as an array of the right dtype.

        Errors: `input-dtype`, `input-shape`, `input-sequence`.
        """
        if given is None:
            raise Error("input-sequence", f"input '{self}' is a tensor, and was given None")
        try:
            value = fed_array(self.name, self.type_text, self.dtype, given)
        except Error as error:
            if self.quantisation is not None and error.identifier == "input-dtype":
                how = "quantisation.integers(array, dtype) of this input converts floats"
                error.hint = f"each q stands for {self.quantisation}: {how}"
            raise
        if not self.accepts(value.shape):
            what = f"input '{self.name}' has shape {list(value.shape)}"
            raise Error("input-shape", f"{what}, but the model takes {self.type_text}")
        return value

    @property
    def type_text(self) -> str:
        """The type as a user reads it."""
        if self.shape is None:
            return f"{dtype_name(self.dtype)}[…]"
        extents = (
            str(e) if e is not None else "?" if b is None else f"≤{b}"
            for e, b in zip(self.shape, self._bounds)
        )
        return f"{dtype_name(self.dtype)}[{','.join(extents)}]"

    def __str__(self) -> str:
        stands_for = "" if self.quantisation is None else f", stands for {self.quantisation}"
        return f"{self.name}: {self.type_text}{stands_for}"


@dataclass(frozen=True)
class SequenceInfo:
    """Input or output that is a list of arrays.

    `element` describes each of the arrays.
    """

    name: str
    element: TensorInfo

    is_dynamic = True
    bounded = False

    @property
    def dtype(self) -> np.dtype:
        """The dtype of the arrays."""
        return self.element.dtype

    def fitted(self, given: object) -> list[np.ndarray]:
        """Return a fed value as a list of arrays.

        The arrays have the right dtype. Errors: `input-sequence`, and those of a tensor.
        """
        if not isinstance(given, list | tuple):
            raise Error(
                "input-sequence",
                f"input '{self}' was given {_kind(given)}",
                hint="a sequence is fed as a list of arrays",
            )
        made: list[np.ndarray] = []
        for index, array in enumerate(given):
            element = self.element
            element = TensorInfo(f"{self.name}/{index}", element.dtype, element.shape, element.max_shape)
            made.append(element.fitted(array))
        return made

    @property
    def type_text(self) -> str:
        """The type as a user reads it."""
        return f"sequence of {self.element.type_text}"

    def __str__(self) -> str:
        return f"{self.name}: {self.type_text}"


@dataclass(frozen=True)
class OptionalInfo:
    """Input or output that may be `None`.

    `value` describes it otherwise.
    """

    name: str
    value: TensorInfo | SequenceInfo

    is_dynamic = True
    bounded = False

    @property
    def dtype(self) -> np.dtype:
        """The dtype of the arrays."""
        return self.value.dtype

    def fitted(self, given: object) -> GraphValue:
        """Return a fed value, fitted by `value`, or None."""
        return None if given is None else self.value.fitted(given)

    @property
    def type_text(self) -> str:
        """The type as a user reads it."""
        return f"optional {self.value.type_text}"

    def __str__(self) -> str:
        return f"{self.name}: {self.type_text}"


ValueInfo = TensorInfo | SequenceInfo | OptionalInfo


def info_of(name: str, type_: Attribute, entry: Entry = NOTHING) -> ValueInfo:
    """Create the description from a GRAPH type and its entry.

    The entry holds the properties of the argument or result.
    """
    if isinstance(type_, SequenceType):
        return SequenceInfo(name, TensorInfo.of(name, type_.element))
    if isinstance(type_, OptionalType):
        value = info_of(name, type_.value)
        assert not isinstance(value, OptionalInfo)
        return OptionalInfo(name, value)
    return TensorInfo.of(name, type_, entry)


def _kind(value: object) -> str:
    return "an array" if isinstance(value, np.ndarray) else type(value).__name__
