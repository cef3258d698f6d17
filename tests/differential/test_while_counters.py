"""Loops that a counter ends, of every integer type: what the program computes is what Python's integers say, wrapped to the type.

The counter goes towards its bound or away from it, and then round: where it ends follows from the type, which whoever decides the
condition or counts the trips ahead has to know.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import loomir
from loomir.compiler.levels import Level
from loomir.compiler.model import Engine
from tests.tiers import sample

TYPES: dict[str, np.dtype] = {
    "i8": np.dtype(np.int8),
    "ui8": np.dtype(np.uint8),
    "i16": np.dtype(np.int16),
    "ui16": np.dtype(np.uint16),
    "i32": np.dtype(np.int32),
    "ui32": np.dtype(np.uint32),
    "i64": np.dtype(np.int64),
    "ui64": np.dtype(np.uint64),
}
RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "not_equal": operator.ne,
}
STEPS = {"add": operator.add, "subtract": operator.sub}
MOST_TRIPS = 300
"""Programs with more are left out: those that go round a wide type."""

RUNS: tuple[tuple[Level, Engine], ...] = (("O0", "graph"), ("O2", "graph"), ("O2", "structured"))


class Counting(NamedTuple):
    """A loop that begins at `begin` in any case, steps, and goes on while a relation to `bound` holds.

    `ahead`: of the counter's next value rather than the present one. `given`: begin and bound are fed.
    """

    type: str
    relation: str
    step: str
    size: int
    begin: int
    bound: int
    ahead: bool
    given: bool

    def wrapped(self, number: int) -> int:
        """The number modulo the range of the type."""
        info = np.iinfo(TYPES[self.type])
        return (number - info.min) % (info.max - info.min + 1) + info.min

    def expected(self) -> tuple[int, int] | None:
        """The counter behind the loop, and the trips; None where they are too many."""
        counter, again, trips = self.begin, True, 0
        while again:
            if trips == MOST_TRIPS:
                return None
            following = self.wrapped(STEPS[self.step](counter, self.size))
            again = RELATIONS[self.relation](following if self.ahead else counter, self.bound)
            counter, trips = following, trips + 1
        return counter, trips

    def text(self) -> str:
        """The program: the counter, and how often a float was added to."""
        t = f"tensor<{self.type}>"
        ends = {"begin": self.begin, "bound": self.bound}
        arguments = "".join(f", %{name}: {t}" for name in ends) if self.given else ""
        constants = "".join(f"  %{name} = ov.constant dense<{n}> : {t} : {t}\n" for name, n in ends.items())
        return f"""func.func @main(%x: tensor<f32>{arguments}) -> ({t}, tensor<f32>) {{
{"" if self.given else constants}  %size = ov.constant dense<{self.size}> : {t} : {t}
  %go = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %k, %a = ov.loop while(%go) carried(%begin, %x) : (tensor<i1>, {t}, tensor<f32>) -> ({t}, tensor<f32>) {{
  ^bb0(%i: tensor<i64>, %c: {t}, %s: tensor<f32>):
    %n = ov.{self.step} %c, %size : ({t}, {t}) -> {t}
    %m = ov.add %s, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %h = ov.{self.relation} {"%n" if self.ahead else "%c"}, %bound : ({t}, {t}) -> tensor<i1>
    ov.next while(%h) carried(%n, %m : {t}, tensor<f32>)
  }}
  func.return %k, %a : {t}, tensor<f32>
}}
"""


def programs(type_: str, relation: str) -> list[Counting]:
    """Those that end: from both ends of the type, 0 and what is near, towards the bound and away from it."""
    info = np.iinfo(TYPES[type_])
    starts = {info.min, info.min + 26, info.min + 79, info.max, info.max - 26, info.max - 79, 0, 7}
    every = product(STEPS, (1, 3), sorted(starts), sorted(starts), (False, True))
    found = [
        Counting(type_, relation, step, size, begin, bound, ahead, given=index % 3 == 0)
        for index, (step, size, begin, bound, ahead) in enumerate(every)
    ]
    return [one for one in found if one.expected() is not None]


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("type_", TYPES)
def test_a_loop_ends_where_its_counter_says(type_: str, relation: str, tmp_path: Path) -> None:
    path = tmp_path / "counting.mlir"
    found = programs(type_, relation)
    assert len(found) > 40
    for one in sample(found, 29 if TYPES[type_].itemsize < 4 else 97):
        path.write_text(one.text())
        feed = {"x": np.float32(1)}
        if one.given:
            feed |= {
                name: np.array(n, TYPES[type_]) for name, n in (("begin", one.begin), ("bound", one.bound))
            }
        counter, trips = one.expected() or (0, 0)
        for level, engine in RUNS:
            model = loomir.load(path, level=level)
            fed = {i.name: feed[name] for i, name in zip(model.inputs, feed)}
            outputs = [value.item() for value in model.run(fed, engine=engine).values()]
            assert outputs == [counter, trips + 1], (level, engine, one)
