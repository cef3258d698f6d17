"""How thoroughly passes are checked, and what was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loomir.compiler.default_limits import DEFAULT_MAX_ITERATIONS
from loomir.compiler.option_values import by_input, checked_folder, integer
from loomir.errors import Error, shown


@dataclass(frozen=True)
class CheckOptions:
    """How thoroughly passes are checked.

    - `feeds`, `seed`: how many sample inputs at least, and what they are made from; `given`: inputs that are always these;
    - `max_iterations`: bound on the loops of one run; a run that reaches it is not compared;
    - `reduce_seconds`: how long a failing program may be reduced; 0: not at all;
    - `folder`: where the reduced program and its inputs are written; a new temporary one if absent;
    - `counts`: what all checks with these options have seen.
    """

    feeds: int = 3
    seed: int = 0
    given: Mapping[str, Any] = field(default_factory=dict)
    max_iterations: int = DEFAULT_MAX_ITERATIONS
    reduce_seconds: float = 60.0
    folder: Path | None = None
    counts: CheckCounts = field(default_factory=lambda: CheckCounts())

    def __post_init__(self) -> None:
        """Error: `bad-option`."""
        for name, least in (("feeds", 1), ("seed", 0), ("max_iterations", 0)):
            object.__setattr__(self, name, integer(name, getattr(self, name), least))
        number = isinstance(self.reduce_seconds, int | float) and not isinstance(self.reduce_seconds, bool)
        if not number or not self.reduce_seconds >= 0:
            raise Error(
                "bad-option", f"reduce_seconds={shown(self.reduce_seconds)}: it must be a number of seconds"
            )
        object.__setattr__(self, "given", by_input("given", self.given))
        if self.folder is not None:
            object.__setattr__(self, "folder", checked_folder(self.folder))


@dataclass
class CheckCounts:
    """Counts of checked passes, compared runs, and runs without comparison.

    A run is not compared if it failed before the pass or ended at a limit.
    """

    passes: int = 0
    compared: int = 0
    failed: int = 0
    limited: int = 0

    def __str__(self) -> str:
        left_out = f", {self.failed} fail alike" if self.failed else ""
        left_out += f", {self.limited} ended at a limit" if self.limited else ""
        return f"{self.passes} passes checked, {self.compared} runs agree{left_out}"
