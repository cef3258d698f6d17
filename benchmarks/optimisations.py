"""What loomir's passes make of loops and branches: every row of `simplifications/table.py`, before and after.

python benchmarks/optimisations.py > docs/optimisations.md     # the page
python benchmarks/optimisations.py --show NAME                 # one row: its programs as the passes leave them
python benchmarks/optimisations.py --mlir-opt                  # what mlir-opt-22 makes of our STRUCTURED text, as a table
"""

from __future__ import annotations

import argparse
from dataclasses import astuple, fields

from simplifications.measure import Measured, Pair, measure
from simplifications.rows import Row
from simplifications.table import GROUPS, ROWS
from simplifications.upstream import Counts, compare

HEAD = """# Optimisations of control flow

Made by `python benchmarks/optimisations.py`; `tests/unit/test_optimisations.py` holds each line. Each row is one simplification with a
small program that shows just that, a near miss that has to stay as it is, and what a checker asks of both: `benchmarks/simplifications`
(`--show NAME` prints the programs as the passes leave them, `--mlir-opt` what mlir-opt-22 makes of our STRUCTURED text). The rows were
fixed before the passes.

- *operations* of the program as it is written → after loomir's default passes on GRAPH, without constants and terminators;
- *executed* by the graph engine for all feeds of the row together, counted likewise (a loop is one, a branch none);
- *row*: whether what is asked holds of the program; *nested*: in a loop in one arm of a branch; *dynamic*: with inputs of open
  extents (– where the row is about static ones);
- *near miss*: whether it stays.

Rows marked † add passes that a user asks for. Results are the same before and after, to the bit, errors included.
"""

COLUMNS = ("row", "simplification", "operations", "executed", "row", "nested", "dynamic", "near miss")


def line(measured: Measured) -> str:
    """A row of the page."""
    row, own = measured.row, measured.own
    cells = (
        f"`{row.name}`{' †' if row.passes else ''}",
        row.statement,
        f"{own.before.operations} → {own.after.operations}",
        f"{own.before.executed:,} → {own.after.executed:,}",
        _yes(measured.achieved),
        _verdict(row, measured.nested),
        _verdict(row, measured.dynamic),
        "stays" if measured.stays else "**changed**",
    )
    return f"| {' | '.join(cells)} |"


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


def _verdict(row: Row, pair: Pair | None) -> str:
    return "–" if pair is None else _yes(pair.has_at_most(row.asks))


def page() -> str:
    """The whole page."""
    parts: list[str] = []
    done = stay = 0
    for title, rows in GROUPS.items():
        measured = [measure(row) for row in rows]
        done += (holding := sum(m.achieved for m in measured))
        stay += sum(m.stays for m in measured)
        lines = [f"| {' | '.join(COLUMNS)} |", "|---|---|---:|---:|---|---|---|---|", *map(line, measured)]
        parts.append(f"## {title}\n\n{holding} of {len(rows)} hold.\n\n" + "\n".join(lines) + "\n")
    total = f"Of {len(ROWS)} rows {done} hold; {stay} near misses stay.\n"
    return "\n".join([HEAD, total, *parts])


def show(row: Row) -> str:
    """A row's program and its near miss as the passes leave them."""
    measured = measure(row)
    counts = {name: measured.own.counts().get(name, 0) for name in row.asks}
    kept = {name: measured.near.counts().get(name, 0) for name in row.keeps}
    return (
        f"// {row.statement}\n// asks at most {dict(row.asks)}, has {counts}\n{measured.own.after.module!s}\n"
        f"// -----\n// the near miss keeps at least {dict(row.keeps)}, has {kept}\n{measured.near.after.module!s}"
    )


def upstream() -> str:
    """A table of what `mlir-opt` makes of every row."""
    kinds = [f.name.replace("_", " ") for f in fields(Counts)]
    lines = [f"| row | {' | '.join(kinds)} |", "|---|" + "---:|" * len(kinds)]
    for row in ROWS:
        before, after = compare(row)
        cells = (f"{a} → {b}" for a, b in zip(astuple(before), astuple(after)))
        lines.append(f"| `{row.name}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    known = {row.name: row for row in ROWS}
    parser.add_argument("--show", metavar="NAME", choices=known, help="a row's programs after the passes")
    parser.add_argument("--mlir-opt", action="store_true", help="a table of what mlir-opt-22 does")
    options = parser.parse_args()
    if options.show:
        print(show(known[options.show]))
    elif options.mlir_opt:
        print(upstream())
    else:
        print(page(), end="")


if __name__ == "__main__":
    main()
