"""The user's view of a lowered `main`: named tensors in, named tensors out.

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
takes `{"x": float32 of shape (n, 3)}` and gives `{"y": uint8 of shape (m,)}`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    TensorType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from loomir.compiler.interface import check_attributes
from loomir.compiler.values import fed_array
from loomir.dialects.blob import constant_array
from loomir.dialects.element_types import dtype_name, dtype_of, stored
from loomir.errors import Error

NAME, BLOB, ROLE, TYPE, DIM = "loomir.name", "loomir.blob", "loomir.role", "loomir.type", "loomir.dim"
BOUNDS, ALIGN = "loomir.bounds", "loomir.align"
OF, PART = "loomir.of", "loomir.part"

ARENA_FILL = 0xA5
"""Buffers made by `pack` are filled with this byte, so that reading before writing shows."""


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
        """The element type in the program: the same width, but signless integers are signed."""
        t = self.storage
        return dtype_of(t.element_type if isinstance(t, TensorType | MemRefType) else t)

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The extents that the user sees, `None` for a dynamic one."""
        return tuple(None if d == DYNAMIC_INDEX else d for d in self.type.get_shape())

    @property
    def storage_shape(self) -> tuple[int, ...]:
        """The shape of the array in the program; `(capacity,)` for a dynamic tensor, `()` for a scalar."""
        t = self.storage
        return t.get_shape() if isinstance(t, TensorType | MemRefType) else ()

    @property
    def capacity(self) -> int:
        """How many elements the buffer holds."""
        return prod(self.storage_shape)

    def __str__(self) -> str:
        dims = ",".join("?" if d is None else str(d) for d in self.shape)
        return f"{dtype_name(self.dtype)}[{dims}]"


