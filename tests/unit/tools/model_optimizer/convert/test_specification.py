"""Extraction, partial inference and the way to IR by the specification.

They are tested through `convert` (docs/model-optimizer.md).
"""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import numpy as np
import onnx
import pytest

import loomir
from loomir.compiler.formats import convert_front, load_module, load_unconverted
from loomir.dialects.element_types import AnyTensor
from loomir.tools.model_optimizer.mo.bridge import run_front
from loomir.tools.model_optimizer.mo.constants import Const
from loomir.tools.model_optimizer.mo.extractors import FrontExtractorOp
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from loomir.tools.model_optimizer.mo.inference import partial_infer
from loomir.tools.model_optimizer.mo.op import Op
from loomir.tools.model_optimizer.mo.transformations import FrontReplacementPattern
from tests.support import raises_error
from tests.unit.tools.model_optimizer.convert.legacy import at, folder, model, operations
from tests.unit.tools.model_optimizer.mo.graphs import CHAIN, copy_shapes, front_graph, middle_graph
from tests.unit.tools.model_optimizer.mo.test_loading import names_go

__all__ = ["names_go"]


def names(found: loomir.Model) -> list[str]:
    """The operations of the program by name."""
    return [op.name for op in operations(found.module)]


# Extraction.

FLAT = model("""
    <ir_version: 10, opset_import: ["" : 20]>
    flat (float[2,3,4] x) => (float[A,B] y)
    {
        ["relu"] a = Relu (x)
        ["flatten"] y = Flatten <axis = 2> (a)
    }
""")


def test_extractors_of_extensions_are_before_built_in_ones() -> None:
    """Relu is read by the extension alone, Flatten by what is built in."""
    read: list[str] = []

    class OwnRelu(FrontExtractorOp):
        op = "Relu"
        enabled = True

        @classmethod
        def extract(cls, node: Node) -> bool:
            read.append(node.id)
            node["by"] = "extension"
            return cls.enabled

    def look(graph: Graph) -> None:
        relu = Node(graph, graph.get_node_id_by_name("relu"))
        flatten = Node(graph, graph.get_node_id_by_name("flatten"))
        assert (relu.by, relu.op) == ("extension", "Relu")
        assert (flatten.op, flatten.axis) == ("FlattenONNX", 2)

    seen = type("Look", (FrontReplacementPattern,), {"find_and_replace_pattern": staticmethod(look)})
    run_front(load_unconverted(FLAT), [OwnRelu], [seen], Namespace())
    assert read == ["relu"]


def test_what_the_file_says_is_not_needed_behind_extraction() -> None:
    def forget(graph: Graph) -> None:
        for node in graph.get_op_nodes():
            if node.has("pb"):
                del node["pb"]

    module = at("front", FLAT, forget)
    assert [op.properties["operator"].data for op in operations(module)] == ["Relu", "Flatten"]


# Partial inference.


def test_inference_is_in_topological_order() -> None:
    """Each node's own `infer`, with the node; producers come first, in whatever order the nodes were added."""
    order: list[str] = []

    def infer(node: Node) -> None:
        order.append(node.id)
        assert isinstance(node, Node)
        copy_shapes(node)

    graph = middle_graph(CHAIN[::-1], A={"infer": infer}, B={"infer": infer})
    Node(graph, "Parameter").out_port(0).data.set_shape([2, 3])
    partial_infer(graph)
    assert order == ["A", "B"]
    assert Node(graph, "B").out_node(0).shape.tolist() == [2, 3]
    graph = front_graph(CHAIN)
    graph.strict_mode = False
    graph.add_edge("B", "A", **{"in": 1, "out": 0})
    with raises_error("mo-graph-cycle", "A → B"):
        partial_infer(graph)


