"""Polynomials of the iteration number, as integers that wrap around."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.element_types import any_tensor_of, i1, i64, is_integer
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.canonicalization.loop_trips import Trips
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, DivideOp, MultiplyOp, SubtractOp
from loomir.dialects.region_flow import comes_from_outside
from loomir.dialects.scalars.row import low_bits, width_of
from loomir.passes.analysis.dependence import LoopDependence
from loomir.passes.analysis.dependence.updates import Update, update_of

Coefficient = int | SSAValue
"""Number, or value from outside the loop.

All of a form are of one element type, and wrap around.
"""

_ARITHMETIC = AddOp, SubtractOp, MultiplyOp

DEGREE = 3
"""Highest degree of a form.

C(n, 4) has one more factor of two in its denominator, which no product of numbers that wrap around can be divided by.
"""

THIRD = -6148914691236517205
"""The number of 64 bits whose product with 3 is 1."""


@dataclass(frozen=True)
class Form:
    """Polynomial of the iteration number: Σ coefficient k · C(i, k)."""

    coefficients: tuple[Coefficient, ...]
    element: Attribute

    def combined(self, other: Form, build: GraphBuilder, *, subtract: bool = False) -> Form:
        """The sum of two forms, or their difference."""
        length = max(len(self.coefficients), len(other.coefficients))
        pairs = zip(self._filled(length), other._filled(length))
        return Form(tuple(combined(a, b, self.element, build, subtract) for a, b in pairs), self.element)

    def _filled(self, length: int) -> tuple[Coefficient, ...]:
        return (*self.coefficients, *([0] * (length - len(self.coefficients))))

    def times(self, other: Form, build: GraphBuilder) -> Form | None:
        """The product of two forms, or None if neither is constant."""
        if len(self.coefficients) != 1:
            return other.times(self, build) if len(other.coefficients) == 1 else None
        factor = self.coefficients[0]
        return Form(tuple(product(factor, c, self.element, build) for c in other.coefficients), self.element)

    def summed(self, first: Coefficient) -> Form:
        """The form of the sum over all iterations before, from `first` on."""
        return Form((first, *self.coefficients), self.element)

    def converted(self, element: Attribute, build: GraphBuilder) -> Form:
        """The low bits of the form."""
        low = (
            low_bits(c, element) if isinstance(c, int) else as_element(c, element, build)
            for c in self.coefficients
        )
        return Form(tuple(low), element)


def as_element(value: SSAValue, element: Attribute, build: GraphBuilder) -> SSAValue:
    """The low bits of integers, as another type."""
    if any_tensor_of(value).element_type == element:
        return value
    return build.make(ConvertOp, value, attributes={"destination_type": element})


def as_value(coefficient: Coefficient, element: Attribute, build: GraphBuilder) -> SSAValue:
    """A coefficient as a value."""
    return build.scalar(coefficient, element) if isinstance(coefficient, int) else coefficient


def combined(
    a: Coefficient, b: Coefficient, element: Attribute, build: GraphBuilder, subtract: bool = False
) -> Coefficient:
    """The sum of two coefficients, or their difference."""
    if isinstance(a, int) and isinstance(b, int):
        return low_bits(a - b if subtract else a + b, element)
    if b == 0:
        return a
    if a == 0 and not subtract:
        return b
    kind = SubtractOp if subtract else AddOp
    return build.make(kind, as_value(a, element, build), as_value(b, element, build))


def product(a: Coefficient, b: Coefficient, element: Attribute, build: GraphBuilder) -> Coefficient:
    """The product of two coefficients."""
    if isinstance(a, int) and isinstance(b, int):
        return low_bits(a * b, element)
    if any(c == 0 for c in (a, b)) and all(map(_is_number, (a, b))):
        return 0
    if a == 1 or b == 1:
        return b if a == 1 else a
    return build.make(MultiplyOp, as_value(a, element, build), as_value(b, element, build))


def _is_number(coefficient: Coefficient) -> bool:
    """Return True if a coefficient gives its products no extents."""
    return isinstance(coefficient, int) or not _shape(coefficient)


def _shape(value: SSAValue) -> tuple[int, ...] | None:
    return value.type.get_shape() if isinstance(value.type, TensorType) else None


class Forms:
    """Forms of the integers in one loop's body.

    Their coefficients are emitted where `build` emits. If `runs`, this is where the loop surely runs an iteration: extents that do
    not fit stop the program there as the first iteration does.
    """

    def __init__(self, dependence: LoopDependence, loop: LoopOp, build: GraphBuilder, *, runs: bool) -> None:
        self.dependence, self.loop, self.build, self.runs = dependence, loop, build, runs
        self._forms: dict[SSAValue, Form | None] = {}

    def final(self, update: Update, trips: Trips) -> SSAValue | None:
        """Emit the final value of a sum, or return None."""
        form = self._of_all(update)
        return None if form is None else _evaluated(form, trips, self.build)

    def _of_all(self, update: Update) -> Form | None:
        """Return the form of a sum whose operands have forms, or None."""
        for link in update.links:
            if self._form(link.operand) is None:
                return None
        form = self._sum(update)
        return form if form is not None and len(form.coefficients) <= DEGREE + 1 else None

    def _update(self, number: int) -> Update | None:
        """Return the update of a sum that keeps its shape."""
        update = update_of(self.dependence, number)
        if update is None or not update.keeps_shape or not update.is_exact or update.reduction != "add":
            return None
        return update

    def _constant(self, value: SSAValue) -> Coefficient | None:
        """Return a value that is the same in each iteration, or None."""
        known = constant_of(value)
        if known is not None and not known.shape:
            return int(known)
        return outside(value, self.loop, self.build)

    def _form(self, value: SSAValue) -> Form | None:
        """Return the form of an integer, or None."""
        # Not by recursion: chains of operations may be long.
        entered: set[SSAValue] = set()
        waiting = [value]
        while waiting:
            each = waiting[-1]
            if each in self._forms:
                waiting.pop()
            elif each in entered:
                found = self._computed(each)
                is_known = found is not None and len(found.coefficients) <= DEGREE + 1
                self._forms[each] = found if is_known else None
            else:
                entered.add(each)
                waiting += (operand for operand in self._parts(each) if operand not in entered)
        return self._forms[value]

    def _parts(self, value: SSAValue) -> Sequence[SSAValue]:
        """Return the values from whose forms that of a value is computed."""
        if value in self.loop.carried_arguments:
            update = self._update(self.loop.carried_arguments.index(value))
            return [] if update is None else [link.operand for link in update.links]
        op = value.owner
        return (
            op.operands
            if isinstance(op, (ConvertOp, *_ARITHMETIC)) and op.parent is self.loop.body.block
            else []
        )

    def _computed(self, value: SSAValue) -> Form | None:
        type_ = value.type
        if (
            not isinstance(type_, TensorType)
            or not is_integer(type_.element_type)
            or type_.element_type == i1
        ):
            return None
        element = type_.element_type
        if value in self.loop.carried_arguments:
            update = self._update(self.loop.carried_arguments.index(value))
            return None if update is None else self._sum(update)
        if not (self.runs or type_.has_static_shape()):
            return None
        if value is self.loop.iteration:
            return Form((0, 1), element)
        if (constant := self._constant(value)) is not None:
            return Form((constant,), element)
        op = value.owner
        if isinstance(op, ConvertOp):
            form = self._forms.get(op.data)
            narrower = form is not None and width_of(element) <= width_of(form.element)
            return form.converted(element, self.build) if form is not None and narrower else None
        if not isinstance(op, _ARITHMETIC) or op.parent is not self.loop.body.block:
            return None
        a, b = self._forms.get(op.a), self._forms.get(op.b)
        if a is None or b is None:
            return None
        if isinstance(op, MultiplyOp):
            return a.times(b, self.build)
        return a.combined(b, self.build, subtract=isinstance(op, SubtractOp))

    def _sum(self, update: Update) -> Form | None:
        """Return the form of a carried value that is a sum."""
        first = self.loop.carried[update.number]
        added = Form((0,), any_tensor_of(first).element_type)
        for link in update.links:
            form = self._forms.get(link.operand)
            if form is None:
                return None
            added = added.combined(form, self.build, subtract=link.subtracts)
        return added.summed(self._constant(first) or 0)


def outside(value: SSAValue, loop: LoopOp, build: GraphBuilder) -> SSAValue | None:
    """Return an invariant value before the loop, or None."""
    if isinstance(value.owner, ConstantOp):
        return build.constant(value.owner.array)
    return value if comes_from_outside(value, loop) else None


def _evaluated(form: Form, trips: Trips, build: GraphBuilder) -> SSAValue:
    """Emit the value of a form after all trips."""
    element, total = form.element, form.coefficients[0]
    for degree, coefficient in enumerate(form.coefficients[1:], 1):
        if coefficient != 0:
            term = product(coefficient, _binomial(trips, degree, element, build), element, build)
            total = combined(total, term, element, build)
    return as_value(total, element, build)


def _binomial(trips: Trips, degree: int, element: Attribute, build: GraphBuilder) -> Coefficient:
    """Return n over `degree` for the trip count n.

    The result has the low bits of the number, as many as the element type has.
    """
    if trips.static is not None:
        return low_bits(comb(trips.static, degree), element)
    n = trips.emit(build)
    if degree == 1:
        return as_element(n, element, build)
    # With h = n div 2, n (n - 1) / 2 is h (2 (n - h) - 1), for even and for odd n.
    half = build.make(DivideOp, n, build.scalar(2, i64))
    left = build.make(SubtractOp, n, half)
    odd = build.make(SubtractOp, build.make(AddOp, left, left), build.scalar(1, i64))
    second = build.make(MultiplyOp, half, odd)
    if degree == 2:
        return as_element(second, element, build)
    other = build.make(SubtractOp, n, build.scalar(2, i64))
    third = build.make(MultiplyOp, build.make(MultiplyOp, second, other), build.scalar(THIRD, i64))
    return as_element(third, element, build)
