"""Lowering of `ov.fail` to a failing assertion and unread values."""

from __future__ import annotations

from collections.abc import Sequence

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.operators.failure import CheckBoundsOp, FailOp, RequireOp
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.places import view
from loomir.passes.structured.lowering.registry import lowers
from loomir.passes.structured.lowering.shaped import Shaped


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
