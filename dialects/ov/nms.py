"""NonMaxSuppression: of boxes that overlap, those with the best scores."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import BoolAttr, StringAttr
from xdsl.ir import Attribute, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, prop_def, result_def, traits_def
from xdsl.traits import NoMemoryEffect

from loomir.dialects.element_types import f32, f64, i64, is_float
from loomir.dialects.ov.attributes import FALSE, TRUE, check_index_type, choice
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact, Shape
from loomir.dialects.ov.parameters import check_one_number, one_interval
from loomir.dialects.ov.shape_rules import check_element, same_element, show_shapes
from loomir.errors import Error

CORNER = StringAttr("corner")


def is_computed_in_f32(element: Attribute) -> bool:
    """Whether boxes may have this element type."""
    return is_float(element) and element != f64


@irdl_op_definition
class NonMaxSuppressionOp(OvOperation):
    """For each class of each batch: boxes in the order of their scores, without those that overlap a better one too
    much: OpenVINO NonMaxSuppression-9 (1, 3, 4, 5), ONNX NonMaxSuppression-11.

    `boxes` [batches, boxes, 4] and `scores` [batches, classes, boxes] are f32, f16 or bf16; everything is
    computed in f32. Boxes are any two opposite corners `y1, x1, y2, x2`, or with `box_encoding = "center"`
    `x, y, width, height`. The other operands have one element each. A box takes part if its score is greater
    than `score_threshold` (a NaN there: always), and is left out if its intersection over union with a selected one is
    greater than `iou_threshold`. At most `max_output_boxes_per_class` are selected, in the order of scores, equal
    ones in the order of the boxes.

    Soft-NMS, where `soft_nms_sigma` is given and positive: each selected box multiplies the scores of the others by
    `exp(-iou² / (2 sigma))`; what overlaps more than `iou_threshold` is left out all the same only with
    `drop_above_threshold` (NonMaxSuppression-5).

    Results: `[number, 3]` of `output_type` (i64, the default, or i32): batch, class, box; `[number, 3]` f32: batch,
    class, score; `[1]`: the number. With `sort_result_descending` (the default) they are sorted by score over
    all batches and classes, else they come class by class.
    Errors: `element-type`, `element-types-differ`, `nms-shapes`, `operand-rank`, `attribute-value`; when run,
    `runtime-shape`.
    """

    name = "ov.non_max_suppression"

    boxes = operand_def()
    scores = operand_def()
    max_output_boxes_per_class = operand_def()
    iou_threshold = operand_def()
    score_threshold = operand_def()
    soft_nms_sigma = opt_operand_def()
    box_encoding = prop_def(StringAttr, default_value=CORNER)
    sort_result_descending = prop_def(BoolAttr, default_value=TRUE)
    drop_above_threshold = prop_def(BoolAttr, default_value=FALSE)
    output_type = prop_def(TypeAttribute, default_value=i64)
    selected_indices = result_def()
    selected_scores = result_def()
    valid_outputs = result_def()
    traits = traits_def(NoMemoryEffect())

    @property
    def centered(self) -> bool:
        """Whether boxes are given by centre and extents."""
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
        batches, classes, count = _extents(boxes.shape, scores.shape)
        if limits is not None:
            limit = max(limits[1], 0)
            count = Dim(0, limit if count.hi is None else min(count.hi, limit))
        rows = Dim(0, (batches * classes * count).hi)
        type_ = check_index_type(self.output_type, "output_type")
        shape = (rows, Dim(3, 3))
        return [Fact(type_, shape), Fact(f32, shape), Fact(type_, (Dim(1, 1),))]


def _extents(boxes: Shape | None, scores: Shape | None) -> tuple[Dim, Dim, Dim]:
    """Batches, classes, boxes. Error: `nms-shapes`."""
    b = (Dim(), Dim(), Dim(4, 4)) if boxes is None else boxes
    s = (Dim(), Dim(), Dim()) if scores is None else scores
    if len(b) == len(s) == 3 and b[2].meet(Dim(4, 4)) is not None:
        batches, count = b[0].meet(s[0]), b[1].meet(s[2])
        if batches is not None and count is not None:
            return batches, s[1], count
    raise Error(
        "nms-shapes",
        f"boxes and scores have shapes {show_shapes([b, s])}, expected [batches, boxes, 4] and [batches, classes, boxes]",
    )
