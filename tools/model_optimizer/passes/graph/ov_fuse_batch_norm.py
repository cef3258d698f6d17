"""`ov-fuse-batch-norm`: folds normalisations and channel constants into weights and bias.

The constants are those that multiply channels or are added to them.

A constant is one number for all elements, or one for each position along an axis. A chain of operations that multiply a tensor by
constants or add constants is one scale and one shift. The weights of a product (convolution or matrix product) take the scale.
"""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from loomir.dialects.diagnostics import MissedReason, Remarks
from loomir.dialects.element_types import any_tensor_of, dtype_of, is_float, set_type
from loomir.dialects.ov.attributes import to_bool, to_float, to_str
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.convolution import ConvolutionOp, GroupConvolutionOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, BinaryOp, DivideOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.normalisation import BatchNormInferenceOp
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.inference import Inference, infer

CANCELLED = 2.0**-12
"""Remainder of a sum, relative to its terms, that counts as cancellation.

Terms of whose sum less than this remains were meant to round the value between them, not to be added up.
"""


@dataclass(frozen=True)
class LinearStep:
    """Linear step `scale · x + shift`, where x is an operand of `op`.

    `scale` and `shift` are vectors of one element, or of as many as x has along `axis`.
    """

    op: Operation
    place: int
    """Operand index of x."""
    rank: int | None
    """Rank of x if it is known; always known with an axis."""
    axis: int | None
    scale: np.ndarray
    shift: np.ndarray

    @property
    def data(self) -> SSAValue:
        """x, as it is now."""
        return self.op.operands[self.place]


def linear_step_of(op: Operation, place: int, fact: Fact) -> LinearStep | MissedReason | None:
    """Return an operation as a linear step on one of its operands.

    `place` is the operand (`place_of_data`), and `fact` holds for it. None if the operation is not a step; the reason if a
    normalisation is not one. The result of a step has the shape of that operand, and nothing that would have been an error
    becomes a result.
    """
    if not is_float(any_tensor_of(op.operands[place]).element_type):
        return None
    if isinstance(op, BatchNormInferenceOp):
        return _normalisation(op, fact)
    if not isinstance(op, AddOp | SubtractOp | MultiplyOp | DivideOp) or to_str(op.auto_broadcast) != "numpy":
        return None
    first = place == 0
    constant = constant_of(op.operands[1 - place])
    if constant is None or (isinstance(op, DivideOp) and not first):
        return None
    along = _along_axis(constant, fact)
    if along is None:
        return None
    axis, numbers = along
    return LinearStep(op, place, fact.rank, axis, *_scale_and_shift(op, numbers, first=first))


def place_of_data(op: Operation) -> int | None:
    """Return the operand that a linear step may apply to.

    It is the one beside a constant.
    """
    if isinstance(op, BatchNormInferenceOp):
        return 0
    if not isinstance(op, BinaryOp):
        return None
    constant = [constant_of(v) is not None for v in op.operands]
    return None if all(constant) or not any(constant) else constant.index(False)


