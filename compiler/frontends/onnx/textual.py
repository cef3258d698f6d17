"""Textual ONNX with a nesting limit.

ONNX's parser recurses for each bracket without a limit, and crashes the process when its stack overflows.
"""

from __future__ import annotations

import re
from itertools import accumulate

import onnx
import onnx.parser
from google.protobuf.message import DecodeError

from loomir.compiler.frontends.onnx.options import ImportOptions
from loomir.errors import Error

BRACKETS_OF_A_SUBGRAPH = 4
"""Maximum number of brackets that one level of subgraphs opens.

They are those of the attributes, of the graph's nodes, and of types or lists in them.
"""

# Strings (the last one may have no end) and comments hide brackets; the `>` of an arrow is none.
_TOKENS = re.compile(r'"(?:\\.|[^"\\])*+"?|#[^\n]*|=>|(?P<open>[(\[{<])|(?P<close>[)\]}>])', re.DOTALL)
_POSITION = re.compile(r"\[ParseError at position \(line: (\d+) column: (\d+)\)\]")


def parse_text(data: bytes, options: ImportOptions) -> onnx.ModelProto:
    """Parse a model from text.

    Errors: `invalid-onnx`, with the line if it is known; `model-too-deep`.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Error("invalid-onnx", f"not textual ONNX: line {line} is not UTF-8") from error
    _check_nesting(text, BRACKETS_OF_A_SUBGRAPH * options.max_nesting)
    try:
        return onnx.parser.parse_model(text)
    except onnx.parser.ParseError as error:
        raise Error("invalid-onnx", f"not textual ONNX: {_reason(error)}") from error
    except (IndexError, ValueError, RuntimeError) as error:
        # What the parser lets through of the functions by which it reads numbers.
        raise Error("invalid-onnx", f"not textual ONNX: a number that cannot be read ({error})") from error
    except DecodeError as error:
        raise Error(
            "invalid-onnx",
            f"not textual ONNX: it makes no model ({error})",
            hint=f"subgraphs can be nested up to {options.max_nesting} deep",
        ) from error


def _check_nesting(text: str, limit: int) -> None:
    """Raise `Error("model-too-deep")` if more than `limit` brackets are open.

    It makes one pass over the text.
    """
    tokens = [m for m in _TOKENS.finditer(text) if m.lastgroup]
    depths = accumulate(
        (1 if m.lastgroup == "open" else -1 for m in tokens), lambda d, step: max(d + step, 0)
    )
    for token, depth in zip(tokens, depths):
        if depth > limit:
            line = text.count("\n", 0, token.start()) + 1
            raise Error("model-too-deep", f"brackets are nested deeper than {limit} in line {line}")


def _reason(error: onnx.parser.ParseError) -> str:
    """Return the parser's message with its position in front.

    The source line itself, which may be long, is left out.
    """
    given = error.args[0] if error.args else b""
    text = given.decode(errors="replace") if isinstance(given, bytes) else str(given)
    place = _POSITION.match(text)
    lines = [line for line in text.splitlines() if not line.startswith(("[ParseError", "Error context:"))]
    what = " ".join(" ".join(lines).split())
    return f"line {place[1]}, column {place[2]}: {what}" if place else what
