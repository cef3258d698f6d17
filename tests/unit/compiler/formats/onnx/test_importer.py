"""`load_onnx`: signature, shapes, fixed values, defaults, functions, locations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType, UnrankedTensorType
from xdsl.dialects.func import FuncOp

import loomir
from loomir.compiler.formats.onnx.importer import load_onnx
from loomir.compiler.option_names import ENGINES
from loomir.dialects.attributes import constant_array
from loomir.dialects.diagnostics import layer_name
from loomir.tools.fuzz.onnx_oracle import run_onnxruntime
from tests.support import assert_all_agree, raises_error

HEAD = '<ir_version: 10, opset_import: ["" : 21]> '


def model(graph: str, head: str = HEAD) -> onnx.ModelProto:
    return onnx.parser.parse_model(head + graph)


def main_of(module: ModuleOp) -> FuncOp:
    module.verify()
    (function,) = module.ops
    assert isinstance(function, FuncOp)
    return function


def shapes_of(module: ModuleOp) -> list[tuple[int, ...] | None]:
    types = main_of(module).function_type.inputs.data
    return [
        None if isinstance(t, UnrankedTensorType) else tuple(max(e, -1) for e in t.get_shape())
        for t in types
        if isinstance(t, TensorType | UnrankedTensorType)
    ]


BATCH = "g (float[batch, 3] a, float[batch, time] b, float[] c, float d) => (float[batch, 3] y) { y = Add (a, c) }"


def test_signature() -> None:
    proto = model("net (float[n, 3] x, bool[2] flag) => (float[n, 3] out) { out = Neg (x) }")
    proto.graph.input[0].name = proto.graph.node[0].input[0] = "a name/with:signs.1"
    module = load_onnx(proto)
    function = main_of(module)
    assert module.attributes["loomir.name"] == StringAttr("net")
    assert module.attributes["loomir.source"] == StringAttr("onnx")
    assert function.arg_attrs is not None
    assert function.res_attrs is not None
    assert [e.data["loomir.name"] for e in function.arg_attrs] == [
        StringAttr("a name/with:signs.1"),
        StringAttr("flag"),
    ]
    assert [e.data["loomir.name"] for e in function.res_attrs] == [StringAttr("out")]
    assert shapes_of(module) == [(-1, 3), (2,)]


def test_name_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "keyword_spotter.onnxtxt"
    path.write_text(HEAD + "g (float[2] x) => (float[2] y) { y = Neg (x) }")
    assert load_onnx(path).attributes["loomir.name"] == StringAttr("keyword_spotter")


def test_shapes_fix_symbols_everywhere() -> None:
    assert shapes_of(load_onnx(model(BATCH))) == [(-1, 3), (-1, -1), None, ()]
    assert shapes_of(load_onnx(model(BATCH), shapes={"a": [4, 3]})) == [(4, 3), (4, -1), None, ()]
    assert shapes_of(load_onnx(model(BATCH), shapes={"a": [4, 3], "c": [3]}))[2] == (3,)


def test_values_fix_symbols_too() -> None:
    module = load_onnx(model(BATCH), values={"a": np.ones((4, 3), np.float32)})
    assert shapes_of(module) == [(4, 3), (4, -1), None, ()]


def test_one_symbol_with_two_extents_says_nothing() -> None:
    """Given shapes hold, as they do in a feed."""
    shapes = {"a": [4, 3], "b": [5, 1]}
    assert shapes_of(load_onnx(model(BATCH), shapes=shapes)) == [(4, 3), (5, 1), None, ()]
    third = BATCH.replace("float d)", "float[batch, time] d)")
    assert shapes_of(load_onnx(model(third), shapes=shapes))[3] == (-1, 1)
    feed = {"a": np.ones((4, 3)), "b": np.ones((5, 1)), "c": np.ones(3), "d": 1}
    feed = {name: np.array(value, np.float32) for name, value in feed.items()}
    for program in (loomir.load(model(BATCH)), loomir.load(model(BATCH), shapes=shapes)):
        for engine in ENGINES:
            np.testing.assert_array_equal(program.run(feed, engine=engine)["y"], feed["a"] + 1)


# As PaddleOCR's published classifier of text directions declares its input: four dimensions, three of one name.
CLASSIFIER = """g (float[n, 3, n, n] x, float[n] other) => (float[m, 2] y, float[k] z)
  <float[4, 3, 3, 3] w1 = {W1}, float[2, 4] w2 = {W2}> {
  c = Conv <pads = [1, 1, 1, 1], strides = [2, 1]> (x, w1)
  h = HardSwish (c)
  p = GlobalAveragePool (h)
  s = Shape (p)
  first = Constant <value_ints = [0]> ()
  n = Gather <axis = 0> (s, first)
  rest = Constant <value_ints = [-1]> ()
  to = Concat <axis = 0> (n, rest)
  f = Reshape (p, to)
  l = Gemm <transB = 1> (f, w2)
  y = Softmax <axis = 1> (l)
  z = Abs (other)
}"""


def classifier(names: tuple[str, str, str], other: str) -> onnx.ModelProto:
    weights = {f"W{i}": np.linspace(-1, 1, count) for i, count in ((1, 108), (2, 8))}
    text = CLASSIFIER
    for key, numbers in weights.items():
        text = text.replace(key, ", ".join(f"{v:.4f}" for v in numbers))
    proto = model(text)
    x, second = (value.type.tensor_type.shape.dim for value in proto.graph.input)
    for dimension, name in zip((x[0], x[2], x[3], second[0]), (*names, other)):
        dimension.ClearField("dim_param")
        if name:
            dimension.dim_param = name
    return proto


@pytest.mark.parametrize(
    "name", ["?", "*", "-1", "", "None", "none", "NONE", "dynamic", "<unknown>", "unk", "1", "..."]
)
def test_placeholders_of_extents(name: str) -> None:
    """They are no names: what one extent is says nothing of another that is not given."""
    proto = classifier((name, name, name), name)
    x = np.random.default_rng(1).standard_normal((2, 3, 8, 20)).astype(np.float32)
    feed = {"x": x, "other": np.array([-1, 2, 3], np.float32)}
    (expected,) = run_onnxruntime(proto, [feed])
    for shape in ([2, 3, 8, 20], [1, 3, 1, 1]):
        loaded = loomir.load(proto, shapes={"x": shape})
        assert [i.shape for i in loaded.inputs] == [tuple(shape), (None,)]
    for options in ({}, {"shapes": {"x": [2, 3, 8, 20]}}, {"values": {"other": feed["other"]}}):
        program = loomir.load(proto, **options)
        for engine in ("graph", "native"):
            assert_all_agree(program.run(feed, engine=engine), expected, f"{options} {engine}")


@pytest.mark.parametrize(
    "names",
    [
        ("unk__12", "unk__13", "unk__14"),
        ("DynamicDimension.0", "DynamicDimension.1", "DynamicDimension.2"),
        ("batch", "2*s0 + 1", "s0"),
        ("Größe", "高", "宽"),
    ],
)
def test_names_of_extents(names: tuple[str, str, str]) -> None:
    """Numbered ones and expressions mean the same extent wherever they occur."""
    for index, extent in ((0, 2), (1, 8), (2, 20)):
        loaded = loomir.load(classifier(names, names[index]), shapes={"x": [2, 3, 8, 20]})
        assert loaded.inputs[1].shape == (extent,)
        loaded = loomir.load(classifier(names, names[index]), values={"other": np.ones(extent, np.float32)})
        first, *others = (extent if i == index else None for i in range(3))
        assert loaded.inputs[0].shape == (first, 3, *others)


AXES = """g (float[a, b] x, int64[1] axes, int64[n] shape) => (float[c] y) {
  s = ReduceSum <keepdims = 0> (x, axes) y = Reshape (s, shape)
}"""


def test_load_hands_shapes_and_values_to_the_import() -> None:
    """Symbols are bound and contents known while the nodes are translated, not only afterwards."""
    loaded = loomir.load(model(AXES), shapes={"x": [2, 3]}, values={"axes": [-1], "shape": [2, 1]})
    assert [o.shape for o in loaded.outputs] == [(2, 1)]
    x = np.ones((2, 3), np.float32)
    np.testing.assert_array_equal(loaded.run({"x": x}, engine="native")["y"], np.full((2, 1), 3, np.float32))
    loaded = loomir.load(model(BATCH), shapes={"a": [4, 3]})
    assert [i.shape for i in loaded.inputs] == [(4, 3), (4, None), None, ()]
    overridden = loomir.load(with_default(8), values={"w": [7.0, 8.0]})
    np.testing.assert_array_equal(
        overridden.run({"x": np.ones(2, np.float32)}, engine="graph")["y"], np.array([7, 8], np.float32)
    )


@pytest.mark.parametrize("shape", [[4, 2], [4], [-1, 3], []])
def test_shape_that_the_model_forbids(shape: list[int]) -> None:
    with raises_error("shape-mismatch", "'a'", "batch, 3"):
        load_onnx(model(BATCH), shapes={"a": shape})


def test_unknown_input() -> None:
    with raises_error("unknown-input", "'q'", "its inputs: a, b, c, d"):
        load_onnx(model(BATCH), shapes={"q": [1]})
    with raises_error("unknown-input", "its inputs: x; with a default: w"):
        load_onnx(with_default(8), shapes={"q": [1]})
    hidden = model("g (float[2] x) => (float[2] y) <float[2] w = {1.0, 2.0}> { y = Add (x, w) }")
    with raises_error("unknown-input", "'w' is an initialiser", "lists it among its inputs"):
        load_onnx(hidden, values={"w": [1.0, 2.0]})


def test_value_of_one_element() -> None:
    """A number is a vector of one element and the other way round; floats may be rounded."""
    graph = "g (float[1] a, float b) => (float[1] y) { y = Add (a, b) }"
    outputs = loomir.load(model(graph), values={"a": 0.1, "b": [0.2]}).run({}, engine="graph")
    np.testing.assert_array_equal(outputs["y"], np.array([np.float32(0.1) + np.float32(0.2)]))


SWITCH = """g (int64 rate, float[2] x) => (float[2] y) {
  fast = Constant <value_int = 16000> ()
  same = Equal (rate, fast)
  y = If (same) <then_branch = a () => (float[2] r) { r = Neg (x) },
                 else_branch = b () => (float[2] r) { r = Abs (x) }>
}"""


def test_fixed_value() -> None:
    module = load_onnx(model(SWITCH), values={"rate": 16000})
    function = main_of(module)
    assert function.arg_attrs is not None
    value = function.arg_attrs.data[0].data["loomir.value"]
    np.testing.assert_array_equal(constant_array(value), np.int64(16000))
    assert not function.args[0].uses, "the argument is still read"


@pytest.mark.parametrize("value", [1.5, 1 << 70, "fast", [None]])
def test_value_that_does_not_fit(value: object) -> None:
    with raises_error("value-mismatch", "'rate'"):
        load_onnx(model(SWITCH), values={"rate": value})  # pyright: ignore[reportArgumentType]


def test_value_of_a_wrong_shape() -> None:
    with raises_error("value-mismatch", "'x'", "[3]"):
        load_onnx(model(SWITCH), values={"x": [1.0, 2.0, 3.0]})


# -- initialisers that are inputs too


def with_default(ir_version: int) -> onnx.ModelProto:
    """y = x · w with w = [2, 3] listed among the inputs."""
    info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["n"]) for n in ("x", "w", "y")]
    weights = numpy_helper.from_array(np.array([2, 3], np.float32), "w")
    graph = helper.make_graph(
        [helper.make_node("Mul", ["x", "w"], ["y"])], "g", info[:2], info[2:], [weights]
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 9)], ir_version=ir_version)


@pytest.mark.parametrize("ir_version", [3, 8])
def test_default_is_a_constant(ir_version: int) -> None:
    assert shapes_of(load_onnx(with_default(ir_version))) == [(-1,)]
    outputs = loomir.load(with_default(ir_version)).run({"x": np.ones(2, np.float32)}, engine="graph")
    np.testing.assert_array_equal(outputs["y"], np.array([2, 3], np.float32))


def test_default_can_be_overridden() -> None:
    assert shapes_of(load_onnx(with_default(8), shapes={"w": [2]})) == [(2,), (2,)]
    module = load_onnx(with_default(8), values={"w": [7.0, 8.0]})
    assert "dense<[7.000000e+00, 8.000000e+00]>" in str(module)


def with_sparse(indices: list, dims: list[int]) -> onnx.ModelProto:
    """y = x + w with w sparse, its values 2 and 3."""
    extents = ", ".join(map(str, dims))
    proto = model(
        f"g (float[{extents}] x) => (float[{extents}] y) {{ y = Add (x, w) }}".replace("w)", "v)", 1)
    )
    proto.graph.node[0].input[1] = "w"
    values = numpy_helper.from_array(np.array([2.0, 3.0], np.float32), "w")
    at = numpy_helper.from_array(np.array(indices, np.int64), "w_at")
    proto.graph.sparse_initializer.add(values=values, indices=at, dims=dims)
    return proto


@pytest.mark.parametrize(
    ("indices", "dims", "dense"),
    [
        ([1, 2], [4], [0, 2, 3, 0]),
        ([1, 3], [2, 2], [[0, 2], [0, 3]]),
        ([[0, 1], [1, 0]], [2, 2], [[0, 2], [3, 0]]),
    ],
)
def test_sparse_initialiser(indices: list, dims: list[int], dense: list) -> None:
    outputs = loomir.load(with_sparse(indices, dims)).run({"x": np.ones(dims, np.float32)}, engine="graph")
    np.testing.assert_array_equal(outputs["y"], np.array(dense, np.float32) + 1)


@pytest.mark.parametrize(
    ("indices", "dims", "identifier"),
    [
        ([1, 4], [4], "invalid-onnx"),
        ([-1, 1], [4], "invalid-onnx"),
        ([[0, 1], [1, 2]], [2, 2], "invalid-onnx"),
        ([1], [4], "invalid-onnx"),
        ([0, 1], [1 << 20, 1 << 20], "import-limit"),
    ],
)
def test_sparse_initialiser_that_does_not_fit(indices: list, dims: list[int], identifier: str) -> None:
    with raises_error(identifier):
        load_onnx(with_sparse(indices, dims))


def test_inputs_that_are_maps() -> None:
    with raises_error("unsupported-type", "'x'", "map"):
        load_onnx(model("g (map(int64, float) x, float[2] z) => (float[2] y) { y = Neg (z) }"))
    with raises_error("unsupported-type", "'x'", "sequence of other values than tensors"):
        load_onnx(model("g (seq(seq(float)) x, float[2] z) => (float[2] y) { y = Neg (z) }"))


def test_input_given_out_and_given_out_twice_under_names() -> None:
    module = load_onnx(
        model("g (float[2] x) => (float[2] y, float[2] z) { y = Identity (x) z = Identity (x) }")
    )
    assert [op.name for op in main_of(module).body.block.ops] == ["func.return"]


def test_initialisers_of_a_branch_and_unused_ones() -> None:
    graph = """g (bool c, float[2] x) => (float[2] y) <float[2] w = {5.0, 6.0}, float[2] unused = {8.0, 9.0}> {
      y = If (c) <then_branch = a () => (float[2] r) <float[2] v = {1.0, 2.0}> { t = Add (x, v) r = Add (t, w) },
                  else_branch = b () => (float[2] r) { r = Neg (w) }>
    }"""
    module = load_onnx(model(graph))
    assert str(module).count("ov.constant") == 2
    outputs = loomir.load(model(graph)).run({"c": True, "x": np.ones(2, np.float32)}, engine="graph")
    np.testing.assert_array_equal(outputs["y"], np.array([7, 9], np.float32))


# -- functions

FUNCTIONS = '<ir_version: 10, opset_import: ["" : 21, "my" : 1]> '
SCALED = """
<domain: "my", opset_import: ["" : 21]>
scaled <factor> (a, b) => (c, unused) {
  f = Constant <value_float: float = @factor> ()
  t = Mul (a, f)
  c = Add (t, b)
  unused = Neg (t)
}
"""


def test_function_is_inlined() -> None:
    graph = "g (float[2] x) => (float[2] y) { t = my.scaled <factor = 2.0> (x, x) y = my.scaled <factor = 0.5> (t, x) }"
    proto = model(graph + SCALED, FUNCTIONS)
    assert "my" not in str(load_onnx(proto)).replace("my.scaled", "")
    outputs = loomir.load(proto).run({"x": np.array([1, 2], np.float32)}, engine="graph")
    np.testing.assert_array_equal(outputs["y"], np.array([2.5, 5.0], np.float32))


def test_function_with_an_absent_input() -> None:
    clip = """
    <domain: "my", opset_import: ["" : 18]>
    above (a, low, high) => (c) { c = Clip (a, low, high) }
    """
    graph = "g (float[2] x, float low) => (float[2] y) { y = my.above (x, low) }"
    outputs = loomir.load(model(graph + clip, FUNCTIONS)).run(
        {"x": np.array([-5, 5], np.float32), "low": np.float32(-1)}, engine="graph"
    )
    np.testing.assert_array_equal(outputs["y"], np.array([-1, 5], np.float32))


def test_function_that_calls_itself() -> None:
    turtle = """
    <domain: "my", opset_import: ["" : 21, "my" : 1]>
    turtle (a) => (c) { c = my.turtle (a) }
    """
    with raises_error("invalid-onnx", "turtle"):
        load_onnx(model("g (float[2] x) => (float[2] y) { y = my.turtle (x) }" + turtle, FUNCTIONS))


def test_function_that_is_defined_twice() -> None:
    proto = model(
        "g (float[2] x) => (float[2] y) { y = my.scaled <factor = 1.0> (x, x) }" + SCALED, FUNCTIONS
    )
    proto.functions.append(proto.functions[0])
    with raises_error("duplicate-name", "scaled"):
        load_onnx(proto)


def test_operator_that_onnx_defines_by_others() -> None:
    """HardSwish has no translator: its schema says what it is."""
    x = np.linspace(-4, 4, 9, dtype=np.float32)
    proto = model("g (float[9] x) => (float[9] y) { y = HardSwish (x) }")
    outputs = loomir.load(proto).run({"x": x}, engine="graph")
    np.testing.assert_allclose(outputs["y"], x * np.clip(x / 6 + 0.5, 0, 1), rtol=1e-6, atol=1e-6)


# -- locations


def test_every_operation_knows_its_node() -> None:
    proto = model(SWITCH)
    proto.graph.node[1].name = "compare_rates"
    module = load_onnx(proto)
    names = {layer_name(op) for op in module.walk()}
    assert None not in names
    assert {"compare_rates", "If:y", "Neg:r", "Abs:r", "Constant:fast"} <= names
