"""Einsum and attention from matrix products.

Einsum joins its operands one after another. It uses Transpose, Reshape, ReduceSum, Multiply and MatMul.

Attention becomes matrix products and Softmax.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from loomir.dialects.element_types import i1, i64
from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.broadcasting import RangeOp
from loomir.dialects.ov.operators.comparison import LessEqualOp, SelectOp
from loomir.dialects.ov.operators.contraction import EinsumOp, Labels, MatMulOp, label_extents, parse
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, DivideOp, MultiplyOp
from loomir.dialects.ov.operators.elementwise_unary import SqrtOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.normalisation import ScaledDotProductAttentionOp, SoftmaxOp
from loomir.dialects.ov.operators.reduction import ReduceSumOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, SqueezeOp, TransposeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.errors import Error
from loomir.passes.graph.lib.decompositions import Size, Sizes, decomposes, require_equal
from loomir.passes.graph.lib.decompositions.arithmetic import like, wide


@dataclass(frozen=True)
class LabelledValue:
    """A value whose dimensions have these labels, each once."""

    value: SSAValue
    labels: Labels


@decomposes(EinsumOp)
def einsum(op: EinsumOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Reduce each operand's private dimensions, then join operand by operand.

    Each step sums over the labels that no later step needs.
    """
    facts = [build.fact(v) for v in op.inputs]
    found = parse(op.equation.data, [f.rank for f in facts])
    if found is None:
        raise Error(
            "unknown-rank", "the rank of an operand is not known", hint="fix the shapes of the inputs"
        )
    operands, result = found
    extents = label_extents(operands, [f.shape for f in facts])
    emit = _Einsum(build)
    terms: list[LabelledValue] = []
    for value, labels in zip(op.inputs, operands):
        term = emit.diagonal(value, labels)
        # An extent of 1 that others broadcast is no dimension of the product.
        ones = [
            k
            for k, d in enumerate(build.fact(term.value).shape or ())
            if d.static == 1 and extents[term.labels[k]].static != 1
        ]
        terms.append(emit.without(term, ones))
    for k, term in enumerate(terms):
        elsewhere = {*result, *(label for i, t in enumerate(terms) if i != k for label in t.labels)}
        terms[k] = emit.summed(term, elsewhere)
    total = terms[0]
    for k, term in enumerate(terms[1:], 1):
        needed = {*result, *(label for t in terms[k + 1 :] for label in t.labels)}
        total = emit.joined(total, term, needed)
    return [emit.ordered(total, result).value]


class _Einsum:
    """Emits the steps."""

    def __init__(self, build: GraphBuilder) -> None:
        self.build = build
        self.sizes = Sizes(build)

    def ordered(self, term: LabelledValue, labels: Labels) -> LabelledValue:
        """The term with its dimensions in this order."""
        if labels == term.labels:
            return term
        order = self.build.integers([term.labels.index(label) for label in labels])
        return LabelledValue(self.build.make(TransposeOp, term.value, order), labels)

    def without(self, term: LabelledValue, places: Sequence[int]) -> LabelledValue:
        """The term without dimensions of extent 1."""
        if not places:
            return term
        value = self.build.make(SqueezeOp, term.value, self.build.integers(places))
        return LabelledValue(value, tuple(label for k, label in enumerate(term.labels) if k not in places))

    def diagonal(self, value: SSAValue, labels: Labels) -> LabelledValue:
        """Replace repeated labels by diagonals, so that each label occurs once.

        The two dimensions of a repeated label are moved to the end, where their diagonal is every (extent + 1)-th element.
        """
        while (twice := next((a for a in labels if labels.count(a) > 1), None)) is not None:
            first = labels.index(twice)
            second = labels.index(twice, first + 1)
            rest = [k for k in range(len(labels)) if k not in (first, second)]
            value = self.build.make(TransposeOp, value, self.build.integers([*rest, first, second]))
            *outer, extent, other = self.sizes.of(value)
            reason = f"the diagonal of '{twice}' of ov.einsum has two extents"
            value = require_equal(self.build, value, extent, other, reason)
            if isinstance(other, int):
                extent = other
            whole = self.sizes.mul(extent, extent)
            flat = self.sizes.reshape(value, [*outer, whole])
            step = self.sizes.value(self.sizes.add(extent, 1))
            zero, axis = self.build.integers([0]), self.build.integers([len(outer)])
            value = self.build.make(SliceOp, flat, zero, self.sizes.value(whole), step, axis)
            labels = (*(labels[k] for k in rest), twice)
        return LabelledValue(value, labels)

    def summed(self, term: LabelledValue, needed: Collection[str]) -> LabelledValue:
        """The term summed over the labels that nobody needs."""
        gone = [k for k, label in enumerate(term.labels) if label not in needed]
        if not gone:
            return term
        axes = self.build.integers(gone)
        value = self.build.make(ReduceSumOp, term.value, axes, attributes={"keep_dims": False})
        return LabelledValue(value, tuple(label for label in term.labels if label in needed))

    def joined(self, a: LabelledValue, b: LabelledValue, needed: Collection[str]) -> LabelledValue:
        """The product, summed over the common labels that are not needed."""
        common = [label for label in a.labels if label in b.labels]
        batch = tuple(label for label in common if label in needed)
        inner = tuple(label for label in common if label not in needed)
        left = tuple(label for label in a.labels if label not in common)
        right = tuple(label for label in b.labels if label not in common)
        product = (*batch, *left, *right)
        if not inner:
            x, y = self.ordered(a, (*batch, *left)).value, self.ordered(b, (*batch, *right)).value
            x = self._with_ones(x, range(len(batch) + len(left), len(product)))
            y = self._with_ones(y, range(len(batch), len(batch) + len(left)))
            return LabelledValue(self.build.make(MultiplyOp, x, y), product)
        if len(inner) > 1:
            # They become one dimension, whose extents may be equal where theirs are not.
            a = self._with_extents_of(a, b, inner)
        x, x_sizes, x_turned = self._matrix(a, batch, left, inner, turn_if=(*batch, *inner, *left))
        y, y_sizes, y_turned = self._matrix(b, batch, inner, right, turn_if=(*batch, *right, *inner))
        value = self.build.make(MatMulOp, x, y, attributes={"transpose_a": x_turned, "transpose_b": y_turned})
        if len(left) != 1 or len(right) != 1:
            outer = [x_sizes[label] for label in batch]
            shape = [*outer, *(x_sizes[label] for label in left), *(y_sizes[label] for label in right)]
            value = self.sizes.reshape(value, shape)
        return LabelledValue(value, product)

    def _with_extents_of(self, a: LabelledValue, b: LabelledValue, labels: Labels) -> LabelledValue:
        """Return the first term, if its extents match those of the second.

        The extents compared are those of these labels.
        """
        wanted = dict(zip(b.labels, self.sizes.of(b.value)))
        value = a.value
        for label, size in zip(a.labels, self.sizes.of(a.value)):
            if label in labels:
                reason = f"the extents of '{label}' of ov.einsum differ"
                value = require_equal(self.build, value, size, wanted[label], reason)
        return LabelledValue(value, a.labels)

    def _with_ones(self, value: SSAValue, places: Sequence[int]) -> SSAValue:
        if not places:
            return value
        return self.build.make(UnsqueezeOp, value, self.build.integers(places))

    def _matrix(
        self, term: LabelledValue, batch: Labels, rows: Labels, columns: Labels, turn_if: Labels
    ) -> tuple[SSAValue, dict[str, Size], bool]:
        """Return the term as matrices `[batch, rows, columns]`.

        The matrices are transposed if the term is already in that order.
        """
        turned = term.labels == turn_if and term.labels != (*batch, *rows, *columns)
        if turned:
            rows, columns = columns, rows
        term = self.ordered(term, (*batch, *rows, *columns))
        sizes = dict(zip(term.labels, self.sizes.of(term.value)))
        value = term.value
        if len(rows) != 1 or len(columns) != 1:
            matrix = [self.sizes.product([sizes[label] for label in part]) for part in (rows, columns)]
            value = self.sizes.reshape(value, [*(sizes[label] for label in batch), *matrix])
        return value, sizes, turned


