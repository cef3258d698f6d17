"""Numbers of `dense<…>` and `array<…>` as MLIR reads them.

For a float, `0x7FC00000` denotes the bits; xDSL takes it for the number.
"""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import AnyFloat, ComplexType, DenseArrayBase
from xdsl.parser import AttrParser
from xdsl.utils.lexer import Span


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
