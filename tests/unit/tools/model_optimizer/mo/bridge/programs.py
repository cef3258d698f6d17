"""Small programs, and functions that run as transformations on them."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import Any

import onnx.parser
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.extensions.extension import Transformation
from loomir.compiler.formats import convert_front
from loomir.compiler.formats.mlir.parser import make_context
from loomir.compiler.formats.onnx.importer import load_front
from loomir.compiler.pipeline import run_passes
from loomir.tools.model_optimizer.convert.phases import run_phase
from loomir.tools.model_optimizer.mo.bridge import run_front, run_later
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from loomir.tools.model_optimizer.mo.transformations import (
    BackReplacementPattern,
    FrontReplacementPattern,
    MiddleReplacementPattern,
)

COMMAND = Namespace(static_shape=False, framework="onnx", transformations_config=None)
BASES = {"front": FrontReplacementPattern, "middle": MiddleReplacementPattern, "back": BackReplacementPattern}
INFERENCE = ("ov-resolve-custom", "ov-remove-unneeded", "ov-infer", "ov-fold-constants{keep-shapeof=true}")

CHAIN = """g (float[2,3] x) => (float[2,3] y) <float[3] w = {1, 2, 3}> {
  [first] a = Relu (x)
  [second] b = Add (a, w)
  [third] y = LeakyRelu <alpha = 0.5> (b)
}"""

LOOP = """g (float[2] x, float[2] k, bool c, int64 n) => (float[2] y) {
  [outer] o = Tanh (k)
  [loop] y = Loop (n, c, x) <body = b (int64 i, bool ci, float[2] v) => (bool co, float[2] w) {
    [go] co = Identity (ci)
    [inner] r = Relu (v)
    [sum] w = Add (r, o)
  }>
}"""

IF = """g (bool c, float[2] x, float[2] k) => (float[2] y) {
  [outer] o = Tanh (k)
  [choice] y = If (c) <
    then_branch = t () => (float[2] p) { [inner] p = Relu (x) },
    else_branch = e () => (float[2] q) { [other] q = Mul (x, o) }
  >
}"""


def model(text: str, opset: int = 18) -> onnx.ModelProto:
    """A model of one graph."""
    return onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : {opset}, "acme" : 1]> {text}')


def front(text: str) -> ModuleOp:
    """A model in FRONT."""
    return load_front(model(text))


def graph(text: str) -> ModuleOp:
    """A model in GRAPH, after partial inference."""
    module = front(text)
    convert_front(module)
    run_passes(module, INFERENCE)
    return module


def transformation(
    phase: str, action: Callable[[Graph], Any], bases: Sequence[type] = (), **members: Any
) -> type:
    """A transformation of the old kind that calls a function with the graph."""
    held = {"enabled": True, "find_and_replace_pattern": lambda self, graph: action(graph), **members}
    return type("Mine", (*bases, BASES[phase]), held)


def transformed(module: ModuleOp, phase: str, action: Callable[[Graph], Any], **members: Any) -> str:
    """Return a module's text after a transformation of a phase, verified."""
    cls = transformation(phase, action, **members)

    def run(module: ModuleOp) -> None:
        if phase == "front":
            run_front(module, [], [cls], COMMAND)
        else:
            run_later(module, phase, [cls], COMMAND)

    run_phase(module, [Transformation("Mine", phase, run)], make_context())  # type: ignore[arg-type]
    return str(module)


def named(graph: Graph, name: str) -> Node:
    """The node of a name, of the graph itself."""
    return Node(graph, graph.get_node_id_by_name(name))


def ignore(graph: Graph) -> None:
    """Changes nothing."""
