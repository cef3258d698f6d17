"""Registry of lowerings, found by the class of the operation.

>>> @lowers(ReLUOp)
... def relu(op: ReLUOp, low: Lowering) -> Shaped: …
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from xdsl.ir import Operation

from loomir.dialects.extensible import Undo, add_to
from loomir.dialects.families import families
from loomir.passes.structured.lowering.shaped import Shaped

LoweringFunction = Callable[..., Shaped | Sequence[Shaped]]
_LOWERINGS: dict[type[Operation], LoweringFunction] = {}


def lowers(*classes: type[Operation]) -> Callable[[LoweringFunction], LoweringFunction]:
    """Register a function as the lowering of these operations."""

    def register(function: LoweringFunction) -> LoweringFunction:
        for op_class in classes:
            assert op_class not in _LOWERINGS, f"{op_class.name} is lowered twice"
            _LOWERINGS[op_class] = function
        return function

    return register


def add_lowering(op_class: type[Operation], function: LoweringFunction) -> Undo:
    """An extension's lowering of an operation of its own. Error: `extension-clash`."""
    return add_to(_LOWERINGS, op_class, function, f"a lowering of {op_class.name}")


@cache
def _load() -> None:
    list(families("loomir.passes.structured.lowering.operators"))  # each registers its own


def lowering_of(op_class: type[Operation]) -> LoweringFunction | None:
    """Return the lowering of an operation class, or None."""
    _load()
    return _LOWERINGS.get(op_class)
