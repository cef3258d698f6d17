"""Single operators: how near loomir's C comes to what the processor can do, beside ONNX Runtime, one thread each.

    python benchmarks/kernels.py [--kernels conv3x3-64,matmul-64] [--machine native] [--compiler gcc --compiler clang] [--runs 15]
                                 [--flags='-O2 …'] [--cpu-time]

`peak.c`, built by the same compiler with the same flags (and contraction, and the widest vectors), says what there is:
floating-point operations with fused multiplication and addition, and bytes copied in the second-level cache and in memory. Products
and convolutions are given in GFLOP/s with the share of that peak; operators that move numbers in GB/s (input, weights and output
once) with the share of the cache's bandwidth. Results are compared with ONNX Runtime's first. The ratio is ONNX Runtime's time,
loomir's = 1.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from operators import KERNELS, Kernel
from runners import (
    HERE,
    Build,
    Loomir,
    OnnxRuntime,
    aligned,
    cell_of_ratio,
    check,
    compiled,
    print_markdown,
)

import loomir
from loomir.compiler.engines.libraries import FLAGS
from loomir.compiler.formats.c.emit import emit_c
from loomir.errors import Error
from loomir.passes.analysis.machines import machine_of
from loomir.tools.compare.measuring import median_seconds

CACHE, MEMORY = 256 * 1024, 256 * 1024 * 1024
"""Bytes of a buffer that two of which fit a second-level cache, and of one that fits none."""


@dataclass(frozen=True)
class Peak:
    """Peak rates of the processor, per second.

    They are floating-point operations, and bytes read and written in cache and memory.
    """

    flops: float
    cache: float
    memory: float

    def __str__(self) -> str:
        return f"peak {self.flops / 1e9:.1f} GFLOP/s; copies: L2 {self.cache / 1e9:.1f} GB/s, memory {self.memory / 1e9:.1f} GB/s"


def peak_of(build: Build, memory: int = MEMORY, work: int = 20_000_000) -> Peak:
    """The best of five measurements each; `work` is how often the loop of additions runs."""
    with tempfile.TemporaryDirectory() as folder:
        # (Compilers for x86-64 prefer vectors of half the width, and Clang cuts even those that are written as whole ones.)
        widest = ("-mprefer-vector-width=512",) if machine_of(build.machine).lanes == 16 else ()
        flags = (*build.flags, "-ffp-contract=fast", *widest)
        contracting = Build(build.compiler, flags, build.machine)
        library = compiled(HERE / "peak.c", Path(folder) / "peak.so", contracting)
        flops, copy = library.peak_flops, library.copy_bytes
        flops.restype = copy.restype = ctypes.c_double
        flops.argtypes = [ctypes.c_long, ctypes.c_float, ctypes.c_void_p]
        copy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_long]
        sink = np.empty(16, np.float32)

        def copied(size: int, count: int) -> float:
            to, source = aligned(size), aligned(size)
            # (Pages are there before anything is measured.)
            to[...], source[...] = 0, 1
            return max(copy(to.ctypes.data, source.ctypes.data, size, count) for _ in range(5))

        return Peak(
            max(flops(work, 0.5, sink.ctypes.data) for _ in range(5)),
            copied(CACHE, max(1, work // 10_000)),
            copied(memory, 1),
        )


def row(kernel: Kernel, builds: Sequence[Build], peaks: Sequence[Peak], runs: int, clock: str) -> list[str]:
    """The line of an operator: for each build what it reaches, the share of the peak and the ratio."""
    reference = OnnxRuntime(kernel.model, kernel.feed, clock)
    runners = {"ONNX Runtime": reference.run}
    shapes = {name: value.shape for name, value in reference.outputs.items()}
    with tempfile.TemporaryDirectory() as work:
        for k, build in enumerate(builds):
            folder = Path(work) / str(k)
            folder.mkdir()
            module = loomir.load(kernel.model, machine=build.machine).lowered("loops")
            code = emit_c(module, "model", weights="pointer")
            ours = Loomir(code, kernel.feed, shapes, folder, build, clock)
            ours.run()
            check(f"{kernel.name}, {' '.join(build.compiler)}", ours.outputs, reference.outputs)
            runners[str(k)] = ours.run
        seconds = median_seconds(runners, runs)
    amount, unit = (kernel.flops, "GFLOP/s") if kernel.flops else (kernel.moved, "GB/s")
    theirs = seconds["ONNX Runtime"]
    cells = [kernel.name]
    for k, peak in enumerate(peaks):
        own = seconds[str(k)]
        most = peak.flops if kernel.flops else peak.cache
        cells += [
            f"{own * 1e6:,.1f} µs",
            f"{amount / own / 1e9:.1f} {unit}",
            f"{amount / own / most:.1%}",
            cell_of_ratio(theirs / own),
        ]
    return [*cells, f"{theirs * 1e6:,.1f} µs"]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--kernels", default=",".join(KERNELS), help="which, with commas between (default: all)"
    )
    parser.add_argument("--machine", default="native", help="what the C is for (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=15, help="turns (default: %(default)s)")
    parser.add_argument(
        "--compiler", action="append", help="C compiler (default: $CC, else gcc and clang); may be repeated"
    )
    parser.add_argument("--flags", default=" ".join(FLAGS), help="its flags (default: %(default)s)")
    parser.add_argument("--cpu-time", action="store_true", help="the processor's time, not the wall clock's")
    options = parser.parse_args()
    names, flags = options.kernels.split(","), tuple(options.flags.split())
    if unknown := set(names) - set(KERNELS):
        parser.error(f"no such kernel: {', '.join(sorted(unknown))}; known: {', '.join(KERNELS)}")
    usual = [os.environ["CC"]] if os.environ.get("CC") else ["gcc", "clang"]
    try:
        builds = [
            Build(tuple(c.split()), flags).for_machine(options.machine) for c in options.compiler or usual
        ]
    except Error as error:
        parser.error(str(error))
    peaks = [peak_of(build) for build in builds]

    def lines() -> Iterator[list[str]]:
        for name in names:
            yield row(KERNELS[name](), builds, peaks, options.runs, "cpu" if options.cpu_time else "wall")

    header = ["operator"]
    for build in builds:
        name = " ".join(build.compiler)
        header += [f"loomir, {name}", "reached", "of the peak", "ratio"]
    notes = [f"- {b.version}, {' '.join(b.flags)}: {p}" for b, p in zip(builds, peaks)]
    print_markdown("\n".join(notes), [*header, "ONNX Runtime"], lines())


if __name__ == "__main__":
    main()
