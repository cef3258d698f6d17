"""Shape and value inference of GRAPH.

It is one forward dataflow analysis through loops and branches to a fixpoint: blocks in order, regions recursively.

`infer(module)` computes a `Fact` for every value: element type, shape by intervals, and contents if they are small enough. It
enters both branches of an `ov.if` whose condition is unknown and only the taken one otherwise, so chains shape → value →
condition → branch → shape resolve in one run. Loop-carried facts are joined around the back edge until they stop changing;
facts that keep changing are widened (see `loops`).

Facts come from operands only: a type that an importer guessed for a region's argument or a result is never trusted. The
declared types of `main`'s arguments are trusted, and so are the bounds that a user set for their dynamic extents.

`Contents` computes the contents of small integer tensors on demand, during import. Exporters compute axes, pads and lengths with
nodes (`Concat` of `Constant`s, `Shape` of a weight). Translators need the numbers where they decide which operations to create;
everything else is left to inference, later.

`TypeUpdateListener` infers incrementally while patterns change a GRAPH program: inserted operations and the values that depend on them are
inferred, so that types stay correct.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType, UnrankedTensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriterListener

from loomir.dialects.attributes import Bounds, is_bounded, least
from loomir.dialects.diagnostics import located
from loomir.dialects.element_types import i1, is_integer, set_type
from loomir.dialects.interface import entry_of
from loomir.dialects.ov.base import OvOperation, evaluate, has_evaluator
from loomir.dialects.ov.facts import CONTENT_LIMIT, Dim, Fact
from loomir.dialects.ov.operators.comparison import SelectOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ov.operators.custom import CustomOp
from loomir.dialects.ov.operators.internal import FailOp, failure_of
from loomir.dialects.ovseq import SeqOperation
from loomir.dialects.ovseq.types import AnyFact, SeqType, fact_of_type, join_facts
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error
from loomir.passes.analysis.inference.assumptions import Assumptions, has_interval
from loomir.passes.analysis.inference.loops import infer_loop
from loomir.passes.analysis.inference.state import InferenceState, limit_results, transfer, transfer_seq

MAX_CONTENTS_DEPTH = 64
"""How many operations back a question goes."""


class Contents:
    """Facts known of values, computed at most once per operation."""

    def __init__(self, given: Mapping[SSAValue, Fact] = MappingProxyType({})) -> None:
        """`given` is what is known already."""
        self._facts: dict[SSAValue, Fact] = dict(given)

    def known(self, value: SSAValue) -> np.ndarray | None:
        """Return a value's contents if constants and static shapes determine them."""
        if isinstance(value.owner, ConstantOp):
            return value.owner.array
        return self.fact(value).value

    def fact(self, value: SSAValue, depth: int = MAX_CONTENTS_DEPTH) -> Fact:
        """Type and, for small integer tensors, contents of a value."""
        if (fact := self._facts.get(value)) is not None:
            return fact
        op = value.owner
        if isinstance(op, ConstantOp):
            return Fact.of_array(op.array)
        fact = Fact.of_type(value.type)
        if not isinstance(op, OvOperation) or depth == 0 or not _is_small(value):
            return fact
        operands = [self.fact(operand, depth - 1) for operand in op.operands]
        try:
            results = list(op.results_of(operands))
            arrays = [f.value for f in operands]
            if has_evaluator(type(op)) and all(a is not None and a.size <= CONTENT_LIMIT for a in arrays):
                values = evaluate(op, [a for a in arrays if a is not None])
                results = [Fact.of_array(v) for v in values]
        except Error:
            # Illegal with these contents: an error when it runs, if it ever does; nothing is known of it.
            return fact
        for result, inferred in zip(op.results, results, strict=True):
            self._facts[result] = inferred
        return self._facts[value]


def _is_small(value: SSAValue) -> bool:
    """Return True if the value may be a shape, axes, or condition.

    Only these values (a shape, a list of axes, a condition) are worth following.
    """
    type_ = value.type
    if not isinstance(type_, TensorType) or not (is_integer(type_.element_type) or type_.element_type == i1):
        return False
    return type_.get_num_dims() <= 1


class TypeUpdateListener(PatternRewriterListener):
    """Listener that keeps types up to date while patterns rewrite.

    Pass it to `rewrite` (`dialects/upstream/rewriting.py`): after each edit the types of the affected values are those inferred from
    their operands.

    A type is made more precise or corrected; the work depends on the size of the change, not of the program. Values that loops
    carry and branches yield keep their types: `ov-infer` handles those. An operation that is illegal for its operands is an error
    of the code that inserted it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.operation_insertion_handler.append(self._changed)
        self.operation_modification_handler.append(self._changed)

    def _changed(self, op: Operation) -> None:
        """(Whoever used what is replaced is modified, too.)"""
        self._follow(_updated(op, Contents()))

    def _follow(self, values: Sequence[SSAValue]) -> None:
        contents = Contents()
        todo = list(values)
        while todo:
            for use in list(todo.pop().uses):
                todo += _updated(use.operation, contents)


def _updated(op: Operation, contents: Contents) -> list[SSAValue]:
    """The results of an operation whose types had to be changed."""
    if not isinstance(op, OvOperation) or isinstance(op, FailOp):
        return []
    try:
        facts = op.results_of([contents.fact(operand) for operand in op.operands])
    except Error as error:
        raise located(error, op) from None
    changed: list[SSAValue] = []
    for result, fact in zip(op.results, facts):
        declared = Fact.of_type(result.type)
        type_ = fact.type
        if declared.element == fact.element and (met := _met(declared, fact)) is not None:
            type_ = met.type
        if type_ != result.type:
            set_type(result, type_)
            changed.append(result)
    return changed


def _met(declared: Fact, found: Fact) -> Fact | None:
    """Return the meet of two facts' shapes, or None if they conflict."""
    if declared.shape is None or found.shape is None:
        return found if declared.shape is None else declared
    if len(declared.shape) != len(found.shape):
        return None
    extents = [a.meet(b) for a, b in zip(declared.shape, found.shape)]
    if any(extent is None for extent in extents):
        return None
    return Fact(found.element, tuple(extent for extent in extents if extent is not None))


def argument_fact(argument: BlockArgument) -> Fact:
    """Return the fact that an argument's type and bounds imply together."""
    fact = Fact.of_type(argument.type)
    bounds = entry_of(argument).bounds
    if fact.shape is None or bounds is None or len(bounds) != len(fact.shape):
        return fact
    shape = tuple(d if d.static is not None else Dim(d.lo, b) for d, b in zip(fact.shape, bounds))
    return Fact(fact.element, shape)


@dataclass
class Inference(InferenceState):
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
        return self.definition_fact(value) if self._assumptions is None else self._assumptions.fact(value)

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
            of_tensors = transfer(op, [self.fact(o) for o in op.operands])
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
        if (more := bounds.beyond(known)).is_bounded:
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

    `keep_shapeof` treats the results of ShapeOf as unknown, so that nothing is specialised to them. `capacity`: see `InferenceState`.
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


__all__ = ["Inference", "infer"]
