"""Comparison of models under several pipelines: results, work, memory, code and time.

A client: it uses the compiler as any user would. `compare` is its interface, `command.py` its command line
(docs/compare.md).
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, as_completed
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from loomir.errors import Error, boundary
from loomir.tools.compare.rows import MAX_ITERATIONS, OF_INPUTS, SKIPPED, Request, Row


@boundary
def compare(
    models: Iterable[str | Path],
    pipelines: Iterable[str] | Mapping[str, str],
    executor: Executor | None = None,
    *,
    feeds: int = 3,
    seed: int = 0,
    corpus: bool = False,
    repeat: int = 20,
    capacity: int | None = None,
    c_flags: Sequence[str] = (),
    skip: Sequence[str] = (),
    extensions: Sequence[str] = (),
    each: Callable[[list[Row]], None] | None = None,
    **options: Any,
) -> list[Row]:
    """Compare models under several pipelines.

    Returns a row for each model and pipeline. `models` are files, and folders that are searched for files. `pipelines` maps
    names to pipelines, or lists them as `pipelines_of` reads them. Each model is a task of `executor` (any of
    `concurrent.futures`, or of a cluster); without one they run here, one after the other. Files are passed to workers by
    their absolute paths.

    - `feeds`: number of random inputs, drawn from `seed` onwards, with which results are compared;
    - `corpus`: inputs and the truth of their results are in files beside each model (docs/corpus.md);
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
    from loomir.compiler.options import checked_capacity, checked_files, choice, integer
    from loomir.tools.arguments import load_extensions
    from loomir.tools.compare.comparing import check_options, compare_model, files_of, pipelines_of

    options.setdefault("max_iterations", MAX_ITERATIONS)
    # Extensions may add passes and formats.
    load_extensions("loomir", extensions)
    check_options("model", **options)
    options["profile"] = [
        Path(file).absolute() for file in checked_files("profile", options.get("profile", ()))
    ]
    files = files_of(models)
    request = Request(
        pipelines=pipelines_of(pipelines),
        options=options,
        partial=len(files) > 1,
        feeds=integer("feeds", feeds, 1),
        seed=integer("seed", seed),
        corpus=corpus,
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
    """Return an executor of processes that inherit nothing from this one."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_start)


_OF_THE_PROCESS = ExitStack()


def _start() -> None:
    """Begin a process of an executor."""
    from loomir.tools.arguments import printed_warnings

    # Ctrl-C reaches all processes of a terminal: these end without a word.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _OF_THE_PROCESS.enter_context(printed_warnings("loomir"))


def _result(
    future: Future[tuple[list[Row], list[str]]], name: str, request: Request
) -> tuple[list[Row], list[str]]:
    """Return a model's rows; they have the error of a failed worker."""
    try:
        return future.result()
    except Exception as error:
        # A killed process, or anything that an executor of another package says.
        said = f"the worker that compared it failed: {type(error).__name__}: {error}"
        return [Row(name, label, error=said) for label in request.pipelines], []
