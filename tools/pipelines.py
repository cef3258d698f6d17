"""Pipelines on the command line of `loomir-opt`, and lists of passes.

`--cse` and `--ov-loop-unroll=max-trips=8` are passes, in the order in which they stand among `-p` and `--pass-pipeline`.
`@FILE` in the place of a pipeline is the pipeline that the file holds.
"""

from __future__ import annotations

import re
from argparse import ArgumentParser
from collections.abc import Container, Iterable, Iterator, Sequence
from pathlib import Path

from xdsl.context import Context
from xdsl.passes import ModulePass

from loomir.compiler.files import MAX_FILE_BYTES, read_file
from loomir.compiler.formats.mlir.parser import decode_text
from loomir.compiler.levels import LEVELS
from loomir.compiler.pipeline import StageName, available_passes, parse_pipeline
from loomir.compiler.universe import PASS_FOLDERS, folder_of, pass_modules
from loomir.errors import Error, suggestion
from loomir.tools.pass_table import description, summary

_FLAG = re.compile(r"--?([\w-]+)(?:=(.*))?", re.DOTALL)


def with_passes_of_flags(arguments: Sequence[str], names: Container[str]) -> list[str]:
    """Return the arguments with passes as flags replaced by `--passes`.

    `--NAME` becomes `--passes=NAME`, and `--NAME=OPTIONS` becomes `--passes=NAME{OPTIONS}`.
    """
    found: list[str] = []
    for index, argument in enumerate(arguments):
        if argument == "--":
            return [*found, *arguments[index:]]
        flag = _FLAG.fullmatch(argument)
        if flag is not None and flag[1] in names:
            argument = f"--passes={flag[1]}" + (f"{{{flag[2]}}}" if flag[2] else "")
        found.append(argument)
    return found


def add_pipeline_arguments(parser: ArgumentParser) -> None:
    """Add `-p`, in place of that of xDSL's driver, and the lists."""
    group = parser.add_argument_group("pipelines", conflict_handler="resolve")
    group.add_argument(
        "-p",
        "--passes",
        "--pass-pipeline",
        action="append",
        default=[],
        metavar="PIPELINE|@FILE",
        help="run these passes: 'a,b{option=value},func.func(c),O2{before=d}', with or without builtin.module(…) around them, "
        "or those in a file (repeat for more; --a is short for -p a, --b=option=value for -p 'b{option=value}'; docs/mlir-opt.md)",
    )
    group.add_argument(
        "--list-passes", action="store_true", help="print all passes, by stage, and do nothing else"
    )
    group.add_argument(
        "--help-pass", metavar="PASS", help="print what a pass does and its options, and do nothing else"
    )
    group.add_argument("--show-dialects", action="store_true", help="print all dialects, and do nothing else")


def suggest_options(parser: ArgumentParser, names: Iterable[str]) -> None:
    """Make errors about unknown options suggest the nearest option or pass."""
    refuse = parser.error

    def error(message: str) -> None:
        if message.startswith("unrecognized arguments:"):
            known = [
                *(o for a in parser._actions for o in a.option_strings),
                *(f"--{name}" for name in names),
            ]
            unknown = re.findall(r"(?<!\S)--?[\w-]+", message)
            near = [found for each in unknown if (found := suggestion(each, known))]
            message = "; ".join([message, *near])
        refuse(message)

    setattr(parser, "error", error)  # noqa: B010 (a method of this parser alone)


def read_pipelines(given: Sequence[str], stage: StageName) -> list[ModulePass]:
    """Return the passes of the values of `-p`. Errors: `bad-pipeline`, `file-unreadable`, `file-too-large`."""
    passes: list[ModulePass] = []
    for each in given:
        name = each.removeprefix("@")
        if name == each:
            passes += parse_pipeline(each, stage).passes
            continue
        text = decode_text(read_file(Path(name), MAX_FILE_BYTES), name).strip()
        try:
            passes += parse_pipeline(text, stage).passes
        except Error as error:
            raise error.at(file=name) from error.__cause__
    return passes


def list_of_passes() -> Iterator[str]:
    """Generate a line for each pass, by stage; passes of others last."""
    known = available_passes()
    own = pass_modules()
    by_folder = {
        folder: [name for name in sorted(own) if folder_of(name) == folder] for folder in PASS_FOLDERS
    }
    by_folder["of xDSL and of extensions"] = sorted(known.keys() - own.keys())
    for folder, names in by_folder.items():
        yield f"{folder}:"
        for name in names:
            yield f"  {name:<36} {summary(known[name]())}".rstrip()
    yield "levels:"
    yield f"  {', '.join(LEVELS)}"


def help_of_pass(name: str) -> str:
    """Return the documentation of a pass. Error: `bad-option`."""
    known = available_passes()
    if name not in known:
        hint = suggestion(name, known) or "--list-passes lists all passes"
        raise Error("bad-option", f"--help-pass {name}: unknown pass", hint=hint)
    return f"{name}\n\n{description(known[name]())}"


def list_of_dialects(ctx: Context) -> Iterator[str]:
    """Generate a line for each dialect, with the number of its operations."""
    for name in sorted(ctx.registered_dialect_names):
        dialect = ctx.get_dialect(name)
        yield f"{name:<24} {len([*dialect.operations])} operations"
