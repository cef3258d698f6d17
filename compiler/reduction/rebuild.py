"""Loops and branches with fewer values: the operation is made anew around the same regions."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from loomir.compiler.reduction.editor import Editor, erase
from loomir.dialects.ov.control_flow import IfOp, LoopOp, NextOp


def without_values(editor: Editor, op: Operation, kind: str, k: int) -> bool:
    """Take one value of a kind from a loop or branch; False where nothing can stand for it."""
    if isinstance(op, LoopOp):
        return _from_loop(editor, op, kind, k)
    if isinstance(op, IfOp | scf.IfOp):
        return _from_branch(editor, op, k)
    if isinstance(op, scf.ForOp):
        return _from_for(editor, op, k)
    assert isinstance(op, scf.WhileOp)
    return _from_while(editor, op, k)


def _without(values: Sequence[SSAValue], k: int | None) -> list[SSAValue]:
    return [v for i, v in enumerate(values) if i != k]


def _stays(editor: Editor, inside: Sequence[SSAValue], result: SSAValue, start: SSAValue) -> bool:
    """A carried value that is what it starts with, inside and behind the loop; or behind it what was seen."""
    if not all(a.first_use is None or editor.replace(a, start) for a in inside):
        return False
    return result.first_use is None or editor.replace(result, start) or editor.substitute(result)


def _hand_over(old: Operation, new: Operation, dropped: SSAValue | None) -> None:
    """Give the results of the new operation, which has all but one of the old one's, to the users."""
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


def _from_branch(editor: Editor, op: IfOp | scf.IfOp, k: int) -> bool:
    results = list(op.results)
    if (isinstance(op, IfOp) and len(results) == 1) or not editor.substitute(results[k]):
        return False
    for region in op.regions:
        if region.blocks:
            end = region.block.last_op
            assert end is not None
            end.operands = _without(tuple(end.operands), k)
    types = [r.type for r in _without(results, k)]
    first, second = (op.detach_region(r) for r in list(op.regions))
    new = (
        IfOp.of(op.cond, types, first, second)
        if isinstance(op, IfOp)
        else scf.IfOp(op.cond, types, first, second)
    )
    _hand_over(op, new, results[k])
    return True


def _from_for(editor: Editor, op: scf.ForOp, k: int) -> bool:
    block = op.body.block
    if not _stays(editor, [block.args[1 + k]], op.res[k], op.iter_args[k]):
        return False
    block.erase_arg(block.args[1 + k])
    end = block.last_op
    assert end is not None
    end.operands = _without(tuple(end.operands), k)
    dropped = op.res[k]
    new = scf.ForOp(op.lb, op.ub, op.step, _without(op.iter_args, k), op.detach_region(op.body))
    _hand_over(op, new, dropped)
    return True


def _from_while(editor: Editor, op: scf.WhileOp, k: int) -> bool:
    before, after = op.before_region.block, op.after_region.block
    if not _stays(editor, [before.args[k], after.args[k]], op.res[k], op.arguments[k]):
        return False
    condition, end = before.last_op, after.last_op
    assert isinstance(condition, scf.ConditionOp)
    assert end is not None
    condition.operands = [condition.condition, *_without(tuple(condition.args), k)]
    end.operands = _without(tuple(end.operands), k)
    before.erase_arg(before.args[k])
    after.erase_arg(after.args[k])
    dropped = op.res[k]
    new = scf.WhileOp(
        _without(op.arguments, k),
        [r.type for r in _without(op.res, k)],
        op.detach_region(op.before_region),
        op.detach_region(op.after_region),
    )
    _hand_over(op, new, dropped)
    return True
