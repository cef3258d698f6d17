"""How large a tensor can be, by what inference knows of it."""

from __future__ import annotations

from xdsl.ir import SSAValue

from loomir.dialects.element_types import dtype_of
from loomir.dialects.tensors import AnyTensor
from loomir.passes.analysis.inference.state import State


def elements_at_most(value: SSAValue, inference: State) -> int | None:
    """Return the maximum number of elements of a tensor, or None.

    The result is None if the number is unbounded or the value is no tensor.
    """
    return inference.fact(value).elements.hi if isinstance(value.type, AnyTensor) else None


def bytes_at_most(value: SSAValue, inference: State) -> int | None:
    """The same in bytes."""
    elements = elements_at_most(value, inference)
    return None if elements is None else elements * dtype_of(inference.fact(value).element).itemsize
