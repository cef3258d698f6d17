"""Extensions of the old kind as steps of the phases of `loomir convert`."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.extensions.transformation import Transformation
from loomir.errors import Error
from loomir.tools.model_optimizer.mo.bridge.names import LaterPhase
from loomir.tools.model_optimizer.mo.bridge.running import run_front, run_later
from loomir.tools.model_optimizer.mo.loading import load_extensions
from loomir.tools.model_optimizer.mo.order import identifier_of

FRONT, MIDDLE, BACK = "ModelOptimizerFront", "ModelOptimizerMiddle", "ModelOptimizerBack"
"""Steps that run all old-style transformations of a phase.

Within a step the transformations run in the order that they specify.
"""


@dataclass(frozen=True)
class LegacyExtensions:
    """Extension classes from the extension directories, by phase."""

    classes: dict[str, list[type]]

    @staticmethod
    def load(directories: Sequence[str | Path]) -> LegacyExtensions:
        """Load extensions from directories of the Model Optimizer's layout.

        Errors: those of `load_extensions`; `mo-loader`.
        """
        classes: dict[str, list[type]] = {}
        for directory in directories:
            for phase, found in load_extensions(directory).items():
                classes.setdefault(phase, []).extend(found)
        if loaders := classes.get("load"):
            raise Error(
                "mo-loader",
                f"{loaders[0].__name__} loads models of another framework",
                hint="loomir reads ONNX and OpenVINO IR; a loader of your own gives convert an onnx.ModelProto",
            )
        return LegacyExtensions(classes)

    @property
    def names(self) -> set[str]:
        """By which their transformations are switched off."""
        return {
            name
            for phase in ("front", "middle", "back")
            for cls in self.classes.get(phase, ())
            for name in (cls.__name__, identifier_of(cls))
        }

    @property
    def replacements(self) -> set[str]:
        """The ids of a configuration file that they replace by."""
        found = (getattr(cls, "replacement_id", None) for cls in self.classes.get("front", ()))
        return {each for each in found if isinstance(each, str) and each}

    def steps(self, command: Namespace, disabled: Collection[str]) -> list[Transformation]:
        """Return a step for each phase with extensions.

        The step runs before loomir's own steps in front, and after them in the later phases.
        """
        found: list[Transformation] = []
        extractors = [*self.classes.get("ops", ()), *self.classes.get("extractors", ())]
        front = self.classes.get("front", [])
        if extractors or front:
            steps = partial(_front, extractors=extractors, classes=front, command=command, disabled=disabled)
            own = ("FlattenToReshape", "TopKNormalize", "RemoveIdentity")
            found.append(Transformation(FRONT, "front", steps, run_before=own))
        if middle := self.classes.get("middle"):
            steps = partial(_later, phase="middle", classes=middle, command=command, disabled=disabled)
            own = ("CleanUp", "FuseBatchNorm", "FuseSwish", "LoopToLstmSequence", "LstmSequenceToLoop")
            found.append(Transformation(MIDDLE, "middle", steps, run_after=own))
        if back := self.classes.get("back"):
            found.append(
                Transformation(
                    BACK,
                    "back",
                    partial(_later, phase="back", classes=back, command=command, disabled=disabled),
                )
            )
        return found


def _front(
    module: ModuleOp,
    *,
    extractors: Sequence[type],
    classes: Sequence[type],
    command: Namespace,
    disabled: Collection[str],
) -> None:
    run_front(module, extractors, classes, command, disabled=disabled)


def _later(
    module: ModuleOp,
    *,
    phase: LaterPhase,
    classes: Sequence[type],
    command: Namespace,
    disabled: Collection[str],
) -> None:
    run_later(module, phase, classes, command, disabled=disabled)
