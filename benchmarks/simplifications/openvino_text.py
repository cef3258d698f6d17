"""The features of `features.py` in the text of an OpenVINO model, whatever its operators."""

from __future__ import annotations

import re
from collections import Counter

from lxml import etree

LOOPS, BRANCHES = ("Loop", "TensorIterator"), ("If",)
BODIES = ("body", "then_body", "else_body")
UNCOUNTED = ("Const", "Parameter", "Result")
NAMES = {
    "fully_connected": "mat_mul",
    "batch_gather": "gather",
    "if": "if",
    "tensor_iterator": "loop",
    "scatter_ndupdate": "scatter_nd_update",
}
"""Names in the plugin or the format that differ from ours."""
UNKNOWN = {"unbounded loops"}
"""Features missing from the text: trip counts are in the weights."""


def features_of_text(text: str) -> Counter[str]:
    """How often there is of each feature; `operations` are all, without constants, inputs and outputs."""
    found: Counter[str] = Counter()
    _count(etree.fromstring(text.encode()), found, 0, 0)
    return found


def _name(type_: str) -> str:
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type_).lower()
    return f"ov.{NAMES.get(words, words)}"


def _count(net: etree._Element, found: Counter[str], loops: int, branches: int) -> None:
    shapes = {
        (layer.get("id"), port.get("id")): [dim.text for dim in port.findall("dim")]
        for layer in net.iterfind("layers/layer")
        for port in layer.iterfind("output/port")
    }
    for layer in net.iterfind("layers/layer"):
        type_ = layer.get("type", "")
        if type_ == "Result" and not loops and not branches:
            edge = net.find(f"edges/edge[@to-layer='{layer.get('id')}']")
            assert edge is not None
            found["dynamic results"] += "-1" in shapes[edge.get("from-layer"), edge.get("from-port")]
        if type_ in UNCOUNTED:
            continue
        name = _name(type_)
        found["operations"] += 1
        found[name] += 1
        found[f"{name} in ov.loop"] += loops > 0
        found[f"{name} in two loops"] += loops > 1
        found[f"{name} in ov.if"] += branches > 0
        found[f"{name} guarded"] += loops > 0 or branches > 0
        found[f"{name} outside ov.if"] += branches <= 0
        if type_ in LOOPS:
            _count_loop(layer, found)
        if type_ in BRANCHES:
            found["results of ov.if"] += len(layer.findall("output/port"))
        for kind in BODIES:
            if (body := layer.find(kind)) is not None:
                _count(body, found, loops + (type_ in LOOPS), branches + (type_ in BRANCHES))


def _count_loop(layer: etree._Element, found: Counter[str]) -> None:
    ports = [entry for entry in layer.iterfind("port_map/*") if entry.get("axis") is not None]
    found["carried values"] += len(layer.findall("back_edges/edge"))
    found["slices"] += sum(entry.tag == "input" for entry in ports)
    found["concatenations"] += sum(entry.tag == "output" for entry in ports)
    again = layer.find("port_map/output[@purpose='execution_condition']")
    if again is not None:
        ends = layer.find(f"body/layers/layer[@id='{again.get('internal_layer_id')}']")
        assert ends is not None
        made = layer.find(f"body/edges/edge[@to-layer='{ends.get('id')}']")
        assert made is not None
        maker = layer.find(f"body/layers/layer[@id='{made.get('from-layer')}']")
        found["conditions of loops"] += maker is not None and maker.get("type") not in ("Const", "Parameter")
