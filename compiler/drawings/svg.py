"""SVG elements that a page or a notebook shows as they are.

Text is set through lxml, which escapes it: names of layers come from files. Colours of text follow the surroundings
(`currentColor`), so that a drawing suits light and dark pages. A drawn element of a layer has the attribute `data-layer`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lxml import etree
from lxml.builder import ElementMaker  # pyright: ignore[reportMissingImports]

NAMESPACE = "http://www.w3.org/2000/svg"
E = ElementMaker(namespace=NAMESPACE, nsmap={None: NAMESPACE})
"""Makes elements of SVG."""
HTML = ElementMaker()
"""Makes elements of HTML."""

LayerMark = Callable[[str], str]
"""From the name of a layer to the value of `data-layer`."""

CHARACTER = 6.7
"""Width of a character of `FONT`."""
FONT = {"font-family": "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace", "font-size": "11"}

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def printable(text: str) -> str:
    """Replace the characters that XML cannot hold."""
    return _NOT_IN_XML.sub("\ufffd", text)


class Svg(str):
    """Text of an SVG drawing, which Jupyter shows as a drawing."""

    def _repr_svg_(self) -> str:
        return str(self)


def drawing(width: float, height: float, title: str, *elements: etree._Element) -> Svg:
    """The drawing of these elements, as wide as its surroundings allow."""
    attributes = {
        "viewBox": f"0 0 {width:.0f} {height:.0f}",
        "width": f"{width:.0f}",
        "height": f"{height:.0f}",
        "role": "img",
        "style": "max-width: 100%; height: auto",
        **FONT,
    }
    return Svg(etree.tostring(E.svg(E.title(printable(title)), *elements, attributes), encoding="unicode"))


def rectangle(
    x: float, y: float, width: float, height: float, kind: str, **attributes: str
) -> etree._Element:
    """A rectangle of a CSS class."""
    place = {"x": x, "y": y, "width": max(width, 0.5), "height": max(height, 0.5)}
    return E.rect({name: f"{value:.1f}" for name, value in place.items()}, {"class": kind}, attributes)


def label(x: float, y: float, text: str, kind: str = "label", **attributes: str) -> etree._Element:
    """Text that begins at a point."""
    place = {"x": f"{x:.1f}", "y": f"{y:.1f}", "class": kind, "fill": "currentColor"}
    return E.text(printable(text), {**place, **{k.replace("_", "-"): v for k, v in attributes.items()}})


def marked(layer: str | None, mark: LayerMark, *elements: etree._Element, tip: str = "") -> etree._Element:
    """A group of elements of a layer.

    `tip` is shown while the pointer is on it.
    """
    group = E.g(*([E.title(printable(tip))] if tip else []), *elements)
    if layer is not None:
        group.set("data-layer", printable(mark(layer)))
    return group


def shortened(text: str, width: float, *, end: bool = False) -> str:
    """The text, cut to a width.

    It is empty if not even three characters fit. With `end` its end is kept: that of a layer's name tells it from its neighbours.
    """
    room = int(width / CHARACTER)
    if len(text) <= room:
        return text
    if room < 3:
        return ""
    return f"…{text[1 - room :]}" if end else f"{text[: room - 1]}…"


def size_text(size: int) -> str:
    """A number of bytes for a person: `132 B`, `12.5 KiB`."""
    for unit, power in (("MiB", 20), ("KiB", 10)):
        if size >= 1 << power:
            return f"{size / (1 << power):.1f} {unit}"
    return f"{size} B"
