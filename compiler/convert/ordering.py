"""In which order transformations run: by what each says of others, else as they were added."""

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
    """The items so that each stands before those of which `before` gives the names, and after those of `after`.

    It is a stable topological sort: of those that may come next, the one that was given first. Names that no item has do not count.
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
    """At which place each name stands. `Error("phase-duplicate")` for one that is there twice."""
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
    """The numbers of items so that each stands behind those that are `earlier` than it: of those that may come next, the smallest.

    Those of a cycle, and what stands behind it, are left out.
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
