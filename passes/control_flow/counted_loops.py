"""Unrolling and peeling of counted loops.

A loop is taken apart into pieces, each of which runs some of its iterations: copies of the body, a loop over groups of several
copies, a loop over what is left. What the pieces of `ov.loop` and `scf.for` are is said by `LoopPieces`; the rewrites are
written once, in terms of it. Passes decide which loops, by which factor.
"""

from __future__ import annotations

import abc
from collections.abc import Callable


class LoopPieces(abc.ABC):
    """A loop as consecutive pieces that run its iterations.

    Each method appends a piece that runs the next iterations, behind all pieces before it and in place of the loop; it takes up
    the loop-carried values that the piece before gives. At the end, `replace` puts the values of the last piece in place
    of the loop's results.
    """

    @abc.abstractmethod
    def copy(self, count: int) -> None:
        """Append copies of the body for iterations that surely come.

        The number of the first of them is known, or the trip count minus one.
        """

    @abc.abstractmethod
    def group(self, factor: int, trips: int | None = None) -> None:
        """Append a loop over groups of `factor` copies of the body.

        It runs the first iterations: `trips` of them, a multiple of the factor, or all whole groups of a trip count that is known
        at run time.
        """

    @abc.abstractmethod
    def rest(self) -> None:
        """Append the loop over all iterations that are left."""

    @abc.abstractmethod
    def all_but_last(self) -> None:
        """Append the loop over all iterations but the last."""

    @abc.abstractmethod
    def one(self) -> None:
        """Append one iteration.

        It is a copy of the body, or a loop of one iteration or none where it may not come.
        """

    @abc.abstractmethod
    def replace(self) -> None:
        """Replace the results of the loop by those of its pieces."""


def unroll(loop: LoopPieces, trips: int | None, factor: int, *, most_left: int = 1) -> None:
    """Unroll a loop by a factor.

    It becomes a loop over groups of `factor` copies of its body, and the remaining iterations. A single group needs no loop, so
    that `factor = trips` unrolls completely. Up to `most_left` remaining iterations are copies; more of them, or those of a trip
    count that is not known (None), are a loop.
    """
    if trips is None:
        loop.group(factor)
        loop.rest()
    else:
        left = trips % factor
        if trips - left > factor:
            loop.group(factor, trips - left)
        else:
            loop.copy(trips - left)
        if left > most_left:
            loop.rest()
        else:
            loop.copy(left)
    loop.replace()


def peel(loop: LoopPieces, *, at_end: bool, decide: Callable[[bool], None] | None = None) -> None:
    """Peel the first or last iteration of a loop.

    It moves in front of the loop or behind it. `decide` changes the loop's body to what it is in this iteration (True), and then to
    what it is in all others (False).
    """
    if at_end:
        loop.all_but_last()
    if decide is not None:
        decide(True)
    loop.one()
    if decide is not None:
        decide(False)
    if not at_end:
        loop.rest()
    loop.replace()
