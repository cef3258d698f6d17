"""Phases: selection, order and execution of their transformations.

The transformations of a phase are built in or from extensions; the plan selects the ones that run, in order.

The order is by their constraints, else as added. A constraint is what one transformation declares about others.

An error of a transformation that runs on a module names the transformation that broke the module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from heapq import heapify, heappop, heappush
from typing import TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener, RewritePattern

from loomir.compiler.extensions.extension import PHASES, Phase, Transformation, anchors
from loomir.compiler.pipeline import Instrumentation, pipeline_text, run_passes
from loomir.compiler.stages import verify_stage
from loomir.dialects.onnx.operations import remove_dead_nodes
from loomir.dialects.upstream.rewriting import rewrite
from loomir.errors import Error, shown
from loomir.passes.analysis.inference import TypeUpdateListener

Item = TypeVar("Item")


def ordered(
    items: Sequence[Item],
    name: Callable[[Item], str],
    before: Callable[[Item], Iterable[str]],
    after: Callable[[Item], Iterable[str]],
) -> list[Item]:
    """Return the items in an order that satisfies their constraints.

    Each item comes before the items named by its `before`, and after those named by its `after`.

    It is a stable topological sort: among the candidates, the one given first comes next. Names without an item are ignored.
    Errors: `phase-duplicate` for two items of one name, `phase-cycle` with the path.
    """
    place = positions([name(item) for item in items])
    earlier: list[set[int]] = [set() for _ in items]
    for index, item in enumerate(items):
        earlier[index] |= {place[each] for each in after(item) if each in place}
        for each in before(item):
            if each in place:
                earlier[place[each]].add(index)
    try:
        TopologicalSorter(dict(enumerate(earlier))).prepare()
    except CycleError as error:
        path = " → ".join(name(items[index]) for index in error.args[1])
        raise Error(
            "phase-cycle",
            f"the order of transformations has a cycle: {path}",
            hint="remove one of run_before and run_after",
        ) from None
    return [items[index] for index in stable_order(earlier)]


def positions(names: Iterable[str]) -> dict[str, int]:
    """Return the position of each name.

    Raises `Error("phase-duplicate")` for a name that occurs twice.
    """
    found: dict[str, int] = {}
    for index, name in enumerate(names):
        if name in found:
            raise Error(
                "phase-duplicate",
                f"there are two transformations called '{name}'",
                hint="give one of them another id",
            )
        found[name] = index
    return found


def stable_order(earlier: Sequence[set[int]]) -> list[int]:
    """Return the item numbers in a stable topological order.

    Each item follows those in its set of `earlier`; among the candidates, the smallest number comes next.

    Items of a cycle, and all items after it, are left out.
    """
    waiting = [len(each) for each in earlier]
    later: list[list[int]] = [[] for _ in earlier]
    for index, each in enumerate(earlier):
        for first in each:
            later[first].append(index)
    ready = [index for index, count in enumerate(waiting) if count == 0]
    heapify(ready)
    found: list[int] = []
    while ready:
        found.append(heappop(ready))
        for index in later[found[-1]]:
            waiting[index] -= 1
            if waiting[index] == 0:
                heappush(ready, index)
    return found


BUILT_IN = (
    Transformation(
        "FlattenToReshape",
        "front",
        "onnx-flatten-to-reshape{assume-nonempty=true}",
        about="Flatten becomes Reshape, by a ShapeOf chain",
    ),
    Transformation(
        "TopKNormalize", "front", "onnx-topk-attribute-to-input", about="TopK's attribute k becomes an input"
    ),
    Transformation(
        "RemoveIdentity",
        "front",
        "onnx-remove-identity",
        about="Identity, Dropout and Casts to the same type are removed",
    ),
    Transformation(
        "CleanUp",
        "middle",
        "canonicalize,cse",
        about="common subexpressions and operations without effect are removed",
    ),
    Transformation(
        "FuseBatchNorm",
        "middle",
        "ov-fuse-batch-norm",
        run_after=("CleanUp",),
        about="normalisation by constants is folded into the weights before it",
    ),
    Transformation(
        "FuseSwish",
        "middle",
        "ov-fuse-swish",
        run_after=("CleanUp",),
        about="x / (1 + e^(-beta x)) becomes Swish",
    ),
    Transformation(
        "LoopToLstmSequence",
        "middle",
        "ov-loop-to-lstm-sequence",
        run_after=("CleanUp",),
        about="a loop over an LSTM cell becomes LSTMSequence",
    ),
    Transformation(
        "LstmSequenceToLoop",
        "middle",
        "ov-lstm-sequence-to-loop",
        run_after=("LoopToLstmSequence",),
        enabled=False,
        about="LSTMSequence becomes a loop over its cell",
    ),
    Transformation(
        "Layout",
        "layout",
        "ov-layout",
        about="channels-last layouts become channels-first, which removes Transposes",
    ),
)
"""The specification's own transformations, by name."""