@decomposes(ScaledDotProductAttentionOp)
def scaled_dot_product_attention(op: ScaledDotProductAttentionOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Decompose attention, scaling the query instead of the larger scores.

    The weights of f16 and bf16 are computed in f32.
    """
    query = build.make(MultiplyOp, op.query, _scale(op, build))
    scores = build.make(MatMulOp, query, op.key, attributes={"transpose_b": True})
    scores = wide(build, scores)
    mask = op.attention_mask
    if to_bool(op.causal):
        scores = _visible(build, _earlier(op, build), scores)
    elif mask is not None and build.fact(mask).element == i1:
        scores = _visible(build, mask, scores)
    elif mask is not None:
        scores = build.make(AddOp, scores, wide(build, mask))
    weights = build.make(SoftmaxOp, scores, attributes={"axis": -1})
    return [build.make(MatMulOp, like(build, weights, op.query), op.value)]


def _extent(build: GraphBuilder, value: SSAValue, axis: int) -> SSAValue:
    """An extent as a scalar."""
    shape = build.fact(value).shape
    if shape is not None and (extent := shape[axis].static) is not None:
        return build.scalar(extent, i64)
    return build.make(GatherOp, build.make(ShapeOfOp, value), build.scalar(axis, i64), build.scalar(0, i64))


def _scale(op: ScaledDotProductAttentionOp, build: GraphBuilder) -> SSAValue:
    query = build.fact(op.query)
    if op.scale is not None:
        return build.make(ReshapeOp, op.scale, build.integers([]))
    extent = None if query.shape is None else query.shape[-1].static
    if extent:
        return build.like(1 / math.sqrt(extent), op.query)
    real = build.make(ConvertOp, _extent(build, op.query, -1), attributes={"destination_type": query.element})
    return build.make(DivideOp, build.like(1.0, op.query), build.make(SqrtOp, real))


def _visible(build: GraphBuilder, mask: SSAValue, scores: SSAValue) -> SSAValue:
    return build.make(SelectOp, mask, scores, build.like(-math.inf, scores))


def _earlier(op: ScaledDotProductAttentionOp, build: GraphBuilder) -> SSAValue:
    """Emit the causal mask: key positions not behind the query position.

    The key positions run along the last dimension.
    """

    def positions(value: SSAValue) -> SSAValue:
        stop = _extent(build, value, -2)
        return build.make(
            RangeOp, build.scalar(0, i64), stop, build.scalar(1, i64), attributes={"output_type": i64}
        )

    rows = build.make(UnsqueezeOp, positions(op.query), build.integers([1]))
    return build.make(LessEqualOp, positions(op.key), rows)
