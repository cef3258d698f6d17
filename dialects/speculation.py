"""Whether an operation may run where it would not have run: before the guard around it, in front of a loop that may run no iteration.

`speculatable(op)` is the one question, asked by whoever moves an operation to such a place. *Removing* an operation that nothing uses, and
letting one stand for an equal one that always ran before it, needs no more than that it has no side effects: what may fail declares
`NoMemoryEffect`, too.

What an operation of ours answers is declared at its class, among its traits:

- `Pure()`: it gives a result for all operands that `infer` does not refuse;
- `FailsOnShapes()`: for some shapes it stops the program, whatever is in them (`ov.add` of `tensor<?xf32>` and `tensor<?xf32>`). Where the
  shapes of all operands are known, `infer` has checked them;
- `FailsOnContents()`: what is in its operands may stop the program (an index out of range). Its `accepts(facts)` says for which
  operands that surely does not happen;
- none of them: it stops the program, or has other effects.

For the upstream operations of our stages, of which xDSL says too much (`tensor.extract` is `Pure` there), the rule is below, beside the
class that it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, cast

from xdsl.dialects import arith, math, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
)
from xdsl.ir import Operation, SSAValue
from xdsl.traits import ConditionallySpeculatable, NoMemoryEffect, RecursivelySpeculatable, is_speculatable

from loomir.dialects.ov.attributes import to_ints

FactOf = Callable[[SSAValue], object]
"""What is known of a value: `infer(module).any_fact`, or what the IR itself says."""


class Accepting(Protocol):
    """An operation that says for which operands it surely does not fail."""

    def accepts(self, facts: Sequence[object]) -> bool: ...


class MayFail(NoMemoryEffect, ConditionallySpeculatable):
    """No effects, but the operation may stop the program: it is speculatable where `accepts` says that it surely does not."""

    @classmethod
    def is_speculatable(cls, op: Operation) -> bool:
        return speculatable(op)


class FailsOnShapes(MayFail):
    """The operation may stop the program because of its operands' shapes, and for nothing else."""


class FailsOnContents(MayFail):
    """The operation may stop the program because of what its operands hold."""


def speculatable(op: Operation, fact_of: FactOf | None = None) -> bool:
    """Whether an operation without effects may run where it would not have run: it surely stops no program.

    `fact_of` is what is known of its operands, inside of its regions too; without it, what the IR itself says. False for what is not
    registered.
    """
    if type(op) in _UPSTREAM:
        return _UPSTREAM[type(op)](op)
    if op.get_trait(RecursivelySpeculatable) is not None:
        inside = (inner for region in op.regions for block in region.blocks for inner in block.ops)
        return all(speculatable(inner, fact_of) for inner in inside)
    if op.get_trait(MayFail) is None:
        return is_speculatable(op)
    if fact_of is None:
        from loomir.dialects.seq.facts import any_fact_of

        fact_of = any_fact_of
    return cast("Accepting", op).accepts([fact_of(operand) for operand in op.operands])


# -- upstream operations

_UPSTREAM: dict[type[Operation], Callable[[Operation], bool]] = {}


def _rule(*classes: type[Operation]) -> Callable[[Callable[..., bool]], Callable[..., bool]]:
    """Register what upstream's operations answer."""

    def register(rule: Callable[..., bool]) -> Callable[..., bool]:
        for op_class in classes:
            _UPSTREAM[op_class] = rule
        return rule

    return register


def _number(value: SSAValue) -> int | None:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None


@_rule(arith.DivUIOp, arith.RemUIOp, arith.CeilDivUIOp)
def _divides_unsigned(op: arith.DivUIOp | arith.RemUIOp | arith.CeilDivUIOp) -> bool:
    return _number(op.rhs) not in (None, 0)


@_rule(arith.DivSIOp, arith.RemSIOp, arith.FloorDivSIOp, arith.CeilDivSIOp)
def _divides(op: arith.DivSIOp | arith.RemSIOp | arith.FloorDivSIOp | arith.CeilDivSIOp) -> bool:
    # The least integer divided by -1 is as undefined as a division by 0.
    return _number(op.rhs) not in (None, 0, -1)


@_rule(arith.ShLIOp, arith.ShRUIOp, arith.ShRSIOp)
def _shifts(op: arith.ShLIOp | arith.ShRUIOp | arith.ShRSIOp) -> bool:
    type_ = op.lhs.type
    width = type_.width.data if isinstance(type_, IntegerType) else 64 if isinstance(type_, IndexType) else 0
    distance = _number(op.rhs)
    return distance is not None and 0 <= distance < width


@_rule(arith.FPToSIOp, arith.FPToUIOp, math.IPowIOp)
def _of_some_numbers_only(op: Operation) -> bool:
    # A float that is no such integer, a power of 0 to a negative exponent: undefined, in C at the latest.
    return False


@_rule(tensor.ExtractOp, tensor.InsertOp)
def _one_element(op: tensor.ExtractOp | tensor.InsertOp) -> bool:
    whole = op.tensor.type if isinstance(op, tensor.ExtractOp) else op.dest.type
    assert isinstance(whole, TensorType)
    indices = [_number(index) for index in op.indices]
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
def _static(op: Operation) -> bool:
    types = [v.type for v in (*op.operands, *op.results) if isinstance(v.type, TensorType)]
    return all(t.has_static_shape() for t in types) and all(
        speculatable(inner) for region in op.regions for block in region.blocks for inner in block.ops
    )
