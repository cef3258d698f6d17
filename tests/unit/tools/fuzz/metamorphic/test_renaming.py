"""Renaming follows ONNX's scoping rules, and leaves no internal name as it was."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, helper, numpy_helper

import loomir
from loomir.tools.fuzz.metamorphic import rename_everything
from loomir.tools.fuzz.metamorphic.graphs import fresh, odd_name
from loomir.tools.fuzz.onnx_oracle import run_onnxruntime
from tests.support import assert_all_agree

FUNCTIONS = """
<ir_version: 10, opset_import: ["" : 21, "local" : 1]>
functions (float[2] x, float[2] y) => (float[2] out, float[2] other) {
  mid = local.scaled <factor = 3.0> (x, y)
  other = local.scaled (mid, )
  out = local.twice <factor = -1.0> (mid)
}
<opset_import: ["" : 21], domain: "local">
scaled <factor: float = 2.0> (x, y) => (mid) {
  factor = Constant <value_float : float = @factor> ()
  out = Mul (x, factor)
  three = Constant <value = int64 {3}> ()
  mid = Loop (three, , out) <body = body (int64 i, bool c, float[2] a) => (bool c_next, float[2] a_next) {
    c_next = Constant <value = bool {1}> ()
    scale = Constant <value_float : float = @factor> ()
    scaled = Div (x, scale)
    a_next = Add (a, scaled)
  }>
}
<opset_import: ["" : 21, "local" : 1], domain: "local">
twice <factor> (mid) => (out) {
  nothing = Constant <value = float {0}> ()
  first = local.scaled <factor : float = @factor> (mid, nothing)
  out = local.scaled <factor : float = @factor> (first, nothing)
}
"""
"""Functions that share names with the graph and each other, with a default, handed-on attributes, and one in a body."""

SCOPES = """
<ir_version: 10, opset_import: ["" : 21]>
scopes (float[2] x, int64 n) => (float[2] y, float[2] z, float[s, 2] steps)
<float[2] w = {2, 3}, float[2] v = {5, 7}>
{
  wx = Add (w, x)
  top = Constant <value = float {9}> ()
  clipped = Clip (wx, , top)
  z, steps = Loop (n, , clipped) <body = body (int64 i, bool c, float[2] x) => (bool c_next, float[2] x_next, float[2] v_now)
    <float[2] own = {1, 1}>
  {
    c_next = Constant <value = bool {1}> ()
    moved = Add (x, own)
    x_next = Loop (i, , moved) <body = body (int64 i, bool c, float[2] moved) => (bool d_next, float[2] m) {
      d_next = Identity (c)
      both = Add (moved, x)
      m = Sub (both, wx)
    }>
    v_now = Identity (v)
  }>
  zero = Constant <value = int64 {0}> ()
  more = Greater (n, zero)
  y = If (more) <then_branch = t () => (float[2] y) {
    y = Add (x, v)
  }, else_branch = t () => (float[2] y) {
    y = Sub (x, v)
  }>
}
"""
"""Formal inputs that hide outer names, captures through two scopes, a branch whose result is called like the If's."""


def parse(text: str) -> ModelProto:
    model = onnx.parser.parse_model(text)
    onnx.checker.check_model(model)
    return model


def names(container: GraphProto | FunctionProto) -> Iterator[str]:
    """Every name in a graph or function, operators of ONNX apart."""
    yield container.name
    if isinstance(container, GraphProto):
        for values in (container.input, container.output, container.value_info):
            yield from (v.name for v in values)
        yield from (t.name for t in container.initializer)
        for annotation in container.quantization_annotation:
            yield annotation.tensor_name
            yield from (e.value for e in annotation.quant_parameter_tensor_names)
    else:
        yield from (*container.input, *container.output, *container.attribute)
        yield from (a.name for a in container.attribute_proto)
    for node in container.node:
        yield from names_of_node(node)


def names_of_node(node: NodeProto) -> Iterator[str]:
    yield from (node.name, *node.input, *node.output)
    if node.domain:
        yield node.op_type
    for attribute in node.attribute:
        yield attribute.ref_attr_name
        if node.domain:
            yield attribute.name
        if attribute.type == AttributeProto.GRAPH:
            yield from names(attribute.g)


def all_names(model: ModelProto) -> set[str]:
    found = set(names(model.graph))
    for function in model.functions:
        found |= set(names(function))
    return found - {""}


