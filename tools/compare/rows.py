"""Rows of a comparison, and everything that a worker needs for them.

The module is light: the command line imports it for `loomir --help`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, log
from typing import Any

COLUMNS = {
    "loops": "loops",
    "branches": "branches",
    "trips": "trips",
    "operations": "operations",
    "bytes": "bytes",
    "arena": "arena",
    "weights": "weights",
    "text": ".text",
    "instructions": "instructions",
    "seconds": "µs",
}
"""Numbers of a row, with their titles in tables."""
SKIPPED = ("text", "instructions", "seconds")
"""Numbers that need a C compiler, and that users may leave out."""
MAX_ITERATIONS = 100_000
"""Default limit on the loop iterations of a run.

The graph engine needs seconds for so many.
"""
NOT_ASKED = "left out by --skip"
OF_INPUTS = ("shapes", "max_shapes", "values")
"""Options of `loomir.load` for single inputs."""


@dataclass
class LoopCount:
    """Counts of one `ov.loop` in a run, its nested loops included.

    - `entered`: how often it was reached; `trips`: iterations of all entries together;
    - `operations`: operations of its body that were executed; `bytes`: the size of their results.
    """

    layer: str | None
    entered: int = 0
    trips: int = 0
    operations: int = 0
    bytes: int = 0


@dataclass
class Row:
    """Results of one model under one pipeline.

    A number is None if it was not measured; `notes` has the reason, by the name of the number.
    """

    model: str
    pipeline: str
    equal: bool | None = None
    """Agreement of all results with those of the unoptimised program.

    None if no run could be compared.
    """
    difference: str | None = None
    """Feed, engine and output of the first difference."""
    right: bool | None = None
    """Agreement of all results with the truth beside the model (`--corpus`).

    None if there is none, or if no run could be compared with it.
    """
    mistake: str | None = None
    """Feed, engine and output of the first result that is wrong."""
    error: str | None = None
    """The error that ended the comparison."""
    loops: int | None = None
    """Loops (and `branches`) of the optimised program.

    It is in GRAPH unless the model is a text of a later stage.
    """
    branches: int | None = None
    trips: int | None = None
    """Iterations of all loops in a run of the graph engine.

    The run has the first feed, and so have the other measurements.
    """
    operations: int | None = None
    """Operations that were executed in this run."""
    bytes: int | None = None
    """Bytes of the results of these operations."""
    arena: int | None = None
    """Bytes of the arena (and of constants: `weights`) of the emitted C."""
    weights: int | None = None
    text: int | None = None
    """Bytes of machine code of this C."""
    instructions: int | None = None
    """Instructions of one call of this C."""
    seconds: float | None = None
    """Median time of a call of `Model.compile()`, in the native engine."""
    per_loop: list[LoopCount] = field(default_factory=list)
    """Counts of each loop that was reached, its nested loops included."""
    notes: dict[str, str] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """One word for the results: equal, differs, fails or unknown."""
        if self.error is not None:
            return "fails"
        return "unknown" if self.equal is None else "equal" if self.equal else "differs"

    @property
    def truth(self) -> str:
        """One word for the comparison with the truth: right, wrong or unknown."""
        return "unknown" if self.right is None else "right" if self.right else "wrong"


@dataclass(frozen=True, kw_only=True)
class Request:
    """Everything but the model that a worker needs."""

    pipelines: Mapping[str, str]
    """Pipelines by name (`pipelines_of`)."""
    options: Mapping[str, Any]
    """Arguments of `loomir.load`."""
    partial: bool
    """Leave out options about inputs that a model does not have."""
    feeds: int
    seed: int
    corpus: bool
    """Take inputs and truths from files beside the model."""
    repeat: int
    capacity: int | None
    c_flags: Sequence[str]
    skip: Sequence[str]
    extensions: Sequence[str]


def geometric_means(rows: Iterable[Row]) -> dict[str, dict[str, tuple[float, int]]]:
    """Return the mean ratios of each pipeline to the first.

    A ratio is the geometric mean over the models in which both numbers are positive, and comes with the number of these
    models.
    """
    by_pipeline: dict[str, dict[str, Row]] = {}
    for row in rows:
        by_pipeline.setdefault(row.pipeline, {})[row.model] = row
    (_, base), *others = by_pipeline.items()
    means: dict[str, dict[str, tuple[float, int]]] = {}
    for name, of_model in others:
        means[name] = {}
        for column in COLUMNS:
            pairs = [
                (getattr(base[m], column), getattr(row, column)) for m, row in of_model.items() if m in base
            ]
            logs = [log(b / a) for a, b in pairs if a and b]
            if logs:
                means[name][column] = (exp(sum(logs) / len(logs)), len(logs))
    return means
