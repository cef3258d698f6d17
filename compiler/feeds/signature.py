"""User's view of a lowered `main`: named tensors in and out.

Below GRAPH a dynamic tensor is a flat array of its capacity with one `index` per dynamic dimension, a
rank-0 tensor is a scalar, an unsigned element is signless, and in LOOPS an output is an argument
(docs/ir.md). `Signature` reads that from the attributes of `main` and converts: `pack` turns a dictionary of
numpy arrays into the list of arguments, `unpack` turns arguments and results back into a dictionary. The
structured and the loops interpreter and the native engine share it; the C backend prints it.

```mlir
func.func @main(%x: memref<24xf32>  {loomir.name = "x", loomir.role = "input", loomir.type = tensor<?x3xf32>},
                %n: index           {loomir.dim = "x:0"},
                %w: memref<3xf32>   {loomir.blob = dense<…> : tensor<3xf32>},
                %y: memref<8xi8>    {loomir.name = "y", loomir.role = "output", loomir.type = tensor<?xui8>})
    -> (index {loomir.dim = "y:0"})
```
takes `{"x": float32 of shape (n, 3)}` and returns `{"y": uint8 of shape (m,)}`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Literal

import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    MemRefType,
    TensorType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from loomir.compiler.feeds import FeedChecker, TensorInfo
from loomir.dialects.element_types import dtype_name, dtype_of, stored
from loomir.dialects.interface import Bounds, Entry, Quantisation, arguments_of, results_of
from loomir.dialects.interface_checks import check_attributes
from loomir.errors import Error

ARENA_FILL = 0xA5
"""Fill byte of the buffers that `pack` creates.

It exposes reads before writes.
"""


@dataclass(frozen=True)
class Port:
    """One input or output tensor of the model.

    - `type` is the tensor as the user sees it: unsigned elements, `?` for a dynamic dimension, rank 0 for
      a scalar;
    - `storage` is the type of the value in the program: a scalar, a tensor or a memref (flat where dynamic);
    - `in_results` says whether the value is a result of `main` (else an argument), `position` which one;
    - `dims` maps each dynamic dimension to the argument (input) or result (output) with its extent;
    - `bounds` is the largest extent of each dimension, `None` where only the product is bounded;
    - `part` is, of a tensor that is part of a sequence or optional, what the user calls that and which part of it.
    """

    name: str
    type: TensorType
    storage: Attribute
    in_results: bool
    position: int
    dims: Mapping[int, int]
    bounds: tuple[int | None, ...]
    part: tuple[str, str] | None = None
    quantisation: Quantisation | None = None

    @property
    def kind(self) -> Literal["scalar", "static", "dynamic"]:
        if not isinstance(self.storage, TensorType | MemRefType):
            return "scalar"
        return "dynamic" if self.dims else "static"

    @property
    def dtype(self) -> np.dtype:
        """The element type that the user sees."""
        return dtype_of(self.type.element_type)

    @property
    def storage_dtype(self) -> np.dtype:
        """Element type in the program.

        It has the same width, but signless integers are signed.
        """
        t = self.storage
        return dtype_of(t.element_type if isinstance(t, TensorType | MemRefType) else t)

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The extents that the user sees, `None` for a dynamic one."""
        return tuple(None if d == DYNAMIC_INDEX else d for d in self.type.get_shape())

    @property
    def storage_shape(self) -> tuple[int, ...]:
        """Shape of the array in the program.

        It is `(capacity,)` for a dynamic tensor, `()` for a scalar.
        """
        t = self.storage
        return t.get_shape() if isinstance(t, TensorType | MemRefType) else ()

    @property
    def capacity(self) -> int:
        """How many elements the buffer holds."""
        return prod(self.storage_shape)

    @property
    def info(self) -> TensorInfo:
        """Description of an input for the user."""
        return TensorInfo(self.name, self.dtype, self.shape, self.bounds, self.quantisation)

    def stored(self, array: np.ndarray) -> np.ndarray | np.generic:
        """Return an array that is fed in the program's storage form.

        It is signless, contiguous, and if dynamic, flat and padded. Error: `input-shape`, if it is larger than the buffer.
        """
        if self.kind == "scalar":
            return stored(array).reshape(()).view(self.storage_dtype)[()]
        # np.ascontiguousarray would make a rank-0 array 1-D; np.require keeps the rank.
        array = np.require(stored(array), requirements=["C", "A"]).view(self.storage_dtype)
        if self.kind == "static":
            return array.reshape(self.storage_shape)
        if array.size > self.capacity:
            what = f"input '{self.name}' has shape {list(array.shape)}"
            raise Error("input-shape", f"{what}, but is compiled for at most {self.capacity} elements")
        flat = aligned_empty(self.storage_shape, self.storage_dtype, self.storage_dtype.itemsize)
        flat[: array.size] = array.reshape(-1)
        return flat

    def __str__(self) -> str:
        dims = ",".join("?" if d is None else str(d) for d in self.shape)
        return f"{dtype_name(self.dtype)}[{dims}]"


