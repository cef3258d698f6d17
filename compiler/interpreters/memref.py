"""`memref` for xDSL's interpreter.

A buffer is a numpy array, and every view of it shares its memory.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from xdsl.dialects import memref
from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import Operation

from loomir.compiler.interpreters.core import InterpreterError, OutOfBoundsError, poisoned
from loomir.compiler.interpreters.views import (
    check_expansion,
    check_index,
    checked,
    collapsed_shape,
    mixed,
    reshaped,
    slice_view,
)
from loomir.dialects import quads
from loomir.dialects.element_types import dtype_of
from loomir.dialects.tensors import memref_type_of


def subview(op: memref.SubviewOp, args: tuple[Any, ...]) -> np.ndarray:
    """The strided view that `memref.subview` names."""
    rest = iter(args[1:])
    view = slice_view(
        args[0],
        mixed(op.static_offsets.get_values(), rest),
        mixed(op.static_sizes.get_values(), rest),
        mixed(op.static_strides.get_values(), rest),
    )
    return checked(view, op.result.type)


def collapse(op: memref.CollapseShapeOp, args: tuple[Any, ...]) -> np.ndarray:
    """The buffer with groups of dimensions made one."""
    groups = [[d.value.data for d in group] for group in op.reassociation]
    return checked(reshaped(args[0], collapsed_shape(args[0].shape, groups), share=True), op.result.type)


def expand(op: memref.ExpandShapeOp, args: tuple[Any, ...]) -> np.ndarray:
    """The buffer with dimensions split."""
    groups = [[d.value.data for d in group] for group in op.reassociation]
    shape = mixed(op.static_output_shape.get_values(), iter(args[1:]))
    check_expansion(args[0].shape, shape, groups)
    return checked(reshaped(args[0], shape, share=True), op.result.type)


def cast(op: memref.CastOp, args: tuple[Any, ...]) -> np.ndarray:
    """The same buffer under another type."""
    return checked(args[0], op.dest.type)


def padded(op: UnrealizedConversionCastOp, args: tuple[Any, ...]) -> np.ndarray:
    """Return the buffer without the padding of its new type.

    `linalg.generic` adds the padding from `loomir.pads`.
    """
    return args[0]


def quads_of(op: quads.ViewOp, args: tuple[Any, ...]) -> np.ndarray:
    """View a buffer of bytes as integers of four neighbouring bytes each.

    The first byte is the lowest byte of its integer.
    """
    return checked(args[0].view("<i4"), op.result.type)


def view(op: memref.ViewOp, args: tuple[Any, ...]) -> np.ndarray:
    """Bytes of an arena as a buffer of another type."""
    arena, offset, *sizes = args
    type_ = memref_type_of(op.result)
    dtype = dtype_of(type_.element_type)
    shape = mixed(type_.get_shape(), iter(sizes))
    size = prod(shape) * dtype.itemsize
    if offset < 0 or offset + size > arena.nbytes:
        raise OutOfBoundsError(
            f"bytes {offset} to {offset + size} are outside of an arena of {arena.nbytes} bytes"
        )
    if offset % dtype.itemsize:
        raise InterpreterError(f"offset {offset} is not aligned for {dtype}")
    return arena[offset : offset + size].view(dtype).reshape(shape)


def copy(op: memref.CopyOp, args: tuple[Any, ...]) -> None:
    """Copy a buffer's elements into another of the same shape."""
    source, destination = args
    if source.shape != destination.shape:
        raise InterpreterError(f"memref.copy from shape {source.shape} to {destination.shape}")
    destination[...] = source


def dim(op: memref.DimOp, args: tuple[Any, ...]) -> int:
    """The extent of a dimension."""
    return int(args[0].shape[args[1]])


def alloc(op: memref.AllocOp | memref.AllocaOp, args: tuple[Any, ...]) -> np.ndarray:
    """A new buffer with contents that show when they are read."""
    type_ = memref_type_of(op.memref)
    return poisoned(mixed(type_.get_shape(), iter(args)), dtype_of(type_.element_type))


VIEWS = {
    memref.SubviewOp: subview,
    memref.CollapseShapeOp: collapse,
    memref.ExpandShapeOp: expand,
    memref.CastOp: cast,
    UnrealizedConversionCastOp: padded,
    quads.ViewOp: quads_of,
    memref.ViewOp: view,
    memref.AllocOp: alloc,
    memref.AllocaOp: alloc,
    memref.DimOp: dim,
}
"""Operations with one result that neither read nor write elements.

`copy` is the operation without a result.
"""


class _Memrefs(InterpreterFunctions):
    @impl(memref.LoadOp)
    def run_load(self, interpreter: Interpreter, op: memref.LoadOp, args: PythonValues) -> PythonValues:
        buffer, *index = args
        value = buffer[check_index(buffer, index)]
        return (int(value),) if op.res.type.name == "index" else (value,)

    @impl(memref.StoreOp)
    def run_store(self, interpreter: Interpreter, op: memref.StoreOp, args: PythonValues) -> PythonValues:
        value, buffer, *index = args
        buffer[check_index(buffer, index)] = value
        return ()

    @impl(memref.CopyOp)
    def run_copy(self, interpreter: Interpreter, op: memref.CopyOp, args: PythonValues) -> PythonValues:
        copy(op, args)
        return ()

    def run_view(self, interpreter: Interpreter, op: Operation, args: PythonValues) -> PythonValues:
        return (VIEWS[type(op)](op, args),)


MemrefFunctions = register_impls(
    type(
        "MemrefFunctions",
        (_Memrefs,),
        {
            "__doc__": "Semantics of the memref operations of LOOPS.",
            **{f"run_{c.name}": impl(c)(_Memrefs.run_view) for c in VIEWS},
        },
    )
)
