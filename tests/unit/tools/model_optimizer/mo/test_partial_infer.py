"""Shapes with unknown dimensions, and inference that operations share."""

from __future__ import annotations

import numpy as np
import pytest

from loomir.tools.model_optimizer.mo import shapes
from loomir.tools.model_optimizer.mo.constants import (
    data_type_str_to_np,
    destination_type_to_np_data_type,
    np_data_type_to_destination_type,
)
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from loomir.tools.model_optimizer.mo.inference import (
    bias_add_infer,
    concat_infer,
    copy_shape_infer,
    eltwise_infer,
    eltwise_reverse_infer,
    find_common_partial_shape,
    partial_infer,
    type_infer,
)
from tests.support import raises_error
from tests.unit.tools.model_optimizer.mo.graphs import CHAIN, copy_shapes, middle_graph

DYNAMIC = shapes.dynamic_dimension_value


def shape(*extents: int) -> np.ma.MaskedArray:
    return shapes.shape_array([DYNAMIC if extent < 0 else extent for extent in extents])


def plain(value: np.ma.MaskedArray) -> list[int]:
    return shapes.unmask_shape(value)


def test_unknown_dimensions_are_masked() -> None:
    found = shapes.shape_array([1, shapes.dynamic_dimension, DYNAMIC])
    assert found[1] is shapes.dynamic_dimension
    assert plain(found) == [1, -1, -1]
    assert plain(shapes.undefined_shape_of_rank(2)) == [-1, -1]
    assert not shapes.is_fully_defined(found)
    assert shapes.is_fully_defined(shape(1, 2))
    assert not shapes.is_fully_defined(None)
    assert not shapes.is_fully_defined([1, shapes.dynamic_dimension])
    assert shapes.unmask_shape([1]) == [1]


def test_comparisons() -> None:
    assert shapes.compatible_shapes(shape(1, -1), shape(-1, 2))
    assert not shapes.compatible_shapes(shape(1, 2), shape(1, 3))
    assert not shapes.compatible_shapes(shape(1), shape(1, 3))
    assert shapes.strict_compare_tensors(shape(1, -1), shape(1, -1))
    assert not shapes.strict_compare_tensors(shape(1, -1), shape(1, 2))
    assert shapes.strict_compare_tensors(None, None)
    assert not shapes.strict_compare_tensors(None, shape(1))
    assert not shapes.strict_compare_tensors(np.array([1.5]), np.array([1.25]))
    assert plain(find_common_partial_shape(shape(4, -1), shape(-1, 13))) == [4, 13]
    assert plain(shapes.clarify_partial_shape([shape(-1, 2), shape(10, -1)])) == [10, 2]
    with raises_error("mo-shape-edit"):
        find_common_partial_shape(shape(4), shape(5))
    with raises_error("mo-shape-edit"):
        shapes.clarify_partial_shape([shape(4), shape(5)])


def test_editing_shapes() -> None:
    assert plain(shapes.shape_delete(shape(1, -1, 3), [0, -1])) == [-1]
    assert plain(shapes.shape_delete(shape(1, -1, 3), 1)) == [1, 3]
    assert plain(shapes.shape_insert(shape(1, -1), 1, 7)) == [1, 7, -1]
    assert plain(shapes.shape_insert(shape(1), 0, [DYNAMIC, 2])) == [-1, 2, 1]
    with raises_error("mo-shape-edit", "none at [4]"):
        shapes.shape_delete(shape(1), 4)
    with raises_error("mo-shape-edit", "str"):
        shapes.shape_delete(shape(1), "0")  # pyright: ignore
    with raises_error("mo-shape-edit", "str"):
        shapes.shape_insert(shape(1), 0, "0")


def test_arrays() -> None:
    assert shapes.mo_array([1.5]).dtype == np.float32
    assert shapes.mo_array(np.array([1.5])).dtype == np.float64
    assert shapes.mo_array([1], dtype=np.float64).dtype == np.float64
    assert shapes.mo_array([1]).dtype == np.int64
    assert shapes.int64_array(3).shape == ()
    assert shapes.float_array([1]).dtype == shapes.float32_array([1]).dtype == np.float32
    assert shapes.int8_array([1]).dtype == np.int8


def test_shape_of_slices() -> None:
    slices = [slice(0, 2), np.newaxis, Ellipsis, 1]
    assert plain(shapes.get_shape_from_slice(shape(4, 5, -1, 6), slices)) == [2, 1, 5, -1]
    assert plain(shapes.get_shape_from_slice(shape(-1, 3), [slice(0, 2)])) == [-1, 3]
    unknown = slice(shapes.dynamic_dimension, None)
    assert plain(shapes.get_shape_from_slice(shape(4), [unknown])) == [-1]
    with raises_error("mo-shape-edit", "str"):
        shapes.get_shape_from_slice(shape(4), ["a"])


