"""Positions, extents and counts at the ends of 64 bits: every engine gives what exact integers give, or refuses."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from loomir.compiler.model import ENGINES
from loomir.errors import Error
from tests.differential.extremes import USES, Use
from tests.differential.extremes_graph import GRAPH_USES

FEEDS = 60
"""So many of a use's feeds are tried; `python -m tests.differential.test_extremes` tries all."""


def wrong(use: Use, folder: Path, feeds: int | None = None) -> list[str]:
    """What engines give that they should not, for all feeds or some that are chosen at random."""
    model = use.load(folder)
    cases = list(use.feeds())
    if feeds is not None and len(cases) > feeds:
        cases = random.Random(use.name).sample(cases, feeds)
    found: list[str] = []
    for feed, wanted in cases:
        for engine in ENGINES:
            try:
                made = model.run(feed, engine=engine)["y"]
            except Error as error:
                if wanted is not None or error.identifier in ("internal-error", "limit-memory"):
                    found.append(f"{engine} {feed}: {error}, not {wanted}")
                continue
            if wanted is None:
                found.append(f"{engine} {feed}: {made} of shape {made.shape}, not an error")
            elif made.shape != wanted.shape or made.dtype != wanted.dtype or not np.array_equal(made, wanted):
                found.append(f"{engine} {feed}: {made}, not {wanted}")
    return found


@pytest.mark.parametrize("use", [*USES, *GRAPH_USES], ids=lambda u: u.name)
def test_extreme_numbers(use: Use, tmp_path: Path) -> None:
    found = wrong(use, tmp_path, FEEDS)
    assert not found, "\n".join(found[:5])


if __name__ == "__main__":
    import sys
    import tempfile

    for use in (*USES, *GRAPH_USES):
        if not sys.argv[1:] or any(name in use.name for name in sys.argv[1:]):
            with tempfile.TemporaryDirectory() as directory:
                found = wrong(use, Path(directory))
            print(use.name, f"{len(found)} wrong" if found else "right", *found[:5], sep="\n  ", flush=True)
