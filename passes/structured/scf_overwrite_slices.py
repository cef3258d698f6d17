"""`scf-overwrite-slices`: outputs of loops over the carried tensors that these slice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.diagnostics import Remarks
from loomir.dialects.element_types import tensor_type_of
from loomir.dialects.region_flow import (
    LoopCarriedValue,
    RegionFlow,
    comes_from_outside,
    enclosing,
    exclusive,
    region_flow,
)
from loomir.dialects.scalars.row import constant_trips
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.dependence.accesses import ranges_in_for
from loomir.passes.analysis.dependence.distances import (
    Distances,
    IndexRange,
    LoopCounter,
    Unknown,
    distances,
)
from loomir.passes.structured.linalg_update_in_place import (
    handed_on_once,
    is_last,
    overwritable_input,
    values_handed_on,
)


@dataclass(frozen=True)
class ScfOverwriteSlicesPass(ModulePass):
    """Writes a loop's output over the carried tensor that it slices.

    ```mlir
    %r = scf.for %t = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<64x16xf32>) {              // before
      %none = tensor.empty() : tensor<64x16xf32>
      %w, … = scf.for %i = %c0 to %c64 step %c1 iter_args(%out = %none, …) -> (tensor<64x16xf32>, …) {
        %row = tensor.extract_slice %v[%i, 0] [1, 16] [1, 1]
        %new = … %row …
        %next = tensor.insert_slice %new into %out[%i, 0] [1, 16] [1, 1]
        scf.yield %next, …
      }
      scf.yield %w
    }

      %w, … = scf.for %i = %c0 to %c64 step %c1 iter_args(%out = %v, …) -> (tensor<64x16xf32>, …) {    // after
        %row = tensor.extract_slice %out[%i, 0] [1, 16] [1, 1]
        …
      }
    ```

    So a scan in a loop needs one buffer in place of two. Elementwise results are computed in the part that they replace. An iteration may
    read what it writes, and what later iterations write, but nothing that an earlier one has written (`passes/analysis/dependence`). It
    reads before it writes, and nothing else reads the carried tensor from then on. The output has the same static shape, and its contents
    before the loop are undefined. Single elements (`tensor.extract`, `tensor.insert`) are read and written likewise.

    The next value of the carried tensor is the output, or is computed in its buffer: any other next value would need a buffer too, and
    nothing would be saved.
    """

    name = "scf-overwrite-slices"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        outputs = [(o, k) for o in walk(op) if isinstance(o, scf.ForOp) for k in _outputs(o)]
        if not outputs:
            return analyses_of(ctx).keep_all()
        remarks, numbers = Remarks(self.name), {inner: number for number, inner in enumerate(walk(op))}
        reasons: dict[tuple[scf.ForOp, int], str | None] = dict.fromkeys(outputs, OTHER_SHAPE)
        for loop, index in outputs:
            for source in _sources(loop, index, numbers):
                reasons[loop, index] = _overwrite(loop, index, source, numbers)
                if reasons[loop, index] is None:
                    remarks.passed(loop, f"writes output {index} over a carried tensor", output=index)
                    break
        for (loop, _), why in reasons.items():
            if why is not None:
                remarks.missed(loop, why)


OTHER_SHAPE = "it slices no carried tensor of the same shape whose next value takes its place"


_Insert = tensor.InsertSliceOp | tensor.InsertOp
_Extract = tensor.ExtractSliceOp | tensor.ExtractOp
_View = tensor.ExpandShapeOp | tensor.CollapseShapeOp


def _outputs(loop: scf.ForOp) -> Iterator[int]:
    """Yield the numbers of carried tensors that a loop only composes."""
    for index, carried in enumerate(_flow(loop).carried):
        if not isinstance(carried.initial.owner, tensor.EmptyOp):
            continue
        if tensor_type_of(carried.result).has_static_shape() and _insertion(carried) is not None:
            yield index


def _flow(loop: scf.ForOp) -> RegionFlow:
    flow = region_flow(loop)
    assert flow is not None
    return flow


def _insertion(carried: LoopCarriedValue) -> _Insert | None:
    """Return the operation that writes a part of an output, or None.

    It is all that reads the output's argument, and the next iteration is all that reads its result.
    """
    argument, op = carried.arguments[-1], carried.following.owner
    if not isinstance(op, _Insert) or op.parent is not argument.owner or op.dest is not argument:
        return None
    return op if argument.has_one_use() and op.results[0].has_one_use() else None


def _sources(loop: scf.ForOp, index: int, numbers: dict[Operation, int]) -> list[BlockArgument]:
    """Return carried tensors that a loop slices, of an output's type.

    The next value of such a tensor takes the output's place: otherwise it would need a buffer of its own, beside that of the output.
    """
    output = loop.results[index]
    roots = (_root(op.operands[0], loop) for op in loop.body.block.ops if isinstance(op, _Extract))
    carried = _carried_around(loop)
    return [
        v
        for v in dict.fromkeys(roots)
        if isinstance(v, BlockArgument) and v.type == output.type and v in carried
        if _takes_place(_following(v, carried), v, output, numbers)
    ]


def _following(value: SSAValue, carried: dict[SSAValue, SSAValue]) -> SSAValue:
    """Return what takes the place of a carried tensor.

    Other carried tensors may move there first, each to the place of the one before.
    """
    passed = {value}
    while (value := carried[value]) in carried and value not in passed and handed_on_once(value):
        passed.add(value)
    return value


def _takes_place(
    following: SSAValue, source: SSAValue, output: SSAValue, numbers: dict[Operation, int]
) -> bool:
    """Return True if a next value needs no buffer besides the output's.

    In each branch it is the output, or computed in its buffer, or the tensor itself.
    """
    values = list(values_handed_on(following))
    made = [handed_on_once(value) and _is_made_of(value, output, numbers) for value in values]
    return any(made) and all(m or value is source for m, value in zip(made, values))


def _is_made_of(value: SSAValue, output: SSAValue, numbers: dict[Operation, int]) -> bool:
    """Return True if a value is computed in an output's buffer."""
    while isinstance(op := value.owner, _Insert) and is_last(op.dest, op, numbers):
        value = op.dest
    if isinstance(op, GenericOp):
        return not isinstance(overwritable_input(op, output, numbers), str)
    return value is output


