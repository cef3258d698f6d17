"""Types of values as OpenVINO IR says them: shapes, and ports."""

from __future__ import annotations

from collections.abc import Sequence

from lxml import etree
from xdsl.ir import SSAValue

from loomir.compiler.backends.openvino.names import joined
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.layers.attributes import PRECISIONS
from loomir.dialects.ov.layers.text import element_name
from loomir.dialects.tensors import AnyTensor
from loomir.errors import Error

_PRECISION = {name: precision for precision, name in PRECISIONS.items()}


def fact_of_port(value: SSAValue) -> Fact:
    """Return the element type and shape of a value.

    Raises `Error("unsupported-type")` for a sequence or an optional.
    """
    if not isinstance(value.type, AnyTensor):
        raise Error("unsupported-type", f"OpenVINO has no values of type {value.type}")
    return Fact.of_type(value.type)


def fact_in_body(value: SSAValue) -> Fact:
    """Return the element type and shape of a value, without bounds.

    A dynamic extent has no bounds: the Parameter of a body accepts any value from outside, where a reader finds the bounds.
    """
    fact = fact_of_port(value)
    if fact.shape is None:
        return fact
    return Fact(fact.element, tuple(extent if extent.static is not None else Dim() for extent in fact.shape))


def shape_text(fact: Fact) -> str:
    """Return a shape as the text that Parameters and Consts use.

    Examples: `1,3`, `?,2..5,..7`, `...` for an unknown rank, and the empty string for a scalar.
    """
    return "..." if fact.shape is None else ",".join(map(_extent, fact.shape))


def _extent(extent: Dim) -> str:
    if extent.static is not None:
        return str(extent.static)
    if extent.hi is None:
        return f"{extent.lo}.." if extent.lo else "?"
    return f"{extent.lo or ''}..{extent.hi}"


def add_port(holder: etree._Element, number: int, value: SSAValue, names: Sequence[str] = ()) -> None:
    """Add a `<port>` with the known properties of a value.

    `names` are the names of an output. Error: `unsupported-type`.
    """
    fact = fact_of_port(value)
    name = element_name(fact.element)
    port = etree.SubElement(holder, "port", id=str(number), precision=_PRECISION.get(name, name.upper()))
    if names:
        port.set("names", joined(names))
    for extent in fact.shape or ():
        etree.SubElement(port, "dim").text = str(-1 if extent.static is None else extent.static)
