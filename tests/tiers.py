"""Tiers of tests: `make quick`, `make test` and `make thorough`.

    make quick      # lit tests and unit tests that start no process and take no time
    make test       # every test function; of a family of cases that takes long, a sample
    make thorough   # all cases; with PART=2 the second of five parts, of which CI runs another each time

`tests/durations.json` names the families and their samples (tests/durations.py). A test that pytest's
command line names, with `::` or `-k`, always runs. `LOOMIR_THOROUGH` is `all` or the number of a part.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar
from zlib import crc32

DURATIONS = Path(__file__).parent / "durations.json"
PARTS = 5
"""Parts of `make thorough`."""
THOROUGH = os.environ.get("LOOMIR_THOROUGH", "")
"""The part of `make thorough` that runs: `all`, a number from 1 to `PARTS`, or empty."""
QUICK_FOLDERS = ("tests/lit/", "tests/unit/")
SAMPLES = frozenset(
    {
        "tests/conformance/test_specification_examples.py",
        "tests/conformance/test_real_models.py::test_mlperf_tiny[ad01_fp32-native]",
        "tests/conformance/test_real_onnx_models.py::test_silero_exports[silero_vad_op18_ifless.onnx-16000-True-1-native]",
        "tests/conformance/test_exported_real_models.py::test_real_models[controlflow]",
    }
)
"""Tests of `make quick` and `make test` in any case: a model of each kind through every stage, C included."""

ALWAYS = frozenset(
    {
        "tests/unit/passes/graph/test_ov_uplift_while_to_for.py::test_counters[less-i64]",
    }
)
"""Cases that alone notice a mutation: `make test` runs them beside the sample of their family."""

Case = TypeVar("Case")


def sample(cases: Sequence[Case], one_of: int) -> list[Case]:
    """Return one of so many cases, evenly spread; all of them where a run is thorough."""
    return list(cases if THOROUGH else cases[::one_of])


def family_of(node: str) -> str:
    """Return the test function of a case."""
    return node.partition("[")[0]


def names_of(node: str) -> set[str]:
    """Return a test's names: its file, its function, its case."""
    return {node.partition("::")[0], family_of(node), node}


def is_quick(node: str, left_out: frozenset[str]) -> bool:
    """Return True if `make quick` runs a test; `left_out` has files, functions and single cases."""
    names = names_of(node)
    if not SAMPLES.isdisjoint(names):
        return True
    return node.startswith(QUICK_FOLDERS) and left_out.isdisjoint(names)


def part_of(node: str) -> int:
    """Return the part of `make thorough` that runs a test."""
    return crc32(node.encode()) % PARTS + 1


class Tiers:
    """The tiers as `tests/durations.json` has them."""

    def __init__(self, durations: Path = DURATIONS) -> None:
        read = json.loads(durations.read_text(encoding="utf-8"))
        self.left_out_of_quick = frozenset(read["left out of make quick"])
        self.left_out = frozenset(read["left out of make test"])
        self.samples: dict[str, int] = read["cases in make test"]

    def is_quick(self, node: str) -> bool:
        """Return True if `make quick` runs a test."""
        return is_quick(node, self.left_out_of_quick)

    def selected(self, nodes: Iterable[str], thorough: str = THOROUGH) -> set[str]:
        """Return the tests of a tier: of a part, of everything, or of `make test`."""
        if thorough:
            return {node for node in nodes if thorough == "all" or part_of(node) == int(thorough)}
        families: dict[str, list[str]] = defaultdict(list)
        chosen: set[str] = set()
        for node in nodes:
            if self.is_quick(node) or node in ALWAYS:
                chosen.add(node)
            elif self.left_out.isdisjoint(names_of(node)):
                families[family_of(node)].append(node)
        for family, cases in families.items():
            # By a hash: neighbours in a family often differ in what does not matter, and each has the same chance.
            cases.sort(key=lambda node: crc32(node.encode()))
            chosen.update(cases[: self.samples.get(family)])
        return chosen
