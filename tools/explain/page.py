"""The page of `loomir explain`: what it shows, and its rendering."""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.drawings.loops import draw_loops
from loomir.compiler.drawings.memory import ArenaUse, arena_use, draw_memory
from loomir.compiler.drawings.svg import size_text
from loomir.compiler.drawings.tree import ControlFlowNode, facts_of, interval_text, kind_of
from loomir.compiler.formats.c.emit import CCode, emit_c
from loomir.compiler.formats.c.values import comment
from loomir.compiler.model import Model
from loomir.compiler.summary import control_flow_tree, summarise
from loomir.dialects.diagnostics import Remark, layer_name
from loomir.dialects.ov.facts import Dim
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error
from loomir.passes.analysis.machines import machine_of
from loomir.tools.explain.costs import LayerCost, layer_costs
from loomir.tools.explain.recording import PassRun, Recorder, Row, Side, unchanged_groups

if TYPE_CHECKING:
    from jinja2 import Template

_FOLDER = Path(__file__).parent


@dataclass
class Layers:
    """Numbers of layers, by which the page's elements name them."""

    numbers: dict[str, int] = field(default_factory=dict[str, int])

    def number(self, name: str | None) -> int | None:
        """The number of a layer, which is new at its first use."""
        return None if name is None else self.numbers.setdefault(name, len(self.numbers))

    def mark(self, name: str) -> str:
        """The number as text."""
        return str(self.number(name))


@dataclass
class Compilation:
    """One compilation of a model, with what the passes did."""

    title: str
    model: Model
    recorder: Recorder
    capacity: int | None = None
    error: Error | None = None
    """Why there is no program in LOOPS."""

    @cached_property
    def loops(self) -> ModuleOp | None:
        """The program in LOOPS, or None if it cannot be lowered."""
        try:
            with self.recorder.recording():
                return self.model.lowered("loops", capacity=self.capacity)
        except Error as error:
            self.error = error
            return None

    @property
    def runs(self) -> Sequence[PassRun]:
        """The passes, in order."""
        return self.recorder.runs

    @cached_property
    def groups(self) -> list[list[PassRun]]:
        """The passes, those that did nothing together."""
        return unchanged_groups(self.runs)

    @cached_property
    def tree(self) -> ControlFlowNode:
        """Loops and branches after the passes on GRAPH."""
        return control_flow_tree(self.model.module)

    @cached_property
    def arena(self) -> ArenaUse | None:
        """Use of the arena; None without a program in LOOPS."""
        return None if self.loops is None else arena_use(self.loops)

    @cached_property
    def code(self) -> CCode | None:
        """The C; None if it cannot be emitted."""
        if self.loops is None:
            return None
        try:
            return emit_c(self.loops, self.model.name)
        except Error as error:
            self.error = error
            return None

    @cached_property
    def costs(self) -> dict[str, LayerCost]:
        """Costs of each layer."""
        trips = {n.layer: n.trips for n in self.tree.walk() if n.layer is not None and n.trips is not None}
        machine = machine_of(self.model.options.machine or "generic")
        is_graph = self.model.stage == "graph"
        return layer_costs(self.model.module, self.loops, self.arena, trips, machine) if is_graph else {}

    def remarks_of(self, layer: str) -> list[tuple[int, Remark]]:
        """Remarks on a layer, each with the number of its pass."""
        return [
            (number, remark)
            for number, run in enumerate(self.runs)
            for remark in run.remarks
            if remark.layer == layer
        ]


def page_template() -> Template:
    """The template of the page. Error: `no-jinja2`."""
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError as error:
        what = "the page is rendered by jinja2, which is not installed"
        raise Error("no-jinja2", what, hint="pip install 'loomir[explain]'") from error
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"interval": interval_text, "size": size_text, "facts": facts_of}
    return environment.get_template("page.html")


def rendered(template: Template, compilations: Sequence[Compilation]) -> str:
    """Render the page of one compilation, or of two side by side."""
    from markupsafe import Markup

    return template.render(_contents(compilations, Markup))


def _contents(compilations: Sequence[Compilation], safe: Any) -> dict[str, Any]:
    """The contents of the template; `safe` marks text as markup."""
    layers = Layers()
    first = compilations[0].recorder.first or compilations[0].model.module
    for op in walk(first):
        layers.number(layer_name(op))
    model = compilations[0].model
    imported = control_flow_tree(first)
    parts: list[dict[str, Any]] = []
    rows: list[list[list[Any]]] = []
    for each in compilations:
        code = [] if each.code is None else c_blocks(each.code.source, layers)
        offset = len(rows)
        rows += [[_packed(row, layers) for row in run.rows] for run in each.runs]
        parts.append(
            {
                "compilation": each,
                "first_run": offset,
                "tree_drawing": safe(draw_loops(each.tree, layers.mark)),
                "memory_drawing": safe(draw_memory(each.arena, layers.mark)) if each.arena else None,
                "code": code,
                "weights": 0 if each.code is None else each.code.weight_bytes,
                "summary": summarise(each.model.module),
            }
        )
    packed = b64encode(gzip.compress(json.dumps(rows, ensure_ascii=False).encode(), mtime=0)).decode()
    costs = _cost_rows(compilations, layers)
    return {
        "model": model,
        "imported": imported,
        "imported_drawing": safe(draw_loops(imported, layers.mark)),
        "flow": _flow_rows(imported, compilations),
        "parts": parts,
        "layers": layers.numbers,
        "number": layers.number,
        "costs": costs,
        "costed": {row["layer"] for row in costs},
        "upper": _upper,
        "packed": packed,
        "highest": max((_upper(cost.instructions) for row in costs for cost in row["costs"]), default=0),
        "style": safe((_FOLDER / "page.css").read_text()),
        "script": safe((_FOLDER / "page.js").read_text()),
    }


