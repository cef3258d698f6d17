"""Numpy semantics of NonMaxSuppression."""

from __future__ import annotations

import heapq
import math

import numpy as np

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.nms import NonMaxSuppressionOp
from loomir.errors import Error

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
    """Intersection over union of a box with others; 0 where one of two is empty."""
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
        """Whether a box of this score takes part."""
        return bool(score > self.score_threshold or np.isnan(self.score_threshold))

    def select(self, boxes: np.ndarray, scores: np.ndarray, most: int) -> list[tuple[int, np.float32]]:
        """The selected boxes with their scores, the best first."""
        current = scores.astype(F32)
        heap = [_key(s, k) for k, s in enumerate(current) if self.passes(s)]
        heapq.heapify(heap)
        seen = np.zeros(len(boxes), np.int64)
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
        """Whether a box with these overlaps is left out, and its new score."""
        if not self.soft:
            return bool((overlap > self.iou_threshold).any()), score
        for iou in overlap[::-1]:
            if self.drops and iou > self.iou_threshold:
                return True, score
            score = score * np.exp(self.scale * iou * iou)
            if not self.passes(score):
                break
        return False, score


@evaluates(NonMaxSuppressionOp)
def non_max_suppression(
    op: NonMaxSuppressionOp, boxes: np.ndarray, scores: np.ndarray, most: np.ndarray, *thresholds: np.ndarray
) -> tuple[np.ndarray, ...]:
    batches, classes, count = scores.shape
    if boxes.shape != (batches, count, 4):
        raise Error("runtime-shape", f"boxes {boxes.shape} and scores {scores.shape} do not fit each other")
    iou, least, *sigma = (F32(t.reshape(-1)[0]) for t in thresholds)
    rule = _Class(iou, least, sigma[0] if sigma else F32(0), to_bool(op.drop_above_threshold))
    limit = int(most.reshape(-1)[0])
    placed = corners(boxes, centered=op.centered)
    found = [
        (b, c, box, score)
        for b in range(batches)
        for c in range(classes)
        for box, score in rule.select(placed[b], scores[b, c], limit)
    ]
    if to_bool(op.sort_result_descending):
        found.sort(key=lambda f: (math.isnan(f[3]), 0.0 if math.isnan(f[3]) else -float(f[3])))
    type_ = dtype_of(op.output_type)
    indices = np.array([f[:3] for f in found], type_).reshape(-1, 3)
    told = np.array([(f[0], f[1], f[3]) for f in found], F32).reshape(-1, 3)
    return indices, told, np.array([len(found)], type_)
