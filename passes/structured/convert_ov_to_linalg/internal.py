"""Lowerings of operations on rows and slots, `ov.fail`, and checks.

Row operations become `tensor.insert_slice` of the parts that stay around a row; slots become views.

`ov.fail` becomes a failing assertion and unread values.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.operators.internal import (
    CheckBoundsOp,
    FailOp,
    FromSlotOp,
    RequireOp,
    RowEraseOp,
    RowInsertOp,
    ToSlotOp,
)
from loomir.passes.structured.lib.builder import Extent
from loomir.passes.structured.lib.elements import checked, only_element, require_equal, view
from loomir.passes.structured.lib.lowering import Lowering, lowers
from loomir.passes.structured.lib.tensor_builder import Shaped


@lowers(RowInsertOp)
def row_insert(op: RowInsertOp, low: Lowering) -> Shaped:
    """The rows before, the new one, the rows behind."""
    x, row, position = (low.operand(o) for o in op.operands)
    for k in range(x.rank):
        require_equal(low, row.dims[k], 1 if k == 0 else x.dims[k], "a row of another shape")
    count = x.dims[0]
    more = low.add(count, 1)
    # Counted from the end of n rows, not of the n + 1 places.
    index = low.to_index(only_element(low, position, "the position"), unsigned=position.unsigned)
    place: Extent = index
    if not position.unsigned:
        place = low.select(low.compare("slt", index, 0), low.add(index, count), index)
    low.assert_(low.compare("ule", place, count), "index: a position outside of a sequence")
    out = low.destination(op.output, [more, *x.dims[1:]])
    if any(isinstance(d, int) and d == 0 for d in out.dims):
        return out
    out = _move(low, x, 0, place, out, 0)
    out = low.insert_into(row, out, [place, *[0] * (x.rank - 1)])
    return _move(low, x, place, low.sub(count, place), out, low.add(place, 1))


@lowers(RowEraseOp)
def row_erase(op: RowEraseOp, low: Lowering) -> Shaped:
    """The rows before, the rows behind."""
    x, position = (low.operand(o) for o in op.operands)
    count = x.dims[0]
    if isinstance(count, int) and count == 0:
        low.assert_(False, "index: a position outside of a sequence")
        return low.destination(op.output, x.dims)
    index = only_element(low, position, "the position")
    place = checked(low, index, count, "a position outside of a sequence", unsigned=position.unsigned)
    less = low.sub(count, 1)
    out = low.destination(op.output, [less, *x.dims[1:]])
    if any(isinstance(d, int) and d == 0 for d in out.dims):
        return out
    out = _move(low, x, 0, place, out, 0)
    return _move(low, x, low.add(place, 1), low.sub(less, place), out, place)


def _move(low: Lowering, x: Shaped, first: Extent, count: Extent, out: Shaped, to: Extent) -> Shaped:
    """`out` with some rows of `x` at row `to`."""
    if isinstance(count, int) and count == 0:
        return out
    zeros = [0] * (x.rank - 1)
    part = low.slice(x, [first, *zeros], [count, *x.dims[1:]], bounds=x.bounds)
    return low.insert_into(part, out, [to, *zeros])


@lowers(ToSlotOp)
def to_slot(op: ToSlotOp, low: Lowering) -> Shaped:
    """Zeros, and the elements in front of them."""
    x = low.operand(op.data)
    for k, most in enumerate(op.extents):
        if x.bounds[k] > most:
            low.assert_(
                low.compare("ule", x.dims[k], most),
                f"capacity: an element of a sequence has an extent beyond {most}",
            )
    out = low.destination(op.output, [1, _size(op.extents)])
    if 0 in out.dims:
        return out
    count = low.product(x.dims)
    if any(isinstance(d, int) and d > most for d, most in zip(x.dims, op.extents)):
        return low.fill(low.constant(0, x.element), out)  # not reached
    if x.static is not None and count == out.dims[1]:
        return low.reshape(x, out.dims) if x.rank else _of_scalar(low, x, out)
    out = low.fill(low.constant(0, x.element), out)
    if isinstance(count, int) and count == 0:
        return out
    flat = low.flatten(x.value, count)
    room = low.flatten(out.value, _size(op.extents))
    made = low.insert_slice(flat, room, [0], [count], [1])
    return low.like(out, low.expand(made, out.dims, [[0, 1]]))


def _of_scalar(low: Lowering, x: Shaped, out: Shaped) -> Shaped:
    return low.fill(x.value, out)


@lowers(FromSlotOp)
def from_slot(op: FromSlotOp, low: Lowering) -> Shaped:
    """A view of the elements in front."""
    slot, shape = low.operand(op.slot), low.operand(op.shape)
    dims: list[Extent] = []
    bounds: list[int] = []
    for extent, (least, most) in zip(low.ints(shape), op.limits):
        if least == most:
            require_equal(low, extent, most, "a slot does not hold what it should")
        else:
            # As an unsigned number one below the least is beyond the most.
            inside = low.compare("ule", low.sub(extent, least), most - least)
            low.assert_(inside, "shape: a slot does not hold what it should")
        dims.append(most if least == most else extent)
        bounds.append(most)
    if not dims:
        return low.of_scalar(low.extract(slot, [0]), slot.element)
    if not isinstance(slot.dims[0], int) or slot.dims[0] < _size(bounds):
        low.assert_(low.compare("ule", low.product(dims), slot.dims[0]), "shape: a slot is too short")
    if any(isinstance(d, int) and d == 0 for d in dims):
        return low.destination(op.output, dims)
    value = low.view_of_flat(slot.value, dims)
    return view(low, Shaped(low, value, slot.element, dims, bounds))


def _size(extents: Sequence[int]) -> int:
    return prod(extents)


@lowers(FailOp)
def fail(op: FailOp, low: Lowering) -> Sequence[Shaped]:
    """Lower `ov.fail`; its results are defined as zeros.

    The results must be defined because a compiler must not see a read of undefined memory. A dynamic extent becomes 0.
    """
    low.assert_(False, f"{op.class_}: {op.message}")
    results: list[Shaped] = []
    for value in op.values:
        fact = Fact.of_type(value.type)
        assert fact.shape is not None
        zero = low.constant(dtype_of(fact.element).type(0), fact.element)
        if not fact.shape:
            results.append(low.of_scalar(zero, fact.element))
            continue
        dims = [0 if d.static is None else d.static for d in fact.shape]
        results.append(low.fill(zero, low.destination(value, dims)))
    return results


@lowers(RequireOp)
def require(op: RequireOp, low: Lowering) -> Shaped:
    """An assertion, and the value itself."""
    condition = low.operand(op.condition)
    known = None if condition.array is None else bool(condition.array)
    low.assert_(condition.value if known is None else known, f"{op.class_}: {op.reason.data}")
    return view(low, low.operand(op.value))


@lowers(CheckBoundsOp)
def check_bounds(op: CheckBoundsOp, low: Lowering) -> Shaped:
    """The value, which its lowering has checked before it wrote it (`Lowering.check_capacity`)."""
    assert isinstance(op.value.owner, OvOperation), "convert-ov-loop-to-scf checks what no lowering makes"
    return view(low, low.operand(op.value))
