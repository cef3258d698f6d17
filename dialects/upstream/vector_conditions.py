"""Vector comparisons, selects and casts, which xDSL's `arith` rejects.

MLIR's `arith` supports them: a mask has an i1 per lane.

    %m = arith.cmpf olt, %x, %y : vector<8xf32>
    %z = arith.select %m, %x, %y : vector<8xi1>, vector<8xf32>
    %i = arith.fptosi %z : vector<8xf32> to vector<8xi32>

The operations are xDSL's own, made without its constructors, which know no masks. `verify_lanes` takes the place of their
verifiers (`compiler/stages/operations.py`); `compiler/formats/mlir/syntax.py` parses them. Only a select by a mask prints
otherwise, and is a class of its own. This module goes when xDSL takes vectors (docs/upstream.md).
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, VectorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from loomir.dialects.vectors import MaskedSelectOp, is_vector, lane_operation, touches_vectors

_BOOLEAN = IntegerType(1)


CASTS: tuple[type[Operation], ...] = (
    arith.IndexCastOp,
    arith.ExtSIOp,
    arith.ExtUIOp,
    arith.TruncIOp,
    arith.SIToFPOp,
    arith.UIToFPOp,
    arith.FPToSIOp,
    arith.FPToUIOp,
)
"""Casts that xDSL knows of scalars only."""

ON_LANES: frozenset[type[Operation]] = frozenset(
    # xDSL lets the last two have vectors of any two lengths.
    {arith.CmpfOp, arith.CmpiOp, arith.SelectOp, MaskedSelectOp, *CASTS, arith.ExtFOp, arith.TruncFOp}
)
"""Operations whose rules for vectors are those of each lane."""


def mask_type(compared: Attribute) -> Attribute:
    """Return the result type of a comparison of values of a type.

    It is i1, or for vectors one i1 per lane.
    """
    if isinstance(compared, VectorType):
        return VectorType(_BOOLEAN, compared.get_shape())
    return _BOOLEAN


def compare_floats(a: SSAValue, b: SSAValue, relation: str) -> arith.CmpfOp:
    """Return a comparison of floats or of vectors of floats."""
    number = list(arith.CMPF_COMPARISON_OPERATIONS).index(relation)
    properties = {"predicate": IntegerAttr(number, 64), "fastmath": arith.FastMathFlagsAttr("none")}
    return arith.CmpfOp.create(operands=[a, b], result_types=[mask_type(a.type)], properties=properties)


def select(condition: SSAValue, a: SSAValue, b: SSAValue) -> arith.SelectOp:
    """Return a select by a condition or by a mask."""
    kind = MaskedSelectOp if is_vector(condition.type) else arith.SelectOp
    return kind.create(operands=[condition, a, b], result_types=[a.type])


def is_on_lanes(op: Operation) -> bool:
    """Return True if `verify_lanes` verifies an operation instead of its own verifier."""
    return type(op) in ON_LANES and touches_vectors(op)


def verify_lanes(op: Operation) -> None:
    """Verify an operation on vectors by one of its lanes.

    The vectors have the same shape.

    Raises `VerifyException`.
    """
    checked = (*op.operands, *op.results)
    if isinstance(op, arith.SelectOp):
        if is_vector(op.cond.type) != isinstance(op, MaskedSelectOp):
            raise VerifyException("a select by a mask must be a `MaskedSelectOp`")
        if not is_vector(op.cond.type):
            checked = checked[1:]
    shapes = {v.type.get_shape() if is_vector(v.type) else () for v in checked}
    if len(shapes) != 1:
        raise VerifyException("operands and results must have the same shape")
    lane = lane_operation(op)
    lane.verify_()
