"""Constants, and operations that are gone in GRAPH: Identity, Dropout at inference."""

from __future__ import annotations

import numpy as np

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import SET_VALUES, Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates

VALUE_FORMS = (
    "value", "value_float", "value_floats", "value_int", "value_ints", "value_string", "value_strings", "sparse_value"
)  # fmt: skip


@translates("Constant", 1, 9, 11, 12, 13, 19, 21, 23, 24, 25)
def constant(node: Node) -> Results:
    """Exactly one of the value attributes."""
    forms = [name for name in VALUE_FORMS if node.has(name)]
    if len(forms) != 1:
        raise Error("invalid-onnx", f"a Constant has one value, here are {len(forms)}")
    match forms[0]:
        case "value":
            array = node.tensor("value")
        case "value_float":
            array = np.array(node.float("value_float"), np.float32)
        case "value_floats":
            array = np.array(node.floats("value_floats"), np.float32)
        case "value_int":
            array = np.array(node.int("value_int"), np.int64)
        case "value_string":
            array = np.array(node.string("value_string"), object)
        case "value_strings":
            array = np.array(node.strings("value_strings"), object)
        case "sparse_value":
            array = node.tensor("sparse_value")
        case _:
            array = np.array(node.ints("value_ints"), np.int64)
    return node.constant(array)


@translates("ConstantOfShape", 9, 20, 21, 23, 24, 25)
def constant_of_shape(node: Node) -> Results:
    """One element, by default the float 0, repeated."""
    value = node.tensor("value") if node.has("value") else np.zeros(1, np.float32)
    if value.size != 1:
        raise Error("invalid-onnx", f"the value must have one element, not {value.size}")
    return node.op(BroadcastOp, node.constant(value.reshape(())), node.input(0))


@translates("Identity", 1, 13, 14, 16, 19, 21, 23, 24, 25)
def identity(node: Node) -> Results:
    """The value itself."""
    return node.input(0)


@translates("Dropout", 1, 6, 7, 10, 12, 13, 22)
def dropout(node: Node) -> Results:
    """Nothing at inference; the mask says that every element is kept."""
    data = node.input(0)
    mode = node.optional(2)
    training = node.known(mode) if mode is not None else np.array(False)
    old_training = node.version < 7 and not node.int("is_test", 0)
    if (training is None or training.any() or old_training) and not _drops_nothing(node):
        hint = SET_VALUES if training is None else None
        raise Error("unsupported-attribute", "Dropout in training mode is not supported", hint=hint)
    if not node.wants(1):
        return data
    # Before version 12 the mask is not defined at inference; ONNX Runtime gives zeros.
    element = np.bool_ if node.version >= 10 else dtype_of(node.element(data))
    mask = node.constant(np.array(node.version >= 12, element))
    return [data, node.op(BroadcastOp, mask, node.shape_of(data))]


def _drops_nothing(node: Node) -> bool:
    """Return True if the ratio is known to be 0."""
    if node.version < 12:
        return node.float("ratio", 0.5) == 0
    ratio = None if node.optional(1) is None else node.known(node.input(1))
    return ratio is not None and not ratio.any()
