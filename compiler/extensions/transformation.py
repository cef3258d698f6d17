"""Transformations and replacements that extensions add to the phases of `loomir convert`.

The core only holds them; `tools/model_optimizer` runs them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import RewritePattern

from loomir.errors import Error, shown

Phase = Literal["front", "middle", "layout", "back"]
"""Conversion phase.

`front`: on FRONT, the framework's own operators; only the shapes of inputs and constants are known. `middle`: on GRAPH,
shapes and values are known. `layout`: on GRAPH, for changes of the order of axes. `back`: on GRAPH, for the last steps.
"""
PHASES: tuple[Phase, ...] = get_args(Phase)

Steps = ModulePass | str | Sequence[RewritePattern] | Callable[[ModuleOp], None]
"""Pass, pipeline as text, patterns, or function that changes the module."""


@dataclass(frozen=True)
class Transformation:
    """One step of a phase.

    >>> Transformation("fuse-gelu", "front", [FastGelu()], run_after=("FrontStart",))

    `run_before` and `run_after` name others by their ids; it runs between the anchors of its phase (`FrontStart` … `FrontFinish`)
    unless it says that it is before the first or after the last. With `recursive=False` patterns are not applied in bodies
    of loops and branches (`run_not_recursively`; a pass or a function decides for itself). Error: `bad-option`.
    """

    id: str
    phase: Phase
    steps: Steps = ()
    run_before: tuple[str, ...] = ()
    run_after: tuple[str, ...] = ()
    enabled: bool = True
    condition: Callable[[ModuleOp], bool] | None = None
    """Predicate that decides if the step runs on a module (`graph_condition`)."""
    clean_up: bool = False
    """True if operations that no output needs are removed afterwards (`force_clean_up`)."""
    recursive: bool = True
    about: str = ""
    """One-line description."""
    owner: str = ""
    """The extension that it is of; empty for loomir's own."""

    def __post_init__(self) -> None:
        if self.phase not in PHASES:
            raise Error("bad-option", f"{shown(self.phase)} is no phase", hint=f"known: {', '.join(PHASES)}")

    @property
    def is_anchor(self) -> bool:
        """True if it only exists as a reference point for other transformations."""
        return isinstance(self.steps, Sequence) and not self.steps


def anchors(phase: Phase) -> tuple[Transformation, Transformation]:
    """The first and the last of a phase: `FrontStart`, `FrontFinish` …"""
    name = phase.capitalize()
    return Transformation(f"{name}Start", phase), Transformation(f"{name}Finish", phase)


Handler = Callable[[Any], Any]
"""Function from a match to its results: `Handler` of tools/model_optimizer/convert/replacements.py."""


@dataclass(frozen=True)
class Replacement:
    """Handler that an extension registers for a described sub-graph."""

    id: str
    handler: Handler
    run_before: tuple[str, ...] = ()
    run_after: tuple[str, ...] = ()
    enabled: bool = True
    owner: str = ""
