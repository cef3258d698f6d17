"""Decoding of a network's outputs: NonMaxSuppression, and CTC.

NonMaxSuppression selects, of boxes that overlap, those with the best scores.

The decoders of connectionist temporal classification (CTC) select the best class of each step, without repetitions and blanks.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import BoolAttr, StringAttr
from xdsl.ir import Attribute, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, prop_def, result_def, traits_def
from xdsl.traits import NoMemoryEffect

from loomir.dialects.element_types import TENSOR, dtype_of, f32, f64, i32, i64, is_float
from loomir.dialects.numerics import full, wide
from loomir.dialects.ov.attributes import FALSE, TRUE, check_index_type, choice, to_bool
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.inference import check_one_number, one_interval
from loomir.dialects.ov.interfaces import NamedExtents, NamedOperand, Sources
from loomir.dialects.ov.shape_rules import check_element, check_integer, same_element
from loomir.dialects.speculation import FailsOnShapes
from loomir.errors import Error

CORNER = StringAttr("corner")


def is_computed_in_f32(element: Attribute) -> bool:
    """Return True if boxes may have this element type."""
    return is_float(element) and element != f64


@irdl_op_definition
class NonMaxSuppressionOp(OvOperation):
    """Non-maximum suppression of boxes, for each class of each batch.

    OpenVINO NonMaxSuppression-9 (1, 3, 4, 5), ONNX NonMaxSuppression-11.

    It selects boxes in the order of their scores, without those that overlap a better one too much.

    `boxes` [batches, boxes, 4] and `scores` [batches, classes, boxes] are f32, f16 or bf16; everything is
    computed in f32. Boxes are any two opposite corners `y1, x1, y2, x2`, or with `box_encoding = "center"`
    `x, y, width, height`. The other operands have one element each. A box takes part if its score is greater
    than `score_threshold` (a NaN there: always), and is left out if its intersection over union with a selected one is
    greater than `iou_threshold`. At most `max_output_boxes_per_class` are selected, in the order of scores, equal
    ones in the order of the boxes.

    Soft-NMS applies if `soft_nms_sigma` is given and positive: each selected box multiplies the scores of the others by
    `exp(-iou² / (2 sigma))`; a box that overlaps more than `iou_threshold` is then left out only with
    `drop_above_threshold` (NonMaxSuppression-5).

    Results: `[number, 3]` of `output_type` (i64, the default, or i32): batch, class, box; `[number, 3]` f32: batch,
    class, score; `[1]`: the number. With `sort_result_descending` (the default) they are sorted by score over
    all batches and classes, else they are listed class by class.
    Errors: `element-type`, `element-types-differ`, `nms-shapes`, `operand-rank`, `attribute-value`; when run,
    `runtime-shape`.
    """

    name = "ov.non_max_suppression"

    boxes = operand_def(TENSOR)
    scores = operand_def(TENSOR)
    max_output_boxes_per_class = operand_def(TENSOR)
    iou_threshold = operand_def(TENSOR)
    score_threshold = operand_def(TENSOR)
    soft_nms_sigma = opt_operand_def(TENSOR)
    box_encoding = prop_def(StringAttr, default_value=CORNER)
    sort_result_descending = prop_def(BoolAttr, default_value=TRUE)
    drop_above_threshold = prop_def(BoolAttr, default_value=FALSE)
    output_type = prop_def(TypeAttribute, default_value=i64)
    selected_indices = result_def(TENSOR)
    selected_scores = result_def(TENSOR)
    valid_outputs = result_def(TENSOR)
    traits = traits_def(NoMemoryEffect())

    @property
    def centered(self) -> bool:
        """True if boxes are given by centre and extents."""
        return choice(self.box_encoding, "box_encoding", ("corner", "center")) == "center"

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        boxes, scores, most = facts[:3]
        check_element(boxes, "boxes", is_computed_in_f32, "f32, f16 or bf16")
        same_element((boxes, scores), ("boxes", "scores"))
        _ = self.centered
        limits = one_interval(most, "max_output_boxes_per_class")
        for name, fact in zip(("iou_threshold", "score_threshold", "soft_nms_sigma"), facts[3:]):
            check_element(fact, name, is_float, "a float")
            check_one_number(fact, name)
        agreed = self.agreed_extents(facts)
        batches, classes, count = (agreed.get(name, Dim()) for name in ("batches", "classes", "boxes"))
        if limits is not None:
            limit = max(limits[1], 0)
            count = Dim(0, limit if count.hi is None else min(count.hi, limit))
        rows = Dim(0, (batches * classes * count).hi)
        type_ = check_index_type(self.output_type, "output_type")
        shape = (rows, Dim(3, 3))
        return [Fact(type_, shape), Fact(f32, shape), Fact(type_, (Dim(1, 1),))]

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents:
        names = ("batches", "classes", "boxes")
        return NamedExtents(
            "nms-shapes",
            [NamedOperand(0, "boxes", ["batches", "boxes", "4"]), NamedOperand(1, "scores", names)],
        )

    def evaluate(
        self, boxes: np.ndarray, scores: np.ndarray, most: np.ndarray, *thresholds: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        batches, classes, _ = scores.shape
        iou, least, *sigma = (F32(t.reshape(-1)[0]) for t in thresholds)
        rule = _Class(iou, least, sigma[0] if sigma else F32(0), to_bool(self.drop_above_threshold))
        limit = int(most.reshape(-1)[0])
        placed = corners(boxes, centered=self.centered)
        found = [
            (b, c, box, score)
            for b in range(batches)
            for c in range(classes)
            for box, score in rule.select(placed[b], scores[b, c], limit)
        ]
        if to_bool(self.sort_result_descending):
            found.sort(key=lambda f: (math.isnan(f[3]), 0.0 if math.isnan(f[3]) else -float(f[3])))
        type_ = dtype_of(self.output_type)
        indices = np.array([f[:3] for f in found], type_).reshape(-1, 3)
        told = np.array([(f[0], f[1], f[3]) for f in found], F32).reshape(-1, 3)
        return indices, told, np.array([len(found)], type_)


F32 = np.float32


Key = tuple[bool, float, int]


def corners(boxes: np.ndarray, *, centered: bool) -> np.ndarray:
    """Boxes [..., 4] as least y, least x, greatest y, greatest x."""
    a, b, c, d = (boxes[..., k].astype(F32) for k in range(4))
    if centered:
        half_w, half_h = c * F32(0.5), d * F32(0.5)
        return np.stack([b - half_h, a - half_w, b + half_h, a + half_w], -1)
    return np.stack([_lesser(a, c), _lesser(b, d), _greater(a, c), _greater(b, d)], -1)


def _lesser(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The lesser one, b where one of them is NaN."""
    return np.where(a < b, a, b)


