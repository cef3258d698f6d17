"""Inputs of a gate: a sum of products and biases.

The products are those of x and h with matrices; the gate is some columns of the sum. The columns are followed back
through the operations that slice and add. So it does not matter where the gates are sliced, whether x and h are
multiplied separately or concatenated first, and where and how many biases are added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.ir import SSAValue

from loomir.dialects.ov.attributes import to_bool, to_int, to_str
from loomir.dialects.ov.operators.elementwise_binary import AddOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.matmul import MatMulOp
from loomir.dialects.ov.operators.slicing import SliceOp, StridedSliceOp, slice_positions
from loomir.dialects.ov.operators.splitting import SplitOp, VariadicSplitOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.passes.graph.ov_loop_to_lstm_sequence.body import Body, Matrix, Unmatched

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
class Terms:
    """The terms of a gate, by what is multiplied."""

    products: dict[SSAValue, list[Block]] = field(default_factory=dict)
    biases: list[Bias] = field(default_factory=list)


@dataclass(frozen=True)
class Products:
    """Finds the terms of gates in a body.

    `factors` are the values that may be multiplied, x and h, with their names.
    """

    body: Body
    factors: Mapping[SSAValue, str]

    def terms(self, value: SSAValue, columns: Range) -> Terms:
        """Return the terms of some columns of a value.

        `Unmatched` if the value is no such sum.
        """
        found = Terms()
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
        found: Terms,
        todo: list[tuple[SSAValue, Range]],
    ) -> None:
        """Add a term, or add its operands to the worklist."""
        value, columns = cut_from(self.body, value, columns)
        op = self.body.owner(value)
        matrix = self._matrix(value)
        if isinstance(op, MatMulOp):
            self._add_product(op, columns, found)
        elif isinstance(op, AddOp) and to_str(op.auto_broadcast) != "pdpd":
            for operand in op.operands:
                if self.body.is_outside(operand):
                    found.biases.append(self._bias(operand, columns, matrix))
                elif self.body.alike(self._matrix(operand), matrix):
                    todo.append((operand, columns))
                else:
                    raise Unmatched("what is added for a gate has another shape")
        else:
            what = "a value from elsewhere" if op is None else op.name
            raise Unmatched(f"{what} goes into a gate")

    def _bias(self, value: SSAValue, columns: Range, matrix: Matrix) -> Bias:
        shape = self.body.fact(value).static
        if (
            shape is None
            or any(extent != 1 for extent in shape[:-1])
            or (shape and shape[-1] not in (1, matrix[1]))
        ):
            raise Unmatched("what is added for a gate is no bias")
        return Bias(value, columns if shape and shape[-1] == matrix[1] else None)

    def _add_product(self, op: MatMulOp, columns: Range, found: Terms) -> None:
        if to_bool(op.transpose_a) or not self.body.is_outside(op.b):
            raise Unmatched("a product is not one of x or h with a matrix from outside")
        inputs_first = not to_bool(op.transpose_b)
        shape = self.body.fact(op.b).static
        if shape is None or len(shape) != 2:
            raise Unmatched("a matrix has another rank than 2, or open extents")
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
            raise Unmatched("what is multiplied is put together on another axis")
        return [self.body.root(part) for part in op.inputs]

    def _matrix(self, value: SSAValue) -> Matrix:
        matrix = self.body.matrix(value)
        if matrix is None:
            raise Unmatched(
                "a value in the body has other dimensions than a batch and a known number of features"
            )
        return matrix


def cut_from(body: Body, value: SSAValue, columns: Range) -> tuple[SSAValue, Range]:
    """Return the value that columns are sliced from, and their positions there.

    Slices are followed as far back as possible.
    """
    value = body.root(value)
    while (cut := _cut(body, value)) is not None:
        value, columns = body.root(cut[0]), columns.within(cut[1])
    return value, columns


def _cut(body: Body, value: SSAValue) -> tuple[SSAValue, int] | None:
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


def _sliced(body: Body, op: SliceOp | StridedSliceOp) -> tuple[SSAValue, int] | None:
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
