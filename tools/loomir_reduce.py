"""`loomir-reduce`: the smallest program that shows a failure.

A failure is a pass that changes what a program computes or ends with an exception (the default: the passes of `-p`, or those to
`--stage`), two engines that differ (`--engine` twice), or whatever a command finds (`--test`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loomir.errors import Error

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass

    from loomir.tools.reduce import Interesting, Reduced, ReductionCase

STAGES = ("graph", "structured", "loops")


def build_parser() -> argparse.ArgumentParser:
    """The command line."""
    from loomir.compiler.levels import DEFAULT_LEVEL
    from loomir.compiler.option_names import ENGINES
    from loomir.tools.arguments import add_extension_argument, add_level_argument

    parser = argparse.ArgumentParser(
        prog="loomir-reduce", description="Reduce a program to the smallest one that shows a failure."
    )
    parser.add_argument("model", type=Path, help=".mlir of any stage, .onnx, .onnxtxt or .xml")
    parser.add_argument("-o", "--output", type=Path, default=Path("reduced.mlir"), metavar="FILE.mlir")
    parser.add_argument(
        "-p", "--passes", metavar="PASSES", help="passes, one of which fails (default: those down to --stage)"
    )
    parser.add_argument(
        "--stage",
        choices=STAGES,
        default="loops",
        help="last stage whose passes are tested (default: loops)",
    )
    add_level_argument(parser, DEFAULT_LEVEL, "level of these passes, without -p (default: -O2)")
    add_extension_argument(parser)
    parser.add_argument(
        "--engine",
        action="append",
        default=[],
        choices=ENGINES,
        help="two engines that differ on the optimised program (give it twice)",
    )
    parser.add_argument(
        "--test",
        metavar="COMMAND",
        help="command that takes the path of a program and tests whether it fails",
    )
    parser.add_argument(
        "--status",
        type=int,
        default=0,
        metavar="N",
        help="exit status of --test for a program that fails (default: 0, as for creduce; 1 for mlir-reduce's scripts)",
    )
    parser.add_argument("--shape", action="append", default=[], metavar="INPUT=N,N,…", help="fix a shape")
    parser.add_argument("--value", action="append", default=[], metavar="INPUT=V", help="fix a value")
    parser.add_argument(
        "--capacity", type=int, metavar="N", help="largest extent of unbounded tensors (without -p)"
    )
    parser.add_argument("--inputs", type=Path, metavar="FILE.npz", help="inputs (default: samples)")
    parser.add_argument("--feeds", type=int, default=5, metavar="N", help="number of samples (default: 5)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the samples")
    parser.add_argument(
        "--max-seconds", type=float, default=60.0, metavar="S", help="time limit (default: 60)"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="do not print progress")
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; user errors are printed and exit with 1."""
    options = build_parser().parse_args(arguments)
    try:
        _reduce(options)
    except Error as error:
        print(f"loomir-reduce: error: {error.at(file=str(options.model))}", file=sys.stderr)
        raise SystemExit(1) from None


def _reduce(options: argparse.Namespace) -> None:
    from loomir.compiler.checking.cases import python_literal, write_case
    from loomir.tools.arguments import load_extensions

    load_extensions("loomir-reduce", options.extension)
    case, interesting, words = _case(options)
    print(f"loomir-reduce: {words}", file=sys.stderr)
    reduced = _run(case, interesting, options)
    output: Path = options.output
    files = write_case(reduced.case.module, reduced.case.feed, output.parent, output.stem)
    print(reduced.case.module)
    for name, value in (reduced.case.feed or {}).items():
        print(f"// {name} = {python_literal(value)}")
    sys.stdout.flush()
    print(f"loomir-reduce: {reduced}: {', '.join(map(str, files))}", file=sys.stderr)


