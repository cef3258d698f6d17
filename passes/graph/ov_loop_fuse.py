"""`ov-loop-fuse`: fuses a loop with the loop whose concatenation it slices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.passes import ModulePass

from loomir.dialects.diagnostics import MissedReason, Remarks
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.canonicalization.loops import static_trips
from loomir.dialects.ov.operators.control_flow import LoopOp, NextOp
from loomir.dialects.speculation import FailsOnShapes, speculatable
from loomir.dialects.upstream.effects import is_side_effect_free
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.graph.lib.loop_copies import body_of
from loomir.passes.graph.ov_infer import retype
from loomir.passes.options import check_least


@dataclass(frozen=True)
class OvLoopFusePass(ModulePass):
    """Fuses a loop with the earlier loop whose concatenated output it slices.

    The parts are forwarded within one iteration.

    ```mlir
    %all = ov.loop sliced(%x) {                                 // before
    ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>):
      %w = ov.exp %p
      ov.next concat(%w)
    }
    %s = ov.loop carried(%a) sliced(%all) {
    ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %q: tensor<1x4xf32>):
      %m = ov.maximum %v, %q
      ov.next carried(%m)
    }

    %s = ov.loop carried(%a) sliced(%x) {                       // after
    ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
      %w = ov.exp %p
      %m = ov.maximum %v, %w
      ov.next carried(%m)
    }
    ```

    No condition may end the loops. The second loop may read nothing else of the first one, and nothing of the operations in
    between. The order of errors must not change: one of the two bodies cannot fail, or both can fail only because of
    shapes. `max-operations` bounds the operations of a body, because more of their values are live at a time.
    """

    name = "ov-loop-fuse"
    EXACT = True

    max_operations: int = 1000

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_operations=0)
        remarks = Remarks(self.name)
        pairs: list[tuple[LoopOp, LoopOp, int]] = []
        for loop in walk(op):
            if isinstance(loop, LoopOp):
                if (pair := sliced_producer(loop)) is not None:
                    pairs.append(pair)
                else:
                    remarks.missed(loop, "it slices nothing that a loop of its block concatenates")
        if not pairs:
            return analyses_of(ctx).keep_all()
        inference = analyses_of(ctx).get(infer, op)
        replaced: dict[LoopOp, LoopOp] = {}
        for first, second, number in pairs:
            # What was fused before stands for the loop that went into it.
            first = replaced.get(first, first)
            fused = self.fuse(first, second, number, inference, remarks)
            if isinstance(fused, LoopOp):
                replaced[first] = replaced[second] = fused
        retype(ctx, op, changed=bool(replaced))

    def fuse(
        self, first: LoopOp, second: LoopOp, number: int, inference: Inference, remarks: Remarks
    ) -> LoopOp | MissedReason:
        """Fuse two loops; return the fused loop, or why they stay two.

        The second loop slices a concatenation of the first one as its input `number`.
        """
        if (why := self._refusal(first, second, number, inference)) is not None:
            remarks.missed(second, why)
            return why
        fused = _fuse(first, second)
        remarks.passed(fused, "fused two loops: the second slices what the first concatenates")
        return fused

    def _refusal(
        self, first: LoopOp, second: LoopOp, number: int, inference: Inference
    ) -> MissedReason | None:
        """Why two loops stay two."""
        whole = second.sliced[number]
        if not isinstance(whole, OpResult) or whole.op is not first or first.parent is not second.parent:
            return MissedReason("the producer of its sliced input has been replaced")
        if any(c is not None for c in (first.cond, second.cond, first.next.cond, second.next.cond)):
            return MissedReason("a condition may end one of them early")
        if any(use.operation is not second for use in whole.uses):
            return MissedReason("another operation uses the concatenated output")
        cuts = [cut for value, cut in zip(second.sliced, second.slicings) if value is whole]
        if not all(_as_joined(first, _index(whole, first), cut) for cut in cuts):
            return MissedReason("its slices differ from the concatenated parts")
        if not _as_often(first, second, whole):
            return MissedReason("its trip count may differ")
        between = _between(first, second)
        if between is None or _reads_otherwise(first, second, whole, between):
            return MissedReason("it depends on the first loop in another way")
        size = sum(1 for loop in (first, second) for _ in walk(loop.body.block))
        if size > self.max_operations:
            return MissedReason(
                f"{size} operations are more than {self.max_operations}",
                {"operations": size, "limit": self.max_operations},
            )
        kinds = [_failures([first, *between], inference), _failures([second], inference)]
        if all(kinds) and set(kinds) != {"shapes"}:
            return MissedReason("both may fail, and fusion would change the order of errors")
        return None


def sliced_producer(second: LoopOp, only: LoopOp | None = None) -> tuple[LoopOp, LoopOp, int] | None:
    """Return an earlier loop whose concatenation this loop slices.

    The earlier loop is in the same block, and is `only` if that is given. The result includes the number of the sliced input.
    """
    for number, value in enumerate(second.sliced):
        if not isinstance(value, OpResult) or not isinstance(first := value.op, LoopOp):
            continue
        if only is not None and first is not only:
            continue
        if first.parent is second.parent and value.index >= len(first.final) + len(first.last):
            return first, second, number
    return None


def _as_joined(first: LoopOp, index: int, cut: Slicing) -> bool:
    """Return True if a slicing yields the concatenated parts, in their order."""
    part, join = first.next.concat[index], first.concatenations[index]
    if not isinstance(part.type, TensorType) or (join.stride > 0) != (cut.stride > 0):
        return False
    shape = part.type.get_shape()
    axis = cut.normalised_axis(len(shape))
    covers = (cut.start, cut.end) == ((0, -1) if cut.stride > 0 else (-1, 0)) and abs(
        cut.stride
    ) == cut.part_size
    return axis == join.normalised_axis(len(shape)) and shape[axis] == cut.part_size and covers


def _as_often(first: LoopOp, second: LoopOp, whole: SSAValue) -> bool:
    """Return True if both loops have the same trip count.

    The first loop must surely end.
    """
    trips = static_trips(first)
    if trips is not None and static_trips(second) == trips:
        return True
    if second.trip is not None or any(value is not whole for value in second.sliced):
        return False
    # The first one runs as often as it does, and the second one over all that it joined.
    return first.trip is None or not first.sliced


def _between(first: LoopOp, second: LoopOp) -> list[Operation] | None:
    """Return the operations between two loops of one block.

    None if one of them has a side effect.
    """
    found: list[Operation] = []
    op = first.next_op
    while op is not None and op is not second:
        found.append(op)
        op = op.next_op
    return found if op is second and all(map(is_side_effect_free, found)) else None


def _reads_otherwise(first: LoopOp, second: LoopOp, whole: SSAValue, between: Sequence[Operation]) -> bool:
    """Return True if the second loop reads more than slices of `whole`.

    This is another result of the first loop, another use of `whole`, or a result of the operations in between.
    """
    made = {r for op in (first, *between) for r in op.results}
    inside = (o for op in walk(second.body) for o in op.operands)
    given = (o for o in second.operands if o is not whole)
    return any(o in made for o in (*second.carried, *given, *inside))


def _failures(ops: Sequence[Operation], inference: Inference) -> str:
    """Return the ways in which operations, or a loop's body, may fail.

    The result is `any` for any failure, `shapes` if they fail only because of shapes, and empty if they cannot fail.
    """
    found = ""
    for op in ops:
        for inner in walk(op):
            if inner is not op and isinstance(inner, LoopOp):
                return "any"
            if not inner.regions and not speculatable(inner, inference.fact):
                if inner.get_trait(FailsOnShapes) is None:
                    return "any"
                found = "shapes"
    return found


def _fuse(first: LoopOp, second: LoopOp) -> LoopOp:
    """Put one loop in the place of the first of two."""
    wholes = [k for k, value in enumerate(second.sliced) if _made_by(value, first)]
    parts = {k: first.next.concat[_index(second.sliced[k], first)] for k in wholes}
    cut_on = [k for k in range(len(second.sliced)) if k not in parts]
    kept = [k for k, r in enumerate(first.concat) if any(use.operation is not second for use in r.uses)]
    own, other = first.body.block, second.body.block
    a, b = first.next, second.next
    place = 1 + len(first.carried)
    carried = [
        own.insert_arg(argument.type, place + k) for k, argument in enumerate(second.carried_arguments)
    ]
    cut = [own.insert_arg(second.part_arguments[k].type, len(own.args)) for k in cut_on]
    part_of = {**parts, **dict(zip(cut_on, cut))}
    arguments = [own.args[0], *carried, *(part_of[k] for k in range(len(second.sliced)))]
    for argument, value in zip(other.args, arguments, strict=True):
        argument.replace_all_uses_with(value)
    following = [*a.carried, *b.carried]
    last = [*a.last, *b.last]
    concat = [*(a.concat[k] for k in kept), *b.concat]
    end = NextOp.build(operands=[[], following, last, concat])
    end.location = b.location
    for old in (a, b):
        old.detach()
        old.erase()
    moved = list(other.ops)
    for op in moved:
        op.detach()
    own.add_ops([*moved, end])
    fused = first.like(
        body_of(first),
        cond=None,
        carried=[*first.carried, *second.carried],
        sliced=[*first.sliced, *(second.sliced[k] for k in cut_on)],
        slices=[*first.slicings, *(second.slicings[k] for k in cut_on)],
        concats=[*(first.concatenations[k] for k in kept), *second.concatenations],
        final_types=[r.type for r in (*first.final, *second.final)],
        last_types=[r.type for r in (*first.last, *second.last)],
        concat_types=[*(first.concat[k].type for k in kept), *(r.type for r in second.concat)],
    )
    fused.attributes |= first.attributes
    _put(first, second, fused, kept)
    return fused


def _put(first: LoopOp, second: LoopOp, fused: LoopOp, kept: list[int]) -> None:
    """Insert the fused loop before the first one.

    Its results replace those of both loops, which are erased.
    """
    block = first.parent
    assert block is not None
    block.insert_op_before(fused, first)
    finals, lasts, joined = len(first.final), len(first.last), len(kept)
    pairs = [
        *zip(first.final, fused.final[:finals]),
        *zip(second.final, fused.final[finals:]),
        *zip(first.last, fused.last[:lasts]),
        *zip(second.last, fused.last[lasts:]),
        *zip((first.concat[k] for k in kept), fused.concat[:joined]),
        *zip(second.concat, fused.concat[joined:]),
    ]
    for old, new in pairs:
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    for loop in (second, first):
        loop.detach()
        loop.erase(safe_erase=False)


def _made_by(value: SSAValue, loop: LoopOp) -> bool:
    return isinstance(value, OpResult) and value.op is loop


def _index(value: SSAValue, loop: LoopOp) -> int:
    """Return the index of a value among a loop's concatenations."""
    assert isinstance(value, OpResult)
    return value.index - len(loop.final) - len(loop.last)
