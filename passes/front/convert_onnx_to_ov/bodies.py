"""Bodies of Loop and Scan.

These subgraphs become regions, with types that hold for every iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Block, Region, SSAValue

from loomir.dialects.onnx.types import is_declared
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.operators.control_flow import NextOp
from loomir.dialects.ov.operators.reshape import ReshapeOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.dialects.ovseq.types import (
    AnyFact,
    OptionalFact,
    OptionalType,
    SequenceFact,
    SequenceType,
    any_fact_of,
    fact_of_type,
    join_facts,
    kind_of,
    open_type,
    same_kind,
)
from loomir.errors import Error
from loomir.passes.analysis.inference import Inference
from loomir.passes.front.convert_onnx_to_ov.node import Node


@dataclass
class TranslatedBody:
    """A translated body without its terminator."""

    block: Block
    carried: list[SSAValue]
    scans: list[SSAValue]
    condition: SSAValue | None

    @property
    def region(self) -> Region:
        assert self.block.parent is not None
        return self.block.parent

    def reads(self, argument: SSAValue) -> bool:
        """Return True if the body needs an argument.

        Uses by its terminator, which does not exist yet, are included, except for the condition that the body yields: it ends nothing
        if the loop has no condition.
        """
        return argument.first_use is not None or argument in (*self.carried, *self.scans)

    def finish(self, node: Node, carried: Sequence[SSAValue], condition: SSAValue | None) -> None:
        """Append the terminator."""
        end = NextOp.build(operands=[[] if condition is None else [condition], carried, [], self.scans])
        end.location = node.location
        self.block.add_op(end)


ROUNDS = 5
"""Rounds after which every carried value loses its extents.

