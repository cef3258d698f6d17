"""Remarks: what a pass did with a loop or branch, or did not do, and the number that decided it."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from xdsl.ir import Operation

from loomir.passes.analysis.inference.transfer import layer_name


@dataclass
class Remarks:
    """Collects remarks of one pass and, if asked to, prints each to stderr as it comes."""

    pass_name: str
    show: bool = False
    lines: list[str] = field(default_factory=list)

    def passed(self, op: Operation, what: str) -> None:
        """The pass changed this operation."""
        self._add("done", op, what)

    def missed(self, op: Operation, why: str) -> None:
        """The pass left this operation alone."""
        self._add("left", op, why)

    def _add(self, kind: str, op: Operation, text: str) -> None:
        self.lines.append(f"{self.pass_name}: {kind}: '{layer_name(op) or '?'}' ({op.name}): {text}")
        if self.show:
            print(self.lines[-1], file=sys.stderr)
