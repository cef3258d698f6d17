"""`ov-fold-constants`: folds operations on known operands to constants.

Within a branch, constants also replace values from outside whose contents are known there because the branch was taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from weakref import WeakKeyDictionary

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from loomir.dialects.diagnostics import Remarks
from loomir.dialects.element_types import dtype_of, is_integer
from loomir.dialects.ov.base import evaluate, has_evaluator
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.control_flow import IfOp, YieldOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.convolution import ConvolutionBase
from loomir.dialects.upstream.effects import is_side_effect_free
from loomir.dialects.upstream.rewriting import rewrite
from loomir.errors import Error
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.integer_weights import STORED
from loomir.passes.graph.ov_infer import write_result_types, write_types
from loomir.passes.graph.ov_narrow_weights import NARROW
from loomir.passes.options import check_least


def replace_assumed(block: Block, inference: Inference) -> None:
    """Replace operands in branches by constants that hold there.

    This applies at any depth of a block, where inference knows the contents of a value (`assumptions`).

    Operands of yields stay: a value that both branches forward is that value. A condition becomes a constant, too, if only
    the analysis of the branch shows that it cannot be otherwise.
    """
    _Replacement(inference).visit(block)


class _Replacement:
    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self._known: dict[SSAValue, _Contents] = {}

    def visit(self, block: Block) -> None:
        for op in list(block.ops):
            if not isinstance(op, YieldOp):
                for index, operand in enumerate(op.operands):
                    if (contents := self._known.get(operand)) is not None:
                        op.operands[index] = contents.constant()
            if isinstance(op, IfOp) and self._is_known_by_contradiction(op):
                op.operands[0] = _constant_before(op, np.array(self._inference.taken[op]))
            for region in op.regions:
                for inside in region.blocks:
                    self._visit_inside(inside)

    def _is_known_by_contradiction(self, op: IfOp) -> bool:
        is_constant = isinstance(op.cond.owner, ConstantOp)
        return (
            op in self._inference.taken
            and not is_constant
            and self._inference.definition_fact(op.cond).value is None
        )

    def _visit_inside(self, block: Block) -> None:
        more = self._inference.assumed.get(block, {})
        outside = {value: self._known[value] for value in more if value in self._known}
        self._known |= {value: _Contents(array, block) for value, array in more.items()}
        self.visit(block)
        for value in more:
            del self._known[value]
        self._known |= outside


class _Contents:
    """Contents of a value in a block, as a lazily created constant."""

    def __init__(self, array: np.ndarray, block: Block) -> None:
        self._array = array
        self._block = block
        self._made: SSAValue | None = None

    def constant(self) -> SSAValue:
        """The constant, at the beginning of the block."""
        if self._made is None:
            first = self._block.first_op
            assert first is not None
            self._made = _constant_before(first, self._array)
        return self._made


def _constant_before(op: Operation, array: np.ndarray) -> SSAValue:
    constant = ConstantOp.of(array)
    constant.location = op.location
    block = op.parent
    assert block is not None
    block.insert_op_before(constant, op)
    return constant.output


GROWTH_LIMIT = 1 << 16
"""Bytes that a folded result may take beyond twice its operands.

A broadcast constant is cheaper to compute than to store.
"""


MAX_FOLDED = 1 << 30
"""Total bytes that constant folding may produce in one program.

