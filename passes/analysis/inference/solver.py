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
from loomir.passes.analysis.inference.arguments import argument_fact
from loomir.passes.analysis.inference.loops import infer_loop
from loomir.passes.analysis.inference.transfer import transfer


@dataclass
class Inference:
    """The facts of a module; also the state while they are computed.

    `unreached` holds the operations with regions of which a branch never runs: their values there have no facts.
    """

    facts: dict[SSAValue, Fact] = field(default_factory=dict)
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
            self.run_block(block)
            last = block.last_op
            assert last is not None
            arms.append([self.fact(v) for v in last.operands])
        if len(arms) == 1:
            return arms[0]
        return [a.join(b) for a, b in zip(*arms)]


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
