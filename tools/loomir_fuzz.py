"""`loomir-fuzz`: random programs through every engine, compared with ONNX Runtime.

The programs consist of nested loops and branches.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from loomir.errors import Error
from loomir.tools.arguments import add_extension_argument, load_extensions

if TYPE_CHECKING:
    from rich.console import Console

    from loomir.tools.fuzz.runner import FuzzOptions, Summary


WIDTH = 160


def build_parser() -> argparse.ArgumentParser:
    """The command line."""
    from loomir.compiler.option_names import ENGINES
    from loomir.tools.fuzz.builds import FLAGS, compilers, usual_compilers, usual_machines
    from loomir.tools.fuzz.levels import LEVELS, ORDERS
    from loomir.tools.fuzz.runner import SAMPLE

    parser = argparse.ArgumentParser(prog="loomir-fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the programs (default: 0)")
    parser.add_argument(
        "--count", type=int, default=100, metavar="N", help="number of programs (default: 100)"
    )
    parser.add_argument(
        "--start", type=int, default=0, metavar="I", help="index of the first program (default: 0)"
    )
    parser.add_argument(
        "--size", type=int, default=8, metavar="K", help="top-level steps of each program (default: 8)"
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, metavar="J", help="processes (default: all cores)"
    )
    levels = ", ".join(f"{level.name} ({level.about})" for level in LEVELS)
    levels += f", {ORDERS} (passes in random order with random options, different for each program)"
    parser.add_argument(
        "--level", help=f"use one level instead of all in rotation: {levels}".replace("%", "%%")
    )
    parser.add_argument(
        "-p",
        "--passes",
        metavar="PASSES",
        help="passes under test: run them in every program, and count the programs that they change",
    )
    add_extension_argument(parser)
    parser.add_argument(
        "--with",
        dest="features",
        action="append",
        default=[],
        metavar="FEATURE",
        help="run programs with this feature only, such as 'if on an invariant in a loop' (repeat for each feature)",
    )
    parser.add_argument(
        "--list-features",
        action="store_true",
        help=f"print the features of {SAMPLE} programs, and how many have each, and do nothing else",
    )
    parser.add_argument(
        "--engines",
        default=",".join(e for e in ENGINES if e != "interpreter"),
        metavar="E,…",
        help=f"some of {','.join(ENGINES)} (default: all but interpreter, which is slow)",
    )
    parser.add_argument(
        "--machines",
        metavar="M,…",
        help=f"machines of native code, in rotation (default: {','.join(usual_machines())})",
    )
    parser.add_argument(
        "--compilers",
        metavar="CC,…",
        help=f"C compilers in rotation: some of {','.join(compilers())} (default: {','.join(usual_compilers())})",
    )
    parser.add_argument(
        "--c-flags",
        default=",".join(FLAGS),
        metavar="F,…",
        help=f"flags of the C compiler in rotation: some of {','.join(FLAGS)} (default: all)",
    )
    parser.add_argument(
        "--every-build",
        action="store_true",
        help="build each program with every machine, compiler and flags instead of one in rotation",
    )
    parser.add_argument(
        "--forms",
        action="store_true",
        help="give every other program loops of the forms that passes on loop structure know",
    )
    parser.add_argument("--no-ir", action="store_true", help="do not export programs as OpenVINO IR")
    parser.add_argument("--openvino", action="store_true", help="compare with OpenVINO too, where possible")
    parser.add_argument(
        "--check-each-pass", action="store_true", help="run programs before and after every pass"
    )
    parser.add_argument(
        "--metamorphic", action="store_true", help="compare with transformed programs of the same meaning"
    )
    parser.add_argument("--output", type=Path, metavar="DIR", help="write reduced failures to this folder")
    parser.add_argument(
        "--reduce", type=int, default=5, metavar="N", help="number of failures to reduce (default: 5)"
    )
    parser.add_argument(
        "--patience",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="time limit for one engine and program (default: 60)",
    )
    parser.add_argument(
        "--time-limit", type=float, metavar="SECONDS", help="start no programs after this time"
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command.

    It exits with 1 if anything failed, and with 130 after an interrupt.
    """
    given = build_parser().parse_args(arguments)
    # A job that is ended from outside shows what was done by then, as after Ctrl-C.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        code = _run(given)
    except Error as error:
        print(f"loomir-fuzz: error: {error}", file=sys.stderr)
        code = 1
    finally:
        signal.signal(signal.SIGTERM, before)
    raise SystemExit(code)


