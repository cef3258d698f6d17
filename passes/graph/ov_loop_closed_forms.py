"""`ov-loop-closed-forms`: final values of recurrences without their loops."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial, reduce
from math import comb

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.control_flow.values import DeadValues
from loomir.dialects.diagnostics import Remarks
from loomir.dialects.element_types import any_tensor_of, i1, i64, is_integer, tensor_type_of
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.canonicalization.loop_trips import Trips, trips_of
from loomir.dialects.ov.canonicalization.loops import first_trip_comes
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp, YieldOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    DivideOp,
    MultiplyOp,
    PowerOp,
    SubtractOp,
)
from loomir.dialects.region_flow import comes_from_outside, region_flow
from loomir.dialects.scalars.row import low_bits, type_range, width_of
from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.rewriting import rewrite
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.dependence import MEMORY, LoopDependence, dependence_of
from loomir.passes.analysis.dependence.updates import Update, may_be_exact, update_of
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.inference.loops import trip_bounds
from loomir.passes.graph.ov_infer import retype


@dataclass(frozen=True)
class OvLoopClosedFormsPass(ModulePass):
    """Computes the final values of recurrences from the trip count.

    The loops that compute them may then go.

    ```mlir
    %r = ov.loop trip(%n) carried(%k) {                        // before
    ^bb0(%i: tensor<i64>, %v: tensor<i64>):
      %w = ov.add %v, %i
      ov.next carried(%w)
    }

    %half = ov.divide %n, %two                                 // after: n (n − 1) / 2, without overflow in between
    …
    %r = ov.add %k, %sum
    ```

    - A *sum* of integers that are polynomials of the iteration number, up to degree 3. With C(n, k) for n over k, the form of
      `v ← v + f(i)` is `v + Σ c_k C(n, k + 1)` for `f(i) = Σ c_k C(i, k)`: all sums are exact, also where they wrap around.
    - A *product* with the same integer in each trip is one with its power.
    - A *maximum*, minimum, conjunction or disjunction with the same value in each trip is done once, if there is a trip.

    A value that the rest of the body needs stays, since its loop stays; so does one of a loop that a condition may end, or that may
    run beyond its slices. Sums and products of floats stay, which are rounded in each trip.
    """

    name = "ov-loop-closed-forms"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        analyses, remarks = analyses_of(ctx), Remarks(self.name)
        loops = [o for o in walk(op, region_first=True) if isinstance(o, LoopOp)]
        if not loops:
            return analyses.keep_all()
        inference = analyses.get(infer, op)
        changed = [_Recurrences(loop, inference).replace(remarks) for loop in loops]
        if any(changed):
            rewrite(op, DeadValues(), clean_up=True)
        retype(ctx, op, changed=any(changed))


Emit = Callable[[GraphBuilder], SSAValue]

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
class _Form:
    """Polynomial of the iteration number: Σ coefficient k · C(i, k)."""

    coefficients: tuple[Coefficient, ...]
    element: Attribute

    def combined(self, other: _Form, build: GraphBuilder, *, subtract: bool = False) -> _Form:
        """The sum of two forms, or their difference."""
        length = max(len(self.coefficients), len(other.coefficients))
        pairs = zip(self._filled(length), other._filled(length))
        return _Form(tuple(_combined(a, b, self.element, build, subtract) for a, b in pairs), self.element)

    def _filled(self, length: int) -> tuple[Coefficient, ...]:
        return (*self.coefficients, *([0] * (length - len(self.coefficients))))

    def times(self, other: _Form, build: GraphBuilder) -> _Form | None:
        """The product of two forms, or None if neither is constant."""
        if len(self.coefficients) != 1:
            return other.times(self, build) if len(other.coefficients) == 1 else None
        factor = self.coefficients[0]
        return _Form(
            tuple(_product(factor, c, self.element, build) for c in other.coefficients), self.element
        )

    def summed(self, first: Coefficient) -> _Form:
        """The form of the sum over all iterations before, from `first` on."""
        return _Form((first, *self.coefficients), self.element)

    def converted(self, element: Attribute, build: GraphBuilder) -> _Form:
        """The low bits of the form."""
        low = (
            low_bits(c, element) if isinstance(c, int) else _as_element(c, element, build)
            for c in self.coefficients
        )
        return _Form(tuple(low), element)


def _as_element(value: SSAValue, element: Attribute, build: GraphBuilder) -> SSAValue:
    if tensor_type_of(value).element_type == element:
        return value
    return build.make(ConvertOp, value, attributes={"destination_type": element})


def _value(coefficient: Coefficient, element: Attribute, build: GraphBuilder) -> SSAValue:
    return build.scalar(coefficient, element) if isinstance(coefficient, int) else coefficient


def _combined(
    a: Coefficient, b: Coefficient, element: Attribute, build: GraphBuilder, subtract: bool = False
) -> Coefficient:
    if isinstance(a, int) and isinstance(b, int):
        return low_bits(a - b if subtract else a + b, element)
    if b == 0:
        return a
    if a == 0 and not subtract:
        return b
    kind = SubtractOp if subtract else AddOp
    return build.make(kind, _value(a, element, build), _value(b, element, build))


def _product(a: Coefficient, b: Coefficient, element: Attribute, build: GraphBuilder) -> Coefficient:
    if isinstance(a, int) and isinstance(b, int):
        return low_bits(a * b, element)
    if a == 0 or b == 0:
        return 0
    if a == 1 or b == 1:
        return b if a == 1 else a
    return build.make(MultiplyOp, _value(a, element, build), _value(b, element, build))


@dataclass
class _Recurrences:
    """Recurrences of one loop whose final values have another form."""

    loop: LoopOp
    inference: Inference
    forms: dict[SSAValue, _Form | None] = field(default_factory=dict)
    """Forms of values.

    Their coefficients are emitted before the loop.
    """

    def __post_init__(self) -> None:
        self.build = GraphBuilder(InsertPoint.before(self.loop), self.loop.location)

    def replace(self, remarks: Remarks) -> bool:
        """Compute final values before the loop; return True if there are any."""
        loop, trips = self.loop, trips_of(self.loop)
        if trips is None:
            remarks.missed(loop, "its trip count is not known before it")
            return False
        carried = region_flow(loop).carried
        if not any(c.result.first_use and may_be_exact(c, loop) for c in carried):
            remarks.missed(loop, "no final value is a function of its trip count, or the body needs it")
            return False
        final: dict[int, Emit] = {}
        for (number,) in (r for r in self.dependence.recurrences if len(r) == 1):
            if number != MEMORY and (update := self._update(number)) is not None:
                emit = self._final(update, trips)
                if emit is not None:
                    final[number] = emit
        wanted = [n for n in self._unneeded(final) if loop.final[n].first_use is not None]
        if not wanted:
            remarks.missed(loop, "no final value is a function of its trip count, or the body needs it")
            for op in reversed(self.build.emitted):
                Rewriter.erase_op(op)
            return False
        for number in wanted:
            value = final[number](self.build)
            value.name_hint = value.name_hint or loop.final[number].name_hint
            loop.final[number].replace_all_uses_with(value)
        remarks.passed(loop, f"computed {len(wanted)} final values from its trip count", values=len(wanted))
        return True

    @cached_property
    def dependence(self) -> LoopDependence:
        """Dependence of its iterations."""
        return dependence_of(self.loop)

    def _update(self, number: int) -> Update | None:
        """Return the update of a carried value, or None.

        It is exact in any order.
        """
        update = update_of(self.dependence, number)
        return update if update is not None and update.keeps_shape and update.is_exact else None

    def _unneeded(self, candidates: Collection[int]) -> list[int]:
        """Return the candidates that the rest of the body does not read."""
        end, arguments = self.loop.next, self.loop.carried_arguments
        roots: list[SSAValue | Operation] = [*end.last, *end.concat, *self.dependence.effects]
        roots += (value for k, value in enumerate(end.carried) if k not in candidates)
        left = set(candidates)
        while roots:
            read = set(self.dependence.sources(roots.pop()))
            needed = {number for number in left if arguments[number] in read}
            left -= needed
            roots += (end.carried[number] for number in needed)
        return sorted(left)

    def _final(self, update: Update, trips: Trips) -> Emit | None:
        """Return what emits the final value of a carried value, or None."""
        first = self.loop.carried[update.number]
        element = any_tensor_of(first).element_type
        if update.reduction == "add":
            form = self._form(self.loop.carried_arguments[update.number])
            return None if form is None else partial(_evaluated, form, trips)
        operands = [self._outside(link.operand) for link in update.links]
        if any(operand is None for operand in operands):
            return None
        same = [operand for operand in operands if operand is not None]
        if update.reduction == "multiply":
            # The exponent has the type of the base, in which it may be another number.
            greatest = trip_bounds(self.loop, self.inference).hi
            if element != i64 and (greatest is None or greatest > type_range(element)[1]):
                return None
            # Without a trip nothing is multiplied, and no extents that do not fit stop the program.
            may_fail = not all(speculatable(link.op, self.inference.fact) for link in update.links)
            if may_fail and trip_bounds(self.loop, self.inference).lo < 1:
                return None

            def power(build: GraphBuilder) -> SSAValue:
                number = _as_element(trips.emit(build), element, build)
                powers = (build.make(PowerOp, operand(build), number) for operand in same)
                return reduce(partial(build.make, MultiplyOp), powers, first)

            return power
        if not update.is_idempotent:
            return None
        return partial(self._once, update, same)

    def _once(self, update: Update, operands: Sequence[Emit], build: GraphBuilder) -> SSAValue:
        """Emit the value after one iteration, or the initial one after none."""
        loop, first = self.loop, self.loop.carried[update.number]
        surely = trip_bounds(loop, self.inference).lo >= 1
        runs = None if surely else first_trip_comes(loop, build)
        taken, otherwise = Block(), Block()
        inside = build if runs is None else build.inside(taken)
        value = first
        for link, operand in zip(update.links, operands):
            mapping = {link.operand: operand(inside), link.op.operands[link.place]: value}
            value = inside.emit(link.op.clone(mapping)).results[0]
        if runs is None:
            return value
        inside.emit(YieldOp.build(operands=[[value]]))
        build.inside(otherwise).emit(YieldOp.build(operands=[[first]]))
        return build.emit(IfOp.of(runs, [first.type], Region(taken), Region(otherwise))).output[0]

    def _outside(self, value: SSAValue) -> Emit | None:
        """Return an emitter of a value before the loop, or None."""
        if isinstance(value.owner, ConstantOp):
            array = value.owner.array
            return lambda build: build.constant(array)
        return (lambda build: value) if comes_from_outside(value, self.loop) else None

    def _constant(self, value: SSAValue) -> Coefficient | None:
        """Return a value that is the same in each iteration, or None."""
        known = constant_of(value)
        if known is not None and not known.shape:
            return int(known)
        emit = self._outside(value)
        return None if emit is None else emit(self.build)

    def _form(self, value: SSAValue) -> _Form | None:
        """Return the form of an integer, or None."""
        # Not by recursion: chains of operations may be long.
        entered: set[SSAValue] = set()
        waiting = [value]
        while waiting:
            each = waiting[-1]
            if each in self.forms:
                waiting.pop()
            elif each in entered:
                found = self._computed(each)
                is_known = found is not None and len(found.coefficients) <= DEGREE + 1
                self.forms[each] = found if is_known else None
            else:
                entered.add(each)
                waiting += (operand for operand in self._parts(each) if operand not in entered)
        return self.forms[value]

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

    def _computed(self, value: SSAValue) -> _Form | None:
        type_ = value.type
        if (
            not isinstance(type_, TensorType)
            or not is_integer(type_.element_type)
            or type_.element_type == i1
        ):
            return None
        element = type_.element_type
        if value in self.loop.carried_arguments:
            return self._sum(self.loop.carried_arguments.index(value), element)
        if not type_.has_static_shape():
            return None
        if value is self.loop.iteration:
            return _Form((0, 1), element)
        if (constant := self._constant(value)) is not None:
            return _Form((constant,), element)
        op = value.owner
        if isinstance(op, ConvertOp):
            form = self.forms.get(op.data)
            narrower = form is not None and width_of(element) <= width_of(form.element)
            return form.converted(element, self.build) if form is not None and narrower else None
        if not isinstance(op, _ARITHMETIC) or op.parent is not self.loop.body.block:
            return None
        a, b = self.forms.get(op.a), self.forms.get(op.b)
        if a is None or b is None:
            return None
        if isinstance(op, MultiplyOp):
            return a.times(b, self.build)
        return a.combined(b, self.build, subtract=isinstance(op, SubtractOp))

    def _sum(self, number: int, element: Attribute) -> _Form | None:
        """Return the form of a carried value that is a sum."""
        update = self._update(number)
        if update is None or update.reduction != "add":
            return None
        added = _Form((0,), element)
        for link in update.links:
            form = self.forms.get(link.operand)
            if form is None:
                return None
            added = added.combined(form, self.build, subtract=link.subtracts)
        return added.summed(self._constant(self.loop.carried[number]) or 0)


def _evaluated(form: _Form, trips: Trips, build: GraphBuilder) -> SSAValue:
    """Emit the value of a form after all trips."""
    element, total = form.element, form.coefficients[0]
    for degree, coefficient in enumerate(form.coefficients[1:], 1):
        if coefficient != 0:
            term = _product(coefficient, _binomial(trips, degree, element, build), element, build)
            total = _combined(total, term, element, build)
    return _value(total, element, build)


def _binomial(trips: Trips, degree: int, element: Attribute, build: GraphBuilder) -> Coefficient:
    """Return n over `degree` for the trip count n.

    The result has the low bits of the number, as many as the element type has.
    """
    if trips.static is not None:
        return low_bits(comb(trips.static, degree), element)
    n = trips.emit(build)
    if degree == 1:
        return _as_element(n, element, build)
    # With h = n div 2, n (n - 1) / 2 is h (2 (n - h) - 1), for even and for odd n.
    half = build.make(DivideOp, n, build.scalar(2, i64))
    left = build.make(SubtractOp, n, half)
    odd = build.make(SubtractOp, build.make(AddOp, left, left), build.scalar(1, i64))
    second = build.make(MultiplyOp, half, odd)
    if degree == 2:
        return _as_element(second, element, build)
    other = build.make(SubtractOp, n, build.scalar(2, i64))
    third = build.make(MultiplyOp, build.make(MultiplyOp, second, other), build.scalar(THIRD, i64))
    return _as_element(third, element, build)
