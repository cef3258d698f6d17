"""Contents of the pair of files: untrusted XML, and a `.bin`.

The parser for the XML of an untrusted model allows no DTD, no entities and no network access, and bounds size and depth.

Attributes of OpenVINO IR elements are known; there are warnings for others, which no importer reads. An unknown attribute may
be a typing error (`strid="-1"`), after which the file does not mean what its author intended.

The `.bin` beside an `.xml` is memory-mapped. Every range is checked before it is accessed. Types of fewer than eight bits share
bytes. Constants of types that GRAPH only moves (u1, u3, u6, nf4) are widened: integers to u8, nf4 to f32. A `.bin` that is
written has all Consts of a net and its bodies; equal Consts are stored once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np
from lxml import etree

from loomir.compiler.files import map_file, read_file
from loomir.compiler.formats.openvino.network import integer
from loomir.dialects.element_types import dtype_of
from loomir.dialects.numerics import SHARED_BITS, packed, packed_size, unpacked
from loomir.dialects.ov.layers import OWN, attributes_of
from loomir.dialects.ov.layers.attributes import element_type
from loomir.dialects.ov.layers.format import ATTRIBUTE, ELEMENT, TAIL_BYTES, digest_in
from loomir.errors import Error, FormatWarning, Where, warn

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
        raise Error("xml-syntax", f"the module's description of the model is not XML: {error}") from error


def _check_depth(root: etree._Element, path: Path) -> None:
    depth = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > MAX_DEPTH:
            raise Error("model-too-deep", f"elements are nested more than {MAX_DEPTH} deep", file=str(path))


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
                hint=f"known: {', '.join(f'<{t}>' for t in known)}",
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
    of_data = () if root.get("version") == "10" else _unread_of_data(root)
    for found in (*_unread_of_elements(root), *_unread_of_ranges(root), *of_data):
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


def _unread_of_elements(root: etree._Element) -> Iterator[_Unread]:
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
                "has no effect without an axis"
                if sliced
                else "is ignored: such an element has no such attribute"
            )
            yield _Unread(first, attribute, why, len(elements))


def _unread_of_ranges(root: etree._Element) -> Iterator[_Unread]:
    for attribute, usual in _USUAL.items():
        others = "".join(f"[. != '{value}']" for value in usual)
        elements = _selected(root, f"//port_map/output[@axis][@{attribute}{others}][not(ancestor::rt_info)]")
        if elements:
            yield _Unread(elements[0], attribute, "has no effect: all parts are concatenated", len(elements))


def _unread_of_data(root: etree._Element) -> Iterator[_Unread]:
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
            found[kind] = _Unread(first, name, f"is ignored: {kind} has no such attribute", count + 1)
    yield from found.values()


def _selected(root: etree._Element, path: str) -> list[etree._Element]:
    found = root.xpath(path)
    assert isinstance(found, list)
    return [element for element in found if isinstance(element, etree._Element)]


class WeightsReader:
    """Constants of a model, as read-only views of the mapped file.

    Nothing in a `.bin` is aligned, so a view at an odd offset is an unaligned numpy array (which numpy supports).
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._bytes: np.ndarray | None = None

    def check_pair(self, digest: str | None) -> None:
        """Reject weights whose digest differs from that of the `.xml`.

        Weights without a digest are rejected if the `.xml` has one, and vice versa. Errors: `bin-mixed`, `bin-missing`.

        A pair in which neither file has a digest cannot be checked; a missing file is reported when a constant is read.
        """
        if not self._path.exists():
            return
        found = digest_in(self._map()[-TAIL_BYTES:].tobytes())
        if found != digest:
            of_xml = "the .xml has no digest" if digest is None else f"the .xml has the digest {digest[:12]}…"
            of_bin = "none" if found is None else f"{found[:12]}…"
            raise Error(
                "bin-mixed",
                f"{self._path.name} does not belong to this .xml, or is not whole: {of_xml}, the .bin {of_bin}",
                hint="write the model again, or get both files from one place: a save that was killed may leave such a pair",
            )

    def array(self, dtype: np.dtype, shape: tuple[int, ...], offset: int, size: int) -> np.ndarray:
        """The constant of `size` bytes at `offset`. Errors: `bin-missing`, `bin-range`, `const-size`."""
        expected = prod(shape) * dtype.itemsize
        # OpenVINO writes one byte for a constant without elements.
        if size < expected:
            raise Error(
                "const-size", f"size {size} does not fit {dtype}{list(shape)}, which takes {expected} bytes"
            )
        size = expected
        if size == 0:
            return np.zeros(shape, dtype)
        data = self._map()
        if offset < 0 or offset + size > data.size:
            raise Error(
                "bin-range",
                f"bytes {offset} to {offset + size} are outside {self._path.name}, which has {data.size}",
                hint="the .bin is truncated or belongs to another .xml",
            )
        raw = data[offset : offset + size]
        if dtype == np.bool_:
            # Anything but 0 and 1 in a bool is undefined behaviour in numpy and C alike.
            return (raw != 0).reshape(shape)
        return raw.view(dtype).reshape(shape)

    def _map(self) -> np.ndarray:
        if self._bytes is None:
            try:
                self._bytes = map_file(self._path)
            except Error as error:
                raise Error(
                    "bin-missing",
                    f"the weights {self._path.name}: {error.what}",
                    hint="keep the .bin beside the .xml, with the same name (it may be a link to a file elsewhere)",
                ) from error
        return self._bytes


