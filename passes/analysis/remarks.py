"""Remarks of passes on loops and branches.

A remark states what a pass did or did not do, and the number that decided it.

A pass emits remarks regardless of listeners, and has no option for them: without `listening` there is no listener, and nothing
is stored.

A pass that applies patterns states how often each pattern was applied, and which loops and branches have disappeared
(`PatternRemarks`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from loomir.dialects.diagnostics import layer_name, position
from loomir.dialects.region_flow import region_flow
from loomir.dialects.upstream.walking import walk

Kind = Literal["done", "left"]


@dataclass(frozen=True)
class Remark:
    """Remark of one pass on one operation."""

    kind: Kind
    """`done`: it was changed; `left`: it was not."""
    pass_name: str
    operation: str
    text: str
    layer: str | None = None
    position: tuple[str, int, int] | None = None
    """File, line and column."""
    numbers: Mapping[str, int] = field(default_factory=dict)
    """Numbers that decided, by name."""

    @property
    def message(self) -> str:
        """All of it but the place in a file, in a line."""
        what = self.operation if self.layer is None else f"'{self.layer}' ({self.operation})"
        return f"{self.pass_name}: {self.kind}: {what}: {self.text}"


@dataclass(frozen=True)
class Why:
    """Why a pass leaves an operation alone, with the numbers that decided."""

    text: str
    numbers: Mapping[str, int | None] = field(default_factory=dict)


Listener = Callable[[Remark], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """Set the listener for remarks; None disables them."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def are_heard() -> bool:
    """Return True if there is a listener.

    Information that costs more than a remark itself is computed only then.
    """
    return _listener.get() is not None


class Remarks:
    """Remarks of one pass.

    `numbers` are the numbers that decided; unknown ones are None.
    """

    def __init__(self, pass_name: str) -> None:
        self.pass_name = pass_name

    def passed(self, op: Operation, what: str, **numbers: int | None) -> None:
        """The pass changed this operation."""
        self._tell("done", op, what, numbers)

    def missed(self, op: Operation, why: str | Why, **numbers: int | None) -> None:
        """The pass left this operation alone."""
        if isinstance(why, Why):
            why, numbers = why.text, {**why.numbers, **numbers}
        self._tell("left", op, why, numbers)

    def _tell(self, kind: Kind, op: Operation, text: str, numbers: Mapping[str, int | None]) -> None:
        if (listener := _listener.get()) is None:
            return
        known = {name: number for name, number in numbers.items() if number is not None}
        listener(Remark(kind, self.pass_name, op.name, text, layer_name(op), position(op), known))


_OpKey = tuple[str, Attribute]
"""An operation's name and location: what is rebuilt keeps them."""


@dataclass
class PatternRemarks:
    """Number of applications of each pattern, with affected loops and branches."""

    times: Counter[str] = field(default_factory=Counter[str])
    first: dict[str, Operation] = field(default_factory=dict[str, Operation])
    """The operation that each pattern was applied to first, as it was."""
    to: dict[_OpKey, dict[str, None]] = field(default_factory=dict[_OpKey, dict[str, None]])

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
    applied: PatternRemarks

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        origin = _op_key(op)
        self.pattern.match_and_rewrite(op, rewriter)
        if rewriter.has_done_action:
            name = type(self.pattern).__name__
            self.applied.times[name] += 1
            self.applied.first.setdefault(name, op)
            self.applied.to.setdefault(origin, {})[name] = None


def _op_key(op: Operation) -> _OpKey:
    return op.name, op.location


def _control_flow(module: ModuleOp) -> dict[_OpKey, list[Operation]]:
    """Loops and branches by where they come from."""
    found: dict[_OpKey, list[Operation]] = {}
    for op in walk(module):
        if region_flow(op) is not None:
            found.setdefault(_op_key(op), []).append(op)
    return found
