"""Facts about the arguments of `main`.

They come from the types and from the bounds that a user set for dynamic extents.
"""

from __future__ import annotations

from xdsl.ir import BlockArgument

from loomir.dialects.interface import entry_of
from loomir.dialects.ov.facts import Dim, Fact


def argument_fact(argument: BlockArgument) -> Fact:
    """Return the fact that an argument's type and bounds imply together."""
    fact = Fact.of_type(argument.type)
    bounds = entry_of(argument).bounds
    if fact.shape is None or bounds is None or len(bounds) != len(fact.shape):
        return fact
    shape = tuple(d if d.static is not None else Dim(d.lo, b) for d, b in zip(fact.shape, bounds))
    return Fact(fact.element, shape)
