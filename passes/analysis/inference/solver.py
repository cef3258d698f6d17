"""The analysis itself: blocks in order, regions recursively."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp, TensorType, UnrankedTensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.control_flow import IfOp, LoopOp
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.failure import FailOp, failure_of
from loomir.errors import Error
from loomir.passes.analysis.inference.arguments import argument_fact
from loomir.passes.analysis.inference.loops import infer_loop
from loomir.passes.analysis.inference.transfer import transfer


@dataclass
class Inference:
    """The facts of a module; also the state while they are computed.

    `unreached` holds the operations with regions of which a branch never runs: their values there have no facts.
    """

    facts: dict[SSAValue, Fact] = field(default_factory=dict)
    impossible: dict[Block, Error] = field(default_factory=dict)
    """Branches that are illegal for the shapes here, and why; their values have no facts worth reading."""
    keep_shapeof: bool = False
    depth: int = 0

    def fact(self, value: SSAValue) -> Fact:
        """What is known of a value; what its type says where the analysis did not reach it."""
        known = self.facts.get(value)
        return Fact.of_type(value.type) if known is None else known

    def run_block(self, block: Block) -> None:
        """Compute the facts of every operation of a block whose arguments have theirs."""
        for op in block.ops:
            self.run_operation(op)

    def run_operation(self, op: Operation) -> None:
        """Compute the facts of an operation's results (and of everything in its regions)."""
        if isinstance(op, LoopOp):
            results: Sequence[Fact] = infer_loop(op, self)
        elif isinstance(op, IfOp):
            results = self._infer_if(op)
        elif isinstance(op, OvOperation):
            results = transfer(op, [self.fact(o) for o in op.operands])
            if self.keep_shapeof and op.name == "ov.shape_of":
                results = [r.without_content() for r in results]
        else:
            return
        for result, fact in zip(op.results, results, strict=True):
            self.facts[result] = fact

    def _infer_if(self, op: IfOp) -> Sequence[Fact]:
        condition = self.fact(op.cond).value
        branches = [op.then_region.block, op.else_region.block]
        if condition is not None:
            branches = [branches[0] if bool(condition) else branches[1]]
        arms: list[list[Fact]] = []
        for block in branches:
            try:
                self.run_block(block)
            except Error as error:
                # The branch may be there for other shapes: it is an error when it is taken.
                if len(branches) == 1:
                    raise
                self.impossible[block] = error
                continue
            self.impossible.pop(block, None)
            last = block.last_op
            assert last is not None
            if (failure := failure_of(block)) is None:
                arms.append([self.fact(v) for v in last.operands])
            elif len(branches) == 1:
                raise Error("forbidden-branch", failure.reason.data)
        if not arms and (errors := [e for b in branches if (e := self.impossible.get(b)) is not None]):
            raise errors[0]
        if not arms:
            return [Fact.of_type(r.type) for r in op.output]
        results = arms[0] if len(arms) == 1 else [a.join(b) for a, b in zip(*arms)]
        for block in branches:
            _set_failed(self, block, results)
        return results


def _set_failed(inference: Inference, block: Block, results: Sequence[Fact]) -> None:
    """What `ov.fail` yields has whatever type the results of the `ov.if` have."""
    last = block.last_op
    assert last is not None
    for value, fact in zip(last.operands, results):
        if isinstance(value.owner, FailOp):
            inference.facts[value] = fact.without_content()


def infer(module: ModuleOp, *, keep_shapeof: bool = False) -> Inference:
    """Facts of every value of a GRAPH module (see the package's docstring).

    `keep_shapeof` treats the results of ShapeOf as unknown, so that nothing is specialised to them. Errors: those of
    the operations' shape rules, each with its layer's name.
    """
    inference = Inference(keep_shapeof=keep_shapeof)
    for function in module.walk():
        if isinstance(function, FuncOp) and function.body.blocks:
            block = function.body.block
            for argument in block.args:
                # Below GRAPH there are scalars and memrefs, and nothing to infer.
                if isinstance(argument.type, TensorType | UnrankedTensorType):
                    inference.facts[argument] = argument_fact(function, argument)
            inference.run_block(block)
    return inference
