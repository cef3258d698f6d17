"""Results of random programs, as tables for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from rich.box import SIMPLE_HEAD
from rich.table import Table

from loomir.tools.fuzz.runner import Summary

COLUMNS = 3


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)


def features_table(summary: Summary) -> Table:
    """Return a table of the features of the programs.

    It lists in how many programs each feature occurs, and how often it occurs in all of them; operators follow the other
    features.
    """
    programs, times = summary.holding(), summary.total("features")
    table = _table(f"What {len(summary.reports)} programs hold: in how many, how often")
    for _ in range(COLUMNS):
        table.add_column("", no_wrap=True)
        table.add_column("in", justify="right", no_wrap=True)
        table.add_column("times", justify="right", no_wrap=True)
    names = sorted(programs, key=lambda n: (n.startswith("op "), n))
    rows = -(-len(names) // COLUMNS)
    for row in range(rows):
        cells: list[str] = []
        for name in names[row::rows]:
            cells += [name, str(programs[name]), str(times[name])]
        table.add_row(*cells)
    return table


def counts_table(title: str, counts: Mapping[str, int]) -> Table:
    """Names and numbers."""
    table = _table(title)
    table.add_column("")
    table.add_column("programs", justify="right")
    for name, count in sorted(counts.items()):
        table.add_row(name, str(count))
    return table


def seconds_table(summary: Summary) -> Table:
    """CPU time by what it was spent for."""
    count = max(1, len(summary.reports))
    spent = summary.seconds_of()
    table = _table("CPU time")
    table.add_column("")
    table.add_column("ms per program", justify="right")
    table.add_column("share", justify="right")
    whole = sum(spent.values()) or 1.0
    for name, seconds in spent.items():
        table.add_row(name, f"{1000 * seconds / count:.1f}", f"{100 * seconds / whole:.0f} %")
    table.add_row("all", f"{1000 * whole / count:.1f}", "100 %")
    return table


def failures_by_kind(summary: Summary) -> Counter[str]:
    """How many failures there are of each sort."""
    return Counter(f"{f.engine}: {f.kind}" for _, f in summary.failures)
