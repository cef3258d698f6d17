"""Custom assembly formats that xDSL does not parse.

It has none for some operations, and none of vectors for comparisons and selects. The formats are those that `mlir-opt` prints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation
from xdsl.parser import Parser, UnresolvedOperand

from loomir.dialects.vector_conditions import CASTS, mask_type, select


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


class ComparisonFormat(Format):
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


class SelectFormat(Format):
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


FORMATS: Mapping[type[Operation], Format] = {
    memref.CastOp: Format(memref.CastOp, 1),
    memref.CopyOp: Format(memref.CopyOp, 2),
    arith.CmpfOp: ComparisonFormat(arith.CmpfOp, arith.CMPF_COMPARISON_OPERATIONS),
    arith.CmpiOp: ComparisonFormat(arith.CmpiOp, arith.CMPI_COMPARISON_OPERATIONS),
    arith.SelectOp: SelectFormat(),
    **{cast: Format(cast, 1) for cast in CASTS},
}
"""By what xDSL has for the operation's name."""
