"""Transformations of each phase, built in or from extensions.

The plan selects the ones that run, in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from loomir.compiler.extensions.transformation import PHASES, Phase, Transformation, anchors
from loomir.compiler.pipeline import pipeline_text
from loomir.errors import Error, shown
from loomir.tools.model_optimizer.convert.ordering import ordered, places

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
        about="Identity, Dropout and Casts to the same type go",
    ),
    Transformation(
        "CleanUp", "middle", "canonicalize,cse", about="what is computed twice, or changes nothing"
    ),
    Transformation(
        "FuseBatchNorm",
        "middle",
        "ov-fuse-batch-norm",
        run_after=("CleanUp",),
        about="normalisation by constants goes into the weights before it",
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
        about="what lies channels last lies channels first, so that Transposes vanish",
    ),
)
"""The specification's own transformations, by name."""


@dataclass(frozen=True)
class Plan:
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
) -> Plan:
    """Return the plan of built-in and added transformations.

    Each is in its phase and in order; some are enabled or disabled by id.

    Errors: `phase-duplicate`, `phase-cycle`; `bad-option` for an id that does not exist.
    """
    steps = [*BUILT_IN, *added]
    on, off = set(enable), set(disable)
    # (An id says which one is meant, whatever its phase.)
    known = places([*(a.id for phase in PHASES for a in anchors(phase)), *(step.id for step in steps)])
    for each in sorted((on | off) - known.keys()):
        raise Error(
            "bad-option",
            f"there is no transformation {shown(each)}",
            hint=f"known: {', '.join(sorted(step.id for step in steps))}",
        )
    return Plan({phase: _of(phase, steps, on, off) for phase in PHASES}, static_shape)


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
