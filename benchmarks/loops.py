"""How fast loops run: loomir's C, ONNX Runtime, OpenVINO and C written by hand, one thread each.

    python benchmarks/loops.py [NAME …] [--repeat 15] [--compiler gcc] [--flags='-O2 …'] [--markdown]

Every program of `programs.py` is run by all four, one run after the other in turn, and the medians are
compared. loomir's C and the C in `hand/` are compiled by the same compiler with the same flags (those of the
native engine unless `--flags` says otherwise) and called the same way, by a pointer to the function. Results
are checked to be equal before anything is measured.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
import onnx.numpy_helper
from programs import PROGRAMS, Program
from rich.console import Console
from rich.table import Table

import loomir
from loomir.compiler.backends.c.emit import CCode, emit_c
from loomir.compiler.backends.libraries import FLAGS
from loomir.compiler.files import write_arrays

HERE = Path(__file__).parent
Runner = Callable[[], float]
"""Runs a program once and gives the seconds that it took."""


def compiled(source: Path, output: Path, compiler: Sequence[str], flags: Sequence[str]) -> ctypes.CDLL:
    """A C file as a shared library."""
    subprocess.run([*compiler, *flags, "-shared", "-fPIC", str(source), "-o", str(output), "-lm"], check=True)
    return ctypes.CDLL(str(output))


def timed(function: Callable[..., object], arguments: Sequence[object]) -> Runner:
    """A C function with its arguments ready: the seconds are those of the call alone."""

    def run() -> float:
        start = time.perf_counter()
        function(*arguments)
        return time.perf_counter() - start

    return run


class Loomir:
    """The C of the native engine, with weights by pointer."""

    def __init__(
        self,
        code: CCode,
        feed: Mapping[str, np.ndarray],
        shapes: Mapping[str, tuple[int, ...]],
        folder: Path,
        compiler: Sequence[str],
        flags: Sequence[str],
    ) -> None:
        (folder / "model.h").write_text(code.header)
        (folder / "model.c").write_text(code.source)
        library = compiled(folder / "model.c", folder / "model.so", compiler, flags)
        function = getattr(library, code.entry)
        function.restype = ctypes.c_int
        weights = iter(code.weights)
        self.outputs: dict[str, np.ndarray] = {}
        self.kept: list[np.ndarray] = []
        arguments: list[object] = []
        for p in code.parameters:
            if p.kind == "weight":
                array = next(weights)
            elif p.kind == "arena":
                array = _aligned(code.arena_bytes + 64)
            else:
                assert p.port is not None
                name = p.port.name
                if p.kind == "input":
                    array = feed[name]
                else:
                    array = self.outputs[name] = np.empty(shapes[name], p.port.storage_dtype)
            self.kept.append(array)
            arguments.append(_argument(array, p.by_pointer))
        self.run = timed(function, arguments)


class Hand:
    """The C in `hand/`: inputs, then weights that are arrays, then outputs."""

    def __init__(self, program: Program, folder: Path, compiler: Sequence[str], flags: Sequence[str]) -> None:
        library = compiled(HERE / "hand" / program.hand, folder / "hand.so", compiler, flags)
        library.run.restype = None
        constants = map(onnx.numpy_helper.to_array, program.model.graph.initializer)
        weights = [a for a in constants if a.size > 1]
        types = loomir.load(program.model).outputs
        self.outputs = {o.name: np.empty(_shape_of(program, o.name), o.dtype) for o in types}
        self.kept = [*program.feed.values(), *weights, *self.outputs.values()]
        inputs = [_argument(a, bool(a.ndim)) for a in program.feed.values()]
        self.run = timed(library.run, [*inputs, *(_argument(a, True) for a in self.kept[len(inputs) :])])


class OnnxRuntime:
    """ONNX Runtime, called as users call it."""

    def __init__(self, program: Program) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(
            program.model.SerializeToString(), options, ["CPUExecutionProvider"]
        )
        names = [o.name for o in session.get_outputs()]
        self.outputs = dict(zip(names, session.run(None, dict(program.feed))))
        self.run = timed(session.run, (None, dict(program.feed)))


class OpenVino:
    """OpenVINO in a process of its own, asked for one run at a time (`openvino_runner.py`)."""

    def __init__(self, folder: Path) -> None:
        """`folder` has `model.onnx` or `model.xml`, and `feed.npz`."""
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "openvino_runner.py"), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.run()
        with np.load(folder / "out.npz") as stored:
            self.outputs = {name: stored[name] for name in stored.files}

    def run(self) -> float:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write("run\n")
            self.process.stdin.flush()
            return float(self.process.stdout.readline())
        except (BrokenPipeError, ValueError):
            raise RuntimeError("OpenVINO does not run this program") from None

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(10)


def _aligned(count: int) -> np.ndarray:
    raw = np.empty(count + 64, np.uint8)
    return raw[-raw.ctypes.data % 64 :]


def _shape_of(program: Program, name: str) -> tuple[int, ...]:
    (output,) = [o for o in program.model.graph.output if o.name == name]
    return tuple(d.dim_value for d in output.type.tensor_type.shape.dim)


def _argument(array: np.ndarray, by_pointer: bool) -> object:
    """As C takes it: a pointer, or the number itself."""
    if by_pointer:
        return ctypes.c_void_p(array.ctypes.data)
    return {"f": ctypes.c_float, "q": ctypes.c_int64, "l": ctypes.c_int64, "?": ctypes.c_bool}[
        array.dtype.char
    ](array.item())


def check(name: str, given: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray]) -> None:
    """Refuse to measure what computes something else. The tolerance is that of all tests (docs/testing.md)."""
    for output, b in expected.items():
        a = np.asarray(given[output])
        equal = (
            np.array_equal(a, b)
            if b.dtype.kind in "ib"
            else float(np.max(np.abs(a - b), initial=0)) <= 1e-5 + 1e-4 * float(np.max(np.abs(b), initial=0))
        )
        if a.shape != b.shape or not equal:
            raise SystemExit(f"{name}: output '{output}' differs: {a.ravel()[:4]} instead of {b.ravel()[:4]}")


def measure(runners: Mapping[str, Runner], repeat: int) -> dict[str, float]:
    """Median seconds; the runners take turns, so that a slow second of the machine hits them all."""
    seconds: dict[str, list[float]] = {name: [] for name in runners}
    first = {name: run() for name, run in runners.items()}
    for turn in range(repeat):
        for name, run in runners.items():
            if turn >= 3 and first[name] > 0.5:
                continue  # seconds a run: three of them tell enough
            # A run that is too short for the clock is repeated; the least one belongs to no pause.
            count = 1 if first[name] > 1e-3 else 5
            seconds[name].append(min(run() for _ in range(count)))
    return {name: statistics.median(values) for name, values in seconds.items()}


def run_program(
    program: Program, repeat: int, compiler: Sequence[str], flags: Sequence[str]
) -> dict[str, float]:
    """Seconds per runner, `nan` where it can't run the program."""
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        reference = OnnxRuntime(program)
        code = emit_c(loomir.load(program.model).lowered("loops"), "model", weights="pointer")
        shapes = {o.name: _shape_of(program, o.name) for o in program.model.graph.output}
        ours = Loomir(code, program.feed, shapes, folder, compiler, flags)
        hand = Hand(program, folder, compiler, flags)
        others: dict[str, Runner] = {"ONNX Runtime": reference.run}
        for each in (ours, hand):
            each.run()
            check(f"{program.name}, {type(each).__name__}", each.outputs, reference.outputs)
        openvino = None
        onnx.save(program.model, folder / "model.onnx")
        write_arrays(folder / "feed.npz", program.feed)
        try:
            openvino = OpenVino(folder)
        except RuntimeError as error:
            print(f"{program.name}: {error}", file=sys.stderr)
        if openvino is not None:
            check(f"{program.name}, OpenVINO", openvino.outputs, reference.outputs)
            others["OpenVINO"] = openvino.run
        result = measure({"loomir": ours.run, "hand-written C": hand.run, **others}, repeat)
        if openvino is not None:
            openvino.close()
        return {"OpenVINO": float("nan"), **result}