@dataclass(frozen=True)
class PhasePlan:
    """The transformations of each phase that run, in order, anchors included."""

    phases: Mapping[Phase, Sequence[Transformation]]
    static_shape: bool = False

    @property
    def inference(self) -> tuple[str, ...]:
        """Return the passes of partial inference, between phases front and middle.

        They infer all shapes, and the contents of constants.
        """
        keep = "false" if self.static_shape else "true"
        return (
            "ov-resolve-custom",
            "ov-remove-unneeded",
            "ov-infer",
            f"ov-fold-constants{{keep-shapeof={keep}}}",
        )

    def __str__(self) -> str:
        """Return a line for each phase and for the steps between phases.

        A line contains the ids of its transformations, and in parentheses the passes that they run.
        """
        lines = {phase: ", ".join(map(_told, steps)) for phase, steps in self.phases.items()}
        said = {
            "load": "the model as its file has it, cut and frozen",
            "front": lines.pop("front"),
            "extract": pipeline_text("convert-onnx-to-ov{layers=true}"),
            "inference": pipeline_text(self.inference),
            **lines,
            "emit": "the program in GRAPH",
        }
        return "\n".join(f"{phase}: {line}" for phase, line in said.items())


def _told(step: Transformation) -> str:
    return f"{step.id} ({pipeline_text(step.steps)})" if isinstance(step.steps, str) else step.id


def plan(
    added: Iterable[Transformation] = (),
    *,
    enable: Iterable[str] = (),
    disable: Iterable[str] = (),
    static_shape: bool = False,
) -> PhasePlan:
    """Return the plan of built-in and added transformations.

    Each is in its phase and in order; some are enabled or disabled by id.

    Errors: `phase-duplicate`, `phase-cycle`; `bad-option` for an id that does not exist.
    """
    steps = [*BUILT_IN, *added]
    on, off = set(enable), set(disable)
    # (An id says which one is meant, whatever its phase.)
    known = positions([*(a.id for phase in PHASES for a in anchors(phase)), *(step.id for step in steps)])
    for each in sorted((on | off) - known.keys()):
        raise Error(
            "bad-option",
            f"unknown transformation {shown(each)}",
            hint=f"known: {', '.join(sorted(step.id for step in steps))}",
        )
    return PhasePlan({phase: _of(phase, steps, on, off) for phase in PHASES}, static_shape)


def _of(phase: Phase, steps: Sequence[Transformation], on: set[str], off: set[str]) -> list[Transformation]:
    first, last = anchors(phase)
    found = [first, *(step for step in steps if step.phase == phase), last]

    def after(step: Transformation) -> list[str]:
        outside = step in (first, last) or first.id in step.run_before
        return [*step.run_after, *([] if outside else [first.id])]

    def before(step: Transformation) -> list[str]:
        outside = step in (first, last) or last.id in step.run_after
        return [*step.run_before, *([] if outside else [last.id])]

    # Those that do not run have their place: what stands behind them does so whether they run or not.
    chain = ordered(found, lambda step: step.id, before, after)
    return [step for step in chain if step.id in on or (step.enabled and step.id not in off)]


SETTLE = "ov-infer"
"""Pass that runs after each step on GRAPH.

It propagates types through loops and branches, and through changes that a pass did not report.
"""


def run_phase(
    module: ModuleOp,
    steps: Sequence[Transformation],
    context: Context,
    *,
    instrumentation: Instrumentation | None = None,
) -> None:
    """Run transformations in their order.

    After each one the module is valid, and on GRAPH its types are those of inference.

    Errors: those of the steps, each with the id of the one that raised it; `transformation-failed` for any other exception
    of an extension's step; `transformation-broke-ir`.
    """
    for step in steps:
        if step.is_anchor or (step.condition is not None and not step.condition(module)):
            continue
        try:
            _apply(module, step, context, instrumentation)
            _settle(module, step)
        except Error as error:
            error.what = f"in the transformation {step.id}: {error.what}"
            raise
        except Exception as error:
            # What an extension's own code raises is no defect of loomir.
            if not step.owner:
                raise
            raise Error(
                "transformation-failed",
                f"the transformation {step.id} failed: {type(error).__name__}: {error}",
                hint=f"correct it in the extension {step.owner}, or skip it with --disable {step.id}",
            ) from error
        try:
            verify_stage(module, "front" if step.phase == "front" else "graph")
        except Error as error:
            broken = Error(
                "transformation-broke-ir",
                f"after the transformation {step.id} the program is not valid: {error.what}",
                hint=error.hint or (f"correct it in the extension {step.owner}" if step.owner else None),
            )
            broken.where = error.where
            raise broken from error


def _apply(
    module: ModuleOp, step: Transformation, context: Context, instrumentation: Instrumentation | None
) -> None:
    steps = step.steps
    if isinstance(steps, str | ModulePass):
        run_passes(
            module,
            steps if isinstance(steps, str) else [steps],
            context=context,
            instrumentation=instrumentation,
        )
    elif isinstance(steps, Sequence):
        patterns = steps if step.recursive else [_NotInBodies(each) for each in steps]
        listener = PatternRewriterListener() if step.phase == "front" else TypeUpdateListener()
        rewrite(module, *patterns, listener=listener)
    else:
        steps(module)


def _settle(module: ModuleOp, step: Transformation) -> None:
    if step.phase == "front":
        if step.clean_up:
            remove_dead_nodes(module)
        return
    passes = [*(["ov-remove-unneeded"] if step.clean_up else []), SETTLE]
    run_passes(module, passes)


class _NotInBodies(RewritePattern):
    """A pattern that is applied to the operations of functions themselves only."""

    def __init__(self, pattern: RewritePattern) -> None:
        self.pattern = pattern

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if isinstance(op.parent_op(), FuncOp):
            self.pattern.match_and_rewrite(op, rewriter)
