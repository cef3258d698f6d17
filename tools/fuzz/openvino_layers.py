"""Plain operations of program trees (ONNX's operators) as layers of OpenVINO IR.

`LAYERS` has a function for each kind; it gets the writer of the present network and gives the outputs. Layers have the version that
is the newest of their class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from loomir.tools.fuzz import DTYPES, Op
from loomir.tools.fuzz.openvino_network import ELEMENT_TYPES, Port, Values

Emit = Callable[[Values, Op], Sequence[Port]]


class NotExpressible(Exception):
    """Error for a program that OpenVINO's operation set cannot express.

    The text of the error is the name of what has no layer.
    """


def emit_plain(w: Values, op: Op) -> Sequence[Port]:
    """The outputs of an operation. Raises `NotExpressible`."""
    emit = LAYERS.get(op.kind)
    if emit is None:
        raise NotExpressible(op.kind)
    return emit(w, op)


def _operands(w: Values, op: Op) -> list[Port]:
    return [w.port(v) for v in op.inputs if v is not None]


def _number(op: Op, name: str, default: int) -> int:
    value = op.attributes.get(name, default)
    assert isinstance(value, int)
    return value


def _array(w: Values, op: Op, position: int) -> np.ndarray | None:
    """Return the contents of a constant operand, or None if absent.

    The operand has to be a constant.
    """
    value = op.inputs[position] if position < len(op.inputs) else None
    if value is None:
        return None
    array = w.array(value)
    if array is None:
        raise NotExpressible(f"{op.kind} with a computed operand {position}")
    return array


def _same(kind: str, version: int = 1, **attributes: object) -> Emit:
    """One layer with the operands as they are."""

    def emit(w: Values, op: Op) -> Sequence[Port]:
        return [w.add(kind, version, _operands(w, op), Port.type_of(op.outputs[0]), **attributes)]

    return emit


def _constant(w: Values, op: Op) -> Sequence[Port]:
    value = op.attributes["value"]
    assert isinstance(value, np.ndarray)
    return [w.network.constant(value)]


def _identity(w: Values, op: Op) -> Sequence[Port]:
    return _operands(w, op)


def _chained(kind: str) -> Emit:
    """Any number of operands, two by two."""

    def emit(w: Values, op: Op) -> Sequence[Port]:
        first, *rest = _operands(w, op)
        for other in rest:
            first = w.add(kind, 1, [first, other], Port.type_of(op.outputs[0]))
        return [first]

    return emit


def _divide(w: Values, op: Op) -> Sequence[Port]:
    # ONNX rounds quotients of integers towards zero.
    return [w.add("Divide", 1, _operands(w, op), Port.type_of(op.outputs[0]), m_pythondiv=False)]


def _mod(w: Values, op: Op) -> Sequence[Port]:
    kind = "Mod" if _number(op, "fmod", 0) else "FloorMod"
    return [w.add(kind, 1, _operands(w, op), Port.type_of(op.outputs[0]))]


def _clip(w: Values, op: Op) -> Sequence[Port]:
    result = w.port(_first(op))
    for value, kind in zip(op.inputs[1:], ("Maximum", "Minimum")):
        if value is not None:
            result = w.add(kind, 1, [result, w.port(value)], Port.type_of(op.outputs[0]))
    return [result]


def _first(op: Op):
    value = op.inputs[0]
    assert value is not None
    return value


def _leaky(w: Values, op: Op) -> Sequence[Port]:
    x = _first(op)
    slope = np.array(op.attributes.get("alpha", 0.01), DTYPES[x.dtype])
    inputs = [w.port(x), w.constant(slope if x.shape == () else slope.reshape(1))]
    return [w.add("PReLU", 1, inputs, Port.type_of(op.outputs[0]))]


def _cast(w: Values, op: Op) -> Sequence[Port]:
    to = ELEMENT_TYPES[op.outputs[0].dtype]
    return [w.add("Convert", 1, _operands(w, op), Port.type_of(op.outputs[0]), destination_type=to)]


def _softmax(w: Values, op: Op) -> Sequence[Port]:
    axis = _number(op, "axis", -1)
    return [w.add("SoftMax", 8, _operands(w, op), Port.type_of(op.outputs[0]), axis=axis)]


def _concat(w: Values, op: Op) -> Sequence[Port]:
    axis = _number(op, "axis", 0)
    return [w.add("Concat", 1, _operands(w, op), Port.type_of(op.outputs[0]), axis=axis)]


def _split(w: Values, op: Op) -> Sequence[Port]:
    axis = _number(op, "axis", 0)
    lengths = _array(w, op, 1)
    if lengths is None:
        lengths = np.array([(v.shape or ())[axis] for v in op.outputs], np.int64)
    inputs = [w.port(_first(op)), w.constant(axis), w.constant(lengths)]
    types = [Port.type_of(v) for v in op.outputs]
    return w.network.layer("VariadicSplit", "opset1", inputs, types)[2]


def _transpose(w: Values, op: Op) -> Sequence[Port]:
    order = op.attributes.get("perm", tuple(reversed(range(_first(op).rank))))
    assert isinstance(order, tuple)
    inputs = [w.port(_first(op)), w.constant(order)]
    return [w.add("Transpose", 1, inputs, Port.type_of(op.outputs[0]))]


def _pad(w: Values, op: Op) -> Sequence[Port]:
    pads = _array(w, op, 1)
    assert pads is not None
    rank = _first(op).rank
    axes = _array(w, op, 3)
    begin, end = np.zeros(rank, np.int64), np.zeros(rank, np.int64)
    places = np.arange(rank) if axes is None else axes
    begin[places], end[places] = np.split(pads, 2)
    inputs = [w.port(_first(op)), w.constant(begin), w.constant(end)]
    mode = op.attributes.get("mode", "constant")
    fill = op.inputs[2] if len(op.inputs) > 2 else None
    if fill is not None:
        inputs.append(w.port(fill))
    return [w.add("Pad", 12, inputs, Port.type_of(op.outputs[0]), pad_mode=mode)]


def _slice(w: Values, op: Op) -> Sequence[Port]:
    data, start, stop = (w.port(v) for v in op.inputs[:3] if v is not None)
    axes, steps = (op.inputs[k] if k < len(op.inputs) else None for k in (3, 4))
    count = (op.inputs[1].shape or (0,))[0] if op.inputs[1] is not None else 0
    assert isinstance(count, int)
    inputs = [data, start, stop, w.port(steps) if steps else w.constant([1] * count)]
    if axes is not None:
        inputs.append(w.port(axes))
    return [w.add("Slice", 8, inputs, Port.type_of(op.outputs[0]))]


def _gather(w: Values, op: Op) -> Sequence[Port]:
    inputs = [*_operands(w, op), w.constant(_number(op, "axis", 0))]
    return [w.add("Gather", 8, inputs, Port.type_of(op.outputs[0]), batch_dims=0)]


def _gather_elements(w: Values, op: Op) -> Sequence[Port]:
    axis = _number(op, "axis", 0)
    indices = _array(w, op, 1)
    assert indices is not None
    # Indices from the end are ONNX's alone.
    extent = (_first(op).shape or ())[axis]
    inputs = [w.port(_first(op)), w.constant(np.where(indices < 0, indices + extent, indices))]
    return [w.add("GatherElements", 6, inputs, Port.type_of(op.outputs[0]), axis=axis)]


def _reduce(kind: str) -> Emit:
    def emit(w: Values, op: Op) -> Sequence[Port]:
        data = w.port(_first(op))
        axes = _array(w, op, 1)
        keep = bool(_number(op, "keepdims", 1))
        every = w.constant(axes) if axes is not None else _all_axes(w, data)
        return [w.add(kind, 1, [data, every], Port.type_of(op.outputs[0]), keep_dims=keep)]

    return emit


def _all_axes(w: Values, data: Port) -> Port:
    """Return the axes 0, 1, … of a value.

    The rank of the value may be dynamic.
    """
    if data.shape is not None:
        return w.constant(np.arange(len(data.shape), dtype=np.int64))
    shape = w.add("ShapeOf", 3, [data], ("i64", None), output_type="i64")
    rank = w.add("ShapeOf", 3, [shape], ("i64", (1,)), output_type="i64")
    scalar = w.add("Squeeze", 1, [rank, w.constant([0])], ("i64", ()))
    return w.add("Range", 4, [w.constant(0), scalar, w.constant(1)], ("i64", None), output_type="i64")


def _cum_sum(w: Values, op: Op) -> Sequence[Port]:
    flags = {n: bool(_number(op, n, 0)) for n in ("exclusive", "reverse")}
    return [w.add("CumSum", 3, _operands(w, op), Port.type_of(op.outputs[0]), **flags)]


def _extreme(mode: str) -> Emit:
    """Return an emitter of the position of the greatest or least element.

    Of several such elements, it is the first, by a stable sort.
    """

    def emit(w: Values, op: Op) -> Sequence[Port]:
        if _number(op, "select_last_index", 0):
            raise NotExpressible(f"{op.kind} of the last one")
        x = _first(op)
        axis = _number(op, "axis", 0) % x.rank
        shape = (*(x.shape or ())[:axis], 1, *(x.shape or ())[axis + 1 :])
        attributes = {
            "axis": axis,
            "mode": mode,
            "sort": "value",
            "stable": True,
            "index_element_type": "i64",
        }
        outputs = [(x.dtype, shape), ("i64", shape)]
        ports = w.network.layer("TopK", "opset11", [w.port(x), w.constant(1)], outputs, attributes)[2]
        if _number(op, "keepdims", 1):
            return [ports[1]]
        squeezed = w.add("Squeeze", 1, [ports[1], w.constant([axis])], Port.type_of(op.outputs[0]))
        return [squeezed]

    return emit


def _reshape(w: Values, op: Op) -> Sequence[Port]:
    special = not _number(op, "allowzero", 0)
    return [w.add("Reshape", 1, _operands(w, op), Port.type_of(op.outputs[0]), special_zero=special)]


def _shape(w: Values, op: Op) -> Sequence[Port]:
    start, end = op.attributes.get("start", 0), op.attributes.get("end")
    shape = w.add("ShapeOf", 3, _operands(w, op), ("i64", None), output_type="i64")
    if start == 0 and end is None:
        return [shape]
    assert isinstance(start, int)
    stop = end if isinstance(end, int) else 2**31
    inputs = [shape, *(w.constant([n]) for n in (start, stop, 1, 0))]
    return [w.add("Slice", 8, inputs, Port.type_of(op.outputs[0]))]


def _size(w: Values, op: Op) -> Sequence[Port]:
    shape = w.add("ShapeOf", 3, _operands(w, op), ("i64", None), output_type="i64")
    return [w.add("ReduceProd", 1, [shape, w.constant([0])], ("i64", ()), keep_dims=False)]


def _filled(w: Values, op: Op) -> Sequence[Port]:
    value = op.attributes.get("value", np.zeros(1, np.float32))
    assert isinstance(value, np.ndarray)
    inputs = [w.constant(value.reshape(())), *_operands(w, op)]
    return [w.add("Broadcast", 3, inputs, Port.type_of(op.outputs[0]), mode="numpy")]


def _range(w: Values, op: Op) -> Sequence[Port]:
    dtype = ELEMENT_TYPES[op.outputs[0].dtype]
    return [w.add("Range", 4, _operands(w, op), Port.type_of(op.outputs[0]), output_type=dtype)]


LAYERS: dict[str, Emit] = {
    "Constant": _constant,
    "Identity": _identity,
    "Neg": _same("Negative"),
    "Abs": _same("Abs"),
    "Sign": _same("Sign"),
    "Tanh": _same("Tanh"),
    "Sigmoid": _same("Sigmoid"),
    "Relu": _same("ReLU"),
    "Exp": _same("Exp"),
    "Log": _same("Log"),
    "Sqrt": _same("Sqrt"),
    "Floor": _same("Floor"),
    "Ceil": _same("Ceiling"),
    "Softplus": _same("SoftPlus", 4),
    "LeakyRelu": _leaky,
    "Add": _same("Add"),
    "Sub": _same("Subtract"),
    "Mul": _same("Multiply"),
    "Div": _divide,
    "Mod": _mod,
    "Pow": _same("Power"),
    "Max": _chained("Maximum"),
    "Min": _chained("Minimum"),
    "Clip": _clip,
    "BitwiseAnd": _same("BitwiseAnd", 13),
    "BitwiseOr": _same("BitwiseOr", 13),
    "BitwiseXor": _same("BitwiseXor", 13),
    "BitwiseNot": _same("BitwiseNot", 13),
    "And": _same("LogicalAnd"),
    "Or": _same("LogicalOr"),
    "Xor": _same("LogicalXor"),
    "Not": _same("LogicalNot"),
    "Less": _same("Less"),
    "LessOrEqual": _same("LessEqual"),
    "Greater": _same("Greater"),
    "GreaterOrEqual": _same("GreaterEqual"),
    "Equal": _same("Equal"),
    "Where": _same("Select"),
    "Cast": _cast,
    "Softmax": _softmax,
    "Slice": _slice,
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "ScatterND": _same("ScatterNDUpdate", 4),
    "Concat": _concat,
    "Split": _split,
    "Transpose": _transpose,
    "Expand": _same("Broadcast", 3, mode="bidirectional"),
    "Tile": _same("Tile"),
    "Pad": _pad,
    "ReduceSum": _reduce("ReduceSum"),
    "ReduceMean": _reduce("ReduceMean"),
    "ReduceMax": _reduce("ReduceMax"),
    "ReduceMin": _reduce("ReduceMin"),
    "ReduceProd": _reduce("ReduceProd"),
    "MatMul": _same("MatMul"),
    "CumSum": _cum_sum,
    "ArgMax": _extreme("max"),
    "ArgMin": _extreme("min"),
    "Unsqueeze": _same("Unsqueeze"),
    "Squeeze": _same("Squeeze"),
    "Reshape": _reshape,
    "Shape": _shape,
    "Size": _size,
    "ConstantOfShape": _filled,
    "Range": _range,
}
"""A function for each kind of operation."""
