"""What primitive `ov` operations compute, in numpy: the reference that every lowering is compared with.

`evaluate(op, arrays)` dispatches on the operation's class. Each family has a file here with the name of its file in
`dialects/ov`, whose functions register themselves with `@evaluates(SomeOp, …)`:

>>> @evaluates(AddOp)
... def add(op: AddOp, a: np.ndarray, b: np.ndarray) -> np.ndarray:
...     return a + b

A function gets the operation (for its attributes) and one array per operand, and returns one array or a tuple; the arrays
must have exactly the dtype of the result's element type and must not be written afterwards. Constants of the operation
set's semantics that depend on data (an index out of range) raise `Error` with a `runtime-…` identifier.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from xdsl.ir import Operation

Evaluator = Callable[..., np.ndarray | tuple[np.ndarray, ...]]

_EVALUATORS: dict[type[Operation], Evaluator] = {}


def evaluates(*classes: type[Operation]) -> Callable[[Evaluator], Evaluator]:
    """Register a function as the semantics of these operations."""

    def register(function: Evaluator) -> Evaluator:
        for op_class in classes:
            assert op_class not in _EVALUATORS, f"{op_class.name} is evaluated twice"
            _EVALUATORS[op_class] = function
        return function

    return register


@cache
def _load_families() -> None:
    from loomir.dialects.ov import FAMILIES

    for family in FAMILIES:
        if importlib.util.find_spec(f"loomir.dialects.ov.evaluate.{family}") is not None:
            importlib.import_module(f"loomir.dialects.ov.evaluate.{family}")


def has_evaluator(op_class: type[Operation]) -> bool:
    """Whether the operation has numpy semantics of its own."""
    _load_families()
    return op_class in _EVALUATORS


def evaluate(op: Operation, arrays: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """The results of a primitive operation without regions, as arrays; `KeyError` if it has no semantics here."""
    _load_families()
    with np.errstate(all="ignore"):
        results = _EVALUATORS[type(op)](op, *arrays)
    # Of an array of strings numpy gives a single element as what it is, not as a scalar of its own.
    return tuple(
        np.array(result, object) if isinstance(result, str) else result
        for result in (results if isinstance(results, tuple) else (results,))
    )
