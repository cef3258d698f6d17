"""Dispatch over ranks, and extents computed at run time.

An operation that has to know a rank is dispatched: `ov.if` tests the rank, and each branch has the operation on a value of one
rank.

Reshape, Unsqueeze and Squeeze take a tensor of any rank: their extents are computed at run time. All extents are 1-D tensors of i64,
of any length.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from xdsl.dialects.builtin import UnrankedTensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import i64
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import MAX_RANK, Fact
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.dialects.ov.operators.comparison import (
    EqualOp,
    GreaterEqualOp,
    LogicalAndOp,
    NotEqualOp,
    SelectOp,
)
from loomir.dialects.ov.operators.control_flow import IfOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, DivideOp, MaximumOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.internal import CheckBoundsOp, FailOp, FromSlotOp, RowEraseOp, RowInsertOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.reduction import ReduceLogicalAndOp, ReduceProdOp, ReduceSumOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, SqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.ov.operators.sorting import NonZeroOp
from loomir.errors import Error
from loomir.passes.analysis.inference import Inference
from loomir.passes.analysis.inference.state import is_unbounded
from loomir.passes.graph.lib.branches import emit_switch
from loomir.passes.graph.lib.one_to_many import Parts
from loomir.passes.graph.ov_infer import replace_by_failure, write_types_in

_WRONG_SHAPE = "a tensor has no such shape: its number of elements is another one, or the shape is none"


class ExtentArithmetic:
    """One place in GRAPH where extents are computed."""

    def __init__(self, build: GraphBuilder) -> None:
        self.build = build
        self.zero, self.one = build.scalar(0, i64), build.scalar(1, i64)
        self.front = build.integers([0])

    def flat(self, tensor: SSAValue) -> SSAValue:
        """The elements of a tensor in a row."""
        return self.build.make(ReshapeOp, tensor, self.build.integers([-1]))

    def of(self, tensor: SSAValue) -> SSAValue:
        """The extents of a tensor."""
        return self.build.make(ShapeOfOp, tensor, attributes={"output_type": i64})

    def rank(self, extents: SSAValue) -> SSAValue:
        """How many there are, a scalar."""
        return self.build.make(SqueezeOp, self.of(extents), self.front)

    def wanted(self, extents: SSAValue, shape: SSAValue, special_zero: bool) -> SSAValue:
        """Return a Reshape's result extents for a tensor with these extents.

        See `ReshapeOp`. A different number of elements is `runtime-shape`.
        """
        build = self.build
        shape = self._as_i64(shape)
        free = build.make(EqualOp, shape, build.scalar(-1, i64))
        resolved, copied, taken = shape, None, extents
        if special_zero:
            copied = build.make(EqualOp, shape, self.zero)
            count = self.rank(shape)
            # Where there is nothing to copy stands what is no extent.
            own = self._of_length(extents, count, -2)
            resolved = build.make(SelectOp, copied, own, shape)
            # Copied extents take no part in the -1.
            asked = self._of_length(shape, self.rank(extents), 1)
            taken = build.make(SelectOp, build.make(EqualOp, asked, self.zero), self.one, extents)
        fixed = build.make(SelectOp, free, self.one, shape)
        if copied is not None:
            fixed = build.make(SelectOp, copied, self.one, fixed)
        others = build.make(MaximumOp, self._product(fixed), self.one)
        none = build.make(EqualOp, self._product(fixed), self.zero)
        rest = build.make(DivideOp, self._product(taken), others, attributes={"m_pythondiv": False})
        rest = build.make(SelectOp, none, self.zero, rest)
        made = build.make(SelectOp, free, rest, resolved)
        one_free = build.make(
            GreaterEqualOp, self.one, self._sum(build.make(ConvertOp, free, attributes=_I64))
        )
        sound = build.make(LogicalAndOp, self._all(build.make(GreaterEqualOp, made, self.zero)), one_free)
        equal = build.make(EqualOp, self._product(made), self._product(extents))
        made = build.require(made, build.make(LogicalAndOp, sound, equal), "shape", _WRONG_SHAPE)
        return self._of_a_tensor(made)

    def unsqueezed(self, extents: SSAValue, axes: Sequence[int]) -> SSAValue:
        """Insert an extent of 1 at each of these axes.

        The axes are those of the result. All count from the same end. An axis out of range is a run-time error.
        """
        final = self.build.make(AddOp, self.rank(extents), self.build.scalar(len(axes), i64))
        for axis in sorted(axes):
            place = self.build.scalar(axis, i64)
            if axis < 0:
                place = self.build.make(AddOp, final, place)
            extents = self.build.make(RowInsertOp, extents, self.build.integers([1]), place)
        return self._of_a_tensor(extents)

    def squeezed(self, extents: SSAValue, axes: Sequence[int]) -> SSAValue:
        """Remove these axes from the extents.

        All axes count from the same end. An axis whose extent is not 1, or that does not exist, is a run-time error.
        """
        # Those that are counted from an end do not move while others that are further from it go.
        for axis in sorted(axes, key=abs, reverse=True):
            place = self.build.scalar(axis, i64)
            extent = self.build.make(
                GatherOp, extents, place, self.zero, attributes={"out_of_range": "error"}
            )
            is_one = self.build.make(EqualOp, extent, self.one)
            kept = self.build.require(
                extents, is_one, "shape", "an axis that is squeezed has another extent than 1"
            )
            extents = self.build.make(RowEraseOp, kept, place)
        return extents

    def without_ones(self, extents: SSAValue) -> SSAValue:
        """Those that are not 1."""
        others = self.build.make(NonZeroOp, self.build.make(NotEqualOp, extents, self.one))
        places = self.build.make(ReshapeOp, others, self.build.integers([-1]))
        return self.build.make(GatherOp, extents, places, self.zero, attributes={"out_of_range": "error"})

    def _of_a_tensor(self, extents: SSAValue) -> SSAValue:
        """Check that there are no more extents than a tensor may have.

        The bound guarantees room for the extents however often a loop adds one.
        """
        return self.build.emit(CheckBoundsOp.of(extents, [MAX_RANK])).output

    def _of_length(self, values: SSAValue, count: SSAValue, fill: int) -> SSAValue:
        """The first `count` values; behind the last one others."""
        build = self.build
        length = build.make(ReshapeOp, count, build.integers([1]))
        more = build.make(BroadcastOp, build.scalar(fill, i64), length, attributes={"mode": "numpy"})
        long = build.make(ConcatOp, [values, more], attributes={"axis": 0})
        return build.make(SliceOp, long, self.front, length, build.integers([1]), self.front)

    def _as_i64(self, values: SSAValue) -> SSAValue:
        same = self.build.fact(values).element == i64
        return values if same else self.build.make(ConvertOp, values, attributes=_I64)

    def _product(self, values: SSAValue) -> SSAValue:
        return self.build.make(ReduceProdOp, values, self.front, attributes={"keep_dims": False})

    def _sum(self, values: SSAValue) -> SSAValue:
        return self.build.make(ReduceSumOp, values, self.front, attributes={"keep_dims": False})

    def _all(self, values: SSAValue) -> SSAValue:
        return self.build.make(ReduceLogicalAndOp, values, self.front, attributes={"keep_dims": False})


_I64 = {"destination_type": i64}


MAX_FOLLOWED = 100
"""Limit of operations followed from an operation's operands to their definitions.

