"""How far what `math-expand` writes is from the true functions, on all f32: `make ulp`, `python -m tests.ulp [--step N]`.

Each function is compiled for a machine without fused multiplication and addition and for one with it, as vectors, and compared with the
double one of the C library (`ulp.c`) on every value of the ranges below. Elsewhere nothing new happens: exponents of logarithms differ,
the result is a constant, or it is x times one; values from everywhere are in `tests/unit/passes/loops/test_math_expand.py`. The exit
status is 1 where an error is larger than its bound.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx.parser

import loomir
from loomir.compiler.engines.libraries import FLAGS
from loomir.compiler.formats.c.emit import emit_c
from loomir.passes.analysis.machines import Machine, machine_of, runs_here

COUNT = 16384
MACHINES = ("x86-64", "x86-64-v3")


@dataclass(frozen=True)
class Function:
    """A function: its operator in ONNX, its name in C, the ranges, and for each machine the bound."""

    operator: str
    name: str
    ranges: tuple[tuple[float, float], ...]
    bounds: tuple[float, float]


_SMALL = (2.0**-149, 2.0**-120)
"""The subnormal ones, and some more."""

FUNCTIONS = (
    Function("Exp", "exp", ((-106.0, -(2.0**-26)), (2.0**-26, 90.0)), (1.0, 1.02)),
    Function("Log", "log", (_SMALL, (2.0**-32, 2.0**32), (2.0**120, math.inf)), (0.95, 0.95)),
    Function("Tanh", "tanh", (_SMALL, (-9.5, -(2.0**-14)), (2.0**-24, 9.5)), (6.1, 5.5)),
    Function("Erf", "erf", (_SMALL, (-4.0, -(2.0**-14)), (2.0**-24, 4.0)), (2.5, 2.5)),
)


def compiled(function: Function, machine: Machine, folder: Path) -> ctypes.CDLL:
    """The function on `COUNT` values, with what measures it."""
    text = f'<ir_version: 8, opset_import: ["" : 17]> g (float[{COUNT}] x) => (float[{COUNT}] y) {{ y = {function.operator}(x) }}'
    model = loomir.load(onnx.parser.parse_model(text), machine=machine.name)
    code = emit_c(model.lowered("loops"), "model")
    (folder / "model.h").write_text(code.header)
    (folder / "model.c").write_text(code.source)
    library = folder / f"{function.name}-{machine.name}.so"
    sources = [str(folder / "model.c"), str(Path(__file__).with_suffix(".c"))]
    command = [machine.compilers[0], *FLAGS, *machine.flags, "-shared", "-fPIC", f"-I{folder}", *sources]
    subprocess.run([*command, "-o", str(library), "-lm"], check=True)
    return ctypes.CDLL(str(library))


def furthest(function: Function, machine: Machine, step: int) -> tuple[float, float, float]:
    """The largest distance in units in the last place, where it is, and the mean of the range that has it."""
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(function, machine, Path(folder))
        measure = library.furthest
        measure.restype = ctypes.c_double
        exact = ctypes.cast(getattr(library, function.name), ctypes.c_void_p)
        found = []
        for least, most in function.ranges:
            first, last = sorted(int(np.float32(x).view(np.uint32)) for x in (least, most))
            where, mean = ctypes.c_float(), ctypes.c_double()
            unsigned = (ctypes.c_uint32(bits) for bits in (first, last, step))
            distance = measure(exact, *unsigned, ctypes.byref(where), ctypes.byref(mean))
            found.append((distance, where.value, mean.value))
        return max(found)


def rows(step: int) -> Iterator[tuple[Function, Machine, float, tuple[float, float, float]]]:
    """Each function on each machine that runs here, with its bound and what was found."""
    for function in FUNCTIONS:
        for name, bound in zip(MACHINES, function.bounds, strict=True):
            machine = machine_of(name)
            if runs_here(machine):
                yield function, machine, bound, furthest(function, machine, step)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--step", type=int, default=1, help="every so many values (default: all)")
    options = parser.parse_args()
    status = 0
    print("| function | machine | largest | at | mean | bound |\n|---|---|---:|---:|---:|---:|")
    for function, machine, bound, (distance, where, mean) in rows(options.step):
        print(
            f"| {function.name} | {machine.name} | {distance:.3f} | {where:.9g} | {mean:.3f} | {bound} |",
            flush=True,
        )
        if not distance <= bound:
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