def _greater(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.where(a > b, a, b)


def overlaps(box: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the intersection over union of a box with others.

    It is 0 if one of the two is empty.
    """
    low, high = _greater(box[:2], others[:, :2]), _lesser(box[2:], others[:, 2:])
    sides = _greater(high - low, np.zeros((), F32))
    shared = sides[:, 0] * sides[:, 1]
    own = (box[2] - box[0]) * (box[3] - box[1])
    areas = (others[:, 2] - others[:, 0]) * (others[:, 3] - others[:, 1])
    return np.where((own > 0) & (areas > 0), shared / (own + areas - shared), F32(0))


def _key(score: np.float32, box: int) -> Key:
    """The order of candidates: best score first, NaN last, then by number."""
    nan = bool(np.isnan(score))
    return nan, 0.0 if nan else -float(score), box


class _Class:
    """The selection in one class of one batch."""

    def __init__(
        self, iou_threshold: np.float32, score_threshold: np.float32, sigma: np.float32, drop: bool
    ) -> None:
        self.iou_threshold, self.score_threshold = iou_threshold, score_threshold
        self.soft = bool(sigma > 0)
        self.scale = F32(-0.5) / sigma if self.soft else F32(0)
        self.drops = drop or not self.soft

    def passes(self, score: np.float32) -> bool:
        """Return True if a box of this score takes part."""
        return bool(score > self.score_threshold or np.isnan(self.score_threshold))

    def select(self, boxes: np.ndarray, scores: np.ndarray, most: int) -> list[tuple[int, np.float32]]:
        """The selected boxes with their scores, the best first."""
        current = scores.astype(F32)
        heap = [_key(s, k) for k, s in enumerate(current) if self.passes(s)]
        heapq.heapify(heap)
        seen = full((len(boxes),), 0, np.int64)
        chosen: list[tuple[int, np.float32]] = []
        while heap and len(chosen) < most:
            box = heapq.heappop(heap)[2]
            rivals = [k for k, _ in chosen[seen[box] :]]
            seen[box] = len(chosen)
            dropped, score = self._judge(current[box], overlaps(boxes[box], boxes[rivals]))
            changed = score < current[box] or score > current[box]
            current[box] = score
            if dropped:
                continue
            if not changed:
                chosen.append((box, score))
            elif self.passes(score):
                heapq.heappush(heap, _key(score, box))
        return chosen

    def _judge(self, score: np.float32, overlap: np.ndarray) -> tuple[bool, np.float32]:
        """Decide if a box with these overlaps is left out.

        Returns the decision and the box's new score.
        """
        if not self.soft:
            return bool((overlap > self.iou_threshold).any()), score
        for iou in overlap[::-1]:
            if self.drops and iou > self.iou_threshold:
                return True, score
            score = score * np.exp(self.scale * iou * iou)
            if not self.passes(score):
                break
        return False, score


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
        return NamedExtents(
            "ctc-shapes", [NamedOperand(0, "data", "NTC"), NamedOperand(1, "sequence_length", "N")]
        )

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
        return NamedExtents(
            "ctc-shapes", [NamedOperand(0, "data", "TNC"), NamedOperand(1, "sequence_mask", "TN")]
        )
