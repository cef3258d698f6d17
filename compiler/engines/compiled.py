"""Compiled C as a function of numpy arrays.

What does not depend on a feed is computed once: which parameter each input and output is, the addresses of weights, the check of a feed.
A call allocates its outputs, passes addresses, and releases Python's lock while the C runs, unless that takes no longer than handing
the lock over does.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from math import inf, prod
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from loomir.compiler.feeds.signature import ARENA_FILL, Port
from loomir.compiler.formats.c.emit import CCode
from loomir.compiler.formats.c.header import STATUSES, kind_of
from loomir.dialects.diagnostics import run_error
from loomir.dialects.element_types import stored

_SCALARS: dict[str, type] = {
    "bool": ctypes.c_bool,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "size_t": ctypes.c_size_t,
    **{f"int{n}_t": getattr(ctypes, f"c_int{n}") for n in (8, 16, 32, 64)},
    **{f"uint{n}_t": getattr(ctypes, f"c_uint{n}") for n in (8, 16, 32, 64)},
}

SHORT = 50e-6
"""Seconds of C for which a call keeps Python's lock.

A thread that releases the lock waits until another one hands it back. Eight threads that call a program of 10 µs were half as fast as one
(benchmarks/calls.py).
"""


class _Input(NamedTuple):
    """Input as a parameter of the C function.

    `extents` are the parameters of its extents, with their dimensions. An array is passed by its address as it is fed if `as_fed` is set;
    a number is passed as a `c_type`.
    """

    position: int
    name: str
    port: Port
    as_fed: bool
    c_type: str | None
    extents: list[tuple[int, int]]


class _Output(NamedTuple):
    """Output as a parameter of the C function.

    `extents` are the parameters of its extents, with their dimensions. `room` is the shape of the array that the function writes to; the
    output is a part of it if there are extents.
    """

    position: int
    name: str
    port: Port
    dtype: np.dtype
    room: tuple[int, ...]
    extents: list[tuple[int, int]]


class CompiledFunction:
    """C code as a function of numpy arrays: `CompiledFunction(code, library)(feed)` gives the outputs.

    Several threads may call it, and several functions may share one library. Outputs are new arrays, or those of `CheckedFeed.out`. An
    arena that no call uses is kept for the next one.
    """

    fill: int | None = None
    """Byte that fills new outputs and the arena before each call.

    Without it they hold what they held. No result depends on it, since a program reads nothing that it has not written. Tests and the
    fuzzer set it to find out.
    """

    def __init__(self, code: CCode, library: ctypes.CDLL, model: str, alignment: int = 1) -> None:
        """Wrap the function `code.entry` of `library`.

        `model` is the name that errors mention. Weights and outputs begin at multiples of `alignment` bytes.
        """
        self.code = code
        self.model = model
        self._alignment = alignment
        self._releasing = _function(library, code)
        self._keeping = _function(ctypes.PyDLL(None, handle=library._handle), code)
        self._seconds = inf  # of the last call that kept the lock, or the shortest one since
        self._weights = [aligned_array(array, alignment) for array in code.weights]
        weights = iter(self._weights)
        self._values: list[Any] = []
        inputs: dict[str, _Input] = {}
        outputs: dict[str, _Output] = {}
        self._arenas: list[np.ndarray] = []
        self._arena: int | None = None
        for k, p in enumerate(code.parameters):
            self._values.append(next(weights).ctypes.data if p.kind == "weight" else None)
            if p.kind == "arena" and p.argument is not None:
                self._arena = k
            if p.port is None:
                continue
            name, port = p.port.name, p.port
            if p.kind == "input":
                inputs[name] = _Input(k, name, port, _is_as_fed(port), None if p.by_pointer else p.c_type, [])
            elif p.kind == "output":
                room = port.storage_shape if port.dims else port.type.get_shape()
                outputs[name] = _Output(k, name, port, port.dtype, tuple(room), [])
            else:
                (inputs if p.kind == "input_dim" else outputs)[name].extents.append((k, p.dimension))
        self._inputs, self._outputs = list(inputs.values()), list(outputs.values())

    def __call__(self, feed: Mapping[str, object]) -> dict[str, np.ndarray]:
        """Run the model.

        Raises `input-missing`, `input-unknown`, `input-dtype`, `input-shape`, and the errors of `run_error`.
        """
        checked = self.code.signature.checked(feed)
        values = self._values.copy()
        kept = [self._pass(each, checked[each.name], values) for each in self._inputs]
        cells: list[ctypes.c_size_t] = []
        outputs = {each.name: self._receive(each, checked.out, values, cells) for each in self._outputs}
        arena = self._take_arena(values)
        run = self._keeping if self._seconds < SHORT else self._releasing
        start = perf_counter()
        status = run(*values)
        seconds = perf_counter() - start
        if run is self._keeping or seconds < self._seconds:
            # (A call that releases the lock may have waited for it.)
            self._seconds = seconds
        del kept
        if arena is not None:
            self._arenas.append(arena)
        if status:
            raise run_error(kind_of(STATUSES[status]), layer=self.model)
        if cells:
            extents = iter(cells)
            for each in self._outputs:
                if each.extents:
                    dims = {dimension: next(extents).value for _, dimension in each.extents}
                    shape = [dims[k] if d is None else d for k, d in enumerate(each.port.shape)]
                    outputs[each.name] = outputs[each.name][: prod(shape)].reshape(shape)
        return outputs

    def _pass(self, parameter: _Input, array: Any, values: list[Any]) -> object:
        """Set the values of an input's parameters.

        Returns the object that has to exist until the call returns.
        """
        for position, dimension in parameter.extents:
            values[position] = array.shape[dimension]
        if parameter.c_type is not None:
            values[parameter.position] = _scalar(parameter.port.stored(array), parameter.c_type)
            return None
        flags = array.flags
        if not (parameter.as_fed and flags.c_contiguous and flags.aligned):
            array = parameter.port.stored(array)
        values[parameter.position] = _address(array)
        return array

    def _receive(
        self,
        parameter: _Output,
        given: Mapping[str, np.ndarray],
        values: list[Any],
        cells: list[ctypes.c_size_t],
    ) -> np.ndarray:
        """Set the values of an output's parameters and return its array."""
        for position, _ in parameter.extents:
            cells.append(cell := ctypes.c_size_t())
            values[position] = ctypes.addressof(cell)
        if given and not parameter.extents and parameter.name in given:
            array = given[parameter.name]
            values[parameter.position] = _address(array)
            return array
        array, values[parameter.position] = self._room(parameter.room, parameter.dtype, self._alignment)
        return array

    def _take_arena(self, values: list[Any]) -> np.ndarray | None:
        """Set the value of the arena's parameter and return its array."""
        if self._arena is None:
            return None
        align = max(self.code.alignment, self._alignment)
        try:
            arena = self._arenas.pop()
        except IndexError:
            # Poisoned once: by then nothing has been written there.
            arena = np.full(self.code.arena_bytes + align, ARENA_FILL, np.uint8)
        if self.fill is not None:
            arena.fill(self.fill)
        address = _address(arena)
        values[self._arena] = address + -address % align
        return arena

    def _room(self, shape: tuple[int, ...], dtype: np.dtype, align: int) -> tuple[np.ndarray, int]:
        """Return a new array and its address."""
        raw = np.empty(prod(shape) * dtype.itemsize + align, np.uint8)
        if self.fill is not None:
            raw.fill(self.fill)
        address = _address(raw)
        start = -address % align
        return np.ndarray(shape, dtype, raw, start), address + start


