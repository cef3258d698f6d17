"""Drawing of loops and branches, as boxes within boxes."""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml import etree

from loomir.compiler.drawings.svg import (
    CHARACTER,
    LayerMark,
    Svg,
    drawing,
    label,
    marked,
    rectangle,
    shortened,
)
from loomir.compiler.drawings.tree import ControlFlowNode, facts_of, kind_of

LINE, MARGIN, MOST_TEXT = 15, 8, 46 * CHARACTER
_COLOURS = {"loop": "#3b82f6", "branch": "#d97706", "arm": "#94a3b8", "program": "#64748b"}


@dataclass
class _Box:
    node: ControlFlowNode
    lines: list[str]
    children: list[_Box]
    beside: bool
    """The children stand side by side: the arms of a branch."""
    width: float = field(init=False)
    height: float = field(init=False)

    def __post_init__(self) -> None:
        text = max((len(line) for line in self.lines), default=0) * CHARACTER
        widths = [child.width for child in self.children]
        heights = [child.height for child in self.children]
        gaps = MARGIN * max(len(widths) - 1, 0)
        inner = sum(widths) + gaps if self.beside else max(widths, default=0)
        below = max(heights, default=0) if self.beside else sum(heights) + gaps
        self.width = max(text, inner) + 2 * MARGIN
        self.height = LINE * len(self.lines) + 2 * MARGIN + (below + MARGIN if widths else 0)


def draw_loops(root: ControlFlowNode, mark: LayerMark = str) -> Svg:
    """Draw the tree of loops and branches of a program.

    Each loop and branch is a box with its trip count, results and operations, around those in it.
    """
    box = _box(root)
    title = f"Loops and branches of {root.text}"
    return drawing(box.width + 2, box.height + 2, title, *_drawn(box, 1, 1, mark))


def _box(node: ControlFlowNode) -> _Box:
    name = node.kind if node.layer is None or node.kind == "program" else f"{node.kind} {node.layer}"
    lines = [node.text if node.kind == "program" else name, " · ".join(facts_of(node))]
    lines += map(str, node.results)
    short = [shortened(line, MOST_TEXT, end=number == 0) for number, line in enumerate(lines)]
    return _Box(node, short, [_box(child) for child in node.children], kind_of(node) == "branch")


def _drawn(box: _Box, x: float, y: float, mark: LayerMark) -> list[etree._Element]:
    """A box and, over it, those inside."""
    kind = kind_of(box.node)
    colour = _COLOURS[kind]
    style = {"fill": colour, "fill-opacity": "0.05", "stroke": colour, "rx": "4"}
    lines = [
        label(
            x + MARGIN,
            y + MARGIN + LINE * number + 10,
            line,
            opacity="1" if number == 0 else "0.7",
            font_weight="600" if number == 0 else "400",
        )
        for number, line in enumerate(box.lines)
    ]
    own = None if kind == "program" else box.node.layer
    shape = rectangle(x, y, box.width, box.height, f"box {kind}", **style)
    found = [marked(own, mark, shape, *lines, tip=box.node.text)]
    inside_x, inside_y = x + MARGIN, y + MARGIN + LINE * len(box.lines) + MARGIN
    for child in box.children:
        found += _drawn(child, inside_x, inside_y, mark)
        if box.beside:
            inside_x += child.width + MARGIN
        else:
            inside_y += child.height + MARGIN
    return found
