"""Composite operations, sequences, optionals and zero-trip loops in the graph engine.

The semantics of a composite operation is its decomposition for the operands of a run. This covers programs before
`ov-decompose` and operations that the pass leaves unchanged. Each operation is decomposed in isolation, with operands of their
true shapes. Operands that are constants, or whose contents inference requests, become constants next to the operation.

Some values of GRAPH are no tensors. A sequence is a list of arrays, an absent optional is `None`. An optional that has a value
is the value itself.

The results of a zero-trip loop are zeros, whose extents follow from values outside of the loop. Inference walks the body as for
a first iteration, with all that is known of every value that the body reads. The body is not run: indices into tensors without
elements, for example, have no influence on its shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.interpreter import Interpreter
from xdsl.ir import Attribute, Block, Region, SSAValue

from loomir.compiler.engines import InterpreterError
from loomir.compiler.limits import check_bytes
from loomir.dialects.diagnostics import as_of_a_run, located
from loomir.dialects.element_types import dtype_of, element_of, zeros_of_element
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.canonicalization.loops import types_of_no_trip
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.inference import recording
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ovseq import SeqOperation
from loomir.dialects.ovseq.splitting import ConcatOp
from loomir.dialects.ovseq.types import (
    AnyFact,
    GraphValue,
    OptionalFact,
    OptionalType,
    SequenceFact,
    SequenceType,
    payload_fact,
)
from loomir.dialects.region_flow import captured
from loomir.errors import Error
from loomir.passes.analysis.inference import Inference
from loomir.passes.analysis.inference.loops import results_of_no_trip
from loomir.passes.graph.ov_decompose import OvDecomposePass

MAX_DECOMPOSITIONS = 256
"""Maximum number of cached decompositions.

An operation in a loop may have different shapes in each iteration.
"""


class DecompositionCache:
    """Decompositions, keyed by operation, operand shapes and contents of parameters."""

    def __init__(self) -> None:
        self._decomposed = lru_cache(MAX_DECOMPOSITIONS)(_decomposed)

    def body(self, op: OvOperation, args: Sequence[np.ndarray]) -> tuple[Region, tuple[int, ...]]:
        """Return a region that computes the operation, and its operand positions.

        The positions select the operands that the region takes.

        Errors: of a run, if the operation is invalid for these operands; those of its decomposition.
        """
        try:
            asked = _content_operands(op, args)
        except Error as error:
            raise located(as_of_a_run(error), op) from None
        held = tuple(arg.tobytes() if k in asked else None for k, arg in enumerate(args))
        types = tuple(TensorType(element_of(arg.dtype), arg.shape) for arg in args)
        _, region, order = self._decomposed(op, types, held)
        return region, order


def _content_operands(op: OvOperation, args: Sequence[np.ndarray]) -> set[int]:
    """Return the positions of non-constant operands whose contents inference requests.

    Inference may request one operand's contents only after it knows another's.

    Errors: those of inference.
    """
    known = [Fact.of_array(arg) for arg in args]
    found = {k for k, operand in enumerate(op.operands) if isinstance(operand.owner, ConstantOp)}
    constants = frozenset(found)
    while True:
        facts = [fact if k in found else fact.without_content() for k, fact in enumerate(known)]
        with recording() as asked:
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


def run_operation(op: SeqOperation, values: Sequence[GraphValue], max_bytes: int) -> GraphValue:
    """Return the result of an `ovseq` operation.

    Errors: those of `evaluate`, and `limit-bytes`, with the operation's location.
    """
    try:
        if op.name == ConcatOp.name:  # everything else shares the arrays that are there
            for fact in op.infer([fact_of_value(v, o.type) for v, o in zip(values, op.operands)]):
                if isinstance(fact, Fact) and (shape := fact.static) is not None:
                    check_bytes(fact.element, shape, max_bytes)
        return op.evaluate(*values)
    except Error as error:
        raise located(as_of_a_run(error), op) from None


def fact_of_value(value: GraphValue, type_: Attribute) -> AnyFact:
    """Return the inference fact of a runtime value of the given type."""
    if isinstance(type_, SequenceType):
        assert isinstance(value, list)
        return SequenceFact.of_items(type_.element_type, map(Fact.of_array, value))
    if isinstance(type_, OptionalType):
        if value is None:
            return OptionalFact.none(type_.value)
        return OptionalFact(payload_fact(fact_of_value(value, type_.value)), True)
    assert isinstance(value, np.ndarray)
    return Fact.of_array(value)


def check_value(value: GraphValue, type_: Attribute, check: Callable[[np.ndarray, Attribute], None]) -> None:
    """Check that a result has its declared type.

    `check` checks the tensors. Raises `InterpreterError`.
    """
    if isinstance(type_, OptionalType):
        if value is not None:
            check_value(value, type_.value, check)
    elif isinstance(type_, SequenceType):
        if not isinstance(value, list):
            raise InterpreterError(f"a result that is not a sequence where the type is {type_}")
        for element in value:
            check(element, type_.element)
    else:
        if not isinstance(value, np.ndarray):
            raise InterpreterError(f"a result that is not a tensor where the type is {type_}")
        check(value, type_)


def copied(value: GraphValue) -> GraphValue:
    """A value that shares no memory with this one."""
    if isinstance(value, list):
        return [np.array(element) for element in value]
    return None if value is None else np.array(value)


def size_of(value: GraphValue) -> int:
    """The bytes of a value."""
    if isinstance(value, list):
        return sum(element.nbytes for element in value)
    return 0 if value is None else value.nbytes


def values_of_no_trip(interpreter: Interpreter, op: LoopOp, operands: Sequence[Any]) -> list[np.ndarray]:
    """Return the last values and concatenations of a zero-trip loop."""
    given = [v.type for v in (*op.next.last, *op.next.concat)]
    types = types_of_no_trip(op)
    if not all(isinstance(t, TensorType) and t.has_static_shape() for t in given):
        inference = Inference()
        outside = captured(op, {})
        for value, held in [*zip(outside, interpreter.get_values(outside)), *zip(op.operands, operands)]:
            inference.set(value, fact_of_value(held, value.type))
        facts = results_of_no_trip(op, inference, [inference.any_fact(v) for v in op.carried])
        found = facts[len(op.carried) :]
        types = [_type_of(fact) or t for t, fact in zip(types, found, strict=True)]
    return [zeros_of_element(t.get_shape(), t.element_type) for t in types]


def _type_of(fact: AnyFact) -> TensorType | None:
    """Return the type with 0 for unknown extents; None for unknown rank."""
    assert isinstance(fact, Fact)
    if fact.shape is None:
        return None
    return TensorType(fact.element, [d.static or 0 for d in fact.shape])
