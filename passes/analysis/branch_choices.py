"""Cost comparison of computing both arms of a branch and choosing one.

The same criteria apply to `ov.if` and `scf.if`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from loomir.dialects.effects import is_side_effect_free
from loomir.dialects.speculation import speculatable
from loomir.passes.analysis.machines import Machine
from loomir.passes.analysis.operation_costs import cost_of
from loomir.passes.analysis.remarks import Why


@dataclass(frozen=True)
class Choice:
    """Policy for computing both arms of a branch.

    The decision depends on cost, up to `limit` additions of this machine, or is always or never to compute both.
    """

    policy: Literal["never", "cost", "always"]
    limit: int
    machine: Machine

    def reason_against_all(self, inside: Sequence[Operation]) -> Why | None:
        """Why a branch of these operations stays, whatever they cost."""
        if self.policy == "never":
            return Why("cost=never")
        return Why("a loop or a branch is in it") if any(o.regions for o in inside) else None

    def reason_against(self, inside: Sequence[Operation], results: Sequence[SSAValue]) -> Why | None:
        """Return why the operations of both arms are not computed up front.

        The reason is their cost or an operation that may fail.
        """
        cost = self.cost_of(inside, results)
        if self.policy == "cost" and (cost is None or cost > self.limit):
            return Why(
                f"both branches and the choice cost {additions(cost)}, more than {self.limit}",
                {"cost": cost, "limit": self.limit},
            )
        for o in inside:
            if not is_side_effect_free(o) or not speculatable(o):
                return Why(f"{o.name} may fail")
        return None

    def cost_of(self, inside: Sequence[Operation], results: Sequence[SSAValue]) -> int | None:
        """Return the cost of both arms and of selecting their results.

        The unit is additions; the result is None if the cost is unknown.
        """
        costs = [cost_of(o, self.machine) for o in inside]
        known = [c for c in costs if c is not None]
        if len(known) < len(costs):
            return None
        types = [r.type for r in results]
        return sum(known) + sum(prod(t.get_shape()) if isinstance(t, TensorType) else 1 for t in types)


def additions(cost: int | None) -> str:
    """A cost in words."""
    return "an unknown number of additions" if cost is None else f"{cost} additions"
