"""Runners of the benchmarks' programs, each on one thread.

They run loomir's C, C by hand and ONNX Runtime. Engines in processes of their own are in `engines/`.

A runner has `outputs` by name after its first run and `run`, which gives the seconds of one run: of the wall clock, or with
`clock=CPU` of its process's processor time. `check` compares their results.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import onnx
import onnx.numpy_helper
from engines.onnxruntime import given_to, session_of
from engines.protocol import mean_of, now_of
from programs import Program

import loomir
from loomir.compiler.checking.agreement import ABSOLUTE, RELATIVE
from loomir.compiler.engines.compiled import aligned_array
from loomir.compiler.engines.libraries import FLAGS
from loomir.compiler.formats.c.emit import CCode
from loomir.passes.analysis.machines import machine_of

HERE = Path(__file__).parent
WALL, CPU = "wall", "cpu"
"""Clocks. That of the processor counts what every thread of the process computed, and no pause."""
Runner = Callable[[], float]
"""Runs a program once and gives the seconds that it took."""


@dataclass(frozen=True)
class Build:
    """How C becomes machine code: the compiler's command, its flags, and the machine that the passes ask."""

    compiler: tuple[str, ...]
    flags: tuple[str, ...] = FLAGS
    machine: str = "generic"

    def for_machine(self, name: str) -> Build:
        """The same for a machine: its flags behind the others. Error: `bad-option` of a machine that nobody knows."""
        return Build(self.compiler, (*self.flags, *machine_of(name).flags), name)

    @property
    def version(self) -> str:
        """The first line of what the compiler says of itself."""
        command = [*self.compiler, "--version"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]


def add_build_arguments(parser: argparse.ArgumentParser) -> None:
    """`--compiler`, `--flags` and `--cpu-time`, from which `build_of` and `clock_of` read."""
    parser.add_argument(
        "--compiler", default=os.environ.get("CC", "cc"), help="C compiler (default: $CC or cc)"
    )
    parser.add_argument("--flags", default=" ".join(FLAGS), help="its flags (default: %(default)s)")
    parser.add_argument(
        "--cpu-time", action="store_true", help="the processor time of the process, not the wall clock"
    )


def build_of(options: argparse.Namespace) -> Build:
    """Return the build that `--compiler` and `--flags` specify."""
    return Build(tuple(options.compiler.split()), tuple(options.flags.split()))


def clock_of(options: argparse.Namespace) -> str:
    """`CPU` or `WALL`."""
    return CPU if options.cpu_time else WALL


def compiled(source: Path, output: Path, build: Build, *more: Path) -> ctypes.CDLL:
    """A C file, or several, as a shared library."""
    command = [*build.compiler, *build.flags, "-shared", "-fPIC", *map(str, (source, *more))]
    command += ["-o", str(output), "-lm"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(output))


def timed(function: Callable[..., object], arguments: Sequence[object], clock: str = WALL) -> Runner:
    """A function with its arguments ready: the seconds are those of the call alone."""
    now = now_of(clock)

    def run() -> float:
        start = now()
        function(*arguments)
        return now() - start

    return run


REPEATED = """#include "model.h"

void repeated(long count, {parameters})
{{
    while (count-- > 0) {entry}({names});
}}
"""
"""A loop of calls in C, in a file of its own: the compiler does not see what is called."""


class Loomir:
    """The C of the native engine, with weights by pointer. `inside` gives the seconds of a call from C."""

    def __init__(
        self,
        code: CCode,
        feed: Mapping[str, np.ndarray],
        shapes: Mapping[str, tuple[int, ...]],
        folder: Path,
        build: Build,
        clock: str = WALL,
    ) -> None:
        """`folder` is for the C and its library, which other runners may not have."""
        (folder / "model.h").write_text(code.header)
        (folder / "model.c").write_text(code.source)
        names = [p.name for p in code.parameters]
        parameters = ", ".join(f"{p.c_type} {p.name}" for p in code.parameters)
        text = REPEATED.format(parameters=parameters, entry=code.entry, names=", ".join(names))
        (folder / "repeated.c").write_text(text)
        library = compiled(folder / "model.c", folder / "model.so", build, folder / "repeated.c")
        function = getattr(library, code.entry)
        function.restype = ctypes.c_int
        weights = iter(code.weights)
        self.outputs: dict[str, np.ndarray] = {}
        self.kept: list[np.ndarray] = []
        arguments: list[object] = []
        for p in code.parameters:
            if p.kind == "weight":
                array = aligned_array(next(weights), 64)
            elif p.kind == "arena":
                array = aligned(code.arena_bytes + 64)
            else:
                assert p.port is not None
                name = p.port.name
                if p.kind == "input":
                    array = feed[name]
                else:
                    array = self.outputs[name] = aligned_array(
                        np.empty(shapes[name], p.port.storage_dtype), 64
                    )
            self.kept.append(array)
            arguments.append(_argument(array, p.by_pointer))
        self.run = timed(function, arguments, clock)

        def repeated(count: int) -> float:
            return timed(library.repeated, [ctypes.c_long(count), *arguments], clock)()

        self.inside = mean_of(repeated)


