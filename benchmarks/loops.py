"""How fast loops run: loomir's C, C written by hand, XLA:CPU, ONNX Runtime, and OpenVINO, one thread each.

    python benchmarks/loops.py [NAME …] [--corpus FOLDER] [--repeat 15] [--machine native] [--compiler gcc] [--flags='-O2 …']
                               [--cpu-time] [--markdown]

Every program of `programs.py` and `recurrent.py`, and every program of the corpus in `FOLDER` that `in_lax/` has too, is run by all,
one run after the other in turn, and the medians are compared. loomir's C and the C in `hand/` are compiled by the same compiler with the
same flags (those of the native engine unless `--flags` says otherwise) and called the same way, by a pointer to the function. Results
are checked before anything is measured: against ONNX Runtime's, those of the corpus against the truth.

"XLA:CPU" is a call of a compiled function from Python; `make engines` installs it. If a program takes few microseconds, the call is most
of that. So "within C" is a call of loomir's C from a loop in C, and "within XLA" a trip of a loop in XLA around the program, as a multiple
of that (`engines/xla.py`); either compiler may do better or worse there than in a single run. "spelled out" is ONNX Runtime with the
program's LSTM or GRU as a Scan of its products and activations.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

import numpy as np
import onnx
from engines.process import Failure, Process
from in_lax import functions_of
from programs import PROGRAMS, Program
from recurrent import RECURRENT
from rich.console import Console
from rich.table import Table
from runners import (
    Build,
    Hand,
    Loomir,
    OnnxRuntime,
    Runner,
    add_build_arguments,
    build_of,
    cell_of_ratio,
    check,
    clock_of,
    print_markdown,
)

import loomir
from loomir.compiler.checking.agreement import Outcome
from loomir.compiler.files import write_arrays
from loomir.compiler.formats.c.emit import emit_c
from loomir.tools.compare.measuring import median_seconds
from loomir.tools.compare.truth import mistake_of, read_cases

COLUMNS = (
    "loomir",
    "hand-written C",
    "XLA:CPU",
    "ONNX Runtime",
    "ONNX Runtime, spelled out",
    "OpenVINO",
    "within C",
    "within XLA",
)
Arrays = Mapping[str, np.ndarray]
ALL = PROGRAMS | RECURRENT


def corpus_programs(folder: Path) -> dict[str, Callable[[], Program]]:
    """The programs of a corpus that are in lax too, with their first feeds; `corpus/` stands before their names."""

    def program(name: str, lax: str) -> Program:
        path = folder / f"{name}.onnx"
        case = read_cases(path)[0]
        return Program(f"corpus/{name}", onnx.load(path), case.feed, lax=lax, truths=case.truths)

    return {
        f"corpus/{name}": partial(program, name, lax)
        for name, lax in functions_of().items()
        if (folder / f"{name}.onnx").exists()
    }


def check_program(program: Program, runner: str, outputs: Arrays, reference: Arrays) -> None:
    """Refuse to measure what is wrong: by the program's truths, or if it has none, by the results of a reference."""
    if program.truths is None:
        check(f"{program.name}, {runner}", outputs, reference)
    elif mistake := mistake_of(Outcome(outputs=outputs), program.truths):
        raise SystemExit(f"{program.name}, {runner}: {mistake}")


def loomir_of(program: Program, expected: Arrays, folder: Path, build: Build, clock: str) -> Loomir:
    """loomir's C for the extents of the feed."""
    given = {name: list(array.shape) for name, array in program.feed.items()}
    module = loomir.load(program.model, machine=build.machine, shapes=given).lowered("loops")
    code = emit_c(module, "model", weights="pointer")
    shapes = {name: np.shape(array) for name, array in expected.items()}
    return Loomir(code, program.feed, shapes, folder, build, clock)