@dataclass(frozen=True)
class Argument:
    """What one argument of `main` is: for `input`, `output` and `dim`, `port` says of which tensor."""

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

    @property
    def blobs(self) -> tuple[np.ndarray, ...]:
        """The weights in the order of their arguments."""
        return tuple(a.blob for a in self.arguments if a.blob is not None)

    @property
    def arena(self) -> Argument | None:
        """The arena argument, once memory is planned."""
        return next((a for a in self.arguments if a.kind == "arena"), None)

    def pack(self, feed: Mapping[str, object], fill: int = ARENA_FILL) -> list[np.ndarray | np.generic | int]:
        """The arguments of `main` for a feed: arrays, numpy scalars, and `int` for a dimension.

        Arrays are C-contiguous and of the storage type and shape; those of inputs are the feed's own memory
        where that fits already and must not be written. Output buffers and the arena are new, aligned and
        poisoned with the byte `fill`.
        Raises `input-missing`, `input-unknown`, `input-dtype`, `input-shape`.
        """
        known = {p.name for p in self.inputs}
        for name in feed:
            if name not in known:
                raise Error(
                    "input-unknown",
                    f"the model has no input '{name}'",
                    hint=f"its inputs are: {', '.join(f'{p.name}: {p}' for p in self.inputs) or 'none'}",
                )
        arrays: dict[str, np.ndarray] = {}
        for port in self.inputs:
            if port.name not in feed:
                raise Error(
                    "input-missing", f"no value for input '{port.name}'", hint=f"it is {port.name}: {port}"
                )
            arrays[port.name] = check_input(port, feed[port.name])
        arguments: list[np.ndarray | np.generic | int] = []
        for a in self.arguments:
            if a.kind == "input":
                assert a.port is not None
                arguments.append(_stored(a.port, arrays[a.port.name]))
            elif a.kind == "dim":
                assert a.port is not None
                arguments.append(int(arrays[a.port.name].shape[a.dimension]))
            elif a.kind == "blob":
                assert a.blob is not None
                arguments.append(a.blob)
            else:
                assert isinstance(a.type, MemRefType)
                dtype = dtype_of(a.type.element_type)
                arguments.append(aligned_empty(a.type.get_shape(), dtype, a.align, fill))
        return arguments

    def unpack(
        self, arguments: Sequence[np.ndarray | np.generic | int], results: Sequence[object]
    ) -> dict[str, np.ndarray]:
        """The outputs after a call: `arguments` as `pack` made them, `results` as `main` returned them.

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


def check_input(port: Port, value: object) -> np.ndarray:
    """The value as an array of the port's element type and a shape that it takes.

    What is taken says `compiler/values.py`. Raises `input-dtype`, `input-shape`.
    """
    array = fed_array(port.name, str(port), port.dtype, value)
    fits = array.ndim == len(port.shape) and all(d is None or d == n for d, n in zip(port.shape, array.shape))
    if fits and port.kind == "dynamic":
        fits = array.size <= port.capacity and all(
            b is None or n <= b for b, n in zip(port.bounds, array.shape)
        )
        limit = ", ".join("?" if b is None else f"≤{b}" for b in port.bounds)
        hint = f"compiled for [{limit}], at most {port.capacity} elements"
    else:
        hint = None
    if not fits:
        raise Error(
            "input-shape",
            f"input '{port.name}' has shape {list(array.shape)}, but the model takes {port}",
            hint=hint,
        )
    return array


def aligned_empty(shape: Sequence[int], dtype: np.dtype, align: int, fill: int = ARENA_FILL) -> np.ndarray:
    """A new C-contiguous array whose data starts at a multiple of `align`, filled with one byte."""
    size = prod(shape) * dtype.itemsize
    raw = np.full(size + align, fill, np.uint8)
    start = -raw.ctypes.data % align
    return raw[start : start + size].view(dtype).reshape(tuple(shape))


def _stored(port: Port, array: np.ndarray) -> np.ndarray | np.generic:
    """An input as the program holds it: signless, contiguous, flat and padded where dynamic."""
    if port.kind == "scalar":
        return stored(array).reshape(()).view(port.storage_dtype)[()]
    # np.ascontiguousarray would make a rank-0 array 1-D; np.require keeps the rank.
    array = np.require(stored(array), requirements=["C", "A"]).view(port.storage_dtype)
    if port.kind == "static":
        return array.reshape(port.storage_shape)
    flat = aligned_empty(port.storage_shape, port.storage_dtype, port.storage_dtype.itemsize)
    flat[: array.size] = array.reshape(-1)
    return flat


class _Reader:
    """One reading of the attributes of a function."""

    def __init__(self, func: FuncOp) -> None:
        check_attributes(func)
        types = func.function_type
        self.argument_types = types.inputs.data
        self.result_types = types.outputs.data
        self.argument_attrs = _attributes(func.arg_attrs, len(self.argument_types))
        self.result_attrs = _attributes(func.res_attrs, len(self.result_types))

    def read(self) -> Signature:
        argument_dims = _dims(self.argument_attrs)
        result_dims = _dims(self.result_attrs)
        inputs: list[Port] = []
        outputs: list[Port] = []
        arguments: list[Argument] = []
        for k, (t, attrs) in enumerate(zip(self.argument_types, self.argument_attrs)):
            role = _text(attrs, ROLE)
            if BLOB in attrs:
                arguments.append(Argument("blob", t, blob=_blob_array(attrs[BLOB], t)))
            elif DIM in attrs:
                arguments.append(Argument("dim", t))
            elif role == "arena":
                align = attrs.get(ALIGN)
                arguments.append(
                    Argument("arena", t, align=align.value.data if isinstance(align, IntegerAttr) else 1)
                )
            elif role == "output":
                port = self._port(f"result{len(outputs)}", t, attrs, False, k, result_dims)
                outputs.append(port)
                arguments.append(Argument("output", t, port, align=port.storage_dtype.itemsize))
            elif role in (None, "input"):
                port = self._port(f"arg{len(inputs)}", t, attrs, False, k, argument_dims)
                inputs.append(port)
                arguments.append(Argument("input", t, port))
            else:
                raise Error("bad-interface", f"argument {k} has an unknown role '{role}'")
        outputs = self._merge_results(outputs, result_dims)
        self._join_dims(inputs, arguments)
        left = [*argument_dims, *result_dims]
        if left:
            raise Error("bad-interface", f"{DIM} of a tensor that does not exist: {left}")
        return Signature(tuple(inputs), tuple(outputs), tuple(arguments), tuple(self.result_types))

    def _port(
        self,
        default: str,
        storage: Attribute,
        attrs: Mapping[str, Attribute],
        in_results: bool,
        position: int,
        dims: dict[str, dict[int, int]],
    ) -> Port:
        name = _text(attrs, NAME) or default
        seen = attrs.get(TYPE)
        if seen is None:
            shaped = isinstance(storage, TensorType | MemRefType)
            element = storage.element_type if shaped else storage
            # An index that the user feeds or gets is a 64-bit integer to him.
            seen = TensorType(element, storage.get_shape() if shaped else [])
        if not isinstance(seen, TensorType):
            raise Error("bad-interface", f"{TYPE} of '{name}' is no ranked tensor: {seen}")
        own = dims.pop(name, {})
        shape = seen.get_shape()
        dynamic = {k for k, d in enumerate(shape) if d == DYNAMIC_INDEX}
        if dynamic != set(own):
            raise Error("bad-interface", f"'{name}' is {seen}, but has {DIM} for dimensions {sorted(own)}")
        owner, word = _text(attrs, OF), _text(attrs, PART)
        part = None if owner is None or word is None else (owner, word)
        port = Port(name, seen, storage, in_results, position, own, ())
        if not dynamic and port.capacity != prod(shape):
            raise Error("bad-interface", f"'{name}' is {seen}, but is held in {storage}")
        return Port(name, seen, storage, in_results, position, own, _bounds(port, attrs.get(BOUNDS)), part)

    def _merge_results(self, buffers: list[Port], dims: dict[str, dict[int, int]]) -> list[Port]:
        """The outputs in the model's order: buffers are arguments, scalars (or tensors) are results.

        LOOPS does not say where a static buffer stood among the scalars: it goes before them. A dynamic one
        is where its dimensions are.
        """
        order = {port.name: k for k, port in enumerate(buffers)}
        merged: list[Port] = []
        taken = 0
        for position, (t, attrs) in enumerate(zip(self.result_types, self.result_attrs)):
            dim = _text(attrs, DIM)
            if dim is None:
                upto = taken
                while upto < len(buffers) and not buffers[upto].dims:
                    upto += 1
            else:
                upto = order.get(dim.rpartition(":")[0], -1) + 1
            merged += buffers[taken:upto]
            taken = max(taken, upto)
            if dim is None:
                number = len(merged) + len(buffers) - taken
                merged.append(self._port(f"result{number}", t, attrs, True, position, dims))
        return merged + buffers[taken:]

    def _join_dims(self, inputs: Sequence[Port], arguments: list[Argument]) -> None:
        for port in inputs:
            for dimension, position in port.dims.items():
                t = arguments[position].type
                if not isinstance(t, IndexType):
                    raise Error("bad-interface", f"{DIM} of '{port.name}' is {t}, not index")
                arguments[position] = Argument("dim", t, port, dimension)


def _attributes(attrs: ArrayAttr | None, count: int) -> list[Mapping[str, Attribute]]:
    if attrs is None:
        return [{} for _ in range(count)]
    return [a.data if isinstance(a, DictionaryAttr) else {} for a in attrs.data]


def _text(attrs: Mapping[str, Attribute], key: str) -> str | None:
    value = attrs.get(key)
    return value.data if isinstance(value, StringAttr) else None


def _dims(attrs: Sequence[Mapping[str, Attribute]]) -> dict[str, dict[int, int]]:
    """Tensor name → dimension → position, from the `loomir.dim = "name:k"` of arguments or results."""
    table: dict[str, dict[int, int]] = {}
    for position, entry in enumerate(attrs):
        text = _text(entry, DIM)
        if text is not None:
            name, _, dimension = text.rpartition(":")
            table.setdefault(name, {})[int(dimension)] = position
    return table


def _bounds(port: Port, attr: Attribute | None) -> tuple[int | None, ...]:
    """The largest extents: `loomir.bounds` if given, else the capacity's share for a lone `?`."""
    shape = port.shape
    if isinstance(attr, ArrayAttr):
        return tuple(a.value.data for a in attr.data if isinstance(a, IntegerAttr))
    static = prod(d for d in shape if d is not None)
    lone = len(port.dims) == 1 and static > 0
    return tuple((port.capacity // static if lone else None) if d is None else d for d in shape)


def _blob_array(attr: Attribute, t: Attribute) -> np.ndarray:
    """A weight in the storage type and shape of its argument, contiguous."""
    assert isinstance(t, TensorType | MemRefType), t
    array = constant_array(attr)
    dtype = dtype_of(t.element_type)
    if dtype == np.bool_:
        # xDSL packs `true` as 0xFF, which is no valid bool in memory.
        array = array.view(np.uint8) != 0
    return np.require(array, requirements=["C", "A"]).view(dtype).reshape(t.get_shape())