RESHAPE = {
    "ports": """
        shape = node.in_port(0).data.get_shape()
        wanted = node.in_port(1).data.get_value()
        given = [int(shape[i]) if extent == 0 else int(extent) for i, extent in enumerate(wanted)]
        rest = int(np.prod(shape)) // -int(np.prod(given))
        given = [rest if extent == -1 else extent for extent in given]
        if node.in_port(0).data.get_value() is not None:
            node.out_port(0).data.set_value(node.in_port(0).data.get_value().reshape(given))
        else:
            node.out_port(0).data.set_shape(given)
    """,
    "nodes": """
        shape = node.in_node(0).shape
        wanted = node.in_node(1).value
        given = [int(shape[i]) if extent == 0 else int(extent) for i, extent in enumerate(wanted)]
        rest = int(np.prod(shape)) // -int(np.prod(given))
        given = [rest if extent == -1 else extent for extent in given]
        if node.in_node(0).value is not None:
            node.out_node(0).value = node.in_node(0).value.reshape(given)
        node.out_node(0).shape = np.array(given)
    """,
}
"""The specification's example, by ports and as extensions did it before there were ports."""


@pytest.mark.parametrize("known", [False, True], ids=["shape", "value"])
@pytest.mark.parametrize("how", RESHAPE)
def test_an_operation_with_an_inference_of_its_own(how: str, known: bool, tmp_path: Path) -> None:
    """Values behind the operation have shapes.

    Where its input's value is known, the values behind it are computed.
    """
    name = f"Reshape{how.title()}{known}"
    operation = f"""
import numpy as np
from openvino.tools.mo.ops.op import Op


class Mine(Op):
    op = "{name}"

    def __init__(self, graph, attrs):
        own = {{"type": self.op, "op": self.op, "infer": self.infer, "in_ports_count": 2, "out_ports_count": 1}}
        super().__init__(graph, own, attrs)

    @staticmethod
    def infer(node):
{RESHAPE[how]}
"""
    extractor = f"""
from openvino.tools.mo.front.extractor import FrontExtractorOp
from ...ops.mine import Mine


class MineExtractor(FrontExtractorOp):
    op = "{name}"
    enabled = True

    @classmethod
    def extract(cls, node):
        Mine.update_node_stat(node)
        return cls.enabled
"""
    proto = model(f"""
        <ir_version: 10, opset_import: ["" : 20, "com.acme" : 1]>
        reshaping (float[2,3,4] x) => (float[A,B] y)
        <int64[2] wanted = {{0, -1}}, float[2,1,2] held = {{0, 1, 2, 3}}>
        {{
            ["mine"] a = com.acme.{name} ({"held" if known else "x"}, wanted)
            ["neg"] y = Neg (a)
        }}
    """)
    files = {"ops/mine.py": operation, "front/onnx/mine_ext.py": extractor}
    found = loomir.convert(proto, mo_extensions=[folder(tmp_path / name, files)])
    assert found.outputs[0].shape == ((2, 2) if known else (2, 12))
    if known:
        np.testing.assert_array_equal(
            operations(found.module)[-1].properties["value"].get_values(), [0, -1, -2, -3]
        )
    else:
        custom, negative = operations(found.module)[1:]
        assert (custom.name, negative.name) == ("ov.custom", "ov.negative")


SHAPES = model("""
    <ir_version: 10, opset_import: ["" : 20]>
    shapes (float[2,3,4] x, float[6,4] z) => (float[A,B] y, float[C,D] w)
    <int64[1] first = {2}, int64[1] second = {4}, int64[1] one = {1}>
    {
        ["shape"] s = Shape (z)
        ["computed"] y = Reshape (x, s)
        ["twice"] t = Mul (first, second)
        ["third"] u = Sub (second, one)
        ["joined"] c = Concat <axis = 0> (t, u)
        ["folded"] w = Reshape (x, c)
    }
""")


