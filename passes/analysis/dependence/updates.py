"""Updates of loop-carried values: reductions and linear recurrences.

An *update* is a chain of operations that leads from a carried value to its next value. Each combines it with an operand that does not
depend on it:

```mlir
^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %part: tensor<4xf32>):
  %w = ov.multiply %v, %decay      // link: multiply by %decay
  %n = ov.add %part, %w            // link: add %part
  ov.next carried(%n)
```

An update with links of one kind is a *reduction* `v ⊕ f(i)`, here none; one that only adds and multiplies is *linear*. The links are
elementwise: what holds for one element holds for all, if the shapes stay (`keeps_shape`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xdsl.dialects import arith
from xdsl.dialects.builtin import ContainerType, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.type import get_element_type_or_self

from loomir.dialects.ov.operators.comparison import LogicalAndOp, LogicalOrOp, LogicalXorOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    BitwiseAndOp,
    BitwiseOrOp,
    BitwiseXorOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.region_flow import LoopCarriedValue
from loomir.dialects.scalars.row import is_integer, type_range
from loomir.passes.analysis.dependence import LoopDependence

Kind = Literal["add", "multiply", "maximum", "minimum", "and", "or", "xor"]

_KINDS: dict[type[Operation], Kind] = {
    **dict.fromkeys((AddOp, SubtractOp, arith.AddiOp, arith.SubiOp, arith.AddfOp, arith.SubfOp), "add"),
    **dict.fromkeys((MultiplyOp, arith.MuliOp, arith.MulfOp), "multiply"),
    **dict.fromkeys((MaximumOp, arith.MaxSIOp, arith.MaxUIOp, arith.MaximumfOp), "maximum"),
    **dict.fromkeys((MinimumOp, arith.MinSIOp, arith.MinUIOp, arith.MinimumfOp), "minimum"),
    **dict.fromkeys((LogicalAndOp, BitwiseAndOp, arith.AndIOp), "and"),
    **dict.fromkeys((LogicalOrOp, BitwiseOrOp, arith.OrIOp), "or"),
    **dict.fromkeys((LogicalXorOp, BitwiseXorOp, arith.XOrIOp), "xor"),
}
_SUBTRACTIONS = SubtractOp, arith.SubiOp, arith.SubfOp
_IDEMPOTENT = "maximum", "minimum", "and", "or"


@dataclass(frozen=True)
class Link:
    """Operation that combines a carried value with another operand.

    `place` is the index of the operand that depends on the carried value.
    """

    op: Operation
    kind: Kind
    operand: SSAValue
    place: int

    def ordered(self, carried: SSAValue, operand: SSAValue) -> list[SSAValue]:
        """Return operands for the operation in their order."""
        return [carried, operand] if self.place == 0 else [operand, carried]

    @property
    def subtracts(self) -> bool:
        """True if `operand` is subtracted."""
        return isinstance(self.op, _SUBTRACTIONS) and self.place == 0

    @property
    def negates(self) -> bool:
        """True if the carried value is subtracted from `operand`."""
        return isinstance(self.op, _SUBTRACTIONS) and self.place == 1


@dataclass(frozen=True)
class Update:
    """Chain of links from a carried value to its next value.

    `is_observed`: the body reads the value, or one between two links or behind the last one, elsewhere too. Then the values of all
    iterations count (a scan, such as a prefix sum), and otherwise only the final one (a reduction).
    """

    number: int
    links: tuple[Link, ...]
    is_observed: bool
    keeps_shape: bool

    @property
    def reduction(self) -> Kind | None:
        """The kind of a reduction, or None.

        The update is none if its links differ in kind, or one negates the value.
        """
        kind = self.links[0].kind
        alike = all(link.kind == kind and not link.negates for link in self.links)
        return kind if alike else None

    @property
    def is_linear(self) -> bool:
        """True if the next value is `a · v + b`, where neither depends on v."""
        return all(link.kind in ("add", "multiply") for link in self.links)

    @property
    def is_idempotent(self) -> bool:
        """True if a second iteration with the same operands changes nothing."""
        return self.reduction in _IDEMPOTENT

    @property
    def is_exact(self) -> bool:
        """True if a reduction may combine its operands in any order.

        The result is then the same to the last bit. Sums and products of floats are rounded. Of integers, which wrap around, they may be.
        """
        return self.reduction is not None and _is_exact(self.reduction, self.links[0].op.results[0].type)


def may_be_exact(carried: LoopCarriedValue, loop: Operation, *, rounded: bool = False) -> bool:
    """Return True if a carried value may have an exact update.

    If `rounded`, it may have any update. The last link is looked at alone: `update_of` needs the dependence of the loop,
    which takes a walk through all loops in it.
    """
    last = carried.following.owner
    if not isinstance(last, Operation) or type(last) not in _KINDS or last.parent_op() is not loop:
        return False
    return rounded or _is_exact(_KINDS[type(last)], carried.following.type)


def _is_exact(kind: Kind, type_: Attribute) -> bool:
    """Return True if operands may be combined in any order."""
    return kind not in ("add", "multiply") or is_integer(get_element_type_or_self(type_))


def update_of(dependence: LoopDependence, number: int) -> Update | None:
    """Return the update of a carried value, or None.

    The result is None if the value is in a recurrence with others, or its next value is computed from it in another way.
    """
    carried = dependence.carried[number]
    if carried.recurrence is None or dependence.recurrences[carried.recurrence] != (number,):
        return None
    argument, value = carried.value.arguments[-1], carried.value.following
    links: list[Link] = []
    observed = False
    while value is not argument:
        observed = observed or not value.has_one_use()
        op = value.owner
        if type(op) not in _KINDS or not isinstance(op, Operation) or op.parent_op() is not dependence.loop:
            return None
        places = [k for k, operand in enumerate(op.operands) if number in dependence.reads(operand)]
        if len(places) != 1:
            return None
        (place,) = places
        links.append(Link(op, _KINDS[type(op)], op.operands[1 - place], place))
        value = op.operands[place]
    observed = observed or not argument.has_one_use()
    types = {argument.type, carried.value.initial.type, *(link.op.results[0].type for link in links)}
    keeps_shape = len(types) == 1 and (
        _is_fixed(argument.type) or all(_is_scalar(link.operand.type) for link in links)
    )
    return Update(number, tuple(reversed(links)), observed, keeps_shape)


def _is_fixed(type_: Attribute) -> bool:
    """Return True for the type of a scalar or a static tensor."""
    return type_.has_static_shape() if isinstance(type_, TensorType) else not isinstance(type_, ContainerType)


def _is_scalar(type_: Attribute) -> bool:
    return isinstance(type_, TensorType) and not type_.get_shape()


def identity_of(kind: Kind, element: Attribute) -> float:
    """Return the number that a reduction leaves other numbers unchanged by.

    `element` is an integer type, a boolean or a float; for sums of floats it is −0.
    """
    if not is_integer(element):
        numbers = {"add": -0.0, "multiply": 1.0, "maximum": float("-inf"), "minimum": float("inf")}
        return numbers[kind]
    least, greatest = type_range(element)
    ones = greatest if least == 0 else -1
    return {
        "add": 0, "multiply": 1, "maximum": least, "minimum": greatest, "and": ones, "or": 0, "xor": 0,
    }[kind]  # fmt: skip
