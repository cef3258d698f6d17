"""The picture of the rooms in docs/architecture.md, from the import graph: `python -m tests.rooms > docs/rooms.svg`, `make rooms`.

A matrix: each room has a row and a column, and a mark shows that the room of the row imports the room of the column. Layers are
in the order of the imports. Therefore all marks are right of the diagonal, except those of two rooms of a layer that need each
other, and those that tests/unit/test_structure.py rejects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.code_lines import ROOT, code_lines
from tests.import_graph import imported_modules, module_name, sources

LAYERS = ("tools", "compiler", "passes", "dialects")
"""Layers from top to bottom: each imports itself and those after it."""
DIVIDED = {("compiler", "formats"), ("dialects", "ov"), ("tools", "model_optimizer")}
"""Folders whose own folders are rooms. Elsewhere the folders of a layer are rooms, with all that is below them."""

CELL = 18
GAP = 12
"""Space between two layers."""
NAMES = 212
"""Right end of the names."""
BARS = 96
"""Length of the bar of the largest room."""
MATRIX = NAMES + 8 + BARS + 54
TOP = 216
MARGIN = 16
MARKS = ((1, 5, "1"), (2, 8, "2 to 4"), (5, 11, "5 to 9"), (10, 14, "10 and more"))
"""Sizes of a mark: the least number of importing modules, the side, and the label."""

STYLE = """
  svg { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 11px }
  .page { fill: #ffffff } .text { fill: #1f2328 } .dim { fill: #59636e } .line { stroke: #e4e8ec }
  .tools { fill: #8250df } .compiler { fill: #0969da } .passes { fill: #1a7f37 } .dialects { fill: #b35900 } .wrong { fill: #e5142b }
  .tools.both { stroke: #8250df } .compiler.both { stroke: #0969da } .passes.both { stroke: #1a7f37 } .dialects.both { stroke: #b35900 }
  .both { fill: none; stroke-width: 1.6 } .pale { opacity: 0.3 } .block { opacity: 0.07 } .layer { font-weight: bold; font-size: 13px }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 } .text { fill: #e6edf3 } .dim { fill: #9198a1 } .line { stroke: #262c34 }
    .tools { fill: #b083f9 } .compiler { fill: #4d9bff } .passes { fill: #3fb950 } .dialects { fill: #e3a02c } .wrong { fill: #ff5c52 }
    .tools.both { stroke: #b083f9 } .compiler.both { stroke: #4d9bff } .passes.both { stroke: #3fb950 } .dialects.both { stroke: #e3a02c }
    .both { fill: none } .pale { opacity: 0.4 } .block { opacity: 0.13 }
  }
"""


def room_of(path: Path) -> str:
    """Return the room of a module."""
    folders = path.relative_to(ROOT).parent.parts
    return "/".join(folders[: 3 if folders[:2] in DIVIDED else 2])


def lines_of_rooms() -> Counter[str]:
    """Return the lines of code of each room."""
    found: Counter[str] = Counter()
    for path in sources():
        found[room_of(path)] += len(code_lines(path.read_text(encoding="utf-8")))
    return found


def imports_of_rooms() -> Counter[tuple[str, str]]:
    """Return for two rooms how many modules of the first import the second."""
    of_module = {module_name(path): room_of(path) for path in sources()}
    found: Counter[tuple[str, str]] = Counter()
    for importer, imported in imported_modules().items():
        room = of_module[importer]
        found.update((room, other) for other in {of_module[each] for each in imported} - {room})
    return found


def layer_of(room: str) -> str:
    """Return the layer of a room."""
    return room.partition("/")[0]


def ordered(names: Sequence[str], imports: Mapping[tuple[str, str], int]) -> list[str]:
    """Order rooms so that as few modules as possible import a room above their own."""
    # The best order of each set of rooms, from the best of the sets with one room less.
    best: dict[frozenset[str], tuple[int, tuple[str, ...]]] = {frozenset(): (0, ())}
    for _ in names:
        longer: dict[frozenset[str], tuple[int, tuple[str, ...]]] = {}
        for above, (cost, order) in best.items():
            for name in sorted(set(names) - above):
                added = cost + sum(imports.get((name, other), 0) for other in above)
                key, value = above | {name}, (added, (*order, name))
                longer[key] = min(longer.get(key, value), value)
        best = longer
    return list(best[frozenset(names)][1])


def places(order: Sequence[str]) -> dict[str, int]:
    """Return the distance of each room from the first, in rows and in columns."""
    return {room: index * CELL + LAYERS.index(layer_of(room)) * GAP for index, room in enumerate(order)}


def text(x: float, y: float, content: str, style: str = "text", more: str = "") -> str:
    """Return an element with text."""
    return f'<text class="{style}" x="{x:g}" y="{y:g}"{more}>{content}</text>'


def square(x: float, y: float, side: float, style: str, title: str = "") -> str:
    """Return a square around a point."""
    told = f"<title>{title}</title>" if title else ""
    return (
        f'<rect class="{style}" x="{x - side / 2:g}" y="{y - side / 2:g}" width="{side}" height="{side}" rx="2.5">'
        f"{told}</rect>"
    )


def shown(room: str) -> str:
    """Return a room's name within its layer."""
    return room.partition("/")[2] or f"{room}/*.py"


def blocks(place: Mapping[str, int]) -> Iterator[str]:
    """Draw the layers: their names, and the background of the imports within each."""
    for layer in LAYERS:
        own = [at for room, at in place.items() if layer_of(room) == layer]
        first, size = min(own), max(own) - min(own) + CELL
        x, y = MATRIX + first, TOP + first
        yield f'<rect class="{layer} block" x="{x}" y="{y}" width="{size}" height="{size}" rx="4"/>'
        yield f'<rect class="{layer}" x="{MARGIN + 18}" y="{y}" width="3" height="{size}" rx="1.5"/>'
        yield f'<rect class="{layer}" x="{x}" y="{MARGIN + 22}" width="{size}" height="3" rx="1.5"/>'
        turned = f' text-anchor="middle" transform="rotate(-90 {MARGIN + 10} {y + size / 2:g})"'
        yield text(MARGIN + 10, y + size / 2, layer, f"{layer} layer", turned)
        yield text(x + size / 2, MARGIN + 14, layer, f"{layer} layer", ' text-anchor="middle"')


def headings(place: Mapping[str, int], lines: Mapping[str, int]) -> Iterator[str]:
    """Draw the name of each room before its row and above its column, and its size."""
    largest, end = max(lines.values()), max(place.values()) + CELL
    for room, at in place.items():
        layer, middle = layer_of(room), TOP + at + CELL / 2
        x = MATRIX + at + CELL / 2
        yield f'<path class="line" d="M{MATRIX} {middle:g}H{MATRIX + end}M{x:g} {TOP}V{TOP + end}"/>'
        yield text(NAMES, middle + 4, f"<title>{room}</title>{shown(room)}", more=' text-anchor="end"')
        yield text(x + 4, TOP - 8, shown(room), more=f' transform="rotate(-90 {x + 4:g} {TOP - 8})"')
        yield square(x, middle, CELL - 2, f"{layer} pale")
        hundreds = round(lines[room], -2)
        length = BARS * hundreds / largest
        yield f'<rect class="{layer} pale" x="{NAMES + 8}" y="{middle - 5:g}" width="{length:.0f}" height="10" rx="2"/>'
        yield text(NAMES + 12 + round(length), middle + 4, f"{hundreds:,}" if hundreds else "&lt; 50", "dim")


def marks(place: Mapping[str, int], imports: Mapping[tuple[str, str], int]) -> Iterator[str]:
    """Draw the imports."""
    for (importer, imported), count in sorted(imports.items()):
        layer = layer_of(importer)
        style = layer
        if place[imported] < place[importer]:
            style = f"{layer} both" if layer_of(imported) == layer else "wrong"
        side = max(side for least, side, _ in MARKS if count >= least)
        x, y = MATRIX + place[imported] + CELL / 2, TOP + place[importer] + CELL / 2
        yield square(x, y, side, style, f"{importer} imports {imported}")


def legend(place: Mapping[str, int]) -> Iterator[str]:
    """Explain the marks where there can be none: in the rows of lower layers, below the upper ones."""
    end = min(at for room, at in place.items() if layer_of(room) == "passes")
    x, y = MATRIX + 12, TOP + end + 24
    yield f'<rect class="page" x="{MATRIX}" y="{y - 24}" width="{end - GAP}" height="180" rx="4"/>'
    yield text(x, y, "The room of a row imports the rooms of the")
    yield text(x, y + 16, "marked columns. The size of a mark: how many")
    yield text(x, y + 32, "of its modules do.")
    at = x + 8
    for _, side, label in MARKS:
        yield square(at, y + 56, side, "compiler")
        yield text(at + 12, y + 60, label, "dim")
        at += 34 + 7 * len(label)
    rows = (
        ("compiler both", "against the order within a layer: a circle"),
        ("wrong", "against the direction of imports: a fault"),
        ("compiler pale", "bar: lines of code; in the matrix: the room"),
    )
    for number, (style, label) in enumerate(rows):
        yield square(x + 8, y + 84 + 24 * number, 11, style)
        yield text(x + 22, y + 88 + 24 * number, label, "dim")


def picture(lines: Mapping[str, int], imports: Mapping[tuple[str, str], int]) -> str:
    """Return the picture as SVG."""
    order = [
        room
        for layer in LAYERS
        for room in ordered([each for each in lines if layer_of(each) == layer], imports)
    ]
    place = places(order)
    size = max(place.values()) + CELL + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {MATRIX + size} {TOP + size}" role="img">',
        "<title>The rooms of loomir: lines of code, and imports</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="page" width="{MATRIX + size}" height="{TOP + size}" rx="8"/>',
        *blocks(place),
        *headings(place, lines),
        *legend(place),
        *marks(place, imports),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def main() -> None:
    """Print the picture."""
    print(picture(lines_of_rooms(), imports_of_rooms()), end="")


if __name__ == "__main__":
    main()
