"""Order of transformations: by their constraints, else as added.

A constraint is what one transformation declares about others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from graphlib import CycleError, TopologicalSorter
from heapq import heapify, heappop, heappush
from typing import TypeVar

from loomir.errors import Error

Item = TypeVar("Item")


def ordered(
    items: Sequence[Item],
    name: Callable[[Item], str],
    before: Callable[[Item], Iterable[str]],
    after: Callable[[Item], Iterable[str]],
) -> list[Item]:
    """Return the items in an order that satisfies their constraints.

    Each item comes before the items named by its `before`, and after those named by its `after`.

    It is a stable topological sort: among the candidates, the one given first comes next. Names without an item are ignored.
    Errors: `phase-duplicate` for two items of one name, `phase-cycle` with the path.
    """
    place = places([name(item) for item in items])
    earlier: list[set[int]] = [set() for _ in items]
    for index, item in enumerate(items):
        earlier[index] |= {place[each] for each in after(item) if each in place}
        for each in before(item):
            if each in place:
                earlier[place[each]].add(index)
    try:
        TopologicalSorter(dict(enumerate(earlier))).prepare()
    except CycleError as error:
        path = " → ".join(name(items[index]) for index in error.args[1])
        raise Error(
            "phase-cycle",
            f"these transformations each have to run before the next: {path}",
            hint="take one of run_before and run_after away",
        ) from None
    return [items[index] for index in stable_order(earlier)]


def places(names: Iterable[str]) -> dict[str, int]:
    """Return the position of each name.

    Raises `Error("phase-duplicate")` for a name that occurs twice.
    """
    found: dict[str, int] = {}
    for index, name in enumerate(names):
        if name in found:
            raise Error(
                "phase-duplicate",
                f"there are two transformations called '{name}'",
                hint="give one of them another id",
            )
        found[name] = index
    return found


def stable_order(earlier: Sequence[set[int]]) -> list[int]:
    """Return the item numbers in a stable topological order.

    Each item follows those in its set of `earlier`; among the candidates, the smallest number comes next.

    Items of a cycle, and all items after it, are left out.
    """
    waiting = [len(each) for each in earlier]
    later: list[list[int]] = [[] for _ in earlier]
    for index, each in enumerate(earlier):
        for first in each:
            later[first].append(index)
    ready = [index for index, count in enumerate(waiting) if count == 0]
    heapify(ready)
    found: list[int] = []
    while ready:
        found.append(heappop(ready))
        for index in later[found[-1]]:
            waiting[index] -= 1
            if waiting[index] == 0:
                heappush(ready, index)
    return found
