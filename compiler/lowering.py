"""Lowering from stage to stage, with verification at each boundary."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.compiler.formats.mlir.parser import make_context
from loomir.compiler.pass_options import limited
from loomir.compiler.pipeline import (
    PIPELINES,
    STAGES,
    History,
    Instrumentation,
    Pipelines,
    checked_stage,
    run_passes,
)
from loomir.compiler.shared_state import with_rare_collections
from loomir.compiler.stages import verify_stage
from loomir.dialects.upstream.cloning import cloned
from loomir.errors import Error
from loomir.passes.analysis.lowering_requirements import refuse_graph_only

_BOUNDARY_CHANGED = "convert-ov-loop-to-scf"
"""Pass that converts the tensors of `main` to their form below GRAPH.

After this pass a program is on its way from GRAPH to STRUCTURED.
"""


def _resumed(passes: Sequence[ModulePass]) -> Sequence[ModulePass]:
    """Return a step's passes for a program past the previous stage."""
    names = [each.name for each in passes]
    return passes[names.index(_BOUNDARY_CHANGED) + 1 :] if _BOUNDARY_CHANGED in names else passes


@with_rare_collections
def lower(
    module: ModuleOp,
    stage: str,
    *,
    start: str = "graph",
    resume: bool = False,
    verify_each: bool = False,
    history: History | None = None,
    max_iterations: int | None = None,
    capacity: int | None = None,
    pipelines: Pipelines = PIPELINES,
    instrumentation: Instrumentation | None = None,
) -> ModuleOp:
    """Return a copy of a module lowered to a later stage.

    The module is of the stage `start`. The copy is verified at the boundary of each stage.

    With `resume` the module may be on its way to `start`. The passes of `start` then run too; they change nothing if all
    have run.

    `max_iterations` makes the program itself check that no loop runs for longer (see `convert-ov-loop-to-scf`); without it,
    only an engine that counts stops an endless loop. `capacity` is the largest extent of dimensions without any other bound
    (see `ov-bound-shapes`). `pipelines` are the passes of each step; `instrumentation` observes each pass run.
    """
    module = cloned(module)
    context = make_context()
    steps = [(name, pipelines["core" if name == "graph" else name]) for name in STAGES]
    names: list[str] = [*STAGES]
    stage = checked_stage(stage)
    if names.index(stage) < names.index(start):
        raise Error(
            "bad-stage", f"'{stage}' is not a stage after '{start}'", hint=f"known: {', '.join(STAGES)}"
        )
    first = 0 if start == "graph" else names.index(start) + (0 if resume else 1)
    if start == "graph" and stage != "graph":
        # Before any pass of the way down would refuse what such values hold for another reason.
        refuse_graph_only(module)
    for name, passes in steps[first : names.index(stage) + 1]:
        instances = limited(passes, capacity=capacity, max_iterations=max_iterations)
        if resume and name == start:
            instances = _resumed(instances)
        run_passes(
            module,
            instances,
            context=context,
            verify_each=verify_each,
            history=history,
            instrumentation=instrumentation,
        )
        verify_stage(module, name)
    return module
