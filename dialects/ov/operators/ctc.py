"""Decoding of connectionist temporal classification (CTC).

The result is the best class of each step, without repetitions and blanks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import BoolAttr
from xdsl.ir import TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, prop_def, result_def, traits_def

from loomir.dialects.element_types import dtype_of, i32, is_float
from loomir.dialects.numerics.numeric import wide
from loomir.dialects.numerics.workspace import full
from loomir.dialects.ov.attributes import TRUE, check_index_type, to_bool
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.named_extents import Named, NamedExtents
from loomir.dialects.ov.parameters import check_one_number
from loomir.dialects.ov.shape_rules import check_element, check_integer, same_element
from loomir.dialects.ov.sources import Sources
from loomir.dialects.speculation import FailsOnShapes
from loomir.dialects.tensors import TENSOR
from loomir.errors import Error


def _extents(op: CTCGreedyDecoderSeqLenOp | CTCGreedyDecoderOp, facts: Sequence[Fact]) -> dict[str, Dim]:
    """N, T and C. Error: `ctc-shapes`."""
    agreed = op.agreed_extents(facts)
    found = {name: agreed.get(name, Dim()) for name in "NTC"}
    if found["C"].hi == 0:
        raise Error("ctc-shapes", "data has no classes")
    return found


@irdl_op_definition
class CTCGreedyDecoderSeqLenOp(OvOperation):
    """Best class of each step, without blanks. OpenVINO CTCGreedyDecoderSeqLen-6.

    The steps are those of `data: [N, T, C]`. With `merge_repeated` (the default), classes that repeat the step before are
    left out too.

    `sequence_length` [N]: the number of steps that count, limited to 0 … T. `blank_index`: one number, C - 1 if it is left out.
    Results: classes [N, T] of `classes_index_type`, padded with -1, and their number [N], of `sequence_length_type` (both i32,
    the default, or i64). Of equal classes the first is the best, and NaN is the greatest. Errors: `element-type`,
    `operand-rank`, `ctc-shapes`; when run, `runtime-shape`.
    """

    name = "ov.ctc_greedy_decoder_seq_len"
    SOURCES: ClassVar = Sources(openvino=("CTCGreedyDecoderSeqLen", 6))

    data = operand_def(TENSOR)
    sequence_length = operand_def(TENSOR)
    blank_index = opt_operand_def(TENSOR)
    merge_repeated = prop_def(BoolAttr, default_value=TRUE)
    classes_index_type = prop_def(TypeAttribute, default_value=i32)
    sequence_length_type = prop_def(TypeAttribute, default_value=i32)
    classes = result_def(TENSOR)
    lengths = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, lengths = facts[:2]
        check_element(data, "data", is_float, "a float")
        check_integer(lengths, "sequence_length")
        for blank in facts[2:]:
            check_one_number(check_integer(blank, "blank_index"), "blank_index")
        extents = _extents(self, facts)
        n, t = extents["N"], extents["T"]
        return [
            Fact(check_index_type(self.classes_index_type, "classes_index_type"), (n, t)),
            Fact(check_index_type(self.sequence_length_type, "sequence_length_type"), (n,)),
        ]

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents:
        return NamedExtents("ctc-shapes", [Named(0, "data", "NTC"), Named(1, "sequence_length", "N")])

    def evaluate(
        self, data: np.ndarray, lengths: np.ndarray, *blanks: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        n, t, classes = data.shape
        if len(lengths) != n or not classes:
            raise Error("runtime-shape", f"data {data.shape} and sequence_length {lengths.shape} do not fit")
        blank = int(blanks[0].reshape(-1)[0]) if blanks else classes - 1
        found = full((n, t), -1, dtype_of(self.classes_index_type))
        counts = full((n,), 0, dtype_of(self.sequence_length_type))
        best = wide(data).argmax(axis=2)
        for k in range(n):
            steps = best[k, : min(max(int(lengths[k]), 0), t)]
            kept = steps != blank
            if to_bool(self.merge_repeated):
                kept[1:] &= steps[1:] != steps[:-1]
            counts[k] = kept.sum()
            found[k, : counts[k]] = steps[kept]
        return found, counts


@irdl_op_definition
class CTCGreedyDecoderOp(OvOperation):
    """CTC greedy decoding with a sequence mask. OpenVINO CTCGreedyDecoder-1.

    Like `ov.ctc_greedy_decoder_seq_len`, but of `data: [T, N, C]` with blank C - 1. The result is [N, T, 1, 1] of the type of
    data.

    `sequence_mask` [T, N]: the first 0 of a column ends it. Errors: `element-type`, `element-types-differ`,
    `ctc-shapes`; when run, `runtime-shape`.
    """

    COMPOSITE: ClassVar[bool] = True
    name = "ov.ctc_greedy_decoder"

    data = operand_def(TENSOR)
    sequence_mask = operand_def(TENSOR)
    merge_repeated = prop_def(BoolAttr, default_value=TRUE)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, mask = facts
        check_element(data, "data", is_float, "a float")
        same_element((data, mask), ("data", "sequence_mask"))
        extents = _extents(self, facts)
        return [Fact(data.element, (extents["N"], extents["T"], Dim(1, 1), Dim(1, 1)))]

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents:
        return NamedExtents("ctc-shapes", [Named(0, "data", "TNC"), Named(1, "sequence_mask", "TN")])
