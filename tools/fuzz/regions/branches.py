"""Ifs whose arms differ in extents, or with an unreachable arm.

The unreachable arm must never be evaluated.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loomir.tools.fuzz.builder import replaced
from loomir.tools.fuzz.program import Extent, If, Region, Shape, Value, least, most
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
    then = close(g, first)
    g.enter()
    g.steps(g.integer(0, 4))
    second = [_alike(g, v) for v in first]
    shapes = [_joined(g, a, b) for a, b in zip(first, second)]
    otherwise = close(g, second)
    if g.chance(0.5):
        then, otherwise = otherwise, then
    finish(g, cond, then, otherwise, list(zip(first, second)), shapes)
    g.feature("if")


def close(g: Stepper, results: list[Value]) -> Region:
    """The arm that is being filled, with these results."""
    scope = g.scope
    g.leave(results)
    return scope.region((), results)


def finish(
    g: Stepper,
    cond: Value,
    then: Region,
    otherwise: Region,
    pairs: list[tuple[Value, Value]],
    shapes: Sequence[Shape | None],
) -> list[Value]:
    """Append an If of two arms and return its outputs.

    The results of the arms are joined pairwise to these shapes (None: of any rank).
    """
    outputs: list[Value] = []
    for (a, b), shape in zip(pairs, shapes):
        outputs.append(g.value("if", a.dtype, shape, max(a.limit, b.limit), max(a.gain, b.gain)))
        if shape is not None and (a.shape != shape or b.shape != shape):
            g.feature("shape-changing if")
    g.append(If(cond, then, otherwise, tuple(outputs)))
    g.publish(*outputs)
    return outputs


def _joined(g: Stepper, a: Value, b: Value) -> Shape:
    """Return the shape of a value that is one of two.

    An open extent of a branch has no meaning outside of the branch.
    """
    assert a.shape is not None
    assert b.shape is not None
    return tuple(_joined_extent(g, x, y) for x, y in zip(a.shape, b.shape))


def _joined_extent(g: Stepper, a: Extent, b: Extent) -> Extent:
    if a == b and g.known_outside(a):
        return a
    return g.open(min(least(a), least(b)), max(most(a), most(b)))


def _alike(g: Stepper, wanted: Value) -> Value:
    """Return a value of the same type and rank.

    It has the same shape, or differs in extents.
    """
    assert wanted.shape is not None
    if g.chance(0.3):
        other = g.pick(wanted.dtype, lambda v: v.rank == wanted.rank > 0)
        if other is not None:
            return other
    return g.pick(wanted.dtype, lambda v: v.shape == wanted.shape) or g.filled_like(wanted)


def faulty_if(g: Stepper) -> None:
    """Emit a branch that is never taken and reads out of bounds.

    It would read behind the end of a tensor.
    """
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
    then = close(g, [bad])
    g.enter()
    good = g.pick(x.dtype, lambda v: v.shape == bad.shape) or g.filled_like(bad)
    shape = _joined(g, bad, good)
    otherwise = close(g, [good])
    if g.chance(0.5):
        cond = g.emit("Not", [cond], "bool", (), 1)
        then, otherwise = otherwise, then
    finish(g, cond, then, otherwise, [(bad, good)], [shape])
    g.feature("fault in an arm not taken")
