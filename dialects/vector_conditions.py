"""Vector comparisons, selects and casts, which xDSL's `arith` rejects.

MLIR's `arith` supports them: a mask has an i1 per lane.

    %m = arith.cmpf olt, %x, %y : vector<8xf32>
    %z = arith.select %m, %x, %y : vector<8xi1>, vector<8xf32>
    %i = arith.fptosi %z : vector<8xf32> to vector<8xi32>

Importing this module widens xDSL's classes (docs/upstream.md).
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, VectorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation, RangeLengthConstraint, RangeOf
from xdsl.irdl.constraints import EqIntConstraint
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from loomir.dialects.vectors import is_vector, lane_operation, touches_vectors

_BOOLEAN = IntegerType(1)

WIDENED: set[type[Operation]] = set()
"""Operation classes that this module widens to vectors.

Their verifiers inspect only types and properties.
"""


def mask_type(compared: Attribute) -> Attribute:
    """Return the result type of a comparison of values of a type.

    It is i1, or for vectors one i1 per lane.
    """
    if isinstance(compared, VectorType):
        return VectorType(_BOOLEAN, compared.get_shape())
    return _BOOLEAN


def _widen(op_class: type[IRDLOperation], names: tuple[str, ...]) -> None:
    """Allow vectors as these operands and results.

    An operation on vectors verifies if it verifies in each lane.
    """
    definition = op_class.get_irdl_definition()
    for name, declared in (*definition.operands, *definition.results):
        if name in names:
            of_one = declared.constr
            assert isinstance(of_one, RangeLengthConstraint)
            assert isinstance(of_one.constraint, RangeOf)
            scalar = of_one.constraint.constr
            declared.constr = RangeLengthConstraint(
                RangeOf(scalar | VectorType.constr(scalar)), EqIntConstraint(1)
            )
    of_scalars = op_class.verify_

    def verify(self: IRDLOperation) -> None:
        if not touches_vectors(self):
            of_scalars(self)
            return
        definition.verify(self)
        checked = (*self.operands, *self.results)
        if isinstance(self, arith.SelectOp) and not is_vector(self.cond.type):
            checked = checked[1:]
        shapes = {v.type.get_shape() if is_vector(v.type) else () for v in checked}
        if len(shapes) != 1:
            raise VerifyException("vectors have to have the same shape, and so does what is made of them")
        lane = lane_operation(self)
        assert isinstance(lane, IRDLOperation)
        of_scalars(lane)

    op_class.verify_ = verify
    WIDENED.add(op_class)


def _make_comparisons_of_vectors(op_class: type[arith.CmpfOp | arith.CmpiOp], names: list[str]) -> None:
    """Let the constructor, which the parser calls, make a mask of vectors."""
    of_scalars: Callable[..., None] = op_class.__init__

    def init(
        self: IRDLOperation,
        operand1: SSAValue | Operation,
        operand2: SSAValue | Operation,
        arg: int | str,
        *fastmath: arith.FastMathFlagsAttr,
        **named: arith.FastMathFlagsAttr,
    ) -> None:
        first = SSAValue.get(operand1)
        if not is_vector(first.type):
            of_scalars(self, operand1, operand2, arg, *fastmath, **named)
            return
        if isinstance(arg, str) and arg not in names:
            raise VerifyException(f"Unknown comparison mnemonic: {arg}")
        number = names.index(arg) if isinstance(arg, str) else arg
        properties: dict[str, Attribute] = {"predicate": IntegerAttr(number, 64)}
        if op_class is arith.CmpfOp:
            given = (*fastmath, *named.values(), arith.FastMathFlagsAttr("none"))
            properties["fastmath"] = given[0]
        IRDLOperation.__init__(
            self, operands=[operand1, operand2], result_types=[mask_type(first.type)], properties=properties
        )

    op_class.__init__ = init


def _parse_select(cls: type[arith.SelectOp], parser: Parser) -> arith.SelectOp:
    condition = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    first = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    second = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    if len(types) > 2:
        parser.raise_error("expected the type of the values, or that of the mask and that of the values")
    of_condition = types[0] if len(types) == 2 else _BOOLEAN
    operands = parser.resolve_operands(
        [condition, first, second], [of_condition, types[-1], types[-1]], parser.pos
    )
    op = cls(*operands)
    op.attributes |= attributes
    return op


def _print_select(self: arith.SelectOp, printer: Printer) -> None:
    printer.print_string(" ")
    printer.print_list(self.operands, printer.print_operand)
    printer.print_op_attributes(self.attributes)
    printer.print_string(" : ")
    if self.cond.type != _BOOLEAN:
        printer.print_attribute(self.cond.type)
        printer.print_string(", ")
    printer.print_attribute(self.result.type)


_CASTS = (
    arith.IndexCastOp,
    arith.ExtSIOp,
    arith.ExtUIOp,
    arith.TruncIOp,
    arith.SIToFPOp,
    arith.UIToFPOp,
    arith.FPToSIOp,
    arith.FPToUIOp,
)

for _class in _CASTS:
    _widen(_class, ("input", "result"))
for _class, _names in (
    (arith.CmpfOp, arith.CMPF_COMPARISON_OPERATIONS),
    (arith.CmpiOp, arith.CMPI_COMPARISON_OPERATIONS),
):
    _widen(_class, ("result",))
    _make_comparisons_of_vectors(_class, list(_names))
_widen(arith.SelectOp, ("cond",))
for _class in (arith.ExtFOp, arith.TruncFOp):
    # (These take vectors, of any two lengths.)
    _widen(_class, ())
_select: type = arith.SelectOp
_select.parse = classmethod(_parse_select)
_select.print = _print_select
