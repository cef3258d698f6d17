"""One model under several pipelines.

A worker process runs `compare_model`. The unoptimised program in the graph engine is the reference; the optimised ones
run in the graph engine, which counts, and in the native engine.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

import loomir
from loomir.compiler.calls import CompiledModel
from loomir.compiler.checking.agreement import Outcome, compare, is_real
from loomir.compiler.checking.running import Quantisations, claims_of
from loomir.compiler.engines.libraries import FLAGS
from loomir.compiler.engines.native import build_program, run_program
from loomir.compiler.feeds import FeedChecker
from loomir.compiler.feeds.samples import random_feed
from loomir.compiler.files import printable
from loomir.compiler.formats import known_suffixes
from loomir.compiler.formats.c.emit import CCode, emit_c
from loomir.compiler.levels import DEFAULT_LEVEL, leading_level
from loomir.compiler.model import Model
from loomir.compiler.options import LoadOptions, taking
from loomir.compiler.pipeline import parse_pipeline, pass_instances
from loomir.compiler.summary import summarise
from loomir.dialects.interface import argument_names, arguments_of, main_function
from loomir.errors import Error, crash_of, only_errors
from loomir.passes.analysis.machines import machine_of
from loomir.tools.arguments import load_extensions
from loomir.tools.compare.counting import WorkCounter
from loomir.tools.compare.measuring import (
    compiler_for,
    count_instructions,
    median_seconds,
    not_of_here,
    text_bytes,
)
from loomir.tools.compare.rows import NOT_ASKED, OF_INPUTS, Request, Row
from loomir.tools.compare.truth import Case, mistake_of, read_cases

Feed = Mapping[str, Any]


@taking(LoadOptions)
def check_options(model: str, options: LoadOptions) -> None:
    """Raise `Error("bad-option")` for options that `loomir.load` refuses, by `LoadOptions`."""


def files_of(models: Iterable[str | Path]) -> dict[str, Path]:
    """Return the absolute paths of models, by their paths as given.

    A folder stands for the models in it, at any depth. Error: `file-unreadable` for one without any.
    """
    found: dict[str, Path] = {}
    for given in map(Path, models):
        files = [given]
        if given.is_dir():
            known = known_suffixes()
            files = sorted(p for p in given.rglob("*") if p.suffix in known and p.is_file())
            if not files:
                raise Error(
                    "file-unreadable",
                    "the folder holds no model",
                    file=str(given),
                    hint=f"known: {' '.join(known)}",
                )
        found.update({printable(str(path)): path.absolute() for path in files})
    return found


_NAMED = re.compile(r"([\w.+-]+)=(.+)", re.DOTALL)


def pipelines_of(given: Iterable[str] | Mapping[str, str]) -> dict[str, str]:
    """Return pipelines by name.

    A pipeline is a level (`O2`), GRAPH passes behind those of a level (`O0,canonicalize`) or behind those of the level that
    all models are loaded with (`ov-loop-unroll{max-trips=8}`), or a file that holds it. In a list, `NAME=PIPELINE` names it; its
    name is otherwise its text, or its file's name.

    Errors: `bad-option` for a name that is given twice, `bad-pipeline`, `file-unreadable`.
    """
    found: dict[str, str] = {}
    if isinstance(given, Mapping):
        named = [(name, text) for name, text in given.items()]
    else:
        matches = [(text, _NAMED.fullmatch(text)) for text in given]
        named = [(match[1], match[2]) if match else (None, text) for text, match in matches]
    for name, text in named:
        if "{" not in text and ("/" in text or "." in text):
            name = name or Path(text).stem
            text = _text_of(Path(text))
        if not text:
            raise Error("bad-pipeline", "a pipeline is empty", hint="for example O2, or O0,canonicalize")
        parse_pipeline(leading_level(text, DEFAULT_LEVEL)[1])
        if (name or text) in found:
            raise Error(
                "bad-option", f"two pipelines have the name '{name or text}'", hint="name one: NAME=PIPELINE"
            )
        found[name or text] = text
    if not found:
        raise Error("bad-option", "no pipeline to compare", hint="for example --pipelines O0 O2")
    return found


def _text_of(file: Path) -> str:
    try:
        return "".join(map(str.strip, file.read_text(encoding="utf-8").splitlines()))
    except (OSError, ValueError) as error:
        raise Error("file-unreadable", f"cannot be read as a pipeline: {error}", file=str(file)) from error


def compare_model(name: str, path: Path, request: Request) -> tuple[list[Row], list[str]]:
    """Return a row for each pipeline, and the names of inputs.

    Nothing is raised: an error is a part of the rows.
    """
    rows = {label: Row(name, label) for label in request.pipelines}
    inputs: list[str] = []
    with _failing(*rows.values()):
        load_extensions("loomir", request.extensions)
        options = dict(request.options)
        if request.partial and any(options.get(option) for option in OF_INPUTS):
            inputs = [info.name for info in loomir.load(path, **_without(options, ()), optimize=False).inputs]
            options = _without(options, inputs)
        reference = loomir.load(path, **options, optimize=False)
        if reference.stage != "graph":
            # Its iterations are not counted by native code; the Python engine of the reference counts them.
            del options["max_iterations"]
        if request.corpus:
            cases = read_cases(path)
        else:
            cases = [Case(_feed_of(reference, request.seed + k), {}) for k in range(request.feeds)]
        first = cases[0].feed
        expected = [_Expected(reference, case) for case in cases]
        runners: dict[str, Callable[[], float]] = {}
        for label, text in request.pipelines.items():
            row = rows[label]
            with _failing(row):
                level, passes = leading_level(text, options.get("level", DEFAULT_LEVEL))
                model = loomir.load(path, **{**options, "level": level})
                model = model.optimize(passes) if passes else model
                _compare_results(row, model, expected, request)
                _measure_code(row, model, first, request)
                if "seconds" in request.skip:
                    row.notes["seconds"] = NOT_ASKED
                elif "seconds" not in row.notes:
                    feed = Quantisations.of(model.module)[0].of_floats(first)
                    runners[label] = partial(_seconds, model.compile("native"), feed)
        for label, seconds in median_seconds(runners, request.repeat).items():
            rows[label].seconds = seconds
    return list(rows.values()), inputs


def _without(options: Mapping[str, Any], inputs: Sequence[str]) -> dict[str, Any]:
    """Return options that mention only these inputs."""
    return {
        name: {n: v for n, v in (value or {}).items() if n in inputs} if name in OF_INPUTS else value
        for name, value in options.items()
    }


@contextmanager
def _failing(*rows: Row) -> Iterator[None]:
    """Convert an exception to the error of rows without one."""
    try:
        with only_errors():
            yield
    except Error as error:
        for row in rows:
            row.error = row.error or str(error)


@contextmanager
def _noting(row: Row, *columns: str) -> Iterator[None]:
    """Convert an exception to the reason that columns have no number."""
    try:
        with only_errors():
            yield
    except Error as error:
        for column in columns:
            if getattr(row, column) is None:
                row.notes.setdefault(column, f"{error.what} [{error.identifier}]")


def _feed_of(model: Model, seed: int) -> Feed:
    """Return random inputs, the initial states and the fixed inputs."""
    main = main_function(model.module)
    entries = zip(argument_names(main), arguments_of(main))
    fixed = {name: entry.value for name, entry in entries if entry.value is not None}
    return {s.name: s.initial for s in model.states} | random_feed(model, seed, fixed) | fixed


def _outcome(model: Model, run: Callable[[Feed], Mapping[str, Any]], feed: Feed) -> Outcome:
    """Run a model on floats, which are quantised if it takes integers."""
    inputs, outputs = Quantisations.of(model.module)
    try:
        with only_errors():
            return Outcome(run(inputs.of_floats(feed)), quantisations=outputs.by_name)
    except Error as error:
        crash = crash_of(error)
        return Outcome(error=error) if crash is None else Outcome(crash=crash)


def _graph(model: Model, feed: Feed, row: Row | None = None) -> Mapping[str, Any]:
    """Run a model in the Python engine of its stage.

    `row` receives the counts of the run.
    """
    if model.stage != "graph":
        if row is not None:
            row.notes |= dict.fromkeys(_COUNTS, "only runs of GRAPH are counted")
        return model.run(feed, engine=model.stage)
    counter = WorkCounter()
    outputs = model.observe(feed, [counter])
    if row is not None:
        row.per_loop = list(counter.loops.values())
        row.trips, row.operations, row.bytes = counter.trips, counter.operations, counter.bytes
    return outputs


_COUNTS = ("trips", "operations", "bytes")
_OF_RUNS = ("instructions", "seconds")
"""Numbers from runs of compiled code.

