"""Inputs of gates, their products, and weights built from them.

The input of a gate is a sum of products and biases. The products are those of x and h with matrices; the gate is some columns of the
sum. The columns are followed back through the operations that slice and add. So it does not matter where the gates are sliced,
whether x and h are multiplied separately or concatenated first, and where and how many biases are added.

The weights of a cell with G gates, W [1, G·H, I], R [1, G·H, H] and B [1, G·H], are built from the matrices and biases of the gates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

import numpy as np
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.attributes import to_bool, to_int, to_str
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp
from loomir.dialects.ov.operators.joining import ConcatOp, SplitOp, VariadicSplitOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, TransposeOp
from loomir.dialects.ov.operators.slicing import SliceOp, StridedSliceOp, slice_positions
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.tools.model_optimizer.passes.graph.ov_loop_to_lstm_sequence.body import (
    LoopBody,
    Matrix,
    Unmatched,
)

MAX_TERMS = 32
"""Maximum number of terms of one gate.

A sum of shared sums may have any number of terms, but no real cell has more.
"""


@dataclass(frozen=True)
class Range:
    """Columns `start` to `stop`."""

    start: int
    stop: int

    def within(self, offset: int) -> Range:
        """The same columns, counted from an offset before."""
        return Range(self.start + offset, self.stop + offset)


@dataclass(frozen=True)
class Block:
    """Part of a matrix from outside.

    It has the rows for `outputs` and the columns for `inputs`, or vice versa if it is `inputs_first`.
    """

    matrix: SSAValue
    inputs_first: bool
    outputs: Range
    inputs: Range


@dataclass(frozen=True)
class Bias:
    """Part of a vector from outside; None: a single number for all."""

    vector: SSAValue
    columns: Range | None


@dataclass
class GateTerms:
    """The terms of a gate, by what is multiplied."""

    products: dict[SSAValue, list[Block]] = field(default_factory=dict)
    biases: list[Bias] = field(default_factory=list)


@dataclass(frozen=True)
class Products:
    """Finds the terms of gates in a body.

    `factors` are the values that may be multiplied, x and h, with their names.
    """

    body: LoopBody
    factors: Mapping[SSAValue, str]

    def terms(self, value: SSAValue, columns: Range) -> GateTerms:
        """Return the terms of some columns of a value.

        `Unmatched` if the value is no such sum.
        """
        found = GateTerms()
        todo = [(value, columns)]
        for _ in range(MAX_TERMS):
            if not todo:
                return found
            self._add(*todo.pop(), found, todo)
        raise Unmatched(f"a gate has more than {MAX_TERMS} terms")

    def _add(
        self,
        value: SSAValue,
        columns: Range,
        found: GateTerms,
        todo: list[tuple[SSAValue, Range]],
    ) -> None:
        """Add a term, or add its operands to the worklist."""
        value, columns = cut_from(self.body, value, columns)
        op = self.body.owner(value)
        matrix = self._matrix(value)
        if (product := self.body.hoisted.get(value)) is not None:
            inputs = Range(0, self._matrix(product.factor)[1])
            block = Block(product.matrix, product.inputs_first, columns, inputs)
            found.products.setdefault(product.factor, []).append(block)
        elif isinstance(op, MatMulOp):
            self._add_product(op, columns, found)
        elif isinstance(op, AddOp) and to_str(op.auto_broadcast) != "pdpd":
            for operand in op.operands:
                if self.body.is_outside(operand):
                    found.biases.append(self._bias(operand, columns, matrix))
                elif self.body.alike(self._matrix(operand), matrix):
                    todo.append((operand, columns))
                else:
                    raise Unmatched("an addend of a gate has another shape")
        else:
            what = "a value from elsewhere" if op is None else op.name
            raise Unmatched(f"{what} is an operand of a gate")

    def _bias(self, value: SSAValue, columns: Range, matrix: Matrix) -> Bias:
        shape = self.body.fact(value).static
        if (
            shape is None
            or any(extent != 1 for extent in shape[:-1])
            or (shape and shape[-1] not in (1, matrix[1]))
        ):
            raise Unmatched("an addend of a gate is not a bias")
        return Bias(value, columns if shape and shape[-1] == matrix[1] else None)

    def _add_product(self, op: MatMulOp, columns: Range, found: GateTerms) -> None:
        if to_bool(op.transpose_a) or not self.body.is_outside(op.b):
            raise Unmatched("a product is not one of x or h with a matrix from outside")
        inputs_first = not to_bool(op.transpose_b)
        shape = self.body.fact(op.b).static
        if shape is None or len(shape) != 2:
            raise Unmatched("a matrix has another rank than 2, or dynamic extents")
        offset = 0
        for factor in self._factors(op.a):
            if factor not in self.factors:
                raise Unmatched("a product is neither of x nor of h")
            inputs = Range(0, self._matrix(factor)[1]).within(offset)
            found.products.setdefault(factor, []).append(Block(op.b, inputs_first, columns, inputs))
            offset = inputs.stop

    def _factors(self, value: SSAValue) -> Sequence[SSAValue]:
        """Return the factors: a value, or several that are concatenated."""
        op = self.body.owner(value)
        if not isinstance(op, ConcatOp):
            return [self.body.root(value)]
        rank = self.body.fact(op.output).rank
        if rank is None or normalise_axis(to_int(op.axis), rank) != rank - 1:
            raise Unmatched("a factor is concatenated on another axis")
        return [self.body.root(part) for part in op.inputs]

    def _matrix(self, value: SSAValue) -> Matrix:
        matrix = self.body.matrix(value)
        if matrix is None:
            raise Unmatched(
                "a value in the body has other dimensions than a batch and a known number of features"
            )
        return matrix


def cut_from(body: LoopBody, value: SSAValue, columns: Range) -> tuple[SSAValue, Range]:
    """Return the value that columns are sliced from, and their positions there.

    Slices are followed as far back as possible.
    """
    value = body.root(value)
    while (cut := _cut(body, value)) is not None:
        value, columns = body.root(cut[0]), columns.within(cut[1])
    return value, columns


def _cut(body: LoopBody, value: SSAValue) -> tuple[SSAValue, int] | None:
    """Return the source and offset of a slice on the last axis.

    None if the value is not a slice.
    """
    op = body.owner(value)
    if isinstance(op, SplitOp | VariadicSplitOp):
        rank, axis = body.fact(op.data).rank, body.known(op.axis)
        widths = [body.fact(result).shape for result in op.outputs]
        if rank is None or axis is None or normalise_axis(int(axis.reshape(())), rank) != rank - 1:
            return None
        number = next(k for k, result in enumerate(op.outputs) if result is value)
        before = [w[-1].static if w else None for w in widths[:number]]
        return None if None in before else (op.data, sum(w for w in before if w is not None))
    if isinstance(op, SliceOp | StridedSliceOp):
        return _sliced(body, op)
    return None


def _sliced(body: LoopBody, op: SliceOp | StridedSliceOp) -> tuple[SSAValue, int] | None:
    cuts = op.cuts([body.fact(operand) for operand in op.operands])
    shape, result = body.fact(op.data).static, body.fact(op.output).static
    if (
        cuts is None
        or shape is None
        or result is None
        or [cut.axis for cut in cuts] != list(range(len(shape)))
    ):
        return None
    if shape[:-1] != result[:-1] or not cuts:
        return None
    steps = [cut.positions[2] for cut in cuts if cut.positions is not None]
    last = cuts[-1].positions
    if (
        last is None
        or any(step != (1, 1) for step in steps)
        or last[0][0] != last[0][1]
        or last[1][0] != last[1][1]
    ):
        return None
    return op.data, slice_positions(last[0][0], last[1][0], 1, shape[-1])[0]


@dataclass(frozen=True)
class Gates:
    """Inputs of each gate, in OpenVINO's order."""

    all: tuple[GateTerms, ...]


@dataclass(frozen=True)
class GateWeights:
    """Emits the weights of a cell of `hidden` units.

    They are emitted where their sources can be read. Gates are concatenated in OpenVINO's order; adjacent parts
    of a tensor are merged. If a gate has several terms for one of the weights, such as two biases, the terms are added; if
    it has none, it is zeros.
    """

    build: GraphBuilder
    body: LoopBody
    element: Attribute
    hidden: int

    def matrix(self, gates: Gates, factor: SSAValue, width: int) -> SSAValue:
        """The matrix [G·H, width] that a factor is multiplied with."""
        of_gates = [gate.products.get(factor, []) for gate in gates.all]
        return self._sum(
            [self._joined(blocks, width) for blocks in zip_longest(*of_gates)],
            (len(of_gates) * self.hidden, width),
        )

    def bias(self, gates: Gates) -> SSAValue:
        """The biases [G·H]."""
        of_gates = [gate.biases for gate in gates.all]
        return self._sum(
            [self._joined(parts, None) for parts in zip_longest(*of_gates)], (len(of_gates) * self.hidden,)
        )

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
