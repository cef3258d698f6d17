"""Rules for operations that move elements, and for products."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Operation, SSAValue

from loomir.dialects.element_types import i64
from loomir.dialects.ov.attributes import to_bool, to_int
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.canonicalization.loops import static_trips
from loomir.dialects.ov.graph_builder import static_extents
from loomir.dialects.ov.integer_forms import IntegerForms
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.reshape import TransposeOp
from loomir.dialects.region_flow import comes_from_outside
from loomir.dialects.speculation import FactOf, speculatable
from loomir.passes.graph.lib.whole_axis.rules import Rule, aligned, rebuilt, varies
from loomir.passes.graph.lib.whole_axis.values import Run, Whole, WholeAxis, shape_of


class Reshaped(Rule):
    """Reshapes, squeezes and unsqueezes to a static shape."""

    def applies(self, op: Operation, loop: LoopOp) -> bool:
        shape = static_extents(op.results[0])
        if shape is None or any(varies(o, loop) for o in op.operands[1:]):
            return False
        return static_trips(loop) is not None or 0 not in shape

    def emit(self, op: Operation, axis: WholeAxis) -> Sequence[Whole]:
        value, shape = axis.leading(op.operands[0]), shape_of(op.results[0])
        place, rest = (0, shape[1:]) if shape and shape[0] == 1 else (None, shape)
        if axis.extent == DYNAMIC_INDEX and not speculatable(op, axis.fact_of):
            return [Whole(axis.checked(value, rest), place)]
        return [Whole(axis.reshaped(value, [axis.extent, *rest]), place)]


class Transposed(Rule):
    """Transposes by a constant order."""

    def applies(self, op: Operation, loop: LoopOp) -> bool:
        assert isinstance(op, TransposeOp)
        return constant_of(op.input_order) is not None

    def emit(self, op: Operation, axis: WholeAxis) -> Sequence[Whole]:
        assert isinstance(op, TransposeOp)
        known = constant_of(op.input_order)
        assert known is not None
        rank = len(shape_of(op.arg))
        order = [int(k) for k in known] or list(reversed(range(rank)))
        whole = axis.values[op.arg]
        if whole.place is None:
            behind = axis.build.integers([0, *(k + 1 for k in order)])
            return [Whole(axis.build.make(TransposeOp, whole.value, behind))]
        same = axis.build.make(TransposeOp, whole.value, axis.build.integers(order))
        return [Whole(same, order.index(whole.place))]


class Product(Rule):
    """Matrix products, as batched ones.

    They sum each element in the order in which an iteration does.
    """

    def applies(self, op: Operation, loop: LoopOp) -> bool:
        assert isinstance(op, MatMulOp)
        flags = to_bool(op.transpose_a), to_bool(op.transpose_b)
        return not any(flag and len(shape_of(o)) == 1 for o, flag in zip((op.a, op.b), flags))

    def emit(self, op: Operation, axis: WholeAxis) -> Sequence[Whole]:
        assert isinstance(op, MatMulOp)
        rank = max(2, *(len(shape_of(o)) for o in op.operands))
        vectors = [len(shape_of(o)) == 1 for o in op.operands]
        if not any(vector and o in axis.values for vector, o in zip(vectors, op.operands)):
            # (Rows of a product are no batch: they may be summed in another order than one row.)
            operands, place = aligned(op.operands, axis, nearest=2)
            return [Whole(result, place) for result in rebuilt(op, operands, axis.build)]
        operands = [
            self._operand(o, rank, 1 - k if vector else None, axis)
            for k, (o, vector) in enumerate(zip(op.operands, vectors))
        ]
        result = rebuilt(op, operands, axis.build)[0]
        last = len(shape_of(result)) - 1
        if vectors[1]:
            result = axis.squeezed(result, last)
        if vectors[0]:
            result = axis.squeezed(result, last - 1)
        return [Whole(result)]

    @staticmethod
    def _operand(value: SSAValue, rank: int, column: int | None, axis: WholeAxis) -> SSAValue:
        """Return an operand of a batched product.

        A vector is a row (1) or a column (0).
        """
        if value not in axis.values:
            fixed = axis.fixed(value)
            return fixed if column is None else axis.unsqueezed(fixed, [1 - column])
        if column is None:
            return axis.broadcast(value, rank)
        ones = [1 + k for k in range(rank - 1)] if column else [*(1 + k for k in range(rank - 2)), rank]
        return axis.unsqueezed(axis.leading(value), ones)


class Gathered(Rule):
    """Gathers along a constant axis.

    They become slices in the order of iterations, or gathers by all indices at once.
    """

    def applies(self, op: Operation, loop: LoopOp) -> bool:
        assert isinstance(op, GatherOp)
        return constant_of(op.axis) is not None and to_int(op.batch_dims, 0) == 0

    def emit(self, op: Operation, axis: WholeAxis) -> Sequence[Whole]:
        assert isinstance(op, GatherOp)
        known = constant_of(op.axis)
        assert known is not None
        along = int(known.reshape(())) % max(1, len(shape_of(op.data)))
        if op.data not in axis.values:
            return [self._of_fixed(op, along, axis)]
        data = axis.leading(op.data)
        if op.indices not in axis.values:
            return [Whole(self._made(op, data, axis.fixed(op.indices), along + 1, 0, axis))]
        return [Whole(self._made(op, data, axis.leading(op.indices), along + 1, 1, axis))]

    def _of_fixed(self, op: GatherOp, along: int, axis: WholeAxis) -> Whole:
        run = run_of_gather(op, axis.loop, axis.fact_of)
        if run is not None and len(shape_of(op.indices)) <= 1:
            parts = axis.run(axis.fixed(op.data), along, run)
            return Whole(parts, along) if shape_of(op.indices) else Whole(axis.moved(parts, along, 0))
        indices, data = axis.leading(op.indices), axis.fixed(op.data)
        return Whole(axis.moved(self._made(op, data, indices, along, 0, axis), along, 0))

    @staticmethod
    def _made(
        op: GatherOp, data: SSAValue, indices: SSAValue, along: int, batches: int, axis: WholeAxis
    ) -> SSAValue:
        operands = (data, indices, axis.build.scalar(along, i64))
        return rebuilt(op, operands, axis.build, {"batch_dims": batches} if batches else {})[0]


def run_of_gather(op: object, loop: LoopOp, fact_of: FactOf) -> Run | None:
    """Return how a gather takes one element behind the other, or None.

    They are counted from the front, and exist.
    """
    if not isinstance(op, GatherOp) or not comes_from_outside(op.data, loop):
        return None
    axis, forms = constant_of(op.axis), IntegerForms(loop, fact_of)
    form, bounds, data = forms.of(op.indices), fact_of(op.indices).bounds, fact_of(op.data).static
    if axis is None or form is None or bounds is None or data is None or not forms.is_exact(op.indices):
        return None
    stride, first = form.coefficient(loop.iteration), form.without(loop.iteration).number
    extent = data[int(axis.reshape(())) % len(data)]
    in_range = int(bounds[0].min()) >= 0 and int(bounds[1].max()) < extent
    return Run(first, stride) if first is not None and stride in (1, -1) and in_range else None