@pytest.mark.parametrize("text", [FUNCTIONS, SCOPES])
@pytest.mark.parametrize("seed", range(12))
def test_it_means_the_same(text: str, seed: int) -> None:
    model = parse(text)
    renamed = rename_everything(model, random.Random(seed))
    onnx.checker.check_model(renamed)
    x = np.array([0.5, -2], np.float32)
    for n in (0, 3):
        feed = {"x": x, "y": x} if text is FUNCTIONS else {"x": x, "n": np.array(n)}
        (expected,) = run_onnxruntime(model, [feed])
        assert_all_agree(loomir.load(model).run(feed, engine="graph"), expected)
        assert_all_agree(loomir.load(renamed).run(feed, engine="graph"), expected)


@pytest.mark.parametrize("text", [FUNCTIONS, SCOPES])
def test_no_internal_name_stays(text: str) -> None:
    model = parse(text)
    kept = {v.name for v in (*model.graph.input, *model.graph.output)}
    for seed in range(12):
        renamed = rename_everything(model, random.Random(seed))
        assert all_names(model) & all_names(renamed) == kept
        assert {v.name for v in (*renamed.graph.input, *renamed.graph.output)} == kept


def test_inputs_and_outputs_keep_their_order() -> None:
    renamed = rename_everything(parse(SCOPES), random.Random(1))
    assert [v.name for v in renamed.graph.input] == ["x", "n"]
    assert [v.name for v in renamed.graph.output] == ["y", "z", "steps"]


def test_absent_operands_stay_absent() -> None:
    renamed = rename_everything(parse(SCOPES), random.Random(1))
    (clip,) = (n for n in renamed.graph.node if n.op_type == "Clip")
    assert [bool(name) for name in clip.input] == [True, False, True]


def test_what_names_a_value_elsewhere_follows() -> None:
    """Annotations, declarations, an initialiser that is an input, symbolic extents."""
    model = parse(SCOPES)
    graph = model.graph
    graph.value_info.append(helper.make_tensor_value_info("wx", onnx.TensorProto.FLOAT, ["k"]))
    graph.input.append(helper.make_tensor_value_info("v", onnx.TensorProto.FLOAT, [2]))
    annotation = graph.quantization_annotation.add()
    annotation.tensor_name = "wx"
    entry = annotation.quant_parameter_tensor_names.add()
    entry.key, entry.value = "SCALE_TENSOR", "w"
    renamed = rename_everything(model, random.Random(3)).graph
    wx = renamed.node[0].output[0]
    assert renamed.value_info[-1].name == wx
    assert renamed.quantization_annotation[0].tensor_name == wx
    assert (
        renamed.quantization_annotation[0].quant_parameter_tensor_names[0].value == renamed.node[0].input[0]
    )
    assert renamed.quantization_annotation[0].quant_parameter_tensor_names[0].key == "SCALE_TENSOR"
    assert [t.name == "v" for t in renamed.initializer] == [False, True]
    assert renamed.output[2].type.tensor_type.shape.dim[0].dim_param == "s"
    assert renamed.value_info[-1].type.tensor_type.shape.dim[0].dim_param not in ("", "k", "s")


def test_training_information_goes() -> None:
    """It binds names that are no longer there."""
    model = parse(SCOPES)
    model.training_info.add().initialization_binding.add().key = "w"
    assert not rename_everything(model, random.Random(0)).training_info


def test_sparse_initialisers_are_renamed() -> None:
    values = numpy_helper.from_array(np.array([4], np.float32), "sparse")
    indices = numpy_helper.from_array(np.array([1], np.int64), "indices")
    graph = helper.make_graph(
        [helper.make_node("Identity", ["sparse"], ["y"])],
        "g",
        [],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [3])],
        sparse_initializer=[helper.make_sparse_tensor(values, indices, [3])],
    )
    renamed = rename_everything(helper.make_model(graph), random.Random(0)).graph
    assert renamed.sparse_initializer[0].values.name == renamed.node[0].input[0] != "sparse"


def test_a_name_is_never_taken_twice() -> None:
    taken: set[str] = set()
    source = random.Random(0)
    for _ in range(500):
        name = odd_name(source, taken)
        assert name
        assert name not in taken
        taken.add(name)
    taken = {"x", "x_2"}
    assert fresh("x", taken) == "x_3"
    assert "x_3" in taken
