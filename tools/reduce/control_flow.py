"""Steps on loops and branches.

They cover those of GRAPH (`ov.loop`, `ov.if`) and of the stages below (`scf`).
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue

from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.region_flow import region_flow
from loomir.dialects.walking import walk
from loomir.tools.reduce.case import Case
from loomir.tools.reduce.editor import Editor, erase, inline
from loomir.tools.reduce.rebuild import without_values

SMALL_TRIPS = (0, 1, 2)


def of_kind(case: Case, *, loops: bool) -> list[Operation]:
    """The loops, or the branches, outer ones first."""
    flows = (region_flow(op) for op in walk(case.module))
    return [flow.op for flow in flows if flow is not None and flow.repeats is loops]


def _finish(editor: Editor, op: Operation, values: Sequence[SSAValue]) -> bool:
    """Replace the results of an operation and erase it.

    The first results are replaced by the values, the others by the values observed in a run.
    """
    changed = [
        result.first_use is None
        or (k < len(values) and editor.replace(result, values[k]))
        or editor.substitute(result)
        for k, result in enumerate(op.results)
    ]
    if all(changed):
        erase(op)
    return any(changed)


class Initial:
    """Replaces a loop by the initial values of its carried values.

    The result is that of a loop that never runs.
    """

    name = "loops by what they start with"

    def targets(self, case: Case) -> Sequence[Operation]:
        return of_kind(case, loops=True)

    def apply(self, editor: Editor, target: Operation) -> bool:
        flow = region_flow(editor.op(target))
        return flow is not None and _finish(editor, flow.op, flow.entry.operands)


class Once:
    """A loop becomes one run of its body."""

    name = "loops by their bodies"

    def targets(self, case: Case) -> Sequence[Operation]:
        return of_kind(case, loops=True)

    def apply(self, editor: Editor, target: Operation) -> bool:
        op = editor.op(target)
        if op is None:
            return False
        if isinstance(op, LoopOp):
            for part in op.part_arguments:
                if not editor.substitute(part):
                    return False
            number = editor.number(0, op.iteration)
            # What was seen of the parts stands for them already: any value will do for an argument without uses.
            end = op.next
            inline(op.body.block, op, [number, *op.carried, *([number] * len(op.sliced))])
            # After one run a concatenation is its only part.
            given = (*end.carried, *end.last, *end.concat)
        elif isinstance(op, scf.ForOp):
            end = inline(op.body.block, op, [op.lb, *op.iter_args])
            given = tuple(end.operands)
        else:
            assert isinstance(op, scf.WhileOp)
            condition = inline(op.before_region.block, op, op.arguments)
            forwarded = tuple(condition.operands)[1:]
            erase(condition)
            end = inline(op.after_region.block, op, forwarded)
            given = tuple(end.operands)
        erase(end)
        return _finish(editor, op, given)


class Arm:
    """A branch becomes one of its arms."""

    def __init__(self, *, first: bool) -> None:
        self.first = first
        self.name = f"branches by their {'first' if first else 'second'} arms"

    def targets(self, case: Case) -> Sequence[Operation]:
        return of_kind(case, loops=False)

    def apply(self, editor: Editor, target: Operation) -> bool:
        op = editor.op(target)
        if op is None:
            return False
        region = op.regions[0 if self.first else 1]
        if not region.blocks:
            return _finish(editor, op, ())
        end = inline(region.block, op, ())
        given = tuple(end.operands)
        erase(end)
        return _finish(editor, op, given)


class Carried:
    """Removes one value of a loop or branch.

    A carried value is replaced by its initial value, other values by the observed ones.
    """

    name = "carried values and results"

    def targets(self, case: Case) -> Sequence[tuple[Operation, str, int]]:
        found: list[tuple[Operation, str, int]] = []
        for op in walk(case.module):
            if isinstance(op, LoopOp):
                counts = {"carried": op.carried, "sliced": op.sliced, "last": op.last, "concat": op.concat}
            elif region_flow(op) is not None:
                counts = {"result": op.results}
            else:
                continue
            found += [(op, kind, k) for kind, values in counts.items() for k in reversed(range(len(values)))]
        return found

    def apply(self, editor: Editor, target: tuple[Operation, str, int]) -> bool:
        op = editor.op(target[0])
        return op is not None and without_values(editor, op, target[1], target[2])


class Condition:
    """Removes the condition of a GRAPH loop that is limited otherwise.

    The trip count of the loop has another limit.
    """

    name = "conditions of loops"

    def targets(self, case: Case) -> Sequence[Operation]:
        return [
            op
            for op in walk(case.module)
            if isinstance(op, LoopOp) and (op.cond or op.next.cond) and (op.trip or op.sliced)
        ]

    def apply(self, editor: Editor, target: Operation) -> bool:
        op = editor.op(target)
        return op is not None and without_values(editor, op, "cond", 0)


class Trips:
    """Replaces a trip count, or an `scf.for`'s end, by a small number."""

    name = "trip counts"

    def targets(self, case: Case) -> Sequence[tuple[Operation, int]]:
        loops = [op for op in walk(case.module) if isinstance(op, LoopOp | scf.ForOp)]
        return [(op, n) for op in loops for n in SMALL_TRIPS if not _is_number(_limit(op), n)]

    def apply(self, editor: Editor, target: tuple[Operation, int]) -> bool:
        op = editor.op(target[0])
        limit = None if op is None else _limit(op)
        if op is None or limit is None:
            return False
        op.operands[list(op.operands).index(limit) if isinstance(op, LoopOp) else 1] = editor.number(
            target[1], limit
        )
        return True


def _limit(op: Operation) -> SSAValue | None:
    if isinstance(op, LoopOp):
        return op.trip
    assert isinstance(op, scf.ForOp)
    return op.ub


def _is_number(value: SSAValue | None, number: int) -> bool:
    owner = None if value is None else value.owner
    if isinstance(owner, ConstantOp):
        return owner.array.item() == number
    if isinstance(owner, arith.ConstantOp):
        return getattr(getattr(owner.value, "value", None), "data", None) == number
    return value is None
