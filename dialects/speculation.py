"""Speculation: rules for running an operation where it would not have run.

Such places are before the guard around an operation, or in front of a loop that may run no iteration.

`speculatable(op)` is the single predicate, queried by every pass that moves an operation to such a place. *Removing* an unused
operation, or replacing one by an equal one that always ran before it, requires only that it has no side effects: an operation
that may fail declares `NoMemoryEffect`, too.

The property of an operation of loomir is declared at its class, among its traits:

- `Pure()`: for any operands, it returns a result that takes no more space than they do;
- `FailsOnShapes()`: some shapes stop the program, whatever their contents (`ov.add` of `tensor<?xf32>` and `tensor<?xf32>`). If the
  shapes of all operands are known, `infer` has checked them, as well as the limit on a tensor's size. A number fits any shape;
- `FailsOnContents("axes")`: the contents of its operands may stop the program. `infer` checks the contents of the named
  operands if they are known; for the contents of the others (an index out of range) `OvOperation.accepts` defines which are
  certain to be harmless;
- none of them, but `NoMemoryEffect()`: it may always stop the program (a position in a sequence, or a result of any size).

`tests/differential/test_speculation.py` runs speculatable operations with any operands that they may have.

For the upstream operations of our stages, of which xDSL claims too much (`tensor.extract` is `Pure` there), the rule is below,
beside the class it applies to; for `arith` and `math` it is a column of the table of scalar operations (`loomir.dialects.scalars`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from xdsl.dialects import tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    TensorType,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.traits import (
    ConditionallySpeculatable,
    IsTerminator,
    NoMemoryEffect,
    RecursivelySpeculatable,
    is_speculatable,
)

from loomir.dialects.ov.attributes import NUMPY, to_ints
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.facts import fact_of as fact_of_value
from loomir.dialects.scalars import SCALARS
from loomir.dialects.scalars.row import constant_integer, constant_range, is_integer
from loomir.errors import Error

if TYPE_CHECKING:
    from loomir.dialects.ov.base import OvOperation

FactOf = Callable[[SSAValue], Fact]
"""Function that returns the fact known of a value.

