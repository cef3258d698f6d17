"""TopK, NonZero, Unique, NonMaxSuppression and regions of interest, read from IR of all versions, against OpenVINO."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import openvino
from openvino import opset1, opset2, opset3, opset4, opset5, opset6, opset9, opset10, opset11

import loomir
from loomir.compiler.model import Engine
from tests.openvino_process import run_openvino

F32 = np.float32
Nodes = Mapping[str, openvino.Node]
Result = tuple[str, np.ndarray, np.ndarray]


def compared(
    build: Callable[..., Nodes], arrays: Sequence[np.ndarray], folder: Path, engine: Engine = "native"
) -> list[Result]:
    """Return each output's name, loomir's value and OpenVINO's value."""
    parameters: list[Any] = [opset1.parameter(list(a.shape), a.dtype) for a in arrays]
    for k, parameter in enumerate(parameters):
        parameter.output(0).get_tensor().set_names({f"x{k}"})
    outputs = [
        (f"{name}, {k}", o) for name, n in build(*parameters).items() for k, o in enumerate(n.outputs())
    ]
    make_model: Any = openvino.Model  # the stubs of its constructors contradict each other
    model = make_model([opset1.result(o) for _, o in outputs], parameters, "m")
    path = folder / "model.xml"
    openvino.serialize(model, path, path.with_suffix(".bin"))
    (theirs,) = run_openvino(path, [arrays], folder)
    ours = loomir.load(path).run({f"x{k}": a for k, a in enumerate(arrays)}, engine=engine)
    return [(name, a, b) for (name, _), a, b in zip(outputs, ours.values(), theirs, strict=True)]


def assert_same(results: Sequence[Result]) -> None:
    for name, ours, theirs in results:
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), name
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5, err_msg=name)


