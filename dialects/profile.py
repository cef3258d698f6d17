"""Facts of a profile: trips of loops and taken arms of branches.

`loomir.load(profile=)` attaches them to `ov.loop` and `ov.if` of the imported program, and passes ask `profile_of`. The lowering hands
them on to `scf`. A fact describes one loop or branch as the model has it: a pass that changes how often a loop runs, or what is tested,
builds another operation, which has no fact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.ir import Operation

from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp

TRIPS, ARMS = "loomir.trips", "loomir.arms"
"""Attributes with the facts.

They hold pairs of a trip count and its number of entries, and the number of times that each arm was taken.
"""

LOOPS = (LoopOp, scf.ForOp, scf.WhileOp)
BRANCHES = (IfOp, scf.IfOp)

TYPICAL = 0.9
"""Share of runs from which on something is typical."""


@dataclass(frozen=True)
class LoopFacts:
    """Trip counts of a loop, and how often each occurred."""

    trips: Mapping[int, int]

    @property
    def entered(self) -> int:
        """Number of times that the loop was reached."""
        return sum(self.trips.values())

    @property
    def iterations(self) -> int:
        """Iterations of all entries together."""
        return sum(trips * times for trips, times in self.trips.items())

    @property
    def typical_trips(self) -> int | None:
        """The trip count of nine in ten entries, if there is one."""
        most = max(self.trips, key=self.trips.__getitem__, default=None)
        return most if most is not None and self.trips[most] >= TYPICAL * self.entered else None

    @property
    def rarely_iterates(self) -> bool:
        """True if the loop was reached more often than its body ran."""
        return self.iterations < self.entered


@dataclass(frozen=True)
class BranchFacts:
    """How often each arm of a branch was taken."""

    then: int
    otherwise: int

    @property
    def probability(self) -> float | None:
        """Share of runs that took the first arm.

        None if the branch was never reached.
        """
        total = self.then + self.otherwise
        return self.then / total if total else None


def attach(op: Operation, facts: LoopFacts | BranchFacts) -> None:
    """Attach facts to a loop or branch."""
    if isinstance(facts, LoopFacts):
        pairs = [number for pair in sorted(facts.trips.items()) for number in pair]
        op.attributes[TRIPS] = DenseArrayBase.from_list(i64, pairs)
    else:
        op.attributes[ARMS] = DenseArrayBase.from_list(i64, [facts.then, facts.otherwise])


def hand_on(old: Operation, new: Operation) -> None:
    """Attach the facts of an operation to the one that replaces it.

    This is a loop that runs as often, or the same branch.
    """
    for name in (TRIPS, ARMS):
        if (given := old.attributes.get(name)) is not None:
            new.attributes[name] = given


def drop(op: Operation) -> None:
    """Drop the facts of an operation, which do not hold any more."""
    for name in (TRIPS, ARMS):
        op.attributes.pop(name, None)


def swap_arms(op: Operation) -> None:
    """Exchange the counts of a branch whose arms are exchanged."""
    if (facts := branch_facts(op)) is not None:
        attach(op, BranchFacts(facts.otherwise, facts.then))


def _numbers(op: Operation, name: str) -> tuple[int, ...] | None:
    given = op.attributes.get(name)
    if not isinstance(given, DenseArrayBase) or given.elt_type != i64:
        return None
    return tuple(int(n) for n in given.get_values())


def loop_facts(op: Operation) -> LoopFacts | None:
    """Return the facts of a loop, or None if it has none."""
    numbers = _numbers(op, TRIPS) if isinstance(op, LOOPS) else None
    if numbers is None or len(numbers) % 2:
        return None
    return LoopFacts(dict(zip(numbers[::2], numbers[1::2])))


def branch_facts(op: Operation) -> BranchFacts | None:
    """Return the facts of a branch, or None if it has none."""
    numbers = _numbers(op, ARMS) if isinstance(op, BRANCHES) else None
    return BranchFacts(*numbers) if numbers is not None and len(numbers) == 2 else None
