"""Networks that were trained channels last, as exporters write them to ONNX: a Transpose before each convolution and one behind it.

Each row has a network, how many Transposes `loomir convert` leaves of it, and why none of these can go.
`python -m tests.channels_last > docs/layout.md` makes the page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp

import loomir
from loomir.dialects.ov.operators.reshape import TransposeOp
from loomir.dialects.upstream.walking import walk

Shape = Sequence[int | str | None]


class Writer:
    """Nodes of a graph, in the manner of tf2onnx."""

    def __init__(self, seed: int = 0, prefix: str = "v") -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.initialisers: list[onnx.TensorProto] = []
        self.random = np.random.default_rng(seed)
        self.prefix = prefix

    def name(self) -> str:
        return f"{self.prefix}{len(self.nodes) + len(self.initialisers)}"

    def op(self, kind: str, *inputs: str, outputs: int = 1, **attributes: Any) -> str:
        """A node; its first result."""
        names = [self.name() + ("" if not k else f"_{k}") for k in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, **attributes))
        return names[0]

    def constant(self, array: np.ndarray | Sequence[int]) -> str:
        """An initialiser; integers are i64."""
        name = self.name()
        values = array if isinstance(array, np.ndarray) else np.array(array, np.int64)
        self.initialisers.append(numpy_helper.from_array(values, name))
        return name

    def weights(self, *shape: int) -> str:
        """Random floats."""
        return self.constant(np.asarray(self.random.standard_normal(shape) / 2, np.float32))

    def first(self, x: str, rank: int = 4) -> str:
        """Channels first of channels last."""
        return self.op("Transpose", x, perm=[0, rank - 1, *range(1, rank - 1)])

    def last(self, x: str, rank: int = 4) -> str:
        """Channels last of channels first."""
        return self.op("Transpose", x, perm=[0, *range(2, rank), 1])

    def convolution(
        self, x: str, inputs: int, outputs: int, kernel: int = 3, *, rank: int = 4, depthwise: bool = False
    ) -> str:
        """A convolution of what lies channels last, of the same extents, with a bias that is added channels last."""
        space = [kernel] * (rank - 2)
        filters = self.weights(outputs, 1 if depthwise else inputs, *space)
        group = inputs if depthwise else 1
        made = self.op("Conv", self.first(x, rank), filters, group=group, auto_pad="SAME_UPPER")
        return self.op("Add", self.last(made, rank), self.weights(outputs))

    def pool(self, x: str, kind: str = "MaxPool") -> str:
        """Windows of 2 x 2."""
        return self.last(self.op(kind, self.first(x), kernel_shape=[2, 2], strides=[2, 2]))

    def graph(self, inputs: Mapping[str, Shape], outputs: Mapping[str, Shape | None]) -> onnx.GraphProto:
        def told(name: str, shape: Shape | None) -> onnx.ValueInfoProto:
            return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

        ends = [told(name, shape) for name, shape in outputs.items()]
        starts = [told(name, shape) for name, shape in inputs.items()]
        return helper.make_graph(self.nodes, "g", starts, ends, self.initialisers)


def model(w: Writer, inputs: Mapping[str, Shape], output: str, shape: Shape, kind: int = TensorProto.FLOAT):
    """A model with one output."""
    graph = w.graph(inputs, {})
    graph.output.append(helper.make_tensor_value_info(output, kind, shape))
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(made, full_check=True)
    return made


IMAGE: Shape = (1, 8, 8, 3)


def convolutions() -> onnx.ModelProto:
    w, x = Writer(1), "x"
    for inputs, outputs in ((3, 4), (4, 6), (6, 5)):
        x = w.op("Relu", w.convolution(x, inputs, outputs))
    return model(w, {"x": IMAGE}, x, (1, 8, 8, 5))


def depthwise() -> onnx.ModelProto:
    w = Writer(2)
    limits = w.constant(np.array(0, np.float32)), w.constant(np.array(6, np.float32))
    x = w.op("Clip", w.convolution("x", 3, 8), *limits)
    for _ in range(2):
        x = w.op("Clip", w.convolution(x, 8, 8, depthwise=True), *limits)
        x = w.op("Clip", w.convolution(x, 8, 8, 1), *limits)
    return model(w, {"x": IMAGE}, x, (1, 8, 8, 8))


def flat() -> onnx.ModelProto:
    w = Writer(3)
    x = w.pool(w.op("Relu", w.convolution("x", 3, 4)))
    x = w.op("Relu", w.convolution(x, 4, 4))
    x = w.op("Reshape", x, w.constant([-1, 64]))
    x = w.op("Add", w.op("MatMul", x, w.weights(64, 10)), w.weights(10))
    return model(w, {"x": IMAGE}, w.op("Softmax", x, axis=1), (1, 10))


def averaged() -> onnx.ModelProto:
    w = Writer(4)
    x = w.op("Relu", w.convolution("x", 3, 8))
    x = w.op("ReduceMean", x, w.constant([1, 2]), keepdims=0)
    x = w.op("Add", w.op("MatMul", x, w.weights(8, 10)), w.weights(10))
    return model(w, {"x": IMAGE}, x, (1, 10))


def pooled_to_one() -> onnx.ModelProto:
    w = Writer(5)
    x = w.op("Relu", w.convolution("x", 3, 8))
    x = w.last(w.op("GlobalAveragePool", w.first(x)))
    x = w.op("Reshape", x, w.constant([-1, 8]))
    return model(w, {"x": IMAGE}, w.op("MatMul", x, w.weights(8, 10)), (1, 10))


def squeezed_and_excited() -> onnx.ModelProto:
    w = Writer(6)
    x = w.op("Relu", w.convolution("x", 3, 8))
    s = w.op("ReduceMean", x, w.constant([1, 2]), keepdims=1)
    s = w.op("Relu", w.convolution(s, 8, 4, 1))
    s = w.op("Sigmoid", w.convolution(s, 4, 8, 1))
    x = w.op("ReduceMax", w.op("Mul", x, s), w.constant([1, 2]), keepdims=0)
    return model(w, {"x": ("n", 8, 8, 3)}, x, ("n", 8))


def shape_path() -> onnx.ModelProto:
    w = Writer(7)
    x = w.op("Relu", w.convolution("x", 3, 4))
    shape = w.op("Shape", x)
    batch = w.op("Slice", shape, w.constant([0]), w.constant([1]), w.constant([0]))
    space = w.op("Slice", shape, w.constant([1]), w.constant([3]), w.constant([0]))
    sizes = w.op("Concat", batch, w.constant([4]), w.op("Mul", space, w.constant([2])), axis=0)
    y = w.op("Resize", w.first(x), "", "", sizes, mode="nearest", coordinate_transformation_mode="asymmetric")
    y = w.op("Relu", w.convolution(w.last(y), 4, 4))
    width = w.op("Gather", w.op("Shape", y), w.constant(np.array(2, np.int64)), axis=0)
    scaled = w.op("Mul", y, w.op("Cast", width, to=TensorProto.FLOAT))
    return model(w, {"x": (1, "h", "w", 3)}, scaled, (None, None, None, 4))


def residuals() -> onnx.ModelProto:
    w = Writer(8)
    x = w.op("Relu", w.convolution("x", 3, 4))
    for _ in range(2):
        y = w.op("Relu", w.convolution(x, 4, 4))
        x = w.op("Relu", w.op("Add", x, w.convolution(y, 4, 4)))
    return model(w, {"x": IMAGE}, x, (1, 8, 8, 4))


def joined() -> onnx.ModelProto:
    w = Writer(9)
    x = w.op("Pad", "x", w.constant([0, 1, 2, 0, 0, 1, 2, 0]), mode="reflect")
    a = w.op("Relu", w.convolution(x, 3, 4))
    b = w.convolution(a, 4, 4)
    c = w.op("Concat", a, b, axis=3)
    part = w.op("Slice", c, w.constant([2]), w.constant([6]), w.constant([3]))
    left = w.op("Split", c, outputs=2, axis=-1, num_outputs=2)
    y = w.op("Sub", w.op("Mul", left, part), f"{left}_1")
    y = w.op("Softmax", w.convolution(y, 4, 5), axis=3)
    return model(w, {"x": IMAGE}, y, (1, 10, 12, 5))


def shuffled() -> onnx.ModelProto:
    w = Writer(19)
    x = w.op("Relu", w.convolution("x", 3, 6))
    parts = w.op("Reshape", x, w.constant([1, 8, 8, 2, 3]))
    x = w.op("Reshape", w.op("Transpose", parts, perm=[0, 1, 2, 4, 3]), w.constant([1, 8, 8, 6]))
    return model(w, {"x": IMAGE}, w.convolution(x, 6, 4), (1, 8, 8, 4))


def normalised() -> onnx.ModelProto:
    w, space = Writer(10), [1, 2]
    x = w.convolution("x", 3, 4)
    mean = w.op("ReduceMean", x, w.constant(space), keepdims=1)
    d = w.op("Sub", x, mean)
    variance = w.op("ReduceMean", w.op("Mul", d, d), w.constant(space), keepdims=1)
    y = w.op("Div", d, w.op("Sqrt", w.op("Add", variance, w.constant(np.array(1e-3, np.float32)))))
    y = w.op("Add", w.op("Mul", y, w.weights(4)), w.weights(4))
    y = w.op("PRelu", w.convolution(y, 4, 4), w.weights(1, 1, 4))
    return model(w, {"x": IMAGE}, w.op("ArgMax", y, axis=3, keepdims=0), (1, 8, 8), TensorProto.INT64)


def looped() -> onnx.ModelProto:
    w, body = Writer(11), Writer(12, "b")
    start = w.op("Relu", w.convolution("x", 3, 4))
    step = body.op("Relu", body.op("Add", body.convolution("h", 4, 4), start))
    inner = helper.make_graph(
        [helper.make_node("Identity", ["c"], ["c_out"]), *body.nodes],
        "body",
        [
            helper.make_tensor_value_info("i", TensorProto.INT64, []),
            helper.make_tensor_value_info("c", TensorProto.BOOL, []),
            helper.make_tensor_value_info("h", TensorProto.FLOAT, (1, 8, 8, 4)),
        ],
        [
            helper.make_tensor_value_info("c_out", TensorProto.BOOL, []),
            helper.make_tensor_value_info(step, TensorProto.FLOAT, (1, 8, 8, 4)),
        ],
        body.initialisers,
    )
    y = w.op("Loop", w.constant(np.array(3, np.int64)), "", start, body=inner)
    return model(w, {"x": IMAGE}, w.convolution(y, 4, 4), (1, 8, 8, 4))


def frames() -> onnx.ModelProto:
    w, body = Writer(13), Writer(14, "b")
    step = body.op("Relu", body.op("Add", body.convolution("frame", 3, 4), "h"))
    copy = body.op("Identity", step)
    inner = body.graph({"h": (1, 6, 6, 4), "frame": (1, 6, 6, 3)}, {step: (1, 6, 6, 4), copy: (1, 6, 6, 4)})
    start = w.constant(np.zeros((1, 6, 6, 4), np.float32))
    w.op("Scan", start, "x", outputs=2, body=inner, num_scan_inputs=1)
    return model(w, {"x": (5, 1, 6, 6, 3)}, w.nodes[-1].output[1], (5, 1, 6, 6, 4))


def branched() -> onnx.ModelProto:
    w, then, otherwise = Writer(15), Writer(16, "t"), Writer(17, "e")
    x = w.op("Relu", w.convolution("x", 3, 4))
    a = then.op("Relu", then.convolution(x, 4, 4))
    b = otherwise.op("Add", otherwise.op("Mul", x, otherwise.weights(4)), x)
    total = w.op("ReduceSum", "x", keepdims=0)
    condition = w.op("Greater", total, w.constant(np.array(0, np.float32)))
    arms = [each.graph({}, {end: (1, 8, 8, 4)}) for each, end in ((then, a), (otherwise, b))]
    y = w.op("If", condition, then_branch=arms[0], else_branch=arms[1])
    return model(w, {"x": IMAGE}, w.convolution(y, 4, 3), (1, 8, 8, 3))


def volumes() -> onnx.ModelProto:
    w = Writer(18)
    x = w.op("Relu", w.convolution("x", 2, 4, rank=5))
    y = w.op("Relu", w.convolution(x, 4, 4, rank=5))
    y = w.op("Concat", x, y, axis=4)
    y = w.op("ReduceMean", w.convolution(y, 8, 3, 1, rank=5), w.constant([2]), keepdims=1)
    return model(w, {"x": (1, 4, 5, 6, 2)}, y, (1, 4, 1, 6, 3))


@dataclass(frozen=True)
class Network:
    """A network, the Transposes in it before and after `ov-layout`, and why as many have to stay."""

    build: Callable[[], onnx.ModelProto]
    about: str
    before: int
    after: int
    why: str

    @property
    def name(self) -> str:
        return self.build.__name__


IN_AND_OUT = "2: at the input, which is channels-last while the first convolution is channels-first; at the output, likewise"

NETWORKS = (
    Network(convolutions, "three convolutions, biases, Relu", 6, 2, IN_AND_OUT),
    Network(depthwise, "depthwise and pointwise convolutions, Clip", 10, 2, IN_AND_OUT),
    Network(
        flat,
        "pooling, Reshape to rows, MatMul",
        6,
        2,
        "2: at the input; before Reshape, whose rows hold consecutive pixels: without it MatMul would add in another order",
    ),
    Network(
        averaged,
        "mean of each channel, MatMul",
        2,
        1,
        "1: at the input; the mean removes the spatial axes, and the rest has only one order",
    ),
    Network(
        pooled_to_one,
        "GlobalAveragePool, Reshape, MatMul",
        4,
        1,
        "1: at the input; after the pooling the spatial extents are 1, and Reshape reads the same elements",
    ),
    Network(
        squeezed_and_excited,
        "squeeze and excitation, any batch",
        6,
        1,
        "1: at the input; the final maximum removes the spatial axes",
    ),
    Network(shape_path, "sizes computed from Shape, Resize, any height and width", 6, 2, IN_AND_OUT),
    Network(residuals, "residuals", 10, 2, IN_AND_OUT),
    Network(joined, "Pad, Concat, Slice, Split, Softmax", 6, 2, IN_AND_OUT),
    Network(
        normalised,
        "expanded instance normalisation, PRelu, ArgMax",
        4,
        1,
        "1: at the input; ArgMax removes the channels, and the rest is in order",
    ),
    Network(
        shuffled,
        "channels split by Reshape, shuffled, rejoined",
        5,
        3,
        "3: at the input; at the output; the shuffle itself",
    ),
    Network(looped, "loop that carries the result of a convolution", 6, 2, IN_AND_OUT + "; none in the loop"),
    Network(
        frames,
        "loop over video frames with a convolution of each; the result is a scan output",
        2,
        2,
        "2: the video and the concatenated frames are channels-last; both Transposes are outside the loop",
    ),
    Network(branched, "branch: a convolution or arithmetic", 6, 2, IN_AND_OUT),
    Network(volumes, "5-D: convolutions, Concat, mean over an axis", 6, 2, IN_AND_OUT),
)


FIXTURES = Path(__file__).parent / "fixtures"
TRAINED = (
    (
        "kws_ref_model.xml",
        2,
        0,
        "the input has one channel, and the pooling leaves one pixel: only extents of 1 move",
    ),
    ("pretrainedResnet.xml", 2, 1, "at the input; the pooling leaves one pixel"),
    ("vww_96_float.xml", 2, 1, "at the input; the pooling leaves one pixel"),
)
"""Trained networks, as OpenVINO wrote them: Transposes before and after, and why no fewer."""


def transposes(module: ModuleOp) -> int:
    """How many there are."""
    return sum(isinstance(op, TransposeOp) for op in walk(module))


def feed(network: Network, extent: int = 8) -> dict[str, np.ndarray]:
    """Random values of the network's inputs; extents that are open are 2 for a batch, else `extent`."""
    random, made = np.random.default_rng(7), dict[str, np.ndarray]()
    for each in network.build().graph.input:
        open_ = {"n": 2}
        dims = each.type.tensor_type.shape.dim
        shape = [d.dim_value or open_.get(d.dim_param, extent) for d in dims]
        made[each.name] = random.standard_normal(shape).astype(np.float32)
    return made


