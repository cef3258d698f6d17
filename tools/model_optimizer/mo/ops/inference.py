"""Inference of operations of operation sets.

The bridge to loomir's own operations provides it. Classes of extensions have their own `infer`; the table's operations
call the function that was set here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.scope import known

Inference = Callable[[Any], None]
"""Sets shapes, and values where they are known, of a node's outputs."""


def set_inference(function: Inference | None) -> Inference | None:
    """`function` infers from now on, or nothing does; returns what did before."""
    before = known().infer
    known().infer = function
    return before


def infer(node: Any) -> None:
    """Infer shapes and values of the node's outputs.

    Errors: `mo-infer-missing` if no inference function was set.
    """
    function = known().infer
    if function is None:
        raise Error(
            "mo-infer-missing",
            "nothing infers operations of operation sets here",
            layer=str(node.soft_get("name", node.id)),
            op=str(node.soft_get("type", node.soft_get("op"))),
            hint="loomir.tools.model_optimizer.mo.ops.inference.set_inference says what does",
        )
    function(node)