def _case(options: argparse.Namespace) -> tuple[ReductionCase, Interesting, str]:
    """Return the case to reduce, and the predicate to reduce it for.

    Errors: `not-interesting`, `bad-option`.
    """
    from loomir.compiler.formats import load_module
    from loomir.tools.arguments import parse_shapes, parse_values
    from loomir.tools.reduce import ReductionCase
    from loomir.tools.reduce.failures import command_says

    if options.engine and len(options.engine) != 2:
        raise Error("bad-option", "--engine must be given twice", hint="--engine graph --engine native")
    module = load_module(
        options.model, shapes=parse_shapes(options.shape), values=parse_values(options.value)
    )
    if options.test:
        case = ReductionCase(module)
        interesting = command_says(options.test, options.status, options.max_seconds)
        if not interesting(case):
            raise _not_interesting(f"the command does not exit with {options.status} for the whole program")
        return case, interesting, f"what '{options.test}' finds"
    feeds = _feeds(module, options)
    if options.engine:
        return _engines(module, feeds, options)
    return _passes(module, feeds, options)


def _feeds(module: ModuleOp, options: argparse.Namespace) -> list[dict[str, Any]]:
    from loomir.compiler.checking.cases import read_feed
    from loomir.compiler.checking.feeds import choose_feeds

    if options.inputs:
        return [read_feed(options.inputs)]
    return choose_feeds(module, options.feeds, options.seed)[0]


def _engines(
    module: ModuleOp, feeds: Sequence[Mapping[str, Any]], options: argparse.Namespace
) -> tuple[ReductionCase, Interesting, str]:
    from loomir.tools.reduce import ReductionCase
    from loomir.tools.reduce.failures import allowed_iterations, engine_difference, engines_differ

    first, second = options.engine
    for feed in feeds:
        case = ReductionCase(module, dict(feed))
        found = engine_difference(case, first, second)
        if found is not None:
            interesting = engines_differ(first, second, found, allowed_iterations(case))
            return case, interesting, f"{second} differs from {first}: {found.text}"
    raise _not_interesting(f"the engines {first} and {second} agree on {len(feeds)} inputs")


def _passes(
    module: ModuleOp, feeds: Sequence[Mapping[str, Any]], options: argparse.Namespace
) -> tuple[ReductionCase, Interesting, str]:
    from loomir.compiler.pass_options import limited
    from loomir.tools.reduce.failures import find_failing_pass

    passes = options.passes or limited(
        _passes_to(module, options.stage, options.level), capacity=options.capacity
    )
    found = find_failing_pass(module, passes, [dict(feed) for feed in feeds])
    if found is None:
        raise _not_interesting(f"no pass fails on {len(feeds)} inputs")
    return found.case, found.interesting, f"pass {found.position}, {found.name}: {found.difference.text}"


def _passes_to(module: ModuleOp, stage: str, level: str) -> list[ModulePass]:
    """Return the level's passes that lower a program to a stage.

    The passes are those of `level`. They start at the stage that the program has. Error: `bad-option`.
    """
    from loomir.compiler.levels import checked_level
    from loomir.compiler.pipeline import LevelPipelines
    from loomir.compiler.stages import StageError, verify_stage

    def is_of(name: str) -> bool:
        try:
            verify_stage(module, name)
        except StageError:
            return False
        return True

    start = next((name for name in reversed(STAGES) if is_of(name)), "graph")
    steps = {"graph": ("graph", "core"), "structured": ("structured",), "loops": ("loops",)}
    names = [name for each in STAGES[: STAGES.index(stage) + 1] for name in steps[each]]
    done = (
        [name for each in STAGES[: STAGES.index(start) + 1] for name in steps[each]]
        if start != "graph"
        else []
    )
    pipelines = LevelPipelines(checked_level(level))
    return [each for name in names if name not in done for each in pipelines[name]]


def _not_interesting(what: str) -> Error:
    return Error("not-interesting", what, hint="try other inputs: --seed, --feeds, --inputs")


def _run(case: ReductionCase, interesting: Interesting, options: argparse.Namespace) -> Reduced:
    from rich.console import Console

    from loomir.tools.reduce import Limits, reduce

    limits = Limits(options.max_seconds)
    if options.quiet:
        return reduce(case, interesting, limits=limits)
    with Console(stderr=True).status("…") as status:
        return reduce(
            case, interesting, limits=limits, report=lambda step, state: status.update(f"{step}: {state}")
        )


if __name__ == "__main__":
    main()
