"""State of the analysis walk.

It holds the plan so far, and adds alias sets and aliases to it.
"""

from __future__ import annotations

from xdsl.dialects import tensor
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from loomir.dialects.tensors import tensor_type_of
from loomir.passes.structured.bufferize.memrefs import MemRef, identity_memref
from loomir.passes.structured.bufferize.model import (
    Alias,
    AliasSet,
    CopyReason,
    Cover,
    Plan,
    SetKind,
    Version,
    describe,
    location_name,
    numel,
)
from loomir.passes.structured.bufferize.order import number_operations


class Analysis:
    """Plan so far, and the queries that it must answer while growing."""

    def __init__(self, func: FuncOp) -> None:
        self.plan = Plan(number_operations(func))
        self.layouts: dict[SSAValue, MemRef] = {}

    def alias(
        self, value: SSAValue, version: Version | None, cover: Cover, layout: MemRef | None = None
    ) -> None:
        """Record the location of `value`.

        `layout` is the type of its view of a packed alias set, if the view isn't packed.
        """
        self.plan.aliases[value] = Alias(version, cover)
        if version is not None:
            version.values.append(value)
            version.alias_set.values.append(value)
        type_ = tensor_type_of(value)
        self.layouts[value] = layout if layout is not None else identity_memref(type_)

    def argument_set(self, block: Block, value: SSAValue, kind: SetKind, writable: bool) -> AliasSet:
        alias_set = AliasSet(kind, tensor_type_of(value), block, -1, writable=writable, argument=value)
        self.alias(value, Version(alias_set, -1), Cover.FULL)
        return alias_set

    def fresh(self, op: Operation, type: TensorType[Attribute]) -> AliasSet:
        """Create a new buffer that `op` is the first to write.

        For a region operation, the first write is shortly before `op`.
        """
        block = op.parent_block()
        assert block is not None
        return AliasSet(SetKind.FRESH, type, block, self.plan.numbers[op])

    def explain(self, op: Operation, value: SSAValue, reason: str) -> None:
        self.plan.reasons.append(CopyReason(location_name(op), describe(value), reason))

    def materialise(self, op: Operation, operand: int) -> None:
        """Allocate a buffer for an undefined value that `op` uses as data.

        The contents of the buffer are undefined.
        """
        value = op.operands[operand]
        self.plan.materialised[(op, operand)] = self.fresh(op, self.storage_type(value))

    def storage_type(self, value: SSAValue) -> TensorType[Attribute]:
        """Return the type of a new buffer for `value`.

        It is the value's own type, or a type as large as the buffer that holds the value now.
        """
        type_ = tensor_type_of(value)
        version, cover = self.plan.aliases[value].version, self.plan.aliases[value].cover
        if type_.has_static_shape() and not (version is None and cover is Cover.PREFIX):
            return type_
        if version is not None:
            return TensorType(type_.element_type, [numel(version.alias_set.type)])
        while not isinstance(op := value.owner, tensor.EmptyOp):
            assert isinstance(op, Operation)
            value = op.operands[0]
        return tensor_type_of(value)
