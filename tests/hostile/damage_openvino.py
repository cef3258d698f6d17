"""Damage to OpenVINO IR by who knows it: ports and edges, ranks and extents, attributes, port maps, constants."""

from __future__ import annotations

import random
from collections.abc import Callable
from copy import deepcopy

import numpy as np
from lxml import etree

from tests.hostile import extremes
from tests.hostile.mutations import mutated_xml

WIDTHS = {"i64": 8, "u64": 8, "f64": 8, "i32": 4, "u32": 4, "f32": 4, "i16": 2, "u16": 2, "f16": 2, "bf16": 2}

Element = etree._Element


class Net:
    """An IR that is being damaged: its XML and its weights."""

    def __init__(self, xml: bytes, weights: bytes, rng: random.Random) -> None:
        self.root = etree.fromstring(xml)
        self.weights = bytearray(weights)
        self.has_weights = True
        self.rng = rng

    @property
    def layers(self) -> list[Element]:
        """All layers, those of bodies too."""
        return self.root.findall(".//layer")

    def layer(self, *types: str) -> Element | None:
        """One of them, of one of these types if any are given."""
        found = [e for e in self.layers if not types or e.get("type") in types]
        return self.rng.choice(found) if found else None

    def operation(self) -> Element | None:
        """One that computes."""
        found = [e for e in self.layers if e.get("type") not in ("Parameter", "Result", "Const")]
        return self.rng.choice(found) if found else self.layer()

    @staticmethod
    def edges(layer: Element) -> Element | None:
        """The `<edges>` of the network that a layer is in."""
        holder = layer.getparent()
        parent = None if holder is None else holder.getparent()
        return None if parent is None else parent.find("edges")

    def entering(self, layer: Element) -> list[Element]:
        """The edges into a layer."""
        edges = self.edges(layer)
        if edges is None:
            return []
        return [e for e in edges.iterchildren("edge") if e.get("to-layer") == layer.get("id")]

    def beside(self, layer: Element) -> list[Element]:
        """The layers of the same network."""
        holder = layer.getparent()
        return [] if holder is None else list(holder.iterchildren("layer"))


def ports(layer: Element, side: str) -> list[Element]:
    """The input or output ports of a layer."""
    holder = layer.find(side)
    return [] if holder is None else list(holder.iterchildren("port"))


def remove(element: Element) -> None:
    """Take an element out of the tree."""
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)


def drop_inputs(net: Net) -> None:
    """A layer with fewer input ports than its operator has operands; sometimes with none."""
    layer = net.operation()
    found = [] if layer is None else ports(layer, "input")
    if layer is None or not found:
        return
    chosen = found if net.rng.random() < 0.15 else [net.rng.choice([found[-1], net.rng.choice(found)])]
    for port in chosen:
        for edge in net.entering(layer):
            if edge.get("to-port") == port.get("id"):
                remove(edge)
        remove(port)


def add_input(net: Net) -> None:
    """One input port more, fed like another layer's or from anywhere."""
    layer = net.operation()
    if layer is None:
        return
    holder = layer.find("input")
    if holder is None:
        holder = etree.SubElement(layer, "input")
    edges = net.edges(layer)
    sources = [(o, p) for o in net.beside(layer) if o is not layer for p in ports(o, "output")]
    if edges is None or not sources:
        return
    for _ in range(net.rng.choice((1, 1, 1, 2, 8))):
        other, port = net.rng.choice(sources)
        identifier = str(100 + len(holder))
        new = deepcopy(port)
        new.attrib.clear()
        new.set("id", identifier)
        holder.insert(net.rng.randrange(len(holder) + 1), new)
        edge = etree.SubElement(edges, "edge")
        for name, value in (
            ("from-layer", other.get("id")), ("from-port", port.get("id")), ("to-layer", layer.get("id")), ("to-port", identifier)
        ):  # fmt: skip
            edge.set(name, value or "0")


