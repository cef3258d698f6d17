"""Rows of `docs/optimisations.md`.

A row is a simplification of control flow, a program that shows just that, and a near miss.

The program and its near miss are in `programs/<name>.mlir`, one behind the other. What a checker asks of them after the passes is data:
numbers of *features* (`features.py`), such as `ov.if`, `ov.exp in ov.loop` or `carried values`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from zlib import crc32

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute

from loomir.compiler.formats.mlir.parser import parse_module
from loomir.dialects.element_types import dtype_of
from loomir.dialects.interface import Entry, argument_names, main_function, set_arguments

PROGRAMS = Path(__file__).parent / "programs"

Value = bool | int | float
Feed = Mapping[str, np.ndarray]

VALUES: Mapping[str, Sequence[Value]] = {
    "n": (0, 1, 5),
    "m": (3, 6),
    "k": (0, 2, 7),
    "s": (1, 3),
    "most": (6.0,),
    "c": (True, False),
    "d": (True, False),
}
"""Default values of the inputs by name, one after the other.

They are trip counts, positions, limits and conditions; a row may have others.
"""


@dataclass(frozen=True)
class Row:
    """One simplification.

    - `asks`: features that the optimised program has at most so often;
    - `keeps`: features that the optimised near miss still has at least so often;
    - `values`: what inputs of a name are, in every combination; those of no name in `VALUES` are drawn;
    - `passes`: what a user adds to the default pipeline, where the simplification is one that has to be asked for;
    - `tolerance`: by what share of the greatest element results may differ, where the simplification rounds otherwise (0: by no bit);
    - `static`: it is about static extents, so there is no variant with dynamic ones.
    """

    name: str
    statement: str
    asks: Mapping[str, int]
    keeps: Mapping[str, int]
    values: Mapping[str, Sequence[Value]] = field(default_factory=dict)
    passes: str = ""
    tolerance: float = 0.0
    static: bool = False

    def programs(self) -> tuple[ModuleOp, ModuleOp]:
        """The program and its near miss; inputs are called as their arguments are."""
        text = (PROGRAMS / f"{self.name}.mlir").read_text()
        own, near = re.split(r"^// -----$", text, flags=re.MULTILINE)
        return self._parsed(own), self._parsed(near)

    def _parsed(self, text: str) -> ModuleOp:
        module = parse_module(text, name=f"{self.name}.mlir")
        function = main_function(module)
        set_arguments(function, [Entry.of(name=argument.name_hint) for argument in function.args])
        return module

    def feeds(self, module: ModuleOp) -> list[Feed]:
        """Every combination of the values of inputs that have some; the others are drawn, by their name, from a fixed seed.

        Numbers that are drawn have few digits: sums of a few of them are exact in any order.
        """
        values = {**VALUES, **self.values}
        main = main_function(module)
        types = {name: argument.type for name, argument in zip(argument_names(main), main.args)}
        names = [name for name in types if name in values]
        drawn = {name: _drawn(name, t) for name, t in types.items() if name not in names}
        return [
            drawn | {name: _filled(types[name], value) for name, value in zip(names, chosen)}
            for chosen in product(*(values[name] for name in names))
        ]


def _filled(type_: Attribute, value: Value) -> np.ndarray:
    assert isinstance(type_, TensorType)
    return np.full(type_.get_shape(), value, dtype_of(type_.element_type))


def _drawn(name: str, type_: Attribute) -> np.ndarray:
    assert isinstance(type_, TensorType)
    random, dtype = np.random.default_rng(crc32(name.encode())), dtype_of(type_.element_type)
    shape = type_.get_shape()
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(dtype)
    if dtype.kind == "i":
        return random.integers(0, 4, shape).astype(dtype)
    return (random.integers(-8, 9, shape) / 8).astype(dtype)
