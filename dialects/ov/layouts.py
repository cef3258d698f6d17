"""How the order of a tensor's axes matters to an operation: what `LAYOUT` of its class says, an extension's too.

```python
class MyPoolOp(OvOperation):
    LAYOUT: ClassVar = ChannelsFirst()  # data and result are N, C, then space

class MyScaleOp(OvOperation):
    LAYOUT: ClassVar = AnyOrder(axis="axis")  # an attribute names an axis; with it the data may lie in any order
```

An operation that says nothing, and is not `ELEMENTWISE`, sees its operands in the order in which they are.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ChannelsFirst:
    """The operation is defined on N, C, then space: these operands, and all results of their rank, lie so."""

    operands: tuple[int, ...] = (0,)


@dataclass(frozen=True)
class Broadcasting:
    """Each element of the result is computed from those at its place, once these operands are broadcast to each other; (-1,): all."""

    operands: tuple[int, ...]


@dataclass(frozen=True)
class AnyOrder:
    """These operands, and all results, lie in one order, whichever: what names axes is changed with it.

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
    """Whether the axes are gone through in their order, which must stay: sums of floats depend on it."""


Layout = ChannelsFirst | Broadcasting | AnyOrder
