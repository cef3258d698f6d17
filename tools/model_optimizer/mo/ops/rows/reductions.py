"""Reductions over axes, cumulative sums, matrix products, and the largest elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from loomir.tools.model_optimizer.mo.ops.row import OpRow, boolean, element_type

_ATTRIBUTES: dict[str, Any] = {"keep_dims": False, "force_precision_in_ports": {1: "int64"}}


def _truth(attributes: dict[str, Any]) -> None:
    attributes["keep_dims"] = bool(attributes["keep_dims"])


def _reduction(
    name: str, type: str | None = None, version: str = "opset1", base: str | None = "ReduceOp"
) -> OpRow:
    return OpRow(
        *("ReduceOps", name, name if base else None, (type or name) if base else None, version, 2),
        attributes=_ATTRIBUTES,
        backend=boolean("keep_dims"),
        completed=_truth,
        base=base,
    )


def _l1(x: Any, axis: Any, keepdims: bool) -> Any:
    return np.sum(np.absolute(x), axis=axis, keepdims=keepdims)


def _l2(x: Any, axis: Any, keepdims: bool) -> Any:
    return np.sqrt(np.sum(np.square(x), axis=axis, keepdims=keepdims))


_MATRICES: dict[str, Any] = {
    "attributes": {"transpose_a": False, "transpose_b": False},
    "backend": boolean("transpose_a", "transpose_b"),
}
_TOP_K = ["axis", "mode", "sort"]

ROWS = [
    _reduction("ReduceOp", base=None),
    *(
        _reduction(f"Reduce{name}")
        for name in ("Sum", "Prod", "Min", "Max", "Mean", "LogicalAnd", "LogicalOr")
    ),
    _reduction("ReduceAnd", "ReduceLogicalAnd"),
    _reduction("ReduceL1", version="opset4"),
    _reduction("ReduceL2", version="opset4"),
    OpRow("cumsum", "CumSum", "CumSum", "CumSum", "opset3", 2, backend=boolean("exclusive", "reverse")),
    OpRow("MatMul", "MatMul", "MatMul", "MatMul", "opset1", 2, **_MATRICES),
    OpRow("MatMul", "Gemm", "GEMM", "GEMM", "opset1", 2, base="MatMul", **_MATRICES),
    OpRow(
        *("MatMul", "GemmONNX", "Gemm", None, None, 3),
        attributes={"transpose_a": False, "transpose_b": False, "alpha": 1, "beta": 1, "broadcast_c": True},
    ),
    OpRow("MatMul", "FullyConnected", "FullyConnected", "FullyConnected", None, 3, backend=["out-size"]),
    OpRow(
        *("topk", "TopK", "TopK", "TopK", "opset3", 3, 2),
        attributes={
            "index_element_type": np.int32,
            "axis": None,
            "mode": "max",
            "sort": "none",
            "force_precision_in_ports": {1: "int32"},
        },
        backend={
            "opset1": _TOP_K,
            "opset3": [*_TOP_K, *element_type("index_element_type")],
            "opset11": [*_TOP_K, "stable", *element_type("index_element_type")],
        },
    ),
]

NAMES = {
    "ReduceOps": {
        "reduce_map": {
            "ReduceSum": np.sum,
            "ReduceProd": np.prod,
            "ReduceL1": _l1,
            "ReduceL2": _l2,
            "ReduceMax": np.max,
            "ReduceMin": np.min,
            "ReduceMean": np.mean,
            "ReduceAnd": np.all,
            "ReduceLogicalAnd": np.all,
            "ReduceLogicalOr": np.any,
        }
    }
}
