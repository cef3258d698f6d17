"""`loomir compare`: its options, its table and its JSON."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

from loomir.errors import Error, shown
from loomir.tools.compare import compare, own_processes
from loomir.tools.compare.rows import COLUMNS, MAX_ITERATIONS, NOT_ASKED, geometric_means

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from loomir.tools.compare.rows import Row


def add_compare_parser(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], loading: argparse.ArgumentParser
) -> None:
    """Add the command; `loading` has the options of loading a model."""
    parser = commands.add_parser(
        "compare",
        parents=[loading],
        help="compare results, work, code and time of models under several pipelines",
    )
    parser.add_argument(
        "models", nargs="+", metavar="MODEL", help="a model, or a folder: the models in it, at any depth"
    )
    parser.add_argument(
        "--pipelines",
        nargs="+",
        required=True,
        metavar="[NAME=]PIPELINE",
        help="a level (O2), passes behind its own (O0,canonicalize), passes behind those of -O, or a file with one of these",
    )
    parser.add_argument(
        "--corpus",
        action="store_true",
        help="take inputs from NAME.inputs.npz beside each model, and check results with NAME.expected.npz",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument(
        "--seed", type=int, default=0, help="seed of the random values of inputs (default: 0)"
    )
    parser.add_argument(
        "--feeds",
        type=int,
        default=3,
        metavar="N",
        help="number of inputs with which results are compared (default: 3)",
    )
    parser.add_argument(
        "--repeat",
        type=int,
        default=20,
        metavar="N",
        help="number of calls whose median time is taken (default: 20)",
    )
    parser.add_argument(
        "--max-iterations",
        type=int,
        default=MAX_ITERATIONS,
        metavar="N",
        help="limit on the loop iterations of a run; a run that reaches it is not compared (default: 100000)",
    )
    parser.add_argument(
        "--capacity", type=int, metavar="N", help="largest extent of unbounded tensors in the emitted C"
    )
    parser.add_argument(
        "--c-flags",
        default="",
        metavar="FLAGS",
        help="flags of the C compiler for .text and instructions, such as --c-flags=-Os",
    )
    parser.add_argument(
        "--skip",
        action="append",
        default=[],
        metavar="COLUMN",
        help="do not measure text, instructions or seconds (repeat for each)",
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--jobs", type=int, default=1, metavar="N", help="number of processes (default: 1)")
    where.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="dask scheduler whose workers compare the models (loomir[cluster])",
    )


def run_compare(options: argparse.Namespace) -> None:
    """Print the table; exit with 1 unless all results are equal.

    Errors: those of `compare`.
    """
    from loomir.tools.arguments import load_arguments, printed_warnings

    def tell(rows: list[Row]) -> None:
        verdicts = ", ".join(f"{row.pipeline} {_verdict(row, options.corpus)}" for row in rows)
        print(f"loomir: {rows[0].model}: {verdicts}", file=sys.stderr, flush=True)

    with _executor(options) as executor, printed_warnings("loomir"):
        rows = compare(
            options.models,
            options.pipelines,
            executor,
            feeds=options.feeds,
            seed=options.seed,
            corpus=options.corpus,
            repeat=options.repeat,
            capacity=options.capacity,
            c_flags=_words(options.c_flags),
            skip=options.skip,
            extensions=options.extension,
            each=tell,
            max_iterations=options.max_iterations,
            **load_arguments(options),
        )
    _print_json(rows) if options.json else _print_table(rows, options.corpus)
    wrong: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row.verdict != "equal":
            why = row.error or row.difference or row.notes["equal"]
            wrong.setdefault((row.model, f"{row.verdict}: {why}"), []).append(row.pipeline)
        if row.mistake is not None:
            wrong.setdefault((row.model, f"wrong: {row.mistake}"), []).append(row.pipeline)
    for (model, why), pipelines in wrong.items():
        print(f"loomir: {model}: {', '.join(pipelines)} {why}", file=sys.stderr)
    if wrong:
        raise SystemExit(1)


def _verdict(row: Row, corpus: bool) -> str:
    """The words for a row's results: `equal`, of a corpus `equal, right`."""
    return f"{row.verdict}, {row.truth}" if corpus and row.error is None else row.verdict


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise Error("bad-option", f"--c-flags={shown(text)}: {error}") from error