@pytest.mark.parametrize("static", [False, True])
def test_shapes_that_are_computed(static: bool) -> None:
    """All shapes are known; constants are folded, a ShapeOf only where nobody wants to reshape the model."""
    found = loomir.convert(SHAPES, static_shape=static)
    assert [info.shape for info in found.outputs] == [(6, 4), (8, 3)]
    assert ("ov.shape_of" in names(found)) == (not static)
    assert "ov.concat" not in names(found)
    assert "ov.shape_of" not in names(loomir.load(SHAPES).optimized())


def test_every_value_has_an_element_type_and_a_shape() -> None:
    for proto in (FLAT, SHAPES):
        for op in operations(loomir.convert(proto).module):
            assert all(
                isinstance(result.type, AnyTensor) and result.type.has_static_shape() for result in op.results
            )


# Towards IR.


def test_equal_constants_are_one() -> None:
    text = """
        <ir_version: 10, opset_import: ["" : 20]>
        shared (float[2] x) => (float[2] y)
        <float[2] a = {1.5, 2.5}, float[2] b = {1.5, 2.5}>
        { s = Add (x, a) y = Mul (s, b) }
    """
    assert names(loomir.convert(model(text))) == ["ov.constant", "ov.add", "ov.multiply"]


def test_attributes_that_a_class_declares_are_those_of_the_layer(tmp_path: Path) -> None:
    """`backend_attrs`: names, pairs with another name or a function; what only transformations need is not there."""
    files = {
        "ops/mine.py": """
            from mo.ops.op import Op

            class Mine(Op):
                op = "Mine"

                def __init__(self, graph, attrs):
                    own = {"type": "Mine", "op": "Mine", "version": "extension", "secret": 3, "in_ports_count": 1, "out_ports_count": 1}
                    super().__init__(graph, own, attrs)

                def supported_attrs(self):
                    return ["never"]

                def backend_attrs(self):
                    return ["axis", ("scale", "factor"), ("text", lambda node: f"<{node.axis}>")]
        """,
        "front/onnx/mine_ext.py": """
            from mo.front.extractor import FrontExtractorOp
            from mo.front.onnx.extractors.utils import onnx_attr
            from ...ops.mine import Mine

            class MineExtractor(FrontExtractorOp):
                op = "Mine"
                enabled = True

                @classmethod
                def extract(cls, node):
                    Mine.update_node_stat(node, {"axis": onnx_attr(node, "axis", "i"), "factor": 0.5, "never": None})
                    return cls.enabled
        """,
    }
    text = """
        <ir_version: 10, opset_import: ["" : 20, "com.acme" : 1]>
        own (float[2] x) => (float[N] y)
        { ["own"] y = com.acme.Mine <axis = 1> (x) }
    """
    found = loomir.convert(model(text), mo_extensions=[folder(tmp_path / "mine", files)])
    (custom,) = operations(found.module)
    assert str(custom.attributes["text"]) == '"<1>"'
    assert sorted(each for each in custom.attributes if not each.startswith("mo.")) == [
        "axis",
        "scale",
        "text",
    ]
    with raises_error("unknown-operator", "Mine"):
        found.run({"x": np.zeros(2, np.float32)})


# Where customisation is needed.


def test_an_unknown_operation_is_replaced_by_known_ones(tmp_path: Path) -> None:
    files = {
        "front/onnx/twice.py": """
            from openvino.tools.mo.front.common.replacement import FrontReplacementOp
            from openvino.tools.mo.ops.elementwise import Add

            class Twice(FrontReplacementOp):
                op = "Twice"
                enabled = True

                def replace_sub_graph(self, graph, match):
                    node = match["op"]
                    add = Add(graph, {"name": node.name + "/sum"}).create_node()
                    node.in_port(0).get_source().connect(add.in_port(0))
                    node.in_port(0).get_source().connect(add.in_port(1))
                    node.out_port(0).get_connection().set_source(add.out_port(0))
        """
    }
    proto = model("""
        <ir_version: 10, opset_import: ["" : 20, "com.acme" : 1]>
        twice (float[2] x) => (float[2] y)
        { ["t"] y = com.acme.Twice (x) }
    """)
    assert names(loomir.convert(proto)) == ["ov.custom"]
    found = loomir.convert(proto, mo_extensions=[folder(tmp_path / "twice", files)])
    assert names(found) == ["ov.add"]
    given = np.array([1, -3], np.float32)
    np.testing.assert_array_equal(found.run({"x": given})["y"], 2 * given)