def _function(library: ctypes.CDLL, code: CCode) -> Any:
    """Return the C function, with the types of its parameters."""
    function = getattr(library, code.entry)
    function.restype = ctypes.c_int
    function.argtypes = [ctypes.c_void_p if p.by_pointer else _SCALARS[p.c_type] for p in code.parameters]
    return function


def _is_as_fed(port: Port) -> bool:
    """Return True if the program reads an array as it is fed."""
    sample = np.zeros(1, port.dtype)
    return port.kind == "static" and np.shares_memory(stored(sample), sample)


def _address(array: Any) -> int:
    """Return where the elements of a contiguous array are; `array.ctypes.data`, only faster."""
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))
    except (TypeError, ValueError):
        # It is read-only, empty, or of a type that buffers do not have.
        return array.ctypes.data


def aligned_array(array: np.ndarray, alignment: int) -> np.ndarray:
    """Return the array, copied if it is not aligned to `alignment` bytes.

    numpy aligns arrays to 16 bytes, so that vectors may cross cache lines.
    """
    if array.ctypes.data % alignment == 0:
        return array
    room = np.empty(array.nbytes + alignment, np.uint8)
    copy = np.ndarray(array.shape, array.dtype, room, -room.ctypes.data % alignment)
    copy[...] = array
    return copy


def _scalar(value: object, c_type: str) -> object:
    """A number as ctypes takes it; 16-bit floats as their bits."""
    array = np.asarray(value)
    if c_type == "uint16_t":
        return int(array.view(np.uint16))
    number = array.item()
    return number
