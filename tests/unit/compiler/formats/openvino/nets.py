"""Programs in GRAPH as nets of OpenVINO IR, taken apart."""

from __future__ import annotations

from lxml import etree

from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.formats.openvino.writer import Document, document_of


def document(text: str, name: str = "m") -> Document:
    """The net of a program's text."""
    return document_of(parse_module(text), name)


def net(text: str) -> etree._Element:
    """Its root element."""
    return etree.fromstring(document(text).xml)


def layers(network: etree._Element) -> list[tuple[str | None, str | None]]:
    """Type and name of each layer of a network, in the order of the file."""
    return [(layer.get("type"), layer.get("name")) for layer in network.iterfind("layers/layer")]


def edges(network: etree._Element) -> list[tuple[int, int, int, int]]:
    """From which layer and port to which."""
    keys = ("from-layer", "from-port", "to-layer", "to-port")
    found = [tuple(int(edge.get(key, "")) for key in keys) for edge in network.iterfind("edges/edge")]
    return [(a, b, c, d) for a, b, c, d in found]


def layer(network: etree._Element, type_: str) -> etree._Element:
    """The only layer of a type."""
    (found,) = network.iterfind(f"layers/layer[@type='{type_}']")
    return found


def entries(element: etree._Element, place: str) -> list[dict[str, str]]:
    """The attributes of the elements below one."""
    holder = element.find(place)
    return [] if holder is None else [dict(each.attrib) for each in holder]
