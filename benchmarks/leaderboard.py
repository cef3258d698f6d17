"""Results, time and memory of the corpus's programs in loomir and in other engines: `docs/leaderboard.md`.

    make leaderboard                                      # the environments, the corpus, and the page
    python benchmarks/leaderboard.py build/corpus         # the page; each program on the screen as soon as it is measured
    python benchmarks/leaderboard.py build/corpus lstm viterbi --engines loomir,onnxruntime --repeat 3

Each engine is a process of its own for each program (`engines/`). Every feed of the program is run and compared with the truth. The engines
that are right on the first one then run it in turn.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from pathlib import Path
from statistics import geometric_mean, median

from engines.process import Failure, Process, python_of, version_of
from in_lax import functions_of
from levels import compiler_version
from runners import CPU, WALL, some_of

from loomir.compiler.checking.agreement import Outcome
from loomir.compiler.files import write_arrays
from loomir.tools.compare.measuring import median_seconds
from loomir.tools.compare.truth import Case, mistake_of, read_cases

ENGINES = {
    "loomir": "loomir",
    "xla": "XLA:CPU",
    "onnxruntime": "ONNX Runtime",
    "openvino": "OpenVINO",
    "iree": "IREE",
    "tract": "tract",
    "emx": "emx-onnx-cgen",
}
"""Modules of `engines/` and what the page calls them."""
RIGHT, WRONG, ABSENT = "right", "wrong", "–"
KINDS = (RIGHT, WRONG, "refused", "crash", "no end", ABSENT)
SECONDS = 60.0
SHOWN = 12
"""How many names of programs a reason has."""

HEAD = """# Leaderboard

The programs of the corpus (`examples/corpus/`) in loomir and in other engines: right or wrong, the time of a call, memory.
`make leaderboard` regenerates this page: it installs the engines in environments of their own under `build/engines`, writes the corpus, and
runs `benchmarks/leaderboard.py`.

- *right*: the results of every input of the program are within the error that the corpus allows, compared with a truth in float64.
- *wrong*: some result is not. *refused*: the engine reports an error, when it reads or compiles the model or in a run. *crash*: its process
  ends. *no end*: no answer in {seconds:.0f} seconds. A program is listed under the first of its inputs that is not right.
- *–* of XLA:CPU: the program is not in `jax.lax` (`benchmarks/in_lax/`); XLA does not read ONNX. The other engines get the model.
- Time is that of a call from Python ({clock}), with inputs and outputs as the engine
  prefers them: the median of {repeat} turns, which the engines take on the first input of the program. Each has one thread. C is compiled
  for this processor. All but ONNX Runtime and IREE are told the extents of the input before they compile.