@dataclass(frozen=True)
class Argument:
    """Role of one argument of `main`.

    For `input`, `output` and `dim`, `port` is the tensor that it belongs to.
    """

    kind: Literal["input", "dim", "blob", "output", "arena"]
    type: Attribute
    port: Port | None = None
    dimension: int = 0
    blob: np.ndarray | None = None
    align: int = 1


@dataclass(frozen=True)
class Signature:
    """All tensors of `main`: `inputs` and `outputs` by name, `arguments` by position."""

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    arguments: tuple[Argument, ...]
    result_types: tuple[Attribute, ...]

    @staticmethod
    def of(func: FuncOp) -> Signature:
        """Read the signature of a STRUCTURED or LOOPS `main`.

        A tensor without `loomir.name` is called `arg0`, `result0` … after its position. Error: `bad-interface`,
        where the attributes contradict each other.
        """
        return _Reader(func).read()

    @cached_property
    def checked(self) -> FeedChecker:
        """Check of the feeds."""
        return FeedChecker([port.info for port in self.inputs])

    @property
    def blobs(self) -> tuple[np.ndarray, ...]:
        """The weights in the order of their arguments."""
        return tuple(a.blob for a in self.arguments if a.blob is not None)

    @property
    def arena(self) -> Argument | None:
        """The arena argument, once memory is planned."""
        return next((a for a in self.arguments if a.kind == "arena"), None)

    def pack(
        self, feed: Mapping[str, object], fill: int = ARENA_FILL, alignment: int = 1
    ) -> list[np.ndarray | np.generic | int]:
        """Return the arguments of `main` for a feed.

        They are arrays, numpy scalars, and `int` for a dimension.

        Arrays are C-contiguous and of the storage type and shape; those of inputs are the feed's own memory where that already
        fits, and must not be written. Output buffers and the arena are new, aligned (to `alignment` bytes at least) and
        poisoned with the byte `fill`. Raises `input-missing`, `input-unknown`, `input-dtype`, `input-shape`.
        """
        arrays = {name: array for name, array in self.checked(feed).items() if isinstance(array, np.ndarray)}
        arguments: list[np.ndarray | np.generic | int] = []
        for a in self.arguments:
            if a.kind == "input":
                assert a.port is not None
                arguments.append(a.port.stored(arrays[a.port.name]))
            elif a.kind == "dim":
                assert a.port is not None
                arguments.append(int(arrays[a.port.name].shape[a.dimension]))
            elif a.kind == "blob":
                assert a.blob is not None
                arguments.append(a.blob)
            else:
                assert isinstance(a.type, MemRefType)
                dtype = dtype_of(a.type.element_type)
                arguments.append(aligned_empty(a.type.get_shape(), dtype, max(a.align, alignment), fill))
        return arguments

    def unpack(
        self, arguments: Sequence[np.ndarray | np.generic | int], results: Sequence[object]
    ) -> dict[str, np.ndarray]:
        """Return the outputs after a call.

        `arguments` are those that `pack` returned, `results` those that `main` returned.

        Each array has the true shape and the element type that the user sees; a scalar has rank 0.
        """
        outputs: dict[str, np.ndarray] = {}
        for port in self.outputs:
            value = results[port.position] if port.in_results else arguments[port.position]
            array = np.asarray(value, dtype=port.storage_dtype)
            if port.kind == "dynamic":
                shape = tuple(
                    int(np.asarray(results[port.dims[k]])) if d is None else d
                    for k, d in enumerate(port.shape)
                )
                array = array.reshape(-1)[: prod(shape)].reshape(shape)
            else:
                array = array.reshape(port.type.get_shape())
            outputs[port.name] = array.view(port.dtype)
        return outputs


def aligned_empty(shape: Sequence[int], dtype: np.dtype, align: int, fill: int = ARENA_FILL) -> np.ndarray:
    """Return a new C-contiguous array aligned to `align` bytes.

    It is filled with one byte.
    """
    size = prod(shape) * dtype.itemsize
    raw = np.full(size + align, fill, np.uint8)
    start = -raw.ctypes.data % align
    return raw[start : start + size].view(dtype).reshape(tuple(shape))