def _scale_and_shift(op: BinaryOp, numbers: np.ndarray, *, first: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return scale and shift of a binary operation with constants.

    The operation is a sum, difference, product or quotient. `first` means that the constants are its second operand.
    """
    one, zero = np.ones_like(numbers), np.zeros_like(numbers)
    if isinstance(op, AddOp):
        return one, numbers
    if isinstance(op, SubtractOp):
        return (one, -numbers) if first else (-one, numbers)
    if isinstance(op, MultiplyOp):
        return numbers, zero
    with np.errstate(divide="ignore", over="ignore"):
        return 1 / numbers, zero


def _along_axis(constant: np.ndarray, fact: Fact) -> tuple[int | None, np.ndarray] | None:
    """Return the axis along which a constant varies, and its numbers.

    None if the constant varies along several axes, or would enlarge the other operand.
    """
    numbers = constant.reshape(-1).astype(np.float64)
    if constant.size == 1 and (constant.ndim == 0 or (fact.rank is not None and constant.ndim <= fact.rank)):
        return None, numbers
    if fact.shape is None or constant.ndim > len(fact.shape):
        return None
    places = [k for k, extent in enumerate(constant.shape) if extent != 1]
    if len(places) != 1 or not constant.size:
        return None
    axis = len(fact.shape) - constant.ndim + places[0]
    return (axis, numbers) if fact.shape[axis].static == numbers.size else None


def _normalisation(op: BatchNormInferenceOp, fact: Fact) -> LinearStep | MissedReason:
    """A normalisation: `gamma / √(variance + ε)` and what is left of mean and beta."""
    arrays = [constant_of(v) for v in op.operands[1:]]
    known = [a.astype(np.float64) for a in arrays if a is not None]
    if len(known) < len(arrays):
        return MissedReason("its parameters are not constant")
    gamma, beta, mean, variance = known
    if fact.shape is None or fact.shape[1].static != gamma.size:
        return MissedReason("the rank or the channels of its input are not known")
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = gamma / np.sqrt(variance + to_float(op.epsilon))
        shift = beta - mean * scale
    return LinearStep(op, 0, fact.rank, 1, scale, shift)


class Chain:
    """Chain of steps that is equivalent to one step.

    Each step is the only use of the one before it.
    """

    def __init__(self, first: LinearStep) -> None:
        self.steps = [first]
        self.axis = first.axis

    @property
    def normalises(self) -> bool:
        """True if the chain contains a normalisation."""
        return any(isinstance(step.op, BatchNormInferenceOp) for step in self.steps)

    def takes(self, step: LinearStep) -> bool:
        """Return True if a step's numbers lie along the same axis."""
        return step.axis is None or self.axis is None or step.axis == self.axis

    def append(self, step: LinearStep) -> None:
        """Add a step that the chain takes."""
        self.steps.append(step)
        self.axis = step.axis if self.axis is None else self.axis

    def whole(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Return scale and shift of all steps, or None on cancellation.

        If terms cancel each other, the value between them is rounded on purpose.
        """
        scale, shift, terms = np.ones(1), np.zeros(1), np.zeros(1)
        with np.errstate(over="ignore", invalid="ignore"):
            for step in self.steps:
                scale, shift = scale * step.scale, shift * step.scale + step.shift
                terms = terms * np.abs(step.scale) + np.abs(step.shift)
            cancelled = np.abs(shift) < CANCELLED * terms
        return None if cancelled.any() and not self.normalises else (scale, shift)


Product = ConvolutionOp | GroupConvolutionOp | MatMulOp


@dataclass(frozen=True)
class ProductWeights:
    """The constant operand of a product."""

    product: Product
    place: int
    """Index of the operand that holds the weights."""
    array: np.ndarray
    axis: int | None
    """Result axis along which each position has weights of its own.

    None if there is no such axis, or if nothing is known.
    """

    @property
    def operand(self) -> SSAValue:
        return self.product.operands[self.place]

    def scaled(self, scale: np.ndarray) -> np.ndarray | None:
        """Return the weights for a scaled result, or None.

        The scale is one number, or one number for each position along the axis.

        Return None if a position's weights would be infinite, or too small to have all digits.
        """
        shape = self._shape_of_positions()
        with np.errstate(over="ignore"):
            exact = self.array.astype(np.float64) * scale.reshape(shape if scale.size > 1 else ())
        summed = tuple(k for k, own in enumerate(shape) if own == 1)
        peaks = np.abs(exact).max(axis=summed, initial=0)
        info = ml_dtypes.finfo(self.array.dtype)
        sound = (peaks == 0) | ((peaks >= float(info.smallest_normal)) & (peaks <= float(info.max)))
        return exact.astype(self.array.dtype) if np.all(sound) else None

    def _shape_of_positions(self) -> tuple[int, ...]:
        """Return the extents of the weight axes that form the result axis.

        The extents of all axes that are summed are 1.
        """
        shape = [1] * self.array.ndim
        for k in () if self.axis is None else self._own_axes():
            shape[k] = self.array.shape[k]
        return tuple(shape)

    def _own_axes(self) -> tuple[int, ...]:
        """The axes of the weights that make the result's axis."""
        match self.product:
            case ConvolutionOp():
                return (0,)
            case GroupConvolutionOp():
                return (0, 1)
            case MatMulOp() as op if self.place == 1:
                return (-2 if to_bool(op.transpose_b) else -1,)
            case MatMulOp() as op:
                return (-1 if to_bool(op.transpose_a) else -2,)


def weights_of(op: Operation | None, inference: Inference) -> ProductWeights | None:
    """Return the constant weights of a product, or None.

    Return None for other operations, and for products without constant weights.
    """
    if isinstance(op, ConvolutionOp | GroupConvolutionOp):
        array = constant_of(op.filters)
        return None if array is None else ProductWeights(op, 1, array, 1)
    if not isinstance(op, MatMulOp):
        return None
    facts = [inference.fact(v) for v in op.operands]
    for place in (1, 0):
        array = constant_of(op.operands[place])
        if array is not None:
            return ProductWeights(
                op, place, array, _matrix_axis(place, array, facts[1 - place], inference.fact(op.output))
            )
    return None


def _matrix_axis(place: int, array: np.ndarray, other: Fact, result: Fact) -> int | None:
    """Return the result axis of the weights' columns.

    If the weights are the first factor, return the result axis of their rows.
    """
    if array.ndim < 2 or result.rank is None:
        return None
    # A vector as second factor leaves the result without columns.
    return result.rank - (1 if place == 1 or other.rank == 1 else 2)


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
        inference = analyses_of(ctx).get(infer, op)
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
        step = None if place is None else linear_step_of(op, place, inference.fact(op.operands[place]))
        if isinstance(step, MissedReason):
            remarks.missed(op, step)
        if not isinstance(step, LinearStep):
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


def _weights(chain: Chain, inference: Inference, remarks: Remarks) -> ProductWeights | None:
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
        remarks.missed(
            weights.product, f"the following operations vary along axis {chain.axis}", axis=chain.axis
        )
    else:
        return weights
    return None


def _fuse(chain: Chain, weights: ProductWeights | None, remarks: Remarks) -> None:
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
        remarks.missed(end, "its scale or shift is not finite")
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
        what = f"folded {count} operation{'s' if count > 1 else ''} into its weights and bias"
        remarks.passed(weights.product, what, operations=count)
    else:
        what = f"merged {count} operation{'s' if count > 1 else ''} into one scale and one shift"
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


def _set_weights(weights: ProductWeights, array: np.ndarray) -> None:
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
