"""Dispatch of an operation that has to know a rank.

`ov.if` tests the rank, and each branch has the operation on a value of one rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from xdsl.dialects.builtin import UnrankedTensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.control_flow import IfOp
from loomir.dialects.ov.operators.failure import FailOp
from loomir.dialects.ov.operators.reshape import ReshapeOp
from loomir.dialects.ov.operators.slots import FromSlotOp
from loomir.errors import Error
from loomir.passes.analysis.inference import Inference
from loomir.passes.analysis.inference.capacity import is_unbounded
from loomir.passes.graph.cases import choose
from loomir.passes.graph.convert_unranked_to_flat.extents import Extents
from loomir.passes.graph.one_to_many import Parts
from loomir.passes.graph.ov_infer import replace_by_failure, write_types_in

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
    rank = Extents(build).rank(extents)
    computed = _computed_of(extents, op)
    refused: list[tuple[Block, Error]] = []

    cases = [
        (fact.rank or 0, partial(_of_rank, op, value, fact, parts, computed, inference, refused))
        for fact in inference.fact(value).possible
    ]
    branches = choose(build, rank, cases, [r.type for r in op.results])
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
    known = Extents(build).of(tensor)
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