class _Reader:
    """One reading of the attributes of a function."""

    def __init__(self, func: FuncOp) -> None:
        check_attributes(func)
        types = func.function_type
        self.argument_types = types.inputs.data
        self.result_types = types.outputs.data
        self.argument_entries = arguments_of(func)
        self.result_entries = results_of(func)

    def read(self) -> Signature:
        argument_dims = _dims(self.argument_entries)
        result_dims = _dims(self.result_entries)
        inputs: list[Port] = []
        outputs: list[Port] = []
        arguments: list[Argument] = []
        for k, (t, entry) in enumerate(zip(self.argument_types, self.argument_entries)):
            if (blob := entry.blob) is not None:
                arguments.append(Argument("blob", t, blob=_blob_array(blob, t)))
            elif entry.dim is not None:
                arguments.append(Argument("dim", t))
            elif entry.role == "arena":
                arguments.append(Argument("arena", t, align=entry.align or 1))
            elif entry.role == "output":
                port = self._port(f"result{len(outputs)}", t, entry, False, k, result_dims)
                outputs.append(port)
                arguments.append(Argument("output", t, port, align=port.storage_dtype.itemsize))
            else:
                port = self._port(f"arg{len(inputs)}", t, entry, False, k, argument_dims)
                inputs.append(port)
                arguments.append(Argument("input", t, port))
        outputs = self._merge_results(outputs, result_dims)
        self._join_dims(inputs, arguments)
        left = [*argument_dims, *result_dims]
        if left:
            raise Error("bad-interface", f"loomir.dim of a tensor that does not exist: {left}")
        return Signature(tuple(inputs), tuple(outputs), tuple(arguments), tuple(self.result_types))

    def _port(
        self,
        default: str,
        storage: Attribute,
        entry: Entry,
        in_results: bool,
        position: int,
        dims: dict[str, dict[int, int]],
    ) -> Port:
        name = entry.name or default
        seen = entry.type
        if seen is None:
            shaped = isinstance(storage, TensorType | MemRefType)
            element = storage.element_type if shaped else storage
            # An index that the user feeds or gets is a 64-bit integer to him.
            seen = TensorType(element, storage.get_shape() if shaped else [])
        own = dims.pop(name, {})
        shape = seen.get_shape()
        dynamic = {k for k, d in enumerate(shape) if d == DYNAMIC_INDEX}
        if dynamic != set(own):
            raise Error(
                "bad-interface", f"'{name}' is {seen}, but has loomir.dim for dimensions {sorted(own)}"
            )
        port = Port(name, seen, storage, in_results, position, own, ())
        if not dynamic and port.capacity != prod(shape):
            raise Error("bad-interface", f"'{name}' is {seen}, but is held in {storage}")
        return Port(
            name,
            seen,
            storage,
            in_results,
            position,
            own,
            _bounds(port, entry.bounds),
            entry.part,
            entry.quantisation,
        )

    def _merge_results(self, buffers: list[Port], dims: dict[str, dict[int, int]]) -> list[Port]:
        """Return the outputs in the model's order.

        Buffers are arguments, scalars (or tensors) are results.

        LOOPS does not record the position of a static buffer among the scalars: it precedes them. A dynamic buffer is at the
        position of its dimensions.
        """
        order = {port.name: k for k, port in enumerate(buffers)}
        merged: list[Port] = []
        taken = 0
        for position, (t, entry) in enumerate(zip(self.result_types, self.result_entries)):
            dim = entry.dim
            if dim is None:
                upto = taken
                while upto < len(buffers) and not buffers[upto].dims:
                    upto += 1
            else:
                upto = order.get(dim[0], -1) + 1
            merged += buffers[taken:upto]
            taken = max(taken, upto)
            if dim is None:
                number = len(merged) + len(buffers) - taken
                merged.append(self._port(f"result{number}", t, entry, True, position, dims))
        return merged + buffers[taken:]

    def _join_dims(self, inputs: Sequence[Port], arguments: list[Argument]) -> None:
        for port in inputs:
            for dimension, position in port.dims.items():
                t = arguments[position].type
                if not isinstance(t, IndexType):
                    raise Error("bad-interface", f"loomir.dim of '{port.name}' is {t}, not index")
                arguments[position] = Argument("dim", t, port, dimension)


def _dims(entries: Sequence[Entry]) -> dict[str, dict[int, int]]:
    """Return the table tensor name → dimension → position.

    It is read from the `loomir.dim = "name:k"` of arguments or results.
    """
    table: dict[str, dict[int, int]] = {}
    for position, entry in enumerate(entries):
        if entry.dim is not None:
            name, dimension = entry.dim
            table.setdefault(name, {})[dimension] = position
    return table


def _bounds(port: Port, given: Bounds | None) -> Bounds:
    """Return the largest extents.

    They are `loomir.bounds` if given, else the capacity's share for a single `?`.
    """
    shape = port.shape
    if given is not None:
        return given
    static = prod(d for d in shape if d is not None)
    lone = len(port.dims) == 1 and static > 0
    return tuple((port.capacity // static if lone else None) if d is None else d for d in shape)


def _blob_array(array: np.ndarray, t: Attribute) -> np.ndarray:
    """A weight in the storage type and shape of its argument, contiguous."""
    assert isinstance(t, TensorType | MemRefType), t
    dtype = dtype_of(t.element_type)
    if dtype == np.bool_:
        # xDSL packs `true` as 0xFF, which is no valid bool in memory.
        array = array.view(np.uint8) != 0
    return np.require(array, requirements=["C", "A"]).view(dtype).reshape(t.get_shape())