- A call alone takes some microseconds, and the programs are small. emx-onnx-cgen has no interface in Python: its function is called by a
  pointer, with results that exist already, in about one microsecond. [benchmarks.md](benchmarks.md#xlacpu) has times of loomir and XLA
  without calls from Python.
- Memory is the largest resident set of the process, from its start to the end of the first run, with Python and the compiler.
- Not run: onnx-mlir and onnx2c (no package; to be built from source), burn and rten (Rust; so is tract, which has a package for Python).

Measured on {date} with {versions}.
C compiler: {compiler}.
"""


@dataclass(frozen=True)
class Result:
    """A program in an engine: `kind` of `KINDS`, the reason if it is not right; seconds of a call and bytes where it ran."""

    kind: str
    reason: str = ""
    seconds: float = float("nan")
    peak: int = 0


def run_engine(engine: str, model: Path, case: Case, folder: Path, clock: str) -> Process | Result:
    """A process that is right on a feed, or the result that it is not."""
    arguments: list[str] = []
    if engine == "xla":
        if (lax := functions_of().get(model.stem)) is None:
            return Result(ABSENT)
        arguments = [lax]
    folder.mkdir()
    shutil.copy(model, folder / "model.onnx")
    write_arrays(folder / "feed.npz", case.feed)
    try:
        process = Process(engine, folder, clock, arguments, SECONDS)
    except Failure as failure:
        return Result(failure.kind, str(failure))
    if mistake := mistake_of(Outcome(outputs=process.outputs), case.truths):
        process.close()
        return Result(WRONG, mistake)
    return process


def judged(process: Process, cases: Sequence[Case]) -> tuple[str, str]:
    """The kind and the reason of all feeds but the first."""
    for number, case in enumerate(cases[1:], 1):
        try:
            process.feed(case.feed)
        except Failure as failure:
            return failure.kind, f"input {number}: {failure}"
        if mistake := mistake_of(Outcome(outputs=process.outputs), case.truths):
            return WRONG, f"input {number}: {mistake}"
    return RIGHT, ""


def measure(model: Path, engines: Sequence[str], repeat: int, clock: str) -> dict[str, Result]:
    """A program in each engine."""
    cases = read_cases(model)
    results: dict[str, Result] = {}
    processes: dict[str, Process] = {}
    with tempfile.TemporaryDirectory() as work, ExitStack() as stack:
        for engine in engines:
            made = run_engine(engine, model, cases[0], Path(work) / engine, clock)
            if isinstance(made, Result):
                results[engine] = made
            else:
                processes[engine] = stack.enter_context(closing(made))
        peaks = {engine: process.peak_bytes() for engine, process in processes.items()}
        for process in processes.values():
            # The first runs after a pause are slow; `median_seconds` takes the first one for what a run is.
            for _ in range(3):
                process.run()
        seconds = median_seconds({engine: process.run for engine, process in processes.items()}, repeat)
        for engine, process in processes.items():
            kind, reason = judged(process, cases)
            results[engine] = Result(kind, reason, seconds[engine], peaks[engine])
    return {engine: results[engine] for engine in engines}


def cell(result: Result) -> str:
    """Microseconds where the engine is right, what it is otherwise."""
    return f"{result.seconds * 1e6:,.1f} µs" if result.kind == RIGHT else result.kind


def line_of(name: str, results: Mapping[str, Result]) -> str:
    """The row of a program."""
    return f"| {' | '.join([name, *map(cell, results.values())])} |"


def summary(found: Mapping[str, Mapping[str, Result]], engines: Sequence[str]) -> Iterable[str]:
    """A row for each engine: how many programs of each kind, time beside loomir's, memory."""
    header = ["engine", *KINDS, "programs faster than loomir", "time / loomir's, geometric mean", "memory"]
    yield f"| {' | '.join(header)} |\n|---|{'---:|' * (len(header) - 1)}"
    for engine in engines:
        of_engine = [results[engine] for results in found.values()]
        counts = [str(sum(r.kind == kind for r in of_engine)) for kind in KINDS]
        ratios = [
            results[engine].seconds / results["loomir"].seconds
            for results in found.values()
            if results[engine].kind == RIGHT and "loomir" in results and results["loomir"].kind == RIGHT
        ]
        peaks = [r.peak for r in of_engine if r.peak]
        beside = ["", ""]
        if ratios and engine != "loomir":
            beside = [f"{sum(r < 1 for r in ratios)} of {len(ratios)}", f"{geometric_mean(ratios):,.2f}"]
        memory = f"{median(peaks) / 1e6:,.0f} MB" if peaks else ""
        yield f"| {' | '.join([ENGINES[engine], *counts, *beside, memory])} |"


def reasons(found: Mapping[str, Mapping[str, Result]], engines: Sequence[str]) -> Iterable[str]:
    """Rows of programs that are not right, with the first reason."""
    yield "| engine | | programs | the first one's reason |\n|---|---|---|---|"
    for engine in engines:
        failing = [(name, r[engine]) for name, r in found.items() if r[engine].kind not in (RIGHT, ABSENT)]
        failing.sort(key=lambda each: KINDS.index(each[1].kind))
        for kind, group in groupby(failing, key=lambda each: each[1].kind):
            members = list(group)
            names = [name for name, _ in members]
            rest = [f"{len(names) - SHOWN} more"] if len(names) > SHOWN else []
            reason = re.sub(r"(Exception from|Check \S+ failed at) \S+ ", "", members[0][1].reason)
            reason = reason.translate(str.maketrans("|`<>[]", "/'‹›()"))
            shown = ", ".join([*names[:SHOWN], *rest])
            yield f"| {ENGINES[engine]} | {kind} | {shown} | {reason[:160]} |"


def page(found: Mapping[str, Mapping[str, Result]], engines: Sequence[str], repeat: int, clock: str) -> str:
    """The whole page of the results of each program in these engines."""
    head = HEAD.format(
        seconds=SECONDS,
        clock="processor time of its process" if clock == CPU else "wall clock",
        repeat=repeat,
        date=date.today(),
        versions=", ".join(map(version_of, engines)),
        compiler=compiler_version(),
    )
    header = ["program", *(ENGINES[engine] for engine in engines)]
    table = [f"| {' | '.join(header)} |\n|---|{'---:|' * len(engines)}"]
    table += [line_of(name, results) for name, results in found.items()]
    parts = [
        head,
        *summary(found, engines),
        "\n## Times\n",
        *table,
        "\n## Not right\n",
        *reasons(found, engines),
    ]
    return "\n".join(parts) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpus", type=Path, help="folder that examples/make_corpus.py has written")
    parser.add_argument("names", nargs="*", metavar="NAME", help="some of its programs")
    parser.add_argument("--engines", type=some_of(list(ENGINES)), default=list(ENGINES), metavar="E,…")
    parser.add_argument("--repeat", type=int, default=9, help="turns (default: %(default)s)")
    parser.add_argument("--cpu-time", action="store_true", help="processor time, not the wall clock")
    options = parser.parse_args()
    models = [options.corpus / f"{name}.onnx" for name in options.names] or sorted(
        options.corpus.glob("*.onnx")
    )
    if missing := [str(model) for model in models if not model.exists()] or not models:
        parser.error(f"no such program: {missing}")
    engines = [engine for engine in options.engines if python_of(engine) is not None]
    if absent := set(options.engines) - set(engines):
        print(f"not installed (make engines): {', '.join(sorted(absent))}", file=sys.stderr)
    clock = CPU if options.cpu_time else WALL
    found: dict[str, dict[str, Result]] = {}
    for model in models:
        found[model.stem] = measure(model, engines, options.repeat, clock)
        print(line_of(model.stem, found[model.stem]), file=sys.stderr, flush=True)
    print(page(found, engines, options.repeat, clock), end="")


if __name__ == "__main__":
    main()
