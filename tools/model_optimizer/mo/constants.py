"""Element types, constants and inputs, and operations with constant operands.

The names of element types are those of the command line and old IR ('FP32', 'float'), of IR ('f32'), and of numpy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from loomir.tools.model_optimizer.mo.op import Op, PermuteAttrs
from loomir.tools.model_optimizer.mo.shapes import int64_array, mo_array, unmask_shape


class packed_U1(np.generic):
    """Bits in bytes."""


class packed_U4(np.generic):
    """Two unsigned integers of four bits in a byte."""


class packed_I4(np.generic):
    """Two integers of four bits in a byte."""


SUPPORTED_DATA_TYPES: dict[str, tuple[Any, str, str]] = {
    "float": (np.float32, "FP32", "f32"),
    "half": (np.float16, "FP16", "f16"),
    "FP32": (np.float32, "FP32", "f32"),
    "FP64": (np.float64, "FP64", "f64"),
    "FP16": (np.float16, "FP16", "f16"),
    "I32": (np.int32, "I32", "i32"),
    "I64": (np.int64, "I64", "i64"),
    "int8": (np.int8, "I8", "i8"),
    "int32": (np.int32, "I32", "i32"),
    "int64": (np.int64, "I64", "i64"),
    "bool": (bool, "BOOL", "boolean"),
    "uint8": (np.uint8, "U8", "u8"),
    "uint32": (np.uint32, "U32", "u32"),
    "uint64": (np.uint64, "U64", "u64"),
    "U1": (packed_U1, "U1", "u1"),
    "int4": (packed_I4, "I4", "i4"),
    "uint4": (packed_U4, "U4", "u4"),
    "I4": (packed_I4, "I4", "i4"),
    "U4": (packed_U4, "U4", "u4"),
}
"""numpy's type, old IR's name and IR's name, by data type name."""


def _column(name: str, column: int) -> Any:
    row = SUPPORTED_DATA_TYPES.get(name)
    return None if row is None else row[column]


def data_type_str_to_np(data_type_str: str) -> Any:
    """numpy's type, or None for a name that is not known."""
    return _column(data_type_str, 0)


def data_type_str_to_precision(data_type_str: str) -> str | None:
    return _column(data_type_str, 1)


def data_type_str_to_destination_type(data_type_str: str) -> str | None:
    return _column(data_type_str, 2)


def _found(value: Any, by: int, column: int) -> Any:
    for row in SUPPORTED_DATA_TYPES.values():
        if row[by] == value:
            return row[column]
    raise Error("mo-data-type", f"the Model Optimizer's API has no element type '{value}'")


def np_data_type_to_precision(np_data_type: Any) -> str:
    """Errors: `mo-data-type`."""
    return _found(np_data_type, 0, 1)


def np_data_type_to_destination_type(np_data_type: Any) -> str:
    """Errors: `mo-data-type`."""
    return _found(np_data_type, 0, 2)


def destination_type_to_np_data_type(dst_type: str) -> Any:
    """Errors: `mo-data-type`."""
    return _found(dst_type, 2, 0)


def precision_to_destination_type(data_type_str: str) -> str:
    """Errors: `mo-data-type`."""
    return _found(data_type_str, 1, 2)


__all__ = [
    "SUPPORTED_DATA_TYPES",
    "data_type_str_to_destination_type",
    "data_type_str_to_np",
    "data_type_str_to_precision",
    "destination_type_to_np_data_type",
    "np_data_type_to_destination_type",
    "np_data_type_to_precision",
    "packed_I4",
    "packed_U1",
    "packed_U4",
    "precision_to_destination_type",
]


class Const(Op):
    """Constant with `value`.

    `force_shape` and `force_type` set a shape and an element type other than the value's own.
    """

    op = "Const"

    def __init__(self, graph: Graph, attrs: dict[str, Any] | None = None) -> None:
        own: dict[str, Any] = {
            "type": self.op,
            "op": self.op,
            "version": "opset1",
            "infer": self.infer,
            "type_infer": self.type_infer,
            "value": None,
            "shape": None,
            "data_type": None,
            "out_ports_count": 1,
        }
        super().__init__(graph, own, attrs)
        if not isinstance(self.attrs["value"], np.ndarray):
            self.attrs["value"] = mo_array(self.attrs["value"])
        forced_shape, forced_type = self.attrs.get("force_shape"), self.attrs.get("force_type")
        value = self.attrs["value"]
        self.attrs["shape"] = int64_array(value.shape if forced_shape is None else forced_shape)
        self.attrs["data_type"] = value.dtype if forced_type is None else data_type_str_to_np(forced_type)

    def supported_attrs(self) -> list[Any]:
        return [
            "offset",
            "size",
            ("shape", lambda node: ",".join(map(str, node.shape))),
            ("element_type", _element_type),
        ]

    @staticmethod
    def type_infer(node: Node) -> None:
        forced = node.has_valid("force_type")
        node.out_port(0).set_data_type(node.data_type if forced else node.value.dtype, override=True)

    @staticmethod
    def infer(node: Node) -> None:
        whole = isinstance(node.value, np.ndarray) or len(node.shape) == 0
        node.out_port(0).data.set_value(node.value if whole else np.full(node.shape, node.value))


