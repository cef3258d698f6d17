"""Steps on loops and branches.

They cover those of GRAPH (`ov.loop`, `ov.if`) and of the stages below (`scf`). A loop or branch with fewer values is an
operation that is created anew around the same regions.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.ir import BlockArgument, Operation, SSAValue

from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp, NextOp
from loomir.dialects.region_flow import region_flow
from loomir.dialects.upstream.walking import walk
from loomir.tools.reduce.editor import Editor, ReductionCase, erase, inline


def without_values(editor: Editor, op: Operation, kind: str, k: int) -> bool:
    """Remove one value of a kind from a loop or branch.

    Returns False if nothing can replace the value.
    """
    return _from_loop(editor, op, kind, k) if isinstance(op, LoopOp) else _from_other(editor, op, k)


def _without(values: Sequence[SSAValue], k: int | None) -> list[SSAValue]:
    return [v for i, v in enumerate(values) if i != k]


def _stays(editor: Editor, inside: Sequence[SSAValue], result: SSAValue, start: SSAValue) -> bool:
    """Replace a carried value by its initial value.

    It is replaced inside and behind the loop. Behind the loop, the observed value may replace it instead.
    """
    if not all(a.first_use is None or editor.replace(a, start) for a in inside):
        return False
    return result.first_use is None or editor.replace(result, start) or editor.substitute(result)


def _hand_over(old: Operation, new: Operation, dropped: SSAValue | None) -> None:
    """Replace an operation by a new one with one result less.

    The users of the old results use those of the new operation.
    """
    assert old.parent is not None
    new.location = old.location
    new.attributes |= old.attributes
    old.parent.insert_op_before(new, old)
    kept = [r for r in old.results if r is not dropped]
    for before, after in zip(kept, new.results, strict=True):
        after.name_hint = before.name_hint
        before.replace_all_uses_with(after)
    erase(old)


def _from_loop(editor: Editor, op: LoopOp, kind: str, k: int) -> bool:
    groups = {"carried": op.final, "last": op.last, "concat": op.concat}
    block, end = op.body.block, op.next
    drop = {name: k if name == kind else None for name in ("carried", "sliced", "last", "concat")}
    dropped = groups[kind][k] if kind in groups else None
    if kind == "carried":
        if not _stays(editor, [op.carried_arguments[k]], op.final[k], op.carried[k]):
            return False
        block.erase_arg(block.args[1 + k])
    elif kind == "sliced":
        if not editor.substitute(op.part_arguments[k]):
            return False
        block.erase_arg(block.args[1 + len(op.carried) + k])
    elif dropped is not None and not editor.substitute(dropped):
        return False
    keeps_condition = kind != "cond"
    new_end = NextOp.build(
        operands=[
            [end.cond] if end.cond is not None and keeps_condition else [],
            _without(end.carried, drop["carried"]),
            _without(end.last, drop["last"]),
            _without(end.concat, drop["concat"]),
        ]
    )
    new_end.location = end.location
    erase(end)
    block.add_op(new_end)
    slices = [s for i, s in enumerate(op.slicings) if i != drop["sliced"]]
    concats = [c for i, c in enumerate(op.concatenations) if i != drop["concat"]]
    new = op.like(
        op.detach_region(op.body),
        cond=op.cond if keeps_condition else None,
        carried=_without(op.carried, drop["carried"]),
        sliced=_without(op.sliced, drop["sliced"]),
        slices=slices,
        concats=concats,
        final_types=[v.type for v in _without(op.final, drop["carried"])],
        last_types=[v.type for v in _without(op.last, drop["last"])],
        concat_types=[v.type for v in _without(op.concat, drop["concat"])],
    )
    _hand_over(op, new, dropped)
    return True


def _from_other(editor: Editor, op: Operation, k: int) -> bool:
    """Remove a branch's result, or a carried value of an scf loop."""
    flow = region_flow(op)
    assert flow is not None
    dropped = op.results[k]
    if flow.repeats:
        carried = flow.carried[k]
        if not _stays(editor, carried.arguments, dropped, carried.initial):
            return False
    elif (isinstance(op, IfOp) and len(op.results) == 1) or not editor.substitute(dropped):
        return False
    initial = _without(op.operands, flow.entry.first + k)
    regions = [region for region in op.regions if region.blocks]
    arguments = [a for r in regions for a in flow.arguments(r)[k : k + 1] if isinstance(a, BlockArgument)]
    ends = {edge.forwarder: edge.first for edge in flow.edges if edge.source is not None}
    for end, first in ends.items():
        end.operands = _without(end.operands, first + k)
    for argument in arguments:
        argument.block.erase_arg(argument)
    new = type(op).create(
        operands=initial,
        result_types=[r.type for r in op.results if r is not dropped],
        properties=op.properties,
        regions=[op.detach_region(region) for region in list(op.regions)],
    )
    _hand_over(op, new, dropped)
    return True


SMALL_TRIPS = (0, 1, 2)


def of_kind(case: ReductionCase, *, loops: bool) -> list[Operation]:
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

    def targets(self, case: ReductionCase) -> Sequence[Operation]:
        return of_kind(case, loops=True)

    def apply(self, editor: Editor, target: Operation) -> bool:
        flow = region_flow(editor.op(target))
        return flow is not None and _finish(editor, flow.op, flow.entry.operands)


class Once:
    """A loop becomes one run of its body."""

    name = "loops by their bodies"

    def targets(self, case: ReductionCase) -> Sequence[Operation]:
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

    def targets(self, case: ReductionCase) -> Sequence[Operation]:
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

    def targets(self, case: ReductionCase) -> Sequence[tuple[Operation, str, int]]:
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

    def targets(self, case: ReductionCase) -> Sequence[Operation]:
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

    def targets(self, case: ReductionCase) -> Sequence[tuple[Operation, int]]:
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
