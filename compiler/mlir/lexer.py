"""xDSL's MLIR lexer with one regular expression for the most frequent tokens."""

from __future__ import annotations

import re

from xdsl.utils.lexer import Span, Token
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRToken, MLIRTokenKind, StringLiteral

# Possessive: what is no frequent token is given up at once.
_SPACE = r"(?:[ \t\n\r\f\v]++|//[^\n]*+)*+"
_FREQUENT = re.compile(
    _SPACE + r"(?:(?P<value>%(?:[0-9]+|[a-zA-Z$._-][a-zA-Z0-9$._-]*))"
    r"|(?P<word>[a-zA-Z_][a-zA-Z0-9_$.]*)"
    r"|(?P<mark>->|[:,()}\[\]<>=?*]))"
)
_KINDS = {"value": MLIRTokenKind.PERCENT_IDENT, "word": MLIRTokenKind.BARE_IDENT}
_MARKS = {mark: MLIRTokenKind(mark) for mark in ("->", *":,()}[]<>=?*")}


class Lexer(MLIRLexer):
    """The tokens of xDSL's, in half the time."""

    # xDSL's tries every way to part the characters of a string that does not end: 30 of them take for ever (docs/upstream.md).
    _unescaped_characters_regex = re.compile(r'"[^"\\\n\v\f]*(?:\\(?:["nt\\]|[0-9A-Fa-f]{2})[^"\\\n\v\f]*)*"')

    def lex(self) -> MLIRToken:
        """The next token. Raises xDSL's `ParseError`."""
        found = _FREQUENT.match(self.input.content, self.pos)
        if found is None:
            return super().lex()
        group = found.lastgroup
        assert group is not None
        self.pos = found.end()
        kind = _MARKS[found[group]] if group == "mark" else _KINDS[group]
        return Token(kind, Span(found.start(group), self.pos, self.input))

    def _lex_string_literal(self, start_pos: int) -> MLIRToken:
        """Lex a string literal; valid UTF-8 is text.

        In an escaped literal, as its own printer writes it, xDSL recognises only ASCII as text. Otherwise as xDSL's.
        """
        token = super()._lex_string_literal(start_pos)
        if token.kind is not MLIRTokenKind.BYTES_LIT:
            return token
        assert isinstance(token.span, StringLiteral)
        try:
            token.span.bytes_contents.decode()
        except UnicodeDecodeError:
            return token
        return Token(MLIRTokenKind.STRING_LIT, token.span)
