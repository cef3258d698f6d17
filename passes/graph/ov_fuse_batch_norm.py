"""`ov-fuse-batch-norm`: folds normalisations and channel constants into weights and bias.

The constants are those that multiply channels or are added to them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.elementwise_binary import AddOp, MultiplyOp
from loomir.dialects.tensors import any_tensor_of, set_type
from loomir.dialects.walking import walk
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.remarks import Remarks, Why
from loomir.passes.graph.linear_steps import Chain, Step, place_of_data, step_of
from loomir.passes.graph.scaled_products import Weights, weights_of


@dataclass(frozen=True)
class OvFuseBatchNormPass(ModulePass):
    """Combines constant operations on channels to one scale and shift.

    The weights of a product take the scale.

    ```mlir
    %c = ov.convolution %x, %w : (tensor<1x3x9x9xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x7x7xf32>
    %m = ov.multiply %c, %scale : (tensor<1x4x7x7xf32>, tensor<4x1x1xf32>) -> tensor<1x4x7x7xf32>
    %y = ov.batch_norm_inference %m, %gamma, %beta, %mean, %variance {epsilon = 1.0e-3 : f32} : …
    ```
    becomes
    ```mlir
    %c = ov.convolution %x, %w2 : (tensor<1x3x9x9xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x7x7xf32>
    %y = ov.add %c, %bias : (tensor<1x4x7x7xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x7x7xf32>
    ```

    The operations in question are `ov.batch_norm_inference`, and `ov.multiply`, `ov.divide`, `ov.add` and `ov.subtract`
    with a constant of one element, or of one for each position along an axis. Several of them along the same axis, each the
    only use of the one before it, become one scale and one shift: `ov.multiply` and `ov.add`, of which one without effect
    is left out. Behind `ov.convolution`, `ov.group_convolution` or `ov.mat_mul` by constant weights, the weights take the
    scale, if nothing else uses the product or the weights and the axis is that of the product's output channels, columns or
    rows.

    Constants that would enlarge the other operand are left alone. So are terms that cancel each other, between which a
    value is rounded on purpose, and numbers outside of the range of the element type.
    """

    name = "ov-fuse-batch-norm"
    EXACT = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        remarks = Remarks(self.name)
        inference = infer(op)
        # All that is asked of values is asked before the first one changes.
        found = [(chain, _weights(chain, inference, remarks)) for chain in _chains(op, inference, remarks)]
        for chain, weights in found:
            _fuse(chain, weights, remarks)


def _chains(module: ModuleOp, inference: Inference, remarks: Remarks) -> list[Chain]:
    """Return the longest chains of steps, in order.

    Each operation is in at most one chain.
    """
    ending: dict[Operation, Chain] = {}
    for op in walk(module):
        place = place_of_data(op)
        step = None if place is None else step_of(op, place, inference.fact(op.operands[place]))
        if isinstance(step, Why):
            remarks.missed(op, step)
        if not isinstance(step, Step):
            continue
        before = _only_source(step.data, op)
        chain = None if before is None else ending.get(before)
        if before is not None and chain is not None and chain.takes(step):
            del ending[before]
            chain.append(step)
        else:
            chain = Chain(step)
        ending[op] = chain
    return list(ending.values())


def _only_source(value: SSAValue, op: Operation) -> Operation | None:
    """Return the operation whose result only this one uses.

    Both operations must be in the same block.
    """
    owner = value.owner
    return (
        owner if isinstance(owner, Operation) and value.has_one_use() and owner.parent is op.parent else None
    )


def _weights(chain: Chain, inference: Inference, remarks: Remarks) -> Weights | None:
    """The weights that may take the scale of a chain."""
    first = chain.steps[0]
    owner = first.data.owner
    weights = weights_of(owner, inference) if isinstance(owner, Operation) else None
    if weights is None:
        return None
    if _only_source(first.data, first.op) is None:
        remarks.missed(weights.product, "its result has other uses, or is used elsewhere")
    elif not weights.operand.has_one_use():
        remarks.missed(weights.product, "its weights have other uses")
    elif chain.axis is not None and chain.axis != weights.axis:
        remarks.missed(weights.product, f"what follows differs along axis {chain.axis}", axis=chain.axis)
    else:
        return weights
    return None


def _fuse(chain: Chain, weights: Weights | None, remarks: Remarks) -> None:
    """Replace the steps of a chain if that saves operations.

    A chain with normalisations is always replaced.
    """
    end = chain.steps[-1].op
    whole = chain.whole()
    if whole is None:
        remarks.missed(end, "its terms cancel each other")
        return
    dtype = dtype_of(any_tensor_of(end.results[0]).element_type)
    with np.errstate(over="ignore"):
        constants = [v.astype(dtype) for v in whole]
    if not all(np.isfinite(c.astype(np.float64)).all() for c in constants):
        remarks.missed(end, "its scale or shift is no finite number")
        return
    scale, shift = whole
    into = weights.scaled(scale) if weights is not None else None
    if weights is not None and into is None:
        remarks.missed(weights.product, "its weights would be too large or too small")
    scales = into is None and bool((scale != 1).any())
    shifts = bool((shift != 0).any())
    if not chain.normalises and scales + shifts >= len(chain.steps):
        return
    count = len(chain.steps)
    if weights is not None and into is not None:
        _set_weights(weights, into)
        what = f"its weights and bias are those of {count} more operation{'s' if count > 1 else ''}"
        remarks.passed(weights.product, what, operations=count)
    else:
        what = f"it and what is before it, {count} in all, are one scale and one shift"
        remarks.passed(end, what, operations=count)
    build = GraphBuilder(InsertPoint.before(end), end.location)
    # (Where it comes from may have changed: the end of a chain before this one.)
    value = chain.steps[0].data
    kinds: tuple[tuple[type[OvOperation], bool], ...] = ((MultiplyOp, scales), (AddOp, shifts))
    for (kind, wanted), numbers in zip(kinds, constants):
        if wanted:
            value = build.make(kind, value, build.constant(_shaped(numbers, chain)))
            set_type(value, end.results[0].type)
    if value.name_hint is None:
        value.name_hint = end.results[0].name_hint
    end.results[0].replace_all_uses_with(value)
    for step in reversed(chain.steps):
        step.op.detach()
        step.op.erase()


def _set_weights(weights: Weights, array: np.ndarray) -> None:
    """Replace the weights of a product where the old ones stood.

    This may be in front of the loop.
    """
    old = weights.operand.owner
    assert isinstance(old, Operation)
    build = GraphBuilder(InsertPoint.before(old), old.location)
    weights.product.operands[weights.place] = build.constant(array)
    old.detach()
    old.erase()


def _shaped(numbers: np.ndarray, chain: Chain) -> np.ndarray:
    """Shape numbers for the values of a chain.

    The result is a scalar, or runs along the chain's axis.
    """
    if numbers.size == 1:
        return numbers.reshape(())
    rank = next(step.rank for step in chain.steps if step.axis is not None)
    assert rank is not None
    assert chain.axis is not None
    behind = rank - 1 - chain.axis
    return numbers.reshape((1,) * chain.axis + (-1,) + (1,) * behind if behind else (-1,))
