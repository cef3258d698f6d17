"""Helpers of the specification's tests.

Extensions of the old kind, written into a folder, and transformations that look at a graph.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import onnx.parser
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from loomir.compiler.formats import load_module, load_unconverted
from loomir.dialects.interface import main_function
from loomir.tools.model_optimizer.mo.bridge import run_front, run_later
from loomir.tools.model_optimizer.mo.graph.graph import Graph
from loomir.tools.model_optimizer.mo.transformations import (
    BackReplacementPattern,
    FrontReplacementPattern,
    MiddleReplacementPattern,
)

PHASES = {
    "front": FrontReplacementPattern,
    "middle": MiddleReplacementPattern,
    "back": BackReplacementPattern,
}


def model(text: str) -> onnx.ModelProto:
    """A model of ONNX's textual form."""
    return onnx.parser.parse_model(dedent(text))


def folder(root: Path, files: dict[str, str]) -> Path:
    """A folder of extensions: texts by file."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
    return root


def at(phase: str, proto: onnx.ModelProto, *functions: Callable[[Graph], object]) -> ModuleOp:
    """Run functions as transformations of a phase, one after the other; in the front phase after the built-in extractors."""
    classes: list[type] = []
    for number, function in enumerate(functions):

        def find_and_replace_pattern(self, graph: Graph, function=function) -> None:
            function(graph)

        def run_after(self, before=tuple(classes)) -> list[type]:
            return list(before)

        held = {
            "enabled": True,
            "run_not_recursively": True,
            "find_and_replace_pattern": find_and_replace_pattern,
            "run_after": run_after,
        }
        classes.append(type(f"Step{number}", (PHASES[phase],), held))
    command = Namespace(static_shape=False)
    if phase == "front":
        module = load_unconverted(proto)
        run_front(module, [], classes, command)
    else:
        module = load_module(proto)
        run_later(module, phase, classes, command)
    return module


def operations(module: ModuleOp) -> list[Operation]:
    """Return the operations of `main`, without its terminator."""
    return list(main_function(module).body.block.ops)[:-1]
