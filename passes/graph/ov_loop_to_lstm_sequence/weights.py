"""Weights of an LSTM, built from those of its gates.

W [1, 4·H, I], R [1, 4·H, H] and B [1, 4·H] are built from the matrices and biases of the gates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, TransposeOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.passes.graph.ov_loop_to_lstm_sequence.body import Body
from loomir.passes.graph.ov_loop_to_lstm_sequence.gates import Gates
from loomir.passes.graph.ov_loop_to_lstm_sequence.products import Bias, Block, Range


@dataclass(frozen=True)
class Weights:
    """Emits the weights of an LSTM of `hidden` units.

    They are emitted where their sources can be read. Gates are concatenated in OpenVINO's order f, i, c, o; adjacent parts
    of a tensor are merged. If a gate has several terms for one of the weights, such as two biases, the terms are added; if
    it has none, it is zeros.
    """

    build: GraphBuilder
    body: Body
    element: Attribute
    hidden: int

    def matrix(self, gates: Gates, factor: SSAValue, width: int) -> SSAValue:
        """The matrix [4·H, width] that a factor is multiplied with."""
        of_gates = [gate.products.get(factor, []) for gate in gates.all]
        return self._sum(
            [self._joined(blocks, width) for blocks in zip_longest(*of_gates)], (4 * self.hidden, width)
        )

    def bias(self, gates: Gates) -> SSAValue:
        """The biases [4·H]."""
        of_gates = [gate.biases for gate in gates.all]
        return self._sum([self._joined(parts, None) for parts in zip_longest(*of_gates)], (4 * self.hidden,))

    def _sum(self, values: Sequence[SSAValue], shape: tuple[int, ...]) -> SSAValue:
        if not values:
            return self.build.constant(np.zeros(shape, dtype_of(self.element)))
        total, *rest = values
        for value in rest:
            total = self.build.make(AddOp, total, value)
        return total

    def _joined(self, parts: Sequence[Block | Bias | None], width: int | None) -> SSAValue:
        """A part for each gate, one behind the other."""
        joined: list[Block | Bias | None] = []
        for part in parts:
            if joined and (both := _side_by_side(joined[-1], part)) is not None:
                joined[-1] = both
            else:
                joined.append(part)
        made = [self._part(part, width) for part in joined]
        return made[0] if len(made) == 1 else self.build.make(ConcatOp, made, attributes={"axis": 0})

    def _part(self, part: Block | Bias | None, width: int | None) -> SSAValue:
        build = self.build
        if part is None:
            shape = [self.hidden] if width is None else [self.hidden, width]
            return build.constant(np.zeros(shape, dtype_of(self.element)))
        if isinstance(part, Bias):
            vector = build.make(ReshapeOp, self.body.before(part.vector, build), build.integers([-1]))
            if part.columns is None:
                return build.make(BroadcastOp, vector, build.integers([self.hidden]))
            return self._cut(vector, [part.columns])
        matrix = self.body.before(part.matrix, build)
        if part.inputs_first:
            return build.make(
                TransposeOp, self._cut(matrix, [part.inputs, part.outputs]), build.integers([1, 0])
            )
        return self._cut(matrix, [part.outputs, part.inputs])

    def _cut(self, value: SSAValue, ranges: Sequence[Range]) -> SSAValue:
        """Part of a tensor of known extents."""
        extents = self.build.fact(value).static
        assert extents is not None
        axes = [k for k, r in enumerate(ranges) if (r.start, r.stop) != (0, extents[k])]
        if not axes:
            return value
        starts, stops = ([getattr(ranges[k], end) for k in axes] for end in ("start", "stop"))
        numbers = (starts, stops, [1] * len(axes), axes)
        return self.build.make(SliceOp, value, *map(self.build.integers, numbers))


def _side_by_side(one: Block | Bias | None, other: Block | Bias | None) -> Block | Bias | None:
    """Merge two adjacent parts of one tensor.

    The second part must begin where the first one ends.
    """
    if isinstance(one, Block) and isinstance(other, Block):
        both = replace(one, outputs=Range(one.outputs.start, other.outputs.stop))
        return (
            both
            if one.outputs.stop == other.outputs.start and replace(both, outputs=other.outputs) == other
            else None
        )
    if not isinstance(one, Bias) or not isinstance(other, Bias) or one.vector is not other.vector:
        return None
    if one.columns is None or other.columns is None or one.columns.stop != other.columns.start:
        return None
    return Bias(one.vector, Range(one.columns.start, other.columns.stop))