COLUMNS = ("loomir", "hand-written C", "ONNX Runtime", "OpenVINO")


def rows(name: str, seconds: Mapping[str, float]) -> list[str]:
    """A line of the table: loomir's time, and how many times longer the others take."""
    own = seconds["loomir"]

    def ratio(other: str) -> str:
        times = seconds[other] / own
        return "–" if times != times else f"{times:.2f} ×" if times < 10 else f"{times:,.0f} ×"

    return [name, f"{own * 1e3:.3f} ms", *(ratio(c) for c in COLUMNS[1:])]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PROGRAMS)}; all by default")
    parser.add_argument("--repeat", type=int, default=15, help="turns (default: 15)")
    parser.add_argument(
        "--compiler", default=os.environ.get("CC", "cc"), help="C compiler (default: $CC or cc)"
    )
    parser.add_argument("--flags", default=" ".join(FLAGS), help=f"its flags (default: {' '.join(FLAGS)})")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    options = parser.parse_args()
    if unknown := set(options.names) - set(PROGRAMS):
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    compiler, flags = options.compiler.split(), options.flags.split()
    version = subprocess.run([*compiler, "--version"], capture_output=True, text=True, check=True).stdout
    title = f"{version.splitlines()[0]}, {options.flags}; times of the others as multiples of loomir's"
    header = ["program", *COLUMNS]
    lines = [
        rows(name, run_program(PROGRAMS[name](), options.repeat, compiler, flags))
        for name in options.names or PROGRAMS
    ]
    if options.markdown:
        print(f"{title}\n\n| {' | '.join(header)} |\n|---|{'---:|' * len(COLUMNS)}")
        print("\n".join(f"| {' | '.join(line)} |" for line in lines))
        return
    table = Table(*header, title=title)
    for line in lines:
        table.add_row(*line)
    Console().print(table)


if __name__ == "__main__":
    main()
