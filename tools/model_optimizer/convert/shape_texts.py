"""Common syntax of option texts: bracketed lists, shapes, element types, values."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from xdsl.ir import Attribute

from loomir.dialects.ov.facts import MAX_EXTENT, MAX_RANK, Dim, Shape
from loomir.dialects.ov.layers.attributes import ELEMENTS
from loomir.errors import Error, shown

Number = bool | int | float
FrozenValue = Number | tuple[Number, ...]
"""Value of a frozen input: one number, or a list.

A list gets the shape of the input.
"""

_OPENING, _CLOSING = "([{", ")]}"
_EXTENT = re.compile(r"(\d*)\.\.(\d*)|(\d+)|-1|\?", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d{1,40}", re.ASCII)
_FLOAT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|nan)", re.ASCII | re.IGNORECASE)


def bad(option: str, text: str, what: str, example: str) -> Error:
    """Return the error for an option's text, with a valid example.

    `what` states what is wrong.
    """
    return Error("bad-option", f"--{option} {shown(text)}: {what}", hint=f"for example: --{option} {example}")


def split_outside_brackets(option: str, text: str, example: str) -> list[str]:
    """Split a comma-separated list, but not at commas in brackets.

    White space around the parts is removed. Error: `bad-option`.
    """
    parts, depth, start = list[str](), 0, 0
    for position, character in enumerate(text):
        if character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= 1
        if depth < 0:
            raise bad(option, text, "a bracket is closed that was not opened", example)
        if character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    if depth:
        raise bad(option, text, "a bracket is not closed", example)
    parts.append(text[start:].strip())
    if not all(parts):
        raise bad(option, text, "a part of the list is empty", example)
    return parts


def unbracketed(text: str) -> str | None:
    """Return the text inside one pair of enclosing brackets, or None.

    The brackets are round or square and enclose the whole text.
    """
    if len(text) >= 2 and text[0] + text[-1] in ("[]", "()"):
        return text[1:-1]
    return None


def items(text: str) -> list[str]:
    """Return the parts that commas or spaces separate."""
    return [item for item in re.split(r"[,\s]+", text.strip()) if item]


def shape(option: str, text: str, inner: str, example: str) -> Shape:
    """Parse a shape from the text between its brackets.

    Extents are numbers, `?` or `-1`, ranges `1..10`, `1..`, `..10`; an empty text is a scalar.

    Error: `bad-option`.
    """
    extents = [_extent(option, text, item, example) for item in items(inner)]
    if len(extents) > MAX_RANK:
        raise bad(option, text, f"a shape has at most {MAX_RANK} dimensions", example)
    return tuple(extents)


def _extent(option: str, text: str, item: str, example: str) -> Dim:
    match = _EXTENT.fullmatch(item)
    if match is None:
        raise bad(option, text, f"{shown(item)} is no dimension", example)
    least, most, exact = match.groups()
    digits = max(len(group or "") for group in match.groups())
    # (Python refuses to read numbers of very many digits.)
    low = int(exact or least or 0) if digits < 20 else MAX_EXTENT + 1
    high = int(exact or most) if digits < 20 and (exact or most) else None
    if low > MAX_EXTENT or (high is not None and high > MAX_EXTENT):
        raise bad(option, text, f"the dimension {shown(item)} is beyond 64 bits", example)
    if high is not None and high < low:
        raise bad(option, text, f"the range {shown(item)} is empty", example)
    return Dim(low, high)


def element(option: str, text: str, name: str, example: str) -> Attribute:
    """Return the element type with a name of OpenVINO IR.

    Error: `bad-option`.
    """
    found = ELEMENTS.get(name.strip())
    if found is None:
        raise bad(option, text, f"{shown(name)} is no element type (known: {', '.join(ELEMENTS)})", example)
    return found


def value(option: str, text: str, given: str, example: str) -> FrozenValue:
    """Parse a number, `True` or `False`, or a bracketed list of them.

    Inner brackets have no meaning. Error: `bad-option`.
    """
    given = given.strip()
    if given.startswith("["):
        if not given.endswith("]"):
            raise bad(option, text, "the list of values does not end in ']'", example)
        return numbers(option, text, given.replace("[", " ").replace("]", " "), example)
    return _number(option, text, given, example)


def numbers(option: str, text: str, given: str, example: str) -> tuple[Number, ...]:
    """Numbers that commas or spaces separate. Error: `bad-option`."""
    return tuple(_number(option, text, item, example) for item in items(given))


def _number(option: str, text: str, given: str, example: str) -> Number:
    if given.lower() in ("true", "false"):
        return given.lower() == "true"
    if _INTEGER.fullmatch(given):
        return int(given)
    if _FLOAT.fullmatch(given):
        return float(given)
    raise bad(option, text, f"{shown(given)} is no value", example)


def floats(option: str, text: str, inner: str, example: str) -> tuple[float, ...]:
    """At least one finite number. Error: `bad-option`."""
    found = numbers(option, text, inner, example)
    if not found or any(isinstance(n, bool) or not math.isfinite(n) for n in found):
        raise bad(option, text, "each list needs finite numbers", example)
    return tuple(float(n) for n in found)


def unequal(some: Sequence[object], others: Sequence[object]) -> str:
    """Return the text of two differing counts, for a message.

    They are the counts of two kinds of items that belong together.
    """
    return f"{len(some)} and {len(others)}"
