"""Native engine: compiles a LOOPS module's C and calls it.

It uses the system's compiler.

Weights are passed by pointer, so that a large model compiles as fast as a small one. Compiled models are cached (see
`libraries`).
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.backends.c.emit import CCode, emit_c
from loomir.compiler.backends.c.header import STATUSES, kind_of
from loomir.compiler.backends.libraries import shared_library
from loomir.dialects.interface import program_name
from loomir.dialects.run_errors import run_error
from loomir.passes.analysis.machines import machine_of

_SCALARS: dict[str, type] = {
    "bool": ctypes.c_bool,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "size_t": ctypes.c_size_t,
    **{f"int{n}_t": getattr(ctypes, f"c_int{n}") for n in (8, 16, 32, 64)},
    **{f"uint{n}_t": getattr(ctypes, f"c_uint{n}") for n in (8, 16, 32, 64)},
}


class CompiledFunction:
    """C code as a function of numpy arrays: `CompiledFunction(code, library)(feed)` gives the outputs.

    It keeps nothing between calls and may be called from several threads. Several may share one library.
    """

    def __init__(self, code: CCode, library: ctypes.CDLL, model: str, alignment: int = 1) -> None:
        """Wrap the function `code.entry` of `library`.

        `model` is the name that errors mention. Weights and outputs begin at multiples of `alignment` bytes.
        """
        self.code = code
        self._alignment = alignment
        self._weights = [aligned_array(array, alignment) for array in code.weights]
        self.model = model
        self._run = getattr(library, code.entry)
        self._run.restype = ctypes.c_int
        self._run.argtypes = [
            ctypes.c_void_p if p.by_pointer else _SCALARS[p.c_type] for p in code.parameters
        ]

    def __call__(self, feed: Mapping[str, object]) -> dict[str, np.ndarray]:
        """Run the model. Raises the errors of `Signature.pack`, and those of `run_error`."""
        signature = self.code.signature
        arguments = signature.pack(feed, alignment=self._alignment)
        results: list[object] = [None] * len(signature.result_types)
        weights = iter(self._weights)
        values: list[object] = []
        cells: list[tuple[int, np.ndarray]] = []
        for p in self.code.parameters:
            if p.kind == "weight":
                values.append(next(weights).ctypes.data)
            elif p.kind in ("output", "output_dim") and p.argument is None:
                # A result of `main` leaves through a pointer to one element.
                assert p.port is not None
                dim = p.kind == "output_dim"
                cell = np.zeros((), np.uintp if dim else p.port.storage_dtype)
                cells.append((p.port.dims[p.dimension] if dim else p.port.position, cell))
                values.append(cell.ctypes.data)
            elif p.argument is None:
                values.append(None)
            else:
                value = arguments[p.argument]
                if p.by_pointer:
                    assert isinstance(value, np.ndarray)
                    values.append(value.ctypes.data)
                else:
                    values.append(_scalar(value, p.c_type))
        status = STATUSES[self._run(*values)]
        if status != "OK":
            raise run_error(kind_of(status), layer=self.model)
        for position, cell in cells:
            results[position] = cell[()]
        return signature.unpack(arguments, results)


class NativeFunction(CompiledFunction):
    """A LOOPS module as a function of numpy arrays.

    `NativeFunction(module)` compiles (or finds the compiled library); calling it with a feed gives the outputs.
    """

    def __init__(self, module: ModuleOp, *, flags: Sequence[str] = (), machine: str = "generic") -> None:
        """Compile a LOOPS module with the system's compiler.

        `flags` follow the default ones and those of the `machine` that the module was lowered for. Raises `bad-option`,
        `no-c-compiler`, `bad-c-compiler`, `file-unwritable`, and the errors of `emit_c`.
        """
        # One name for all models: the prefix is invisible here, and equal programs share a library.
        code = emit_c(module, "model", weights="pointer")
        what_for = machine_of(machine)
        library = shared_library(code, flags, what_for)
        super().__init__(code, library, model_name(module), what_for.alignment)


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


def model_name(module: ModuleOp) -> str:
    """Return the model name that errors mention."""
    return program_name(module) or "model"


def _scalar(value: object, c_type: str) -> object:
    """A number as ctypes takes it; 16-bit floats as their bits."""
    array = np.asarray(value)
    if c_type == "uint16_t":
        return int(array.view(np.uint16))
    number = array.item()
    return number
