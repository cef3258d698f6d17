"""Instructions of emitted C with and without a profile: `python benchmarks/profile_use.py [NAME …]`.

For each model of tests/fixtures/producers with loops or branches: the call that runs the most operations is recorded, the model is
compiled at -O2 with and without this profile, and both programs run this call under callgrind. Models of which the profile changes
nothing are left out. The results have to be equal to the last bit.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
from levels import run

sys.path.insert(0, str(Path(__file__).parents[1]))

import loomir
from loomir.compiler.formats.c.emit import CCode, emit_c
from loomir.compiler.model import Model
from loomir.compiler.profile import Profile, keys
from loomir.errors import Error
from loomir.tools.profiling import Profiler
from tests.conformance.test_producers import FIXTURES, NAMES, calls_of, options

CAPACITY = 64
"""Of programs whose extents have no bound."""


@dataclass(frozen=True)
class Row:
    """Instructions of one call without and with the profile."""

    name: str
    without: int
    using: int

    def __str__(self) -> str:
        return f"| {self.name} | {self.without:,} | {self.using:,} | {self.using / self.without - 1:+.0%} |"


def recorded(name: str) -> tuple[Profile, Mapping[str, Any]] | None:
    """The profile of the longest call of a model, and its feed; None if nothing can be recorded."""
    model = loomir.load(str(FIXTURES / f"{name}.onnx"), level="O0", **options().get(name, {}))
    best: tuple[int, Profile, Mapping[str, Any]] | None = None
    for call in calls_of(name) if keys(model.module) else ():
        profiler = Profiler("graph", "O0")
        try:
            model.observe(call.feed, [profiler])
        except Error:
            continue
        operations = sum(layer.operations for layer in profiler.profile.layers.values())
        if best is None or operations > best[0]:
            best = operations, profiler.profile, call.feed
    return None if best is None else best[1:]


def code_of(model: Model, feed: Mapping[str, Any]) -> CCode:
    """The C of the program for a feed."""
    program = model.for_feed(feed)
    try:
        return emit_c(program.lowered("loops"), "model")
    except Error:
        return emit_c(program.lowered("loops", capacity=CAPACITY), "model")


def measure(name: str) -> Row | None:
    """The row of a model; None if its profile changes nothing."""
    found = recorded(name)
    if found is None:
        return None
    profile, feed = found
    path, given = str(FIXTURES / f"{name}.onnx"), options().get(name, {})
    with tempfile.TemporaryDirectory() as work:
        file = Path(work) / "profile.json"
        profile.write(file)
        try:
            codes = [code_of(loomir.load(path, profile=each, **given), feed) for each in ((), file)]
        except Error:
            return None  # it has no C
        if codes[0].source == codes[1].source:
            return None
        counts: list[int] = []
        results: list[dict[str, np.ndarray]] = []
        for code in codes:
            millions, outputs = run(code, "-O2", feed, Path(work))
            counts.append(round(millions * 1e6))
            results.append(outputs)
    for output, value in results[0].items():
        np.testing.assert_array_equal(results[1][output], value, f"{name}: {output}")
    return Row(name, *counts)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Instructions of emitted C with and without a profile.")
    parser.add_argument("names", nargs="*", default=["*"], help="patterns of names of models")
    given = parser.parse_args()
    print("| model | instructions at -O2 | with `--profile-use` | |\n|---|---:|---:|---:|")
    for name in (n for n in NAMES if any(fnmatch(n, pattern) for pattern in given.names)):
        if (row := measure(name)) is not None:
            print(row, flush=True)


if __name__ == "__main__":
    main()
