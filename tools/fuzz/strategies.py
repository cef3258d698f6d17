"""Random programs as hypothesis strategies: `@given(programs(size=6))`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from loomir.tools.fuzz.generator import Generator
from loomir.tools.fuzz.program import Program

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

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
