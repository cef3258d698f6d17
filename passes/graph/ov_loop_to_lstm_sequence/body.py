"""Values of a loop's body as matrices [N, K].

They may have any further dimensions of extent 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.ir import Operation, SSAValue

from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, TransposeOp, UnsqueezeOp
from loomir.dialects.region_flow import owning_block
from loomir.passes.analysis.inference import Inference
from loomir.passes.graph.ov_loop_to_lstm_sequence.layouts import batch_of, layout_of

Matrix = tuple[Dim, int]
"""The extent of the batch, and how many features there are."""


@dataclass
class Unmatched(Exception):
    """A loop is no sequence of cells, and why."""

    why: str


@dataclass(frozen=True)
class Body:
    """Body of a loop, with the known facts of its values.

    With `open_batch`, dynamic batch extents are assumed to be equal.
    """

    loop: LoopOp
    inference: Inference
    open_batch: bool

    def fact(self, value: SSAValue) -> Fact:
        """Return the known facts of a value."""
        return self.inference.fact(value)

    def known(self, value: SSAValue) -> np.ndarray | None:
        """The contents of a value, where they are known."""
        return self.fact(value).value

    def is_outside(self, value: SSAValue) -> bool:
        """Return True if a value is loop-invariant.

        It is defined outside of the body, or is a constant.
        """
        return owning_block(value) is not self.loop.body.block or isinstance(value.owner, ConstantOp)

    def before(self, value: SSAValue, build: GraphBuilder) -> SSAValue:
        """Return an outer value so that it is readable before the loop.

        A constant in the body is emitted again in front of the loop.
        """
        if isinstance(value.owner, ConstantOp) and owning_block(value) is self.loop.body.block:
            return build.constant(value.owner.array)
        return value

    def matrix(self, value: SSAValue) -> Matrix | None:
        """Return the extents of a value as a matrix.

        None if it is not a matrix, or its number of features is not known.
        """
        shape = self.fact(value).shape
        layout = layout_of(shape)
        if shape is None or layout is None or (features := shape[-1].static) is None:
            return None
        return batch_of(shape, layout), features

    def alike(self, a: Matrix | None, b: Matrix | None) -> bool:
        """Return True if two matrices have the same extents.

        Then neither is broadcast to the other.
        """
        return a is not None and b is not None and a[1] == b[1] and self.same_batch(a[0], b[0])

    def same_batch(self, a: Dim, b: Dim) -> bool:
        """Return True if two extents of a batch are equal."""
        return a.static == b.static and (a.static is not None or self.open_batch)

    def root(self, value: SSAValue) -> SSAValue:
        """Return the source of a value behind its reshaping operations.

        These operations change the shape, but leave the value the same matrix.
        """
        while (source := self._source(value.owner)) is not None and self._same_matrix(source, value):
            value = source
        return value

    def _source(self, op: object) -> SSAValue | None:
        if isinstance(op, SqueezeOp | UnsqueezeOp | ReshapeOp):
            return op.data
        if isinstance(op, TransposeOp):
            order = self.known(op.input_order)
            return op.arg if order is not None and order.size and int(order[-1]) == order.size - 1 else None
        return None

    def _same_matrix(self, a: SSAValue, b: SSAValue) -> bool:
        """Of as many elements, and as many features, as many rows."""
        one, other = self.matrix(a), self.matrix(b)
        return one is not None and other is not None and one[1] == other[1] > 0

    def owner(self, value: SSAValue) -> Operation | None:
        """Return the operation of the body that defines a value, ignoring reshapes.

        None for a value from elsewhere.
        """
        value = self.root(value)
        return value.owner if isinstance(value.owner, Operation) and not self.is_outside(value) else None
