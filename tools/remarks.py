"""`--remarks`: output of the remarks of passes.

Remarks tell what passes did and did not do. They are written as lines, as JSON, or summed up by pass.
"""

from __future__ import annotations

import json
import re
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from loomir.errors import Error, shown

if TYPE_CHECKING:
    from loomir.passes.analysis.remarks import Remark

FORMS = ("text", "json", "summary")


def add_remarks_argument(parser: ArgumentParser, default: str) -> None:
    """`--remarks`."""
    parser.add_argument(
        "--remarks",
        metavar="|".join(FORMS),
        help="tell on standard error what passes did with loops and branches, or why not: a line for each remark, a JSON object for "
        f"each, or summed up by pass (--remarks alone: {default})",
    )


def with_form(arguments: Sequence[str], default: str) -> list[str]:
    """Return the arguments with a bare `--remarks` given its default form.

    Without a form, the option would take the next argument for it.
    """
    return [f"--remarks={default}" if each == "--remarks" else each for each in arguments]


@contextmanager
def told_remarks(form: str | None, file: str | None = None) -> Iterator[None]:
    """Write the remarks of passes to standard error within a `with`.

    If `form` is None, nothing is written. `file` is the file that the program was read from: operations of a model have a
    layer, but no position in a text that would name the file. Error: `bad-option`.
    """
    if form is None:
        yield
        return
    # The parsers of arguments import this module, and want no more of it than its options.
    from loomir.passes.analysis.remarks import listening

    if form not in FORMS:
        raise Error("bad-option", f"--remarks={shown(form)}", hint=f"known: {', '.join(FORMS)}")
    if form == "summary":
        remarks: list[Remark] = []
        try:
            with listening(remarks.append):
                yield
        finally:
            print(summary(remarks), file=sys.stderr)
        return
    told = {"text": as_text, "json": as_json}[form]

    def tell(remark: Remark) -> None:
        print(told(remark, file), file=sys.stderr)

    with listening(tell):
        yield


def as_text(remark: Remark, file: str | None = None) -> str:
    """Return a remark as one line, in the form that compilers use.

    `file` is its place if it has no position.
    """
    place = file if remark.position is None else ":".join(map(str, remark.position))
    return f"{place}: remark: {remark.message}" if place else f"remark: {remark.message}"


def as_json(remark: Remark, file: str | None = None) -> str:
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


def summary(remarks: Sequence[Remark]) -> str:
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
