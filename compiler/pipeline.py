"""The named pipelines that take a program from stage to stage, and the checks between their passes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline

from loomir.compiler.context import make_context
from loomir.compiler.stages import verify_stage
from loomir.errors import Error

OPTIMIZE_GRAPH = (
    "ov-infer",
    "ov-fold-constants",
    "canonicalize",
    "cse",
    "ov-fold-constants",
    "canonicalize",
)
"""Made once after import: everything that needs no choice."""

TO_CORE = ("ov-decompose", "ov-fold-constants", "canonicalize", "cse")
"""Composite operations become primitive ones."""

CONVERT_LOOPS = "convert-ov-loop-to-scf"

TO_STRUCTURED = (
    "ov-bound-shapes",
    CONVERT_LOOPS,
    "convert-ov-to-linalg",
    "cse",
    "linalg-fuse-elementwise",
    "linalg-update-in-place",
)

TO_LOOPS = ("bufferize", "linalg-pack-weights", "lower-linalg-to-loops", "math-expand-tanh", "plan-memory")

PIPELINES: dict[str, tuple[str, ...]] = {
    "graph": OPTIMIZE_GRAPH,
    "core": TO_CORE,
    "structured": TO_STRUCTURED,
    "loops": TO_LOOPS,
}


@dataclass
class PassRecord:
    """What one pass did: seconds, and how many operations of each name there were afterwards."""

    name: str
    seconds: float
    operations: Counter[str]


@dataclass
class History:
    """The passes that a program went through, in order."""

    records: list[PassRecord] = field(default_factory=list)


@cache
def available_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """Every pass that can be named: xDSL's, ours, and those of other packages (found once: it reads every installed
    package's metadata)."""
    from xdsl.universe import Universe

    return Universe.get_multiverse().all_passes


def parse_pipeline(spec: str) -> PassPipeline:
    """Passes from text such as `ov-loop-unroll{max-trips=8},canonicalize`. Error: `bad-pipeline`."""
    from xdsl.utils.exceptions import ArgSpecParseError, ParseError

    try:
        return PassPipeline.parse_spec(available_passes(), spec)
    except (ArgSpecParseError, ParseError, ValueError, TypeError, KeyError) as error:
        words = str(error).splitlines()
        raise Error(
            "bad-pipeline", f"'{spec}' is no pass pipeline: {words[-1] if words else error}"
        ) from error


def run_passes(
    module: ModuleOp,
    passes: str | Sequence[str],
    *,
    context: Context | None = None,
    verify_each: bool = False,
    history: History | None = None,
) -> None:
    """Run passes on the module in place; `history` receives a record of each."""
    context = context or make_context()
    spec = passes if isinstance(passes, str) else ",".join(passes)
    for instance in parse_pipeline(spec).passes:
        start = time.perf_counter()
        instance.apply(context, module)
        seconds = time.perf_counter() - start
        if verify_each:
            module.verify()
        if history is not None:
            history.records.append(
                PassRecord(instance.name, seconds, Counter(op.name for op in module.walk()))
            )


def lower(
    module: ModuleOp,
    stage: str,
    *,
    start: str = "graph",
    verify_each: bool = False,
    history: History | None = None,
    max_iterations: int | None = None,
) -> ModuleOp:
    """A copy of a module of the stage `start` lowered to a later one, verified at each stage's boundary.

    `max_iterations` makes the program itself check that no loop runs for longer (see `convert-ov-loop-to-scf`); without it, only
    an engine that counts stops an endless loop.
    """
    module = module.clone()
    context = make_context()
    steps = [("graph", TO_CORE), ("structured", TO_STRUCTURED), ("loops", TO_LOOPS)]
    names = [name for name, _ in steps]
    if stage not in names or names.index(stage) < names.index(start):
        raise Error(
            "bad-stage", f"'{stage}' is no stage after '{start}'", hint="known: graph, structured, loops"
        )
    first = 0 if start == "graph" else names.index(start) + 1
    for name, passes in steps[first : names.index(stage) + 1]:
        if max_iterations is not None:
            bounded = f"{CONVERT_LOOPS}{{max-iterations={max_iterations}}}"
            passes = tuple(bounded if each == CONVERT_LOOPS else each for each in passes)
        run_passes(module, passes, context=context, verify_each=verify_each, history=history)
        verify_stage(module, name)
    return module
