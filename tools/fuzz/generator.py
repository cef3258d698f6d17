"""Random programs: inputs, steps, outputs, feeds.

`PLAIN` has all plain steps with their weights: each is a function of a `Builder`, and takes operands that fit, or does
nothing if there are none. `REGIONS` has those with branches and loops: each is a function of a `Stepper`, whose `steps`
fills the regions. `program_of` is a program of a seed; `programs` is a hypothesis strategy: `@given(programs(size=6))`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from loomir.tools.fuzz import (
    DTYPES,
    FLOATS,
    INTEGERS,
    AxisExtent,
    Open,
    Program,
    Value,
    boundary_steps,
    compute_steps,
    least,
    loop_steps,
    most,
    movement_steps,
    region_steps,
)
from loomir.tools.fuzz.boundary_steps import ends_input, feed_of_ends, row_inputs
from loomir.tools.fuzz.builder import LARGEST_FLOAT, Builder, Choices, SeededChoices
from loomir.tools.fuzz.features import count_forms, program_with
from loomir.tools.fuzz.loop_forms import loops_over_rows
from loomir.tools.fuzz.region_steps import Stepper
from loomir.tools.fuzz.sequence_steps import SEQUENCE_REGIONS, SEQUENCE_STEPS

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy


PlainStep = Callable[[Builder], None]

PLAIN: dict[PlainStep, int] = {
    **compute_steps.ELEMENTWISE,
    **boundary_steps.EXTREMES,
    **movement_steps.INDEXING,
    **boundary_steps.LANES,
    **movement_steps.MOVING,
    **compute_steps.REDUCING,
    **movement_steps.SHAPING,
}
"""Every plain step, with its relative frequency."""


REGIONS: dict[Callable[[Stepper], None], int] = {
    loop_steps.loop: 6,
    region_steps.if_: 3,
    region_steps.rank_changing_if: 1,
    region_steps.rank_changing_loop: 1,
    region_steps.shape_of_any_length: 1,
    region_steps.element_loop: 1,
    region_steps.faulty_if: 1,
    loop_steps.scan: 2,
    loop_steps.iterator: 2,
}
"""Every step with regions, with its relative frequency."""


FEEDS = 2
MAX_OUTPUTS = 8


class Generator(Stepper):
    """Generator of one program.

    The program has about `size` steps at the top level, with regions nested up to `depth` deep.
    """

    def __init__(
        self,
        choices: Choices,
        *,
        size: int = 8,
        depth: int = 4,
        sequences: bool = False,
        open_scans: bool = False,
        forms: bool = False,
    ) -> None:
        plain = {**PLAIN, **SEQUENCE_STEPS} if sequences else PLAIN
        regions = {**REGIONS, **SEQUENCE_REGIONS} if sequences else REGIONS
        if forms:
            regions = {**regions, loops_over_rows: sum(regions.values())}
        super().__init__(choices, size=size, depth=depth, plain=plain, regions=regions)
        self.open_scans = open_scans

    def program(self, name: str) -> Program:
        """Inputs, steps, outputs, feeds."""
        inputs = self.inputs()
        self.publish(*(v for v in inputs if v is not self.ends))
        self.steps(self.size, wanted=2)
        results = self.results(inputs)
        region = self.scope.region(inputs, results)
        feeds = tuple(self.feed(inputs) for _ in range(FEEDS))
        program = Program(name, region, feeds, self.features, frozenset(self.refusals))
        self.features.update(count_forms(program))
        return program

    def inputs(self) -> list[Value]:
        """Return the inputs of a program.

        They are floats of rank 2 and 1 that share an extent, integers of rank 0 and 1, a boolean, and sometimes more.
        """
        extents: list[AxisExtent] = [self.integer(1, 4), self.integer(1, 3)]
        if self.chance(0.25):
            extents[0] = self.open(0 if self.chance(0.3) else 1, 4)
            self.feature("open input")
        inputs = [
            self.value("x", self.float, (extents[0], extents[1]), LARGEST_FLOAT),
            self.value("x", self.float, (extents[self.integer(0, 1)],), LARGEST_FLOAT),
            self.value("n", "i64", (), 9),
            self.value("n", "i64", (self.integer(2, 3),), 9),
            self.value("c", "bool", (), 1),
        ]
        if self.chance(0.4):
            inputs.append(self.value("n", "i32", (self.integer(1, 3), extents[1]), 9))
        if self.chance(0.3):
            shape = (self.integer(1, 2), self.integer(1, 3), extents[1])
            shape = (*shape, self.integer(1, 2)) if self.chance(0.3) else shape
            inputs.append(self.value("x", self.float, shape, LARGEST_FLOAT))
        if self.chance(0.6):
            inputs += row_inputs(self)
        if self.chance(0.05):
            inputs.append(self.value("x", self.float, (0, extents[1]), LARGEST_FLOAT))
            self.feature("empty input")
        if self.chance(0.3):
            inputs.append(ends_input(self))
        for value in inputs:
            self.feature(f"type {value.dtype}")
        return inputs

    def feed(self, inputs: list[Value]) -> Mapping[str, np.ndarray]:
        """Random arrays for the inputs: negative numbers and zeros among the integers."""
        extents: dict[AxisExtent, int] = {}
        result: dict[str, np.ndarray] = {}
        for value in inputs:
            for e in value.shape or ():
                if e not in extents:
                    extents[e] = self.integer(least(e), most(e)) if isinstance(e, Open) else e
            shape = [extents[e] for e in value.shape or ()]
            dtype = DTYPES[value.dtype]
            if value is self.ends:
                array = feed_of_ends(self, shape)
            elif value.dtype in FLOATS:
                array = np.clip(self.numpy.normal(size=shape), -LARGEST_FLOAT, LARGEST_FLOAT).astype(dtype)
            elif value.dtype in INTEGERS:
                array = self.numpy.integers(-2, 8, size=shape).astype(dtype)
            else:
                array = self.numpy.integers(0, 2, size=shape) == 1
            result[value.name] = np.asarray(array)
        return result

    def results(self, inputs: list[Value]) -> list[Value]:
        """Return the results of a program.

        They are the values that nothing has read, and some of the rest; now and then an input, a constant, or one value twice.
        """
        values = [v for v in self.scope.values if v not in inputs and not v.is_sequence]
        unread = [v for v in values if v in self.unread]
        results = unread[-MAX_OUTPUTS:]
        results += [v for v in values[-4:] if v not in unread and self.chance(0.3)]
        if self.chance(0.08):
            results.append(self.choose(inputs))
            self.feature("output is an input")
        if self.chance(0.08):
            results.append(self.random_constant(self.any_type(), (2,)))
            self.feature("output is a constant")
        if results and self.chance(0.08):
            results.append(self.choose(results))
            self.feature("output twice")
        if not results:
            results.append(
                self.emit("Identity", [inputs[0]], inputs[0].dtype, inputs[0].shape, LARGEST_FLOAT)
            )
        if len(results) > 1:
            self.feature("several outputs")
        return results


def program_of(
    seed: int,
    index: int,
    *,
    size: int = 8,
    depth: int = 4,
    sequences: bool = False,
    open_scans: bool = False,
    forms: bool = False,
    features: Sequence[str] = (),
) -> Program:
    """Return program `index` of a seed.

    The program is the same whenever and wherever it is generated, whatever was generated before. With `sequences` it may
    contain sequences of tensors, which OpenVINO IR cannot express; with `open_scans` it may contain scan outputs whose
    extents after no iteration are not ONNX Runtime's (`OPEN_SCANS`). With `forms` half of its regions are loops of the forms
    that passes on loop structure know (`loop_forms`). With `features` it is the first of its candidates that has them
    (`program_with`).
    """
    name = f"{seed}/{index}"

    def candidate(number: int) -> Program:
        choices = SeededChoices(f"{name}/{number}" if number else name)
        made = Generator(
            choices, size=size, depth=depth, sequences=sequences, open_scans=open_scans, forms=forms
        )
        made.dense = number > 0
        return made.program(name)

    return program_with(features, candidate)


_T = TypeVar("_T")


class DrawnChoices:
    """Choices that hypothesis makes, so that it can repeat and shrink them."""

    def __init__(self, draw: DrawFn) -> None:
        from hypothesis import strategies as st

        self._draw = draw
        self._integers = st.integers
        self._chances = st.integers(0, 63)

    def integer(self, low: int, high: int) -> int:
        """Draw a number from `low` to `high`, both included.

        It shrinks towards 0 or the number closest to 0.
        """
        return low if low == high else self._draw(self._integers(low, high))

    def chance(self, probability: float) -> bool:
        """True with this probability, in 64ths; shrinks towards False."""
        return self._draw(self._chances) >= 64 - round(64 * probability)

    def pick(self, items: Sequence[_T]) -> _T:
        """One of the items; shrinks towards the first."""
        return items[self.integer(0, len(items) - 1)]

    def weighted(self, items: Sequence[_T], cumulative: Sequence[int]) -> _T:
        """One of the items, by sums of weights; shrinks towards the first."""
        number = self.integer(0, cumulative[-1] - 1)
        return items[next(i for i, c in enumerate(cumulative) if number < c)]


def programs(*, size: int = 8, depth: int = 4, sequences: bool = False) -> SearchStrategy[Program]:
    """Return a strategy for programs of up to `size` steps.

    The steps are counted at the top level; regions are nested up to `depth` deep; see `program_of`.
    """
    from hypothesis import strategies as st

    @st.composite
    def program(draw: DrawFn) -> Program:
        wanted = draw(st.integers(1, size))
        return Generator(DrawnChoices(draw), size=wanted, depth=depth, sequences=sequences).program(
            "hypothesis"
        )

    return program()
