"""Helpers shared by lowerings of data movement.

They cover parameters that must be constants, coordinates, and reads at computed positions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects import arith, tensor
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from loomir.dialects.element_types import i1, signless
from loomir.dialects.ov.shape_rules import normalise_axes
from loomir.errors import Error
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.builder import Extent
from loomir.passes.structured.lowering.shaped import Shaped


def constant_axes(x: Shaped, rank: int, operand: str) -> tuple[int, ...]:
    """Return the axes that a constant names, counted from the front.

    The dimensions that an operation works on must be known when code is generated. Raises `Error("unknown-axes")` if the
    operand is not a constant.
    """
    if x.array is None:
        raise Error(
            "unknown-axes",
            f"{operand} is not known before the program runs",
            hint="run ov-infer and ov-fold-constants before, or fix the inputs that it depends on",
        )
    return normalise_axes(np.asarray(x.array).reshape(-1), rank, operand)


def require_equal(low: Lowering, a: Extent, b: Extent, what: str) -> None:
    """Assert that two extents are equal, where that is not known already."""
    low.assert_(low.compare("eq", a, b), f"shape: {what}")


def only_element(low: Lowering, x: Shaped, operand: str) -> SSAValue:
    """Return the element of a one-number parameter of rank 0 or 1."""
    for extent in x.dims:
        require_equal(low, extent, 1, f"{operand} is not one number")
    return low.extract(x, [0] * x.rank)


def view(low: Lowering, x: Shaped) -> Shaped:
    """Return the view itself, after registering it for materializations behind it.

    Materializations meet the SSA value of the view, not the result of the operation.
    """
    if x.dims and x.array is None and low.known(x.value) is None:
        low.bind(x.value, x)
    return x


def either(low: Lowering, a: bool | SSAValue, b: bool | SSAValue) -> bool | SSAValue:
    """The disjunction of two conditions, as far as it is known."""
    if isinstance(a, bool):
        return True if a else b
    if isinstance(b, bool):
        return True if b else a
    return low.insert(arith.OrIOp(a, b)).result


def negation(low: Lowering, a: bool | SSAValue) -> bool | SSAValue:
    """The opposite of a condition."""
    return not a if isinstance(a, bool) else low.insert(arith.XOrIOp(a, low.constant(1, i1))).result


def at_most_one(low: Lowering, conditions: Sequence[bool | SSAValue], what: str) -> None:
    """Assert that no two of these conditions hold."""
    count: Extent = 0
    for condition in conditions if len(conditions) > 1 else ():
        count = low.add(count, low.select(condition, 1, 0))
    low.assert_(low.compare("sle", count, 1), f"shape: {what}")


def coordinates(low: Lowering, rank: int) -> list[SSAValue]:
    """Inside the body of a generic: where it is, dimension by dimension."""
    return [low.insert(IndexOp(i)).result for i in range(rank)]


def read(low: Lowering, x: Shaped, places: Sequence[Extent]) -> SSAValue:
    """Return the element of x at computed positions, which must be inside."""
    if x.splat is not None:
        return x.splat
    op = tensor.ExtractOp(x.value, [low.index(p) for p in places], signless(x.element))
    return low.insert(op).result


def computed(low: Lowering, dest: Shaped, body: Callable[[list[SSAValue]], SSAValue]) -> Shaped:
    """A destination whose every element is computed from its coordinates."""
    return low.each([], dest, lambda: body(coordinates(low, dest.rank)))


def projection(rank: int, dims: Sequence[int]) -> AffineMap:
    """The map from a space of `rank` dimensions to these of them."""
    return AffineMap(rank, 0, tuple(AffineExpr.dimension(d) for d in dims))
