"""Declared element types and shapes of Parameters and Consts.

An OpenVINO file declares them.
"""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Attribute

from loomir.compiler.frontends.openvino.network import Layer, declared_output
from loomir.dialects.ov.facts import Dim, Fact, Shape, check_shape
from loomir.dialects.ov.layers.attributes import PRECISIONS, int64, value_type
from loomir.errors import Error


def read_shape(text: str) -> Shape | None:
    """Parse a shape.

    Examples: `"16, 3"`, `"?,2..5,..7,3.."`, `""` (a scalar), `"..."` (None: any rank). Errors: `bad-attribute`,
    `shape-too-large`.

    Brackets around it, which `variable_shape` may have, are ignored.
    """
    text = text.strip().removeprefix("[").removesuffix("]").strip()
    if text == "...":
        return None
    extents: list[Dim] = []
    for part in text.split(",") if text else []:
        try:
            extents.append(_read_extent(part.strip()))
        except ValueError as error:
            raise Error("bad-attribute", f"shape='{text}' cannot be read") from error
    check_shape([extent.lo for extent in extents])
    return tuple(extents)


def _read_extent(text: str) -> Dim:
    if text in ("?", "-1"):
        return Dim()
    low, dots, high = text.partition("..")
    lo = int64(low) if low.strip() or not dots else 0
    hi = lo if not dots else int64(high) if high.strip() else None
    if lo < 0 or (hi is not None and hi < lo):
        raise ValueError(text)
    return Dim(lo, hi)


def declared_element(layer: Layer) -> Attribute:
    """The element type of a Parameter. Errors: `ir-structure`, `unsupported-type`."""
    return value_type(declared_type(layer))


def declared_type(layer: Layer) -> str:
    """Return the name of a Parameter's or Const's element type.

    The first writers declared it only at the output port.

    Error: `ir-structure`.
    """
    text = layer.data.get("element_type")
    if text is None:
        precision, _ = declared_output(layer, 0)
        if precision is None:
            raise Error("ir-structure", f"a {layer.type} has no element_type")
        text = PRECISIONS.get(precision.upper(), precision)
    return text


def output_type(layer: Layer, index: int) -> TensorType | UnrankedTensorType | None:
    """Return the declared type of an output port.

    It is None if the file declares no element type. Errors: `unsupported-type`, `bad-attribute`.
    """
    precision, extents = declared_output(layer, index)
    if precision is None:
        return None
    element = value_type(PRECISIONS.get(precision.upper(), precision))
    return shape_type(element, read_shape(",".join(extents)))


def declared_shape(layer: Layer) -> Shape | None:
    """Return the shape of a Parameter or Const.

    The first writers declared it only at the output port. Error: `bad-attribute`.
    """
    if "shape" in layer.data:
        return read_shape(layer.data["shape"])
    return read_shape(",".join(declared_output(layer, 0)[1]))


def shape_type(element: Attribute, shape: Shape | None) -> TensorType | UnrankedTensorType:
    """The type of a tensor of this shape; intervals are dynamic."""
    return Fact(element, shape).type
