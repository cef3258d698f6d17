"""Extensions of the old kind, and small models that have what each is for: the Model Optimizer was run with both.

The first six make the calls that public extensions make (docs/model-optimizer-extensions.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnx
import onnx.parser

FOLDER = Path(__file__).parents[1] / "fixtures" / "model-optimizer" / "extensions"
FIXTURE = FOLDER.with_name("extensions.json")
DUMP = Path(__file__).with_name("dump")
"""An extension that writes the graph at the end of each phase."""
PHASES = ("front", "middle", "back")


@dataclass(frozen=True)
class Case:
    """A model in ONNX's text, and the nodes of it, with graphs in nodes as `loop/inner`, that the extension makes or changes."""

    name: str
    extension: str
    text: str
    nodes: tuple[str, ...]
    attributes: tuple[str, ...] = ()
    opset: int = 11
    phases: tuple[str, ...] = ("front", "middle")
    calls: Mapping[str, int] | None = None
    """How often each function of the API is called."""

    @property
    def model(self) -> onnx.ModelProto:
        return onnx.parser.parse_model(f'<ir_version: 7, opset_import: ["" : {self.opset}]> {self.text}')


def _unpooling(inputs: str, corner: str, size: str) -> str:
    return f"""g (float[1,2,8,8] x{inputs}) => (float[A,B,C,D] y) {{
      [pooling] p, i = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x)
      [single] f, j = MaxPool <kernel_shape = [1, 1], strides = [1, 1]> (x)
      {corner}
      [difference] d = Sub (i, s)
      [between] a = Tanh (p)
      [unpooling] u = Unpooling (a, d{size})
      [last] y = Relu (u)
    }}"""


_CORNER = "[corner] s = Slice <axes = [2, 3], starts = [0, 0], ends = [1, 1]> (j)"
_CORNER_BY_INPUTS = """
      [starts] b = Constant <value = int64[2] {0, 0}> ()
      [ends] e = Constant <value = int64[2] {1, 1}> ()
      [axes] k = Constant <value = int64[2] {2, 3}> ()
      [corner] s = Slice (j, b, e, k)"""
_SCATTER = {
    "__init__": 1, "connect": 1, "create_node": 1, "disconnect": 1, "get_connection": 1, "get_source": 2, "in_node": 3,
    "in_nodes": 1, "in_port": 3, "in_ports": 1, "out_node": 3, "out_port": 4, "set_source": 1,
}  # fmt: skip
_READER = {"__init__": 1, "in_node": 1, "in_nodes": 1, "out_node": 1, "update_node_stat": 1}

LATER = """g (float[2,3] x) => (float[2,3] y) <float[3] w = {1, 2, 3}> {
  [rectified] a = Relu (x)
  [product] b = Mul (a, w)
  [logistic] c = Sigmoid (b)
  [tangent] y = Tanh (c)
}"""
LOOP = """g (float[2] x, float[2] k, bool c, int64 n) => (float[2] y) {
  [outer] o = Tanh (k)
  [loop] y = Loop (n, c, x) <body = b (int64 i, bool ci, float[2] v) => (bool co, float[2] w) {
    [go] co = Identity (ci)
    [inner] r = Relu (v)
    [sum] w = Add (r, o)
  }>
}"""

CASES = [
    Case(
        "pool-scatter", "pool_scatter", _unpooling("", _CORNER, ""), ("unpooling/scatter",), opset=9, calls=_SCATTER
    ),
    Case(
        "pool-scatter-sized", "pool_scatter", _unpooling(", float[1,2,8,8] z", _CORNER, ", z"),
        ("unpooling/scatter",), opset=9, calls={**_SCATTER, "get_source": 3, "in_port": 4, "out_port": 3},
    ),
    Case(
        "pool-scatter-inputs", "pool_scatter_inputs", _unpooling("", _CORNER_BY_INPUTS, ""), ("unpooling/scatter",),
        calls=_SCATTER,
    ),
    Case(
        "fourier", "fourier",
        """g (float[2,3,4,8,2] x) => (float[A,B,C,D,E] y) {
          [axes] k = Constant <value = int64[2] {2, 3}> ()
          [forth] f = FourierForth <inverse = 0, centered = 1> (x, k)
          [between] r = Relu (f)
          [back] y = FourierBack <centered = 0> (r, k)
        }""",
        ("forth", "back"), ("inverse", "centered"), calls={"__init__": 2, "onnx_attr": 3, "update_node_stat": 2},
    ),
    Case(
        "complex-product", "complex_product",
        """g (float[3,2,4,2] x, float[3,2,4,2] z) => (float[A,B,C,D] y) {
          [before] r = Relu (x)
          [product] y = ComplexProduct <conjugate = 1> (r, z)
        }""",
        ("product",), calls=_READER,
    ),
    Case(
        "grid-values", "grid_values",
        """g (float[1,2,6,8] x, float[1,4,5,2] w) => (float[A,B,C,D] y) {
          [before] r = Relu (x)
          [values] s = GridSample (r, w)
          [last] y = Tanh (s)
        }""",
        ("values",), calls={**_READER, "in_node": 3, "out_node": 3},
    ),
    Case(
        "later-phases", "later_phases", LATER,
        ("rectified", "rectified/forth", "rectified/back", "product", "logistic", "logistic/renamed"),
        opset=13, phases=("middle",),
    ),
    Case(
        "back", "later_phases", LATER, ("tangent/Sin", "tangent/Cos", "logistic/renamed"), opset=13, phases=("back",)
    ),
    Case(
        "bodies", "bodies", LOOP, ("loop/inner/exponential", "loop/sum"), opset=13, phases=("back",)
    ),
]  # fmt: skip


def summary(dumped: Mapping[str, Any], case: Case) -> dict[str, Any]:
    """Return the compared properties of a graph.

    For each node they are its kind, the operations that produce its inputs, and the known facts about its outputs.
    """
    return {path: _node(*_found(dumped, path), case.attributes) for path in case.nodes}


def _found(nodes: Mapping[str, Any], path: str) -> tuple[Mapping[str, Any], Any]:
    """The graph that has a node, and the node; None where it is not there."""
    if path in nodes:
        return nodes, nodes[path]
    outer, _, rest = path.partition("/")
    for graph in nodes.get(outer, {}).get("graphs", {}).values():
        return _found(graph, rest)
    return nodes, None


def _node(graph: Mapping[str, Any], node: Any, attributes: tuple[str, ...]) -> Any:
    if node is None:
        return None
    return {
        "op": node["op"],
        "type": node["type"],
        # (The Model Optimizer says it last.)
        "version": node["version"] or "extension",
        "attributes": {name: node["attributes"].get(name) for name in attributes},
        "inputs": {port: _source(graph, given) for port, given in node["inputs"].items()},
        "outputs": node["outputs"],
    }


def _source(graph: Mapping[str, Any], given: Any) -> Any:
    """Constants and inputs of bodies by what they are: nobody gave them their names."""
    if given is None:
        return None
    name, port = given
    source = graph[name]
    if source["op"] == "Const":
        value = source["attributes"].get("value")
        # (Dimensions of extent 1 may stand before the others.)
        return ["Const", value[0] if isinstance(value, list) and len(value) == 1 else value]
    return [source["op"], None if source["op"] == "Parameter" else name, port]