def in_process(engine: str, program: Program, folder: Path, clock: str) -> Process | None:
    """An engine in a process of its own, or None with a word on standard error."""
    folder.mkdir()
    onnx.save(program.model, folder / "model.onnx")
    write_arrays(folder / "feed.npz", program.feed)
    lax = program.lax or functions_of({"programs"}).get(program.name)
    try:
        return Process(engine, folder, clock, [lax] if engine == "xla" and lax else [])
    except Failure as failure:
        print(f"{program.name}: {engine}: {failure.kind}: {failure}", file=sys.stderr)
        return None


def run_program(program: Program, build: Build, repeat: int, clock: str) -> dict[str, float]:
    """Seconds per runner, `nan` where it can't run the program."""
    with tempfile.TemporaryDirectory() as work, ExitStack() as processes:
        folder = Path(work)
        runners: dict[str, Runner] = {}
        reference: Arrays = {}
        try:
            onnx_runtime = OnnxRuntime(program.model, program.feed, clock)
            reference = onnx_runtime.outputs
            check_program(program, "ONNX Runtime", reference, reference)
            runners["ONNX Runtime"] = onnx_runtime.run
        except Exception as error:
            if program.truths is None:
                raise
            print(f"{program.name}: ONNX Runtime: {error}", file=sys.stderr)
        truths = {name: truth.value for name, truth in (program.truths or {}).items()}
        ours = loomir_of(program, truths or reference, folder, build, clock)
        ours.run()
        check_program(program, "loomir", ours.outputs, reference)
        runners |= {"loomir": ours.run, "within C": ours.inside}
        if program.hand is not None:
            hand = Hand(program, folder, build, clock)
            hand.run()
            check_program(program, "hand-written C", hand.outputs, reference)
            runners["hand-written C"] = hand.run
        if program.spelled is not None:
            spelled = OnnxRuntime(program.spelled, program.feed, clock)
            check_program(program, "spelled out", spelled.outputs, reference)
            runners["ONNX Runtime, spelled out"] = spelled.run
        for column, engine in (("XLA:CPU", "xla"), ("OpenVINO", "openvino")):
            if (process := in_process(engine, program, folder / engine, clock)) is None:
                continue
            processes.enter_context(closing(process))
            check_program(program, column, process.outputs, reference)
            runners[column] = process.run
            if engine == "xla":
                runners["within XLA"] = process.inside
        return {**dict.fromkeys(COLUMNS, float("nan")), **median_seconds(runners, repeat)}


def rows(name: str, seconds: Mapping[str, float]) -> list[str]:
    """A line of the table: loomir's times, and how many times longer the others take."""
    cells = [name]
    for column in COLUMNS:
        own = seconds["within C" if column.startswith("within") else "loomir"]
        if column in ("loomir", "within C"):
            cells.append(cell_of_seconds(own))
        else:
            cells.append(cell_of_ratio(seconds[column] / own))
    return cells


def cell_of_seconds(seconds: float) -> str:
    """Milliseconds, microseconds or nanoseconds."""
    if seconds > 1e-4:
        return f"{seconds * 1e3:.3f} ms"
    return f"{seconds * 1e6:.2f} µs" if seconds > 1e-7 else f"{seconds * 1e9:.1f} ns"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(ALL)}; all by default")
    parser.add_argument("--corpus", type=Path, metavar="FOLDER", help="written by examples/make_corpus.py")
    parser.add_argument("--repeat", type=int, default=15, help="turns (default: 15)")
    parser.add_argument(
        "--machine", default="generic", help="what the C by loomir and by hand is for (default: %(default)s)"
    )
    add_build_arguments(parser)
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    options = parser.parse_args()
    known = ALL | (corpus_programs(options.corpus) if options.corpus else {})
    if unknown := set(options.names) - set(known):
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    build, clock = build_of(options).for_machine(options.machine), clock_of(options)
    title = f"{build.version}, {' '.join(build.flags)}; times of the others as multiples of loomir's"
    header = ["program", *COLUMNS]
    lines = (
        rows(name, run_program(known[name](), build, options.repeat, clock))
        for name in options.names or known
    )
    if options.markdown:
        print_markdown(title, header, lines)
        return
    table = Table(*header, title=title)
    for line in lines:
        table.add_row(*line)
    Console().print(table)


if __name__ == "__main__":
    main()
