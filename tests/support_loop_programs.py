"""Small programs of loops, each run before and after passes: what comes out is the same, errors included."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.pipeline import run_passes
from loomir.dialects.interface import argument_names, main_function
from loomir.errors import Error

HEAD = """
  %zero = ov.constant dense<0> : t<i64> : t<i64>
  %one = ov.constant dense<1> : t<i64> : t<i64>
  %two = ov.constant dense<2> : t<i64> : t<i64>
  %three = ov.constant dense<3> : t<i64> : t<i64>
  %five = ov.constant dense<5> : t<i64> : t<i64>
  %minus = ov.constant dense<-1> : t<i64> : t<i64>
  %false = ov.constant dense<false> : t<i1> : t<i1>
  %axes = ov.constant dense<0> : t<1xi64> : t<1xi64>
"""
INPUTS: Mapping[str, tuple[str, Sequence[object]]] = {
    "n": ("t<i64>", (0, 1, 4)),
    "c": ("t<i1>", (True, False)),
    "k": ("t<i64>", (2,)),
    "v": ("t<f32>", (0.5,)),
    "a": ("t<1xf32>", ([0.25],)),
    "b": ("t<1xf32>", ([4.0],)),
    "x": ("t<3xf32>", ([1, 2, 4],)),
    "z": ("t<6xf32>", ([1, 2, 4, 8, 16, 32],)),
    "m": ("t<3x3xf32>", ([[1, 2, 3], [4, 5, 6], [7, 8, 9]],)),
    "p": ("t<?xf32>", ([], [1, 2, 4], [1, 2, 4, 8, 16])),
    "q": ("t<?xf32>", ([3, 5, 7, 9],)),
}
"""Inputs of programs: types, and the values taken in turn."""


@dataclass(frozen=True)
class Program:
    """Operations that give `%r`, and its type; `t<` is short for `tensor<`."""

    name: str
    type: str
    text: str

    def module(self) -> ModuleOp:
        """The program, with the inputs that it reads."""
        read = [name for name in INPUTS if re.search(rf"%{name}\b", self.text)]
        inputs = ", ".join(f"%{name}: {INPUTS[name][0]}" for name in read)
        text = f"func.func @main({inputs}) -> {self.type} {{{HEAD}{self.text}\n  func.return %r : {self.type}\n}}"
        return parse_module(re.sub(r"\bt<", "tensor<", text))

    def feeds(self) -> list[dict[str, np.ndarray]]:
        """Every combination of the inputs' values."""
        module = self.module()
        main = main_function(module)
        read = [name for name in INPUTS if re.search(rf"%{name}\b", self.text)]
        kinds = {"i64": np.int64, "i1": np.bool_, "f32": np.float32}
        types = [kinds[re.split(r"[<x>]", INPUTS[name][0])[-2]] for name in read]
        names = argument_names(main)
        return [
            {name: np.array(value, type_) for name, value, type_ in zip(names, values, types)}
            for values in product(*(INPUTS[name][1] for name in read))
        ]

    def assert_same_after(self, passes: str) -> ModuleOp:
        """Run the program with every feed before and after passes; the program after them."""
        written = self.module()
        after = written.clone()
        run_passes(after, passes, verify_each=True)
        for feed in self.feeds():
            before, now = _outcome(written, feed), _outcome(after, feed)
            if isinstance(before, str) or isinstance(now, str):
                assert before == now
                continue
            for name, value in before.items():
                np.testing.assert_array_equal(now[name], value, strict=True)
        return after


def _outcome(module: ModuleOp, feed: Mapping[str, np.ndarray]) -> Mapping[str, Any] | str:
    try:
        return GraphEngine(module, max_iterations=100).run(feed).outputs
    except Error as error:
        return error.identifier