def _root(value: SSAValue, loop: scf.ForOp) -> SSAValue:
    """Follow views in front of a loop back to their tensor."""
    while isinstance(value, OpResult) and isinstance(value.op, _View) and comes_from_outside(value, loop):
        value = value.op.operands[0]
    return value


def _carried_around(loop: scf.ForOp) -> dict[SSAValue, SSAValue]:
    """Return what the innermost loop around carries, with the next values.

    It is overwritten once in an iteration.
    """
    for around, _ in enclosing(loop):
        flow = region_flow(around)
        if flow is None or flow.repeats:
            return {} if flow is None else {c.arguments[-1]: c.following for c in flow.carried}
    return {}


class _Part(NamedTuple):
    """Positions of a part, without axes of extent 1."""

    ranges: tuple[IndexRange, ...]
    extents: tuple[int, ...]


def _part(op: _Insert | _Extract, whole: SSAValue, loop: scf.ForOp) -> _Part | str:
    """Return the positions of a part, or why they are unknown."""
    if isinstance(op, tensor.InsertSliceOp | tensor.ExtractSliceOp):
        sizes, steps = op.static_sizes.get_values(), op.static_strides.get_values()
        if DYNAMIC_INDEX in sizes or any(step != 1 for step in steps):
            return "a part has no static size, or gaps"
        dynamic = iter(op.offsets)
        begins = [next(dynamic) if k == DYNAMIC_INDEX else k for k in op.static_offsets.get_values()]
        parts: Sequence[tuple[SSAValue | int, int]] = list(zip(begins, sizes))
    else:
        parts = [(position, 1) for position in op.indices]
    ranges, why = ranges_in_for(parts, loop, [loop])
    if ranges is None:
        return why
    shape = tensor_type_of(whole).get_shape()
    kept = [(r, extent) for r, extent in zip(ranges, shape) if extent != 1]
    return _Part(tuple(r for r, _ in kept), tuple(extent for _, extent in kept))