_SPLIT = {"u3": 2, "u6": 4}
"""Number of low bits per element in groups of three bytes.

Two bytes hold this many low bits of each element, one byte holds the remaining bits, highest first.
"""

_NF4 = np.array(
    [
        -1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
        -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634,
        0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0,
    ],
    np.float32,
)  # fmt: skip
"""Quantiles of the normal distribution that the codes of nf4 represent."""


def read_constant(
    weights: WeightsReader, name: str, shape: tuple[int, ...], offset: int, size: int
) -> np.ndarray:
    """Return the constant stored at `offset`, with a dtype of GRAPH.

    Errors: `unsupported-type`, `bin-missing`, `bin-range`, `const-size`.
    """
    name, count = name.lower(), prod(shape)
    if name in SHARED_BITS:
        bits = SHARED_BITS[name]
        raw = weights.array(np.dtype(np.uint8), (packed_size(count, bits),), offset, size)
        codes = unpacked(raw, count, bits, high_first=name == "u1")
    elif name in _SPLIT:
        groups = -(-count * _SPLIT[name] // 16)
        raw = weights.array(np.dtype(np.uint8), (groups, 3), offset, size)
        codes = _joined(raw, _SPLIT[name])[:count]
    else:
        return weights.array(dtype_of(element_type(name)), shape, offset, size)
    codes = codes.reshape(shape)
    if name == "nf4":
        return _NF4[codes]
    return codes if name in ("u1", "u3", "u6") else codes.view(dtype_of(element_type(name)))


def _joined(groups: np.ndarray, low_bits: int) -> np.ndarray:
    """Return the codes of elements that are split within a group.

    Some of their bits are in the first two bytes of a group, the others in the third.
    """
    in_group = 16 // low_bits
    low = unpacked(groups[:, :2].reshape(-1), len(groups) * in_group, low_bits, high_first=True)
    high_bits = 8 // in_group
    high = unpacked(groups[:, 2], len(groups) * in_group, high_bits, high_first=True)
    return low | (high << low_bits)


class WeightsWriter:
    """Future contents of the `.bin` file.

    Contiguous arrays are not copied.
    """

    def __init__(self) -> None:
        self._pieces: list[np.ndarray] = []
        self._places: dict[bytes, int] = {}
        self.size = 0

    def place(self, array: np.ndarray, element: str) -> tuple[int, int]:
        """Place an array and return its offset and size in bytes.

        `element` is OpenVINO's name of the element type.
        """
        data = _stored(array, element)
        digest = hashlib.sha256(data.data).digest()
        offset = self._places.get(digest)
        if offset is None:
            offset = self._places[digest] = self.size
            self._pieces.append(data)
            self.size += data.size
        return offset, data.size

    def digest(self) -> bytes:
        """Return a digest that identifies these weights.

        It is a digest of the pieces' digests.
        """
        return hashlib.sha256(b"".join(self._places)).digest()

    def pieces(self) -> Iterator[memoryview]:
        """The bytes of all constants, in order."""
        return (piece.data for piece in self._pieces)


def _stored(array: np.ndarray, element: str) -> np.ndarray:
    if array.size == 0:
        # As OpenVINO writes it: a Const has a place in the file even where it has no elements.
        return np.zeros(1, np.uint8)
    raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return packed(raw, SHARED_BITS[element]) if element in SHARED_BITS else raw
