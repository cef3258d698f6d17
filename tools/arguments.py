"""Options and argument values that several commands share.

The options of `loomir-opt` beyond those of xDSL's driver, and of `loomir export` (a model as OpenVINO IR), follow them.
Some options of xDSL's driver are described as well, with their meaning in `loomir-opt`. The module is light, for
`--help`: it imports neither numpy nor xDSL.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from argparse import ArgumentError, ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from traceback import TracebackException
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from loomir.compiler.option_names import IO, ROUNDINGS
from loomir.errors import Error, LoomirWarning, shown
from loomir.passes.options import SEMANTICS
from loomir.tools.progress import progress
from loomir.tools.remarks import add_remarks_argument

if TYPE_CHECKING:
    from loomir.compiler.model import Model
    from loomir.compiler.options import CheckOptions

Loader = Callable[[Namespace], "Model"]
"""Loads the model of a command's options."""


def add_check_arguments(parser: ArgumentParser) -> None:
    """`--check-each-pass` and what belongs to it."""
    parser.add_argument(
        "--check-each-pass",
        action="store_true",
        help="run the program before and after every pass on the same inputs, and compare the results",
    )
    parser.add_argument(
        "--check-feeds", type=int, default=3, metavar="N", help="number of sample inputs (default: 3)"
    )
    parser.add_argument("--check-seed", type=int, default=0, metavar="S", help="seed of the sample inputs")
    parser.add_argument(
        "--check-folder",
        type=Path,
        metavar="FOLDER",
        help="folder for a failing program (default: a new temporary folder)",
    )
    parser.add_argument(
        "--reduce-seconds",
        type=float,
        default=60.0,
        metavar="S",
        help="time limit for the reduction of a failing program (default: 60; 0: no reduction)",
    )
    parser.add_argument(
        "--bisect",
        action="store_true",
        help="check each pass, and name the pattern application that breaks a result",
    )


def add_level_argument(parser: ArgumentParser, default: str | None, about: str) -> None:
    """`-O`: the level by its name, `O2` of `-O2`, or the default."""
    # (argparse reads a default as it reads what is given.)
    usual = None if default is None else default.removeprefix("O")
    parser.add_argument("-O", dest="level", type="O{}".format, default=usual, metavar="0|1|2|s", help=about)


def add_machine_argument(parser: ArgumentParser) -> None:
    """`--machine`."""
    parser.add_argument(
        "--machine",
        metavar="NAME",
        help="target machine, such as cortex-m4 or native: costs of operations and vectors "
        "(default: generic; native if the native engine runs it)",
    )


def add_integers_argument(parser: ArgumentParser) -> None:
    """`--integers`."""
    parser.add_argument(
        "--integers",
        action="store_true",
        help="compute with integers between the quantisations of a network (FakeQuantize, QuantizeLinear)",
    )


def add_io_argument(parser: ArgumentParser) -> None:
    """`--io`."""
    parser.add_argument(
        "--io",
        choices=IO,
        default="float",
        help="type of the inputs and outputs that the network quantises; integers imply --integers (default: float)",
    )


def add_rounding_argument(parser: ArgumentParser) -> None:
    """`--rounding`."""
    parser.add_argument(
        "--rounding",
        choices=ROUNDINGS,
        default="exact",
        help="rounding of requantised integers: that of exact arithmetic, or that of TensorFlow Lite's "
        "reference kernels, which implies --integers (default: exact)",
    )


def add_extension_argument(parser: ArgumentParser) -> None:
    """`--extension`."""
    parser.add_argument(
        "--extension",
        action="append",
        default=[],
        metavar="FILE.py|PACKAGE",
        help="load an extension: operators and transformations of your own (docs/extensions.md)",
    )


def add_traceback_argument(parser: ArgumentParser) -> None:
    """`--traceback`."""
    parser.add_argument("--traceback", action="store_true", help="print the traceback of an error")


def print_error(program: str, error: Error, *, traceback: bool) -> None:
    """Print an error on standard error.

    With `traceback`, the error is printed behind the traceback that led to it.
    """
    if traceback:
        told = TracebackException.from_exception(error.__cause__ or error)
        each: TracebackException | None = told
        while each is not None:
            # xDSL notes the whole program.
            each.__notes__ = None
            each = each.__cause__ or each.__context__
        print(*told.format(), sep="", end="", file=sys.stderr)
    print(f"{program}: error: {error}", file=sys.stderr)


def interrupted(program: str) -> NoReturn:
    """End a command on Ctrl-C, with the exit status that shells expect."""
    print(f"{program}: interrupted", file=sys.stderr)
    raise SystemExit(130) from None


