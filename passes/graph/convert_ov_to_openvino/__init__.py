"""`convert-ov-to-openvino`: converts each operation to layers of OpenVINO's operation sets.

| module | contents |
|---|---|
| `legalization` | the registry of operations expressed by others, and the worklist |
| `legalization` | OpenVINO's requirements of operands: scalars, index types |
| `arithmetic`, `indexing`, `sampling` | expression of operations that no set has, by groups of operator families |
| `checks` | limits of layers that operations do not have: ranks, functions |
| `checks` | errors: run-time checks of the program, as OpenVINO can check them |

This module has the pass, and converts loops, results of `main` and constants:

- Loops get the trip counts and conditions, slices and concatenations of Loop-5 and TensorIterator-1. A TensorIterator has no trip
  count and no condition: what it slices says how often it runs. A Loop has a trip count, a condition, and the condition of its
  body, and cuts and joins single elements, forwards, along axes counted from the front.
- Each result of `main` becomes a tensor of its own, with a name of its own. OpenVINO has one name for a tensor, that of its last
  Result. An input that is an output, and one value that is two outputs, would lose their names when a model is compiled. A Reshape
  to the existing shape creates another tensor. Types that OpenVINO computes in 32 bits, or not at all, are excepted: their values
  stay unchanged only if no layer touches them, and the writer assigns all names of the tensor to such inputs and outputs.
- Each body gets the constants that its operations read. An outer constant would be an input of the body, where its contents are
  unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, DenseArrayBase, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.diagnostics import located, location_of_layer
from loomir.dialects.element_types import (
    AnyTensor,
    bf16,
    f16,
    f32,
    i1,
    i8,
    i16,
    i32,
    set_type,
    ui8,
    ui16,
    ui32,
)
from loomir.dialects.interface import results_of
from loomir.dialects.ov.attributes import SliceAttr, Slicing
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.layout import ReverseOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp
from loomir.dialects.upstream.rewriting import rewrite
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.inference import infer
from loomir.passes.graph.convert_ov_to_openvino.checks import CHECKS, Checks
from loomir.passes.graph.convert_ov_to_openvino.legalization import Legalize
from loomir.passes.graph.lib.decompositions import Size, Sizes, rank_of
from loomir.passes.options import check_choice


def legalize_loops(module: ModuleOp) -> None:
    """Convert every loop to a form that OpenVINO has.

    Error: `not-in-openvino`, with the loop's place.
    """
    for op in [op for op in walk(module) if isinstance(op, LoopOp)]:
        try:
            count_axes_from_the_front(op)
            if not is_iterator(op):
                _cut_beforehand(op)
                _join_forwards(op)
                _control(op)
        except Error as error:
            raise located(error, op) from None


def is_iterator(op: LoopOp) -> bool:
    """Return True if a loop is a TensorIterator.

    Only its slices end such a loop, and it does not read the iteration number.
    """
    controls = (op.trip, op.cond, op.next.cond, op.iteration.first_use)
    return bool(op.sliced) and all(control is None for control in controls)


def count_axes_from_the_front(op: LoopOp) -> None:
    """Normalise the axes of a loop's slices and concatenations.

    They are counted from the front. Error: `unknown-rank`.
    """
    for name, values, slicings in (
        ("slices", op.sliced, op.slicings),
        ("concats", op.next.concat, op.concatenations),
    ):
        if any(s.axis < 0 for s in slicings):
            build = GraphBuilder(InsertPoint.before(op), op.location)
            counted = [
                replace(s, axis=s.axis + rank_of(build, value, "a sliced input of a loop"))
                if s.axis < 0
                else s
                for value, s in zip(values, slicings)
            ]
            op.properties[name] = ArrayAttr([SliceAttr(s) for s in counted])


def _cut_beforehand(op: LoopOp) -> None:
    """Reverse inputs that are sliced backwards before the loop."""
    build = GraphBuilder(InsertPoint.before(op), op.location)
    first = len(op.operands) - len(op.sliced)
    slices = list(op.slicings)
    for index, slicing in enumerate(slices):
        if slicing == Slicing(slicing.axis, -1, 0, -1, 1):
            axis = build.integers([slicing.axis])
            op.operands[first + index] = build.make(
                ReverseOp, op.sliced[index], axis, attributes={"mode": "index"}
            )
            slices[index] = Slicing(slicing.axis)
    op.properties["slices"] = ArrayAttr([SliceAttr(s) for s in slices])


def _join_forwards(op: LoopOp) -> None:
    """Reverse outputs that are concatenated backwards after the loop, part by part.

    Error: `not-in-openvino` for a concatenation that leaves gaps.
    """
    concats = list(op.concatenations)
    for index, slicing in enumerate(concats):
        if slicing == Slicing(slicing.axis):
            continue
        backwards = slicing.stride < 0
        usual = (-1, 0) if backwards else (0, -1)
        if (slicing.start, slicing.end) != usual or abs(slicing.stride) != slicing.part_size:
            raise Error("not-in-openvino", f"a Loop in OpenVINO cannot concatenate an output by {slicing}")
        concats[index] = Slicing(slicing.axis)
        rejoin(op, index, slicing.axis, backwards=backwards, apart=slicing.part_size > 1)
    op.properties["concats"] = ArrayAttr([SliceAttr(s) for s in concats])


def rejoin(op: LoopOp, index: int, axis: int, *, backwards: bool, apart: bool) -> None:
    """Concatenate the parts of a result forwards, and rearrange them afterwards.

    With `apart` the parts are concatenated along an axis of their own. After the loop they are reversed, and both axes are
    merged into one. The caller specifies how the loop itself concatenates the parts.
    """
    old = op.concat[index]
    inside = GraphBuilder(InsertPoint.before(op.next), op.location)
    after = GraphBuilder(InsertPoint.after(op), op.location)
    uses = list(old.uses)
    value: SSAValue = old
    if apart:
        part = op.next.concat[index]
        first = len(op.next.operands) - len(op.next.concat)
        sizes = Sizes(inside)
        extents = sizes.of(part)
        op.next.operands[first + index] = sizes.reshape(part, [*extents[:axis], 1, *extents[axis:]])
        type_ = old.type
        assert isinstance(type_, TensorType)
        extent = list(type_.get_shape())
        size = extents[axis]
        extent[axis : axis + 1] = [DYNAMIC_INDEX, size if isinstance(size, int) else DYNAMIC_INDEX]
        set_type(old, TensorType(type_.element_type, extent))
    if backwards:
        value = after.make(ReverseOp, value, after.integers([axis]), attributes={"mode": "index"})
    if apart:
        sizes = Sizes(after)
        extents = sizes.of(value)
        joined = sizes.mul(extents[axis], extents[axis + 1])
        value = sizes.reshape(value, [*extents[:axis], joined, *extents[axis + 2 :]])
    for use in uses:
        use.operation.operands[use.index] = value


def _control(op: LoopOp) -> None:
    """Set a trip count, a condition and the body's condition.

    Missing ones become constants.
    """
    build = GraphBuilder(InsertPoint.before(op), op.location)
    trip = op.trip or (
        trip_count_of_slices(op, build) if op.sliced else build.constant(np.array(-1, np.int64))
    )
    cond = op.cond or build.constant(np.array(True))
    end = op.next
    if end.cond is None:
        more = GraphBuilder(InsertPoint.before(end), end.location).constant(np.array(True))
        end.properties["operandSegmentSizes"] = _segments(
            [1, len(end.carried), len(end.last), len(end.concat)]
        )
        end.operands = [more, *end.operands]
    set_operands(op, trip, cond, op.carried, op.sliced)


def set_operands(
    op: LoopOp,
    trip: SSAValue | None,
    cond: SSAValue | None,
    carried: Sequence[SSAValue],
    sliced: Sequence[SSAValue],
) -> None:
    """Give a loop other operands."""
    groups = [[] if trip is None else [trip], [] if cond is None else [cond], list(carried), list(sliced)]
    op.properties["operandSegmentSizes"] = _segments([len(group) for group in groups])
    op.operands = [value for group in groups for value in group]


def trip_count_of_slices(op: LoopOp, build: GraphBuilder) -> SSAValue:
    """Return the least number of parts of the sliced inputs.

    Error: `not-in-openvino` for a range of an extent that is not known.
    """
    sizes = Sizes(build)
    counts: list[Size] = []
    for value, slicing in zip(op.sliced, op.slicings):
        extent = sizes.of(value)[slicing.axis]
        if isinstance(extent, int):
            counts.append(slicing.trips(extent))
        elif (slicing.start, slicing.end) == ((0, -1) if slicing.stride > 0 else (-1, 0)):
            counts.append(sizes.floordiv(extent, slicing.part_size))
        else:
            raise Error("not-in-openvino", f"a Loop in OpenVINO needs a trip count to slice by {slicing}")
    least = counts[0]
    for other in counts[1:]:
        least = sizes.min(least, other)
    return sizes.scalar(least)


def _segments(counts: Sequence[int]) -> DenseArrayBase:
    return DenseArrayBase.from_list(i32, counts)


_EXACT = frozenset({i1, i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32})
"""Element types whose numbers every layer hands on as they are."""


def separate_results(module: ModuleOp) -> None:
    """Copy results of `main` that are arguments or other results."""
    for function in module.ops:
        if isinstance(function, FuncOp) and function.sym_name.data == "main" and function.body.blocks:
            _separate(function)


def _separate(function: FuncOp) -> None:
    end = function.body.block.last_op
    assert end is not None
    returned: set[SSAValue] = set()
    for index, (value, entry) in enumerate(zip(end.operands, results_of(function))):
        if entry.state is not None or not isinstance(value.type, AnyTensor):
            continue
        fact = fact_of(value)
        if fact.element in _EXACT and (isinstance(value, BlockArgument) or value in returned):
            name = entry.names[0] if entry.names else f"result{index}"
            build = GraphBuilder(InsertPoint.before(end), location_of_layer(name, []))
            same = (
                build.make(ShapeOfOp, value)
                if fact.rank is None
                else build.constant(np.zeros(fact.rank, np.int64))
            )
            attributes = {"special_zero": fact.rank is not None}
            end.operands[index] = build.make(ReshapeOp, value, same, attributes=attributes)
        returned.add(value)


@dataclass
class LocaliseConstants(RewritePattern):
    """Copy outer constants to the beginning of blocks that read them.

    `c = constant; loop { use(c) } → loop { d = constant; use(d) }`. Linear in the number of operands.
    """

    copies: dict[tuple[SSAValue, Block], SSAValue] = field(default_factory=dict)

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        block = op.parent
        for index, operand in enumerate(op.operands):
            constant = operand.owner
            if block is None or not isinstance(constant, ConstantOp) or constant.parent is block:
                continue
            if (operand, block) not in self.copies:
                local = rewriter.insert(constant.clone(), InsertPoint.at_start(block))
                local.location = constant.location
                self.copies[operand, block] = local.output
            op.operands[index] = self.copies[operand, block]
            if constant.output.first_use is None:
                rewriter.erase(constant)


@dataclass(frozen=True)
class ConvertOvToOpenvinoPass(ModulePass):
    """Expresses operations that OpenVINO's sets lack by operations they have.

    Operations that cannot be expressed are refused by name.

    Before:
    ```mlir
    %y = ov.arg_max %x {axis = 1 : i64} : (tensor<2x8xf32>) -> tensor<2x1xi64>
    ```
    After:
    ```mlir
    %k = ov.constant dense<1> : tensor<i64>
    %v, %y = ov.top_k %x, %k {axis = 1 : i64, index_element_type = i64, stable = true}
        : (tensor<2x8xf32>, tensor<i64>) -> (tensor<2x1xf32>, tensor<2x1xi64>)
    ```

    Composite operations that no set has are decomposed. Operands are reshaped and converted to types that OpenVINO takes.
    Each operation specifies all properties that its layer specifies. Loops get a trip count and conditions, or none of
    them. A value that is both an argument and a result, or two results, is copied, for OpenVINO has one name for a tensor.
    Constants are placed where they are read. `checks` selects the treatment of run-time checks (an index out of range,
    `ov.require`), for which OpenVINO has no operation: `keep` checks by an operation that fails, `drop` leaves the check
    out. Error: `not-in-openvino`.
    """

    name = "convert-ov-to-openvino"
    EXACT = True

    checks: str = "keep"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_choice(self, "checks", CHECKS)
        checks = Checks(self.checks == "keep", analyses_of(ctx).get(infer, op))
        rewrite(op, Legalize(checks), once=True)
        legalize_loops(op)
        separate_results(op)
        rewrite(op, LocaliseConstants(), once=True)


__all__ = ["ConvertOvToOpenvinoPass"]
