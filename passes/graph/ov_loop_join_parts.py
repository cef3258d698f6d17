"""`ov-loop-join-parts`: joins the parts of which a carried value is put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, TensorType
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from loomir.dialects.affine_forms import AffineForm
from loomir.dialects.diagnostics import Remarks
from loomir.dialects.element_types import i64, tensor_type_of
from loomir.dialects.ov.attributes import Slicing, to_int
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.canonicalization.loops import static_trips
from loomir.dialects.ov.facts import Dim, Shape
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.integer_forms import IntegerForms
from loomir.dialects.ov.operators.control_flow import LoopOp, NextOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, UnsqueezeOp
from loomir.dialects.ov.operators.scattering import ScatterNDUpdateOp, ScatterUpdateOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.dialects.ovseq.canonicalization import elements_of
from loomir.dialects.ovseq.sequences import InsertOp
from loomir.dialects.ovseq.splitting import SplitOp
from loomir.dialects.profile import hand_on
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.graph.lib.loop_copies import body_of, replace_loop
from loomir.passes.graph.lib.loop_rewriting import reshaped
from loomir.passes.graph.ov_infer import retype


@dataclass(frozen=True)
class OvLoopJoinPartsPass(ModulePass):
    """Replaces carried values that grow by a part by joined outputs.

    ```mlir
    %r = ov.loop trip(%n) carried(%first) {                                      // before
    ^bb0(%i: tensor<i64>, %t: tensor<?x4xf32>):
      …
      %w = ov.concat %t, %s {axis = 0} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
      ov.next carried(%w)
    }

    %all = ov.loop trip(%n) {concats = [#ov.slice<axis = 0>]} {                 // after
    ^bb0(%i: tensor<i64>):
      …
      ov.next concat(%s)
    }
    %r = ov.concat %first, %all {axis = 0}
    ```

    - A *tensor* that grows behind, or in front (the parts are then joined backwards), by parts of one extent. What is there before the
      loop goes in front of the parts, or behind them. A part of which an extent is not known gets the tensor's, by an `ov.reshape` that
      stops the program where the concatenation did.
    - A *sequence* to which tensors of one static shape are appended, or inserted in front of all others. Behind the loop an `ovseq.split`
      makes a sequence of the parts.
    - A *table* whose every row a trip writes, `ov.scatter_update` or `ov.scatter_nd_update` of row i, or of row n − 1 − i. What was in it
      before the loop counts only if a trip may be left out: no condition may end the loop, and its trips are the rows.

    The trip may not read the carried value otherwise.
    """

    name = "ov-loop-join-parts"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        analyses, remarks = analyses_of(ctx), Remarks(self.name)
        # Inner loops first: what one joins may be the part of the loop around it.
        loops = [o for o in walk(op, region_first=True) if isinstance(o, LoopOp)]
        wanted = [loop for loop in loops if _may_have_some(loop, remarks)]
        if not wanted:
            return analyses.keep_all()
        inference = analyses.get(infer, op)
        changed = [_join_parts(loop, inference, remarks) for loop in wanted]
        retype(ctx, op, changed=any(changed))


Update = ConcatOp | InsertOp | ScatterUpdateOp | ScatterNDUpdateOp


@dataclass(frozen=True)
class _Collected:
    """A carried value as parts.

    `part` emits a trip's part with two builders, in the place of `update` and in front of the loop; `whole` emits the final value, of the
    joined parts, behind the loop.
    """

    number: int
    update: Update
    join: Slicing
    part: Callable[[GraphBuilder, GraphBuilder], SSAValue]
    whole: Callable[[SSAValue, GraphBuilder], SSAValue]


def _may_have_some(loop: LoopOp, remarks: Remarks) -> bool:
    if any(_update(loop, number) is not None for number in range(len(loop.carried))):
        return True
    remarks.missed(loop, "it carries nothing to which a trip only adds a part")
    return False


def _update(loop: LoopOp, number: int) -> Update | None:
    """Return the operation that adds a part, or None.

    It is the only one that reads the value, and only the next trip reads its result.
    """
    argument, following = loop.carried_arguments[number], loop.next.carried[number]
    op = following.owner
    if not isinstance(op, Update) or op.parent is not loop.body.block:
        return None
    if not (argument.has_one_use() and following.has_one_use()):
        return None
    return op if (op.inputs if isinstance(op, ConcatOp) else op.operands[:1]).count(argument) else None


def _join_parts(loop: LoopOp, inference: Inference, remarks: Remarks) -> bool:
    """Join the parts that a loop carries.

    Return True if there were any.
    """
    found: list[_Collected] = []
    for number in range(len(loop.carried)):
        update = _update(loop, number)
        if update is None:
            continue
        if isinstance(update, ConcatOp):
            collected = _tensor(loop, number, update, inference)
        elif isinstance(update, InsertOp):
            collected = _sequence(loop, number, update, inference)
        else:
            collected = _table(loop, number, update, inference)
        if isinstance(collected, str):
            remarks.missed(loop, collected)
        else:
            found.append(collected)
    if found:
        remarks.passed(
            _replace(loop, found), f"{len(found)} carried values became joined outputs", values=len(found)
        )
    return bool(found)


def _replace(loop: LoopOp, found: Sequence[_Collected]) -> LoopOp:
    """Replace a loop by one that joins parts."""
    block, end = loop.body.block, loop.next
    outside = GraphBuilder(InsertPoint.before(loop), loop.location)
    parts = [
        each.part(GraphBuilder(InsertPoint.before(each.update), each.update.location), outside)
        for each in found
    ]
    gone = {each.number for each in found}
    kept = [k for k in range(len(loop.carried)) if k not in gone]
    again = [] if end.cond is None else [end.cond]
    following = NextOp.build(
        operands=[again, [end.carried[k] for k in kept], end.last, [*end.concat, *parts]]
    )
    following.location = end.location
    end.detach()
    end.erase()
    block.add_op(following)
    for each in found:
        each.update.detach()
        each.update.erase()
    for number in sorted(gone, reverse=True):
        block.erase_arg(block.args[1 + number])
    joins = [each.join for each in found]
    types = [_joined(loop, part, join) for part, join in zip(parts, joins)]
    new = loop.like(
        body_of(loop),
        carried=[loop.carried[k] for k in kept],
        concats=[*loop.concatenations, *joins],
        final_types=[loop.final[k].type for k in kept],
        concat_types=[*(v.type for v in loop.concat), *types],
    )
    hand_on(loop, new)
    outside.emit(new)
    final: dict[int, SSAValue] = dict(zip(kept, new.final))
    for each, joined in zip(found, new.concat[len(loop.concat) :]):
        whole = each.whole(joined, outside)
        whole.name_hint = whole.name_hint or loop.final[each.number].name_hint
        final[each.number] = whole
    results = [final[k] for k in range(len(loop.final))]
    replace_loop(loop, [*results, *new.last, *new.concat[: len(loop.concat)]])
    return new


def _joined(loop: LoopOp, part: SSAValue, join: Slicing) -> TensorType:
    """The type of joined parts."""
    type_ = tensor_type_of(part)
    shape, trips = list(type_.get_shape()), static_trips(loop)
    axis = join.normalised_axis(len(shape))
    if trips is None or loop.cond is not None or loop.next.cond is not None:
        shape[axis] = DYNAMIC_INDEX
    else:
        shape[axis] *= trips
    return TensorType(type_.element_type, shape)


def _direction(axis: int, *, backwards: bool) -> Slicing:
    return Slicing(axis, -1, 0, -1) if backwards else Slicing(axis)


def _sequence(loop: LoopOp, number: int, op: InsertOp, inference: Inference) -> _Collected | str:
    """A sequence as rows of a tensor."""
    shape, elements = inference.fact(op.tensor).static, elements_of(loop.carried[number])
    position = None if op.position is None else constant_of(op.position)
    if op.position is not None and (position is None or int(position.reshape(())) != 0):
        return "an element is inserted at neither end of the sequence"
    if shape is None:
        return "an added element has no static shape"
    if elements is None or any(inference.fact(element).static != shape for element in elements):
        return "the elements before the loop are not known"
    join = _direction(0, backwards=op.position is not None)

    def row(element: SSAValue, build: GraphBuilder) -> SSAValue:
        return build.make(UnsqueezeOp, element, build.integers([0]))

    def whole(joined: SSAValue, build: GraphBuilder) -> SSAValue:
        there = [row(element, build) for element in elements]
        data = _behind(there, joined, join, build)
        return build.emit(SplitOp.make(data, attributes={"axis": 0, "keepdims": False})).output

    return _Collected(number, op, join, lambda build, _: row(op.tensor, build), whole)


def _behind(there: Sequence[SSAValue], joined: SSAValue, join: Slicing, build: GraphBuilder) -> SSAValue:
    """Join parts with a carried beginning.

    They come behind it, or in front of it if they are joined backwards.
    """
    if not there:
        return joined
    values = [*there, joined] if join.stride > 0 else [joined, *there]
    return build.make(ConcatOp, values, attributes={"axis": join.axis})


def _tensor(loop: LoopOp, number: int, op: ConcatOp, inference: Inference) -> _Collected | str:
    """Tensor that grows, as its beginning and parts."""
    first, inputs = loop.carried[number], list(op.inputs)
    place = inputs.index(loop.carried_arguments[number])
    if place not in (0, len(inputs) - 1) or len(inputs) == 1:
        return "a tensor grows at both of its ends, or not at all"
    added = inputs[1:] if place == 0 else inputs[:-1]
    there, shape = inference.fact(first).shape, _concatenated(added, to_int(op.axis), inference)
    if there is None or shape is None or len(there) != len(shape):
        return "the rank of a tensor that grows is not known"
    axis = normalise_axis(to_int(op.axis), len(shape))
    if not shape[axis].static:
        return "the extent of an added part is not known, or 0"
    open_ = [k for k, (a, b) in enumerate(zip(shape, there)) if k != axis and (a != b or a.static is None)]
    # (A single extent that is open has to be the wanted one if the number of elements is.)
    if len(open_) > 1 or any(a.static == 0 for k, a in enumerate(shape) if k not in open_):
        return "several extents of an added part are not known"
    if any(there[k].meet(shape[k]) is None for k in open_):
        return "the extents of an added part surely differ from those that are there"
    join, is_empty = _direction(axis, backwards=place > 0), there[axis].static == 0
    extents = [d.static for d in there]

    def part(build: GraphBuilder, outside: GraphBuilder) -> SSAValue:
        value = added[0]
        if len(added) > 1:
            value = build.make(ConcatOp, added, attributes={"axis": axis})
        if not open_:
            return value
        extent = outside.integers([shape[axis].lo])
        return build.make(ReshapeOp, value, _beside(first, axis, extent, extents, outside), attributes=PLAIN)

    def whole(joined: SSAValue, build: GraphBuilder) -> SSAValue:
        if None in extents[:axis] + extents[axis + 1 :]:
            # After no trip the extents of a part may be unknown, and then are 0.
            extent = _gather(build.make(ShapeOfOp, joined), [axis], build)
            wanted = _beside(first, axis, extent, extents, build)
            joined = build.make(ReshapeOp, joined, wanted, attributes=PLAIN)
        return _behind([] if is_empty else [first], joined, join, build)

    return _Collected(number, op, join, part, whole)


PLAIN = {"special_zero": False}
"""A Reshape in whose shape a 0 is an extent."""


def _concatenated(values: Sequence[SSAValue], axis: int, inference: Inference) -> Shape | None:
    """The shape of a concatenation, as far as one operand determines it."""
    shapes = [inference.fact(value).shape for value in values]
    first = shapes[0]
    if first is None or any(shape is None or len(shape) != len(first) for shape in shapes):
        return None
    place = normalise_axis(axis, len(first))
    total = reduce(Dim.__add__, (shape[place] for shape in shapes if shape is not None))
    same = [
        dims[0] if all(d == dims[0] for d in dims) else Dim()
        for dims in zip(*(shape for shape in shapes if shape is not None))
    ]
    return (*same[:place], total, *same[place + 1 :])


def _beside(
    first: SSAValue, axis: int, extent: SSAValue, known: Sequence[int | None], build: GraphBuilder
) -> SSAValue:
    """The shape of a tensor, with another extent on one axis."""

    def some(places: range) -> list[SSAValue]:
        static = [e for k in places if (e := known[k]) is not None]
        if not places:
            return []
        if len(static) == len(places):
            return [build.integers(static)]
        return [_gather(build.make(ShapeOfOp, first), places, build)]

    parts = [*some(range(axis)), extent, *some(range(axis + 1, len(known)))]
    return parts[0] if len(parts) == 1 else build.make(ConcatOp, parts, attributes={"axis": 0})


def _gather(shape: SSAValue, places: Sequence[int], build: GraphBuilder) -> SSAValue:
    return build.make(GatherOp, shape, build.integers(places), build.scalar(0, i64))


def _table(
    loop: LoopOp, number: int, op: ScatterUpdateOp | ScatterNDUpdateOp, inference: Inference
) -> _Collected | str:
    """A table whose every row a trip writes."""
    shape, axis = inference.fact(op.data).static, _written_axis(op, inference)
    if shape is None or axis is None:
        return "it writes no single row of a table of static extents"
    rows = shape[axis]
    if static_trips(loop) != rows or loop.cond is not None or loop.next.cond is not None:
        return "not every row of the table is surely written"
    forms, number_of_trip = IntegerForms(loop, inference.fact), AffineForm[SSAValue].of(loop.iteration)
    row = forms.of(op.indices)
    directions = {False: number_of_trip, True: number_of_trip * -1 + (rows - 1)}
    backwards = next((b for b, form in directions.items() if form == row), None)
    if backwards is None or not forms.is_exact(op.indices):
        return "the trips do not write one row after the other"
    part_shape = (*shape[:axis], 1, *shape[axis + 1 :])
    return _Collected(
        number,
        op,
        _direction(axis, backwards=backwards),
        lambda build, _: reshaped(op.updates, part_shape, build),
        lambda joined, _: joined,
    )


def _written_axis(op: ScatterUpdateOp | ScatterNDUpdateOp, inference: Inference) -> int | None:
    """Return the axis of the single row that an operation replaces."""
    indices, rank = inference.fact(op.indices).static, inference.fact(op.data).rank
    if indices is None or rank is None or prod(indices) != 1:
        return None
    if isinstance(op, ScatterNDUpdateOp):
        return 0 if op.joins == "none" else None
    axis = constant_of(op.axis)
    return None if axis is None else normalise_axis(int(axis.reshape(())), rank)
