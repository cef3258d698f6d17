"""Operations that multiply a tensor by constants or add constants.

A constant is one number for all elements, or one for each position along an axis. A chain of such operations is one
scale and one shift.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.ir import Operation, SSAValue

from loomir.dialects.element_types import is_float
from loomir.dialects.ov.attributes import to_float, to_str
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    BinaryOp,
    DivideOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.normalisation import BatchNormInferenceOp
from loomir.dialects.tensors import any_tensor_of
from loomir.passes.analysis.remarks import Why

CANCELLED = 2.0**-12
"""Remainder of a sum, relative to its terms, that counts as cancellation.

Terms of whose sum less than this remains were meant to round the value between them, not to be added up.
"""


@dataclass(frozen=True)
class Step:
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


def step_of(op: Operation, place: int, fact: Fact) -> Step | Why | None:
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
    return Step(op, place, fact.rank, axis, *_parts(op, numbers, first=first))


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


def _parts(op: BinaryOp, numbers: np.ndarray, *, first: bool) -> tuple[np.ndarray, np.ndarray]:
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


def _normalisation(op: BatchNormInferenceOp, fact: Fact) -> Step | Why:
    """A normalisation: `gamma / √(variance + ε)` and what is left of mean and beta."""
    arrays = [constant_of(v) for v in op.operands[1:]]
    known = [a.astype(np.float64) for a in arrays if a is not None]
    if len(known) < len(arrays):
        return Why("its parameters are not constant")
    gamma, beta, mean, variance = known
    if fact.shape is None or fact.shape[1].static != gamma.size:
        return Why("the rank or the channels of its input are not known")
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = gamma / np.sqrt(variance + to_float(op.epsilon))
        shift = beta - mean * scale
    return Step(op, 0, fact.rank, 1, scale, shift)


class Chain:
    """Chain of steps that is equivalent to one step.

    Each step is the only use of the one before it.
    """

    def __init__(self, first: Step) -> None:
        self.steps = [first]
        self.axis = first.axis

    @property
    def normalises(self) -> bool:
        """True if the chain contains a normalisation."""
        return any(isinstance(step.op, BatchNormInferenceOp) for step in self.steps)

    def takes(self, step: Step) -> bool:
        """Return True if a step's numbers lie along the same axis."""
        return step.axis is None or self.axis is None or step.axis == self.axis

    def append(self, step: Step) -> None:
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
