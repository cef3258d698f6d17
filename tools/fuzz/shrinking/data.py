"""Reductions of data: one feed, fewer inputs, and simpler numbers.

Constants and feeds become zeros and ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from loomir.tools.fuzz.program import Op, Program
from loomir.tools.fuzz.shrinking.edits import Edit, all_statements, readers

Ways = list[Callable[[], Program | None]]


def one_feed(program: Program) -> Ways:
    """One feed of several."""
    if len(program.feeds) < 2:
        return []
    return [lambda feed=feed: replace(program, feeds=(feed,)) for feed in program.feeds]


def fewer_inputs(program: Program) -> Ways:
    """Without the inputs that nothing reads, else without one."""
    read = readers(program)
    unread = [v for v in program.inputs if v not in read]

    def without(names: set[str]) -> Program:
        parameters = tuple(v for v in program.inputs if v.name not in names)
        feeds = tuple({n: a for n, a in feed.items() if n not in names} for feed in program.feeds)
        return replace(program, body=replace(program.body, parameters=parameters), feeds=feeds)

    if not unread:
        return []
    ways: Ways = [lambda: without({v.name for v in unread})]
    return [*ways, *(lambda v=v: without({v.name}) for v in unread)]


def simpler(array: np.ndarray) -> Iterator[np.ndarray]:
    """Generate arrays of the same shape that are simpler to read.

    They are all zeros, all ones, and rounded numbers.
    """
    candidates = [np.zeros_like(array), np.ones_like(array)]
    if array.dtype.kind == "f":
        candidates.append(np.round(array))
    for candidate in candidates:
        if np.array_equal(candidate, array):
            return
        yield np.asarray(candidate, array.dtype)


def simpler_constants(program: Program) -> Ways:
    """Return ways to replace a constant by one of simpler numbers.

    Constants of one element stay, since they are bounds and axes.
    """
    ways: Ways = []
    for statement in all_statements(program):
        if isinstance(statement, Op) and statement.kind == "Constant":
            array = statement.attributes["value"]
            assert isinstance(array, np.ndarray)
            if array.dtype.kind == "i" and array.size < 2:
                continue
            for other in simpler(array):
                made = replace(statement, attributes={"value": other})
                edit = Edit(statements={statement: (made,)})
                ways.append(lambda edit=edit: edit.program(program))
    return ways


def simpler_feeds(program: Program) -> Ways:
    """An input fed with simpler numbers."""
    ways: Ways = []
    for index, feed in enumerate(program.feeds):
        for name, array in feed.items():
            for other in simpler(array):
                made = (*program.feeds[:index], {**feed, name: other}, *program.feeds[index + 1 :])
                ways.append(lambda made=made: replace(program, feeds=made))
    return ways
