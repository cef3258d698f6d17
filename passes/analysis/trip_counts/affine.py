"""Integers affine in the iteration number: `base + offset + step · i`.

They are integers in a loop's body. A carried value to which each iteration adds a constant is one (an *induction variable*), as
are the values that are computed from it by sums and constant factors. Sums wrap around as the operations do, so a form is
exact to the last bit, but a comparison of two numbers requires that neither has wrapped around.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Block, BlockArgument, SSAValue

from loomir.dialects.element_types import i1, is_integer
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.elementwise_unary import NegativeOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, UnsqueezeOp
from loomir.passes.analysis.inference.state import State

MAX_DEPTH = 100
"""Operations that are looked back through."""

REARRANGES = (ReshapeOp, SqueezeOp, UnsqueezeOp)
"""Operations that return the single element of their operand."""


@dataclass(frozen=True)
class Affine:
    """Affine form `base + offset + step · i`.

    `base` is an integer from outside the loop, or 0, and i is 0 in the first iteration.
    """

    base: SSAValue | None
    offset: int
    step: int

    def shifted(self, iterations: int) -> Affine:
        """The form of what the value is so many iterations later."""
        return Affine(self.base, self.offset + self.step * iterations, self.step)


def integer_type(value: SSAValue, inference: State) -> IntegerType | None:
    """Return the element type of a single-integer tensor of any rank."""
    fact = inference.fact(value)
    extents = fact.static
    if extents is None or int(np.prod(extents)) != 1 or not is_integer(fact.element):
        return None
    return None if fact.element == i1 else fact.element


class AffineForms:
    """The forms of the values of one loop's body."""

    def __init__(self, loop: LoopOp, inference: State) -> None:
        self._loop = loop
        self._block = loop.body.block
        self._inference = inference
        self._found: dict[SSAValue, Affine | None] = {}
        self._around: dict[SSAValue, Affine | None] | None = None

    def of(self, value: SSAValue, depth: int = MAX_DEPTH) -> Affine | None:
        """Return a value's affine form, or None if it has none.

        The value is in the body or outside of it.
        """
        if value not in self._found:
            self._found[value] = None
            if depth and integer_type(value, self._inference) is not None:
                self._found[value] = self._form(value, depth - 1)
        return self._found[value]

    def _form(self, value: SSAValue, depth: int) -> Affine | None:
        known = self._inference.fact(value).value
        if known is not None:
            return Affine(None, int(known.reshape(())), 0)
        if not self._is_inside(value):
            return Affine(value, 0, 0)
        if value is self._loop.iteration:
            return Affine(None, 0, 1)
        if isinstance(value, BlockArgument):
            return self._induction_variable(value, depth)
        op = value.owner
        if isinstance(op, REARRANGES):
            return self.of(op.operands[0], depth)
        if isinstance(op, ConvertOp):
            return self._converted(op, depth)
        if isinstance(op, NegativeOp):
            return _scaled(self.of(op.operands[0], depth), -1)
        if isinstance(op, AddOp | SubtractOp | MultiplyOp):
            a, b = (self.of(operand, depth) for operand in op.operands)
            if a is None or b is None:
                return None
            if isinstance(op, AddOp):
                return _sum(a, b)
            return _difference(a, b) if isinstance(op, SubtractOp) else _product(a, b)
        return None

    def _is_inside(self, value: SSAValue) -> bool:
        block: Block | None = value.owner if isinstance(value.owner, Block) else value.owner.parent
        while block is not None and block is not self._block:
            around = block.parent_op()
            block = None if around is None else around.parent
        return block is self._block

    def _induction_variable(self, argument: BlockArgument, depth: int) -> Affine | None:
        """Return the form of a carried value that grows by a constant.

        Each iteration adds the same constant.
        """
        position = argument.index - 1
        if argument.owner is not self._block or position >= len(self._loop.carried):
            return None
        if self._around is not None:
            return (
                None  # what is asked for is one carried value's own step: the others are no numbers meanwhile
            )
        # As long as it is asked what the next value is, the value itself stands for what is carried.
        self._around, self._found = self._found, {argument: Affine(argument, 0, 0)}
        following = self.of(self._loop.next.carried[position], depth)
        self._around, self._found = None, self._around
        first = self.of(self._loop.carried[position], depth)
        if following is None or following.base is not argument or following.step or first is None:
            return None
        return Affine(first.base, first.offset, following.offset)

    def _converted(self, op: ConvertOp, depth: int) -> Affine | None:
        """Return the low bits of a form that has no base.

        A conversion to more bits would require that nothing has wrapped around.
        """
        before, after = (integer_type(v, self._inference) for v in (op.data, op.output))
        form = self.of(op.data, depth)
        if before is None or after is None or form is None or form.base is not None:
            return None
        narrower = after.width.data <= before.width.data
        return form if narrower or not form.step else None


def _scaled(form: Affine | None, factor: int) -> Affine | None:
    if form is None or (form.base is not None and factor != 1):
        return None
    return Affine(form.base, form.offset * factor, form.step * factor)


def _sum(a: Affine, b: Affine) -> Affine | None:
    if a.base is not None and b.base is not None:
        return None
    base = b.base if a.base is None else a.base
    return Affine(base, a.offset + b.offset, a.step + b.step)


def _difference(a: Affine, b: Affine) -> Affine | None:
    if b.base is not None and b.base is not a.base:
        return None
    base = a.base if b.base is None else None
    return Affine(base, a.offset - b.offset, a.step - b.step)


def _product(a: Affine, b: Affine) -> Affine | None:
    if b.base is None and not b.step:
        return _scaled(a, b.offset)
    return _scaled(b, a.offset) if a.base is None and not a.step else None
