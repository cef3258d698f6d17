"""Operations that read or write elements by index, or reorder them."""

from __future__ import annotations

from typing import Any

from loomir.tools.model_optimizer.mo.ops.row import OpRow, element_type

_SCATTER = {"is_scatter": True, "reduction": None, "use_init_val": None}


def _scatter(name: str, backend: Any = ()) -> OpRow:
    return OpRow("scatter", name, name, name, "opset3", 4, attributes=_SCATTER, backend=backend)


ROWS = [
    OpRow(
        *("gatherelements", "GatherElements", "GatherElements", "GatherElements", "opset6", 2),
        attributes={"axis": 0},
        backend=["axis"],
    ),
    OpRow(
        *("gathernd", "GatherND", "GatherND", "GatherND", "opset8", 2),
        attributes={"batch_dims": 0},
        backend=["batch_dims"],
    ),
    OpRow("GatherTree", "GatherTree", "GatherTree", "GatherTree", "opset1", 4),
    _scatter("ScatterElementsUpdate", {"opset12": ["reduction", "use_init_val"]}),
    _scatter("ScatterUpdate"),
    OpRow("scatternd", "ScatterNDUpdate", "ScatterNDUpdate", "ScatterNDUpdate", "opset4", 3),
    OpRow("scatternd", "TFScatterND", "TFScatterND", inputs=3),
    OpRow("roll", "Roll", "Roll", "Roll", "opset7", 3),
    OpRow("roll", "AttributedRoll", "AttributedRoll", inputs=3, attributes={"shift": None, "axes": None}),
    OpRow("Reverse", "Reverse", "Reverse", inputs=2, attributes={"axis": None}),
    OpRow(
        *("reverse_sequence", "ReverseSequence", "ReverseSequence", "ReverseSequence", "opset1", 2),
        attributes={"seq_axis": None, "batch_axis": 0},
        backend=["seq_axis", "batch_axis"],
    ),
    OpRow(
        *("one_hot", "OneHot", "OneHot", "OneHot", "opset1", 4),
        attributes={"axis": -1, "data_type": None, "force_precision_in_ports": {1: "int64"}},
        backend=["axis"],
    ),
    OpRow(
        *("non_zero", "NonZero", "NonZero", "NonZero", "opset3"),
        backend=element_type("output_type"),
        requires=("output_type",),
    ),
    OpRow(
        *("argmax", "ArgMaxOp", "ArgMax", None, None, 2),
        attributes={"output_type": "int64"},
        backend=["out_max_val", "top_k", "axis"],
    ),
    OpRow(
        *("argmin", "ArgMinOp", "ArgMin", None, None, 2),
        attributes={"output_type": "int64"},
        backend=["top_k", "axis"],
    ),
    OpRow(
        *("unique", "Unique", "Unique", None, "experimental", 1, 3),
        backend=["sorted", "return_inverse", "return_counts"],
    ),
]
