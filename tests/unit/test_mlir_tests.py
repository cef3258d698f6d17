"""docs/mlir-tests.md: every function is there once, every lit test that it names exists, and its figures are those of its rows."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "mlir-tests.md").read_text()
FILES = dict(re.findall(r"(?ms)^## (\S+)\n(.*?)(?=^## |\Z)", PAGE))
ROW = re.compile(r"(?m)^\| `([^`]+)` \| [^|]+ \| (yes|more|no|–) \| (.*?) ?\|$")
FIGURES = re.compile(r"(?m)^\| (?:`([^`]+)`|all) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$")


def test_lit_tests_exist() -> None:
    named = 0
    for rows in FILES.values():
        for name, holds, why in ROW.findall(rows):
            if holds == "yes":
                path, function = re.findall(r"`([^`]+)` `@(\w+)`", why)[0]
                assert f"func.func @{function}(" in (ROOT / "tests/lit/passes" / path).read_text(), name
                named += 1
            else:
                assert bool(why) is (holds == "–"), name
    assert named


def test_figures_are_those_of_the_rows() -> None:
    total: Counter[str] = Counter()
    *files, last = FIGURES.findall(PAGE)
    assert [name for name, *_ in files] == list(FILES)
    for name, *figures in [*files, last]:
        if name:
            rows = ROW.findall(FILES[name])
            assert len({row[0] for row in rows}) == len(rows), name
            counts = Counter(row[1] for row in rows)
            total += counts
        else:
            counts = total
        applying = counts["yes"] + counts["more"] + counts["no"]
        assert [int(f) for f in figures] == [
            applying + counts["–"],
            applying,
            counts["yes"],
            counts["more"],
            counts["no"],
        ], name
