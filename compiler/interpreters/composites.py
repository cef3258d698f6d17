"""Semantics of composite operations: decomposition for the operands of a run.

This covers programs before `ov-decompose` and operations that the pass leaves unchanged. Each operation is decomposed
in isolation, with operands of their true shapes. Operands that are constants, or whose contents inference requests,
become constants next to the operation.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from loomir.dialects.element_types import dtype_of, element_of
from loomir.dialects.locations import located
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.parameters import asking
from loomir.dialects.run_errors import as_of_a_run
from loomir.errors import Error
from loomir.passes.graph.ov_decompose import OvDecomposePass

KEPT = 256
"""Maximum number of cached decompositions.

An operation in a loop may have different shapes in each iteration.
"""


class Composites:
    """Decompositions, keyed by operation, operand shapes and contents of parameters."""

    def __init__(self) -> None:
        self._decomposed = lru_cache(KEPT)(_decomposed)

    def body(self, op: OvOperation, args: Sequence[np.ndarray]) -> tuple[Region, tuple[int, ...]]:
        """Return a region that computes the operation, and its operand positions.

        The positions select the operands that the region takes.

        Errors: of a run, if the operation is invalid for these operands; those of its decomposition.
        """
        try:
            asked = _asked(op, args)
        except Error as error:
            raise located(as_of_a_run(error), op) from None
        held = tuple(arg.tobytes() if k in asked else None for k, arg in enumerate(args))
        types = tuple(TensorType(element_of(arg.dtype), arg.shape) for arg in args)
        _, region, order = self._decomposed(op, types, held)
        return region, order


def _asked(op: OvOperation, args: Sequence[np.ndarray]) -> set[int]:
    """Return the positions of non-constant operands whose contents inference requests.

    Inference may request one operand's contents only after it knows another's.

    Errors: those of inference.
    """
    known = [Fact.of_array(arg) for arg in args]
    found = {k for k, operand in enumerate(op.operands) if isinstance(operand.owner, ConstantOp)}
    constants = frozenset(found)
    while True:
        facts = [fact if k in found else fact.without_content() for k, fact in enumerate(known)]
        with asking() as asked:
            op.results_of(facts)
        if not asked:
            return found - constants
        found |= {k for k, fact in enumerate(facts) if any(fact is a for a in asked)}


def _decomposed(
    op: OvOperation, types: Sequence[TensorType[Attribute]], held: Sequence[bytes | None]
) -> tuple[ModuleOp, Region, tuple[int, ...]]:
    """Decompose the operation alone in a function.

    The returned module keeps the region alive.
    """
    block = Block()
    order: list[int] = []
    operands: list[SSAValue] = []
    for k, (value, type_, contents) in enumerate(zip(op.operands, types, held, strict=True)):
        if isinstance(value.owner, ConstantOp):
            operands.append(_put(block, value.owner.clone()))
        elif contents is not None:
            array = np.frombuffer(contents, dtype_of(type_.element_type)).reshape(type_.get_shape())
            operands.append(_put(block, ConstantOp.of(array)))
        else:
            operands.append(block.insert_arg(type_, len(order)))
            order.append(k)
    alone = op.clone(dict(zip(op.operands, operands)))
    # An operand that occurs twice may have two values: each where it stands.
    alone.operands = operands
    block.add_ops([alone, ReturnOp(*alone.results)])
    results = [result.type for result in alone.results]
    function = FuncOp("main", ([a.type for a in block.args], results), Region([block]))
    module = ModuleOp([function])
    OvDecomposePass().apply(Context(), module)
    return module, function.body, tuple(order)


def _put(block: Block, constant: ConstantOp) -> SSAValue:
    block.add_op(constant)
    return constant.output
