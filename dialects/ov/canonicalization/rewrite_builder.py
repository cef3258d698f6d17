"""A builder for patterns: what it emits the rewriter knows of."""

from __future__ import annotations

from typing import TypeVar

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from loomir.dialects.ov.graph_builder import GraphBuilder

OpT = TypeVar("OpT", bound=Operation)


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
