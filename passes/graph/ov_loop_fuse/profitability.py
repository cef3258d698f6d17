"""Loops that gain from being one."""

from __future__ import annotations

from dataclasses import dataclass

from loomir.dialects.diagnostics import MissedReason
from loomir.dialects.ov.operators.contraction import EinsumOp, MatMulOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.recurrent import RecurrentOperation
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.dependence import MEMORY, LoopDependence, dependence_of
from loomir.passes.analysis.dependence.updates import update_of
from loomir.passes.graph.ov_loop_fuse.legality import FusionPlan

_PRODUCTS = MatMulOp, EinsumOp, RecurrentOperation


@dataclass(frozen=True)
class _Facts:
    """Facts that decide whether a loop is fused.

    Its iterations have to run one after the other; a matrix product takes more time than the loop.
    """

    needs_loop: bool
    has_product: bool


class Recurrences:
    """Remembers the recurrences of loops."""

    def __init__(self) -> None:
        self._known: dict[LoopOp, _Facts] = {}

    def obstacle(self, plan: FusionPlan) -> MissedReason | None:
        """Return why two loops should stay two, or None.

        A loop that only slices what the other one joins is always fused: then nothing is joined.
        """
        if (
            plan.slices_the_first
            and not plan.middle
            and not any(value in plan.parts for value in plan.used_elsewhere())
        ):
            return None
        facts = [self._of(loop) for loop in (plan.first, plan.second)]
        if any(f.has_product for f in facts):
            return MissedReason("a recurrence has a matrix product, which takes longer than the loop")
        if not all(f.needs_loop for f in facts) and (plan.middle or not plan.slices_the_first):
            return MissedReason("one of the two loops may be computed without a loop")
        return None

    def note(self, fused: LoopOp, plan: FusionPlan) -> None:
        """Note what is known of two loops for the fused one."""
        facts = [self._known.pop(loop, None) for loop in (plan.first, plan.second)]
        known = [f for f in facts if f is not None]
        if len(known) == len(facts):
            needs, has = (any(getattr(f, name) for f in known) for name in ("needs_loop", "has_product"))
            self._known[fused] = _Facts(needs, has)

    def _of(self, loop: LoopOp) -> _Facts:
        if loop not in self._known:
            dependence = dependence_of(loop)
            self._known[loop] = _Facts(_needs_loop(dependence), _has_product(dependence))
        return self._known[loop]


def _needs_loop(dependence: LoopDependence) -> bool:
    """Return True if a recurrence is no reduction."""
    return any(
        number == MEMORY or update_of(dependence, number) is None
        for recurrence in dependence.recurrences
        for number in recurrence
    )


def _has_product(dependence: LoopDependence) -> bool:
    """Return True if a recurrence contains a matrix product."""
    return any(
        isinstance(op, _PRODUCTS) and bool(dependence.recurrences_of(op)) for op in walk(dependence.loop)
    )
