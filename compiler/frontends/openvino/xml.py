"""Parser for the XML of an untrusted model.

It allows no DTD, no entities and no network access, and bounds size and depth.
"""

from __future__ import annotations

from pathlib import Path

from lxml import etree

from loomir.compiler.files import read_file
from loomir.errors import Error

MAX_BYTES = 1 << 30
"""Larger `.xml` files are refused; weights are not in them."""

MAX_DEPTH = 400
"""Nesting of elements; each nested body takes five levels."""


def read_xml(path: Path) -> etree._Element:
    """The root element. Errors: `file-unreadable`, `file-too-large`, `xml-syntax`, `xml-forbidden`."""
    text = read_file(path, MAX_BYTES)
    # huge_tree lifts libxml2's limit on depth, which would be reported as a syntax error: ours is below.
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, dtd_validation=False, remove_comments=True,
        remove_pis=True, huge_tree=True,
    )  # fmt: skip
    try:
        root = etree.fromstring(text, parser)
    except etree.XMLSyntaxError as error:
        raise Error("xml-syntax", f"not well-formed XML: {error.msg}", file=str(path)) from error
    if root.getroottree().docinfo.doctype:  # pyright: ignore[reportAttributeAccessIssue]
        raise Error("xml-forbidden", "a document type declaration is not allowed in a model", file=str(path))
    _check_depth(root, path)
    return root


def model_info_text(element: etree._Element) -> str:
    """Return a model's metadata in a form independent of white space.

    The white space is that between elements in the file.
    """
    text = etree.tostring(element, encoding="unicode", with_tail=False)
    return etree.tostring(model_info(text), encoding="unicode")


def model_info(text: str) -> etree._Element:
    """Parse the metadata of a model from text of any origin.

    Error: `xml-syntax`.
    """
    parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, remove_blank_text=True)
    try:
        return etree.fromstring(text, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise Error("xml-syntax", f"what the module says of the model is no XML: {error}") from error


def _check_depth(root: etree._Element, path: Path) -> None:
    depth = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > MAX_DEPTH:
            raise Error("model-too-deep", f"elements are nested more than {MAX_DEPTH} deep", file=str(path))
