"""Comparison of models under several pipelines: results, work, memory, code and time.

A client: it uses the compiler as any user would. `compare` is its interface, `command.py` its command line
(docs/compare.md). The module is light, for `loomir --help`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, as_completed
from dataclasses import dataclass, field
from math import exp, log
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loomir.errors import Error, boundary

if TYPE_CHECKING:
    from loomir.compiler.engines import LoopCount

COLUMNS = {
    "loops": "loops",
    "branches": "branches",
    "trips": "trips",
    "operations": "operations",
    "bytes": "bytes",
    "arena": "arena",
    "weights": "weights",
    "text": ".text",
    "instructions": "instructions",
    "seconds": "µs",
}
"""Numbers of a row, with their titles in tables."""
SKIPPED = ("text", "instructions", "seconds")
"""Numbers that take a C compiler, and long; a user may leave them out."""
MAX_ITERATIONS = 100_000
"""Loop iterations of a run, unless `max_iterations` gives another limit: the graph engine needs seconds for so many."""
NOT_ASKED = "left out by --skip"
OF_INPUTS = ("shapes", "max_shapes", "values")
"""Options of `loomir.load` for single inputs."""


@dataclass
class Row:
    """Results of one model under one pipeline.

    A number is None if it was not measured; `notes` has the reason, by the name of the number.
    """

    model: str
    pipeline: str
    equal: bool | None = None
    """True if all results agree with those of the unoptimised program; None if none could be compared."""
    difference: str | None = None
    """Feed, engine and output of the first difference."""
    error: str | None = None
    """The error that ended the comparison."""
    loops: int | None = None
    """Loops of the optimised program, and `branches`: in GRAPH unless the model is a text of a later stage."""
    branches: int | None = None
    trips: int | None = None
    """Iterations of all loops in a run of the graph engine with the first feed."""
    operations: int | None = None
    """Operations that were executed in this run."""
    bytes: int | None = None
    """Bytes of the results of these operations."""
    arena: int | None = None
    """Bytes of the arena of the C that `loomir compile` emits, and of its constants: `weights`."""
    weights: int | None = None
    text: int | None = None
    """Bytes of machine code of this C."""
    instructions: int | None = None
    """Instructions of one call of this C with the first feed."""
    seconds: float | None = None
    """Median time of `Model.run` with the first feed in the native engine."""
    per_loop: list[LoopCount] = field(default_factory=list)
    """Counts of each loop that was reached, its nested loops included."""
    notes: dict[str, str] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """One word for the results: equal, differs, fails or unknown."""
        if self.error is not None:
            return "fails"
        return "unknown" if self.equal is None else "equal" if self.equal else "differs"


@dataclass(frozen=True, kw_only=True)
class Request:
    """Everything that a worker needs to compare a model, apart from the model."""

    pipelines: Mapping[str, str]
    """Pipelines by name (`pipelines_of`)."""
    options: Mapping[str, Any]
    """Arguments of `loomir.load`."""
    partial: bool
    """Leave out options about inputs that a model does not have."""
    feeds: int
    seed: int
    repeat: int
    capacity: int | None
    c_flags: Sequence[str]
    skip: Sequence[str]
    extensions: Sequence[str]


@boundary
def compare(
    models: Iterable[str | Path],
    pipelines: Iterable[str] | Mapping[str, str],
    executor: Executor | None = None,
    *,
    feeds: int = 3,
    seed: int = 0,
    repeat: int = 20,
    capacity: int | None = None,
    c_flags: Sequence[str] = (),
    skip: Sequence[str] = (),
    extensions: Sequence[str] = (),
    each: Callable[[list[Row]], None] | None = None,
    **options: Any,
) -> list[Row]:
    """Compare models under several pipelines; return a row for each model and pipeline.

    `models` are files, and folders that are searched for files. `pipelines` maps names to pipelines, or lists them as
    `pipelines_of` reads them. Each model is a task of `executor` (any of `concurrent.futures`, or of a cluster); without
    one they run here, one after the other. Files are passed to workers by their absolute paths.

    - `feeds`: number of random inputs, drawn from `seed` onwards, with which results are compared;
    - `repeat`: calls whose median is the time;
    - `capacity`: largest extent of unbounded tensors in the emitted C;
    - `c_flags`: flags of the C compiler, behind those of the native engine;
    - `skip`: names of `SKIPPED` that are not measured;
    - `extensions`: files or packages that each worker loads;
    - `each`: called with the rows of a model as soon as they are there, in any order of models;
    - `options`: those of `loomir.load`. A run that reaches `max_iterations` (`MAX_ITERATIONS`) is not compared. If there are
      several models, `shapes`, `max_shapes` and `values` apply to those that have these inputs.

    The rows are in the order of models and pipelines. The failure of a model is the `error` of its rows.

    Errors: `bad-option`, `bad-pipeline`, `file-unreadable` for a folder without models; those of `load_extension`.
    """
    from loomir.compiler.options import checked_capacity, choice, integer
    from loomir.tools.arguments import load_extensions
    from loomir.tools.compare.comparing import check_options, compare_model, files_of, pipelines_of

    options.setdefault("max_iterations", MAX_ITERATIONS)
    # Extensions may add passes and formats.
    load_extensions("loomir", extensions)
    check_options("model", **options)
    files = files_of(models)
    request = Request(
        pipelines=pipelines_of(pipelines),
        options=options,
        partial=len(files) > 1,
        feeds=integer("feeds", feeds, 1),
        seed=integer("seed", seed),
        repeat=integer("repeat", repeat, 1),
        capacity=checked_capacity(capacity),
        c_flags=tuple(c_flags),
        skip=[choice("skip", name, SKIPPED) for name in skip],
        extensions=[str(Path(e).resolve()) if e.endswith(".py") else e for e in extensions],
    )
    found: dict[str, list[Row]] = {}
    inputs: set[str] = set()

    def take(name: str, rows: list[Row], known: Iterable[str]) -> None:
        found[name] = rows
        inputs.update(known)
        if each is not None:
            each(rows)

    if executor is None:
        for name, path in files.items():
            take(name, *compare_model(name, path, request))
    else:
        futures = {executor.submit(compare_model, name, path, request): name for name, path in files.items()}
        try:
            for future in as_completed(futures):
                if not isinstance(future.exception(), BrokenExecutor):
                    take(futures[future], *_result(future, futures[future], request))
        finally:
            for future in futures:
                future.cancel()
        # A process that was killed ends those of all other models: each of these gets a process of its own.
        for name in [name for name in files if name not in found]:
            with own_processes(1) as alone:
                take(name, *_result(alone.submit(compare_model, name, files[name], request), name, request))
    rows = [row for name in files for row in found[name]]
    for option in OF_INPUTS:
        unknown = set(options.get(option) or ()) - inputs
        if request.partial and unknown and not any(row.error for row in rows):
            raise Error(
                "bad-option",
                f"{option}: no model has an input '{min(unknown)}'",
                hint=f"inputs: {', '.join(sorted(inputs))}",
            )
    return rows


def own_processes(jobs: int) -> Executor:
    """Return an executor of so many processes, which inherit nothing from this one."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))


