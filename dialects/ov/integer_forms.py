"""Affine forms of the integers in a loop's body of GRAPH.

Symbols are values from outside of the loop, its iteration number, and those of loops inside of it; i is 0 in the first iteration. A
carried value to which each iteration adds the same number from outside is `first + step · i` (an *induction variable*). What is computed
from such values by sums, products and conversions has a form, too.
"""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import BlockArgument, SSAValue

from loomir.dialects.affine_forms import AffineForm, factors_of
from loomir.dialects.element_types import i1, is_integer
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.elementwise_unary import NegativeOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.region_flow import comes_from_outside
from loomir.dialects.scalars.intervals import Interval
from loomir.dialects.scalars.row import low_bits, type_range
from loomir.dialects.speculation import FactOf

MAX_DEPTH = 100
"""Operations that are looked back through."""

REARRANGES = (ReshapeOp, SqueezeOp, UnsqueezeOp)
"""Operations that return the single element of their operand."""


def integer_type(value: SSAValue, fact_of: FactOf) -> IntegerType | None:
    """Return the element type of a single-integer tensor of any rank."""
    fact = fact_of(value)
    extents = fact.static
    if extents is None or prod(extents) != 1 or not is_integer(fact.element):
        return None
    return None if fact.element == i1 else fact.element


class IntegerForms:
    """The forms of the values of one loop's body.

    `fact_of` returns what is known of a value.
    """

    def __init__(self, loop: LoopOp, fact_of: FactOf) -> None:
        self.loop = loop
        self._fact_of = fact_of
        self._found: dict[SSAValue, AffineForm[SSAValue] | None] = {}
        self._is_nested = False

    def of(self, value: SSAValue, depth: int = MAX_DEPTH) -> AffineForm[SSAValue] | None:
        """Return the form of a value, modulo 2^w.

        The width of its type is w. The value is in the body or outside of it. The result is None if it has no form.
        """
        if value not in self._found:
            self._found[value] = None
            if depth and integer_type(value, self._fact_of) is not None:
                form = self._form(value, depth - 1)
                self._found[value] = form if form is not None and form.is_small else None
        return self._found[value]

    def interval(self, symbol: SSAValue) -> Interval | None:
        """The known bounds of a symbol."""
        bounds = self._fact_of(symbol).bounds
        return None if bounds is None else (int(bounds[0].reshape(())), int(bounds[1].reshape(())))

    def is_exact(self, value: SSAValue) -> bool:
        """Return True if a value is the integer of its form.

        It has then not wrapped around.
        """
        form, element = self.of(value), integer_type(value, self._fact_of)
        return form is not None and element is not None and form.fits(type_range(element), self.interval)

    def _form(self, value: SSAValue, depth: int) -> AffineForm[SSAValue] | None:
        known = self._fact_of(value).value
        if known is not None:
            return AffineForm(int(known.reshape(())))
        if comes_from_outside(value, self.loop):
            return AffineForm.of(value)
        if isinstance(value, BlockArgument):
            around = value.block.parent_op()
            if isinstance(around, LoopOp) and value is around.iteration:
                return AffineForm.of(value)
            return self._induction_variable(value, depth)
        op = value.owner
        if isinstance(op, REARRANGES):
            return self.of(op.operands[0], depth)
        if isinstance(op, ConvertOp):
            return self._converted(op, depth)
        if isinstance(op, NegativeOp):
            form = self.of(op.operands[0], depth)
            return None if form is None else form * -1
        if isinstance(op, AddOp | SubtractOp | MultiplyOp):
            a, b = (self.of(operand, depth) for operand in op.operands)
            if a is None or b is None:
                return None
            return a + b if isinstance(op, AddOp) else a - b if isinstance(op, SubtractOp) else a * b
        return None

    def _induction_variable(self, argument: BlockArgument, depth: int) -> AffineForm[SSAValue] | None:
        """Return the form of an induction variable.

        It is a carried value to which each iteration adds the same number.
        """
        if argument not in self.loop.carried_arguments or self._is_nested:
            # What is asked for is one carried value's own step: the others are no numbers meanwhile.
            return None
        position = argument.index - 1
        # As long as it is asked what the next value is, the value itself stands for what is carried.
        itself: dict[SSAValue, AffineForm[SSAValue] | None] = {argument: AffineForm.of(argument)}
        found, self._found = self._found, itself
        self._is_nested = True
        following = self.of(self.loop.next.carried[position], depth)
        self._found, self._is_nested = found, False
        first = self.of(self.loop.carried[position], depth)
        if following is None or first is None:
            return None
        step = following - AffineForm[SSAValue].of(argument)
        if not all(comes_from_outside(symbol, self.loop) for symbol in step.symbols()):
            return None
        return first + step * AffineForm.of(self.loop.iteration)

    def _converted(self, op: ConvertOp, depth: int) -> AffineForm[SSAValue] | None:
        """Return the form of a conversion.

        It has the low bits of its operand, or is the same integer if that has not wrapped around.
        """
        before, after = (integer_type(v, self._fact_of) for v in (op.data, op.output))
        form = self.of(op.data, depth)
        if before is None or after is None or form is None:
            return None
        narrower = after.width.data <= before.width.data
        return form if narrower or form.fits(type_range(before), self.interval) else None


def emit_form(
    form: AffineForm[SSAValue], element: IntegerType, build: GraphBuilder, fact_of: FactOf
) -> SSAValue:
    """Emit a form as a number without dimensions.

    It is computed in the arithmetic of the integer type `element`. The form has a symbol.
    """

    def number(symbol: SSAValue) -> SSAValue:
        fact, value = fact_of(symbol), symbol
        if fact.rank != 0:
            value = build.make(ReshapeOp, value, build.integers([]), attributes={"special_zero": False})
        if fact.element != element:
            value = build.make(ConvertOp, value, attributes={"destination_type": element})
        return value

    def scalar(constant: int) -> SSAValue:
        return build.scalar(low_bits(constant, element), element)

    total: SSAValue | None = None
    for symbol, coefficient in form.terms:
        first, *others = map(number, factors_of(symbol))
        for other in others:
            first = build.make(MultiplyOp, first, other)
        if coefficient != 1:
            first = build.make(MultiplyOp, first, scalar(coefficient))
        total = first if total is None else build.make(AddOp, total, first)
    assert total is not None
    return build.make(AddOp, total, scalar(form.constant)) if form.constant else total
