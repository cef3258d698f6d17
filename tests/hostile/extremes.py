"""The values that break programs: numbers at the edges of types, and words out of place."""

from __future__ import annotations

import random

INTEGERS = (
    0, 1, -1, 2, -2, 3, 7, 63, 64, 65, 127, 128, 255, 256, 1000, 65_536, 1_000_000, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**32,
    2**40, 2**53 + 1, 2**62, -(2**62), 2**63 - 2, 2**63 - 1, -(2**63) + 1, -(2**63),
)  # fmt: skip
"""Values of `int64`, with the ends of its range and their neighbours."""

BEYOND = (2**63, -(2**63) - 1, 2**64, 10**30, 10**400, -(10**400))
"""Integers outside the range of `int64`."""

FLOATS = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1e-30,
    1e30,
    3.4e38,
    1e300,
    -1e300,
    float("nan"),
    float("inf"),
    -float("inf"),
)

WORDS = (
    "", " ", "x", "Add", "Loop", "If", "Const", "Parameter", "Result", "f32", "f16", "i64", "u1", "nf4", "boolean", "dynamic", "string",
    "1,2,3", "...", "?", "é\t", "nan", "0x1", "1e9", "true", "false", "numpy", "none", "pdpd", "same_upper", "same_lower", "valid",
    "explicit", "floor", "ceil", "linear", "nearest", "cubic", "max", "sum", "mean", "constant", "reflect", "symmetric", "edge",
    "asymmetric", "half_pixel", "align_corners", "sizes", "scales", "NOTSET", "SAME_UPPER", "VALID", "tanh", "sigmoid", "relu",
)  # fmt: skip
"""Names of operators, of element types and of modes; a mode where another one belongs is read, and refused."""

ELEMENTS = (
    "boolean", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64", "u1", "u2", "u3", "u4", "u6", "i4",
    "f4e2m1", "f8e4m3", "f8e5m2", "f8e8m0", "nf4", "string", "dynamic", "undefined",
)  # fmt: skip
"""Element types as an IR names them."""


def integer(rng: random.Random, *, wide: bool = False) -> int:
    """A small number, one at an edge, or (`wide`) one that is beyond 64 bits."""
    if wide and rng.random() < 0.15:
        return rng.choice(BEYOND)
    return rng.choice(INTEGERS) if rng.random() < 0.8 else rng.randrange(-4, 12)


def extents(rng: random.Random, old: list[int]) -> list[int]:
    """Another shape: an extent that is extreme, one more, one less, none, more dimensions than numpy has."""
    new = list(old)
    kind = rng.randrange(8)
    if kind <= 3 and new:
        new[rng.randrange(len(new))] = rng.choice(
            (0, 1, 2, 5, -1, 1000, 2**31, 2**40, 2**62, 2**63 - 1, integer(rng))
        )
    elif kind == 4:
        new.insert(rng.randrange(len(new) + 1), rng.choice((0, 1, 2, 3, -1, 2**63 - 1)))
    elif kind == 5 and new:
        del new[rng.randrange(len(new))]
    elif kind == 6:
        new = [rng.choice((0, 1, 1, 1, 2))] * rng.choice((0, 5, 6, 32, 33, 63, 64, 65, 66, 100, 1_000_000))
    else:
        new += [1] * rng.randrange(70)
    return new


def depth(rng: random.Random) -> int:
    """How deep something is nested."""
    return rng.choice((1, 2, 3, 10, 30, 63, 64, 65, 100, 2000))


def text(rng: random.Random, old: str) -> str:
    """Another text in place of one: of its own kind (number, list of numbers, word) more often than not."""
    parts = [p.strip() for p in old.split(",")]
    if rng.random() < 0.15:
        return rng.choice(WORDS)
    if not old.strip() or not all(_is_number(p) for p in parts):
        return rng.choice((*WORDS, old.upper(), old + "x", str(integer(rng, wide=True))))
    numbers = list(parts)
    at = rng.randrange(len(numbers))
    kind = rng.randrange(6)
    if kind <= 2:
        numbers[at] = str(integer(rng, wide=True))
    elif kind == 3:
        numbers[at] = repr(rng.choice(FLOATS))
    elif kind == 4:
        numbers.insert(at, str(integer(rng)))
    else:
        del numbers[at]
    return ",".join(numbers)


def _is_number(part: str) -> bool:
    try:
        float(part)
    except ValueError:
        return False
    return True


def bytes_of_integers(rng: random.Random, width: int, count: int) -> bytes:
    """Integers of `width` bytes, most of them at the ends of what 64 bits hold."""
    return b"".join((integer(rng) % (1 << (8 * width))).to_bytes(width, "little") for _ in range(count))