These operations may compute the operands from the rank. Operations beyond the limit are not moved into the branches.
"""


def read(build: GraphBuilder, parts: Parts, fact: Fact) -> SSAValue:
    """Return the tensor of known rank with these elements and extents.

    It is as large as the fact states; otherwise there is an error at run time.
    """
    flat, extents = parts
    shape = fact.shape
    assert shape is not None
    extents = build.make(ReshapeOp, extents, build.integers([len(shape)]))
    if any(map(is_unbounded, shape)):
        return build.make(ReshapeOp, flat, extents)
    limits = {"least": [d.lo for d in shape], "most": [d.hi or 0 for d in shape]}
    return build.make(FromSlotOp, flat, extents, attributes=limits)


def dispatched(op: Operation, value: SSAValue, parts: Parts, inference: Inference) -> IfOp:
    """Replace an operation by an `ov.if` that dispatches over ranks.

    Each branch has the operation on `value` of one of the possible ranks; `parts` hold the value.

    The results of the original operation are left without uses. `inference` has facts of at least two ranks, and receives
    those of the branches.
    """
    build = GraphBuilder(InsertPoint.before(op), op.location)
    extents = parts[1]
    rank = ExtentArithmetic(build).rank(extents)
    computed = _computed_of(extents, op)
    refused: list[tuple[Block, Error]] = []

    cases = [
        (fact.rank or 0, partial(_of_rank, op, value, fact, parts, computed, inference, refused))
        for fact in inference.fact(value).possible
    ]
    branches = emit_switch(build, rank, cases, [r.type for r in op.results])
    for branch in branches:
        for result, old in zip(branch.output, op.results):
            inference.set(result, inference.any_fact(old))
    for block, error in refused:
        replace_by_failure(block, f"{error.where.layer_and_op}: {error.what}", inference)
    for old, result in zip(op.results, branches[0].output, strict=True):
        old.replace_all_uses_with(result)
    return branches[0]


def _of_rank(
    op: Operation,
    value: SSAValue,
    fact: Fact,
    parts: Parts,
    computed: Sequence[Operation],
    inference: Inference,
    refused: list[tuple[Block, Error]],
    build: GraphBuilder,
) -> Sequence[SSAValue]:
    """Return the results of an operation on a value of this rank.

    If the operation does not take such a value, the block is added to `refused`.
    """
    tensor = read(build, parts, fact)
    inference.set(tensor, fact)
    known = ExtentArithmetic(build).of(tensor)
    assert isinstance(known.owner, Operation)
    inference.run_operation(known.owner)
    copies: dict[SSAValue, SSAValue] = {value: tensor, parts[1]: known}
    new = op
    for each in (*computed, op):
        new = build.emit(each.clone(copies))  # which notes in `copies` what becomes of its results
        try:
            inference.run_operation(new)
        except Error as error:
            assert new.parent is not None
            refused.append((new.parent, error))
            return build.emit(FailOp.of(error.what, [r.type for r in op.results])).results
        write_types_in(new, inference)
    return new.results


def _computed_of(extents: SSAValue, op: Operation) -> list[Operation]:
    """Return the operations that compute operands from a value's extents.

    The operands are those of `op`. The operations are in the same block as `op`, and are returned in order.
    """
    depends: dict[Operation, bool] = {}
    found: list[Operation] = []

    def follow(value: SSAValue) -> bool:
        if value is extents:
            return True
        owner = value.owner
        if not isinstance(owner, OvOperation) or owner.regions or owner.parent is not op.parent:
            return False
        if owner not in depends:
            if len(depends) == MAX_FOLLOWED:
                return False
            depends[owner] = False
            depends[owner] = any(list(map(follow, owner.operands)))
            if depends[owner]:
                found.append(owner)
        return depends[owner]

    for operand in op.operands:
        if not isinstance(operand.type, UnrankedTensorType):
            follow(operand)
    return found
