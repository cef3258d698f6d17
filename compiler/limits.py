"""Limits on tensor sizes.

A model of a few bytes can request more memory than exists.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, MemRefType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from loomir.dialects.diagnostics import located
from loomir.dialects.element_types import dtype_of
from loomir.dialects.interface import arguments_of
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error

HINT = "raise the bound with --max-bytes (max_bytes= in Python) if that is intended"


def check_bytes(element: Attribute, shape: Sequence[int], limit: int) -> None:
    """Raise `Error("limit-bytes")` if a tensor's size exceeds the limit.

    The size follows from the element type and the shape. An extent of 0 counts as 1: code that iterates over the other
    dimensions, whose extents are arbitrary, needs memory for them.
    """
    size = prod(max(extent, 1) for extent in shape) * (
        8 if isinstance(element, IndexType) else dtype_of(element).itemsize
    )
    if size > limit:
        raise Error(
            "limit-bytes",
            f"a tensor of shape {list(shape)} takes {size} bytes, more than the limit of {limit}",
            hint=HINT,
        )


def check_module(module: ModuleOp, limit: int) -> None:
    """Check the static type of every value. Error: `limit-bytes`, with the layer."""
    for op in walk(module):
        values = [*op.results, *(a for region in op.regions for block in region.blocks for a in block.args)]
        for value in values:
            if (
                isinstance(value.type, TensorType | MemRefType)
                and DYNAMIC_INDEX not in value.type.get_shape()
            ):
                try:
                    check_bytes(value.type.element_type, value.type.get_shape(), limit)
                except Error as error:
                    raise located(error, op) from None


def check_arena(module: ModuleOp, limit: int) -> None:
    """Raise `Error("limit-bytes")` if the buffers of a LOOPS program exceed the limit.

    The limit applies to all buffers together.
    """
    for function in module.ops:
        if not isinstance(function, FuncOp):
            continue
        for argument, entry in zip(function.args, arguments_of(function)):
            if entry.role == "arena" and isinstance(argument.type, MemRefType):
                size = prod(argument.type.get_shape())
                if size > limit:
                    raise Error(
                        "limit-bytes",
                        f"the buffers of the program take {size} bytes together, more than the limit of {limit}",
                        hint=HINT,
                    )
