"""Older versions of operators, and attributes that only the IR has: what OpenVINO saves is read back and agrees with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import openvino as ov
import pytest
from openvino import (
    opset1,
    opset2,
    opset3,
    opset4,
    opset5,
    opset6,
    opset7,
    opset8,
    opset9,
    opset11,
    opset12,
    opset13,
    opset14,
    opset15,
    opset16,
)
from openvino.utils.node_factory import NodeFactory

import loomir
from tests.conformance.openvino_node_worker import store, stored
from tests.conformance.openvino_nodes import Worker
from tests.support import assert_agree

F32, I64, I32 = np.float32, np.int64, np.int32


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    process = Worker()
    yield process
    process.close()


def numbers(*shape: int, dtype: type = F32, seed: int = 0) -> np.ndarray:
    values = np.random.default_rng(seed).standard_normal(shape) * 3
    return values.astype(dtype)


@dataclass
class Case:
    """`build` makes the outputs from Parameters for the arrays of the feed.

    `expected` stands for what OpenVINO gives where its CPU plugin cannot run what the specification allows.
    """

    build: Callable[..., Sequence[ov.Output] | ov.Node]
    feed: Sequence[np.ndarray]
    expected: np.ndarray | None = None


def c(value: object, dtype: type = I64) -> ov.Node:
    return opset1.constant(np.asarray(value, dtype))


X = numbers(2, 3, 4)
IMAGE = numbers(1, 2, 6, 7)
LSTM = [numbers(2, 3), numbers(2, 4, seed=1), numbers(2, 4, seed=2)]
W, R, B = numbers(16, 3, seed=3), numbers(16, 4, seed=4), numbers(16, seed=5)


WIDE = np.array(
    [0, -0.0, 1, 1.0625, 1.1875, -3.3, 17.5, 447, 449, 463.9, 465, 1e-3, 2**-10, 3 * 2**-10, 61440, 6e4], F32
)
"""Ties, subnormal numbers and what is out of range for floats of eight bits, but not for integers."""


def _weights() -> list[ov.Node]:
    return [c(a, F32) for a in (W, R, B)]


def _regions() -> list[ov.Node]:
    return [c([[0, 0, 7, 9], [2, 3, 8, 8]], F32), c([0, 0], I32)]


CUBIC = {
    "mode": "cubic", "shape_calculation_mode": "scales", "coordinate_transformation_mode": "half_pixel",
    "pads_begin": [0, 0, 1, 0], "pads_end": [0, 0, 0, 0], "cube_coeff": -0.5,
}  # fmt: skip
BOXES = [np.abs(numbers(1, 6, 4)).cumsum(2).astype(F32), np.abs(numbers(1, 2, 6, seed=1))]


def _limits() -> list[ov.Node]:
    return [c(3), c(0.3, F32), c(0.5, F32)]


def _pdpd(name: str, axis: int, *operands: ov.Node) -> ov.Node:
    attributes = {"auto_broadcast": "pdpd", "auto_broadcast.auto_broadcast_axis": axis}
    return NodeFactory("opset1").create(name, [o.output(0) for o in operands], attributes)


CASES: dict[str, Case] = {
    "Pad-1": Case(lambda x: opset1.pad(x, c([0, 1, 0]), c([1, 0, 2]), "constant", c(7, F32)), [X]),
    "Pad-1 reflect": Case(lambda x: opset1.pad(x, c([0, 1, 0]), c([1, 0, 2]), "reflect"), [X]),
    "Pad-12": Case(lambda x: opset13.pad(x, c([0, -1, 0]), c([1, 0, -2]), "edge"), [X]),
    "ShapeOf-0": Case(lambda x: opset1.shape_of(x), [X]),
    "ShapeOf-3": Case(lambda x: opset3.shape_of(x, "i32"), [X]),
    "Softmax-1": Case(lambda x: opset1.softmax(x, 2), [X]),
    "Softmax-8": Case(lambda x: opset8.softmax(x, -2), [X]),
    "Squeeze-0": Case(lambda x: opset1.squeeze(x, c([0, 2])), [numbers(1, 3, 1, 2)]),
    "Squeeze-15": Case(lambda x: opset15.squeeze(x, c([-2]), True), [numbers(1, 3, 1, 2)]),
    "Squeeze-15 all": Case(lambda x: opset15.squeeze(x), [numbers(1, 3, 1, 2)]),
    "Broadcast-1": Case(lambda x: opset1.broadcast(x, c([2, 5, 3, 4])), [numbers(3, 1)]),
    "Broadcast-1 explicit": Case(lambda x: opset1.broadcast(x, c([3, 5, 4]), c([0, 2]), "EXPLICIT"), [numbers(3, 4)]),
    "Broadcast-3 bidirectional": Case(lambda x: opset3.broadcast(x, c([3, 1]), broadcast_spec="BIDIRECTIONAL"), [X]),
    "Gather-1": Case(lambda x: opset1.gather(x, c([[2, 0]]), c(1)), [X]),
    "Gather-7": Case(lambda x: opset7.gather(x, c([[2, 0], [1, 1]]), c(1), 1), [X]),
    "Gather-8": Case(lambda x: opset8.gather(x, c([-1, 0]), c(-1)), [X]),
    "MaxPool-1": Case(lambda x: opset1.max_pool(x, [2, 1], [1, 1], [0, 1], [2, 3], "ceil"), [IMAGE]),
    "MaxPool-8": Case(
        lambda x: opset8.max_pool(x, [2, 1], [1, 2], [1, 1], [0, 1], [2, 3], "floor", None, "i64", 2).outputs(), [IMAGE]
    ),
    "MaxPool-14": Case(
        lambda x: opset14.max_pool(x, [2, 2], [1, 1], [1, 1], [0, 1], [2, 3], "ceil_torch").outputs(), [IMAGE]
    ),
    "AvgPool-1": Case(lambda x: opset1.avg_pool(x, [2, 2], [1, 1], [0, 1], [2, 3], True, "ceil"), [IMAGE]),
    "AvgPool-14": Case(lambda x: opset14.avg_pool(x, [2, 2], [1, 1], [1, 1], [2, 3], True, "ceil_torch"), [IMAGE]),
    "Range-0": Case(lambda x: opset1.range(x, c(9.5, F32), c(2, F32)), [np.asarray(1, F32)]),
    "Range-4": Case(lambda x: opset4.range(x, c(9.5, F32), c(2, F32), "i32"), [np.asarray(1, F32)]),
    "LSTMCell-0": Case(lambda x, h, s: opset1.lstm_cell(x, h, s, *_weights(), 4).outputs(), LSTM),
    "LSTMCell-4": Case(lambda x, h, s: opset4.lstm_cell(x, h, s, *_weights(), 4).outputs(), LSTM),
    "Identity-16": Case(lambda x: opset16.identity(x), [X]),
    "ReduceMean-1": Case(lambda x: opset1.reduce_mean(x, c([-1, 0]), True), [X]),
    "ReduceProd-1 integers": Case(lambda x: opset1.reduce_prod(x, c(1)), [X.astype(I32)]),
    "ReduceL2-4": Case(lambda x: opset4.reduce_l2(x, c([1, 2])), [X]),
    "Select-1 none": Case(lambda p, x, y: opset1.select(p, x, y, "none"), [X > 0, X, -X]),
    "Select-1 numpy": Case(lambda p, x, y: opset1.select(p, x, y), [X[:1] > 0, X[:, :1], -X]),
    "Select-1 pdpd": Case(lambda p, x, y: _pdpd("Select", 0, p, x, y), [X[:, :1, 0] > 0, X, X[:, :, 0]],
                           np.where(X[:, :1, :1] > 0, X, X[:, :, :1])),
    "ConvertLike-1": Case(lambda x: opset1.convert_like(x, c([1], I32)), [X]),
    **{
        f"Convert-0 to {t}": Case(lambda x, t=t: opset1.convert(x, t), [WIDE])
        for t in ("f8e4m3", "f8e5m2", "f16", "bf16", "f64", "i64", "i32")
    },
    "Convert-0 to f8e8m0": Case(lambda x: opset1.convert(x, "f8e8m0"), [np.abs(WIDE)]),
    "Convert-0": Case(lambda x: opset1.convert(x, "boolean"), [X]),
    "Add-1 pdpd, axis 0": Case(lambda x, y: _pdpd("Add", 0, x, y), [X, X[:, :, 0]]),
    "Add-1 pdpd, axis 1": Case(lambda x, y: _pdpd("Add", 1, x, y), [X, X[0, :, 0]]),
    "Add-1 pdpd, axis -1": Case(lambda x, y: _pdpd("Add", -1, x, y), [X, X[0]]),
    "Equal-1 pdpd": Case(lambda x, y: _pdpd("Equal", 1, x, y), [X, X[0, :, :1]], np.equal(X, X[0, :, :1])),
    "Minimum-1 none": Case(lambda x, y: opset1.minimum(x, y, "none"), [X, -X]),
    "StridedSlice-1": Case(
        lambda x: opset1.strided_slice(
            x, c([0, 2, 1, 0]), c([1, 0, 4, 0]), c([1, 1, 2, 1]), [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 0]
        ),
        [X],
    ),
    "Xor-0": Case(lambda x, y: NodeFactory("opset1").create("Xor", [x.output(0), y.output(0)], {}), [X > 0, X > 1]),
    "Split-1": Case(lambda x: opset1.split(x, c(-1), 2).outputs(), [X]),
    "VariadicSplit-1": Case(lambda x: opset1.variadic_split(x, c(2), c([1, -1])).outputs(), [X]),
    "Reshape-1": Case(lambda x: opset1.reshape(x, c([0, -1]), True), [X]),
    "TopK-1": Case(lambda x: opset1.topk(x, c(2), 1, "max", "value").outputs(), [X]),
    "TopK-3": Case(lambda x: opset3.topk(x, c(2), -1, "min", "index", "i64").outputs(), [X]),
    "TopK-11": Case(lambda x: opset11.topk(x, c(2), 1, "min", "value", "i32", True).outputs(), [np.round(X)]),
    "OneHot-1": Case(lambda x: opset1.one_hot(x, c(4), c(5, F32), c(-1, F32), 1), [np.array([[0, 3], [2, 1]])]),
    "OneHot-1 outside": Case(lambda x: opset1.one_hot(x, c(3), c(5, I32), c(1, I32), -1), [np.array([0, 7, -1])]),
    "OneHot-16": Case(
        lambda x: opset16.one_hot(x, c(3), c(5, I32), c(1, I32), -1, "normalize"), [np.array([0, 7, -1, -9])]
    ),
    "ScatterElementsUpdate-3": Case(
        lambda x: opset3.scatter_elements_update(x, c([[[0, 1, 1, 0]]]), c([[[7, 8, 9, 6]]], F32), c(1)), [X]
    ),
    "ScatterElementsUpdate-12": Case(
        lambda x: opset12.scatter_elements_update(x, c([[[0, 1, -1, 0]]]), c([[[7, 8, 9, 6]]], F32), c(-2), "mean", False), [X]
    ),
    "ScatterNDUpdate-3": Case(lambda x: opset4.scatter_nd_update(x, c([[1, 0], [0, 2]]), c(numbers(2, 4), F32)), [X]),
    "ScatterNDUpdate-15": Case(
        lambda x: opset15.scatter_nd_update(x, c([[1, 0], [1, 0]]), c(numbers(2, 4), F32), "sum"), [X]
    ),
    "GatherND-5": Case(lambda x: opset5.gather_nd(x, c([[[2]], [[0]]]), 1), [X]),
    "GatherND-5 of two": Case(lambda x: opset5.gather_nd(x, c([[[[2]], [[0]]]]), 2), [numbers(1, 2, 5, 3)]),
    "GatherND-8": Case(lambda x: opset8.gather_nd(x, c([[[[2]], [[0]]]]), 2), [numbers(1, 2, 5, 3)]),
    "Gelu-0": Case(lambda x: opset2.gelu(x), [X]),
    "Gelu-7": Case(lambda x: opset7.gelu(x, "TANH"), [X]),
    "MVN-0": Case(lambda x: opset2.mvn(x, False, True, 1e-3), [IMAGE]),
    "MVN-0 across channels": Case(lambda x: opset2.mvn(x, True, False, 1e-3), [IMAGE]),
    "MVN-6": Case(lambda x: opset6.mvn(x, c([2, -1]), True, 1e-3, "OUTSIDE_SQRT"), [IMAGE]),
    "BatchNormInference-0": Case(
        lambda x: opset1.batch_norm_inference(x, *(c(numbers(2, seed=k), F32) for k in (1, 2, 3)), c([0.5, 2], F32), 1e-3), [IMAGE]
    ),
    "BatchNormInference-5": Case(
        lambda x: opset5.batch_norm_inference(x, *(c(numbers(2, seed=k), F32) for k in (1, 2, 3)), c([0.5, 2], F32), 1e-3), [IMAGE]
    ),
    "AvgPool-16": Case(lambda x: opset16.avg_pool(x, [2, 2], [1, 1], [0, 1], [2, 3], True, "ceil", None, [2, 1]), [IMAGE]),
    "Interpolate-0": Case(
        lambda x: opset1.interpolate(x, c([9, 4]), {"axes": [2, 3], "mode": "linear", "align_corners": False}), [IMAGE]
    ),
    "Interpolate-0 nearest": Case(
        lambda x: opset1.interpolate(x, c([9, 4]), {"axes": [2, 3], "mode": "nearest", "align_corners": False}), [IMAGE]
    ),
    "Interpolate-4": Case(
        lambda x: NodeFactory("opset4").create(
            "Interpolate", [o.output(0) for o in (x, c([9, 10]), c([1.5, 1.5], F32), c([2, 3]))], CUBIC
        ),
        [IMAGE],
    ),
    "Interpolate-11": Case(
        lambda x: opset11.interpolate(x, c([3, 4]), "bilinear_pillow", "sizes", axes=c([2, 3])), [IMAGE]
    ),
    "ROIAlign-3": Case(lambda x: opset3.roi_align(x, *_regions(), 2, 2, 2, 0.5, "avg"), [IMAGE]),
    "ROIAlign-9": Case(lambda x: opset9.roi_align(x, *_regions(), 2, 2, 2, 0.5, "max", "half_pixel"), [np.abs(IMAGE)]),
    # OpenVINO's CPU plugin begins a maximum with 0, so that negative samples are lost.
    "ROIAlign-9 half_pixel": Case(lambda x: opset9.roi_align(x, *_regions(), 2, 2, 2, 0.5, "avg", "half_pixel"), [IMAGE]),
    **{
        f"NonMaxSuppression-{v}": Case(
            lambda x, s, v=v: NodeFactory(f"opset{v}").create(
                "NonMaxSuppression", [o.output(0) for o in (x, s, *_limits())],
                {"box_encoding": "corner", "sort_result_descending": False, **({"output_type": "i32"} if v > 1 else {})},
            ),
            BOXES,
        )
        for v in (1, 3, 4)
    },
    "DeformableConvolution-1": Case(
        lambda x: opset1.deformable_convolution(
            x, c(numbers(1, 8, 5, 6), F32), c(numbers(3, 2, 2, 2), F32), [1, 1], [0, 0], [0, 0], [1, 1]
        ),
        [IMAGE],
    ),
    "DeformableConvolution-8": Case(
        lambda x: opset8.deformable_convolution(
            x, c(numbers(1, 8, 5, 6), F32), c(numbers(3, 2, 2, 2), F32), [1, 1], [0, 0], [0, 0], [1, 1],
            c(np.abs(numbers(1, 4, 5, 6)), F32), "explicit", 1, 1, True,
        ),
        [IMAGE],
    ),
    "NonMaxSuppression-5": Case(lambda x, s: opset5.non_max_suppression(x, s, *_limits()).outputs(), BOXES),
    "NonMaxSuppression-9": Case(
        lambda x, s: opset9.non_max_suppression(x, s, *_limits(), box_encoding="center").outputs(), BOXES
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_version(name: str, worker: Worker, tmp_path: Path) -> None:
    case = CASES[name]
    parameters = [opset1.parameter(list(a.shape), a.dtype) for a in case.feed]
    made = case.build(*parameters)
    outputs = made.outputs() if isinstance(made, ov.Node) else list(made)
    model = ov.Model([opset1.result(o) for o in outputs], parameters, "model")
    ov.serialize(model, tmp_path / "model.xml", tmp_path / "model.bin")
    if case.expected is None:
        store(tmp_path / "feed.npz", {str(k): a for k, a in enumerate(case.feed)})
        answer = worker.ask(tmp_path)
        assert "run" not in answer, answer
        expected = list(stored(tmp_path / "results.npz").values())
    else:
        expected = [case.expected]
    loaded = loomir.load(tmp_path / "model.xml")
    results = loaded.run({i.name: a for i, a in zip(loaded.inputs, case.feed, strict=True)}, engine="graph")
    assert len(results) == len(expected)
    for actual, wanted in zip(results.values(), expected):
        assert_agree(actual, wanted, name)
