"""Conditions, state, and the control flow of TensorFlow's graphs."""

from __future__ import annotations

from typing import Any

from loomir.tools.model_optimizer.mo.front.common.partial_infer.utils import unmask_shape
from loomir.tools.model_optimizer.mo.ops.row import OpRow, element_type


def _internal(module: str, name: str, op: str | None = None, **own: Any) -> OpRow:
    ports: dict[str, Any] = {"inputs": None, "outputs": None, **own}
    return OpRow(module, name, op or name, **ports)


_SLICED: dict[str, Any] = dict.fromkeys(("axis", "start", "end", "stride", "part_size"))
_PORT = ["external_port_id", "internal_layer_id", "internal_port_id", "axis", "start", "stride", "part_size"]

ROWS = [
    _internal("Enter", "Enter", inputs=1),
    _internal("Exit", "Exit", inputs=1),
    _internal("NextIteration", "NextIteration", inputs=1),
    _internal("TensorArray", "TensorArray", "TensorArrayV3"),
    _internal("TensorArrayGather", "TensorArrayGather", "TensorArrayGatherV3"),
    _internal("TensorArrayRead", "TensorArrayReader", "TensorArrayReadV3"),
    _internal("TensorArrayScatter", "TensorArrayScatter", "TensorArrayScatterV3"),
    _internal("TensorArraySize", "TensorArraySize", "TensorArraySizeV3"),
    _internal("TensorArrayWrite", "TensorArrayWriter", "TensorArrayWriteV3"),
    *(
        OpRow("TensorIterator_ops", name, name, inputs=3, attributes=_SLICED, backend=_PORT)
        for name in ("TensorIteratorInput", "TensorIteratorOutput")
    ),
    OpRow("TensorIterator_ops", "TensorIteratorCondition", "TensorIteratorCondition", inputs=2, outputs=2),
    OpRow("TensorIterator_ops", "TensorIteratorBackEdge", "TensorIteratorBackEdge", inputs=3),
    OpRow("assign", "Assign", "Assign", "Assign", "opset6", backend=["variable_id"]),
    OpRow(
        *("read_value", "ReadValue", "ReadValue", "ReadValue", "opset6"),
        backend=[
            "variable_id",
            ("variable_shape", lambda node: ",".join(map(str, unmask_shape(node.variable_shape)))),
            *element_type("variable_type"),
        ],
    ),
    OpRow(
        *("memory", "Memory", "Memory", "Memory"),
        attributes={"id": None, "size": None, "index": None},
        backend=["id", "index", "size"],
    ),
    OpRow(
        *("memoryoffset", "MemoryOffset", "MemoryOffset"),
        attributes={"pair_name": None, "splitted": False, "has_default": False},
    ),
]