def swap_inputs(net: Net) -> None:
    """Operands in another order, by their edges or by their ports."""
    layer = net.operation()
    if layer is None:
        return
    edges, found = net.entering(layer), ports(layer, "input")
    if net.rng.random() < 0.3 and len(found) > 1:
        first = net.rng.choice(found)
        holder = first.getparent()
        assert holder is not None
        holder.insert(net.rng.randrange(len(found)), first)
    elif len(edges) > 1:
        a, b = net.rng.sample(edges, 2)
        for name in ("from-layer", "from-port"):
            old = a.get(name, "0")
            a.set(name, b.get(name, "0"))
            b.set(name, old)


def rewire(net: Net) -> None:
    """An operand that comes from somewhere else."""
    layer = net.operation()
    if layer is None or not (edges := net.entering(layer)):
        return
    edge = net.rng.choice(edges)
    others = [(o, p) for o in net.beside(layer) if o is not layer for p in ports(o, "output")]
    if others:
        other, port = net.rng.choice(others)
        edge.set("from-layer", other.get("id", "0"))
        edge.set("from-port", port.get("id", "0"))


def misnumber(net: Net) -> None:
    """An edge, or a port, with a number that is not there, that another one has, or that is none; an edge twice."""
    rng = net.rng
    edges, found = net.root.findall(".//edge"), net.root.findall(".//port")
    kind = rng.randrange(4)
    if kind <= 1 and edges:
        edge = rng.choice(edges)
        name = rng.choice(("from-layer", "from-port", "to-layer", "to-port"))
        edge.set(name, rng.choice((str(extremes.integer(rng, wide=True)), rng.choice(extremes.WORDS))))
    elif kind == 2 and edges:
        edge = rng.choice(edges)
        holder = edge.getparent()
        assert holder is not None
        holder.append(deepcopy(edge))
    elif found:
        other = rng.choice(found).get("id", "0")
        rng.choice(found).set("id", rng.choice((other, str(extremes.integer(rng, wide=True)))))


def change_outputs(net: Net) -> None:
    """An output port more or less."""
    layer = net.layer()
    found = [] if layer is None else ports(layer, "output")
    if not found:
        return
    holder = found[0].getparent()
    assert holder is not None
    if net.rng.random() < 0.5:
        remove(net.rng.choice(found))
    else:
        new = deepcopy(net.rng.choice(found))
        new.set("id", str(200 + len(found)))
        holder.append(new)


def change_shape(net: Net) -> None:
    """Another shape of a Parameter or a Const: in `<data>`, and often in its port."""
    layer = net.layer("Parameter", "Parameter", "Const")
    data = None if layer is None else layer.find("data")
    if layer is None or data is None:
        return
    old = [
        int(p) if p.strip().lstrip("-").isdigit() else -1
        for p in data.get("shape", "").split(",")
        if p.strip()
    ]
    new = extremes.extents(net.rng, old)
    open_ones = ("?", "-1", "1..5", "0..", "..9223372036854775807")
    words = [str(n) if n >= 0 or net.rng.random() < 0.2 else net.rng.choice(open_ones) for n in new]
    data.set("shape", ",".join(words) if net.rng.random() < 0.97 else "...")
    if layer.get("type") == "Const" and net.rng.random() < 0.6:
        size = WIDTHS.get(data.get("element_type", ""), 1)
        for n in new:
            size *= n
        data.set("size", str(size) if abs(size) < 10**400 else "1" * 400)


def change_attribute(net: Net) -> None:
    """An attribute of a layer that is out of its range, missing, or of another layer."""
    layer = net.operation()
    if layer is None:
        return
    data = layer.find("data")
    if data is None:
        data = etree.SubElement(layer, "data")
    names = sorted(map(str, data.attrib))
    kind = net.rng.randrange(10)
    if kind <= 6 and names:
        for _ in range(net.rng.choice((1, 1, 1, 2))):
            name = net.rng.choice(names)
            data.set(name, extremes.text(net.rng, data.get(name, "")))
    elif kind <= 8 and names:
        del data.attrib[net.rng.choice(names)]
    else:
        other = net.operation()
        theirs = None if other is None else other.find("data")
        for name, value in ({} if theirs is None else theirs.attrib).items():
            data.set(name, value)


