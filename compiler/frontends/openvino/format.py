"""Known attributes of OpenVINO IR elements, and warnings for others.

No importer reads an unknown attribute. It may be a typing error (`strid="-1"`), after which the file does not mean what
its author intended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from loomir.compiler.frontends.openvino.elements import element_text, line_of
from loomir.dialects.ov.layers.pairs import ATTRIBUTE, ELEMENT
from loomir.dialects.ov.layers.rows import OWN, attributes_of
from loomir.errors import FormatWarning, Where, warn

_ENDS = "from-layer from-port to-layer to-port"
_ENTRY = "external_port_id internal_layer_id internal_port_id purpose axis"

ATTRIBUTES: Mapping[str, str] = {
    "net": "name version batch",
    f"net/{ELEMENT}": ATTRIBUTE,
    "layers": "",
    "layers/layer": "id name type version output_names",
    "layer/input": "",
    "layer/output": "",
    "input/port": "id precision",
    "output/port": "id precision names",
    "port/dim": "",
    "edges": "",
    "edges/edge": _ENDS,
    "body": "",
    "then_body": "",
    "else_body": "",
    "port_map": "",
    "then_port_map": "",
    "else_port_map": "",
    "port_map/*[@axis]": f"{_ENTRY} start end stride part_size",
    "port_map/*[not(@axis)]": _ENTRY,
    "then_port_map/*": _ENTRY,
    "else_port_map/*": _ENTRY,
    "back_edges": "",
    "back_edges/edge": _ENDS,
}
"""Attributes of each element, which is identified by its path's end.

Where a purpose or an axis is not allowed, `port_maps` rejects it.

Writers older than v10 emit `batch` and `internal_port_id`. The contents of `rt_info` are the writer's own.
"""

_USUAL: Mapping[str, tuple[str, ...]] = {"start": ("0", "-1"), "end": ("0", "-1")}
"""Accepted range attributes of a concatenated output.

They have no effect.
"""


@dataclass(frozen=True)
class _Unread:
    """Unread attribute, and the number of elements of its kind with one."""

    element: etree._Element
    attribute: str
    why: str
    count: int


def warn_of_unread(root: etree._Element, path: Path) -> None:
    """Warn (`FormatWarning`) of attributes that their elements do not have.

    For each kind of element, the warning names the first one.
    """
    # Writers of v10 leave attributes that no operator of the set has (`output_padding` of a Convolution).
    of_data = () if root.get("version") == "10" else _of_data(root)
    for found in (*_of_elements(root), *_of_ranges(root), *of_data):
        layer = next(found.element.iterancestors("layer"), found.element)
        where = Where(
            f"{path}:{line_of(found.element)}",
            layer.get("name", layer.get("id")) if layer.tag == "layer" else None,
            layer.get("type"),
        )
        others = f" ({found.count - 1} more such elements)" if found.count > 1 else ""
        warn(
            FormatWarning(f"{where}: {found.attribute} in {element_text(found.element)} {found.why}{others}")
        )


def _of_elements(root: etree._Element) -> Iterator[_Unread]:
    # One walk in C for each kind: a net of a hundred thousand layers has a million elements.
    for path, names in ATTRIBUTES.items():
        known = " or ".join(f"name()='{name}'" for name in names.split())
        unknown = f"@*[not({known})]" if known else "@*"
        elements = _selected(root, f"//{path}[{unknown}][not(ancestor::rt_info)]")
        if elements:
            first = elements[0]
            attribute = next(str(name) for name in first.keys() if name not in names.split())  # noqa: SIM118
            sliced = attribute in ("start", "end", "stride", "part_size") and first.get("axis") is None
            why = (
                "counts for nothing without an axis"
                if sliced
                else "is read by nobody: such an element has none"
            )
            yield _Unread(first, attribute, why, len(elements))


def _of_ranges(root: etree._Element) -> Iterator[_Unread]:
    for attribute, usual in _USUAL.items():
        others = "".join(f"[. != '{value}']" for value in usual)
        elements = _selected(root, f"//port_map/output[@axis][@{attribute}{others}][not(ancestor::rt_info)]")
        if elements:
            yield _Unread(elements[0], attribute, "counts for nothing: all parts are joined", len(elements))


def _of_data(root: etree._Element) -> Iterator[_Unread]:
    found: dict[str, _Unread] = {}
    for data in _selected(root, "//layers/layer/data[@*][not(ancestor::rt_info)]"):
        layer = data.getparent()
        assert layer is not None
        kind = layer.get("type", "")
        known = attributes_of(kind) if layer.get("version") != OWN else None
        unknown = None if known is None else next((str(n) for n in data.keys() if n not in known), None)  # noqa: SIM118
        if unknown is not None:
            before = found.get(kind)
            first, name, count = (
                (data, unknown, 0) if before is None else (before.element, before.attribute, before.count)
            )
            found[kind] = _Unread(first, name, f"is read by nobody: {kind} has none", count + 1)
    yield from found.values()


def _selected(root: etree._Element, path: str) -> list[etree._Element]:
    found = root.xpath(path)
    assert isinstance(found, list)
    return [element for element in found if isinstance(element, etree._Element)]
