"""What is known of the arguments of `main`: their types, and the bounds that a user gave for what stays dynamic.

```mlir
func.func @main(%x: tensor<?x16xf32> {loomir.name = "x", loomir.bounds = [8 : i64, 16 : i64]})   // 0 … 8 rows
```
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument

from loomir.dialects.ov.facts import Dim, Fact

BOUNDS = "loomir.bounds"
NO_BOUND = -1
"""In the attribute: nothing is said of this dimension."""


def bounds_attr(bounds: Sequence[int | None]) -> ArrayAttr:
    """The attribute for an argument's largest extents; None where there is no bound."""
    return ArrayAttr([IntegerAttr(NO_BOUND if b is None else b, i64) for b in bounds])


def declared_bounds(function: FuncOp, index: int) -> tuple[int | None, ...] | None:
    """The largest extents that `loomir.bounds` gives for an argument, None for a dimension without; None: it has none."""
    attrs = function.arg_attrs
    declared = attrs.data[index].data.get(BOUNDS) if attrs is not None else None
    if not isinstance(declared, ArrayAttr):
        return None
    numbers = [a.value.data if isinstance(a, IntegerAttr) else NO_BOUND for a in declared.data]
    return tuple(None if n < 0 else n for n in numbers)


def argument_fact(function: FuncOp, argument: BlockArgument) -> Fact:
    """What the type and the bounds of an argument say together."""
    fact = Fact.of_type(argument.type)
    bounds = declared_bounds(function, argument.index)
    if fact.shape is None or bounds is None or len(bounds) != len(fact.shape):
        return fact
    shape = tuple(d if d.static is not None else Dim(d.lo, b) for d, b in zip(fact.shape, bounds))
    return Fact(fact.element, shape)
