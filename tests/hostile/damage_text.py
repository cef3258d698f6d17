"""Damage to MLIR and to textual ONNX: tokens that are numbers, types, names or brackets."""

from __future__ import annotations

import random
import re

from tests.hostile import extremes
from tests.hostile.mutations import mutated_bytes

TOKEN = re.compile(r'"[^"\n]*"|[%@#!^]?[A-Za-z_][\w$.]*|%\d+|-?\d+(?:\.\d+)?(?:e[-+]?\d+)?|->|\s+|.', re.S)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
TYPES = (
    "f32", "f16", "bf16", "f64", "i1", "i8", "i16", "i32", "i64", "i7", "i128", "ui8", "ui64", "si8", "index", "none", "complex<f32>",
    "tensor<f32>", "tensor<?xf32>", "tensor<*xf32>", "tensor<0xi64>", "tensor<9223372036854775807xf32>", "vector<4xf32>", "memref<4xf32>",
    "!ovseq.sequence<tensor<?xf32>>", "tensor<2x!ovseq.sequence<tensor<f32>>>", "f8E4M3FN", "i4", "tuple<>", "() -> ()",
    "float", "int64[2]", "bool", "seq(float[N])", "optional(float[1])", "string[3]", "float[]", "complex64[1]", "double[-1]",
)  # fmt: skip
INSERTED = (
    "{",
    "}",
    "(",
    ")",
    "<",
    ">",
    "[",
    "]",
    ",",
    ":",
    "=",
    "%x",
    "@main",
    "?",
    "*",
    "dense<1.0>",
    "unit",
    'loc("x")',
    "-",
    "::",
)


def damaged(text: bytes, rng: random.Random) -> bytes:
    """The text with one to three mistakes."""
    if rng.random() < 0.1:
        return mutated_bytes(text, rng)
    words = text.decode()
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
        words = _damaged_once(words, rng)
    return words.encode()


def _damaged_once(text: str, rng: random.Random) -> str:
    kind = rng.randrange(13)
    lines = text.split("\n")
    if kind == 0 and len(lines) > 1:
        at = rng.randrange(len(lines))
        match rng.randrange(3):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, rng.choice(lines))
            case _:
                other = rng.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
        return "\n".join(lines)
    if kind == 1 and rng.random() < 0.3:
        at = rng.randrange(len(text) + 1)
        opened, closed = rng.choice(
            (("(", ")"), ("[", "]"), ("{", "}"), ("tensor<", ">"), ("optional(", ")"), ("[[", "]]"))
        )
        depth = rng.choice((10, 500, 5000, 100_000))
        return text[:at] + opened * depth + closed * rng.choice((0, depth)) + text[at:]
    tokens = TOKEN.findall(text)
    places = [i for i, t in enumerate(tokens) if not t.isspace()]
    if not places:
        return text
    numbers = [i for i in places if NUMBER.fullmatch(tokens[i])]
    names = [i for i in places if re.fullmatch(r'"[^"\n]*"|[%@#!^]?[A-Za-z_][\w$.]*|%\d+', tokens[i])]
    at = rng.choice(places)
    if kind <= 4 and numbers:
        at = rng.choice(numbers)
        tokens[at] = (
            str(extremes.integer(rng, wide=True))
            if rng.random() < 0.85
            else repr(rng.choice(extremes.FLOATS))
        )
    elif kind == 5 and names:
        tokens[rng.choice(names)] = rng.choice(TYPES)
    elif kind <= 7 and names:
        tokens[rng.choice(names)] = tokens[rng.choice(names)]
    elif kind == 8:
        del tokens[at]
    elif kind == 9:
        tokens.insert(at, rng.choice(INSERTED))
    elif kind == 10:
        other = rng.choice(places)
        tokens[at], tokens[other] = tokens[other], tokens[at]
    elif kind == 11 and numbers:
        # All numbers that are written alike: operations of one another meet what none of them alone would.
        old = tokens[rng.choice(numbers)]
        new = repr(rng.choice(extremes.FLOATS)) if "." in old or "e" in old else str(extremes.integer(rng))
        tokens = [new if token == old else token for token in tokens]
    else:
        end = min(len(tokens), at + rng.randrange(1, 12))
        if rng.random() < 0.5:
            del tokens[at:end]
        else:
            tokens[at:at] = tokens[at:end]
    return "".join(tokens)
