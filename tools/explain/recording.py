"""Record of a compilation: passes, remarks, and IR around each pass."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from io import StringIO
from itertools import zip_longest
from zlib import crc32

from xdsl.context import Context
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.printer import Printer

from loomir.compiler.pipeline import instrumenting
from loomir.dialects.diagnostics import Remark, layer_name, listening
from loomir.dialects.region_flow import region_flow
from loomir.dialects.upstream.walking import walk

LONGEST_LINE = 300
MOST_ELEMENTS = 16
"""Elements of constants that are printed."""
MOST_ROWS = 3000
"""Rows of one pass that are kept; the others are counted."""
CONTEXT = 3
"""Unchanged lines around changed ones."""


class _LayerPrinter(Printer):
    """Printer that notes which lines each operation of a layer covers."""

    def __init__(self, stream: StringIO) -> None:
        super().__init__(stream)
        self.found: list[tuple[int, int, str]] = []

    def print_op(self, op: Operation) -> None:
        first, name = self._current_line, layer_name(op)
        place = len(self.found)
        super().print_op(op)
        if name is not None:
            # Before those of its regions, which are more precise.
            self.found.insert(place, (first, self._current_line, name))

    def print_attribute(self, attribute: Attribute) -> None:
        if not isinstance(attribute, DenseIntOrFPElementsAttr) or len(attribute) <= MOST_ELEMENTS:
            super().print_attribute(attribute)
            return
        # A checksum, so that other contents are a difference.
        self.print_string(f"dense<{len(attribute)} elements, {crc32(attribute.data.data):08x}> : ")
        super().print_attribute(attribute.type)


@dataclass(frozen=True)
class IRText:
    """Lines of a module without large constants, and the layer of each."""

    lines: tuple[str, ...]
    layers: tuple[str | None, ...]

    @classmethod
    def of(cls, module: ModuleOp) -> IRText:
        """Print a module."""
        stream = StringIO()
        printer = _LayerPrinter(stream)
        printer.print_op(module)
        lines = tuple(_shortened(line) for line in stream.getvalue().split("\n"))
        layers: list[str | None] = [None] * len(lines)
        for first, last, name in printer.found:
            layers[first : last + 1] = [name] * (last + 1 - first)
        return cls(lines, tuple(layers))


def _shortened(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 1]}…"


@dataclass(frozen=True)
class Side:
    """One line of one side of a comparison."""

    number: int
    text: str
    layer: str | None


@dataclass(frozen=True)
class Row:
    """Row of a comparison: the lines before and after, if any.

    A row without lines stands for `skipped` unchanged ones.
    """

    before: Side | None
    after: Side | None
    changed: bool
    skipped: int = 0


def compared(before: IRText, after: IRText) -> tuple[list[Row], int]:
    """Return the rows that differ, and the number of rows left out.

    SSA names are numbered through the whole module, so lines that differ only in these numbers are equal.
    """
    old, new = ([re.sub(r"%\d+", "%", line) for line in text.lines] for text in (before, after))
    matcher = SequenceMatcher(None, old, new)
    rows: list[Row] = []
    end = 0
    for group in matcher.get_grouped_opcodes(CONTEXT):
        if skipped := group[0][1] - end:
            rows.append(Row(None, None, False, skipped))
        for tag, low, high, new_low, new_high in group:
            sides = zip_longest(_sides(before, low, high), _sides(after, new_low, new_high))
            rows += [Row(*pair, tag != "equal") for pair in sides]
        end = group[-1][2]
    if rows and (skipped := len(before.lines) - end):
        rows.append(Row(None, None, False, skipped))
    return rows[:MOST_ROWS], max(0, len(rows) - MOST_ROWS)


def _sides(text: IRText, low: int, high: int) -> Iterator[Side]:
    for number in range(low, high):
        yield Side(number + 1, text.lines[number], text.layers[number])


@dataclass(frozen=True)
class Counts:
    """Numbers of operations, loops and branches of a module."""

    operations: int
    loops: int
    branches: int

    @classmethod
    def of(cls, module: ModuleOp) -> Counts:
        """Count a module's."""
        kinds = Counter[str]()
        for op in walk(module):
            kinds["operations"] += 1
            if (flow := region_flow(op)) is not None:
                kinds["loops" if flow.repeats else "branches"] += 1
        return cls(kinds["operations"], kinds["loops"], kinds["branches"])


@dataclass
class PassRun:
    """One run of a pass, with what it did."""

    name: str
    options: str
    before: Counts
    seconds: float = 0.0
    after: Counts | None = None
    """None: the pass failed."""
    rows: Sequence[Row] = ()
    left_out: int = 0
    remarks: list[Remark] = field(default_factory=list[Remark])

    @property
    def changed(self) -> bool:
        """True if it changed more than the numbers of SSA names."""
        return bool(self.rows)

    @property
    def without_effect(self) -> bool:
        """True if it changed nothing, and there is no remark."""
        return not self.changed and not self.remarks and self.after is not None


@dataclass
class Recorder:
    """Instrumentation that records every pass of a compilation."""

    runs: list[PassRun] = field(default_factory=list[PassRun])
    first: ModuleOp | None = None
    """A copy of the module before the first pass."""
    _module: ModuleOp | None = None
    _text: IRText = field(default_factory=lambda: IRText((), ()))
    _counts: Counts = field(default_factory=lambda: Counts(0, 0, 0))
    _start: float = 0.0

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Observe the passes that run meanwhile, and their remarks."""

        def listen(remark: Remark) -> None:
            if self.runs:
                self.runs[-1].remarks.append(remark)

        with listening(listen), instrumenting(self):
            yield

    def before(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        if self.first is None:
            self.first = module.clone()
        if module is not self._module:
            self._module, self._text, self._counts = module, IRText.of(module), Counts.of(module)
        self.runs.append(PassRun(instance.name, str(instance.pipeline_pass_spec()), self._counts))
        self._start = time.process_time()

    def after(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        run = self.runs[-1]
        run.seconds = time.process_time() - self._start
        text, counts = IRText.of(module), Counts.of(module)
        run.after = counts
        run.rows, run.left_out = compared(self._text, text)
        self._text, self._counts = text, counts

    def failed(self, instance: ModulePass, context: Context, error: Exception) -> None:
        self.runs[-1].seconds = time.process_time() - self._start


def unchanged_groups(runs: Sequence[PassRun]) -> list[list[PassRun]]:
    """Group adjacent runs without an effect; each other run stands alone."""
    groups: list[list[PassRun]] = []
    for run in runs:
        if groups and run.without_effect and groups[-1][0].without_effect:
            groups[-1].append(run)
        else:
            groups.append([run])
    return groups
