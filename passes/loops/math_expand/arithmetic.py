"""Operations inserted in front of the call that they replace.

They are on scalars or vectors, as the call is.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import VectorType, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.making import binary
from loomir.dialects.scalars.constants import number_attr
from loomir.dialects.vector_conditions import compare_floats, select


class Constants:
    """Constants at the top of a function.

    Each constant is created once, and once for each vector type.
    """

    def __init__(self, function: FuncOp) -> None:
        self._block = function.body.block
        self._made: dict[tuple[str, Attribute], SSAValue] = {}

    def of(self, number: float, type_: Attribute) -> SSAValue:
        """Return a number as a scalar or in all vector lanes."""
        # (By its text: of numbers -0 would be 0, and NaN not itself.)
        key = repr(number), type_
        if key not in self._made:
            if isinstance(type_, VectorType):
                scalar = self.of(number, type_.element_type)
                broadcast = vector.BroadcastOp(scalar, type_)
                assert isinstance(scalar.owner, Operation)
                broadcast.location = scalar.owner.location
                self._block.insert_op_after(broadcast, scalar.owner)
                self._made[key] = broadcast.results[0]
            else:
                first = self._block.first_op
                assert first is not None
                constant = arith.ConstantOp(number_attr(number, type_))
                constant.location = first.location
                self._block.insert_op_before(constant, first)
                self._made[key] = constant.result
        return self._made[key]


class Arithmetic:
    """Emitter of operations of a call's type, in front of the call.

    Numbers among the operands become constants.
    """

    def __init__(self, call: Operation, constants: Constants) -> None:
        self._call, self._constants = call, constants
        self._floats = call.results[0].type
        self._integers = (
            VectorType(i32, self._floats.get_shape()) if isinstance(self._floats, VectorType) else i32
        )

    def _insert(self, op: Operation) -> SSAValue:
        op.location = self._call.location
        Rewriter.insert_op(op, InsertPoint.before(self._call))
        return op.results[0]

    def _float(self, x: SSAValue | float) -> SSAValue:
        return x if isinstance(x, SSAValue) else self._constants.of(x, self._floats)

    def _integer(self, x: SSAValue | int) -> SSAValue:
        return x if isinstance(x, SSAValue) else self._constants.of(x, self._integers)

    # ----- floats

    def add(self, a: SSAValue | float, b: SSAValue | float) -> SSAValue:
        return self._insert(binary(arith.AddfOp, self._float(a), self._float(b)))

    def subtract(self, a: SSAValue | float, b: SSAValue | float) -> SSAValue:
        return self._insert(binary(arith.SubfOp, self._float(a), self._float(b)))

    def multiply(self, a: SSAValue | float, b: SSAValue | float) -> SSAValue:
        return self._insert(binary(arith.MulfOp, self._float(a), self._float(b)))

    def divide(self, a: SSAValue | float, b: SSAValue | float) -> SSAValue:
        return self._insert(binary(arith.DivfOp, self._float(a), self._float(b)))

    def multiply_add(self, a: SSAValue | float, b: SSAValue | float, c: SSAValue | float) -> SSAValue:
        """a · b + c, which `math-form-fma` makes one operation of."""
        return self.add(self.multiply(a, b), c)

    def magnitude(self, x: SSAValue) -> SSAValue:
        return self._insert(math.AbsFOp(x))

    def with_sign(self, x: SSAValue, of: SSAValue) -> SSAValue:
        return self._insert(math.CopySignOp(x, of))

    def polynomial(self, coefficients: Sequence[float], x: SSAValue) -> SSAValue:
        """By Horner's rule; the coefficients of 1, x, x² …"""
        value = self._float(coefficients[-1])
        for coefficient in coefficients[-2::-1]:
            value = self.multiply_add(value, x, coefficient)
        return value

    # ----- choices

    def select(
        self, x: SSAValue, relation: str, bound: float, then: SSAValue | float, otherwise: SSAValue | float
    ) -> SSAValue:
        """`then` where the comparison of `x` with a number holds."""
        condition = self._insert(compare_floats(x, self._float(bound), relation))
        return self._insert(select(condition, self._float(then), self._float(otherwise)))

    def at_least(self, x: SSAValue, limit: float) -> SSAValue:
        """NaN is not below, and stays."""
        return self.select(x, "olt", limit, limit, x)

    def at_most(self, x: SSAValue, limit: float) -> SSAValue:
        """NaN is not above, and stays."""
        return self.select(x, "ogt", limit, limit, x)

    # ----- integers

    def bits(self, x: SSAValue) -> SSAValue:
        """A float's, as an integer."""
        return self._insert(arith.BitcastOp(x, self._integers))

    def float_of_bits(self, x: SSAValue) -> SSAValue:
        return self._insert(arith.BitcastOp(x, self._floats))

    def float_of(self, x: SSAValue) -> SSAValue:
        """The float that an integer is."""
        return self._insert(arith.SIToFPOp.create(operands=[x], result_types=[self._floats]))

    def subtract_integers(self, a: SSAValue | int, b: SSAValue | int) -> SSAValue:
        return self._insert(binary(arith.SubiOp, self._integer(a), self._integer(b)))

    def shift_left(self, x: SSAValue, by: int) -> SSAValue:
        return self._insert(binary(arith.ShLIOp, x, self._integer(by)))

    def shift_right(self, x: SSAValue, by: int) -> SSAValue:
        """The sign stays."""
        return self._insert(binary(arith.ShRSIOp, x, self._integer(by)))