def page() -> str:
    """The text of docs/layout.md."""
    lines = [
        "# Layout",
        "",
        "[`ov-layout`](passes.md#ov-layout) converts tensors from channels-last to channels-first order, or vice versa, to remove",
        "Transposes. `loomir convert` runs it in the phase `layout`; `--disable Layout` disables it. A model without operations that",
        "need an order stays unchanged. The following networks have the form that exporters of TensorFlow and Keras write: a",
        "Transpose before and after each convolution or pooling. `tests/unit/tools/model_optimizer/passes/graph/test_ov_layout.py` runs",
        "each network; the results stay bit-identical and agree with ONNX Runtime's. The table lists the numbers of Transposes before and",
        "after the pass:",
        "",
        "| network | before | after | remaining Transposes |",
        "|---|---|---|---|",
    ]
    for each in NETWORKS:
        module = loomir.convert(each.build(), disable=["Layout"]).module
        after = loomir.convert(each.build()).module
        why = each.why.partition(": ")[2]
        lines.append(f"| {each.about} | {transposes(module)} | {transposes(after)} | {why} |")
    lines += ["", "Networks trained in channels-last order:", "", *lines[-len(NETWORKS) - 2 : -len(NETWORKS)]]
    for name, before, after, why in TRAINED:
        lines.append(f"| `{name}` | {before} | {after} | {why} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(page(), end="")
