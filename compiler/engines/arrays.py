"""`tensor`, `memref` and `vector` for xDSL's interpreter, on numpy arrays.

A tensor is a numpy array that is never written after its creation. A buffer is a numpy array, and every view of it shares its
memory. A vector is a numpy array of one dimension that is never written after its creation.

The shape operations of `tensor` and `memref` are checked numpy views, which share memory with their source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects import memref, tensor, vector
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, TensorType, UnrealizedConversionCastOp
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    TerminatorValue,
    impl,
    impl_terminator,
    register_impls,
)
from xdsl.ir import Attribute, Operation

from loomir.compiler.engines import InterpreterError, OutOfBoundsError, poisoned, to_value
from loomir.dialects import quads
from loomir.dialects.element_types import dtype_of, memref_type_of, tensor_type_of
from loomir.dialects.vectors import lanes_of


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


def check_index(array: np.ndarray, index: Sequence[Any]) -> tuple[Any, ...]:
    """Return the index as a tuple after a bounds check.

    Its entries are integers, or arrays of those of many points. Raises `OutOfBoundsError`, since numpy would wrap a negative index.
    """
    for i, n in zip(index, array.shape, strict=True):
        low, high = (i.min(), i.max()) if isinstance(i, np.ndarray) else (i, i)
        if low < 0 or high >= n:
            shown = ", ".join(str(i).replace("\n", "") for i in index)
            raise OutOfBoundsError(f"index [{shown}] is outside of shape {list(array.shape)}")
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


def groups_of(op: tensor.CollapseShapeOp | tensor.ExpandShapeOp) -> list[list[int]]:
    """The reassociation as lists of dimensions."""
    return [[d.value.data for d in group] for group in op.reassociation]


@register_impls
class TensorFunctions(InterpreterFunctions):
    """Semantics of the tensor operations of STRUCTURED."""

    @impl(tensor.EmptyOp)
    def run_empty(self, interpreter: Interpreter, op: tensor.EmptyOp, args: PythonValues) -> PythonValues:
        type_ = tensor_type_of(op.tensor)
        shape = mixed(type_.get_shape(), iter(args))
        return (poisoned(shape, dtype_of(type_.element_type)),)

    @impl(tensor.ExtractOp)
    def run_extract(self, interpreter: Interpreter, op: tensor.ExtractOp, args: PythonValues) -> PythonValues:
        source, *index = args
        value = source[check_index(source, index)]
        # An element of a tensor of index is an int, like every index.
        return (to_value(value, op.result.type),)

    @impl(tensor.InsertOp)
    def run_insert(self, interpreter: Interpreter, op: tensor.InsertOp, args: PythonValues) -> PythonValues:
        value, dest, *index = args
        result = dest.copy()
        result[check_index(result, index)] = value
        return (result,)

    @impl(tensor.ExtractSliceOp)
    def run_extract_slice(
        self, interpreter: Interpreter, op: tensor.ExtractSliceOp, args: PythonValues
    ) -> PythonValues:
        rest = iter(args[1:])
        view = slice_view(
            args[0],
            mixed(op.static_offsets.get_values(), rest),
            mixed(op.static_sizes.get_values(), rest),
            mixed(op.static_strides.get_values(), rest),
        )
        return (checked(view, op.result.type),)

    @impl(tensor.InsertSliceOp)
    def run_insert_slice(
        self, interpreter: Interpreter, op: tensor.InsertSliceOp, args: PythonValues
    ) -> PythonValues:
        source, dest = args[:2]
        rest = iter(args[2:])
        result = dest.copy()
        view = slice_view(
            result,
            mixed(op.static_offsets.get_values(), rest),
            mixed(op.static_sizes.get_values(), rest),
            mixed(op.static_strides.get_values(), rest),
        )
        if view.shape != source.shape:
            raise InterpreterError(
                f"a source of shape {source.shape} is inserted into a slice of {view.shape}"
            )
        view[...] = source
        return (result,)

    @impl(tensor.CollapseShapeOp)
    def run_collapse(
        self, interpreter: Interpreter, op: tensor.CollapseShapeOp, args: PythonValues
    ) -> PythonValues:
        shape = collapsed_shape(args[0].shape, groups_of(op))
        return (checked(reshaped(args[0], shape, share=False), op.result.type),)

    @impl(tensor.ExpandShapeOp)
    def run_expand(
        self, interpreter: Interpreter, op: tensor.ExpandShapeOp, args: PythonValues
    ) -> PythonValues:
        shape = mixed(op.static_output_shape.get_values(), iter(args[1:]))
        check_expansion(args[0].shape, shape, groups_of(op))
        return (checked(reshaped(args[0], shape, share=False), op.result.type),)

    @impl(tensor.PadOp)
    def run_pad(self, interpreter: Interpreter, op: tensor.PadOp, args: PythonValues) -> PythonValues:
        source = args[0]
        rest = iter(args[1:])
        low = mixed(op.static_low.get_values(), rest)
        high = mixed(op.static_high.get_values(), rest)
        if any(arg.first_use is not None for arg in op.region.block.args):
            raise InterpreterError("the body of tensor.pad depends on the position")
        (value,) = interpreter.run_ssacfg_region(op.region, (0,) * source.ndim, "tensor.pad")
        if any(n < 0 for n in (*low, *high)):
            raise InterpreterError(f"tensor.pad by low {low} and high {high}")
        result = np.full([a + n + b for a, n, b in zip(low, source.shape, high)], value, source.dtype)
        result[tuple(slice(a, a + n) for a, n in zip(low, source.shape))] = source
        return (checked(result, op.result.type),)

    @impl(tensor.DimOp)
    def run_dim(self, interpreter: Interpreter, op: tensor.DimOp, args: PythonValues) -> PythonValues:
        return (int(args[0].shape[args[1]]),)

    @impl(tensor.CastOp)
    def run_cast(self, interpreter: Interpreter, op: tensor.CastOp, args: PythonValues) -> PythonValues:
        return (checked(args[0], op.dest.type),)

    @impl(tensor.FromElementsOp)
    def run_from_elements(
        self, interpreter: Interpreter, op: tensor.FromElementsOp, args: PythonValues
    ) -> PythonValues:
        type_ = tensor_type_of(op.result)
        dtype = dtype_of(type_.element_type)
        return (np.array(args, dtype).reshape(type_.get_shape()),)

    @impl(tensor.SplatOp)
    def run_splat(self, interpreter: Interpreter, op: tensor.SplatOp, args: PythonValues) -> PythonValues:
        type_ = tensor_type_of(op.result)
        shape = mixed(type_.get_shape(), iter(args[1:]))
        assert DYNAMIC_INDEX not in shape
        return (np.full(shape, args[0], dtype_of(type_.element_type)),)

    @impl_terminator(tensor.YieldOp)
    def run_yield(
        self, interpreter: Interpreter, op: tensor.YieldOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()


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
        return (to_value(value, op.res.type),)

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


def neighbours(buffer: np.ndarray, index: list[int], count: int) -> np.ndarray:
    """Return a view of `count` elements of the last dimension.

    The view starts at `index`. Raises `OutOfBoundsError`.
    """
    *outer, first = check_index(buffer, index)
    if first + count > buffer.shape[-1]:
        raise OutOfBoundsError(f"{count} elements from index {index} on leave shape {list(buffer.shape)}")
    return buffer[(*outer, slice(first, first + count))]


@register_impls
class VectorFunctions(InterpreterFunctions):
    """Semantics of the vector operations of LOOPS."""

    @impl(vector.LoadOp)
    def run_load(self, interpreter: Interpreter, op: vector.LoadOp, args: PythonValues) -> PythonValues:
        buffer, *index = args
        return (neighbours(buffer, index, lanes_of(op.result.type)).copy(),)

    @impl(vector.StoreOp)
    def run_store(self, interpreter: Interpreter, op: vector.StoreOp, args: PythonValues) -> PythonValues:
        value, buffer, *index = args
        neighbours(buffer, index, lanes_of(op.vector.type))[...] = value
        return ()

    @impl(vector.BroadcastOp)
    def run_broadcast(
        self, interpreter: Interpreter, op: vector.BroadcastOp, args: PythonValues
    ) -> PythonValues:
        t = op.vector.type
        return (np.full(lanes_of(t), args[0], dtype_of(t.element_type)),)
