"""`--remarks`: what passes did and did not do, as lines, as JSON, or summed up by pass."""

from __future__ import annotations

import json
import re
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from loomir.errors import Error, shown
from loomir.passes.analysis.remarks import Listener, Remark, listening

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
    """The arguments with the form of a `--remarks` alone said, which else would take the next argument for it."""
    return [f"--remarks={default}" if each == "--remarks" else each for each in arguments]


@contextmanager
def told_remarks(form: str | None) -> Iterator[None]:
    """Write the remarks of the passes that run meanwhile to standard error; None: write nothing. Error: `bad-option`."""
    if form is None:
        yield
        return
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
    tell: Listener = _print_text if form == "text" else _print_json
    with listening(tell):
        yield


def _print_text(remark: Remark) -> None:
    place = "" if remark.position is None else ":".join(map(str, remark.position)) + ": "
    print(f"{place}remark: {remark.message}", file=sys.stderr)


def _print_json(remark: Remark) -> None:
    print(as_json(remark), file=sys.stderr)


def as_json(remark: Remark) -> str:
    """A remark as an object in one line; `layer` and `file`, `line`, `column` are null where they are not known."""
    file, line, column = remark.position or (None, None, None)
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
    """What each pass did, in the order in which they first spoke: how often it said the same of operations of one name.

    What differs only in its numbers is the same.
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
