"""Expression of operations that no operation set has, by those that exist.

Each family of `operators/` has functions that register themselves with `@expresses(SomeOp)`. Such a function returns
the values that replace the operation's results, or None if the operation can stay and nothing was emitted:

>>> @expresses(SqueezeOp)
... def squeeze(op: SqueezeOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None: …

The emitted operations are put on the worklist again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.families import families
from loomir.dialects.locations import located
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.layers.writing import spell_out
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.walking import walk
from loomir.errors import Error
from loomir.passes.graph.convert_ov_to_openvino.checks import Checks
from loomir.passes.graph.convert_ov_to_openvino.limits import require_sayable
from loomir.passes.graph.convert_ov_to_openvino.operands import fit_operands
from loomir.passes.graph.decompositions import decomposition_of
from loomir.passes.graph.ov_decompose import decompose, replace_operation

Expression = Callable[[Any, GraphBuilder, Checks], Sequence[SSAValue] | None]

_EXPRESSIONS: dict[type[Operation], Expression] = {}


def expresses(*classes: type[Operation]) -> Callable[[Expression], Expression]:
    """Register a function as what becomes of these operations."""

    def register(function: Expression) -> Expression:
        for op_class in classes:
            assert op_class not in _EXPRESSIONS, f"{op_class.name} is expressed twice"
            _EXPRESSIONS[op_class] = function
        return function

    return register


@cache
def _expressions() -> dict[type[Operation], Expression]:
    list(families(__name__.rpartition(".")[0] + ".operators"))  # each registers its own
    return _EXPRESSIONS


def express_operations(module: ModuleOp, checks: Checks) -> None:
    """Replace operations that no operation set has.

    Linear in the number of operations. Error: `not-in-openvino`, with the operation's place.
    """
    todo = list(walk(module))
    todo.reverse()
    while todo:
        op = todo.pop()
        if isinstance(op, OvOperation) and not isinstance(op, ConstantOp):
            todo.extend(reversed(_expressed(op, checks)))


def _expressed(op: OvOperation, checks: Checks) -> list[Operation]:
    """Express an operation and return the operations that were emitted.

    They replace the operation or stand in front of it; operations inside them are included. The result is empty if the
    operation stays unchanged.
    """
    expression = _expressions().get(type(op))
    build = GraphBuilder(InsertPoint.before(op), op.location)
    try:
        values = None if expression is None else expression(op, build, checks)
        if values is not None:
            replace_operation(op, values, build)
            return _made(build.emitted)
        assert not build.emitted, op.name
        require_sayable(op, checks)
        fit_operands(op, build, checks)
        spell_out(op)
    except Error as error:
        if error.identifier != "not-in-openvino" or decomposition_of(type(op)) is None:
            raise located(error, op) from None
        return _made([*build.emitted, *decompose(op)])
    return _made(build.emitted)


def _made(operations: Sequence[Operation]) -> list[Operation]:
    return [inner for new in operations for inner in walk(new)]