Emitted C does not count iterations: code that does not end must not run.
"""


UNSTEADY = 4
"""Factor for the roundings of a run beside that of its inputs."""


class _Expected:
    """Outcome of the unoptimised program for a case."""

    def __init__(self, model: Model, case: Case) -> None:
        self._model = model
        self.case = case
        self.outcome = self._of(case.feed)

    def _of(self, feed: Feed) -> Outcome:
        return _outcome(self._model, partial(_graph, self._model), feed)

    @cached_property
    def unsteadiness(self) -> Mapping[str, float]:
        """Limits of the change of outputs if the inputs are rounded otherwise.

        Twelve matrix products, one behind the other, make 10⁻⁷ to 10⁻⁴: no order of additions is nearer to the truth than another.
        """
        rounding = np.random.default_rng(0)
        moved = self._of(
            {name: _rounded_otherwise(value, rounding) for name, value in self.case.feed.items()}
        )
        if self.outcome.outputs is None or moved.outputs is None:
            return {}
        pairs = ((name, value, moved.outputs[name]) for name, value in self.outcome.outputs.items())
        return {name: UNSTEADY * _distance(a, b) for name, a, b in pairs}


def _rounded_otherwise(value: Any, rounding: np.random.Generator) -> Any:
    """Move each float of a tensor up or down by one step."""
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
        return value
    step = np.finfo(value.dtype).eps * rounding.choice([-1.0, 1.0], value.shape)
    return (value * (1 + step)).astype(value.dtype)


def _distance(a: Any, b: Any) -> float:
    """Return the largest difference of two finite tensors of floats.

    It is 0 for anything else.
    """
    if not (
        isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and is_real(a.dtype) and a.shape == b.shape
    ):
        return 0.0
    with np.errstate(all="ignore"):
        gap = np.abs(a.astype(np.float64) - b.astype(np.float64))
    return float(gap.max(initial=0.0)) if np.isfinite(gap).all() else 0.0


def _compare_results(row: Row, model: Model, expected: Sequence[_Expected], request: Request) -> None:
    """Compare the results of both engines with expected ones and truths.

    Loops and work are counted.

    Errors: those of the native engine before a run.
    """
    summary = summarise(model.module)
    row.loops, row.branches = summary.loops, summary.branches
    _, added = leading_level(request.pipelines[row.pipeline], DEFAULT_LEVEL)
    passes = pass_instances([*model.options.pipelines["graph"], *([added] if added else [])])
    steps = max((claims_of(each)["steps"] for each in passes), default=0)
    compared, no_compiler = 0, False
    for number, of_case in enumerate(expected):
        (feed, truths), reference = of_case.case, of_case.outcome
        counted = row if number == 0 else None
        if reference.is_limited:
            _note_end(counted, reference, *_COUNTS, *_OF_RUNS)
            continue
        outcomes = {"graph": _outcome(model, partial(_graph, model, row=counted), feed)}
        _note_end(counted, outcomes["graph"], *_COUNTS)
        if not no_compiler:
            native = _outcome(model, partial(model.run, engine="native"), feed)
            if native.error is None or native.is_limited or native.error.identifier.startswith("runtime-"):
                outcomes["native"] = native
            elif native.error.identifier not in _NO_COMPILER:
                raise native.error
            no_compiler = "native" not in outcomes
            _note_end(counted, native, *_OF_RUNS)
        for engine, outcome in outcomes.items():
            compared += reference.crash is None and not outcome.is_limited
            difference = compare(reference, outcome, exact=False, steps=steps)
            if difference is not None and difference.kind == "values":
                difference = compare(
                    reference, outcome, exact=False, steps=steps, unsteadiness=of_case.unsteadiness
                )
            if difference is not None:
                row.equal = False
                row.difference = row.difference or f"feed {number}, engine {engine}: {difference.text}"
            if truths and not outcome.is_limited:
                mistake = mistake_of(outcome, truths)
                row.right = row.right is not False and mistake is None
                if mistake is not None:
                    row.mistake = row.mistake or f"feed {number}, engine {engine}: {mistake}"
    if row.equal is None and compared:
        row.equal = True
    elif row.equal is None:
        row.notes["equal"] = f"no run can be compared: the first one ends with {expected[0].outcome}"


def _note_end(row: Row | None, outcome: Outcome, *columns: str) -> None:
    """Note that a run without outputs gives no numbers.

    Only the first run has a row.
    """
    if row is not None and outcome.failed:
        row.notes |= dict.fromkeys(columns, f"the run ends with {outcome}")


_NO_COMPILER = frozenset({"no-c-compiler", "bad-c-compiler", "file-unwritable"})


def _measure_code(row: Row, model: Model, feed: Feed, request: Request) -> None:
    """Measure the C that `loomir compile` emits."""
    columns = ("arena", "weights", "text", "instructions")
    machine = machine_of(model.options.machine or "generic")
    if (reason := not_of_here(machine)) is not None:
        row.notes |= dict.fromkeys(_OF_RUNS, reason)
    row.notes |= {column: NOT_ASKED for column in columns if column in request.skip}
    with _noting(row, *columns):
        inputs, _ = Quantisations.of(model.module)
        given = FeedChecker(model.inputs)(inputs.of_floats(feed))
        program = model
        if model.stage == "graph":
            program, given = model.specialised.program(given)
        code = emit_c(program.lowered("loops", capacity=request.capacity), "model")
        row.arena, row.weights = code.arena_bytes, code.weight_bytes
        if {"text", "instructions"} <= row.notes.keys():
            return
        command, flags = compiler_for(machine)
        flags = (*FLAGS, *flags, *request.c_flags)
        with tempfile.TemporaryDirectory(prefix="loomir-compare-") as work:
            if "text" not in row.notes:
                with _noting(row, "text"):
                    row.text = text_bytes(code, Path(work), compiler=command, flags=flags)
            if not shutil.which("valgrind"):
                row.notes.setdefault("instructions", "valgrind is not installed")
            if "instructions" not in row.notes:
                try:
                    row.instructions = _instructions(code, Path(work), command, flags, given)
                except subprocess.CalledProcessError as error:
                    if error.returncode != -signal.SIGILL:
                        raise
                    row.notes["instructions"] = "valgrind does not know an instruction of this code"


def _instructions(code: CCode, folder: Path, command: Sequence[str], flags: Sequence[str], feed: Feed) -> int:
    build_program(code, folder, compiler=command, flags=flags)
    run_program(code, folder, feed)
    return count_instructions(code, folder)


def _seconds(model: CompiledModel, feed: Feed) -> float:
    start = time.perf_counter()
    model.run(feed)
    return time.perf_counter() - start
