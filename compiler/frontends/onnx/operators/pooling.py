"""Pooling."""

from __future__ import annotations

from xdsl.ir import SSAValue

from loomir.compiler.frontends.onnx.node import Node
from loomir.compiler.frontends.onnx.registry import Results, translates
from loomir.compiler.frontends.onnx.windows import Window
from loomir.dialects.element_types import i64
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.pooling import AvgPoolOp, MaxPoolOp
from loomir.dialects.ov.reduction import ReduceMaxOp, ReduceMeanOp
from loomir.errors import Error


def _window(node: Node) -> tuple[list[int], Window, str]:
    """Kernel, window and rounding: a window that would begin in the padding behind the data does not count."""
    kernel = node.ints("kernel_shape")
    rounding = "ceil_torch" if node.int("ceil_mode", 0) else "floor"
    return kernel, Window.of(node, len(kernel)), rounding


@translates("AveragePool", 1, 7, 10, 11, 19, 22)
def average_pool(node: Node) -> Results:
    """The padding counts only with `count_include_pad`."""
    kernel, window, rounding = _window(node)
    return node.op(
        AvgPoolOp,
        node.input(0),
        kernel=kernel,
        exclude_pad=not node.int("count_include_pad", 0),
        rounding_type=rounding,
        **window.attributes,
    )


@translates("MaxPool", 1, 8, 10, 11, 12, 22)
def max_pool(node: Node) -> Results:
    """Maxima, and where they are in the flattened tensor (row by row)."""
    if node.wants(1) and node.int("storage_order", 0):
        raise Error("unsupported-attribute", "MaxPool's indices in column-major order are not supported")
    kernel, window, rounding = _window(node)
    pool = node.emit(
        MaxPoolOp,
        node.input(0),
        attributes={
            "kernel": kernel,
            "rounding_type": rounding,
            "index_element_type": i64,
            "axis": 0,
            **window.attributes,
        },
    )
    return pool.results


def _global(node: Node, op_class: type[OvOperation]) -> SSAValue:
    data = node.input(0)
    return node.op(op_class, data, node.vector(range(2, node.rank(data))), keep_dims=True)


@translates("GlobalAveragePool", 1, 22)
def global_average_pool(node: Node) -> Results:
    """The mean over all but batch and channels."""
    return _global(node, ReduceMeanOp)


@translates("GlobalMaxPool", 1, 22)
def global_max_pool(node: Node) -> Results:
    """The maximum over all but batch and channels."""
    return _global(node, ReduceMaxOp)
