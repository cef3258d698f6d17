"""The lexer gives the tokens that xDSL's gives, for every text that the repository holds and for what no text holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from loomir.compiler.formats.mlir.parser import make_context, parse
from loomir.compiler.formats.mlir.syntax import Lexer

TEXTS = sorted((Path(__file__).parents[4] / "lit").rglob("*.mlir"))
ODD = [
    "",
    " " * 200,
    " " * 200 + '"text"',
    "// no line end",
    '//\n//\r\n\t\f\v%0#1 -> -1 :: : ... {-# #-} { } ^bb0 @a @"b c" !t #u 1.5e3 0x1F |+/*',
    '"\\41\\n\\"\\\\" "é" "\\FF"',
    "é_word %é",
    "%",
    "..",
    "\x00",
    "a.b$c_d %a.b-c$ %-x %12ab",
]


def tokens(lexer: MLIRLexer) -> list[object]:
    """Kinds and places; at the end the error, where there is one."""
    found: list[object] = []
    try:
        while not found or found[-1][0] != MLIRTokenKind.EOF:  # pyright: ignore[reportIndexIssue]
            token = lexer.lex()
            found.append((token.kind, token.span.start, token.span.end))
    except ParseError as error:
        found.append((error.msg, error.span.start, error.span.end))
    return found


@pytest.mark.parametrize("text", ODD)
def test_odd_texts(text: str) -> None:
    assert tokens(Lexer(Input(text, "t"))) == tokens(MLIRLexer(Input(text, "t")))


def test_texts_of_the_repository() -> None:
    assert len(TEXTS) > 100
    for path in TEXTS:
        text = path.read_text(encoding="utf-8")
        assert tokens(Lexer(Input(text, "t"))) == tokens(MLIRLexer(Input(text, "t"))), path


@pytest.mark.parametrize(
    "text", ['"' + "a" * 1000, '"' + "\\41" * 1000 + "\\", " " * 100_000 + "\x00"], ids=repr
)
def test_what_does_not_end_is_an_error_at_once(text: str) -> None:
    """(xDSL's own takes minutes for 30 characters of a string that is not closed.)"""
    with pytest.raises(ParseError):
        list(iter(Lexer(Input(text, "t")).lex, None))


def test_text_stays_text() -> None:
    """xDSL prints `é` as the bytes of its UTF-8, and reads them as bytes; names of a model were lost so."""
    text = 'func.func @main(%x: tensor<2xf32> {loomir.name = "été"}) -> tensor<2xf32> { func.return %x : tensor<2xf32> }'
    module = parse(make_context(), text)
    assert parse(make_context(), str(module)).is_structurally_equivalent(module)
    assert '"\\C3\\A9t\\C3\\A9"' in str(module)
    kinds = [kind for kind, *_ in tokens(Lexer(Input('"\\C3\\A9" "\\C3"', "t")))]  # pyright: ignore[reportGeneralTypeIssues]
    assert kinds[:2] == [MLIRTokenKind.STRING_LIT, MLIRTokenKind.BYTES_LIT]