def change_element(net: Net) -> None:
    """Another element type of a Parameter, a Const or an attribute."""
    found = [d for d in net.root.findall(".//data") if any("type" in str(a) for a in d.attrib)]
    if found:
        data = net.rng.choice(found)
        name = net.rng.choice([a for a in map(str, data.attrib) if "type" in a])
        data.set(name, net.rng.choice(extremes.ELEMENTS))


def change_operator(net: Net) -> None:
    """A layer that is another operator, or of another version."""
    layer, other = net.operation(), net.operation()
    if layer is None or other is None:
        return
    if net.rng.random() < 0.5:
        layer.set("version", f"opset{net.rng.randrange(17)}")
    else:
        layer.set("type", net.rng.choice((other.get("type", ""), *OPERATORS)))


def change_constant(net: Net) -> None:
    """The contents of a constant at the ends of its type; or the bytes of another one."""
    found = [d for d in net.root.findall(".//layer[@type='Const']/data") if d.get("offset") is not None]
    if not found:
        return
    data, other = net.rng.choice(found), net.rng.choice(found)
    if net.rng.random() < 0.25:
        for name in ("offset", "size"):
            if net.rng.random() < 0.7:
                data.set(name, other.get(name, "0"))
        return
    element = data.get("element_type", "")
    width = WIDTHS.get(element, 1)
    try:
        offset, size = int(data.get("offset", "0")), int(data.get("size", "0"))
    except ValueError:
        return
    count = max(0, min(size // width, 16))
    if element.startswith(("f", "b")) and width > 1:
        kind = np.float64 if width == 8 else np.float32 if width == 4 else np.float16
        with np.errstate(all="ignore"):
            new = np.array([net.rng.choice(extremes.FLOATS) for _ in range(count)]).astype(kind).tobytes()
    else:
        new = extremes.bytes_of_integers(net.rng, width, count)
    if count and net.rng.random() < 0.6:  # Only one element.
        at = width * net.rng.randrange(count)
        offset, new = offset + at, new[at : at + width]
    if 0 <= offset <= len(net.weights) - len(new):
        net.weights[offset : offset + len(new)] = new


def change_ports_of_body(net: Net) -> None:
    """A port map or a back edge that is wrong: ids, axes, ranges, entries twice or missing."""
    entries = [
        e for holder in ("port_map", "back_edges", "then_port_map", "else_port_map")
        for found in net.root.findall(f".//{holder}") for e in found
    ]  # fmt: skip
    if not entries:
        change_attribute(net)
        return
    entry = net.rng.choice(entries)
    kind = net.rng.randrange(8)
    names = sorted(map(str, entry.attrib))
    if kind <= 3 and names:
        name = net.rng.choice(names)
        entry.set(name, extremes.text(net.rng, entry.get(name, "")))
    elif kind == 4 and names:
        del entry.attrib[net.rng.choice(names)]
    elif kind == 5:
        remove(entry)
    elif kind == 6:
        parent = entry.getparent()
        assert parent is not None
        parent.append(deepcopy(entry))
    else:
        entry.set(
            net.rng.choice(("axis", "start", "end", "stride", "part_size", "purpose")),
            str(extremes.integer(net.rng, wide=True)),
        )


def change_layer(net: Net) -> None:
    """A layer removed, doubled, renamed."""
    layer = net.layer()
    if layer is None:
        return
    kind = net.rng.randrange(5)
    if kind == 0:
        remove(layer)
    elif kind == 1:
        for edge in net.entering(layer):
            remove(edge)
        remove(layer)
    elif kind == 2:
        parent = layer.getparent()
        assert parent is not None
        copy = deepcopy(layer)
        if net.rng.random() < 0.7:
            copy.set("id", str(5000 + len(parent)))
        parent.append(copy)
    elif kind == 3:
        layer.set(
            "name",
            net.rng.choice(
                ("", "a" * 100_000, "%", '"', "\\", "\u2028", "main", "a\tb", "\U0001f600", "../x", "int")
            ),
        )
    else:
        layer.set("id", str(extremes.integer(net.rng, wide=True)))


def change_weights(net: Net) -> None:
    """A `.bin` that is missing, shorter, longer, or has other bytes."""
    kind = net.rng.randrange(5)
    if kind == 4:
        net.has_weights = False
    elif kind == 0:
        del net.weights[net.rng.randrange(len(net.weights) + 1) :]
    elif kind == 1:
        net.weights += bytes(net.rng.randrange(64))
    elif kind == 2 and net.weights:
        del net.weights[: net.rng.randrange(1, 9)]
    else:
        for _ in range(min(8, len(net.weights))):
            net.weights[net.rng.randrange(len(net.weights))] = net.rng.choice((0, 1, 127, 128, 255))


def nest(net: Net) -> None:
    """Branches in branches beside what there is; at the outermost, a Parameter, the branch and a Result more."""
    layers, edges = net.root.find("layers"), net.root.find("edges")
    if layers is None or edges is None:
        return
    port = '<port id="{}" precision="BOOL"/>'
    begin = (
        '<layers><layer id="9001" name="p" type="Parameter" version="opset1"><data shape="" element_type="boolean"/>'
        f"<output>{port.format(0)}</output></layer>"
    )
    end = (
        f'<layer id="9003" name="r" type="Result" version="opset1"><input>{port.format(0)}</input></layer></layers>'
        '<edges><edge from-layer="{}" from-port="0" to-layer="9003" to-port="0"/>{}</edges>'
    )
    plain = begin + end.format("9001", "")
    maps = "".join(
        f'<{b}_port_map><input external_port_id="0" internal_layer_id="9001"/>'
        f'<output external_port_id="0" internal_layer_id="9003"/></{b}_port_map>'
        for b in ("then", "else")
    )
    head = f'<layer id="9002" name="if" type="If" version="opset8"><input>{port.format(0)}</input><output>{port.format(0)}</output>'
    before = f"{begin}{head}{maps}<else_body>{plain}</else_body><then_body>"
    edge = '<edge from-layer="9001" from-port="0" to-layer="9002" to-port="0"/>'
    after = "</then_body></layer>" + end.format("9002", edge)
    depth = min(extremes.depth(net.rng), 500)  # libxml2 makes no deeper tree.
    made = etree.fromstring(
        f"<net>{before * depth}{plain}{after * depth}</net>", etree.XMLParser(huge_tree=True)
    )
    layers.extend(made.findall("layers/layer"))
    edges.extend(made.findall("edges/edge"))


def change_anything(net: Net) -> None:
    """Any attribute or element of the file."""
    text = mutated_xml(etree.tostring(net.root), net.rng)
    net.root = etree.fromstring(text, etree.XMLParser(huge_tree=True))


DAMAGES: list[tuple[int, Callable[[Net], None]]] = [
    (6, drop_inputs), (3, add_input), (3, swap_inputs), (5, rewire), (2, change_outputs), (7, change_shape), (10, change_attribute),
    (4, change_element), (2, change_operator), (7, change_constant), (5, change_ports_of_body), (2, change_layer), (1, change_weights),
    (3, change_anything), (2, misnumber), (1, nest),
]  # fmt: skip

OPERATORS: list[str] = []
"""Layer types of the corpus, for `change_operator`."""


def damaged(xml: bytes, weights: bytes, rng: random.Random) -> tuple[bytes, bytes | None]:
    """The files with one to three mistakes; None for a `.bin` that is missing."""
    net = Net(xml, weights, rng)
    functions = [f for _, f in DAMAGES]
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
        rng.choices(functions, [w for w, _ in DAMAGES])[0](net)
    return etree.tostring(net.root), bytes(net.weights) if net.has_weights else None