def _overwrite(loop: scf.ForOp, index: int, source: SSAValue, numbers: dict[Operation, int]) -> str | None:
    """Write an output over a tensor that its loop slices.

    This is done if it changes nothing; otherwise return why not.
    """
    flow = _flow(loop)
    carried = flow.carried[index]
    output, insertion = carried.arguments[-1], _insertion(carried)
    assert insertion is not None
    written = _part(insertion, output, loop)
    if isinstance(written, str):
        return written
    reads: list[_Extract] = []
    for op in _readers(source):
        if op.parent is loop.body.block and isinstance(op, _Extract):
            reads.append(op)
        elif not (exclusive(op, loop) or _is_done_before(loop, op, numbers)):
            return "the carried tensor is read otherwise, in the loop or behind it"
    for op in reads:
        if not _is_done_before(insertion, op, numbers):
            return "what an iteration reads is used after it has written"
        if (why := _conflict(op, written, loop)) is not None:
            return why
    for op in reads:
        op.operands[0] = _shown_of(output, op.operands[0], source, op)
    loop.operands[flow.entry.first + index] = source
    for op in reads:
        if _part(op, op.operands[0], loop) == written:
            _compute_in(op.results[0], insertion, numbers)
    return None


def _compute_in(part: SSAValue, insertion: _Insert, numbers: dict[Operation, int]) -> None:
    """Compute what is inserted in the part that it replaces, if possible."""
    made = insertion.operands[0].owner
    if isinstance(made, GenericOp) and made.results[0].has_one_use():
        value = overwritable_input(made, part, numbers)
        if not isinstance(value, str):
            made.operands[len(made.inputs)] = value


def _readers(value: SSAValue) -> Iterator[Operation]:
    """Yield the operations that read a tensor, or a view of it."""
    for use in value.uses:
        if isinstance(use.operation, _View):
            yield from _readers(use.operation.results[0])
        else:
            yield use.operation


def _is_done_before(end: Operation, op: Operation, numbers: dict[Operation, int]) -> bool:
    """Return True if a reader comes before an operation.

    So must all that read a slice that it takes. A slice stays in the tensor's buffer: if something else were written there before it is
    read, all of the tensor would be copied.
    """
    readers = _readers(op.results[0]) if isinstance(op, tensor.ExtractSliceOp) else ()
    return numbers[op] < numbers[end] and all(_is_done_before(end, reader, numbers) for reader in readers)


def _conflict(read: _Extract, written: _Part, loop: scf.ForOp) -> str | None:
    """Return why a read may find an earlier write, or None."""
    part = _part(read, read.operands[0], loop)
    if isinstance(part, str):
        return part
    if part.extents != written.extents:
        return "it slices the carried tensor in another shape"
    counter = LoopCounter(loop.body.block.args[0], constant_trips(loop))
    found = distances(part.ranges, written.ranges, (counter,))
    if isinstance(found, Unknown):
        return found.reason
    if isinstance(found, Distances) and found.vector[0][0] < 0:
        return "an iteration reads what an earlier one has written"
    return None


def _shown_of(output: SSAValue, value: SSAValue, source: SSAValue, at: Operation) -> SSAValue:
    """Make the view of an output that `value` is of the source.

    It is put in front of the operation `at`.
    """
    if value is source:
        return output
    assert isinstance(value, OpResult)
    inner = _shown_of(output, value.op.operands[0], source, at)
    view = value.op.clone({value.op.operands[0]: inner})
    view.location = value.op.location
    Rewriter.insert_op(view, InsertPoint.before(at))
    return view.results[0]
