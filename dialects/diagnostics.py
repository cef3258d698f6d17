"""Locations of operations, run-time errors, and remarks of passes.

A location names an operation's layer, and its place in a file.

**Run-time errors.** A run-time error has one identifier per mistake, common to all engines. The identifier depends neither on the
engine that finds the mistake nor on how early it finds it.

A mistake that the model alone reveals is found at load time, with an identifier of the operation's own (`broadcast-shapes`,
`split-size`, `axis-range`). A mistake that depends on a feed is found by the operation's evaluation in the graph engine; below
it, by a check in the lowered program, or already by inference if the program is specialised for the feed's shapes. All three
report the same: each check is of one of the `KINDS`, each with its identifier, and `as_of_a_run` converts the errors of
inference.

The message of a `cf.assert` begins with the kind (`index: position 3 is out of range`), `ov.require` and `ov.fail` have it as an
attribute, and the C code of a program has a status of its name (`MODEL_ERROR_INDEX`).

**Remarks** of passes on loops and branches state what a pass did or did not do, and the number that decided it.

A pass emits remarks regardless of listeners, and has no option for them: without `listening` there is no listener, and nothing
is stored.

A pass that applies patterns states how often each pattern was applied, and which loops and branches have disappeared
(`PatternRemarks`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from html import escape
from typing import Literal

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from loomir.dialects.region_flow import region_flow
from loomir.dialects.upstream.rewriting import NO_PATTERNS, PatternApplication, handling_patterns
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error


def _parts(location: Attribute) -> list[Attribute]:
    """A location and what it is made of, outermost first."""
    found, pending = [], [location]
    while pending:
        part = pending.pop()
        found.append(part)
        if isinstance(part, FusedLoc) and isinstance(part.locations, ArrayAttr):
            pending.extend(reversed(part.locations.data))
        elif isinstance(part, NameLoc):
            pending.append(part.location)
        elif isinstance(part, CallSiteLoc):
            pending += [part.caller, part.callee]
    return found


def layer_name(op: Operation) -> str | None:
    """Return the name of the operation's layer or node, or None.

    None means that the operation's location names no layer.
    """
    location = op.location
    if type(location) is NameLoc:
        return location.desc.data
    if type(location) is UnknownLoc:
        return None
    return next((part.desc.data for part in _parts(location) if isinstance(part, NameLoc)), None)


def location_of_layer(layer: str, tensors: Sequence[Sequence[str]]) -> NameLoc:
    """Return the location of an operation that computes tensors of a layer.

    `tensors` has one inner list of names for each result: `loc("split"(fused[fused["a"], fused["b", "c"]]))`.
    """
    if not any(tensors):
        return NameLoc(StringAttr(layer), NoneAttr())
    named = [_fused([NameLoc(StringAttr(name), NoneAttr()) for name in group]) for group in tensors]
    return NameLoc(StringAttr(layer), _fused(named))


def _fused(locations: Sequence[Attribute]) -> FusedLoc:
    return FusedLoc(ArrayAttr(locations), NoneAttr())


def tensor_names(op: Operation) -> list[list[str]]:
    """Return the model's names of each result of an operation.

    `location_of_layer` records them in the location; the list is empty for any other location.
    """
    location = op.location
    results = location.location if isinstance(location, NameLoc) else None
    if not isinstance(results, FusedLoc) or not isinstance(results.locations, ArrayAttr):
        return []
    groups = [
        g.locations.data if isinstance(g, FusedLoc) and isinstance(g.locations, ArrayAttr) else ()
        for g in results.locations
    ]
    return [[part.desc.data for part in group if isinstance(part, NameLoc)] for group in groups]


def source_location(op: Operation) -> tuple[str, int, int] | None:
    """Return file, line and column of the operation, or None.

    None means that the operation was not read from a text.
    """
    for part in _parts(op.location):
        if isinstance(part, FileLineColLoc):
            return part.filename.data, part.line.data, part.column.data
    return None


def describe_location(op: Operation) -> str:
    """For a message: `'layer': op.name`, `file:line:column: op.name`, or the operation's name alone."""
    if (name := layer_name(op)) is not None:
        return f"'{name}': {op.name}"
    at = source_location(op)
    return op.name if at is None else f"{':'.join(map(str, at))}: {op.name}"


