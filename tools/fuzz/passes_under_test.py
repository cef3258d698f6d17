"""Passes under test (`loomir-fuzz -p`) in the levels of random programs.

A level runs them in the pipeline of their stage: in one program directly behind the pass that makes the stage, where the program
is as it was written, in another behind the passes of the level. An instance is wrapped so that each run verifies the program and
records whether the pass changed it, and its remarks.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.compiler.pipeline import Pipeline, VerifyEach, pass_instances
from loomir.compiler.universe import folder_of
from loomir.dialects.diagnostics import Remark, listening
from loomir.errors import Error
from loomir.tools.fuzz.levels import STEPS, Level

BEHIND = {
    "graph": "ov-infer",
    "structured": "convert-ov-to-linalg",
    "loops": "lower-linalg-to-loops",
}
"""Stage → the pass that passes on it may directly follow.

Plans of memory are made last, so that passes on LOOPS always run there. Pipelines of GRAPH that do not begin with `ov-infer`
begin with it where passes run early.
"""

CHANGED = "changed the program"
Note = Callable[[str], None]
"""Callback that receives effects of a pass.

They are `name: changed the program`, and its remarks.
"""


def parse_passes(text: str) -> tuple[Pipeline, str]:
    """Return passes and the stage of all of them.

    The stage is that of loomir's passes, or `STAGE` of an extension's; without it GRAPH. Error: `bad-pipeline`.
    """
    passes = tuple(pass_instances(text))
    found = {folder_of(each.name) for each in passes} - {"", "general"} or {"graph"}
    if len(found) > 1 or not found <= set(STEPS):
        raise Error(
            "bad-pipeline",
            f"'{text}' has passes on {' and '.join(sorted(found)).upper()}",
            hint="all of one stage: graph, structured or loops",
        )
    return passes, found.pop()


def with_passes(level: Level, text: str, *, early: bool) -> Level:
    """Return the level with passes under test.

    They run directly behind the pass that makes their stage (`early`), or at its end. Error: `bad-pipeline`.
    """
    passes, stage = parse_passes(text)
    of_stage: Pipeline = getattr(level, stage)
    place = len(of_stage)
    if stage == "graph" and early and of_stage[0].name != BEHIND[stage]:
        of_stage = (*pass_instances(BEHIND[stage]), *of_stage)
    if early or stage == "loops":
        place = next(i for i, each in enumerate(of_stage, 1) if each.name == BEHIND[stage])
    return replace(level, **{stage: (*of_stage[:place], *passes, *of_stage[place:])}, added=passes)


def observed(level: Level, note: Note) -> Level:
    """Return the level with observers around its passes under test."""
    steps = {
        step: tuple(
            _observed(each, note) if any(each is added for added in level.added) else each
            for each in getattr(level, step)
        )
        for step in STEPS
    }
    return replace(level, **steps) if level.added else level


def _observed(instance: ModulePass, note: Note) -> ModulePass:
    """Return an instance that tells what the pass does.

    It has the same options, name and claims, and is of a subclass made for it: pipelines copy passes with other options
    (`dataclasses.replace`).
    """
    kind = type(instance)

    def apply(self: ModulePass, ctx: Context, op: ModuleOp) -> None:
        before = op.clone()

        def heard(remark: Remark) -> None:
            note(f"{self.name}: {remark.kind}: {remark.operation}: {remark.text}")

        with listening(heard):
            kind.apply(self, ctx, op)
        VerifyEach().after(op, self, ctx)
        if not op.is_structurally_equivalent(before):
            note(f"{self.name}: {CHANGED}")

    made = copy(instance)
    names = {"apply": apply, "__module__": kind.__module__, "__doc__": kind.__doc__}
    object.__setattr__(made, "__class__", type(kind.__name__, (kind,), names))
    return made
