"""Names that a model may have, mostly unlike those that people choose."""

from __future__ import annotations

import random
from collections.abc import Container

_ODD = (
    "int",
    "for",
    "main",
    "NULL",
    "result",
    "arena",
    "Loop",
    "If",
    "ov.loop",
    "0",
    "3x",
    "-1",
    "_",
    "__x",
    "a/b/c:0",
    "x y",
    "*/",
    "//",
    "/*",
    "%0",
    "@main",
    "#",
    '"',
    "'",
    "\\",
    "\\n",
    "??/",
    "ä",
    "变量",
    "é́",
    "$1",
    "{}",
    "%s",
    "x\ty",
    "true",
    "None",
    "tensor<2xf32>",
    "n" * 300,
)
"""Odd names.

They are keywords, numbers, signs with a meaning in C, in MLIR or in a format string, accents, and a long name.
"""

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def odd_name(random_: random.Random, taken: Container[str]) -> str:
    """Return a name that is not taken.

    It is an odd name now and then, and otherwise consists of letters and digits.
    """
    if random_.random() < 0.15:
        name = random_.choice(_ODD)
        if name not in taken:
            return name
    return plain_name(random_, taken)


def plain_name(random_: random.Random, taken: Container[str]) -> str:
    """An identifier that is not taken."""
    while True:
        name = random_.choice(_LETTERS) + "".join(
            random_.choice(_LETTERS + "0123456789_") for _ in range(random_.randint(1, 7))
        )
        if name not in taken:
            return name


def fresh(prefix: str, taken: set[str]) -> str:
    """Return and take the first free name of `prefix`, `prefix_2`, `prefix_3`, …."""
    name, number = prefix, 1
    while name in taken:
        number += 1
        name = f"{prefix}_{number}"
    taken.add(name)
    return name