def _options(given: argparse.Namespace) -> FuzzOptions:
    from loomir.compiler.option_names import ENGINES, Engine
    from loomir.tools.fuzz.builds import builds
    from loomir.tools.fuzz.runner import FuzzOptions
    from loomir.tools.fuzz.trial import TrialPlan

    wanted = set(filter(None, given.engines.split(",")))
    engines: tuple[Engine, ...] = tuple(e for e in ENGINES if e in wanted)
    unknown = wanted - set(ENGINES)
    if unknown:
        raise Error("bad-engine", f"unknown engine '{min(unknown)}'", hint=f"known: {', '.join(ENGINES)}")
    for name in ("count", "jobs", "size"):
        if getattr(given, name) < 1:
            raise Error("bad-option", f"--{name} is {getattr(given, name)}", hint="it is at least 1")
    plan = TrialPlan(engines, not given.no_ir, given.openvino, given.check_each_pass, given.metamorphic)
    return FuzzOptions(
        seed=given.seed,
        start=given.start,
        count=given.count,
        size=given.size,
        jobs=given.jobs,
        level=given.level,
        passes=given.passes,
        features=tuple(given.features),
        forms=given.forms,
        builds=builds(_names(given.machines), _names(given.compilers), _names(given.c_flags) or ()),
        every_build=given.every_build,
        plan=plan,
        patience=given.patience,
        time_limit=given.time_limit,
    )


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name for name in text.split(",") if name]


def _run(given: argparse.Namespace) -> int:
    from rich.console import Console

    from loomir.tools.fuzz.runner import fuzz, sample_of
    from loomir.tools.fuzz.trial import Report
    from loomir.tools.progress import progress

    load_extensions("loomir-fuzz", given.extension)
    options = _options(given)
    # Into a file or a log tables keep the width that they need.
    width = None if sys.stdout.isatty() else WIDTH
    console = Console(highlight=False, markup=False, emoji=False, width=width, soft_wrap=width is not None)
    if given.list_features:
        from loomir.tools.fuzz.findings import features_table

        console.print(features_table(sample_of(options)))
        return 0
    done = 0

    def heard(report: Report) -> None:
        nonlocal done
        done += 1
        if report.failures:
            shown.hide()
        for failure in report.failures:
            console.print(f"{options.seed}/{report.index} {report.level}: {failure.engine}, {failure.kind}")
            console.print(f"    {failure.text}\n    {options.repeat(report.index)}")
        if done % 500 == 0 and not shown.is_shown:
            console.print(f"{done} of {options.count} programs")
        shown.advance()

    with progress("random programs", options.count) as shown:
        summary = fuzz(options, heard)
    if not summary.reports and summary.stopped != "an interrupt":
        # Nothing was found because nothing was looked at: that must not pass for a good answer.
        console.print(f"no program was run{f': stopped by {summary.stopped}' if summary.stopped else ''}")
        return 2
    _show(console, summary)
    failures = summary.failures
    if failures and summary.stopped != "an interrupt":
        _reduce(console, given, options, summary)
    _conclude(console, options, summary)
    if summary.stopped == "an interrupt":
        return 130
    if not failures and options.passes is not None and not any(r.passes for r in summary.reports.values()):
        console.print(f"-p {options.passes}: {NOTHING}")
        return 2
    return 1 if failures else 0


NOTHING = (
    "no program was changed, which proves nothing: --with selects programs with a feature (--list-features);"
    " a pass on a lower stage names it, such as STAGE = 'loops'"
)


def _show(console: Console, summary: Summary) -> None:
    from loomir.tools.fuzz.findings import counts_table, failures_by_kind, features_table, seconds_table

    console.print(features_table(summary))
    console.print(counts_table("levels", summary.total("level")))
    if builds := summary.total("builds"):
        console.print(counts_table("builds of native code", builds))
    if passes := summary.total("passes"):
        console.print(counts_table("what passes under test did", passes))
    refusals = summary.total("refusals")
    if refusals:
        console.print(counts_table("expected refusals", refusals))
    console.print(seconds_table(summary))
    if summary.failures:
        console.print(counts_table("failures", failures_by_kind(summary)))


def _reduce(console: Console, given: argparse.Namespace, options: FuzzOptions, summary: Summary) -> None:
    from loomir.tools.fuzz.findings import Finding, describe, reduce_all

    def heard(finding: Finding, paths: Sequence[Path]) -> None:
        console.print(describe(options, finding).rstrip())
        if paths:
            console.print(f"written: {paths[0].with_suffix('')}.*, {paths[-1]}")
        else:
            import onnx

            from loomir.tools.fuzz.onnx_oracle import to_onnx

            console.print(onnx.printer.to_text(to_onnx(finding.program)))

    reduce_all(options, summary.failures, given.output, most=given.reduce, heard=heard)


def _conclude(console: Console, options: FuzzOptions, summary: Summary) -> None:
    programs = len({report.index for report, _ in summary.failures})
    wrong = f"{len(summary.failures)} failures in {programs} programs" if programs else "no mismatch"
    console.print(
        f"seed {options.seed}: {len(summary.reports)} programs in {summary.seconds:.1f} s with {options.jobs} jobs: {wrong}"
    )
    if summary.stopped:
        console.print(
            f"stopped by {summary.stopped}: {options.count - len(summary.reports)} programs were not run"
        )


if __name__ == "__main__":
    main()
