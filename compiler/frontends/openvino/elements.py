"""XML elements as errors show them, and what is read of them."""

from __future__ import annotations

from collections.abc import Iterable

from lxml import etree

from loomir.compiler.frontends.openvino.network import integer
from loomir.errors import Error


def element_text(element: etree._Element) -> str:
    """Return an element as it stands in the file, for a message.

    It is on one line of limited length.
    """
    attributes = "".join(f' {k}="{v}"' for k, v in element.attrib.items())
    text = " ".join(f"<{element.tag}{attributes}>".split())
    return text if len(text) <= 160 else f"{text[:150]}…>"


def line_of(element: etree._Element) -> int:
    """The line of the file in which an element begins."""
    return element.sourceline or 1


def children(holder: etree._Element, tags: Iterable[str]) -> Iterable[etree._Element]:
    """Yield an element's children, all of which must have these tags.

    Error: `ir-structure`.
    """
    known = tuple(tags)
    for element in holder:
        if element.tag not in known:
            raise Error(
                "ir-structure",
                f"{element_text(element)} in <{holder.tag}>",
                hint=f"there may be: {', '.join(f'<{t}>' for t in known)}",
            ).at(line=line_of(element))
        yield element


def integer_of(element: etree._Element, attribute: str, default: int | None = None) -> int:
    """Return an integer attribute.

    Raises `Error("ir-structure")`, with the element and its line, if it is missing or not an integer.
    """
    try:
        return integer(element, attribute, default)
    except Error as error:
        raise Error(
            "ir-structure",
            f"{error.what}: {element_text(element)}",
            hint=f'write an integer: {attribute}="{"…" if default is None else default}"',
        ).at(line=line_of(element)) from error
