"""Verification of diagnostics.

`--verify-diagnostics` compares diagnostics with expected ones. As in `mlir-opt`, a comment specifies an expected
diagnostic, on its own line or on another one:

```
// expected-error@+1 {{element type i32}}
// expected-warning@above {{…}}      the line above that has no such comment; `@below` likewise
// expected-remark@-3 2 {{…}}        two of them
// expected-note@unknown {{…}}       at no line of this text
// expected-error@12 {{…}}           at line 12 of the file; `@*` at any line, or at none
// expected-error-re {{of {{[0-9]+}} elements}}
```

The text in braces is a part of the diagnostic's text; with `-re`, braces inside it enclose a regular expression. Every
diagnostic must be expected and every expected diagnostic must occur, each once, or as often as the number specifies.
That is stricter than `mlir-opt`, which accepts several diagnostics for one comment. A comment that begins like one of
these but is malformed is an error here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from loomir.errors import Error

Severity = Literal["error", "warning", "remark", "note"]

_EXPECTED = re.compile(
    r"expected-(error|warning|remark|note)(-re)? *(?:@([+-]?[0-9]+|above|below|unknown|\*))? *([0-9]+)? *\{\{(.*)\}\}\s*$"
)
ANYWHERE = 0
"""Line of an expectation that any line meets."""

_BEGINNING = re.compile(r"(?<!\S)(?://|#)\s*expected-\S+")


@dataclass(frozen=True)
class Diagnostic:
    """Message about a position.

    Without a position it concerns no line of a text.
    """

    severity: Severity
    text: str
    file: str | None = None
    position: tuple[int] | tuple[int, int] | None = None

    def __str__(self) -> str:
        place = ":".join(map(str, (self.file or "", *(self.position or ()))))
        return f"{place}: {self.severity}: {self.text}" if place else f"{self.severity}: {self.text}"


def diagnostics_of_error(error: Error) -> list[Diagnostic]:
    """An error and its notes."""
    text = ": ".join(
        part for part in (error.where.layer_and_op, f"{error.what} [{error.identifier}]") if part
    )
    if error.hint:
        text = f"{text}\n  {error.hint}"
    said = [Diagnostic("error", text, error.where.file, error.where.position)]
    return said + [Diagnostic("note", what, where.file, where.position) for what, where in error.notes]


@dataclass
class Expectation:
    """Diagnostic that a comment expects.

    The comment is on the line `comment`; `line` is None for `@unknown`, and `ANYWHERE` for `@*`.
    """

    severity: Severity
    text: str
    pattern: re.Pattern[str]
    line: int | None
    comment: int
    count: int = 1
    seen: int = 0

    def matches(self, said: Diagnostic, line: int | None) -> bool:
        """Return True if the diagnostic is an expected one, except for severity."""
        return self.line in (line, ANYWHERE) and self.pattern.search(said.text) is not None


@dataclass(frozen=True)
class Expectations:
    """Diagnostics that a text expects.

    `unreadable` holds the comments that resemble expectations but are malformed.
    """

    expected: Sequence[Expectation]
    unreadable: Sequence[tuple[int, str]]

    @classmethod
    def of(cls, text: str, first_line: int = 1) -> Expectations:
        """Of a text whose first line has this number."""
        expected: list[Expectation] = []
        unreadable: list[tuple[int, str]] = []
        plain, following = first_line - 1, list[Expectation]()
        for number, line in enumerate(text.split("\n"), first_line):
            found = _EXPECTED.search(line)
            if found is None:
                if (wrong := _BEGINNING.search(line)) is not None:
                    unreadable.append((number, wrong[0]))
                for each in following:
                    each.line = number
                plain, following = number, []
                continue
            severity, regular, where, count, what = found.groups()
            try:
                pattern = re.compile(_pattern(what) if regular else re.escape(what))
            except re.error as error:
                unreadable.append((number, f"{what}: {error}"))
                continue
            places = {None: number, "above": plain, "below": number, "unknown": None, "*": ANYWHERE}
            at = places[where] if where in places else int(where) + number * (where[0] in "+-")
            each = Expectation(severity, what, pattern, at, number, int(count or 1))  # pyright: ignore[reportArgumentType]
            expected.append(each)
            if where == "below":
                following.append(each)
        return cls(expected, unreadable)

    def problems(self, said: Iterable[Diagnostic], file: str) -> list[Diagnostic]:
        """Return the mismatches between diagnostics and expectations.

        Errors: unexpected diagnostics, expected ones that are missing, and ones of another severity. The list is empty if
        everything is as expected.
        """
        for each in self.expected:
            each.seen = 0
        found: list[Diagnostic] = []
        for one in said:
            line = one.position[0] if one.position is not None and one.file == file else None
            candidates = [e for e in self.expected if e.matches(one, line)]
            right = [e for e in candidates if e.severity == one.severity]
            if right:
                # The first that still waits; one too many is told with what was expected.
                next((e for e in right if e.seen < e.count), right[-1]).seen += 1
                continue
            what = f"unexpected {one.severity}: {one.text}"
            if candidates:
                what = f"'{one.severity}' where the line expects '{candidates[0].severity}': {one.text}"
            found.append(Diagnostic("error", what, one.file or file, one.position))
        for each in self.expected:
            if each.seen != each.count:
                found.append(Diagnostic("error", _mismatch(each), file, (each.comment, 1)))
        for number, text in self.unreadable:
            what = f"'{text}' is not an expectation, such as expected-error@+1 {{{{text}}}}"
            found.append(Diagnostic("error", what, file, (number, 1)))
        return found


def _mismatch(each: Expectation) -> str:
    where = {None: "no line", ANYWHERE: "any line"}.get(each.line, f"line {each.line}")
    if each.count == 1 and not each.seen:
        return f'expected {each.severity} "{each.text}" at {where} was not produced'
    return f'expected {each.severity} "{each.text}" at {where} came {each.seen} times, not {each.count}'


def _pattern(text: str) -> str:
    """Convert `a {{b+}} c` to a regular expression.

    Text outside the braces is literal.
    """
    parts = re.split(r"\{\{(.*?)\}\}", text)
    return "".join(f"(?:{part})" if index % 2 else re.escape(part) for index, part in enumerate(parts))
