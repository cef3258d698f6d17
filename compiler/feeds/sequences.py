"""Sequences and optionals at the boundary of a lowered program.

There they are tensors (see `convert-ovseq-to-ov`).

A list of arrays is `x/data` and, unless the elements' shapes are all alike, `x/shapes`; an optional is `x/has` and its
value. `loomir.of` and `loomir.part` on the arguments and results of `main` group the tensors that belong together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.feeds.infos import OptionalInfo, SequenceInfo, TensorInfo, ValueInfo
from loomir.dialects.interface import arguments_of, main_function, results_of
from loomir.dialects.ovseq.types import GraphValue


@dataclass(frozen=True)
class Boundary:
    """Tensors of a program's sequence and optional outputs.

    The mapping is output name → part → tensor name.
    """

    outputs: Mapping[str, Mapping[str, str]]

    @staticmethod
    def of(program: ModuleOp) -> Boundary:
        """Read the attributes of `main`, in any stage without `seq`."""
        function = main_function(program)
        outputs: dict[str, dict[str, str]] = {}
        buffers = [e for e in arguments_of(function) if e.role == "output"]
        for entry in (*buffers, *results_of(function)):
            if entry.part is not None and entry.name is not None:
                owner, part = entry.part
                outputs.setdefault(owner, {})[part] = entry.name
        return Boundary(outputs)

    def assemble(self, tensors: Mapping[str, np.ndarray]) -> dict[str, Any]:
        """Return the outputs as the user sees them.

        These are lists, None, and unchanged tensors.
        """
        if not self.outputs:
            return dict(tensors)
        parts = {name for group in self.outputs.values() for name in group.values()}
        made: dict[str, Any] = {n: t for n, t in tensors.items() if n not in parts}
        for owner, group in self.outputs.items():
            made[owner] = _value({part: tensors[name] for part, name in group.items()})
        return made


def assembled_infos(outputs: Sequence[tuple[ValueInfo, tuple[str, str] | None]]) -> list[ValueInfo]:
    """Return the user's descriptions of outputs.

    An output comes with its part if it belongs to a sequence, an optional or a tensor of unknown rank.
    """
    found: dict[str, ValueInfo] = {}
    groups: dict[str, dict[str, TensorInfo]] = {}
    for info, part in outputs:
        if part is None or not isinstance(info, TensorInfo):
            found[info.name] = info
            continue
        group = groups.setdefault(part[0], {})
        group[part[1]] = info
        found[part[0]] = _info(part[0], group)
    return list(found.values())


def _info(name: str, parts: Mapping[str, TensorInfo]) -> ValueInfo:
    if "flat" in parts:
        return TensorInfo(name, parts["flat"].dtype, None)
    if "data" in parts:
        shape = parts["data"].shape
        value: TensorInfo | SequenceInfo = SequenceInfo(
            name, TensorInfo(name, parts["data"].dtype, None if shape is None else shape[1:])
        )
    elif "slots" in parts:
        value = SequenceInfo(name, TensorInfo(name, parts["slots"].dtype, None))
    else:
        held = next(parts[part] for part in ("value", *parts) if part in parts)
        value = TensorInfo(name, held.dtype, held.shape, quantisation=held.quantisation)
    return OptionalInfo(name, value) if "has" in parts else value


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
    if "flat" in parts:
        return parts["flat"].reshape(parts["extents"])
    if "data" in parts:
        # Elements of their own: the buffer they are in is nobody's business.
        return [np.array(element) for element in parts["data"]]
    slots, extents = parts["slots"], parts["shapes"].tolist()
    if "ranks" in parts:
        extents = [shape[:rank] for shape, rank in zip(extents, parts["ranks"].tolist())]
    return [slot[: prod(shape)].reshape(shape) for slot, shape in zip(slots, extents)]
