"""Operators that select elements by index or size, or write by index."""

from __future__ import annotations

from typing import Any

import numpy as np

from loomir.tools.model_optimizer.mo.front.common.partial_infer.utils import int64_array
from loomir.tools.model_optimizer.mo.front.onnx.extracting import extracts
from loomir.tools.model_optimizer.mo.front.onnx.extractors.utils import onnx_attr, onnx_node_has_attr
from loomir.tools.model_optimizer.mo.graph.graph import Node


@extracts("Gather")
def gather(node: Node) -> Any:
    return "gather", "AttributedGather", {"axis": int64_array(onnx_attr(node, "axis", "i", 0))}


@extracts("GatherElements")
def gather_elements(node: Node) -> Any:
    return "gatherelements", "GatherElements", {"axis": onnx_attr(node, "axis", "i", 0)}


@extracts("GatherND")
def gather_nd(node: Node) -> Any:
    return "gathernd", "GatherND", {"batch_dims": onnx_attr(node, "batch_dims", "i", 0)}


@extracts("Scatter", "ScatterElements")
def scatter(node: Node) -> Any:
    return "scatter", "ScatterElementsUpdate", {"axis": onnx_attr(node, "axis", "i", 0)}


@extracts("OneHot")
def one_hot(node: Node) -> Any:
    return "one_hot", "OneHot", {"axis": onnx_attr(node, "axis", "i", -1), "split_values": True}


@extracts("ReverseSequence")
def reverse_sequence(node: Node) -> Any:
    axes = {
        "batch_axis": onnx_attr(node, "batch_axis", "i", 1),
        "seq_axis": onnx_attr(node, "time_axis", "i", 0),
    }
    return "reverse_sequence", "ReverseSequence", axes


@extracts("ArgMax", "ArgMin")
def arg(node: Node) -> Any:
    found = {
        "axis": onnx_attr(node, "axis", "i", 0),
        "top_k": 1,
        "keepdims": onnx_attr(node, "keepdims", "i", 1),
        "remove_values_output": True,
    }
    if node.op == "ArgMin":
        return "argmin", "ArgMinOp", found
    return "argmax", "ArgMaxOp", {**found, "out_max_val": 0}


@extracts("TopK")
def top_k(node: Node) -> Any:
    """Read a TopK.

    The number of elements is an attribute in version 1; the order is selectable from version 11 on.
    """
    found = {
        "axis": onnx_attr(node, "axis", "i", -1),
        "index_element_type": np.int64,
        "sort": "value" if onnx_attr(node, "sorted", "i", 1) else "none",
        "mode": "max" if onnx_attr(node, "largest", "i", 1) else "min",
    }
    if onnx_node_has_attr(node, "k"):
        found["k"] = onnx_attr(node, "k", "i")
    return "topk", "TopK", found
