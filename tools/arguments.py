"""The forms that several commands' options share."""

from __future__ import annotations

from collections.abc import Iterable

from loomir.errors import Error


def parse_shapes(items: Iterable[str]) -> dict[str, list[int]]:
    """`["input=1,576"]` → `{"input": [1, 576]}`; an empty right side is rank 0. Error: `bad-option`."""
    shapes: dict[str, list[int]] = {}
    for item in items:
        name, equals, extents = item.rpartition("=")
        try:
            if not equals or not name:
                raise ValueError
            shapes[name] = [int(e) for e in extents.split(",")] if extents else []
            if any(e < 0 for e in shapes[name]):
                raise ValueError
        except ValueError as error:
            raise Error(
                "bad-option", f"'{item}' is not INPUT=N,N,…", hint="for example --shape input=1,576"
            ) from error
    return shapes


def parse_max_shapes(items: Iterable[str]) -> dict[str, list[int | None]]:
    """`["input=8,?"]` → `{"input": [8, None]}`: a question mark for no bound. Error: `bad-option`."""
    shapes: dict[str, list[int | None]] = {}
    for item in items:
        name, equals, extents = item.rpartition("=")
        try:
            if not equals or not name:
                raise ValueError
            shapes[name] = [None if e.strip() == "?" else int(e) for e in extents.split(",")]
            if any(e is not None and e < 0 for e in shapes[name]):
                raise ValueError
        except ValueError as error:
            raise Error(
                "bad-option", f"'{item}' is not INPUT=N,?,…", hint="for example --max-shape input=8,576"
            ) from error
    return shapes


def parse_values(items: Iterable[str]) -> dict[str, list[float] | float]:
    """`["sr=16000", "axes=1,2"]` → numbers or lists of numbers. Error: `bad-option`."""
    values: dict[str, list[float] | float] = {}

    def number(text: str) -> float:
        if text.strip().lower() in ("true", "false"):
            return text.strip().lower() == "true"
        try:
            return int(text, 0)
        except ValueError:
            return float(text)

    for item in items:
        name, equals, text = item.rpartition("=")
        try:
            if not equals or not name:
                raise ValueError
            values[name] = [number(t) for t in text.split(",")] if "," in text else number(text)
        except ValueError as error:
            raise Error(
                "bad-option", f"'{item}' is not INPUT=VALUE", hint="for example --value sr=16000"
            ) from error
    return values
