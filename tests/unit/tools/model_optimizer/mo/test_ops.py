"""Operations: nodes of classes, the table, attributes that follow the layout."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from loomir.tools.model_optimizer.mo import member
from loomir.tools.model_optimizer.mo.constants import (
    Const,
    Parameter,
    create_op_node_with_second_input,
    create_op_with_const_inputs,
)
from loomir.tools.model_optimizer.mo.context import ExtensionError, set_inference
from loomir.tools.model_optimizer.mo.extractors import (
    get_backend_pad,
    get_onnx_autopad,
    get_onnx_datatype_as_numpy,
    get_onnx_opset_version,
    onnx_attr,
    onnx_get_num_outputs,
    onnx_node_has_attr,
)
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from loomir.tools.model_optimizer.mo.op import Op, PermuteAttrs, RTInfo
from loomir.tools.model_optimizer.mo.op_attributes import bool_to_str
from loomir.tools.model_optimizer.mo.shape_subgraphs import (
    PermuteInputs,
    get_canonical_axis_index_node,
    get_shape_and_rank_nodes_by_port,
    get_shape_values_by_range_idxs,
    new_shape_node_from_shape_nodes,
    node_to_get_features_dimension_value,
    node_to_get_spatial_dimensions_value,
)
from tests.support import raises_error
from tests.unit.tools.model_optimizer.mo.graphs import CHAIN, front_graph, middle_graph


class Mine(Op):
    """Operation as extensions write one."""

    op = "Mine"
    enabled = True

    def __init__(self, graph: Graph, attrs: dict) -> None:
        mandatory = {
            "type": self.op,
            "op": self.op,
            "in_ports_count": 1,
            "out_ports_count": 1,
            "infer": self.infer,
        }
        super().__init__(graph, mandatory, attrs)

    def backend_attrs(self) -> list:
        return ["scale", ("deep", lambda node: bool_to_str(node, "deep"))]

    @staticmethod
    def infer(node: Node) -> None:
        node.out_port(0).data.set_shape(node.in_port(0).data.get_shape())


def empty(stage: str = "front") -> Graph:
    graph = Graph(name="empty")
    graph.stage = stage
    return graph


def test_nodes_of_a_class() -> None:
    graph = empty()
    source = Parameter(graph, {"name": "in", "shape": np.array([1])}).create_node()
    node = Mine(graph, {"name": "x", "scale": 2}).create_node([source], {"deep": 1})
    assert (node.op, node.type, node.scale, node.name) == ("Mine", "Mine", 2, "x")
    assert node.in_node() == source
    assert node.get_opset() == "extension"
    layer = node.IE[0]
    assert layer[0] == "layer"
    assert layer[2][0][1][0] == "scale"
    assert layer[2][0][1][1][1](node) == "true"
    with raises_error("mo-op-attribute", "'deep' is 7"):
        node["deep"] = 7
        bool_to_str(node, "deep")


def test_extractors_update_nodes() -> None:
    node = Node(front_graph(CHAIN), "A")
    Mine.update_node_stat(node, {"scale": 3})
    assert (node.op, node.scale, node.name) == ("Mine", 3, "A")
    assert list(node.in_ports()) == [0]


def test_several_outputs_have_to_be_told_apart() -> None:
    graph = front_graph([("A", 0, "B", 0), ("A", 1, "B", 1)])
    with raises_error("mo-graph-port", "several outputs"):
        Mine(graph, {}).create_node([Node(graph, "A")])
    assert Mine(graph, {}).create_node([(Node(graph, "A"), 1)]).in_edge()["out"] == 1


def test_constants() -> None:
    constant = Const(empty(), {"name": "c", "value": 1.5, "force_type": "FP16"}).create_node()
    assert constant.value.dtype == np.float32
    assert constant.data_type is np.float16
    assert constant.shape.tolist() == []
    data = {entry[0]: entry[1] for entry in constant.IE[0][2][0][1] if isinstance(entry, tuple)}
    assert (data["shape"](constant), data["element_type"](constant)) == ("", "f16")


def test_parameters_need_a_shape() -> None:
    graph = middle_graph(CHAIN)
    node = Node(graph, "Parameter")
    Parameter.update_node_stat(node, {})
    with raises_error("mo-parameter-shape", "'Parameter'", "--input-shape"):
        node.infer(node)
    node["shape"] = np.array([1, 2])
    node.infer(node)
    assert node.out_port(0).data.get_shape().tolist() == [1, 2]
    assert Parameter.shape_serialize(node) == "1,2"


def test_unused_outputs_get_results() -> None:
    graph = empty()
    split = member("ops.split", "Split")(graph, {"num_splits": 2, "name": "s"}).create_node()
    Op.normalize_outputs(split)
    assert [port.get_destination().node.op for port in split.out_ports().values()] == ["Result", "Result"]


def test_classes_by_operation() -> None:
    assert Op.get_op_class_by_name("Add") is member("ops.elementwise", "Add")
    assert Op.get_op_class_by_name("Const") is Const
    with raises_error("mo-api-not-covered", "'Teleport'"):
        Op.get_op_class_by_name("Teleport")


def test_table_checks_attributes() -> None:
    with raises_error("mo-op-attribute", "'num_splits' is missing"):
        member("ops.split", "Split")(empty(), {})
    with raises_error("mo-op-attribute", "'axis' is an input", "AttributedGather"):
        member("ops.gather", "Gather")(empty(), {"axis": 1})


def test_extensions_derive_from_the_table() -> None:
    class Squared(member("ops.elementwise", "UnaryElementwise")):
        op = "Squared"
        op_type = "Squared"
        version = "extension"

    node = Squared(empty(), {"name": "s"}).create_node()
    assert (node.op, node.type, node.version, node.is_eltwise) == ("Squared", "Squared", "extension", True)


def test_inference_is_what_was_set() -> None:
    graph = middle_graph(CHAIN)
    node = Node(graph, "A")
    member("ops.activation_ops", "Sigmoid").update_node_stat(node)
    before = set_inference(None)
    try:
        with raises_error("mo-infer-missing", "'A' (Sigmoid)", "set_inference"):
            node.infer(node)
        set_inference(lambda node: node.out_port(0).data.set_shape([9]))
        node.infer(node)
        assert node.out_port(0).data.get_shape().tolist() == [9]
    finally:
        set_inference(before)


def test_constants_at_inputs() -> None:
    graph = empty()
    source = Parameter(graph, {"name": "in"}).create_node()
    reshape = create_op_node_with_second_input(
        graph, member("ops.reshape", "Reshape"), np.array([0, -1]), {"name": "r"}, source
    )
    assert reshape.in_node(0) == source
    assert reshape.in_node(1).value.tolist() == [0, -1]
    gather = create_op_with_const_inputs(
        graph, member("ops.gather", "Gather"), {1: np.array(0), 2: np.array(1)}
    )
    assert [gather.in_node(i).value.item() for i in (1, 2)] == [0, 1]


def test_nodes_that_compute_with_shapes() -> None:
    graph = front_graph(CHAIN)
    graph.graph["layout"] = "NCHW"
    shape, rank = get_shape_and_rank_nodes_by_port(Node(graph, "A").out_port(0))
    assert rank.op == "Squeeze"
    assert get_canonical_axis_index_node(rank, -1).op == "Add"
    assert get_canonical_axis_index_node(rank, 1).op == "Const"
    rest = get_shape_values_by_range_idxs(shape, rank, 1, -1, include_begin=False, include_end=True)
    assert rest.op == "Gather"
    assert rest.in_node(1).op == "Range"
    joined = new_shape_node_from_shape_nodes([rest, node_to_get_features_dimension_value(shape)])
    assert [joined.in_node(i).op for i in (0, 1)] == ["Gather", "Gather"]
    with raises_error("mo-infer-shape", "rank"):
        node_to_get_spatial_dimensions_value(shape)
    graph.graph["layout"] = "NC"
    with raises_error("mo-layout", "NC"):
        node_to_get_features_dimension_value(shape)


def test_attributes_follow_the_layout() -> None:
    permutation = PermuteAttrs.get_nhwc_to_nchw_permutation(4)
    assert permutation.perm.tolist() == [0, 3, 1, 2]
    assert permutation.inv.tolist() == [0, 2, 3, 1]
    assert PermuteAttrs.get_nchw_to_nhwc_permutation(4).perm.tolist() == [0, 2, 3, 1]
    assert PermuteAttrs.get_nhwc_to_nchw_permutation(3).perm.tolist() == [0, 1, 2]
    assert PermuteAttrs.get_nhwc_to_nchw_permutation(1).perm.tolist() == [0]
    node = Node(middle_graph(CHAIN, A={"axis": 3, "pad": np.array([0, 1, 2, 3])}), "A")
    PermuteAttrs.create_permute_attrs(node, attrs=[("axis", "input:0"), ("pad", "output:0")])
    node.in_node()["permutation"] = permutation
    node.out_node()["permutation"] = permutation
    node.permute_attrs.permute_attrs(node)
    assert node.axis == 1
    assert node.pad.tolist() == [0, 3, 1, 2]
    with raises_error("mo-permutation", "'colour'"):
        PermuteAttrs.create_permute_attrs(node, attrs=[("colour", "input:0")])
    PermuteAttrs.set_permutation(node.in_node(), node, [0, 1])
    with raises_error("mo-permutation", "another"):
        PermuteAttrs.set_permutation(node.in_node(), node, [1, 0])


def test_inputs_follow_the_layout() -> None:
    graph = middle_graph([("Parameter", 0, "A", 0), ("Axes", 0, "A", 1), ("A", 0, "Result", 0)])
    node = Node(graph, "A")
    PermuteInputs().set_input_permutation(node.in_node(1), node, "input:0", "axis")
    rule, port_info, applies = node.in_edge(1)["input_permutation"]
    node.in_port(0).data.set_shape([1, 2, 3, 4])
    assert applies(node.in_port(0))
    with raises_error("mo-permutation", "no permutation"):
        rule(node, port_info, 1)
    node.in_node(0)["permutation"] = PermuteAttrs.get_nhwc_to_nchw_permutation(4)
    before = set_inference(lambda node: node.out_port(0).data.set_shape([1]))
    try:
        rule(node, port_info, 1)
    finally:
        set_inference(before)
    gather = node.in_port(1).get_source().node
    assert gather.op == "Gather"
    assert gather.in_node(0).value.tolist() == [0, 2, 3, 1]
    assert gather.in_port(1).get_source().node.id == "Axes"
    with raises_error("mo-permutation", "'colour'"):
        PermuteInputs().set_input_permutation(node.in_node(1), node, "input:0", "colour")


def test_attributes_of_onnx() -> None:
    graph = front_graph(CHAIN)
    graph.graph["fw_opset_version"] = 13
    node = Node(graph, "A")
    node["pb"] = onnx.helper.make_node("A", ["x"], ["y", "z"], axis=2, shape=[1, 2], auto_pad="SAME_UPPER")
    assert onnx_attr(node, "axis", "i") == 2
    assert onnx_attr(node, "shape", "ints", dst_type=list) == [1, 2]
    assert onnx_attr(node, "other", "i", default=5) == 5
    assert onnx_node_has_attr(node, "axis")
    assert onnx_get_num_outputs(node) == 2
    assert get_onnx_autopad(onnx_attr(node, "auto_pad", "s")) == "same_upper"
    assert get_onnx_autopad(b"NOTSET") is None
    assert get_onnx_opset_version(node) == 13
    assert get_onnx_datatype_as_numpy(onnx.TensorProto.FLOAT) is np.float32
    assert get_onnx_datatype_as_numpy(onnx.TensorProto.BOOL) is bool
    assert get_backend_pad(np.array([[0, 1], [2, 3]]), [1], 0) == [2]
    with raises_error("mo-data-type", "999"):
        get_onnx_datatype_as_numpy(999)
    node.pb.attribute.append(onnx.helper.make_attribute("axis", 3))
    with raises_error("mo-onnx-attribute", "'axis'"):
        onnx_attr(node, "axis", "i")


def test_errors_of_extensions() -> None:
    with raises_error("mo-extension-error", "no 3 in x"):
        raise ExtensionError("no {} in {}", 3, "x")
    assert str(ExtensionError("{}")).startswith("{}")
    with raises_error("mo-runtime-info", "'old_api'"):
        RTInfo().get_attribute_version("old_api")


@pytest.mark.parametrize("dims", [0, 1])
def test_expanding_values(dims: int) -> None:
    graph = empty("middle")
    data = Op.create_input_data_node(graph, "d", np.array([1, 2]))
    Op.expand_node_shape(data, dims)
    assert data.shape.tolist() == [2, *[1] * dims]