def _flow_rows(imported: ControlFlowNode, compilations: Sequence[Compilation]) -> list[dict[str, Any]]:
    """Loops and branches by layer, before and after each compilation."""
    before, *after = ({}, *({} for _ in compilations))
    places: dict[tuple[str, str], int] = {}
    for tree, found in zip((imported, *(each.tree for each in compilations)), (before, *after)):
        for depth, node in _nested(tree):
            if node.layer is not None:
                key = node.layer, node.kind
                places.setdefault(key, depth)
                found.setdefault(key, []).append(node)
    rows: list[dict[str, Any]] = []
    offsets = [sum(len(each.runs) for each in compilations[:k]) for k in range(len(compilations))]
    for (layer, kind), depth in places.items():
        nodes = [found.get((layer, kind), []) for found in after]
        remarks = [
            [(number + offset, remark) for number, remark in each.remarks_of(layer)]
            for each, offset in zip(compilations, offsets)
        ]
        first = before.get((layer, kind), [None])[0]
        sort = kind_of(first or next(n for each in nodes for n in each))
        row = {"layer": layer, "kind": kind, "depth": depth, "sort": sort, "before": first}
        rows.append({**row, "after": list(zip(nodes, remarks))})
    return rows


def _nested(node: ControlFlowNode, depth: int = 0) -> Iterator[tuple[int, ControlFlowNode]]:
    """Loops and branches below a node, with their depth."""
    for child in node.children:
        is_arm = kind_of(child) == "arm"
        if not is_arm:
            yield depth, child
        yield from _nested(child, depth + (not is_arm))


def _cost_rows(compilations: Sequence[Compilation], layers: Layers) -> list[dict[str, Any]]:
    """Layers and their costs, the highest of the first compilation first."""
    names = dict.fromkeys(name for each in compilations for name in each.costs)
    rows = [
        {
            "layer": name,
            "number": layers.number(name),
            "costs": [each.costs.get(name, LayerCost()) for each in compilations],
            "share": _upper(compilations[0].costs.get(name, LayerCost()).instructions),
        }
        for name in names
    ]
    return sorted(rows, key=lambda row: -row["share"])


def _upper(count: Dim) -> int:
    return count.lo if count.hi is None else count.hi


def _packed(row: Row, layers: Layers) -> list[Any]:
    """A row for the script.

    It is `[skipped]`, or whether the sides differ and both sides.
    """
    if row.skipped:
        return [row.skipped]
    return [int(row.changed), *_packed_side(row.before, layers), *_packed_side(row.after, layers)]


def _packed_side(side: Side | None, layers: Layers) -> list[Any]:
    return [0, "", None] if side is None else [side.number, side.text, layers.number(side.layer)]


MOST_ARRAY_LINES = 3


@dataclass
class CBlock:
    """Adjacent lines of C of one layer."""

    layer: int | None
    first: int
    """Number of the first line."""
    lines: list[str]


_COMMENT = re.compile(r"^( *)/\* (.*) \*/$")
_ARRAY = re.compile(r"^static const .* = \{$")


def c_blocks(source: str, layers: Layers) -> list[CBlock]:
    """Split C by the layers that its comments name.

    A comment is about the lines behind it, up to the next one or the end of its block. Arrays of weights are cut.
    """
    by_comment = {comment(name): number for name, number in layers.numbers.items()}
    blocks: list[CBlock] = []
    current: list[tuple[int, int | None]] = []
    array: int | None = None
    """Lines of the array around."""
    for number, line in enumerate(source.rstrip().split("\n"), 1):
        depth = len(line) - len(line.lstrip())
        if line.strip():
            while current and current[-1][0] > depth:
                current.pop()
        if not depth and line.strip():
            current.clear()
        found = _COMMENT.match(line)
        if found and found[2] in by_comment:
            if current and current[-1][0] == depth:
                current.pop()
            current.append((depth, by_comment[found[2]]))
        if _ARRAY.match(line):
            array = 0
        elif line == "};":
            array = None
        if array is not None:
            array += 1
            if array > MOST_ARRAY_LINES:
                if array == MOST_ARRAY_LINES + 1:
                    blocks[-1].lines.append("    …")
                continue
        layer = current[-1][1] if current else None
        if not blocks or blocks[-1].layer != layer or blocks[-1].first + len(blocks[-1].lines) != number:
            blocks.append(CBlock(layer, number, []))
        blocks[-1].lines.append(line)
    return blocks
