"""Cost models: run time, code size, and both arms of a branch.

The cost of running an operation (`cost_of`) is the number of computed elements times the operation's cost for one number on the
machine (`machines.py`). The unit is an addition. The cost decides where work that not every run needs is cheaper than a test for its
necessity; all such decisions use this module. One is whether to compute both arms of a branch and select (`IfConversionPolicy`): the same
criteria apply to `ov.if` and `scf.if`.

The size of an operation in the emitted C (`code_size`) bounds passes that copy operations. The unit is an elementwise operation,
some 100 bytes of code at -Os by itself (a nest of loops around a line; fused with its neighbours it is only the line). An operation
that only determines the places of elements counts zero; a product or another operation with a nest of its own counts a few times as
much; a composite operation counts all operations that it consists of.

Both are rough.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import ConstantLike, IsTerminator

from loomir.dialects.diagnostics import MissedReason
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.operators.comparison import LogicalNotOp, SelectOp, TwoToBooleanOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    DivideOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.profile import branch_facts
from loomir.dialects.scalars import SCALARS
from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.effects import is_side_effect_free
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.machines import Machine

SIMPLE = (
    AddOp,
    SubtractOp,
    MultiplyOp,
    MaximumOp,
    MinimumOp,
    TwoToBooleanOp,
    LogicalNotOp,
    SelectOp,
    ConvertOp,
    ReshapeOp,
    SqueezeOp,
    UnsqueezeOp,
)
"""An instruction for each element, or none."""

_DIVISIONS = (
    arith.DivfOp,
    arith.DivSIOp,
    arith.DivUIOp,
    arith.CeilDivSIOp,
    arith.CeilDivUIOp,
    arith.FloorDivSIOp,
    arith.RemSIOp,
    arith.RemUIOp,
    math.SqrtOp,
)
_NO_FUNCTIONS = (math.AbsFOp, math.AbsIOp, math.CopySignOp, math.FmaOp)
"""Operations of `math` that are an instruction, or two."""


def cost_of(op: Operation, machine: Machine) -> int | None:
    """Return the cost of an operation without regions, on a machine.

    The result is None if the cost is unknown: an extent is dynamic, or the operation is not elementwise.
    """
    if op.has_trait(ConstantLike):
        return 0
    if type(op) in SCALARS:
        return _cost_of_a_number(op, machine)
    if not isinstance(op, OvOperation) or not (op.ELEMENTWISE or isinstance(op, SIMPLE)):
        return None
    elements = 0
    for result in op.results:
        if not isinstance(result.type, TensorType) or not result.type.has_static_shape():
            return None
        elements += prod(result.type.get_shape())
    if isinstance(op, SIMPLE):
        return elements
    return elements * (machine.division if isinstance(op, DivideOp) else machine.function)


def _cost_of_a_number(op: Operation, machine: Machine) -> int | None:
    """The cost of an operation of `arith` or `math` on numbers."""
    if any(isinstance(result.type, TensorType) for result in op.results):
        return None
    if isinstance(op, _DIVISIONS):
        return machine.division
    is_function = op.name.startswith("math.") and not isinstance(op, _NO_FUNCTIONS)
    return machine.function if is_function else 1


INDEX_ONLY = (ReshapeOp, SqueezeOp, UnsqueezeOp, ShapeOfOp)
SINGLE_LINE = (*SIMPLE, SliceOp)
NEST_SIZE, COMPOSITE_SIZE, REGION_SIZE = 4, 16, 2


def code_size(op: Operation) -> int:
    """The size of one operation with all that is in its regions."""
    return sum(map(_own_size, walk(op)))


def code_size_of_block(block: Block) -> int:
    """The size of all operations in a block."""
    return sum(map(_own_size, walk(block)))


class NestSizes:
    """Sizes of selected operations with regions, updated as inner ones grow.

    The operations may be nested; inner ones grow before those around them.

    Each operation of the program is entered once, at any nesting depth.
    """

    def __init__(self, top: Operation, wanted: Collection[Operation]) -> None:
        self._sizes: dict[Operation, int] = {}
        self._around: dict[Operation, Operation] = {}
        operations = list(walk(top))
        for op in operations:
            if op.regions and op is not top and (parent := op.parent_op()) is not None:
                around = parent if parent in wanted else self._around.get(parent)
                if around is not None:
                    self._around[op] = around
        for op in reversed(operations):
            size = self._sizes.get(op, 0) + _own_size(op)
            if op.regions:
                self._sizes[op] = size
            if op is not top and (parent := op.parent_op()) is not None:
                self._sizes[parent] = self._sizes.get(parent, 0) + size
        self._grown: dict[Operation, int] = {}

    def size(self, op: Operation) -> int:
        """Return the size of an operation with its contents and recorded growth."""
        return self._sizes[op] + self._grown.get(op, 0)

    def leave(self, op: Operation, growth: int) -> None:
        """Leave a selected operation and record the program's growth beside it.

        The selected operation around it grows by both: this growth and the growth inside the operation.
        """
        around = self._around.get(op)
        if around is not None:
            self._grown[around] = self._grown.get(around, 0) + self._grown.get(op, 0) + growth


def _own_size(op: Operation) -> int:
    if op.regions:
        return REGION_SIZE
    if op.has_trait(ConstantLike) or op.has_trait(IsTerminator) or isinstance(op, INDEX_ONLY):
        return 0
    if isinstance(op, SINGLE_LINE) or (isinstance(op, OvOperation) and op.ELEMENTWISE):
        return 1
    return COMPOSITE_SIZE if isinstance(op, OvOperation) and op.COMPOSITE else NEST_SIZE


TEST = 2
"""A comparison and a branch."""

JUMP = 1
"""A jump from one arm over the other."""

PREDICTED = 16
"""Of so many branches without a profile, one is mispredicted."""


@dataclass(frozen=True)
class _UsualCost:
    """Mean cost of a branch, and where it is known from."""

    cost: int
    source: str


@dataclass(frozen=True)
class IfConversionPolicy:
    """Policy for computing both arms of a branch.

    `"cost"` computes both if they cost at most `limit` additions of this machine, `"work"` if they cost no more than the branch does
    on average, each arm taken as often as the other, and one branch in `PREDICTED` mispredicted. A profile says how often they are taken,
    for either.
    """

    policy: Literal["never", "cost", "work", "always"]
    limit: int
    machine: Machine

    def reason_against_all(self, inside: Sequence[Operation]) -> MissedReason | None:
        """Why a branch of these operations stays, whatever they cost."""
        if self.policy == "never":
            return MissedReason("cost=never")
        return MissedReason("it contains a loop or a branch") if any(o.regions for o in inside) else None

    def reason_against(
        self, inside: Sequence[Operation], results: Sequence[SSAValue], branch: Operation
    ) -> MissedReason | None:
        """Return why the operations of both arms are not computed up front.

        The reason is their cost, also compared with that of the branch in a profile, or an operation that may fail.
        """
        cost = self.cost_of(inside, results)
        by_cost = self.policy in ("cost", "work")
        if by_cost and cost is not None and (usual := self._usual_cost(branch)) is not None:
            if cost > usual.cost:
                return MissedReason(
                    f"both branches and the select cost {cost_text(cost)}, the branch {usual.cost} {usual.source}",
                    {"cost": cost, "usual": usual.cost},
                )
        elif by_cost and (cost is None or cost > self.limit):
            return MissedReason(
                f"both branches and the select cost {cost_text(cost)}, more than {self.limit}",
                {"cost": cost, "limit": self.limit},
            )
        for o in inside:
            if not is_side_effect_free(o) or not speculatable(o):
                return MissedReason(f"{o.name} may fail")
        return None

    def _usual_cost(self, branch: Operation) -> _UsualCost | None:
        """Return the mean cost of a branch, if it is known.

        It is that of a test and of the arms, as often as a profile says, with mispredictions, or each as often if the policy is "work".
        """
        facts = branch_facts(branch)
        share = None if facts is None else facts.probability
        if share is None and self.policy != "work":
            return None
        arms = [
            self.cost_of(list(region.block.ops)[:-1], ()) if region.blocks else 0 for region in branch.regions
        ]
        if arms[0] is None or arms[1] is None:
            return None
        if share is None:
            between = max(JUMP, self.machine.branch // PREDICTED)
            return _UsualCost(TEST + between + (arms[0] + arms[1]) // 2, "on average")
        wrong = min(share, 1 - share) * self.machine.branch
        return _UsualCost(round(TEST + share * arms[0] + (1 - share) * arms[1] + wrong), "in the profile")

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


def cost_text(cost: int | None) -> str:
    """A cost in words."""
    return "an unknown number of additions" if cost is None else f"{cost} additions"
