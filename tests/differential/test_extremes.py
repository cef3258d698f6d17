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
from tests.tiers import THOROUGH

FEEDS = 60
"""So many of a use's feeds are tried, chosen at random; all of them in `make thorough`."""


def wrong(use: Use, folder: Path) -> list[str]:
    """Return the wrong results of the engines for a use."""
    model = use.load(folder)
    cases = list(use.feeds())
    if not THOROUGH and len(cases) > FEEDS:
        cases = random.Random(use.name).sample(cases, FEEDS)
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
    found = wrong(use, tmp_path)
    assert not found, "\n".join(found[:5])
