"""Sums and means of bags of table rows.

EmbeddingBagOffsets, EmbeddingBagPacked, EmbeddingSegmentsSum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import NoMemoryEffect

from loomir.dialects.ov.attributes import choice
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.named_extents import Named, NamedExtents
from loomir.dialects.ov.parameters import extent_from
from loomir.dialects.ov.shape_rules import check_element, check_integer, check_rank, is_number, same_element
from loomir.dialects.ov.sources import Sources
from loomir.dialects.tensors import TENSOR
from loomir.errors import Error


class EmbeddingOperation(OvOperation):
    """Common base of embedding operations.

    The operands are a table, indices into it and perhaps weights.
    """

    INDEX_RANK: ClassVar[int] = 1

    def means(self, weighted: bool) -> bool:
        """Return True if the rows of a bag are averaged.

        Errors: `attribute-value`, `embedding-weights`.
        """
        mean = choice(getattr(self, "reduction", None), "reduction", ("sum", "mean"), "sum") == "mean"
        if mean and weighted:
            raise Error("embedding-weights", "there are weights, which a mean does not have")
        return mean

    def result(self, table: Fact, bags: Dim) -> list[Fact]:
        """A row for each bag. Errors: `operand-rank`, `element-type`."""
        check_element(table, "emb_table", is_number, "a number")
        if table.rank == 0:
            raise Error("operand-rank", "emb_table must have at least one dimension")
        return [Fact(table.element, None if table.shape is None else (bags, *table.shape[1:]))]

    def check_extents(self, facts: Sequence[Fact]) -> None:
        """Errors: `element-types-differ`, `embedding-shapes` (not one weight, or segment, for each index)."""
        weights = self.weights(facts)
        if weights is not None:
            same_element((facts[0], facts[weights]), ("emb_table", "per_sample_weights"))
        self.agreed_extents(facts)

    def weights(self, facts: Sequence[Fact]) -> int | None:
        """Return the index of the weights operand, or None.

        The weights are the last operand, if present.
        """
        return None if len(facts) < len(self.get_irdl_definition().operands) else len(facts) - 1

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents:
        names = ["batch", "n"][-self.INDEX_RANK :]
        operands = [Named(1, "indices", names)]
        weights = self.weights(facts)
        if weights is not None:
            operands.append(Named(weights, "per_sample_weights", names))
        return NamedExtents("embedding-shapes", operands)


@irdl_op_definition
class EmbeddingBagOffsetsOp(EmbeddingOperation):
    """Bags of indices that begin at offsets: OpenVINO EmbeddingBagOffsets-15, EmbeddingBagOffsetsSum-3.

    `emb_table[num_emb, …]`, `indices[n]`, `offsets[batch]` (not decreasing, the first one 0). Row b of the result is the
    sum (`reduction = "sum"`, the default) or the mean of the table's rows at `indices[offsets[b]:offsets[b + 1]]`, each
    times its weight. An empty bag gives row `default_index`, or zeros where that is -1. Sums of f16 and bf16
    are kept in f32. An index outside of the table is the error `runtime-index` when it is run.
    Errors: `element-type`, `element-types-differ`, `operand-rank`, `attribute-value`, `embedding-weights`,
    `embedding-shapes`; when run, `runtime-shape`.
    """

    name = "ov.embedding_bag_offsets"
    COMPOSITE: ClassVar[bool] = True

    emb_table = operand_def(TENSOR)
    indices = operand_def(TENSOR)
    offsets = operand_def(TENSOR)
    default_index = operand_def(TENSOR)
    per_sample_weights = opt_operand_def(TENSOR)
    reduction = opt_prop_def(StringAttr)
    output = result_def(TENSOR)
    traits = traits_def(NoMemoryEffect())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        table, indices, offsets, default, *rest = facts
        for name, fact in (("indices", indices), ("offsets", offsets)):
            _ = check_rank(check_integer(fact, name), name, 1)
        _ = extent_from(default, "default_index")
        _ = self.means(bool(rest))
        self.check_extents(facts)
        return self.result(table, Dim() if offsets.shape is None else offsets.shape[0])


@irdl_op_definition
class EmbeddingBagPackedOp(EmbeddingOperation):
    """Bags of equally many indices: OpenVINO EmbeddingBagPacked-15, EmbeddingBagPackedSum-3.

    `emb_table[num_emb, …]`, `indices[batch, n]`; otherwise as EmbeddingBagOffsets.
    Errors: `element-type`, `element-types-differ`, `operand-rank`, `attribute-value`, `embedding-weights`,
    `embedding-shapes`; when run, `runtime-shape`.
    """

    name = "ov.embedding_bag_packed"
    SOURCES: ClassVar = Sources(openvino=("EmbeddingBagPacked", 15))
    COMPOSITE: ClassVar[bool] = True
    INDEX_RANK: ClassVar[int] = 2

    emb_table = operand_def(TENSOR)
    indices = operand_def(TENSOR)
    per_sample_weights = opt_operand_def(TENSOR)
    reduction = opt_prop_def(StringAttr)
    output = result_def(TENSOR)
    traits = traits_def(NoMemoryEffect())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        table, indices, *rest = facts
        _ = check_rank(check_integer(indices, "indices"), "indices", 2)
        _ = self.means(bool(rest))
        self.check_extents(facts)
        return self.result(table, Dim() if indices.shape is None else indices.shape[0])


@irdl_op_definition
class EmbeddingSegmentsSumOp(EmbeddingOperation):
    """Sums of table rows by segment: OpenVINO EmbeddingSegmentsSum-3.

    `emb_table[num_emb, …]`, `indices[n]`, `segment_ids[n]`; row s of the `num_segments` rows of the result is the sum of
    the rows at the indices whose segment is s, each times its weight; empty segments as in EmbeddingBagOffsets. A
    segment beyond their number is the error `runtime-index` when it is run.
    Errors: `element-type`, `element-types-differ`, `operand-rank`, `embedding-shapes`; when run, `runtime-shape`.
    """

    name = "ov.embedding_segments_sum"
    COMPOSITE: ClassVar[bool] = True

    emb_table = operand_def(TENSOR)
    indices = operand_def(TENSOR)
    segment_ids = operand_def(TENSOR)
    num_segments = operand_def(TENSOR)
    default_index = operand_def(TENSOR)
    per_sample_weights = opt_operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(NoMemoryEffect())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        table, indices, segments, number, default = facts[:5]
        for name, fact in (("indices", indices), ("segment_ids", segments)):
            _ = check_rank(check_integer(fact, name), name, 1)
        bags = extent_from(number, "num_segments")
        _ = extent_from(default, "default_index")
        self.check_extents(facts)
        return self.result(table, bags)

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents:
        named = super().named_extents(facts)
        return replace(named, operands=[*named.operands, Named(2, "segment_ids", "n")])
