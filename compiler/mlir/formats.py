"""Custom assembly formats for operations that xDSL reads only in generic form.

The formats are those that `mlir-opt` prints.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import memref
from xdsl.ir import Operation
from xdsl.parser import Parser


class Format:
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


FORMATS: Mapping[type[Operation], Format] = {
    memref.CastOp: Format(memref.CastOp, 1),
    memref.CopyOp: Format(memref.CopyOp, 2),
}
"""By what xDSL has for the operation's name."""
