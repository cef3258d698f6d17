"""Incremental type inference while patterns change a GRAPH program.

Inserted operations and the values that depend on them are inferred, so that types stay correct.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriterListener

from loomir.dialects.locations import located
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.operators.failure import FailOp
from loomir.dialects.tensors import set_type
from loomir.errors import Error
from loomir.passes.analysis.contents import Contents


class KeepsTypes(PatternRewriterListener):
    """Listener that keeps types up to date while patterns rewrite.

    Pass it to a `PatternRewriteWalker`: after each edit the types of the affected values are those inferred from their operands.

    A type is made more precise or corrected; the work depends on the size of the change, not of the program. Values that loops
    carry and branches yield keep their types: `ov-infer` handles those. An operation that is illegal for its operands is an error
    of the code that inserted it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.operation_insertion_handler.append(self._changed)
        self.operation_modification_handler.append(self._changed)

    def _changed(self, op: Operation) -> None:
        """(Whoever used what is replaced is modified, too.)"""
        self._follow(_updated(op, Contents()))

    def _follow(self, values: Sequence[SSAValue]) -> None:
        contents = Contents()
        todo = list(values)
        while todo:
            for use in list(todo.pop().uses):
                todo += _updated(use.operation, contents)


def _updated(op: Operation, contents: Contents) -> list[SSAValue]:
    """The results of an operation whose types had to be changed."""
    if not isinstance(op, OvOperation) or isinstance(op, FailOp):
        return []
    try:
        facts = op.results_of([contents.fact(operand) for operand in op.operands])
    except Error as error:
        raise located(error, op) from None
    changed: list[SSAValue] = []
    for result, fact in zip(op.results, facts):
        declared = Fact.of_type(result.type)
        type_ = fact.type
        if declared.element == fact.element and (met := _met(declared, fact)) is not None:
            type_ = met.type
        if type_ != result.type:
            set_type(result, type_)
            changed.append(result)
    return changed


def _met(declared: Fact, found: Fact) -> Fact | None:
    """Return the meet of two facts' shapes, or None if they conflict."""
    if declared.shape is None or found.shape is None:
        return found if declared.shape is None else declared
    if len(declared.shape) != len(found.shape):
        return None
    extents = [a.meet(b) for a, b in zip(declared.shape, found.shape)]
    if any(extent is None for extent in extents):
        return None
    return Fact(found.element, tuple(extent for extent in extents if extent is not None))
