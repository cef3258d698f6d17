"""Output of remarks on loops and branches.

`--remarks` writes lines, JSON, LLVM's YAML, or a summary by pass. The parsers of arguments import this module, so it imports
no passes before it needs them.
"""

from __future__ import annotations

import json
import re
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from loomir.errors import Error, file_unwritable, shown

if TYPE_CHECKING:
    from loomir.dialects.diagnostics import Remark

REMARK_FORMATS = ("text", "json", "yaml", "summary")


def add_remarks_argument(parser: ArgumentParser, default: str) -> None:
    """`--remarks` and what belongs to it."""
    parser.add_argument(
        "--remarks",
        metavar="|".join(REMARK_FORMATS),
        help="print on standard error what passes did to loops and branches, or why not: a line for each remark, a JSON object or "
        f"a YAML document (LLVM's) for each, or a summary by pass (--remarks alone: {default})",
    )
    parser.add_argument(
        "--remarks-filter",
        metavar="REGEX",
        help="only remarks of which `PASS: done or left: 'LAYER' (OPERATION): TEXT` matches",
    )
    parser.add_argument(
        "--remarks-file", type=Path, metavar="FILE", help="write the remarks to a file instead"
    )
    parser.set_defaults(default_remarks=default)


def with_default_format(arguments: Sequence[str], default: str) -> list[str]:
    """Return the arguments with a bare `--remarks` given its default form.

    Without a form, the option would take the next argument for it.
    """
    return [f"--remarks={default}" if each == "--remarks" else each for each in arguments]


def wants_remarks(options: Namespace) -> bool:
    """Return True if an option of a command requests remarks."""
    given = (getattr(options, f"remarks{what}", None) for what in ("", "_filter", "_file"))
    return any(each is not None for each in given)


def remarks_filter(options: Namespace) -> Callable[[Remark], bool]:
    """Return the predicate of `--remarks-filter`. Error: `bad-option`."""
    if options.remarks_filter is None:
        return lambda remark: True
    try:
        pattern = re.compile(options.remarks_filter)
    except re.error as error:
        text = f"--remarks-filter {shown(options.remarks_filter)} is not a regular expression: {error}"
        raise Error("bad-option", text) from error
    return lambda remark: pattern.search(remark.message) is not None


@contextmanager
def printed_remarks(options: Namespace, file: str | None = None) -> Iterator[None]:
    """Write the remarks of passes within a `with`, as the options request.

    `file` is the file that the program was read from: operations of a model have a layer, but no position in a text that would
    name the file. Errors: `bad-option`, `file-unwritable`.
    """
    if not wants_remarks(options):
        yield
        return
    # The parsers of arguments import this module, and want no more of it than its options.
    from loomir.dialects.diagnostics import listening

    form = options.remarks or options.default_remarks
    if form not in REMARK_FORMATS:
        raise Error("bad-option", f"--remarks={shown(form)}", hint=f"known: {', '.join(REMARK_FORMATS)}")
    wanted = remarks_filter(options)
    told = {"text": remark_as_text, "json": remark_as_json, "yaml": remark_as_yaml}
    remarks: list[Remark] = []
    with ExitStack() as stack:
        output = sys.stderr
        if options.remarks_file is not None:
            try:
                # One command may process several programs.
                mode = "a" if getattr(options, "remarks_begun", False) else "w"
                output = stack.enter_context(options.remarks_file.open(mode, encoding="utf-8"))
                options.remarks_begun = True
            except OSError as error:
                raise file_unwritable(str(options.remarks_file), error) from error

        def tell(remark: Remark) -> None:
            if not wanted(remark):
                return
            if form == "summary":
                remarks.append(remark)
            else:
                print(told[form](remark, file), file=output)

        try:
            with listening(tell):
                yield
        finally:
            if form == "summary":
                print(summary_of_remarks(remarks), file=output)


def remark_as_text(remark: Remark, file: str | None = None) -> str:
    """Return a remark as one line, in the form that compilers use.

    `file` is its place if it has no position.
    """
    place = file if remark.position is None else ":".join(map(str, remark.position))
    return f"{place}: remark: {remark.message}" if place else f"remark: {remark.message}"


def remark_as_json(remark: Remark, file: str | None = None) -> str:
    """Return a remark as a JSON object in one line.

    `layer` and `file`, `line`, `column` are null if they are not known.
    """
    file, line, column = remark.position or (file, None, None)
    return json.dumps(
        {
            "kind": remark.kind,
            "pass": remark.pass_name,
            "operation": remark.operation,
            "layer": remark.layer,
            "file": file,
            "line": line,
            "column": column,
            "text": remark.text,
            "numbers": dict(remark.numbers),
        },
        ensure_ascii=False,
    )


def remark_as_yaml(remark: Remark, file: str | None = None) -> str:
    """Return a remark as a YAML document of LLVM's optimisation records.

    The values of `Args` together are its text. Numbers that decided have their names as keys. (Strings of JSON are strings of
    YAML.)
    """
    lines = [
        f"--- !{'Passed' if remark.kind == 'done' else 'Missed'}",
        f"Pass: {json.dumps(remark.pass_name)}",
        f"Name: {json.dumps(remark.operation)}",
    ]
    if remark.position is not None:
        name, line, column = remark.position
        lines.append(f"DebugLoc: {{ File: {json.dumps(name)}, Line: {line}, Column: {column} }}")
    lines += [f"Function: {json.dumps(remark.function or file or '')}", "Args:"]
    if remark.layer is not None:
        lines += [f"  - Layer: {json.dumps(remark.layer, ensure_ascii=False)}", '  - String: ": "']
    left = dict(remark.numbers)
    for part in re.split(r"(?<![\w.])(-?\d+)(?![\w.])", remark.text):
        key = next((key for key, number in left.items() if str(number) == part), None)
        if key is not None:
            del left[key]
        if part:
            lines.append(f"  - {key or 'String'}: {json.dumps(part, ensure_ascii=False)}")
    for key, number in left.items():
        lines += [f"  - String: {json.dumps(f' {key}=')}", f'  - {key}: "{number}"']
    return "\n".join([*lines, "..."])


def summary_of_remarks(remarks: Sequence[Remark]) -> str:
    """Return a summary of the remarks of each pass.

    Passes are in the order of their first remarks. The summary counts how often a pass made the same remark on operations
    of one name. Remarks that differ only in their numbers are the same.
    """
    by_pass: dict[str, list[Remark]] = {}
    for remark in remarks:
        by_pass.setdefault(remark.pass_name, []).append(remark)
    lines: list[str] = []
    for name, own in by_pass.items():
        done = sum(remark.kind == "done" for remark in own)
        lines.append(f"{name}: {done} done, {len(own) - done} left")
        alike: dict[tuple[str, str, str], list[str]] = {}
        for remark in own:
            alike.setdefault((remark.kind, remark.operation, _without_numbers(remark.text)), []).append(
                remark.text
            )
        for (kind, operation, text), texts in sorted(alike.items(), key=lambda g: (g[0][0], -len(g[1]))):
            # Numbers that are the same in all of them keep their place.
            said = texts[0] if len(set(texts)) == 1 else text
            lines.append(f"  {len(texts):5} {kind} {operation}: {said}")
    return "\n".join(lines) if lines else "no remarks"


def _without_numbers(text: str) -> str:
    return re.sub(r"(?<![\w=-])\d+(?![\w-])", "…", text)