def located(error: Error, op: Operation | None, *, named: bool = True) -> Error:
    """Return the error, completed with the location of the operation.

    Only missing information is added: the operation's layer, its name (if `named`), and its position in the text.
    """
    if op is None:
        return error
    error.at(layer=layer_name(op), op=op.name if named else None)
    if error.where.position is None and (at := source_location(op)) is not None:
        file, line, column = at
        error.at(file=file, position=(line, column))
    return error


@dataclass(frozen=True)
class Located(RewritePattern):
    """Pattern whose errors get the location of the operation."""

    pattern: RewritePattern

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        try:
            self.pattern.match_and_rewrite(op, rewriter)
        except Error as error:
            raise located(error, op) from None


KINDS = {
    "index": "an index computed from data is out of range",
    "capacity": "a tensor would be larger than its buffer",
    "limit": "a loop ran longer than it may",
    "shape": "shapes that must agree do not",
    "endless": "a loop was reached that never ends",
    "absent": "an optional was asked for a value that it does not have",
}
"""Kinds of run-time errors, with their default messages."""

_OF_A_RUN = ("runtime-", "limit-", "endless-loop")


def run_error(kind: str, what: str | None = None, *, layer: str | None = None) -> Error:
    """Return the error of a failed check of one of the `KINDS`.

    Its identifier is `runtime-index`, `runtime-capacity`, `limit-iterations`, `runtime-shape`, `endless-loop` or `runtime-absent`.
    """
    what = KINDS[kind] if what is None else what
    match kind:
        case "index":
            return Error("runtime-index", what, layer=layer)
        case "capacity":
            hint = "fix the model's input shapes (shapes=, --shape): the bound is computed from them"
            return Error("runtime-capacity", what, layer=layer, hint=hint)
        case "limit":
            hint = "raise the bound with --max-iterations (max_iterations= in Python) if that is intended"
            return Error("limit-iterations", what, layer=layer, hint=hint)
        case "endless":
            hint = (
                "give it a trip count or a condition; ONNX Runtime ends such an ONNX loop by its body's condition"
                " (--semantics onnxruntime)"
            )
            return Error("endless-loop", what, layer=layer, hint=hint)
        case "absent":
            return Error("runtime-absent", what, layer=layer)
        case _:
            assert kind == "shape", kind
            return Error("runtime-shape", what, layer=layer)


def split_message(message: str) -> tuple[str, str] | None:
    """Return the kind and text of a `cf.assert` message, or None.

    The result is None if the message begins with none of the kinds.
    """
    kind, colon, what = message.partition(":")
    return (kind, what.strip() or KINDS[kind]) if colon and kind in KINDS else None


def as_of_a_run(error: Error) -> Error:
    """Convert an inference or evaluation error to a run-time error.

    The error concerns a feed. Every engine reports the same: illegal shapes are `runtime-shape`, shapes too large for addresses
    `limit-bytes`. Errors that are already run-time errors are returned unchanged.
    """
    if error.identifier.startswith(_OF_A_RUN):
        return error
    if error.identifier == "shape-too-large":
        said = Error("limit-bytes", error.what, hint=error.hint)
    else:
        said = Error("runtime-shape", error.what, hint=error.hint)
    said.where, said.notes = error.where, error.notes
    return said


RemarkKind = Literal["done", "left"]


@dataclass(frozen=True)
class Remark:
    """Remark of one pass on one operation."""

    kind: RemarkKind
    """`done`: it was changed; `left`: it was not."""
    pass_name: str
    operation: str
    text: str
    layer: str | None = None
    position: tuple[str, int, int] | None = None
    """File, line and column."""
    numbers: Mapping[str, int] = field(default_factory=dict)
    """Numbers that decided, by name."""
    function: str | None = None

    @property
    def message(self) -> str:
        """All of it but the place in a file, in a line."""
        what = self.operation if self.layer is None else f"'{self.layer}' ({self.operation})"
        return f"{self.pass_name}: {self.kind}: {what}: {self.text}"

    def _repr_html_(self) -> str:
        """The remark in a Jupyter notebook."""
        return f"<code>{escape(self.message)}</code>"


