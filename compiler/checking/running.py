"""Runs of programs that may fail, and the effects of passes.

The checks and the reducer share these functions.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from loomir.compiler.checking.agreement import Difference, Outcome
from loomir.compiler.checking.engine import ProgramEngine, has_boundary_form
from loomir.compiler.checking.quantised import Quantisations
from loomir.compiler.default_limits import DEFAULT_MAX_ITERATIONS
from loomir.compiler.feeds.signature import ARENA_FILL
from loomir.compiler.interpreters.core import InterpreterError, Semantics
from loomir.compiler.stages.verify import StageError, verify_module
from loomir.dialects.element_types import zeros
from loomir.dialects.interface import main_function
from loomir.errors import Error

Watch = Callable[[Operation, Semantics], Semantics]
"""See `LoomirInterpreter.watch`."""


def run_program(
    module: ModuleOp,
    feeds: Sequence[Mapping[str, Any]],
    *,
    max_iterations: int = DEFAULT_MAX_ITERATIONS,
    bounded: bool = False,
    fill: int = ARENA_FILL,
    watch: Watch | None = None,
) -> list[Outcome]:
    """Run a module and return the outcome for each feed.

    The module may be in any form. `bounded` means that a capacity was set, which may be too small; `fill` is the initial
    content of uninitialised buffers; `watch` observes operations while they run.
    """
    try:
        engine = ProgramEngine(module, max_iterations=max_iterations, fill=fill, watch=watch)
    except (ValueError, InterpreterError) as error:
        return [Outcome(crash=error) for _ in feeds]
    inputs, outputs = Quantisations.of(module)
    return [
        replace(_run(engine, inputs.of_floats(feed)), bounded=bounded, quantisations=outputs.by_name)
        for feed in feeds
    ]


def endless(module: ModuleOp, feeds: Sequence[Mapping[str, Any]]) -> list[Outcome | None]:
    """Return the outcomes of sample inputs that loop too long.

    The result has one entry for each sample input of a GRAPH program: the outcome if a loop runs too long for the input to
    be a sample, else None.

    A negative trip count is no limit, and samples contain such numbers. (Below GRAPH, loops also run over elements; all
    entries are then None.)
    """
    if has_boundary_form(main_function(module)):
        return [None] * len(feeds)
    outcomes = run_program(module, feeds, max_iterations=SAMPLE_ITERATIONS)
    return [outcome if outcome.is_limited else None for outcome in outcomes]


def _run(engine: ProgramEngine, feed: Mapping[str, Any]) -> Outcome:
    try:
        run = engine.run(feed)
    except Error as error:
        return Outcome(error=error)
    except (InterpreterError, ValueError) as error:
        # A program that does what no correct one does: the pass before is to blame, or the engine.
        return Outcome(crash=error)
    return Outcome(run.outputs, iterations=run.iterations)


SAMPLE_ITERATIONS = 10_000
"""Maximum total loop iterations of a GRAPH program for a sample input."""

OTHER_FILL = 0x3F


def only_defined(before: Outcome, other: Outcome, after: Outcome) -> tuple[Outcome, Outcome]:
    """Return two outcomes without elements that the program did not define.

    These are the elements where `before` and `other` are not the same number; `other` is a run with other bytes in fresh
    buffers. Such elements become zero in both outcomes.
    """
    if before.outputs is None or other.outputs is None or after.outputs is None:
        return before, after
    pairs: list[tuple[Any, Any]] = []
    for name, value in before.outputs.items():
        pairs.append(_defined(value, other.outputs.get(name), after.outputs.get(name)))
    names = list(before.outputs)
    return (
        replace(before, outputs={n: a for n, (a, _) in zip(names, pairs)}),
        replace(
            after,
            outputs={**after.outputs, **{n: b for n, (_, b) in zip(names, pairs) if n in after.outputs}},
        ),
    )


def _defined(before: Any, other: Any, after: Any) -> tuple[Any, Any]:
    arrays = (before, other, after)
    if not all(isinstance(a, np.ndarray) for a in arrays) or len({(a.shape, a.dtype) for a in arrays}) > 1:
        return before, after
    with np.errstate(all="ignore"):
        # A NaN is not the same as itself.
        same = np.asarray(before == other)
    if same.all():
        return before, after
    before, after = before.copy(), after.copy()
    for array in (before, after):
        array[~same] = zeros((), array.dtype)
    return before, after


def is_exact(instance: ModulePass) -> bool:
    """Return True if a pass claims bit-identical results.

    A loomir pass claims this with `EXACT = True`; those of xDSL only move operations or fold integers.
    """
    claimed = getattr(type(instance), "EXACT", None)
    return type(instance).__module__.startswith("xdsl.") if claimed is None else bool(claimed)


def claims_of(instance: ModulePass) -> dict[str, Any]:
    """Return the requirements of `compare` on the results after a pass."""
    return {"exact": is_exact(instance), "steps": getattr(type(instance), "STEPS", 0)}


def gives_capacity(instance: ModulePass) -> bool:
    """Return True if a pass was given a size limit.

    With such a limit (`capacity`, `max-trips`), the program may run out of capacity.
    """
    return any(getattr(instance, name, None) is not None for name in ("capacity", "max_trips"))


def invalid(module: ModuleOp) -> Difference | None:
    """How a module breaks the rules of IR, if it does."""
    try:
        verify_module(module)
    except StageError as error:
        return Difference("invalid", f"is no valid program any more: {error}")
    return None


def crash_of(error: Exception) -> Difference:
    """Return the difference for an exception that a pass raised.

    The exception's class and the function that raised it identify the difference.
    """
    frames = traceback.extract_tb(error.__traceback__)
    where = (
        f"{frames[-1].name} ({frames[-1].filename.rpartition('loomir/')[2]}:{frames[-1].lineno})"
        if frames
        else "?"
    )
    words = str(error).strip().splitlines()
    return Difference(
        f"exception {type(error).__name__} {frames[-1].name if frames else ''}",
        f"ends with {type(error).__name__}: {words[0] if words else ''} in {where}",
    )
