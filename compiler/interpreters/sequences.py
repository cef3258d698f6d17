"""Non-tensor values of GRAPH in the graph engine.

A sequence is a list of arrays, an absent optional is `None`. An optional that has a value is the value itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.ir import Attribute

from loomir.compiler.interpreters.core import InterpreterError
from loomir.compiler.limits import check_bytes
from loomir.dialects.locations import located
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ovseq.base import SeqOperation
from loomir.dialects.ovseq.facts import AnyFact, OptionalFact, SequenceFact, held_fact
from loomir.dialects.ovseq.operators.splitting import ConcatOp
from loomir.dialects.ovseq.types import GraphValue, OptionalType, SequenceType
from loomir.dialects.run_errors import as_of_a_run
from loomir.errors import Error


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
        return OptionalFact(held_fact(fact_of_value(value, type_.value)), True)
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
            raise InterpreterError(f"a result that is no sequence where the type is {type_}")
        for element in value:
            check(element, type_.element)
    else:
        if not isinstance(value, np.ndarray):
            raise InterpreterError(f"a result that is no tensor where the type is {type_}")
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