After twice as many it loses its rank: a chain of values that adopt each other's type must not need one round each.
"""


def fixpoint(
    initial: Sequence[Attribute],
    translate: Callable[[Sequence[Attribute]], TranslatedBody],
    values: Sequence[SSAValue] = (),
) -> tuple[list[Attribute], TranslatedBody]:
    """Return stable types of carried values and the body built with them.

    The types hold for the initial and for every later value.

    A carried value may change its shape, even its rank. Its type is found by trial: the initial type first; if the body yields
    another, their join; then only the rank; then an unranked type, which always holds. `values` are the initial ones: an empty
    sequence or an absent optional without a declared type takes the type that the first iteration yields.
    """
    types, changes = list(initial), [0] * len(initial)
    for attempt in count():
        body = translate(types)
        if attempt == 0 and (better := _after_one_iteration(types, values, body)) != types:
            body.region.drop_all_references()
            types = better
            body = translate(types)
        joined = [join(t, v.type, f"carried value {i}") for i, (t, v) in enumerate(zip(types, body.carried))]
        if joined == types:
            return types, body
        # The body is made again: what it reads from outside must not keep its uses.
        body.region.drop_all_references()
        least = 2 if attempt >= ROUNDS else 0
        least = 3 if attempt >= 2 * ROUNDS else least
        for index, (before, after) in enumerate(zip(types, joined)):
            changes[index] = max(changes[index] + (before != after), least)
            types[index] = _widen(after, changes[index])
    raise AssertionError("every type is widened to nothing in the end")


def initial_type(value: SSAValue, formal: SSAValue) -> Attribute:
    """Return the initial type of a carried value.

    It is the value's own type; for an empty sequence or an absent optional, which carry no information, it is the type that the
    body declares. All later contents come from the body, so `fixpoint` detects a wrong declaration.
    """
    if not _says_nothing(any_fact_of(value)) or not is_declared(formal.type):
        return value.type
    return formal.type if same_kind(formal.type, value.type) else value.type


def _after_one_iteration(
    types: Sequence[Attribute], values: Sequence[SSAValue], body: TranslatedBody
) -> list[Attribute]:
    """Refine the types of empty sequences and absent optionals.

    They take the types that the first iteration yields.
    """
    facts = [any_fact_of(v) for v in values]
    vague = [_says_nothing(f) for f in facts]
    if not any(vague):
        return list(types)
    inference = Inference()
    inference.set(body.block.args[0], Fact.of_array(np.array(0, np.int64)))
    for argument, fact in zip(body.block.args[-len(types) :], facts):
        inference.set(argument, fact)
    try:
        inference.run_block(body.block)
    except Error:
        # Illegal in the first iteration: an error when it runs, if it does.
        return list(types)
    made = [inference.any_fact(v) for v in body.carried]
    return [
        after.type if nothing and type_ == open_type(type_) and same_kind(after.type, type_) else type_
        for type_, nothing, after in zip(types, vague, made)
    ]


def _says_nothing(fact: AnyFact) -> bool:
    if isinstance(fact, SequenceFact):
        return fact.length.hi == 0
    return isinstance(fact, OptionalFact) and fact.present is False


def _widen(type_: Attribute, changes: int) -> Attribute:
    """Widen a type, the more so the more often it changed."""
    if changes < 2:
        return type_
    if changes > 2:
        return open_type(type_)
    if isinstance(type_, TensorType):
        return TensorType(type_.element_type, [DYNAMIC_INDEX] * type_.get_num_dims())
    if isinstance(type_, SequenceType) and isinstance(type_.element, TensorType):
        extents = [DYNAMIC_INDEX] * type_.element.get_num_dims()
        return SequenceType(TensorType(type_.element_type, extents))
    if isinstance(type_, OptionalType):
        value = _widen(type_.value, changes)
        assert isinstance(value, TensorType | UnrankedTensorType | SequenceType)
        return OptionalType(value)
    return type_


def join(a: Attribute, b: Attribute, what: str) -> Attribute:
    """Return the join of two types.

    `Error("element-type")`.
    """
    if not same_kind(a, b):
        both = [k.removeprefix("tensor of ") for k in (kind_of(a), kind_of(b))]
        raise Error("element-type", f"{what} is of type {both[0]} and of type {both[1]}")
    return join_facts(fact_of_type(a), fact_of_type(b)).type


UNUSED = "the name of an unneeded result may be empty"


def check_results(node: Node, carried: int, scans: int) -> None:
    """Verify a node's number of results.

    There must be as many as its loop has carried values and scan outputs;
    `Error("subgraph-signature")` otherwise.
    """
    if node.outputs != carried + scans:
        raise Error(
            "subgraph-signature",
            f"the node has {node.outputs} results, its body needs {carried} + {scans}: "
            f"{carried} carried values, then {scans} scan outputs",
            hint=UNUSED if node.outputs < carried + scans else None,
        )


def with_declared_extents(node: Node, value: SSAValue, formal: Attribute) -> SSAValue:
    """Add the extents that the body declares to a scan output.

    They are used only if nothing else determines the extents.

    After zero iterations no slice exists: only the declaration determines the inner extents.
    """
    shape = node.shape(value)
    if not isinstance(formal, TensorType) or (shape is not None and -1 not in shape):
        return value
    declared = [max(extent, 0) for extent in formal.get_shape()]
    if shape is None:
        # 0 would mean to copy an extent of which not even the place is known.
        return (
            node.op(ReshapeOp, value, node.vector(declared), special_zero=True)
            if all(d > 0 for d in declared)
            else value
        )
    if len(shape) != len(declared) or not any(e < 0 < d for e, d in zip(shape, declared)):
        return value
    target = [d if e < 0 < d else 0 for e, d in zip(shape, declared)]
    return node.op(ReshapeOp, value, node.vector(target), special_zero=True)


def concatenated(type_: Attribute, axis: int) -> Attribute:
    """Return the type of slices concatenated along an axis.

    The number of slices is unknown.
    """
    return _with_extent(type_, axis, DYNAMIC_INDEX)


def _with_extent(type_: Attribute, axis: int, extent: int) -> Attribute:
    if isinstance(type_, UnrankedTensorType):
        return type_
    assert isinstance(type_, TensorType)
    shape = list(type_.get_shape())
    shape[normalise_axis(axis, len(shape))] = extent
    return TensorType(type_.element_type, shape)


def part_type(type_: Attribute, axis: int) -> Attribute:
    """The type of a slice of size 1 along an axis."""
    return _with_extent(type_, axis, 1)
