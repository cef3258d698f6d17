"""Analysis of loops that may run all iterations at once, as lanes.

A loop may do so if it has no loop-carried values and no two of its iterations access the same element of memory unless
both only read it. For memory that is written, the index expressions prove this; a check at run time (`source.disjoint`)
ensures that different memref values do not overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import gcd

from xdsl.dialects import arith, cf, memref, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, SSAValue

from loomir.compiler.engines.codegen.source import LinearForms
from loomir.compiler.engines.computations import is_elementwise
from loomir.dialects.region_flow import region_flow
from loomir.dialects.scalars.row import constant_integer, constant_trips
from loomir.dialects.upstream.walking import walk
from loomir.dialects.vectors import touches_vectors

MIN_LANES = 8
"""Minimum number of lanes.

With fewer lanes a numpy call costs more than Python arithmetic on each.
"""
MAX_LANES = 1 << 22
"""Bound on the elements of one temporary array."""
UNKNOWN_TRIPS = 64
"""Trip count assumed for loops without a constant one.

The decisions in this file use it.
"""


@dataclass
class LanePlan:
    """A nest to run in lanes.

    - `loops`: the loops that become lanes, the outermost first;
    - `pairs`: memrefs that must not overlap, the first of each pair is written;
    - `written`: memrefs that are written in the nest.
    """

    loops: set[scf.ForOp]
    pairs: list[tuple[SSAValue, SSAValue]]
    written: set[SSAValue]
    varying: set[SSAValue] = field(default_factory=set)


def plan_lanes(top: scf.ForOp, forms: LinearForms) -> LanePlan | None:
    """Return the lane plan for a loop nest, or None.

    The result is None if the loop must run its iterations sequentially.
    """
    if not _may_be_lanes(top):
        return None
    accesses: list[memref.LoadOp | memref.StoreOp] = []
    for op in walk(top.body):
        if isinstance(op, memref.LoadOp | memref.StoreOp):
            if top.is_ancestor(op.memref.owner):
                return None
            accesses.append(op)
        elif not _is_supported(op):
            return None
    written = {op.memref for op in accesses if isinstance(op, memref.StoreOp)}
    if not written or not _independent(top, accesses, written, forms):
        return None
    used = list(dict.fromkeys(op.memref for op in accesses))
    pairs: list[tuple[SSAValue, SSAValue]] = []
    for index, a in enumerate(used):
        pairs += [
            (a, b) if a in written else (b, a) for b in used[index + 1 :] if a in written or b in written
        ]
    loops = {top}
    widest = _choose(top.body.block, _trips(top), loops, written, forms)
    if widest < MIN_LANES:
        return None
    varying = varying_values(top, loops)
    return None if varying is None else LanePlan(loops, pairs, written, varying)


def _trips(loop: scf.ForOp) -> int:
    trips = constant_trips(loop)
    return UNKNOWN_TRIPS if trips is None else trips


def _may_be_lanes(loop: scf.ForOp) -> bool:
    step = constant_integer(loop.step)
    return not loop.results and isinstance(loop.lb.type, IndexType) and step is not None and step > 0


def _is_supported(op: Operation) -> bool:
    if touches_vectors(op):
        return False
    if isinstance(op, arith.ConstantOp | cf.AssertOp | scf.YieldOp | scf.IfOp):
        return True
    if isinstance(op, scf.ForOp):
        return isinstance(op.lb.type, IndexType)
    return is_elementwise(op)


def _choose(
    block: Block, outer: int, loops: set[scf.ForOp], written: set[SSAValue], forms: LinearForms
) -> int:
    """Add the nested loops that may be lanes as well.

    Returns the largest number of lanes of any operation in the nest.
    """
    widest = outer
    for op in block.ops:
        for region in op.regions:
            lanes = outer
            if isinstance(op, scf.ForOp) and _may_be_lanes(op) and outer * _trips(op) <= MAX_LANES:
                accesses = [a for a in walk(region) if isinstance(a, memref.LoadOp | memref.StoreOp)]
                stored = {a.memref for a in accesses if isinstance(a, memref.StoreOp)}
                if _independent(op, accesses, stored, forms):
                    loops.add(op)
                    lanes = outer * _trips(op)
            if region.blocks:
                widest = max(widest, _choose(region.block, lanes, loops, written, forms))
    return widest


def _independent(
    loop: scf.ForOp,
    accesses: Sequence[memref.LoadOp | memref.StoreOp],
    written: set[SSAValue],
    forms: LinearForms,
) -> bool:
    """Return True if iterations access different elements of each written memref."""
    by_memref: dict[SSAValue, list[Sequence[SSAValue]]] = {}
    for op in accesses:
        if op.memref in written:
            by_memref.setdefault(op.memref, []).append(tuple(op.indices))
    return all(
        any(_separates(loop, [index[d] for index in indices], forms) for d in range(len(indices[0])))
        for indices in by_memref.values()
    )


def _separates(loop: scf.ForOp, indices: Sequence[SSAValue], forms: LinearForms) -> bool:
    """Return True if an index differs between any two iterations.

    This must hold across all accesses.

    Each index must be `c · iv + symbols + rest` with the same c and the same symbols from outside of the loop. The rest
    consists of values that vary inside. Then it suffices that

    - the rest spans less than the distance by which a step of the loop moves the index (`32 * i + j`, j below 32), or
    - the rest is a constant plus a multiple of some g, and no difference of two iterations is a multiple of g
      (`i + 32 * j`, i below 32).
    """
    variable = loop.body.block.args[0]
    step = constant_integer(loop.step)
    assert step is not None
    common: tuple[int, dict[SSAValue, int]] | None = None
    lows: list[int] = []
    highs: list[int] = []
    constants: set[int] = set()
    divisor = 0
    for index in indices:
        form = forms.form(index)
        coefficient = form.terms.get(variable, 0)
        if not coefficient:
            return False
        symbols: dict[SSAValue, int] = {}
        low = high = form.constant
        constants.add(form.constant)
        for symbol, c in form.terms.items():
            if symbol is variable:
                continue
            if not loop.is_ancestor(symbol.owner):
                symbols[symbol] = c
                continue
            first, last = forms.ranges.of(symbol)
            low += min(c * first, c * last)
            high += max(c * first, c * last)
            divisor = gcd(divisor, c)
        if common is None:
            common = (coefficient, symbols)
        elif common != (coefficient, symbols):
            return False
        lows.append(low)
        highs.append(high)
    assert common is not None
    move = abs(common[0]) * step
    if move > max(highs) - min(lows):
        return True
    trips = constant_trips(loop)
    return (
        len(constants) == 1 and trips is not None and divisor > 0 and divisor // gcd(divisor, move) >= trips
    )


def varying_values(top: Operation, loops: set[scf.ForOp]) -> set[SSAValue] | None:
    """Return the values that may differ between lanes, or None.

    They are computed to a fixpoint over loops; the result is None if a loop cannot run in lanes.
    """
    varying: set[SSAValue] = {loop.body.block.args[0] for loop in loops}
    return varying if spread(top, loops, varying) else None


def spread(top: Operation, loops: set[scf.ForOp], varying: set[SSAValue]) -> bool:
    """Add dependent values in an operation's regions to `varying`.

    Returns False if a loop cannot run in lanes.
    """
    size = -1
    while size != len(varying):
        size = len(varying)
        for op in (inner for region in top.regions for inner in walk(region)):
            if isinstance(op, scf.ForOp):
                bounds = op.lb in varying or op.ub in varying
                if op.step in varying or (bounds and (op in loops or constant_integer(op.step) != 1)):
                    return False
            if (flow := region_flow(op)) is not None:
                chosen = any(v in varying for v in flow.deciders)
                for edge in flow.edges:
                    varying.update(becomes for v, becomes in edge.pairs if chosen or v in varying)
            elif any(v in varying for v in op.operands):
                varying.update(op.results)
    return True
