"""Builders that insert new operations into GRAPH, with their location.

`RewriteBuilder` is for patterns: what it emits the rewriter knows of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np
from xdsl.dialects.builtin import LocationAttr, TensorType, UnknownLoc
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import dtype_of, i64, scalar_array
from loomir.dialects.ov.base import AttrValue, OvOperation, int64_array
from loomir.dialects.ov.facts import Fact, fact_of
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.internal import RequireOp
from loomir.dialects.upstream.walking import walk

OpT = TypeVar("OpT", bound=Operation)


class GraphBuilder:
    """Builder that emits operations at one place.

    Each operation gets the location of the operation that it replaces. `emitted` lists the emitted operations in order (but
    not the operations inside their regions).
    """

    def __init__(self, point: InsertPoint, location: LocationAttr) -> None:
        self._point = point
        self.location = location
        self.emitted: list[Operation] = []

    def emit(self, op: OpT) -> OpT:
        """Insert an operation.

        It and all operations inside it get the location, unless they have one.
        """
        for inner in walk(op):
            if isinstance(inner.location, UnknownLoc):
                inner.location = self.location
        if self._point.insert_before is None:
            self._point.block.add_op(op)
        else:
            self._point.block.insert_op_before(op, self._point.insert_before)
        self.emitted.append(op)
        return op

    def make(
        self,
        op_class: type[OvOperation],
        *operands: SSAValue | Operation | Sequence[SSAValue] | None,
        attributes: Mapping[str, AttrValue] | None = None,
    ) -> SSAValue:
        """Emit an operation (see `OvOperation.make`) and return its first result."""
        return self.emit(op_class.make(*operands, attributes=attributes)).results[0]

    def make_all(
        self,
        op_class: type[OvOperation],
        *operands: SSAValue | Operation | Sequence[SSAValue] | None,
        attributes: Mapping[str, AttrValue] | None = None,
        results: int = 1,
    ) -> Sequence[SSAValue]:
        """Emit an operation (see `OvOperation.make`) and return all its results."""
        return self.emit(op_class.make(*operands, attributes=attributes, results=results)).results

    def constant(self, array: np.ndarray) -> SSAValue:
        """A constant with the array's dtype."""
        return self.emit(ConstantOp.of(array)).output

    def scalar(self, value: float | int | bool, element: Attribute) -> SSAValue:
        """A rank-0 constant of an element type."""
        if element == i64:
            return self.constant(int64_array([int(value)]).reshape(()))
        return self.constant(scalar_array(value, dtype_of(element)))

    def integers(self, values: Sequence[int]) -> SSAValue:
        """A 1-D i64 constant, as shapes, axes and positions are."""
        return self.constant(int64_array(values))

    def like(self, value: float | int, of: SSAValue) -> SSAValue:
        """A rank-0 constant with the element type of another value."""
        return self.scalar(value, self.fact(of).element)

    def require(self, value: SSAValue, condition: SSAValue, kind: str, reason: str) -> SSAValue:
        """Return the value if the condition holds; else fail at run time.

        See `RequireOp`.
        """
        return self.make(RequireOp, value, condition, attributes={"kind": kind, "reason": reason})

    def inside(self, block: Block) -> GraphBuilder:
        """Return a builder at the end of a block.

        The block is for the region of an operation that is emitted afterwards.
        """
        return GraphBuilder(InsertPoint.at_end(block), self.location)

    @staticmethod
    def fact(value: SSAValue) -> Fact:
        """Return the IR's fact about a value: type, and contents of constants."""
        return fact_of(value)


def static_extents(value: SSAValue) -> tuple[int, ...] | None:
    """Return the static shape of a value's type, or None.

    None if a dimension or the rank is unknown.
    """
    return Fact.of_type(value.type).static if isinstance(value.type, TensorType) else None


class RewriteBuilder(GraphBuilder):
    """Builder that emits operations at one place while a pattern is applied.

    Each operation gets the location of the operation that it replaces.
    """

    def __init__(self, rewriter: PatternRewriter, point: InsertPoint, location: LocationAttr) -> None:
        super().__init__(point, location)
        self._rewriter = rewriter

    @staticmethod
    def before(op: Operation, rewriter: PatternRewriter) -> RewriteBuilder:
        """A builder in front of an operation, with its location."""
        return RewriteBuilder(rewriter, InsertPoint.before(op), op.location)

    def emit(self, op: OpT) -> OpT:
        """Insert an operation."""
        emitted = super().emit(op)
        self._rewriter.has_done_action = True
        self._rewriter.handle_operation_insertion(emitted)
        return emitted

    def put_behind(self, value: SSAValue, new: SSAValue) -> None:
        """Replace a value by a new one, except in the latter's operation."""
        self._rewriter.replace_uses_with_if(value, new, lambda use: use.operation is not new.owner)
