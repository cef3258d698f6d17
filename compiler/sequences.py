"""Sequences and optionals at the boundary of a lowered program, where they are tensors (see `convert-seq-to-ov`).

A list of arrays is `x/data` and, where the elements' shapes are not all alike, `x/shapes`; an optional is `x/has` and its value.
`loomir.of` and `loomir.part` on the arguments and results of `main` say which tensors belong together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr

from loomir.compiler.specialise import main_function
from loomir.dialects.seq.evaluate import GraphValue
from loomir.passes.graph.convert_seq_to_ov.control_flow import OF, PART


@dataclass(frozen=True)
class Boundary:
    """Which tensors a program's outputs that are sequences or optionals consist of: name → part → tensor's name."""

    outputs: Mapping[str, Mapping[str, str]]

    @staticmethod
    def of(program: ModuleOp) -> Boundary:
        """Read the attributes of `main`, in any stage without `seq`."""
        function = main_function(program)
        outputs: dict[str, dict[str, str]] = {}
        results = function.res_attrs.data if function.res_attrs is not None else ()
        arguments = function.arg_attrs.data if function.arg_attrs is not None else ()
        buffers = [e for e in arguments if _text(e, "loomir.role") == "output"]
        for entry in (*buffers, *results):
            owner, part, name = _text(entry, OF), _text(entry, PART), _text(entry, "loomir.name")
            if owner is not None and part is not None and name is not None:
                outputs.setdefault(owner, {})[part] = name
        return Boundary(outputs)

    def assemble(self, tensors: Mapping[str, np.ndarray]) -> dict[str, Any]:
        """What the user sees: lists, None, and tensors as they are."""
        if not self.outputs:
            return dict(tensors)
        parts = {name for group in self.outputs.values() for name in group.values()}
        made: dict[str, Any] = {n: t for n, t in tensors.items() if n not in parts}
        for owner, group in self.outputs.items():
            made[owner] = _value({part: tensors[name] for part, name in group.items()})
        return made


def assembling(
    program: ModuleOp, engine: Callable[[Mapping[str, Any]], dict[str, np.ndarray]]
) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """An engine that gives what the user sees of the program's outputs."""
    boundary = Boundary.of(program)
    if not boundary.outputs:
        return engine
    return lambda feed: boundary.assemble(engine(feed))


def _value(parts: Mapping[str, np.ndarray]) -> GraphValue:
    if "has" in parts and not bool(parts["has"]):
        return None
    if "value" in parts:
        return parts["value"]
    if "data" in parts:
        # Elements of their own: the buffer they are in is nobody's business.
        return [np.array(element) for element in parts["data"]]
    slots, extents = parts["slots"], parts["shapes"].tolist()
    if "ranks" in parts:
        extents = [shape[:rank] for shape, rank in zip(extents, parts["ranks"].tolist())]
    return [slot[: prod(shape)].reshape(shape) for slot, shape in zip(slots, extents)]


def _text(entry: DictionaryAttr, key: str) -> str | None:
    value = entry.data.get(key)
    return value.data if isinstance(value, StringAttr) else None
