"""The analysis itself: blocks in order, regions recursively."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp, TensorType, UnrankedTensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from loomir.dialects.locations import located
from loomir.dialects.ov.answers import TRANSFERRED
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.bounds import Bounds, is_bounded, least
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.operators.comparison import SelectOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ov.operators.custom import CustomOp
from loomir.dialects.ov.operators.failure import FailOp, failure_of
from loomir.dialects.ovseq.base import SeqOperation
from loomir.dialects.ovseq.facts import AnyFact, fact_of_type, join_facts
from loomir.dialects.ovseq.types import SeqType
from loomir.dialects.walking import walk
from loomir.errors import Error
from loomir.passes.analysis.inference.arguments import argument_fact
from loomir.passes.analysis.inference.assumptions import Assumptions, has_interval
from loomir.passes.analysis.inference.capacity import limit_results
from loomir.passes.analysis.inference.loops import infer_loop
from loomir.passes.analysis.inference.state import State
from loomir.passes.analysis.inference.transfer import transfer, transfer_seq


@dataclass
class Inference(State):
    """The analysis of blocks; its state is the result.

    What is found of a value in a branch holds where it is made: it may follow from the condition.
    """

    _depths: dict[Block, int] = field(default_factory=dict)
    """Blocks that the analysis is in, with their nesting depths."""
    _assumptions: Assumptions | None = None
    """Those of the innermost branch that the analysis is in."""

    def run_block(self, block: Block) -> None:
        self._depths[block] = len(self._depths)
        try:
            for op in block.ops:
                self.run_operation(op)
        finally:
            del self._depths[block]

    def fact(self, value: SSAValue) -> Fact:
        return self.found(value) if self._assumptions is None else self._assumptions.fact(value)

    def run_operation(self, op: Operation) -> None:
        """Compute the facts of an operation's results and regions.

        Its errors are marked as `inferred`.
        """
        try:
            self._run_operation(op)
        except Error as error:
            error.inferred = True
            raise

    def _run_operation(self, op: Operation) -> None:
        for result in op.results:
            self.limited.pop(result, None)
        if isinstance(op, LoopOp):
            results: Sequence[AnyFact] = infer_loop(op, self)
        elif isinstance(op, IfOp):
            results = self._infer_if(op)
        elif isinstance(op, CustomOp):
            results = self._infer_custom(op)
        elif isinstance(op, FailOp):
            results = [fact_of_type(r.type) for r in op.results]
        elif isinstance(op, OvOperation):
            of_tensors = TRANSFERRED.of(op, [self.fact(o) for o in op.operands], transfer)
            of_tensors = self._by_conditions(op, of_tensors)
            if self.keep_shapeof and op.name == "ov.shape_of":
                of_tensors = [r.without_content() for r in of_tensors]
            if self.capacity is not None:
                of_tensors = limit_results(op, of_tensors, self)
            results = of_tensors
        elif isinstance(op, SeqOperation):
            results = transfer_seq(op, [self.any_fact(o) for o in op.operands])
        else:
            return
        for result, fact in zip(op.results, results, strict=True):
            if isinstance(fact, Fact) and is_bounded(result.type):
                # What is noted in a type holds, whoever noted it; `ov-bound-shapes` has it checked where it does not follow.
                noted = Fact.of_type(result.type)
                self._assume(result, noted.size, fact)
                fact = fact.meet(noted)
            self.set(result, fact)

    def _infer_custom(self, op: CustomOp) -> Sequence[AnyFact]:
        """Infer the facts of a custom operation's results.

        The facts are declared or provided by an extension; it is unknown if its regions run, and with which values.
        """
        for region in op.bodies:
            for argument in region.block.args:
                self.set(argument, fact_of_type(argument.type))
            try:
                self.run_block(region.block)
            except Error as error:
                self.impossible[region.block] = error
        try:
            return op.infer([self.any_fact(operand) for operand in op.operands])
        except Error as error:
            raise located(error, op) from None

    def _by_conditions(self, op: Operation, results: Sequence[Fact]) -> Sequence[Fact]:
        """Refine an operation's result facts by known conditions."""
        if isinstance(op, SelectOp) and results[0].value is None and has_interval(results[0]):
            return [Assumptions(self, self._depths, self._assumptions).chosen(op, results[0])]
        return results if self._assumptions is None else self._assumptions.compared(op, results)

    def _assume(self, result: SSAValue, bounds: Bounds[int | None], fact: Fact) -> None:
        """Note what bounds say beyond a fact."""
        known = Bounds((None,) * len(bounds)) if fact.shape is None else fact.size
        if (more := bounds.beyond(known)).tells:
            self.limited[result] = least(more, self.limited.get(result, more))

    def _infer_if(self, op: IfOp) -> Sequence[AnyFact]:
        arms = {op.then_region.block: True, op.else_region.block: False}
        branches = self._possible(op, arms)
        results: list[list[AnyFact]] = []
        for block, assumptions in branches.items():
            outer, self._assumptions = self._assumptions, assumptions
            try:
                self.run_block(block)
                last = block.last_op
                assert last is not None
                yielded = [self.any_fact(v) for v in last.operands]
            except Error as error:
                # The branch may be there for other shapes: it is an error when it is taken.
                if len(branches) == 1:
                    raise
                self.impossible[block] = error
                continue
            finally:
                self._assumptions = outer
            if assumptions is not None and (contents := assumptions.contents):
                self.assumed[block] = contents
            self.impossible.pop(block, None)
            if (failure := failure_of(block)) is None:
                results.append(yielded)
            elif len(branches) == 1:
                raise Error("forbidden-branch", failure.reason.data)
        return self._joined(op, list(branches), results)

    def _possible(self, op: IfOp, arms: Mapping[Block, bool]) -> dict[Block, Assumptions | None]:
        """Return the branches that may be taken, with their assumptions.

        If only one branch may be taken, it has no assumptions beyond those around the `ov.if`.
        """
        self.taken.pop(op, None)
        for block in arms:
            self.assumed.pop(block, None)
        condition = self.fact(op.cond).value
        possible: dict[Block, Assumptions | None] = {}
        for block, holds in arms.items():
            if condition is None:
                possible[block] = Assumptions(self, self._depths, self._assumptions)
            elif bool(condition) == holds:
                possible[block] = None
        for block, assumptions in list(possible.items()):
            if assumptions is not None and not assumptions.assume(op.cond, arms[block]) and len(possible) > 1:
                # It contradicts what is known: the branch is never taken.
                del possible[block]
        if len(possible) == 1:
            self.taken[op] = arms[next(iter(possible))]
        return possible

    def _joined(
        self, op: IfOp, branches: Sequence[Block], arms: Sequence[Sequence[AnyFact]]
    ) -> Sequence[AnyFact]:
        """Return the facts of the results, joined over the possible branches.

        `arms` holds the facts that each branch that may be taken yields.
        """
        if not arms and (errors := [e for b in branches if (e := self.impossible.get(b)) is not None]):
            raise errors[0]
        if not arms:
            return [fact_of_type(r.type) for r in op.output]
        results = list(arms[0]) if len(arms) == 1 else [join_facts(a, b) for a, b in zip(*arms)]
        for block in branches:
            _set_failed(self, block, results)
        return results


