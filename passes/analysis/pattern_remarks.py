"""Remarks of a pass that applies patterns.

They state how often each pattern was applied, and which loops and branches have disappeared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from loomir.dialects.region_flow import region_flow
from loomir.dialects.walking import walk
from loomir.passes.analysis.remarks import Remarks, are_heard

_Origin = tuple[str, Attribute]
"""An operation's name and location: what is rebuilt keeps them."""


@dataclass
class Applied:
    """Number of applications of each pattern, with affected loops and branches."""

    times: Counter[str] = field(default_factory=Counter[str])
    first: dict[str, Operation] = field(default_factory=dict[str, Operation])
    """The operation that each pattern was applied to first, as it was."""
    to: dict[_Origin, dict[str, None]] = field(default_factory=dict[_Origin, dict[str, None]])

    def watched(self, pattern: RewritePattern) -> RewritePattern:
        """The pattern, whose applications are counted if somebody listens."""
        return _Watched(pattern, self) if are_heard() else pattern

    @contextmanager
    def told(self, module: ModuleOp, pass_name: str) -> Iterator[None]:
        """Tell of what is done to the module meanwhile, if somebody listens."""
        if not are_heard():
            yield
            return
        before = _control_flow(module)
        yield
        after = _control_flow(module)
        remarks = Remarks(pass_name)
        for origin, operations in before.items():
            gone = len(operations) - len(after.get(origin, ()))
            if gone > 0:
                reason = ", ".join(self.to.get(origin, ())) or "nothing needs it"
                times = f" {gone} times" if gone > 1 else ""
                remarks.passed(operations[0], f"gone{times}: {reason}", gone=gone)
        for name, times in sorted(self.times.items()):
            text = f"{name} applied {times} {'time' if times == 1 else 'times'}"
            remarks.passed(self.first[name], text if times == 1 else f"{text}, here first", times=times)


@dataclass
class _Watched(RewritePattern):
    pattern: RewritePattern
    applied: Applied

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        origin = _origin(op)
        self.pattern.match_and_rewrite(op, rewriter)
        if rewriter.has_done_action:
            name = type(self.pattern).__name__
            self.applied.times[name] += 1
            self.applied.first.setdefault(name, op)
            self.applied.to.setdefault(origin, {})[name] = None


def _origin(op: Operation) -> _Origin:
    return op.name, op.location


def _control_flow(module: ModuleOp) -> dict[_Origin, list[Operation]]:
    """Loops and branches by where they come from."""
    found: dict[_Origin, list[Operation]] = {}
    for op in walk(module):
        if region_flow(op) is not None:
            found.setdefault(_origin(op), []).append(op)
    return found
