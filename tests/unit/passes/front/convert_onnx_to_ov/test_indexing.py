"""Indexed access, layout and generators against ONNX Runtime: all cases of an operator are one model, run in graph and
native."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import loomir
from loomir.tools.fuzz.onnx_oracle import onnxruntime_session
from tests.support import assert_agree, raises_error

OPSET = 22
TYPES = (np.float32, np.int32, np.int64, np.uint8, np.bool_, np.float64, np.float16, np.int8)


class Builder:
    """A model that grows node by node, with what to feed it."""

    def __init__(self, opset: int = OPSET) -> None:
        self.opset = opset
        self.nodes: list[onnx.NodeProto] = []
        self.inputs: list[onnx.ValueInfoProto] = []
        self.outputs: list[onnx.ValueInfoProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.feed: dict[str, np.ndarray] = {}

    def data(self, array: np.ndarray) -> str:
        """A model input."""
        name = f"x{len(self.inputs)}"
        type_ = helper.np_dtype_to_tensor_dtype(array.dtype)
        self.inputs.append(helper.make_tensor_value_info(name, type_, array.shape))
        self.feed[name] = array
        return name

    def constant(self, array: np.ndarray) -> str:
        """An initialiser."""
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, operator: str, *inputs: str, dtype: np.dtype, **attributes) -> None:
        """A node whose result is an output."""
        name = f"y{len(self.outputs)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        type_ = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        self.outputs.append(helper.make_tensor_value_info(name, type_, None))

    def model(self) -> onnx.ModelProto:
        graph = helper.make_graph(self.nodes, "g", self.inputs, self.outputs, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)])
        model.ir_version = 10
        return model


def shape(rng: np.random.Generator, rank: int, low: int = 1) -> list[int]:
    return [int(n) for n in rng.integers(low, 5, rank)]


def values(rng: np.random.Generator, extents: list[int], dtype: type) -> np.ndarray:
    if dtype is np.bool_:
        return rng.integers(0, 2, extents).astype(np.bool_)
    # Whole numbers: sums and products are the same in any order and precision.
    return rng.integers(0 if np.dtype(dtype).kind == "u" else -4, 5, extents).astype(dtype)


def gather_elements(b: Builder, rng: np.random.Generator, dtype: type) -> None:
    data = values(rng, shape(rng, int(rng.integers(1, 4))), dtype)
    axis = int(rng.integers(data.ndim))
    own = [
        int(rng.integers(0 if i == axis else 1, n + (3 if i == axis else 1)))
        for i, n in enumerate(data.shape)
    ]
    indices = rng.integers(-data.shape[axis], data.shape[axis], own)
    x, i = b.data(data), b.data(indices)
    b.node("GatherElements", x, i, dtype=data.dtype, axis=axis - data.ndim * int(rng.integers(2)))


def gather_nd(b: Builder, rng: np.random.Generator, dtype: type) -> None:
    data = values(rng, shape(rng, int(rng.integers(1, 5))), dtype)
    batches = int(rng.integers(data.ndim))
    depth = int(rng.integers(1, data.ndim - batches + 1))
    own = [*data.shape[:batches], *shape(rng, int(rng.integers(0, 3)), 0)]
    limits = np.array(data.shape[batches : batches + depth])
    indices = rng.integers(-limits, limits, (*own, depth))
    b.node("GatherND", b.data(data), b.data(indices), dtype=data.dtype, batch_dims=batches)


def scatter_elements(b: Builder, rng: np.random.Generator, dtype: type) -> None:
    data = values(rng, shape(rng, int(rng.integers(1, 4))), dtype)
    axis = int(rng.integers(data.ndim))
    own = [int(rng.integers(1, n + (4 if i == axis else 1))) for i, n in enumerate(data.shape)]
    extent = data.shape[axis]
    reduction = str(rng.choice(["none", "add", "mul", "max", "min"]))
    if reduction == "none" or dtype in (np.bool_, np.float16):
        # Without duplicates, which ONNX leaves open.
        reduction, own[axis] = "none", min(own[axis], extent)
        order = np.argsort(rng.random([*own[:axis], extent, *own[axis + 1 :]]), axis)
        indices = np.take(order, range(own[axis]), axis) - extent * rng.integers(0, 2, own)
    else:
        indices = rng.integers(-extent, extent, own)
    operands = b.data(data), b.data(indices), b.data(values(rng, own, dtype))
    axis -= data.ndim * int(rng.integers(2))
    b.node("ScatterElements", *operands, dtype=data.dtype, axis=axis, reduction=reduction)


def scatter_nd(b: Builder, rng: np.random.Generator, dtype: type) -> None:
    data = values(rng, shape(rng, int(rng.integers(1, 4))), dtype)
    depth = int(rng.integers(1, data.ndim + 1))
    reduction = str(rng.choice(["add", "mul", "max", "min"]))
    limits = np.array(data.shape[:depth])
    own = shape(rng, int(rng.integers(0, 3)))
    if dtype in (np.bool_, np.float16) or rng.integers(3) == 0:
        reduction, own = "none", []
    indices = rng.integers(-limits, limits, (*own, depth))
    updates = values(rng, [*own, *data.shape[depth:]], dtype)
    operands = b.data(data), b.data(indices), b.data(updates)
    b.node("ScatterND", *operands, dtype=data.dtype, reduction=reduction)


def one_hot(b: Builder, rng: np.random.Generator, dtype: type) -> None:
    i, f = np.int64, np.float32
    # What ONNX Runtime has.
    kinds = [(i, i, i), (i, i, f), (i, f, np.int32), (f, i, i), (f, f, f), (np.int32, f, f)]
    kind, of_depth, of_values = kinds[rng.integers(len(kinds))]
    indices = rng.integers(-5, 6, shape(rng, int(rng.integers(1, 3)))).astype(kind)
    depth = np.array([3] if rng.integers(2) else 3, of_depth)
    pair = values(rng, [2], of_values)
    axis = int(rng.integers(-indices.ndim - 1, indices.ndim + 1))
    b.node("OneHot", b.data(indices), b.constant(depth), b.data(pair), dtype=pair.dtype, axis=axis)


def cum_sum(b: Builder, rng: np.random.Generator, dtype: type) -> None:
    kind = dtype if dtype in (np.float32, np.float64, np.int32, np.int64) else np.float32
    data = values(rng, shape(rng, int(rng.integers(1, 4))), kind)
    axis = b.constant(np.array(int(rng.integers(-data.ndim, data.ndim)), np.int32))
    flags = {name: int(rng.integers(2)) for name in ("exclusive", "reverse")}
    b.node("CumSum", b.data(data), axis, dtype=data.dtype, **flags)


def eye_like(b: Builder, rng: np.random.Generator, dtype: type) -> None:
    data = values(rng, shape(rng, 2), np.float32)
    b.node("EyeLike", b.data(data), dtype=np.dtype(np.float32), k=int(rng.integers(-4, 5)))


def trilu(b: Builder, rng: np.random.Generator, dtype: type) -> None:
    kind = dtype if dtype in (np.float32, np.int64, np.bool_, np.float64) else np.float32
    data = values(rng, shape(rng, int(rng.integers(2, 4))), kind)
    operands = [b.data(data)]
    if rng.integers(2):
        operands.append(b.data(np.array(int(rng.integers(-5, 6)))))
    b.node("Trilu", *operands, dtype=data.dtype, upper=int(rng.integers(2)))


def reverse_sequence(b: Builder, rng: np.random.Generator, dtype: type) -> None:
    data = values(rng, shape(rng, int(rng.integers(2, 4))), dtype)
    batch = int(rng.integers(2))
    lengths = rng.integers(1, data.shape[1 - batch] + 1, data.shape[batch])
    axes = {"batch_axis": batch, "time_axis": 1 - batch}
    b.node("ReverseSequence", b.data(data), b.data(lengths), dtype=data.dtype, **axes)


def compress(b: Builder, rng: np.random.Generator, dtype: type) -> None:
    data = values(rng, shape(rng, int(rng.integers(1, 4))), dtype)
    axis = {"axis": int(rng.integers(-data.ndim, data.ndim))} if rng.integers(2) else {}
    extent = data.shape[axis["axis"]] if axis else data.size
    condition = rng.integers(0, 2, int(rng.integers(1, extent + 1))).astype(np.bool_)
    given = b.data if rng.integers(2) else b.constant
    b.node("Compress", b.data(data), given(condition), dtype=data.dtype, **axis)


EQUATIONS = (
    "ij,jk->ik", "ij->ji", "ii->i", "iij->j", "ij,ij->", "i,j->ij", "bij,bjk->bik", "bij,bkj->bki", "...ij,...jk->...ik",
    "ij", "ba", "ij,jk", "ij,jk,kl->il", "abc,cd,de->abe", "...a,ab->...b", "bhid,bhjd->bhij", "bthd,bshd->bhts", "ij->",
    "a,a,a->a", "ijk,ikj->i", "xab,xcd->xbdca", "ij , j -> i", "aBc,Bd->acd", "i...->...", ",ij->ij",
)  # fmt: skip


def einsum(b: Builder, rng: np.random.Generator, equation: str) -> None:
    extents = dict(zip("abcdehijklstxB", [int(n) for n in rng.integers(1, 5, 14)]))
    dots = shape(rng, 2)
    operands: list[str] = []
    for subscript in equation.replace(" ", "").split("->")[0].split(","):
        own: list[int] = []
        for part in subscript.replace("...", ".")[:]:
            own += dots if part == "." else [extents[part]]
        operands.append(b.data(values(rng, own, np.float32)))
    b.node("Einsum", *operands, dtype=np.dtype(np.float32), equation=equation)


CASES: dict[str, Callable[[Builder, np.random.Generator, type], None]] = {
    f.__name__: f
    for f in (
        gather_elements, gather_nd, scatter_elements, scatter_nd, one_hot, cum_sum, eye_like, trilu, reverse_sequence, compress,
    )
}  # fmt: skip


def check(b: Builder, what: str) -> None:
    """ONNX Runtime, graph and native agree."""
    model = b.model()
    session = onnxruntime_session(model)
    expected = session.run(None, b.feed)
    ours = loomir.load(model)
    for engine in ("graph", "native"):
        results = ours.run(b.feed, engine=engine)
        for node, output, value in zip(b.nodes, b.outputs, expected):
            given = [f"{b.feed[n].dtype}{b.feed[n].shape}" for n in node.input if n in b.feed]
            assert_agree(
                results[output.name],
                np.asarray(value),
                f"{what} {engine} {given} {helper.printable_node(node)}",
            )


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_onnx_runtime(name: str) -> None:
    rng = np.random.default_rng(sum(name.encode()))
    b = Builder()
    for dtype in TYPES:
        for _ in range(3):
            CASES[name](b, rng, dtype)
    check(b, name)


def test_einsum_agrees_with_onnx_runtime() -> None:
    rng = np.random.default_rng(9)
    b = Builder()
    for equation in EQUATIONS:
        einsum(b, rng, equation)
    check(b, "einsum")


def one(operator: str, *arrays: np.ndarray, opset: int = OPSET, **attributes) -> np.ndarray:
    """The result of one node, in graph; native must agree."""
    b = Builder(opset)
    b.node(operator, *(b.data(a) for a in arrays), dtype=arrays[0].dtype, **attributes)
    ours = loomir.load(b.model())
    result = ours.run(b.feed, engine="graph")["y0"]
    assert_agree(ours.run(b.feed, engine="native")["y0"], result)
    return result


def test_old_versions() -> None:
    data, indices = np.zeros((2, 3), np.float32), np.array([[1, 0, 2]])
    updates = np.array([[1, 2, 3]], np.float32)
    assert_agree(
        one("Scatter", data, indices, updates, opset=9, axis=1), np.array([[2, 1, 3], [0, 0, 0]], np.float32)
    )
    b = Builder(9)
    pair = b.data(np.array([0, 1], np.float32))
    b.node("OneHot", b.data(np.array([-1, 1])), b.constant(np.array(3)), pair, dtype=np.dtype(np.float32))
    ours = loomir.load(b.model()).run(b.feed, engine="graph")["y0"]
    assert_agree(ours, np.array([[0, 0, 0], [0, 1, 0]], np.float32), "OneHot-9 ignores negative indices")


def test_last_update_counts() -> None:
    data, indices = np.zeros(3, np.float32), np.array([1, 1, -2])
    assert_agree(
        one("ScatterElements", data, indices, np.array([5, 6, 7], np.float32)),
        np.array([0, 7, 0], np.float32),
    )
    updates = np.array([5, 6, 7], np.float32)
    assert_agree(one("ScatterND", data, indices[:, None], updates), np.array([0, 7, 0], np.float32))


@pytest.mark.parametrize("index", [3, -4])
@pytest.mark.parametrize("engine", ["graph", "native"])
def test_indices_out_of_range_are_errors(index: int, engine) -> None:
    data, at, row = np.zeros((3, 2), np.float32), np.array([[index, 0]]), np.zeros((1, 2), np.float32)
    for operator, operands in {
        "GatherElements": (data, at),
        "GatherND": (data, np.array([[index]])),
        "ScatterElements": (data, at, row),
        "ScatterND": (data, np.array([[index]]), row),
    }.items():
        b = Builder()
        b.node(operator, *(b.data(a) for a in operands), dtype=data.dtype)
        with raises_error("runtime-index"):
            loomir.load(b.model()).run(b.feed, engine=engine)


def test_sequences_of_wrong_length() -> None:
    for length in (-1, 5):
        b = Builder()
        operands = b.data(np.zeros((4, 2), np.float32)), b.data(np.array([1, length]))
        b.node("ReverseSequence", *operands, dtype=np.dtype(np.float32))
        for engine in ("graph", "native"):
            with raises_error("runtime-index"):
                loomir.load(b.model()).run(b.feed, engine=engine)


def test_refused_attributes() -> None:
    data, at = np.zeros((3, 2), np.float32), np.zeros((1, 2), np.int64)
    with raises_error("attribute-value", "reduction must be one of none, add, mul, max, min, not 'sub'"):
        one("ScatterElements", data, at, data[:1], reduction="sub")
    with raises_error("attribute-value", "mode must be one of linear, circular"):
        one("TensorScatter", data[None], data[None, :1], opset=24, mode="square")
    with raises_error("axis-range", "cannot be the batch dimension"):
        one("TensorScatter", data[None], data[None, :1], opset=24, axis=0)
    with raises_error("operand-rank", "EyeLike has a matrix"):
        one("EyeLike", data[0])
    with raises_error("operand-rank", "Trilu needs at least two"):
        one("Trilu", data[0])
    with raises_error("unknown-rank"):
        b = Builder()
        b.node("Trilu", b.data(data), dtype=data.dtype)
        model = b.model()
        model.graph.input[0].type.tensor_type.ClearField("shape")
        loomir.load(model)


def test_dynamic_extents() -> None:
    """Everything open but bounded, native too."""
    rng = np.random.default_rng(5)
    b = Builder()
    data, row = values(rng, [3, 4], np.float32), np.array([[2, -1, 0, 1]])
    x, i = b.data(data), b.data(row)
    u = b.data(values(rng, [1, 4], np.float32))
    b.node("ScatterElements", x, i, u, dtype=data.dtype, reduction="add")
    b.node("GatherElements", x, i, dtype=data.dtype)
    b.node(
        "ScatterND",
        x,
        b.data(np.array([[-1], [0], [0]])),
        b.data(values(rng, [3, 4], np.float32)),
        dtype=data.dtype,
    )
    b.node("CumSum", x, b.constant(np.array(1)), dtype=data.dtype, reverse=1)
    b.node("Trilu", x, dtype=data.dtype)
    b.node("ReverseSequence", x, b.data(np.array([1, 3, 2, 0])), dtype=data.dtype)
    b.node("Einsum", x, u, dtype=data.dtype, equation="ab,cb->ca")
    b.node("Compress", x, b.data(np.array([True, False, True])), dtype=data.dtype, axis=0)
    b.node("EyeLike", x, dtype=data.dtype, k=1)
    model = b.model()
    for value in model.graph.input:
        for k, d in enumerate(value.type.tensor_type.shape.dim[: len(b.feed[value.name].shape)]):
            d.dim_param = f"{value.name}_{k}"
    session = onnxruntime_session(model)
    expected = session.run(None, b.feed)
    bounds = {name: [n + 2 for n in a.shape] for name, a in b.feed.items()}
    ours = loomir.load(model, max_shapes=bounds)
    for engine in ("graph", "loops", "native"):
        results = ours.run(b.feed, engine=engine)
        for node, output, value in zip(b.nodes, b.outputs, expected):
            assert_agree(results[output.name], np.asarray(value), f"{engine} {helper.printable_node(node)}")
