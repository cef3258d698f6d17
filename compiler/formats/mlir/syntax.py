"""Tokens, literals and custom assembly formats of MLIR, beyond xDSL's.

The lexer is xDSL's with one regular expression for the most frequent tokens.

Numbers of `dense<…>` and `array<…>` are read as MLIR reads them. For a float, `0x7FC00000` denotes the bits; xDSL takes it for the
number.

Custom assembly formats are those that xDSL does not parse: it has none for some operations, and none of vectors for comparisons
and selects. The formats are those that `mlir-opt` prints.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import AnyFloat, ComplexType, DenseArrayBase, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation
from xdsl.parser import AttrParser, Parser, UnresolvedOperand
from xdsl.utils.lexer import Span, Token
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRToken, MLIRTokenKind, StringLiteral

from loomir.dialects.upstream.vector_conditions import CASTS, mask_type, select

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


class _Element(AttrParser._TensorLiteralElement):
    """An element whose type is known only behind it."""

    def to_type(self, parser: AttrParser, type: Any) -> Any:
        if isinstance(type, AnyFloat) and not isinstance(self.value, tuple):
            return _float(parser, self.span.text, self.value, type)
        return super().to_type(parser, type)

    def to_complex(self, parser: AttrParser, type: ComplexType) -> Any:
        if not isinstance(self.value, tuple):
            parser.raise_error("expected a complex number: (real, imaginary)", at_position=self.span)
        if not isinstance(type.element_type, AnyFloat):
            return super().to_complex(parser, type)
        texts = self.span.text.strip("()").split(",")
        return tuple(
            _float(parser, text.strip(), number, type.element_type)
            for text, number in zip(texts, self.value, strict=True)
        )


def _float(parser: AttrParser, text: str, number: float, type_: AnyFloat) -> float:
    if not text.startswith("0x"):
        return float(number)
    size = type_.compile_time_size
    if int(number) >= 1 << 8 * size:
        parser.raise_error(f"{text} has more bits than a {type_}")
    return type_.unpack(int(number).to_bytes(size, "little"), 1)[0]


class LiteralParser(AttrParser):
    """The part of the parser that reads such numbers."""

    _TensorLiteralElement = _Element

    def _parse_builtin_densearray_attr(self) -> DenseArrayBase | None:
        """`array<f32: 1.0, 0x7F800000>`: xDSL prints infinities so and does not read them."""
        start = self.pos
        self.parse_characters("<", " in dense array")
        type_ = self.parse_attribute()
        if not isinstance(type_, AnyFloat) or self.parse_optional_punctuation(":") is None:
            self._resume_from(start)
            return super()._parse_builtin_densearray_attr()
        numbers = self.parse_comma_separated_list(self.Delimiter.NONE, lambda: self._parse_float_of(type_))
        self.parse_characters(">", " in dense array")
        return DenseArrayBase.from_list(type_, numbers)

    def _parse_float_of(self, type_: AnyFloat) -> float:
        number, span = self._parse_bool_int_or_float()
        if isinstance(number, bool):
            self.raise_error(f"expected a number of type {type_}", at_position=span)
        return _float(self, span.text, number, type_)

    def _parse_optional_complex(self) -> Any:
        """Parse an optional complex literal such as `(1.0, 0x7FC00000)`.

        xDSL expects both parts in the same notation, but a NaN next to a number uses another one.
        """
        start = self.pos
        if self.parse_optional_punctuation("(") is None:
            return None
        real, _ = self._parse_bool_int_or_float()
        self.parse_punctuation(",")
        imaginary, _ = self._parse_bool_int_or_float()
        end = self._current_token.span.end
        self.parse_punctuation(")")
        return (real, imaginary), Span(start, end, self.lexer.input)


class AssemblyFormat:
    """`memref.copy %a, %b : A to B`, or with a result `%b = memref.cast %a : A to B`."""

    def __init__(self, operation: type[Operation], operands: int) -> None:
        self.operation = operation
        self._operands = operands

    def dialect_name(self) -> str:
        return self.operation.dialect_name()

    def parse(self, parser: Parser) -> Operation:
        """The operation, behind its name."""
        names = [parser.parse_unresolved_operand()]
        for _ in range(self._operands - 1):
            parser.parse_punctuation(",")
            names.append(parser.parse_unresolved_operand())
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = [parser.parse_type()]
        parser.parse_keyword("to")
        types.append(parser.parse_type())
        operands = parser.resolve_operands(names, types[: self._operands], parser.pos)
        return self.operation.create(
            operands=operands, result_types=types[self._operands :], attributes=attributes
        )


class ComparisonFormat(AssemblyFormat):
    """`arith.cmpf olt, %a, %b fastmath<nnan> : vector<8xf32>`, or of scalars."""

    def __init__(self, operation: type[arith.CmpfOp | arith.CmpiOp], relations: Sequence[str]) -> None:
        super().__init__(operation, 2)
        self._relations = list(relations)

    def parse(self, parser: Parser) -> Operation:
        relation = parser.parse_identifier()
        if relation not in self._relations:
            parser.raise_error(f"unknown comparison mnemonic: {relation}")
        properties: dict[str, Attribute] = {"predicate": IntegerAttr(self._relations.index(relation), 64)}
        names: list[UnresolvedOperand] = []
        for _ in range(2):
            parser.parse_punctuation(",")
            names.append(parser.parse_unresolved_operand())
        if self.operation is arith.CmpfOp:
            given = parser.parse_optional_keyword("fastmath")
            properties["fastmath"] = arith.FastMathFlagsAttr(
                arith.FastMathFlagsAttr.parse_parameter(parser) if given else "none"
            )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        compared = parser.parse_type()
        operands = parser.resolve_operands(names, [compared, compared], parser.pos)
        return self.operation.create(
            operands=operands,
            result_types=[mask_type(compared)],
            properties=properties,
            attributes=attributes,
        )


class SelectFormat(AssemblyFormat):
    """`arith.select %m, %a, %b : vector<8xi1>, vector<8xf32>`, or with the values' type alone for an i1."""

    def __init__(self) -> None:
        super().__init__(arith.SelectOp, 3)

    def parse(self, parser: Parser) -> Operation:
        names = [parser.parse_unresolved_operand()]
        for _ in range(2):
            parser.parse_punctuation(",")
            names.append(parser.parse_unresolved_operand())
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        if len(types) > 2:
            parser.raise_error("expected the type of the values, or that of the mask and that of the values")
        of_condition = types[0] if len(types) == 2 else IntegerType(1)
        op = select(*parser.resolve_operands(names, [of_condition, types[-1], types[-1]], parser.pos))
        op.attributes |= attributes
        return op


FORMATS: Mapping[type[Operation], AssemblyFormat] = {
    memref.CastOp: AssemblyFormat(memref.CastOp, 1),
    memref.CopyOp: AssemblyFormat(memref.CopyOp, 2),
    arith.CmpfOp: ComparisonFormat(arith.CmpfOp, arith.CMPF_COMPARISON_OPERATIONS),
    arith.CmpiOp: ComparisonFormat(arith.CmpiOp, arith.CMPI_COMPARISON_OPERATIONS),
    arith.SelectOp: SelectFormat(),
    **{cast: AssemblyFormat(cast, 1) for cast in CASTS},
}
"""By what xDSL has for the operation's name."""
