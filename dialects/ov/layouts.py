"""Layout semantics of operations: how the order of axes matters.

`LAYOUT` of an operation's class declares it, for classes of extensions too.

```python
class MyPoolOp(OvOperation):
    LAYOUT: ClassVar = ChannelsFirst()  # data and result are N, C, then space

class MyScaleOp(OvOperation):
    LAYOUT: ClassVar = AnyOrder(axis="axis")  # an attribute names an axis; with it the data may lie in any order
```

An operation that declares no layout and is not `ELEMENTWISE` requires the operands' axes in their original order.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ChannelsFirst:
    """Layout N, C, then space, on which the operation is defined.

    These operands, and all results of their rank, have this layout.
    """

    operands: tuple[int, ...] = (0,)


@dataclass(frozen=True)
class Broadcasting:
    """Layout of an elementwise operation; (-1,) means all operands.

    Each element of the result is computed from the elements at the same place, after these operands are broadcast to each other.
    """

    operands: tuple[int, ...]


@dataclass(frozen=True)
class AnyOrder:
    """Any common order of axes of these operands and all results.

    Attributes and operands that name axes are changed with the order.

    A result of a lower rank lacks the axes that are named. `Error`s and results must be the same in every order.
    """

    operands: tuple[int, ...] = (0,)
    """Those that lie alike; (-1,): all."""
    axis: str | None = None
    """An integer attribute that is an axis."""
    axes: int | None = None
    """An integer operand, a scalar or 1-D, that names axes."""
    per_axis: tuple[int, ...] = ()
    """1-D operands with an element for each axis."""
    lists: tuple[str, ...] = ()
    """Attributes, lists of integers with an element for each axis."""
    in_sequence: bool = False
    """True if the axes are traversed in a fixed order.

    The order must stay: sums of floats depend on it.
    """


Layout = ChannelsFirst | Broadcasting | AnyOrder
