"""Ranges of integers in nests of `ov.loop`.

They follow from trip counts, which need not be known. The number of an iteration is less than the trip count, so `i - n` is at most -1
in a loop of `n` trips, and `j - i` in an inner loop of `i` trips, whatever `n` is. An integer is an affine form
(`dialects/ov/integer_forms.py`). Its greatest value is found by replacing the iteration numbers from the innermost loop outwards, each
by its last value or by 0, as the sign of its factor says.

A loop that only a negative trip count limits never ends: nothing that it computes is ever needed, and nothing is said of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from loomir.dialects.affine_forms import AffineForm
from loomir.dialects.ov.integer_forms import IntegerForms, integer_type
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.region_flow import comes_from_outside
from loomir.dialects.scalars.intervals import Interval, contains
from loomir.dialects.scalars.row import type_range
from loomir.dialects.speculation import FactOf

MAX_LOOPS = 8
"""Loops of a nest that are looked at, from the innermost one."""

Form = AffineForm[SSAValue]


class IterationRanges:
    """Forms and bounds of the integers of a program.

    `fact_of` returns what is known of a value. A question is about a place in some loops, of which the innermost is the first.
    """

    def __init__(self, fact_of: FactOf) -> None:
        self._fact_of = fact_of
        self._forms: dict[LoopOp, IntegerForms] = {}
        self._found: dict[tuple[SSAValue, LoopOp], Form] = {}

    def difference(self, a: SSAValue, b: SSAValue, loops: Sequence[LoopOp]) -> tuple[int | None, int | None]:
        """Return the least and the greatest value of `a - b`.

        None is not known. Both are single integers in the first of the loops.
        """
        loops = loops[:MAX_LOOPS]
        form = self._form(a, loops) - self._form(b, loops)
        return self._least(form, loops), self._greatest(form, loops)

    def bounds(self, value: SSAValue, loops: Sequence[LoopOp]) -> tuple[int | None, int | None]:
        """Return the least and the greatest value of a single integer."""
        loops = loops[:MAX_LOOPS]
        form = self._form(value, loops)
        return self._least(form, loops), self._greatest(form, loops)

    def _interval(self, symbol: SSAValue) -> Interval | None:
        bounds = self._fact_of(symbol).bounds
        if bounds is not None:
            return int(bounds[0].reshape(())), int(bounds[1].reshape(()))
        element = integer_type(symbol, self._fact_of)
        return None if element is None else type_range(element)

    def _form(self, value: SSAValue, loops: Sequence[LoopOp]) -> Form:
        """Return a value's form in the first of the loops.

        It is the value itself where it might wrap around.
        """
        loop = loops[0]
        if (value, loop) not in self._found:
            self._found[value, loop] = AffineForm.of(value)
            forms = self._forms.setdefault(loop, IntegerForms(loop, self._fact_of))
            form, element = forms.of(value), integer_type(value, self._fact_of)
            if form is not None and element is not None:
                least, greatest = self._least(form, loops), self._greatest(form, loops)
                known = None if least is None or greatest is None else (least, greatest)
                if known is not None and contains(type_range(element), known):
                    self._found[value, loop] = form
        return self._found[value, loop]

    def _least(self, form: Form, loops: Sequence[LoopOp]) -> int | None:
        greatest = self._greatest(form * -1, loops)
        return None if greatest is None else -greatest

    def _greatest(self, form: Form, loops: Sequence[LoopOp]) -> int | None:
        """Return the least upper bound that is found.

        One iteration number after the other is replaced.
        """
        found: list[int] = []

        def note() -> None:
            if (interval := form.interval(self._interval)) is not None:
                found.append(interval[1])

        note()
        for depth, loop in enumerate(loops):
            form = self._expanded(form, loops[depth:])
            note()
            form = self._without_iteration(form, loop)
            note()
        return min(found, default=None)

    def _expanded(self, form: Form, loops: Sequence[LoopOp]) -> Form:
        """Replace the values of a loop's body by their forms."""
        for symbol in dict.fromkeys(form.symbols()):
            if symbol is not loops[0].iteration and not comes_from_outside(symbol, loops[0]):
                larger = form.substitute(symbol, self._form(symbol, loops))
                form = larger if larger.is_small else form
        return form

    def _without_iteration(self, form: Form, loop: LoopOp) -> Form:
        """Replace an iteration number by the one of the greatest form.

        The form stays if that is not known.
        """
        slope, rest = form.split(loop.iteration)
        sign = slope.interval(self._interval)
        if sign is None or sign == (0, 0):
            return form
        if sign[1] <= 0:
            return rest
        if sign[0] < 0 or loop.trip is None or not self._ends_by_its_trips(loop):
            return form
        larger = rest + slope * (AffineForm.of(loop.trip) - 1)
        return larger if larger.is_small else form

    def _ends_by_its_trips(self, loop: LoopOp) -> bool:
        """Return True if the trip count limits a loop that ends."""
        if loop.cond is None and loop.next.cond is None and not loop.sliced:
            return True
        assert loop.trip is not None
        trips = self._interval(loop.trip)
        return trips is not None and trips[0] >= 0
