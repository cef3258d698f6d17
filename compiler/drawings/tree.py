"""Tree of loops and branches, and its words for people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from loomir.compiler.drawings.svg import HTML, printable
from loomir.dialects.ov.facts import Dim

_NOTHING = Dim(0, 0)


@dataclass(frozen=True)
class RegionResults:
    """Results of one kind of a loop or branch."""

    how: str
    """`carried`, `sliced`, `last`, `concatenated`, or `results` of a branch."""
    types: tuple[str, ...]
    bytes: Dim | None = None
    """Of all of them together, or None if one has no bound."""

    def __str__(self) -> str:
        size = self.bytes
        text = "" if size is None else f" {'' if size.static is not None else '≤'}{size.hi:,} B"
        return f"{self.how} ({', '.join(self.types)}){text}"


@dataclass
class ControlFlowNode:
    """Loop, branch, arm of a branch or, at the root, program.

    `kind` is `program`, `loop`, `if`, `then`, `else`, or the name of an operation of `scf`.
    """

    kind: str
    layer: str | None = None
    """For the root it is the name of the program."""
    trips: Dim | None = None
    """Iterations of a loop of GRAPH."""
    results: tuple[RegionResults, ...] = ()
    operations: int = 0
    macs: Dim = _NOTHING
    """Multiply–accumulates of one execution.

    For a loop they are those of all iterations, for a branch those of the arm that is taken.
    """
    children: list[ControlFlowNode] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The node in a line, without its operations."""
        name = f" '{self.layer}'" if self.layer else ""
        match self.kind:
            case "program":
                return self.layer or "program"
            case "loop":
                trips = self.trips
                unbounded = trips is None or (trips.hi is None and trips.lo == 0)
                said = "unbounded" if unbounded else str(trips)
                return f"loop{name}: trips {said}, {', '.join(map(str, self.results)) or 'no values'}"
            case "if":
                types = [t for each in self.results for t in each.types]
                return f"if{name}: {len(types)} results ({', '.join(types)})"
            case "then" | "else":
                return self.kind
            case _:
                return f"{self.kind}{name}: {sum(len(each.types) for each in self.results)} results"

    def walk(self) -> Iterator[ControlFlowNode]:
        """The node and all below it, each before its children."""
        yield self
        for child in self.children:
            yield from child.walk()

    def _repr_html_(self) -> str:
        """The tree in a Jupyter notebook."""
        return etree.tostring(HTML.ul(_item(self)), encoding="unicode", method="html")


def kind_of(node: ControlFlowNode) -> str:
    """`program`, `loop`, `branch` or `arm`."""
    if node.kind in ("then", "else"):
        return "arm"
    if node.kind == "program":
        return "program"
    return "branch" if node.kind in ("if", "scf.if") else "loop"


def facts_of(node: ControlFlowNode) -> list[str]:
    """Trip count, operations and multiply–accumulates of a node, in words."""
    facts: list[str] = []
    if node.trips is not None:
        unbounded = node.trips.hi is None and node.trips.lo == 0
        facts.append("unbounded" if unbounded else f"{node.trips} trip{'s' * (node.trips.static != 1)}")
    facts.append(f"{node.operations} operation{'s' * (node.operations != 1)}")
    if node.macs.hi != 0:
        facts.append(f"{count_text(node.macs)} MACs")
    return facts


def _item(node: ControlFlowNode) -> etree._Element:
    name = [] if node.layer is None else [" ", HTML.code(printable(node.layer))]
    results = [HTML.div(printable(str(each)), style="opacity: 0.7") for each in node.results]
    children = [HTML.ul(*map(_item, node.children))] if node.children else []
    return HTML.li(HTML.b(node.kind), *name, f" {' · '.join(facts_of(node))}", *results, *children)


def interval_text(count: Dim) -> str:
    """A count for a person: `1,024`, `1 to 10`, `1 to any number of`."""
    if count.static is not None:
        return f"{count.static:,}"
    return f"{count.lo:,} to {'any number of' if count.hi is None else f'{count.hi:,}'}"


def count_text(count: Dim) -> str:
    """A large count for a person: `640`, `1.8 G`, `504.8 k to 679.6 k`, `0 or more`."""
    if count.static is not None:
        return _rounded(count.lo)
    return f"{_rounded(count.lo)} to {_rounded(count.hi)}" if count.hi else f"{_rounded(count.lo)} or more"


def _rounded(number: int) -> str:
    for unit, power in (("T", 12), ("G", 9), ("M", 6), ("k", 3)):
        if number >= 10**power:
            return f"{number / 10**power:.1f} {unit}"
    return str(number)