It is `infer(module).fact`, or a function that reads the IR alone.
"""


@dataclass(frozen=True)
class MayFail(NoMemoryEffect, ConditionallySpeculatable):
    """Absence of effects with a possible failure.

    The operation may stop the program unless enough is known of its operands. `parameters` are the operands whose contents must be
    known.
    """

    parameters: tuple[str, ...] = ()

    @classmethod
    def is_speculatable(cls, op: Operation) -> bool:
        return speculatable(op)

    def accepts(self, op: OvOperation, facts: Sequence[Fact]) -> bool:
        """Return True if the operation succeeds for all operands with these facts.

        The operation has this trait.
        """
        if any(fact.static is None for fact in facts):
            return False
        if self.parameters:
            known = {value for value, fact in zip(op.operands, facts) if fact.value is not None}
            for name in self.parameters:
                given = getattr(op, name)
                if given is not None and given not in known:
                    return False
        try:
            results = op.infer(facts)
        except Error:
            return False
        # An open result may be larger than what is allowed; of the others the limit is checked before the program runs.
        return all(fact.static is not None for fact in results) and op.accepts(facts)


@dataclass(frozen=True)
class FailsOnShapes(MayFail):
    """Possible failure because of operand shapes alone.

    Numbers are broadcast to any shape, which is then that of the result.
    """

    def accepts(self, op: OvOperation, facts: Sequence[Fact]) -> bool:
        return _is_with_numbers(op, facts) or super().accepts(op, facts)


def _is_with_numbers(op: OvOperation, facts: Sequence[Fact]) -> bool:
    """Return True if an operation broadcasts numbers to another tensor."""
    if tuple(range(len(facts))) != op.ELEMENTWISE or op.properties.get("auto_broadcast", NUMPY) != NUMPY:
        return False
    wide = [fact for fact in facts if fact.static is None or prod(fact.static) != 1]
    if len(wide) != 1:
        return False
    rank = 0 if wide[0].shape is None else len(wide[0].shape)
    return all(len(fact.static) <= rank for fact in facts if fact is not wide[0] and fact.static is not None)


@dataclass(frozen=True, init=False)
class FailsOnContents(MayFail):
    """Possible failure because of operand contents or shapes."""

    def __init__(self, *parameters: str) -> None:
        object.__setattr__(self, "parameters", parameters)


def speculatable(op: Operation, fact_of: FactOf | None = None) -> bool:
    """Return True if an operation without effects never stops the program.

    Such an operation may run where it would not have run.

    `fact_of` returns what is known of its operands, also inside its regions; without it, only the IR itself is used. The result is
    False for an unregistered operation.
    """
    if type(op) in _UPSTREAM:
        return _UPSTREAM[type(op)](op)
    if (row := SCALARS.get(type(op))) is not None:
        scalar = all(is_integer(v.type) for v in op.operands)
        return row.defined is None or (scalar and row.defined(op, constant_range))
    if op.get_trait(RecursivelySpeculatable) is not None:
        inside = (inner for region in op.regions for block in region.blocks for inner in block.ops)
        return all(speculatable(inner, fact_of) for inner in inside)
    if op.get_trait(MayFail) is None:
        return is_speculatable(op)
    from loomir.dialects.ov.base import OvOperation

    assert isinstance(op, OvOperation), op.name
    return succeeds(op, [(fact_of or fact_of_value)(operand) for operand in op.operands])


class SpeculatabilityCache:
    """Cache of the operations that may stop the program.

    It computes the result once per operation, whereas `speculatable` visits all nested operations at each call.
    """

    def __init__(self, fact_of: FactOf | None = None) -> None:
        self._fact_of = fact_of
        self._known: dict[Operation, bool] = {}

    def of(self, op: Operation) -> bool:
        """Return True if an operation may stop the program.

        Operations nested in it are included.
        """
        if op not in self._known:
            self._known[op] = self._found(op)
        return self._known[op]

    def _found(self, op: Operation) -> bool:
        if op.has_trait(IsTerminator):
            return False
        if op.get_trait(RecursivelySpeculatable) is None:
            return not speculatable(op, self._fact_of)
        inside = (inner for region in op.regions for block in region.blocks for inner in block.ops)
        return any(self.of(inner) for inner in inside)


def succeeds(op: OvOperation, facts: Sequence[Fact]) -> bool:
    """Return True if an operation succeeds for all operands with these facts.

    The operation has no regions.
    """
    may_fail = op.get_trait(MayFail)
    return is_speculatable(op) if may_fail is None else may_fail.accepts(op, facts)


# -- upstream operations

_UPSTREAM: dict[type[Operation], Callable[[Operation], bool]] = {}


def _rule(*classes: type[Operation]) -> Callable[[Callable[..., bool]], Callable[..., bool]]:
    """Register what upstream's operations answer."""

    def register(rule: Callable[..., bool]) -> Callable[..., bool]:
        for op_class in classes:
            _UPSTREAM[op_class] = rule
        return rule

    return register


@_rule(tensor.ExtractOp, tensor.InsertOp)
def _one_element(op: tensor.ExtractOp | tensor.InsertOp) -> bool:
    whole = op.tensor.type if isinstance(op, tensor.ExtractOp) else op.dest.type
    assert isinstance(whole, TensorType)
    indices = [constant_integer(index) for index in op.indices]
    # A dynamic extent is -1 here: no index is below it.
    return all(i is not None and 0 <= i < n for i, n in zip(indices, whole.get_shape(), strict=True))


@_rule(tensor.ExtractSliceOp, tensor.InsertSliceOp)
def _slices(op: tensor.ExtractSliceOp | tensor.InsertSliceOp) -> bool:
    whole = op.source.type if isinstance(op, tensor.ExtractSliceOp) else op.dest.type
    assert isinstance(whole, TensorType)
    for offset, size, stride, extent in zip(
        *(to_ints(attr) for attr in (op.static_offsets, op.static_sizes, op.static_strides)),
        whole.get_shape(),
        strict=True,
    ):
        if DYNAMIC_INDEX in (offset, size, stride, extent) or offset < 0 or size < 0:
            return False
        if size and not 0 <= offset + (size - 1) * stride < extent:
            return False
    return True


@_rule(tensor.ExpandShapeOp, tensor.CollapseShapeOp, tensor.PadOp, tensor.CastOp, tensor.ReshapeOp)
@_rule(linalg.GenericOp, linalg.FillOp, tensor.EmptyOp)
def _static(op: Operation) -> bool:
    types = [v.type for v in (*op.operands, *op.results) if isinstance(v.type, TensorType)]
    inside = (inner for region in op.regions for block in region.blocks for inner in block.ops)
    return all(t.has_static_shape() for t in types) and all(
        inner.has_trait(IsTerminator) or speculatable(inner) for inner in inside
    )