def load_named_extensions(program: str, arguments: Sequence[str]) -> None:
    """Load the installed extensions and those of `--extension` in a command's arguments.

    The function serves a parser that depends on what the extensions add.

    Errors: those of `load_extension`.
    """
    parser = ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    add_extension_argument(parser)
    try:
        given = parser.parse_known_args(list(arguments))[0].extension
    except ArgumentError:
        # The command's own parser says what is wrong.
        return
    load_extensions(program, given)


def load_extensions(program: str, sources: Sequence[str]) -> None:
    """Load the installed extensions, and these. Errors: those of `load_extension`."""
    from loomir.compiler.extensions import announced

    if not sources and not announced():
        # Then what extensions are made of need not be loaded either.
        return
    from loomir.compiler.extensions.loading import load_extension, load_installed

    with printed_warnings(program):
        load_installed()
    for source in sources:
        load_extension(source)


def add_semantics_argument(parser: ArgumentParser) -> None:
    """`--semantics`."""
    parser.add_argument(
        "--semantics",
        choices=SEMANTICS,
        default="specification",
        help="semantics to use where ONNX's specification and ONNX Runtime differ (default: specification, with a warning)",
    )


def add_external_data_argument(parser: ArgumentParser) -> None:
    """`--external-data-root`."""
    parser.add_argument(
        "--external-data-root",
        type=Path,
        metavar="FOLDER",
        help="another folder that may hold an ONNX model's external data: links that lead there are followed",
    )


@contextmanager
def printed_warnings(program: str, tell: Callable[[str], None] | None = None) -> Iterator[None]:
    """Print loomir's warnings on standard error, or pass them to `tell`.

    Printed warnings have the form of loomir's errors.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("always", LoomirWarning)
        usual = warnings.showwarning

        def show(message: Any, category: Any, *rest: Any) -> None:
            if issubclass(category, LoomirWarning):
                if tell is not None:
                    tell(str(message))
                else:
                    print(f"{program}: warning: {message}", file=sys.stderr)
            else:
                usual(message, category, *rest)

        warnings.showwarning = show
        yield


def check_options(options: Namespace, given: Mapping[str, Any] | None = None) -> CheckOptions:
    """The options of `add_check_arguments`. Error: `bad-option`."""
    from loomir.compiler.options import CheckOptions

    return CheckOptions(
        feeds=options.check_feeds,
        seed=options.check_seed,
        given=dict(given or {}),
        reduce_seconds=options.reduce_seconds,
        folder=options.check_folder,
        explain=_bisection() if options.bisect else None,
    )


def _bisection() -> Callable[..., Sequence[str]]:
    from loomir.tools.bisection import explain_application

    return explain_application


def load_arguments(options: Namespace) -> dict[str, Any]:
    """Return the arguments of `loomir.load` that every command's options set. Error: `bad-option`."""
    return {
        "shapes": parse_shapes(options.shape),
        "max_shapes": parse_max_shapes(options.max_shape),
        "values": parse_values(options.value),
        "level": options.level,
        "machine": options.machine,
        "integers": options.integers,
        "io": options.io,
        "rounding": options.rounding,
        "max_bytes": options.max_bytes,
        "verify_each": options.verify_each,
        "semantics": options.semantics,
        "external_data_root": options.external_data_root,
        "profile": options.profile_use,
    }


Value = TypeVar("Value")


def named(
    items: Iterable[str], read: Callable[[str], Value], form: str, hint: str, *, last: bool = True
) -> dict[str, Value]:
    """Parse `["a=TEXT", …]` to a dictionary of values.

    `read` converts each text. The text begins behind the `last` equals sign, or behind the first one.

    Error: `bad-option` (also if `read` raises `ValueError`, and for a duplicate name).
    """
    found: dict[str, Value] = {}
    for item in items:
        name, equals, text = item.rpartition("=") if last else item.partition("=")
        try:
            if not equals or not name:
                raise ValueError
            value = read(text)
        except ValueError as error:
            raise Error("bad-option", f"{shown(item)} is not {form}", hint=hint) from error
        if name in found:
            raise Error("bad-option", f"'{name}' is given twice", hint=f"once each: {form}")
        found[name] = value
    return found


def parse_shapes(items: Iterable[str]) -> dict[str, list[int]]:
    """`["input=1,576"]` → `{"input": [1, 576]}`; an empty right side is rank 0. Error: `bad-option`."""

    def read(text: str) -> list[int]:
        return [_extent(e) for e in text.split(",")] if text else []

    return named(items, read, "INPUT=N,N,…", "for example --shape input=1,576")


def parse_max_shapes(items: Iterable[str]) -> dict[str, list[int | None]]:
    """`["input=8,?"]` → `{"input": [8, None]}`: a question mark for no bound. Error: `bad-option`."""

    def read(text: str) -> list[int | None]:
        return [None if e.strip() == "?" else _extent(e) for e in text.split(",")]

    return named(items, read, "INPUT=N,?,…", "for example --max-shape input=8,576")