def test_padding_of_windows() -> None:
    input, window, stride = np.array([5, 6]), np.array([3, 3]), np.array([2, 2])
    pad, output = shapes.tf_window_op_pad_infer(input, window, stride, "same_upper")
    assert np.asarray(output).tolist() == [3, 3]
    assert pad.tolist() == [[1, 1], [0, 1]]
    pad, output = shapes.tf_window_op_pad_infer(input, window, stride, "valid")
    assert (pad.tolist(), output.tolist()) == ([[0, 0], [0, 0]], [2, 2])
    assert shapes.tf_window_op_pad_infer(None, window, stride, "valid") == (None, None)
    with raises_error("mo-shape-edit", "'full'"):
        shapes.tf_window_op_pad_infer(input, window, stride, "full")
    assert shapes.convert_tf_padding_to_str("SAME") == "same_upper"
    assert shapes.convert_deconv_tf_padding_to_str("SAME") == "same_lower"


def operation(shapes: list[np.ndarray | None], **attributes: object) -> Node:
    """A node 'x' between inputs of those shapes and an output."""
    edges = [(f"P_{i}", 0, "x", i) for i in range(len(shapes))]
    graph = middle_graph([*edges, ("x", 0, "Result", 0)], x=attributes)
    node = Node(graph, "x")
    for i, known in enumerate(shapes):
        if known is not None:
            node.in_port(i).data.set_shape(known)
    return node


def output(node: Node) -> list[int]:
    return plain(node.out_port(0).data.get_shape())


def test_elementwise() -> None:
    node = operation([shape(4, 1, -1), shape(5, 1)])
    eltwise_infer(node)
    assert output(node) == [4, 5, -1]
    node = operation([shape(2, 3, 4), shape(3)], axis=1)
    eltwise_infer(node)
    assert output(node) == [2, 3, 4]
    node = operation([shape(2), shape(3)])
    with raises_error("mo-infer-shape", "2 and 3"):
        eltwise_infer(node)
    with raises_error("mo-infer-shape", "not known"):
        eltwise_infer(operation([shape(2), None]))
    node = operation([shape(2), shape(2)])
    for i in (0, 1):
        node.in_port(i).data.set_value(np.array([i, 2]))
    eltwise_infer(node, lambda a, b: a + b)
    assert node.out_port(0).data.get_value().tolist() == [1, 4]


def test_elementwise_backwards() -> None:
    node = operation([shape(3), None], auto_broadcast="numpy")
    node.out_port(0).data.set_shape(shape(4, 3))
    eltwise_reverse_infer(node)
    assert plain(node.in_port(1).data.get_shape()) == [4, -1]
    node = operation([shape(4, -1), None], auto_broadcast="none")
    node.out_port(0).data.set_shape(shape(-1, 3))
    eltwise_reverse_infer(node)
    assert plain(node.in_port(1).data.get_shape()) == [4, 3]


def test_other_inference() -> None:
    node = operation([shape(2, 5)])
    copy_shape_infer(node)
    assert output(node) == [2, 5]
    node = operation([shape(2, 5), shape(5)])
    bias_add_infer(node, None)
    assert output(node) == [2, 5]
    shapes.set_input_shapes(node, shape(1), shape(1))
    assert plain(node.in_port(0).data.get_shape()) == [2, 5]


def test_concatenation() -> None:
    node = operation([shape(2, 3), shape(-1, 4)], axis=-1)
    concat_infer(node)
    assert output(node) == [2, 7]
    assert node.axis == 1
    with raises_error("mo-infer-shape", "dimension 0"):
        concat_infer(operation([shape(2, 3), shape(3, 4)], axis=1))
    with raises_error("mo-infer-shape", "axis"):
        concat_infer(operation([shape(2), shape(2)], N=1))
    node = operation([shape(1), shape(1)], axis=0)
    for i in (0, 1):
        node.in_port(i).data.set_value(np.array([i]))
    concat_infer(node)
    assert node.out_port(0).data.get_value().tolist() == [0, 1]


def test_inference_of_a_graph() -> None:
    graph: Graph = middle_graph(CHAIN, A={"infer": copy_shapes}, B={"infer": copy_shapes})
    Node(graph, "Parameter").out_port(0).data.set_shape([2, 2])
    partial_infer(graph)
    assert output(Node(graph, "B")) == [2, 2]
    Node(graph, "Parameter").out_port(0).set_data_type(np.float16)
    Node(graph, "B")["type_infer"] = lambda node: node.out_port(0).set_data_type(bool)
    type_infer(graph)
    assert Node(graph, "A").out_port(0).get_data_type() == np.float16
    assert Node(graph, "B").out_port(0).get_data_type() is bool


@pytest.mark.parametrize(("numpy_type", "name"), [(np.float32, "f32"), (bool, "boolean"), (np.int64, "i64")])
def test_element_types_have_names(numpy_type, name: str) -> None:
    assert np_data_type_to_destination_type(numpy_type) == name
    assert destination_type_to_np_data_type(name) == numpy_type
    assert data_type_str_to_np("no such") is None
    with raises_error("mo-data-type", "complex"):
        np_data_type_to_destination_type(np.complex64)
