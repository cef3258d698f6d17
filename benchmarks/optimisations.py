"""What loomir's passes make of loops and branches: every row of `simplifications/table.py`, before and after.

python benchmarks/optimisations.py > docs/optimisations.md     # the page
python benchmarks/optimisations.py --show NAME                 # one row: its programs as the passes leave them
python benchmarks/optimisations.py --lit                       # tests/lit/optimisations: the rows as lit tests
python benchmarks/optimisations.py --elsewhere                 # docs/optimisations-elsewhere.md: what others make of them
"""

from __future__ import annotations

import argparse
from collections import Counter
from datetime import date
from importlib.metadata import version

from simplifications import lit_tests
from simplifications.elsewhere import Verdict, verdicts
from simplifications.measure import Measured, Pair, measure
from simplifications.rows import Row
from simplifications.table import GROUPS, ROWS
from simplifications.upstream import PASSES, TOOL, compare

HEAD = """# Optimisations of control flow

Made by `python benchmarks/optimisations.py`; `tests/unit/test_optimisations.py` holds each line. Each row is one simplification with a
small program that shows just that, a near miss that has to stay as it is, and what a checker asks of both: `benchmarks/simplifications`
(`--show NAME` prints the programs as the passes leave them). Each row and each near miss is a function of a lit test, too, with what the
passes leave of it: `tests/lit/optimisations`, made by `--lit`. The rows were fixed before the passes. What ONNX Runtime, OpenVINO,
onnxscript and mlir-opt make of them: [optimisations-elsewhere.md](optimisations-elsewhere.md).

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


ELSEWHERE = """# The same simplifications elsewhere

Made by `python benchmarks/optimisations.py --elsewhere` on {date}, where `pip install -e '.[benchmarks]'` has brought onnxscript and
`mlir-opt-22` is installed. The rows of [optimisations.md](optimisations.md) as other optimisers
leave them: {versions}.

- *ONNX Runtime* (all its optimisations), *onnxscript* (`optimizer.optimize`) and *OpenVINO* (its CPU plugin, as compiled) get the
  program as ONNX (`benchmarks/simplifications/as_onnx.py`, which a test compares with the row in ONNX Runtime). *as ONNX* is that
  program untouched; it has operations of its own where ONNX says something otherwise.
- Each cell: whether what the row asks holds; operations without constants; operations executed for all feeds of the row, which is not
  known of what only OpenVINO can run. – where nothing can be said: rows that ask for a share of the iterations (unrolling by a factor,
  which none of them has), and loops without a trip count in OpenVINO, whose trip counts its text does not have.
- *mlir-opt* gets our STRUCTURED text, made without our optimisations: operations before → after, and of these loops and branches. Its
  passes: {passes}.

| | {heads} |
|---|{rule}
| of {rows} rows hold | {totals} |

| row | {heads} | mlir-opt: operations | loops | branches |
|---|{rule}---:|---:|---:|
{lines}
"""


def elsewhere() -> str:
    """The page of what other tools make of the rows."""
    totals: Counter[str] = Counter()
    lines: list[str] = []
    heads: list[str] = []
    for row, untouched, made in verdicts(ROWS):
        cells = {"as ONNX": untouched, **made}
        heads = list(cells)
        totals.update(name for name, verdict in cells.items() if verdict.holds)
        before, after = compare(row)
        upstream = (
            (before.operations, after.operations),
            (before.whiles + before.counted_loops, after.whiles + after.counted_loops),
            (before.branches, after.branches),
        )
        words = [f"`{row.name}`", *map(_cell, cells.values()), *(f"{a} → {b}" for a, b in upstream)]
        lines.append(f"| {' | '.join(words)} |")
    packages = ("onnxruntime", "onnxscript", "openvino")
    return ELSEWHERE.format(
        date=date.today(),
        versions=", ".join([*(f"{name} {version(name)}" for name in packages), TOOL]),
        passes=", ".join(dict.fromkeys(PASSES)),
        heads=" | ".join(heads),
        rule="---|" * len(heads),
        rows=len(ROWS),
        totals=" | ".join(str(totals[name]) for name in heads),
        lines="\n".join(lines),
    )


def _cell(verdict: Verdict) -> str:
    numbers = (n for n in (verdict.operations, verdict.executed) if n is not None)
    holds = "–" if verdict.holds is None else _yes(verdict.holds)
    return "; ".join([holds, *(f"{n:,}" for n in numbers)])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    known = {row.name: row for row in ROWS}
    parser.add_argument("--show", metavar="NAME", choices=known, help="a row's programs after the passes")
    parser.add_argument("--elsewhere", action="store_true", help="the page of what other optimisers do")
    parser.add_argument("--lit", action="store_true", help="write the rows as lit tests")
    options = parser.parse_args()
    if options.show:
        print(show(known[options.show]))
    elif options.lit:
        lit_tests.write()
    elif options.elsewhere:
        print(elsewhere(), end="")
    else:
        print(page(), end="")


if __name__ == "__main__":
    main()