def _extent(text: str) -> int:
    extent = int(text)
    if extent < 0:
        raise ValueError
    return extent


def parse_values(items: Iterable[str]) -> dict[str, list[float] | float]:
    """`["sr=16000", "axes=1,2"]` → numbers or lists of numbers. Error: `bad-option`."""

    def number(text: str) -> float:
        if text.strip().lower() in ("true", "false"):
            return text.strip().lower() == "true"
        try:
            return int(text, 0)
        except ValueError:
            return float(text)

    def read(text: str) -> list[float] | float:
        return [number(t) for t in text.split(",")] if "," in text else number(text)

    return named(items, read, "INPUT=VALUE", "for example --value sr=16000")


def leave_quietly() -> NoReturn:
    """End the command when its output's reader is done.

    The reader (head, less) has seen enough. Nothing more is written, not even at exit.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(1)


def add_export_parser(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], common: Sequence[argparse.ArgumentParser]
) -> None:
    """The command and its options, behind those that all commands have."""
    parser = commands.add_parser("export", parents=list(common), help="write OpenVINO IR: .xml and .bin")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.xml")
    add_save_arguments(parser)


def add_save_arguments(parser: argparse.ArgumentParser) -> None:
    """How an IR is written: the fields of `SaveOptions`."""
    parser.add_argument(
        "--compress-to-fp16",
        action="store_true",
        help="store float weights of 32 and 64 bits in 16 bits, where they fit",
    )
    parser.add_argument(
        "--run-time-checks",
        choices=("keep", "drop"),
        default="keep",
        help="run-time checks, such as of an index out of range: keep them as operations that fail (default), or drop them",
    )
    parser.add_argument(
        "--for",
        dest="target",
        metavar="VERSION",
        help="work around the known faults of a version of OpenVINO: openvino-2026",
    )


def save_ir(model: Model, path: Path, options: argparse.Namespace) -> None:
    """Write the model and say where. Errors: those of `Model.save`."""
    with progress("writing"):
        model.save(
            path,
            compress_to_fp16=options.compress_to_fp16,
            checks=options.run_time_checks,
            target=options.target,
        )
    print(f"{path}, {path.with_suffix('.bin')}")


def add_opt_arguments(parser: argparse.ArgumentParser) -> None:
    """Add them to a parser that has those of xDSL's driver."""
    _describe(
        parser,
        "--disable-verify",
        "verify nothing, not even attributes: passes may then fail in any way",
    )
    _describe(
        parser,
        "--verify-diagnostics",
        "compare errors, warnings and remarks with the comments expected-error@+1 {{…}} of the text (see docs/testing.md)",
    )
    parser.add_argument(
        "--full-constants",
        action="store_true",
        help="print large constants in full, as other tools expect",
    )
    parser.add_argument(
        "--stage",
        choices=("front", "graph"),
        default="graph",
        help="stage to import an ONNX model to before the passes: front keeps ONNX's operators",
    )
    parser.add_argument(
        "--verify-stage",
        choices=("front", "graph", "structured", "loops"),
        help="check that the result is legal for this stage",
    )
    parser.add_argument(
        "--verify-each",
        choices=("true", "false", "1", "0"),
        help="verify the program after each pass (the default); if false, only the program read",
    )
    add_level_argument(
        parser,
        None,
        "run the passes of this level before those of -p: on GRAPH, or down to the stage of --verify-stage",
    )
    parser.add_argument(
        "--transform",
        metavar="SCHEDULE.mlir",
        help="transform single loops, named by their layer, before the passes (docs/transform.md)",
    )
    parser.add_argument(
        "--print-pipeline",
        action="store_true",
        help="print the passes with their options, as -p takes them, and do nothing else",
    )
    add_extension_argument(parser)
    add_traceback_argument(parser)
    add_machine_argument(parser)
    add_remarks_argument(parser, "text")
    add_check_arguments(parser)
    add_semantics_argument(parser)
    add_external_data_argument(parser)
    parser.add_argument(
        "--check-inputs",
        type=Path,
        metavar="FILE.npz",
        help="run the program on these inputs instead of samples (see --check-each-pass)",
    )
    parser.add_argument(
        "--shape",
        action="append",
        default=[],
        metavar="INPUT=N,N,…",
        help="set the shape of a model's input before it is imported (repeat for each input)",
    )


def _describe(parser: argparse.ArgumentParser, option: str, text: str) -> None:
    """Say what an option of xDSL's driver does here."""
    next(a for a in parser._actions if option in a.option_strings).help = text
