"""The compile time of two trees in one run: each measurement is a process of its own, and the trees take turns.

Figures of different runs say little: a machine that is shared, or warmer, is slower by more than most changes gain.
`compile.py --beside TREE` runs itself once for each tree, one behind the other, as many rounds as asked for, and takes the shortest of
each. Both compile the same models: this tree's. Only the package `loomir` is the other's.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import loomir

OWN = Path(__file__).resolve().parent.parent
Figures = tuple[dict[str, float], dict[str, float]]
"""CPU seconds of the stages, and of the passes."""


def print_figures(stages: dict[str, float], passes: dict[str, float]) -> None:
    """Print the figures that `_figures` of another process reads."""
    print(json.dumps([str(Path(loomir.__file__).parent.parent), stages, passes]))


def _figures(tree: Path, arguments: list[str]) -> Figures:
    """One measurement: `compile.py --figures` with the package of this tree. Raises `CalledProcessError`."""
    command = [sys.executable, str(Path(__file__).with_name("compile.py")), "--figures", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    answer = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    measured, stages, passes = json.loads(answer.splitlines()[-1])
    assert Path(measured) == tree, f"measured {measured} for {tree}"
    return stages, passes


def _shortest(rounds: list[Figures], part: int) -> dict[str, float]:
    names: dict[str, Any] = {name: None for figures in rounds for name in figures[part]}
    return {name: min(figures[part].get(name, 0.0) for figures in rounds) for name in names}


def compare(tree: Path, measurements: dict[str, list[str]], rounds: int, shown: int) -> None:
    """Print a table for each measurement (title → arguments): CPU seconds of the other tree and of this one, and their ratio."""
    trees = {"other": tree.resolve(), "own": OWN}
    for title, arguments in measurements.items():
        found: dict[str, list[Figures]] = {name: [] for name in trees}
        for _ in range(rounds):
            for name, folder in trees.items():
                found[name].append(_figures(folder, arguments))
        table = Table(
            "", tree.resolve().name, "this tree", "ratio", title=f"{title}: CPU seconds, shortest of {rounds}"
        )
        totals = {name: min(sum(stages.values()) for stages, _ in each) for name, each in found.items()}
        before, after = (_shortest(found[name], 0) for name in trees)
        for row in before | after:
            _row(table, row, before.get(row, 0.0), after.get(row, 0.0))
        _row(table, "[bold]all[/]", totals["other"], totals["own"])
        table.add_section()
        before, after = (_shortest(found[name], 1) for name in trees)
        for row in sorted(before | after, key=lambda each: -max(before.get(each, 0.0), after.get(each, 0.0)))[
            :shown
        ]:
            _row(table, row, before.get(row, 0.0), after.get(row, 0.0))
        Console().print(table)


def _row(table: Table, name: str, before: float, after: float) -> None:
    table.add_row(name, f"{before:.2f}", f"{after:.2f}", f"{after / before:.2f}" if before else "")
