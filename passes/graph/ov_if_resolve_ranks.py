"""`ov-if-resolve-ranks`: moves users of unranked results into the branches.

The rank is known there. Results of `ov.if` with a branch-dependent rank that is not observed get one rank instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue, Use
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from loomir.dialects.diagnostics import Remarks
from loomir.dialects.ov.attributes import to_str
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.control_flow import IfOp
from loomir.dialects.ov.operators.conversion import ConvertLikeOp
from loomir.dialects.ov.operators.reshape import UnsqueezeOp
from loomir.dialects.ovseq.types import AnyFact, SequenceFact, fact_of_type, join_facts
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.graph.lib.branches import clone_into_branches, dependants_of, operands_of, unranked
from loomir.passes.graph.ov_infer import retype
from loomir.passes.options import check_least


def equalise_ranks(branch: IfOp, remarks: Remarks) -> None:
    """Add leading extents of 1 to a result of smaller rank.

    This applies if all users of the result broadcast it to the greater rank anyway. The rank must be known in both
    branches. No user gets another shape or other elements, and none fails that did not fail before.
    """
    for index, result in enumerate(branch.output):
        ends = (branch.then_yield, branch.else_yield)
        ranks = [_rank(end.values[index]) for end in ends]
        known = [rank for rank in ranks if rank is not None]
        if len(known) < 2 or known[0] == known[1]:
            continue
        greatest = max(known)
        if not all(_broadcasts(use, greatest) for use in result.uses):
            continue
        for end, rank in zip(ends, known):
            if rank < greatest:
                build = GraphBuilder(InsertPoint.before(end), end.location)
                axes = build.integers(range(greatest - rank))
                end.operands[index] = build.make(UnsqueezeOp, end.values[index], axes)
        remarks.passed(
            branch, f"result {index} has the rank {greatest} of its users in both branches", rank=greatest
        )


def _rank(value: SSAValue) -> int | None:
    return value.type.get_num_dims() if isinstance(value.type, TensorType) else None


def _broadcasts(use: Use, rank: int) -> bool:
    """Return True if the user treats a value as having rank `rank`.

    The value has fewer axes. The user reads it beside an operand of at least this rank, or for its type only.
    """
    op = use.operation
    if isinstance(op, ConvertLikeOp) and op.operands[use.index] is op.like:
        return True
    if not isinstance(op, OvOperation) or use.index not in op.ELEMENTWISE:
        return False
    mode = getattr(op, "auto_broadcast", None)
    others = (op.operands[place] for place in op.ELEMENTWISE if place != use.index)
    return (
        mode is not None
        and to_str(mode) == "numpy"
        and any((other_rank := _rank(other)) is not None and other_rank >= rank for other in others)
    )


@dataclass(frozen=True)
class OvIfResolveRanksPass(ModulePass):
    """Copies operations on values of branch-dependent rank into both branches.

    The operations are those behind an `ov.if`. An example is `if (…) squeeze`, where later operations make the ranks agree
    again. Below GRAPH every value has one rank.

    If all users broadcast the result to a rank that no branch exceeds, nothing moves: the branch of the smaller rank yields
    leading extents of 1 (`equalise_ranks`).

    ```mlir
    %r = ov.if %c -> (tensor<*xf32>) {                                            // before
      ov.yield %scalar : tensor<f32>
    } else {
      ov.yield %vector : tensor<1xf32>
    }
    %s = ov.reshape %r, %two : (tensor<*xf32>, tensor<2xi64>) -> tensor<?x?xf32>

    %s = ov.if %c -> (tensor<?x?xf32>) {                                          // after
      %0 = ov.reshape %scalar, %two : (tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>
      ov.yield %0 : tensor<?x?xf32>
    } else {
      %1 = ov.reshape %vector, %two : (tensor<1xf32>, tensor<2xi64>) -> tensor<?x?xf32>
      ov.yield %1 : tensor<?x?xf32>
    }
    ```

    Only operations with an operand whose rank differs between the branches move, and those that such an operation needs of
    the ones that depend on the branches' results. More than `max-operations` operations are not moved.
    """

    name = "ov-if-resolve-ranks"
    EXACT = True

    max_operations: int = 1000

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_operations=0)
        remarks = Remarks(self.name)
        # Inner branches first: once their ranks are known, those of the ones around may be.
        branches = _unresolved(op)
        for branch in branches[::-1]:
            equalise_ranks(branch, remarks)
        retype(ctx, op, changed=bool(branches))
        branches = _unresolved(op)
        while branches:
            inference = analyses_of(ctx).get(infer, op)
            made = {new for branch in reversed(branches) for new in self._resolve(branch, inference, remarks)}
            retype(ctx, op)
            # What moved into a branch may work on what another one in it gives.
            branches = [branch for branch in _unresolved(op) if not made.isdisjoint(_around(branch))]

    def _resolve(self, branch: IfOp, inference: Inference, remarks: Remarks) -> list[Operation]:
        """Return the branches that replace this one.

        There are any only if something moved into the branch that is used elsewhere.
        """
        dependants = dependants_of(branch)
        moved = _of_two_ranks(branch, dependants, inference)
        size = sum(1 for o in moved for _ in walk(o))
        if not moved:
            remarks.missed(branch, "no operation in its block uses a result of unknown rank")
            return []
        if size > self.max_operations:
            remarks.missed(
                branch,
                f"{size} operations are more than {self.max_operations}",
                operations=size,
                limit=self.max_operations,
            )
            return []
        results = clone_into_branches(branch, dependants, moved)
        for old, new in results.items():
            inference.set(new, inference.any_fact(old))
        remarks.passed(branch, f"moved {size} operations into its branches", operations=size)
        return [new.owner for new in results.values() if isinstance(new.owner, Operation)]


def _around(op: Operation) -> Iterator[Operation]:
    parent = op.parent_op()
    while parent is not None:
        yield parent
        parent = parent.parent_op()


def _unresolved(op: Operation) -> list[IfOp]:
    return [o for o in walk(op) if isinstance(o, IfOp) and unranked(o.output)]


def _of_two_ranks(branch: IfOp, dependants: Sequence[Operation], inference: Inference) -> list[Operation]:
    """Return the operations on a value whose rank differs between branches.

    The dependants that these operations need are included.
    """
    arms: list[Inference] = []
    for end in (branch.then_yield, branch.else_yield):
        arm = Inference(facts=dict(inference.facts), seq_facts=dict(inference.seq_facts))
        for result, value in zip(branch.output, end.values):
            arm.set(result, inference.any_fact(value))
        for op in dependants:
            try:
                arm.run_operation(op)
            except Error:
                # It is illegal in this branch: it may stand there, as an error when the branch is taken.
                for result in op.results:
                    arm.set(result, fact_of_type(result.type))
        arms.append(arm)
    made = [*branch.output, *(r for op in dependants for r in op.results)]
    facts = {v: (arms[0].any_fact(v), arms[1].any_fact(v)) for v in made}
    differs = {v for v, (a, b) in facts.items() if _ranks_differ(a, b)}
    needed: set[SSAValue] = set()
    moved: list[Operation] = []
    for op in reversed(dependants):
        operands = set(operands_of(op))
        if operands & differs or needed.intersection(op.results):
            moved.append(op)
            needed |= operands
    for v, (a, b) in facts.items():
        inference.set(v, join_facts(a, b))
    return moved[::-1]


def _ranks_differ(a: AnyFact, b: AnyFact) -> bool:
    if isinstance(a, Fact) and isinstance(b, Fact):
        return a.rank is None or a.rank != b.rank
    # The elements of a sequence may have several ranks in either branch: only where each has one, they can differ.
    if isinstance(a, SequenceFact) and isinstance(b, SequenceFact):
        ranks = (a.element.rank, b.element.rank)
        return None not in ranks and ranks[0] != ranks[1]
    return False
