"""Ifs: whose arms differ in extents, in rank, or of which one must never be evaluated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loomir.tools.fuzz.builder import replaced
from loomir.tools.fuzz.program import Extent, If, Region, Shape, Value, elements, least, most
from loomir.tools.fuzz.regions.conditions import condition, false_at_run_time
from loomir.tools.fuzz.stepper import Stepper


def if_(g: Stepper) -> None:
    """Two branches; results differ in some extent now and then."""
    cond = condition(g)
    if g.chance(0.08):
        cond = g.number(g.chance(0.5), "bool")
        g.feature("if of a constant")
    count = g.choose((1, 1, 2, 3))
    g.enter()
    g.steps(g.integer(1, 4))
    first = [g.any_of("bool" if g.chance(0.1) else g.any_type()) for _ in range(count)]
    then = _close(g, first)
    g.enter()
    g.steps(g.integer(0, 4))
    second = [_alike(g, v) for v in first]
    shapes = [_joined(g, a, b) for a, b in zip(first, second)]
    otherwise = _close(g, second)
    if g.chance(0.5):
        then, otherwise = otherwise, then
    _finish(g, cond, then, otherwise, list(zip(first, second)), shapes)
    g.feature("if")


def _close(g: Stepper, results: list[Value]) -> Region:
    scope = g.scope
    g.leave(results)
    return scope.region((), results)


def _finish(
    g: Stepper,
    cond: Value,
    then: Region,
    otherwise: Region,
    pairs: list[tuple[Value, Value]],
    shapes: Sequence[Shape | None],
) -> list[Value]:
    outputs: list[Value] = []
    for (a, b), shape in zip(pairs, shapes):
        outputs.append(g.value("if", a.dtype, shape, max(a.limit, b.limit), max(a.gain, b.gain)))
        if shape is not None and (a.shape != shape or b.shape != shape):
            g.feature("shape-changing if")
    g.append(If(cond, then, otherwise, tuple(outputs)))
    g.publish(*outputs)
    return outputs


def _joined(g: Stepper, a: Value, b: Value) -> Shape:
    """The shape of what is either; what is open within a branch means nothing outside of it."""
    assert a.shape is not None
    assert b.shape is not None
    return tuple(_joined_extent(g, x, y) for x, y in zip(a.shape, b.shape))


def _joined_extent(g: Stepper, a: Extent, b: Extent) -> Extent:
    if a == b and g.known_outside(a):
        return a
    return g.open(min(least(a), least(b)), max(most(a), most(b)))


def _alike(g: Stepper, wanted: Value) -> Value:
    """A value of the same type and rank: of the same shape, or one that differs in extents."""
    assert wanted.shape is not None
    if g.chance(0.3):
        other = g.pick(wanted.dtype, lambda v: v.rank == wanted.rank > 0)
        if other is not None:
            return other
    return g.pick(wanted.dtype, lambda v: v.shape == wanted.shape) or g.filled_like(wanted)


def rank_changing_if(g: Stepper) -> None:
    """Two branches whose results differ in rank; what reads them works on any rank."""
    if not g.open_ranks:
        if_(g)
        return
    cond = condition(g)
    g.enter()
    g.steps(g.integer(0, 2))
    first = g.any_of(g.any_type())
    then = _close(g, [first])
    g.enter()
    g.steps(g.integer(0, 2))
    second = g.pick(first.dtype, lambda v: v.rank != first.rank)
    if second is None:
        shape = [2] if first.rank != 1 else [2, 1]
        second = g.random_constant(first.dtype, shape)
    otherwise = _close(g, [second])
    if g.chance(0.5):
        then, otherwise = otherwise, then
    (result,) = _finish(g, cond, then, otherwise, [(first, second)], [None])
    g.feature("rank-changing if")
    g.refusals.add("unresolved-rank")
    most_elements = max(elements(first.shape or ()), elements(second.shape or ()))
    _use_any_rank(g, result, most_elements)


def _use_any_rank(g: Stepper, x: Value, count: int) -> None:
    """Operations that take a value of any rank."""
    kind = g.integer(0, 4)
    if kind == 1:
        g.emit("Neg", [x], x.dtype, None, x.limit)
    elif kind == 2:
        g.emit("Size", [x], "i64", (), float(max(count, 1)))
    elif kind == 3:
        total = x.limit * max(count, 1)
        g.emit("ReduceSum", [x], x.dtype, (), total, gain=x.gain * max(count, 1), keepdims=0)
    elif kind == 4:
        flat = g.emit("Reshape", [x, g.vector(-1)], x.dtype, (g.open(0, count),), x.limit)
        g.emit("Concat", [flat, flat], x.dtype, (g.open(0, 2 * count),), x.limit, axis=0)


def faulty_if(g: Stepper) -> None:
    """A branch that is never taken, and would read behind the end of a tensor."""
    x = g.pick(g.any_type(), lambda v: v.rank > 0)
    if x is None or x.shape is None:
        return
    cond = false_at_run_time(g)
    axis = g.integer(0, x.rank - 1)
    g.enter()
    far = g.constant(np.array(most(x.shape[axis]) + g.integer(0, 3), np.int64))
    if g.chance(0.5):
        far = g.emit("Identity", [far], "i64", (), far.limit)
    bad = g.emit("Gather", [x, far], x.dtype, replaced(x.shape, axis), x.limit, axis=axis)
    then = _close(g, [bad])
    g.enter()
    good = g.pick(x.dtype, lambda v: v.shape == bad.shape) or g.filled_like(bad)
    shape = _joined(g, bad, good)
    otherwise = _close(g, [good])
    if g.chance(0.5):
        cond = g.emit("Not", [cond], "bool", (), 1)
        then, otherwise = otherwise, then
    _finish(g, cond, then, otherwise, [(bad, good)], [shape])
    g.feature("fault in an arm not taken")