@dataclass(frozen=True)
class MissedReason:
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


def is_listening() -> bool:
    """Return True if there is a listener.

    Information that costs more than a remark itself is computed only then.
    """
    return _listener.get() is not None


_counter: ContextVar[Callable[[str, int], None] | None] = ContextVar("counter", default=None)


@contextmanager
def counting(counter: Callable[[str, int], None]) -> Iterator[None]:
    """Set the listener for statistics of passes.

    It is called with a name and a number to add.
    """
    token = _counter.set(counter)
    try:
        yield
    finally:
        _counter.reset(token)


def count(name: str, number: int = 1) -> None:
    """Add to a statistic of the pass that runs, such as `count("operations merged", 3)`."""
    if (counter := _counter.get()) is not None:
        counter(name, number)


class Remarks:
    """Remarks of one pass.

    `numbers` are the numbers that decided; unknown ones are None.
    """

    def __init__(self, pass_name: str) -> None:
        self.pass_name = pass_name

    def passed(self, op: Operation, what: str, **numbers: int | None) -> None:
        """The pass changed this operation."""
        self._tell("done", op, what, numbers)

    def missed(self, op: Operation, why: str | MissedReason, **numbers: int | None) -> None:
        """The pass left this operation alone."""
        if isinstance(why, MissedReason):
            why, numbers = why.text, {**why.numbers, **numbers}
        self._tell("left", op, why, numbers)

    def _tell(self, kind: RemarkKind, op: Operation, text: str, numbers: Mapping[str, int | None]) -> None:
        if (listener := _listener.get()) is None:
            return
        known = {name: number for name, number in numbers.items() if number is not None}
        place = layer_name(op), source_location(op)
        listener(Remark(kind, self.pass_name, op.name, text, *place, known, _function_name(op)))


def _function_name(op: Operation) -> str | None:
    """Return the name of the innermost function around an operation, or None."""
    around: Operation | None = op
    while around is not None and not isinstance(around, FuncOp):
        around = around.parent_op()
    return None if around is None else around.sym_name.data


_OpKey = tuple[str, Attribute]
"""An operation's name and location: what is rebuilt keeps them."""


@dataclass
class PatternRemarks:
    """Number of applications of each pattern, with affected loops and branches."""

    times: Counter[str] = field(default_factory=Counter[str])
    first: dict[str, Operation] = field(default_factory=dict[str, Operation])
    """The operation that each pattern was applied to first, as it was."""
    to: dict[_OpKey, dict[str, None]] = field(default_factory=dict[_OpKey, dict[str, None]])

    @contextmanager
    def recording(self, module: ModuleOp, pass_name: str) -> Iterator[None]:
        """Tell of what is done to the module meanwhile, if somebody listens."""
        if not is_listening():
            yield
            return
        before = _control_flow(module)
        with handling_patterns(self._count):
            yield
        after = _control_flow(module)
        remarks = Remarks(pass_name)
        for origin, operations in before.items():
            gone = len(operations) - len(after.get(origin, ()))
            if gone > 0:
                reason = ", ".join(self.to.get(origin, ())) or "it is unused"
                times = f" {gone} times" if gone > 1 else ""
                remarks.passed(operations[0], f"removed{times}: {reason}", gone=gone)
        for name, times in sorted(self.times.items()):
            text = f"{name} applied {times} {'time' if times == 1 else 'times'}"
            remarks.passed(self.first[name], text if times == 1 else f"{text}, first here", times=times)

    def _count(self, application: PatternApplication) -> None:
        op, name = application.operation, application.pattern
        origin = _op_key(op)
        if application.run() and name not in NO_PATTERNS:
            self.times[name] += 1
            self.first.setdefault(name, op)
            self.to.setdefault(origin, {})[name] = None


def _op_key(op: Operation) -> _OpKey:
    return op.name, op.location


def _control_flow(module: ModuleOp) -> dict[_OpKey, list[Operation]]:
    """Loops and branches by where they come from."""
    found: dict[_OpKey, list[Operation]] = {}
    for op in walk(module):
        if region_flow(op) is not None:
            found.setdefault(_op_key(op), []).append(op)
    return found