def _result(
    future: Future[tuple[list[Row], list[str]]], name: str, request: Request
) -> tuple[list[Row], list[str]]:
    """Return the rows of a model, or rows with the failure of its worker."""
    try:
        return future.result()
    except Exception as error:
        # A killed process, or anything that an executor of another package says.
        said = f"the worker that compared it failed: {type(error).__name__}: {error}"
        return [Row(name, label, error=said) for label in request.pipelines], []


def geometric_means(rows: Iterable[Row]) -> dict[str, dict[str, tuple[float, int]]]:
    """Return the ratios of each pipeline to the first one, by pipeline and column.

    A ratio is the geometric mean over the models in which both numbers are positive, and comes with the number of these
    models.
    """
    by_pipeline: dict[str, dict[str, Row]] = {}
    for row in rows:
        by_pipeline.setdefault(row.pipeline, {})[row.model] = row
    (_, base), *others = by_pipeline.items()
    means: dict[str, dict[str, tuple[float, int]]] = {}
    for name, of_model in others:
        means[name] = {}
        for column in COLUMNS:
            pairs = [
                (getattr(base[m], column), getattr(row, column)) for m, row in of_model.items() if m in base
            ]
            logs = [log(b / a) for a, b in pairs if a and b]
            if logs:
                means[name][column] = (exp(sum(logs) / len(logs)), len(logs))
    return means