def test_sorting(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    ties = rng.integers(0, 9, (3, 40, 2)).astype(F32)
    distinct = rng.permutation(240).reshape(3, 40, 2).astype(F32)

    def nodes(x: openvino.Node, y: openvino.Node) -> Nodes:
        found: dict[str, openvino.Node] = {}
        for mode in ("max", "min"):
            for k in (1, 5, 25):
                found[f"TopK-11 {mode} {k}"] = opset11.topk(x, np.int32(k), 1, mode, "value", stable=True)
                # By index OpenVINO does not take the first of equal elements, as its specification says.
                found[f"TopK-11 {mode} {k} index"] = opset11.topk(y, np.int32(k), 1, mode, "index")
            found[f"TopK-3 {mode}"] = opset3.topk(y, np.int32(3), -2, mode, "value", "i64")
            found[f"TopK-1 {mode}"] = opset1.topk(y, np.int32(3), 0, mode, "value")
        found["NonZero-3"] = opset3.non_zero(x, "i32")
        for order in (True, False):
            found[f"Unique-10 {order}"] = opset10.unique(x, sorted=order)
            found[f"Unique-10 {order} axis"] = opset10.unique(
                x, np.int64(1), sorted=order, index_element_type="i32"
            )
        return found

    assert_same(compared(nodes, [ties, distinct], tmp_path))


def boxes_and_scores() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    boxes = rng.random((2, 30, 4)).astype(F32) * 3
    return [boxes, rng.permutation(np.linspace(0.01, 0.99, 180)).reshape(2, 3, 30).astype(F32)]


def test_non_max_suppression(tmp_path: Path) -> None:
    seven, iou, least = np.int64(7), F32(0.4), F32(0.2)

    def nodes(boxes: openvino.Node, scores: openvino.Node) -> Nodes:
        found: dict[str, openvino.Node] = {}
        for encoding in ("corner", "center"):
            for order in (True, False):
                rest = (encoding, order)
                for sigma in (0.0, 0.5):
                    found[f"9 {rest} {sigma}"] = opset9.non_max_suppression(
                        boxes, scores, seven, iou, least, F32(sigma), *rest
                    )
                found[f"5 {rest}"] = opset5.non_max_suppression(
                    boxes, scores, seven, iou, least, F32(0), *rest, "i32"
                )
                found[f"4 {rest}"] = opset4.non_max_suppression(boxes, scores, seven, iou, least, *rest)
        found["9, two operands left out"] = opset9.non_max_suppression(boxes, scores, np.int64(3), F32(0.5))
        return found

    assert_same(compared(nodes, boxes_and_scores(), tmp_path))


def test_old_versions_fill_up_with_minus_one(tmp_path: Path) -> None:
    """Old versions pad with -1, as their specifications say.

    OpenVINO's CPU plugin returns as many rows as there are boxes.
    """
    boxes, scores = boxes_and_scores()

    def nodes(boxes: openvino.Node, scores: openvino.Node) -> Nodes:
        versions = {"4": opset4, "3": opset3, "1": opset1}
        return {
            f"{v} {least}": o.non_max_suppression(boxes, scores, np.int64(7), F32(0.4), F32(least))
            for v, o in versions.items()
            for least in (0.8, 0.95)
        }

    rows = {"4": 7 * 2 * 3, "3": 7 * 3, "1": 7 * 3}
    engines: tuple[Engine, ...] = ("graph", "native")
    for engine in engines:
        for name, ours, theirs in compared(nodes, [boxes, scores], tmp_path, engine):
            assert ours.shape == (rows[name[0]], 3)
            np.testing.assert_array_equal(ours[: len(theirs)], theirs[: len(ours)], err_msg=name)
            assert (ours[len(theirs) :] == -1).all()
            # Versions 1 and 3 have no room for more than one batch's share.
            assert 0 < len(theirs) < (42 if name[0] == "4" or "0.8" in name else 21)


def test_regions(tmp_path: Path) -> None:
    """Of an image that is nowhere negative: OpenVINO's maxima begin with 0. Its mean of no samples is NaN, ours 0."""
    rng = np.random.default_rng(0)
    image = rng.random((2, 3, 6, 7)).astype(F32)
    rois = np.array([[0, 0, 3, 3], [1.2, 0.5, 5.9, 4.1], [-3, -2, 9, 12], [4, 4, 2, 2]], F32)
    batches = np.array([0, 1, 1, 0], np.int32)
    relative = np.array([[0, 0, 0, 1, 1], [1, 0.1, 0.2, 0.7, 0.9], [1, 0.5, 0.5, 1.3, 0.6]], F32)

    def nodes(x: openvino.Node, r: openvino.Node) -> Nodes:
        found: dict[str, openvino.Node] = {}
        for mode in ("avg", "max"):
            for aligned in ("asymmetric", "half_pixel", "half_pixel_for_nn"):
                for ratio in (0, 2):
                    found[f"ROIAlign-9 {mode} {aligned} {ratio}"] = opset9.roi_align(
                        x, r, batches, 2, 3, ratio, 0.8, mode, aligned
                    )
            found[f"ROIAlign-3 {mode}"] = opset3.roi_align(x, r, batches, 2, 3, 2, 0.8, mode)
        absolute = np.concatenate([batches[:, None], rois], 1).astype(F32)
        found["ROIPooling max"] = opset2.roi_pooling(x, absolute, [2, 3], 0.8, "max")
        for size in ([2, 3], [1, 1]):
            found[f"ROIPooling bilinear {size}"] = opset2.roi_pooling(x, relative, size, 1.0, "bilinear")
        return found

    results = compared(nodes, [image, rois], tmp_path)
    assert_same([(name, ours, np.nan_to_num(theirs)) for name, ours, theirs in results])


def test_buckets_and_sequences(tmp_path: Path) -> None:
    """Bucketize and the CTC decoders."""
    rng = np.random.default_rng(0)
    values = rng.integers(-2, 9, (3, 4)).astype(F32)
    bounds = np.array([0, 2, 5, 7])
    steps = rng.standard_normal((9, 3, 4)).astype(F32)
    mask = (np.arange(9)[:, None] < np.array([9, 4, 0])).astype(F32)

    def nodes(x: openvino.Node, data: openvino.Node, ends: openvino.Node) -> Nodes:
        found: dict[str, openvino.Node] = {}
        sequences = opset1.transpose(data, np.array([1, 0, 2]))
        for flag in (True, False):
            found[f"Bucketize {flag}"] = opset3.bucketize(x, bounds.astype(F32), "i64", flag)
            found[f"Bucketize {flag} integers"] = opset3.bucketize(x, bounds.astype(np.int32), "i32", flag)
            found[f"CTCGreedyDecoder {flag}"] = opset1.ctc_greedy_decoder(data, ends, flag)
            found[f"CTCGreedyDecoderSeqLen {flag}"] = opset6.ctc_greedy_decoder_seq_len(
                sequences, np.array([9, 4, 0], np.int32), None, flag
            )
            found[f"CTCGreedyDecoderSeqLen {flag} blank 1"] = opset6.ctc_greedy_decoder_seq_len(
                sequences, np.array([2, 4, 7], np.int32), np.array([1], np.int32), flag, "i64", "i64"
            )
        return found

    assert_same(compared(nodes, [values, steps, mask], tmp_path))