@contextmanager
def _executor(options: argparse.Namespace) -> Iterator[Executor | None]:
    """The processes of `--jobs`, or the cluster of `--scheduler`. Error: `bad-option`."""
    if options.scheduler is not None:
        try:
            from distributed import Client
        except ImportError as error:
            raise Error(
                "bad-option",
                "--scheduler needs the package distributed",
                hint="pip install 'loomir[cluster]'",
            ) from error
        try:
            client = Client(options.scheduler)
        except (OSError, ValueError, TypeError) as error:
            raise Error("bad-option", f"--scheduler {shown(options.scheduler)}: {error}") from error
        with client:
            yield client.get_executor()
        return
    from loomir.compiler.options import integer

    if integer("jobs", options.jobs, 1) == 1:
        yield None
        return
    with own_processes(options.jobs) as executor:
        yield executor


def _print_json(rows: Sequence[Row]) -> None:
    means = {
        pipeline: {
            column: {"ratio": ratio, "models": models} for column, (ratio, models) in of_columns.items()
        }
        for pipeline, of_columns in geometric_means(rows).items()
    }
    document = {
        "rows": [asdict(row) | {"verdict": row.verdict, "truth": row.truth} for row in rows],
        "geometric_means": means,
    }
    print(json.dumps(document, indent=1))


def _print_table(rows: Sequence[Row], corpus: bool) -> None:
    """Print a row for each model, pipeline and loop, and the means."""
    from rich import box
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Column, Table

    columns = [c for c in COLUMNS if any(row.notes.get(c) != NOT_ASKED for row in rows if row.error is None)]
    numbers = [Column(COLUMNS[c], justify="right", no_wrap=True) for c in columns]
    table = Table("model", "pipeline", "results", *numbers, box=box.SIMPLE_HEAD)
    last = None
    for row in rows:
        if last is not None and row.model != last:
            table.add_section()
        named, last = row.model if row.model != last else "", row.model
        table.add_row(
            named, row.pipeline, _verdict(row, corpus), *(_number(getattr(row, c), c) for c in columns)
        )
        for loop in row.per_loop:
            counts = {"trips": loop.trips, "operations": loop.operations, "bytes": loop.bytes}
            cells = [_number(counts[c], c) if c in counts else "" for c in columns]
            table.add_row("", f"  {_short(loop.layer or 'loop')}", "", *cells)
    means = geometric_means(rows)
    for pipeline, of_columns in means.items():
        table.add_section()
        cells = [f"{of_columns[c][0]:.2f} ×" if c in of_columns else "–" for c in columns]
        table.add_row("geometric mean", f"{pipeline} / {rows[0].pipeline}", "", *cells)
    console = Console(highlight=False, markup=False, emoji=False)
    # No number is cut short, however narrow the terminal.
    unlimited = console.options.update(max_width=10_000)
    console.width = max(console.width, Measurement.get(console, unlimited, table).maximum)
    console.print(table)
    for note in _notes(rows, columns):
        print(f"– {note}")


def _short(layer: str) -> str:
    """The end of a long name, which says most."""
    return layer if len(layer) <= 24 else f"…{layer[-23:]}"


def _number(value: float | None, column: str) -> str:
    if value is None:
        return "–"
    return f"{1e6 * value:,.1f}" if column == "seconds" else f"{value:,}"


def _notes(rows: Iterable[Row], columns: Iterable[str]) -> Iterator[str]:
    """Generate the reasons of missing numbers, with their columns and rows."""
    found: dict[str, tuple[dict[str, None], list[str]]] = {}
    for row in rows:
        missing = [c for c in columns if c in row.notes and row.error is None]
        for reason in dict.fromkeys(row.notes[c] for c in missing):
            titles, places = found.setdefault(reason, ({}, []))
            titles.update(dict.fromkeys(COLUMNS[c] for c in missing if row.notes[c] == reason))
            places.append(f"{row.model} {row.pipeline}")
    for reason, (titles, places) in found.items():
        more = f" and {len(places) - 1} more rows" if len(places) > 1 else ""
        yield f"{', '.join(titles)}: {reason} ({places[0]}{more})"
