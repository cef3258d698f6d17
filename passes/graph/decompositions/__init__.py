"""How composite operations are made of simpler ones, one file per operator family.

Each family has a file here with the name of its file in `dialects/ov`, whose functions register themselves
with `@decomposes(SomeOp)` and return the values that replace the operation's results:

>>> @decomposes(SoftmaxOp)
... def softmax(op: SoftmaxOp, build: GraphBuilder) -> Sequence[SSAValue]:
...     axes = build.constant(np.array([to_int(op.axis)]))
...     shifted = build.make(SubtractOp, op.data, build.make(ReduceMaxOp, op.data, axes, …))

What a decomposition emits may be composite again; `ov-decompose` repeats until nothing is.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from xdsl.ir import Operation, SSAValue

from loomir.dialects.ov.graph_builder import GraphBuilder

Decomposition = Callable[[Any, GraphBuilder], Sequence[SSAValue]]

_DECOMPOSITIONS: dict[type[Operation], Decomposition] = {}


def decomposes(*classes: type[Operation]) -> Callable[[Decomposition], Decomposition]:
    """Register a function as the decomposition of these operations."""

    def register(function: Decomposition) -> Decomposition:
        for op_class in classes:
            assert getattr(op_class, "COMPOSITE", False), f"{op_class.name} is not composite"
            assert op_class not in _DECOMPOSITIONS, f"{op_class.name} is decomposed twice"
            _DECOMPOSITIONS[op_class] = function
        return function

    return register


@cache
def _load_families() -> None:
    from loomir.dialects.ov import FAMILIES

    for family in FAMILIES:
        if importlib.util.find_spec(f"loomir.passes.graph.decompositions.{family}") is not None:
            importlib.import_module(f"loomir.passes.graph.decompositions.{family}")


def decomposition_of(op_class: type[Operation]) -> Decomposition | None:
    """The decomposition of an operation, None where it is primitive (or its decomposition is missing)."""
    _load_families()
    return _DECOMPOSITIONS.get(op_class)