class Hand:
    """The C in `hand/`: inputs, then weights that are arrays of floats, then outputs."""

    def __init__(self, program: Program, folder: Path, build: Build, clock: str = WALL) -> None:
        assert program.hand is not None
        library = compiled(HERE / "hand" / program.hand, folder / "hand.so", build)
        library.run.restype = None
        constants = map(onnx.numpy_helper.to_array, program.model.graph.initializer)
        weights = [a for a in constants if a.size > 1 and a.dtype.kind == "f"]
        types = loomir.load(program.model).outputs
        self.outputs = {
            o.name: aligned_array(np.empty(shape_of(program, o.name), o.dtype), 64) for o in types
        }
        self.kept = [*program.feed.values(), *weights, *self.outputs.values()]
        inputs = [_argument(a, bool(a.ndim)) for a in program.feed.values()]
        pointers = [_argument(a, True) for a in self.kept[len(inputs) :]]
        self.run = timed(library.run, [*inputs, *pointers], clock)


class OnnxRuntime:
    """ONNX Runtime in this process, as users call it (`engines/onnxruntime.py`)."""

    def __init__(
        self, model: onnx.ModelProto | Path, feed: Mapping[str, np.ndarray], clock: str = WALL
    ) -> None:
        session = session_of(model if isinstance(model, Path) else model.SerializeToString())
        given, names = given_to(session, feed), [o.name for o in session.get_outputs()]
        self.outputs: dict[str, np.ndarray] = dict(zip(names, map(np.asarray, session.run(None, given))))
        self.call = partial(session.run, None, given)
        self.run = timed(session.run, (None, given), clock)


def aligned(count: int) -> np.ndarray:
    """Bytes that begin at a line of the cache."""
    raw = np.empty(count + 64, np.uint8)
    return raw[-raw.ctypes.data % 64 :]


def shape_of(program: Program, name: str) -> tuple[int, ...]:
    """The shape of an output, as the model says it."""
    (output,) = [o for o in program.model.graph.output if o.name == name]
    return tuple(d.dim_value for d in output.type.tensor_type.shape.dim)


def _argument(array: np.ndarray, by_pointer: bool) -> object:
    """Convert an array to an argument of a C function.

    The argument is a pointer, which keeps the array alive, or the number itself.
    """
    if by_pointer:
        return array.ctypes.data_as(ctypes.c_void_p)
    return np.ctypeslib.as_ctypes_type(array.dtype)(array.item())


def _agree(a: np.ndarray, b: np.ndarray) -> bool:
    """Return True if two arrays of one shape agree.

    Integers must be equal, other numbers must agree within the tolerance.
    """
    if b.dtype.kind in "ib":
        return np.array_equal(a, b)
    largest = float(np.max(np.abs(b), initial=0))
    return float(np.max(np.abs(a - b), initial=0)) <= ABSOLUTE + RELATIVE * largest


def check(name: str, given: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray]) -> None:
    """Refuse to measure what computes something else. The tolerance is that of all tests (docs/testing.md)."""
    for output, b in expected.items():
        a = np.asarray(given[output])
        if a.shape != b.shape or not _agree(a, b):
            raise SystemExit(f"{name}: output '{output}' differs: {a.ravel()[:4]} instead of {b.ravel()[:4]}")


def cell_of_ratio(times: float) -> str:
    """A multiple as tables show it; a dash where there is none."""
    return "–" if times != times else f"{times:.2f} ×" if times < 10 else f"{times:,.0f} ×"


def some_of(known: Sequence[str]) -> Callable[[str], list[str]]:
    """For argparse: names with commas between them, each one of these."""

    def names(given: str) -> list[str]:
        found = given.split(",")
        if unknown := [name for name in found if name not in known]:
            raise argparse.ArgumentTypeError(f"{', '.join(unknown) or given!r}: known are {', '.join(known)}")
        return found

    return names


def print_markdown(title: str, header: Sequence[str], lines: Iterable[Sequence[str]]) -> None:
    """Print a table, each line as soon as it is there; the first column holds names."""
    print(f"{title}\n\n| {' | '.join(header)} |\n|---|{'---:|' * (len(header) - 1)}", flush=True)
    for line in lines:
        print(f"| {' | '.join(line)} |", flush=True)