def _element_type(node: Node) -> str:
    if node.has_valid("force_type"):
        return precision_to_destination_type(node.force_type)
    return np_data_type_to_destination_type(node.value.dtype)


class Parameter(Op):
    """Input with `shape` and `data_type`.

    The default of `data_type` is float32.
    """

    op = "Parameter"

    def __init__(self, graph: Graph, attrs: dict[str, Any] | None = None) -> None:
        own: dict[str, Any] = {
            "op": self.op,
            "type": self.op,
            "version": "opset1",
            "infer": self.infer,
            "reverse_infer": self.reverse_infer,
            "type_infer": self.type_infer,
            "is_input": True,
            "data_type": np.float32,
            "out_ports_count": 1,
            "user_shape": None,
        }
        super().__init__(graph, own, attrs)

    @staticmethod
    def type_infer(node: Node) -> None:
        node.out_port(0).set_data_type(node.data_type)

    @staticmethod
    def shape_serialize(node: Node) -> str:
        """Return the shape in IR, with -1 for an unknown dimension.

        The user's shape is preferred if there is one.
        """
        shape = node.soft_get("user_shape", node.soft_get("shape", None))
        return ",".join(map(str, unmask_shape(shape)))

    def supported_attrs(self) -> list[Any]:
        return [
            ("shape", self.shape_serialize),
            ("element_type", lambda node: np_data_type_to_destination_type(node.data_type)),
        ]

    @staticmethod
    def infer(node: Node) -> None:
        """Errors: `mo-parameter-shape` if it has none."""
        if not node.has_valid("shape"):
            name = str(node.soft_get("name", node.id))
            raise Error(
                "mo-parameter-shape", "the input has no shape", layer=name, hint="--input-shape gives it one"
            )
        node.out_port(0).data.set_shape(node.shape)
        PermuteAttrs.create_permute_attrs(node, attrs=[("shape", "output:0")])

    @staticmethod
    def reverse_infer(node: Node) -> None:
        if node.soft_get("shape", None) is None:
            node["shape"] = node.out_port(0).data.get_shape()


def _constant(graph: Graph, node: Node, port: int, name: str, value: Any) -> None:
    constant = Const(graph, {"name": name, "value": value}).create_node()
    constant.out_port(0).connect(node.in_port(port))
    if graph.stage != "front":
        # Its value is known at once, for what is inferred next.
        constant.infer(constant)


def create_op_node_with_second_input(
    graph: Graph,
    op: Any,
    second_input_value: Any,
    op_attrs: dict[str, Any] | None = None,
    input_node: Node | None = None,
) -> Node:
    """Create a node of class `op` with a constant at input 1.

    Output 0 of `input_node` is connected to input 0.
    """
    node = op(graph, {} if op_attrs is None else op_attrs).create_node()
    if input_node is not None:
        input_node.out_port(0).connect(node.in_port(0))
    _constant(graph, node, 1, f"{node.name}/value", second_input_value)
    return node


def create_op_with_const_inputs(
    graph: Graph,
    op: Any,
    port_value_dict: Mapping[int, Any],
    op_attrs: dict[str, Any] | None = None,
    input_node: Node | None = None,
) -> Node:
    """Create a node of class `op` with constants at the given inputs.

    The keys of `port_value_dict` are the inputs. Output 0 of `input_node` is connected to input 0.
    """
    node = op(graph, {} if op_attrs is None else op_attrs).create_node()
    if input_node is not None:
        input_node.out_port(0).connect(node.in_port(0))
    for port, value in port_value_dict.items():
        node.add_input_port(port, skip_if_exist=True)
        _constant(graph, node, port, f"{node.name}_input_port_{port}/value", value)
    return node


def get_canonical_axis_index(shape: Any, axis: int) -> int:
    """`axis` counted from the front."""
    return axis + len(shape) if axis < 0 else axis


def dim_to_shape(dim: Any) -> Any:
    """A message's extents as a shape."""
    return int64_array(dim)


def input_as_const(node: Node, attrs: dict[str, Any], port: int, bin: str, value: Any) -> None:
    """Add a constant with `value` at an input.

    The edge of the input marks the constant as the weights `bin`.
    """
    constant = Const(node.graph, {"value": value, **attrs}).create_node()
    node.add_input_port(port, skip_if_exist=True)
    constant.out_port(0).connect(node.in_port(port))
    edge = node.in_edge(port)
    edge["bin"] = bin
    edge["in_attrs"] = [*edge["in_attrs"], "bin"]