def test_models_keep_unknown_extents() -> None:
    """No shape has to be given; a name that two inputs share, and -1 in an option, are extents that are not known."""
    proto = model("""
        <ir_version: 10, opset_import: ["" : 20]>
        open (float[batch,3] x) => (float[batch,3] y)
        { y = Relu (x) }
    """)
    assert (
        loomir.convert(proto).inputs[0].shape == loomir.convert(proto, input_shape="[-1,3]").inputs[0].shape
    )
    assert loomir.convert(proto, input_shape="[5,3]").outputs[0].shape == (5, 3)


def test_a_file_that_cannot_be_read() -> None:
    with raises_error("invalid-onnx"):
        load_module(onnx.ModelProto())


def test_a_node_without_a_type_is_refused() -> None:
    """A new node is a layer by its type and version; nothing else says which."""

    def leave(graph: Graph) -> None:
        new = Op(
            graph, {"op": "Mine", "name": "mine", "in_ports_count": 1, "out_ports_count": 1}
        ).create_node()
        relu = Node(graph, graph.get_node_id_by_name("relu"))
        relu.out_port(0).get_connection().insert_node(new)

    with raises_error("mo-node-type", "'mine' (Mine)"):
        at("front", FLAT, leave)


def test_layers_of_operation_sets_stand_in_front_until_it_ends() -> None:
    """A new node of an operation set has that set's domain."""

    def put(graph: Graph) -> None:
        new = Op(graph, {"op": "Abs", "type": "Abs", "version": "opset1", "name": "absolute"})
        node = new.create_node()
        node.add_input_port(0)
        node.add_output_port(0)
        Node(graph, graph.get_node_id_by_name("relu")).out_port(0).get_connection().insert_node(node)

    module = at("front", FLAT, put)
    (added,) = (op for op in operations(module) if op.properties["operator"].data == "Abs")
    assert added.properties["domain"].data == "openvino.opset1"
    convert_front(module)
    assert "ov.abs" in [op.name for op in operations(module)]


def test_operations_of_no_set_are_replaced() -> None:
    """Size, which only transformations know, is layers of a set when the front phase is over."""

    def count(graph: Graph) -> None:
        relu = Node(graph, graph.get_node_id_by_name("relu"))
        flatten = Node(graph, graph.get_node_id_by_name("flatten"))
        size = Op(graph, {"op": "Size", "name": "size", "output_type": np.int64}).create_node()
        made = Op(graph, {"op": "Broadcast", "type": "Broadcast", "version": "opset1", "name": "filled"})
        filled = made.create_node()
        for node, inputs in ((size, 1), (filled, 2)):
            node.add_sequence_of_ports("in", range(inputs))
            node.add_output_port(0)
        relu.out_port(0).connect(size.in_port(0))
        value = Const(graph, {"name": "five", "value": np.float32([5])}).create_node()
        unsqueezed = Op(
            graph, {"op": "ExpandDims", "name": "one", "expand_axis": np.array([0])}
        ).create_node()
        unsqueezed.add_input_port(0)
        unsqueezed.add_output_port(0)
        size.out_port(0).connect(unsqueezed.in_port(0))
        value.out_port(0).connect(filled.in_port(0))
        unsqueezed.out_port(0).connect(filled.in_port(1))
        flatten.out_port(0).get_connection().set_source(filled.out_port(0))

    module = at("front", FLAT, count)
    used = {op.properties["operator"].data for op in operations(module) if "operator" in op.properties}
    assert {"ShapeOf", "ReduceProd", "Broadcast"} <= used
    assert not used & {"Size", "ExpandDims"}
