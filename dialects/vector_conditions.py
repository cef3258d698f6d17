"""`arith.cmpi`, `arith.cmpf` and `arith.select` of vectors, as MLIR has them: xDSL's take numbers only.

    %m = arith.cmpf olt, %a, %b : vector<8xf32>                       gives vector<8xi1>
    %r = arith.select %m, %a, %b : vector<8xi1>, vector<8xf32>        lane by lane; the mask may also be one i1

Importing this module widens them (docs/upstream.md): the result of a comparison is `i1` or a vector of as many, and so is a choice's
condition. Source: MLIR's `arith` dialect, ops `cmpi`, `cmpf`, `select`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import VectorType, i1
from xdsl.ir import Attribute, Operation
from xdsl.irdl import EqAttrConstraint, OperandDef, ResultDef, base
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from loomir.dialects.tensors import set_type

_MASK = EqAttrConstraint(i1) | base(VectorType)


def mask_type(operand: Attribute) -> Attribute:
    """The type of a comparison of two operands of a type."""
    return VectorType(i1, operand.get_shape()) if isinstance(operand, VectorType) else i1


def _widen_comparison(op_class: type[Operation]) -> None:
    definition: Any = op_class.get_irdl_definition()  # pyright: ignore[reportAttributeAccessIssue]
    definition.results[:] = [("result", ResultDef(_MASK))]
    init: Callable[..., None] = op_class.__init__

    def widened(self: Any, *arguments: Any, **named: Any) -> None:
        init(self, *arguments, **named)
        set_type(self.results[0], mask_type(self.operands[0].type))

    def verify(self: Any) -> None:
        if self.results[0].type != mask_type(self.operands[0].type):
            raise VerifyException(f"a comparison of {self.operands[0].type} gives no {self.results[0].type}")

    setattr(op_class, "__init__", widened)  # noqa: B010
    setattr(op_class, "verify_", verify)  # noqa: B010


def _verify_select(self: arith.SelectOp) -> None:
    condition, result = self.cond.type, self.result.type
    if condition != i1 and condition != mask_type(result):
        raise VerifyException(f"a condition of type {condition} does not choose between {result}")


def _parse_select(parser: Parser) -> arith.SelectOp:
    names = [parser.parse_unresolved_operand()]
    for _ in range(2):
        parser.parse_punctuation(",")
        names.append(parser.parse_unresolved_operand())
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    condition: Attribute = i1
    type_ = parser.parse_type()
    if parser.parse_optional_punctuation(",") is not None:
        condition, type_ = type_, parser.parse_type()
    operands = parser.resolve_operands(names, [condition, type_, type_], parser.pos)
    return arith.SelectOp.create(operands=operands, result_types=[type_], attributes=attributes)


def _print_select(self: arith.SelectOp, printer: Printer) -> None:
    printer.print_string(" ")
    printer.print_list(self.operands, printer.print_operand)
    printer.print_op_attributes(self.attributes)
    printer.print_string(" : ")
    if isinstance(self.cond.type, VectorType):
        printer.print_attribute(self.cond.type)
        printer.print_string(", ")
    printer.print_attribute(self.result.type)


def _widen() -> None:
    _widen_comparison(arith.CmpiOp)
    _widen_comparison(arith.CmpfOp)
    definition: Any = arith.SelectOp.get_irdl_definition()
    definition.operands[0] = ("cond", OperandDef(_MASK))
    for method, function in (("verify_", _verify_select), ("print", _print_select)):
        setattr(arith.SelectOp, method, function)
    arith.SelectOp.parse = _parse_select  # pyright: ignore[reportAttributeAccessIssue]


_widen()
