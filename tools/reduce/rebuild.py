"""Loops and branches with fewer values.

The operation is created anew around the same regions.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import BlockArgument, Operation, SSAValue

from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp, NextOp
from loomir.dialects.region_flow import region_flow
from loomir.tools.reduce.editor import Editor, erase


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
    new = LoopOp.of(
        trip=op.trip,
        cond=op.cond if keeps_condition else None,
        carried=_without(op.carried, drop["carried"]),
        sliced=_without(op.sliced, drop["sliced"]),
        slices=slices,
        concats=concats,
        final_types=[v.type for v in _without(op.final, drop["carried"])],
        last_types=[v.type for v in _without(op.last, drop["last"])],
        concat_types=[v.type for v in _without(op.concat, drop["concat"])],
        body=op.detach_region(op.body),
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
