"""Decompositions of composite operations to simpler ones, by operator family.

Each group of operator families has a module in `operators/`. Its functions register
themselves with `@decomposes(SomeOp)` and return the values that replace the operation's results:

>>> @decomposes(SoftmaxOp)
... def softmax(op: SoftmaxOp, build: GraphBuilder) -> Sequence[SSAValue]:
...     axes = build.constant(np.array([to_int(op.axis)]))
...     shifted = build.make(SubtractOp, op.data, build.make(ReduceMaxOp, op.data, axes, …))

A decomposition may emit composite operations; `ov-decompose` repeats until there are none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from xdsl.ir import Operation, SSAValue

from loomir.dialects.families import Undo, add_to, families
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


def add_decomposition(op_class: type[Operation], decomposition: Decomposition) -> Undo:
    """An extension's decomposition of an operation of its own. Error: `extension-clash`."""
    return add_to(_DECOMPOSITIONS, op_class, decomposition, f"a decomposition of {op_class.name}")


@cache
def _load() -> None:
    list(families(f"{__name__}.operators"))  # each registers its own


def decomposition_of(op_class: type[Operation]) -> Decomposition | None:
    """Return the decomposition of an operation.

    None if the operation is primitive (or its decomposition is missing).
    """
    _load()
    return _DECOMPOSITIONS.get(op_class)
