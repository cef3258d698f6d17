"""How a layer's type and `<data>` become an `ov` operation: one row per type.

A row gives the operation class and, for each attribute of the specification, how its text is read. Older versions of an
operation that differ from the newest are upgraded here.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from xdsl.ir import Attribute

from loomir.dialects import element_types as et
from loomir.dialects.ov.base import AttrValue, OvOperation
from loomir.errors import Error

ELEMENTS: dict[str, Attribute] = {
    "boolean": et.i1, "i8": et.i8, "i16": et.i16, "i32": et.i32, "i64": et.i64, "u8": et.ui8, "u16": et.ui16,
    "u32": et.ui32, "u64": et.ui64, "f16": et.f16, "bf16": et.bf16, "f32": et.f32, "f64": et.f64,
}  # fmt: skip


def element_type(text: str) -> Attribute:
    """The element type that an IR names. Error: `unsupported-type`."""
    found = ELEMENTS.get(text.lower())
    if found is None:
        raise Error(
            "unsupported-type",
            f"element type '{text}' is not supported",
            hint=f"known: {', '.join(ELEMENTS)}",
        )
    return found


def _bool(text: str) -> bool:
    lowered = text.strip().lower()
    if lowered in ("true", "1"):
        return True
    if lowered in ("false", "0"):
        return False
    raise ValueError(text)


def _ints(text: str) -> list[int]:
    return [int(t) for t in text.split(",")] if text.strip() else []


def _floats(text: str) -> Attribute:
    from xdsl.dialects.builtin import DenseArrayBase, f64

    return DenseArrayBase.from_list(f64, [float(t) for t in text.split(",")] if text.strip() else [])


def _words(text: str) -> Attribute:
    from xdsl.dialects.builtin import ArrayAttr, StringAttr

    return ArrayAttr([StringAttr(t.strip()) for t in text.split(",") if t.strip()])


def _lower(text: str) -> str:
    return text.strip().lower()


Reader = Callable[[str], AttrValue]


@dataclass(frozen=True)
class Row:
    """One layer type: family file and class of the operation, and its attributes (IR name → reader)."""

    family: str
    class_name: str
    attributes: Mapping[str, Reader] = field(default_factory=dict)
    variadic: bool = False

    @property
    def operation(self) -> type[OvOperation]:
        return getattr(importlib.import_module(f"loomir.dialects.ov.{self.family}"), self.class_name)


_BROADCAST = {"auto_broadcast": _lower}
_WINDOW = {"strides": _ints, "pads_begin": _ints, "pads_end": _ints, "auto_pad": _lower}
_RNN = {
    "hidden_size": int, "activations": _words, "activations_alpha": _floats, "activations_beta": _floats, "clip": float,
}  # fmt: skip
_SEQUENCE = {**_RNN, "direction": _lower}

ROWS: dict[str, Row] = {
    **{
        name: Row("elementwise_unary", f"{cls}Op")
        for name, cls in {
            "Abs": "Abs", "Negative": "Negative", "Sqrt": "Sqrt", "Exp": "Exp", "Log": "Log", "Tanh": "Tanh",
            "Sigmoid": "Sigmoid", "ReLU": "ReLU", "Relu": "ReLU", "Floor": "Floor", "Ceiling": "Ceiling", "Sign": "Sign",
        }.items()
    },
    "Clamp": Row("elementwise_unary", "ClampOp", {"min": float, "max": float}),
    **{
        name: Row("elementwise_binary", f"{name}Op", _BROADCAST)
        for name in ("Add", "Subtract", "Multiply", "Power", "Maximum", "Minimum", "Mod", "FloorMod", "SquaredDifference")
    },
    "Divide": Row("elementwise_binary", "DivideOp", {**_BROADCAST, "m_pythondiv": _bool}),
    **{
        name: Row("comparison", f"{name}Op", _BROADCAST)
        for name in (
            "Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual", "LogicalAnd", "LogicalOr", "LogicalXor",
            "Select",
        )
    },
    "LogicalNot": Row("comparison", "LogicalNotOp"),
    "Convert": Row("conversion", "ConvertOp", {"destination_type": element_type}),
    "ConvertLike": Row("conversion", "ConvertLikeOp"),
    **{
        name: Row("reduction", f"{name}Op", {"keep_dims": _bool})
        for name in (
            "ReduceSum", "ReduceMean", "ReduceMin", "ReduceMax", "ReduceProd", "ReduceLogicalAnd", "ReduceLogicalOr",
            "ReduceL1", "ReduceL2",
        )
    },
    "MatMul": Row("matmul", "MatMulOp", {"transpose_a": _bool, "transpose_b": _bool}),
    "Convolution": Row("convolution", "ConvolutionOp", {**_WINDOW, "dilations": _ints}),
    "GroupConvolution": Row("convolution", "GroupConvolutionOp", {**_WINDOW, "dilations": _ints}),
    "AvgPool": Row(
        "pooling", "AvgPoolOp", {**_WINDOW, "kernel": _ints, "exclude-pad": _bool, "rounding_type": _lower}
    ),
    "MaxPool": Row(
        "pooling", "MaxPoolOp",
        {**_WINDOW, "kernel": _ints, "dilations": _ints, "rounding_type": _lower, "index_element_type": element_type,
         "axis": int},
    ),
    "SoftMax": Row("normalisation", "SoftmaxOp", {"axis": int}),
    "Softmax": Row("normalisation", "SoftmaxOp", {"axis": int}),
    "LogSoftmax": Row("normalisation", "LogSoftmaxOp", {"axis": int}),
    "Reshape": Row("reshape", "ReshapeOp", {"special_zero": _bool}),
    "Squeeze": Row("reshape", "SqueezeOp", {"allow_axis_skip": _bool}),
    "Unsqueeze": Row("reshape", "UnsqueezeOp"),
    "Transpose": Row("reshape", "TransposeOp"),
    "ShapeOf": Row("reshape", "ShapeOfOp", {"output_type": element_type}),
    "Slice": Row("slicing", "SliceOp"),
    "StridedSlice": Row(
        "slicing", "StridedSliceOp",
        dict.fromkeys(("begin_mask", "end_mask", "new_axis_mask", "shrink_axis_mask", "ellipsis_mask"), _ints),
    ),
    "Split": Row("slicing", "SplitOp", {"num_splits": int}),
    "VariadicSplit": Row("slicing", "VariadicSplitOp"),
    "Gather": Row("gathering", "GatherOp", {"batch_dims": int}),
    "Concat": Row("joining", "ConcatOp", {"axis": int}, variadic=True),
    "Tile": Row("joining", "TileOp"),
    "Broadcast": Row("broadcasting", "BroadcastOp", {"mode": _lower}),
    "Range": Row("broadcasting", "RangeOp", {"output_type": element_type}),
    "Pad": Row("broadcasting", "PadOp", {"pad_mode": _lower}),
    "LSTMCell": Row("recurrent", "LSTMCellOp", {**_RNN, "input_forget": _bool}),
    "GRUCell": Row("recurrent", "GRUCellOp", {**_RNN, "linear_before_reset": _bool}),
    "RNNCell": Row("recurrent", "RNNCellOp", _RNN),
    "LSTMSequence": Row("recurrent", "LSTMSequenceOp", {**_SEQUENCE, "input_forget": _bool}),
    "GRUSequence": Row("recurrent", "GRUSequenceOp", {**_SEQUENCE, "linear_before_reset": _bool}),
    "RNNSequence": Row("recurrent", "RNNSequenceOp", _SEQUENCE),
}  # fmt: skip


@cache
def row_of(type_: str) -> Row:
    """The row of a layer type. Error: `unknown-operator`."""
    row = ROWS.get(type_)
    if row is None:
        raise Error(
            "unknown-operator", f"no operator '{type_}' is known", hint="docs/operators.md lists what is"
        )
    return row


def read_attributes(row: Row, data: Mapping[str, str]) -> dict[str, AttrValue]:
    """The operation's properties from the text of `<data>`. Error: `bad-attribute`.

    Attributes that the row does not name (layout hints of old writers) do not change the result and are left out.
    """
    properties: dict[str, AttrValue] = {}
    for name, read in row.attributes.items():
        text = data.get(name)
        if text is None:
            continue
        try:
            properties[name.replace("-", "_")] = read(text)
        except ValueError as error:
            raise Error("bad-attribute", f"{name}='{text}' cannot be read") from error
    return properties


def parse_dimensions(text: str) -> list[int] | None:
    """A Const's or Parameter's `shape`: `"16, 3"`, `"?,2..5,3"`, `""`, `"..."` (None); -1 where it is no number.

    Intervals (`2..5`) are kept only as "dynamic". Error: `bad-attribute`.
    """
    if text.strip() == "...":
        return None
    extents: list[int] = []
    for part in text.split(",") if text.strip() else []:
        part = part.strip()
        try:
            extents.append(-1 if part == "?" or ".." in part or part == "-1" else int(part))
        except ValueError as error:
            raise Error("bad-attribute", f"shape='{text}' cannot be read") from error
        if extents[-1] < -1:
            raise Error("bad-attribute", f"shape='{text}' has a negative extent")
    return extents


def const_dtype(data: Mapping[str, str]) -> np.dtype:
    """The numpy dtype of a Const."""
    if "element_type" not in data:
        raise Error("ir-structure", "a Const has no element_type")
    return et.dtype_of(element_type(data["element_type"]))