A model of a few lines can require any number.
"""


@dataclass
class FoldBudget:
    """The bytes that folding may still make of one program."""

    left: int

    @staticmethod
    def of(module: ModuleOp, limit: int) -> FoldBudget:
        """Return the program's budget, which all passes share.

        Otherwise the second pass would go on where the first one stopped.
        """
        return _BUDGETS.setdefault(module, FoldBudget(limit))


_BUDGETS: WeakKeyDictionary[ModuleOp, FoldBudget] = WeakKeyDictionary()


@dataclass(frozen=True)
class OvFoldConstantsPass(ModulePass):
    """Folds values with known contents to constants.

    The pass replaces every value whose contents inference knows by `ov.constant`, and evaluates operations on constants.

    ```mlir
    %s = ov.shape_of %x : (tensor<2x3xf32>) -> tensor<2xi64>           // before
    %s = ov.constant dense<[2, 3]> : tensor<2xi64> : tensor<2xi64>     // after
    ```

    Contents are known through loops and branches, so the pass also folds shape computations inside them. It also folds
    values that a branch knows because it was taken: where `%k < 3` holds, `%k < 5` does, and where `%k` is 3 it is a
    constant. Types are updated on the way (as by `ov-infer`). An operation that fails when evaluated stays: it fails at run
    time, if it runs. `keep-shapeof` leaves ShapeOf alone. All passes of this name together produce at most `max-bytes` in
    one program (1 GB unless given, here or for the whole program with `--max-bytes`). An operation that would exceed this
    limit stays and runs with the program.
    """

    name = "ov-fold-constants"
    EXACT = True

    keep_shapeof: bool = False
    max_bytes: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_bytes=0)
        inference = analyses_of(ctx).get(infer, op, keep_shapeof=self.keep_shapeof)
        # Types say all that is known: what other passes built may depend on a rank that follows from ShapeOf.
        holds = write_types(op, analyses_of(ctx).get(infer, op)) and not inference.assumed
        replace_assumed(op.body.block, inference)
        budget = FoldBudget.of(op, MAX_FOLDED if self.max_bytes is None else self.max_bytes)
        if (
            not rewrite(op, FoldKnown(inference, budget, Remarks(self.name), self.keep_shapeof), once=True)
            and holds
        ):
            analyses_of(ctx).keep(infer)
        # The shape of a constant is known, even where its operation's inference says less.
        write_result_types(op)


@dataclass(frozen=True)
class FoldKnown(RewritePattern):
    """Replace results with known contents by constants (see the pass)."""

    inference: Inference
    budget: FoldBudget
    remarks: Remarks
    keep_shapeof: bool

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if isinstance(op, ConstantOp) or not op.results or not op.name.startswith(("ov.", "ovseq.")):
            return
        if self.keep_shapeof and op.name == "ov.shape_of":
            return
        if widens_weights(op):
            return
        known: dict[SSAValue, np.ndarray] = {}
        for result in op.results:
            fact = self.inference.facts.get(result)
            if fact is not None and fact.value is not None and result.first_use is not None:
                known[result] = fact.value
        if not known and not op.regions:
            known = _evaluate_constants(op, self.budget, self.remarks)
        if known:
            size = sum(array.nbytes for array in known.values())
            self.remarks.passed(op, f"folded to a constant of {size} bytes", bytes=size)
        for result, array in known.items():
            constant = ConstantOp.of(np.ascontiguousarray(array).reshape(array.shape))
            constant.location = op.location
            constant.output.name_hint = result.name_hint
            rewriter.insert(constant)
            rewriter.replace_all_uses_with(result, constant.output)


def widens_weights(op: Operation) -> bool:
    """Return True if an operation widens integers that only products read.

    Products widen the integers element by element, and the stored data stays narrow. `ov-narrow-weights` marks the
    conversions for which that is wanted of floats.
    """
    if not isinstance(op, ConvertOp):
        return False
    source, target = fact_of(op.data).element, op.destination_type
    if STORED in op.attributes:
        return True
    if not is_integer(source) or not (is_integer(target) or NARROW in op.attributes):
        return False
    if dtype_of(source).itemsize > min(2, dtype_of(target).itemsize // 2):
        return False
    return all(isinstance(use.operation, MatMulOp | ConvolutionBase) for use in op.output.uses)


def _evaluate_constants(op: Operation, budget: FoldBudget, remarks: Remarks) -> dict[SSAValue, np.ndarray]:
    """Return an operation's results if its operands are constants.

    The constants may have any size. Results that would take much more memory than the operands are not computed.
    """
    if not op.operands or not has_evaluator(type(op)) or not is_side_effect_free(op):
        return {}
    arrays: list[np.ndarray] = []
    for operand in op.operands:
        if not isinstance(operand.owner, ConstantOp):
            return {}
        arrays.append(operand.owner.array)
    if (size := _declared_bytes(op)) > budget.left:
        remarks.missed(
            op,
            f"its {size} bytes are more than the {budget.left} left of max-bytes",
            bytes=size,
            limit=budget.left,
        )
        return {}
    try:
        results = evaluate(op, arrays)
    except Error as error:
        remarks.missed(op, f"its evaluation fails: {error.identifier}")
        return {}
    if sum(r.nbytes for r in results) > 2 * sum(a.nbytes for a in arrays) + GROWTH_LIMIT and any(
        _is_repetition(r) for r in results
    ):
        size = sum(r.nbytes for r in results)
        remarks.missed(op, f"its {size} bytes only repeat its operands", bytes=size)
        return {}
    budget.left -= sum(r.nbytes for r in results)
    return {r: a for r, a in zip(op.results, results) if r.first_use is not None}


def _declared_bytes(op: Operation) -> int:
    """Return the bytes that the results take.

    Inference knows their shapes, since it knows the operands.
    """
    types = [r.type for r in op.results if isinstance(r.type, TensorType)]
    return sum(dtype_of(t.element_type).itemsize * abs(prod(t.get_shape())) for t in types)


def _is_repetition(array: np.ndarray) -> bool:
    """Return True if an array only repeats itself along some axis.

    Broadcast and Tile of a constant produce such arrays.
    """
    return any(
        extent > 1 and bool(np.all(array.take([0], axis) == array)) for axis, extent in enumerate(array.shape)
    )