def _set_failed(inference: Inference, block: Block, results: Sequence[AnyFact]) -> None:
    """Set the facts of yielded `ov.fail` values to the results' facts.

    Such a value has whatever type the results of the `ov.if` have.
    """
    last = block.last_op
    assert last is not None
    for value, fact in zip(last.operands, results):
        if isinstance(value.owner, FailOp):
            inference.set(value, fact.without_content())


def infer(module: ModuleOp, *, keep_shapeof: bool = False, capacity: int | None = None) -> Inference:
    """Facts of every value of a GRAPH module (see the package's docstring).

    `keep_shapeof` treats the results of ShapeOf as unknown, so that nothing is specialised to them. `capacity`: see `State`.
    Errors: those of
    the operations' shape rules, each with its layer's name.
    """
    inference = Inference(keep_shapeof=keep_shapeof, capacity=capacity)
    for function in walk(module):
        if isinstance(function, FuncOp) and function.body.blocks:
            block = function.body.block
            for argument in block.args:
                # Below GRAPH there are scalars and memrefs, and nothing to infer.
                if isinstance(argument.type, TensorType | UnrankedTensorType):
                    inference.facts[argument] = argument_fact(argument)
                elif isinstance(argument.type, SeqType):
                    inference.set(argument, fact_of_type(argument.type))
            inference.run_block(block)
    return inference
