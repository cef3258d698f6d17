"""The minimum cut of `ov-layout`: beside all partings of small networks, and stopped before it is done."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from loomir.tools.model_optimizer.passes.graph.ov_layout import choosing
from loomir.tools.model_optimizer.passes.graph.ov_layout.choosing import Network

Arcs = list[tuple[int, int, int]]
VERTICES = 8


def arcs(random: Random) -> Arcs:
    pairs = (random.sample(range(VERTICES), 2) for _ in range(random.randint(4, 24)))
    return [(a, b, random.randint(1, 9)) for a, b in pairs]


def side(made: Arcs) -> set[int]:
    network = Network()
    for _ in range(VERTICES - 2):
        network.vertex()
    for arc in made:
        network.arc(*arc)
    return network.source_side()


def cost(made: Arcs, at_source: set[int]) -> int:
    return sum(c for a, b, c in made if a in at_source and b not in at_source)


def partings() -> list[set[int]]:
    chosen = product((False, True), repeat=VERTICES - 2)
    return [{0, *(k + 2 for k, inside in enumerate(each) if inside)} for each in chosen]


ALL = partings()


@pytest.mark.parametrize("seed", range(30))
def test_no_parting_is_cheaper(seed: int) -> None:
    made = arcs(Random(seed))
    found = side(made)
    best = min(cost(made, each) for each in ALL)
    assert cost(made, found) == best
    assert all(found <= each for each in ALL if cost(made, each) == best)


def test_too_much_work_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    path = [(0, 2, 3), (2, 1, 2)]
    assert side(path) == {0, 2}
    monkeypatch.setattr(choosing, "WORK", 0)
    assert side(path) == {0}
