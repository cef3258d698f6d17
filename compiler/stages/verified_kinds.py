"""The verifiers of operations, which look once at what is the same in all operations of a kind.

Most operations of a program are alike: thousands of `memref.load` with the same types. What an operation's definition asks of its
operands, results, properties and regions follows from their types alone; xDSL works it out again for each one, which is nine tenths of a
verification. Here operations of one class, with the same types, properties and region arguments are a kind, of which one is verified in
full; of the others only what depends on where they stand or on their operands' contents.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr
from xdsl.ir import Attribute, ErasedSSAValue, Operation, Region
from xdsl.irdl import IRDLOperation
from xdsl.traits import IsTerminator, OpTrait

from loomir.dialects.blob import BlobAttr, StringsAttr

_LARGE: tuple[type[Attribute], ...] = (BlobAttr, StringsAttr, DenseIntOrFPElementsAttr, DenseResourceAttr)
"""Attributes whose comparison reads a model's weights: of these each is another."""


@dataclass(frozen=True)
class _Rules:
    """What a class of operations is verified by, besides its definition."""

    attributes: tuple[str, ...]
    """Discardable attributes that the definition speaks of."""
    traits: tuple[OpTrait, ...]
    """Those that verify anything."""
    own: Callable[[Any], None] | None
    """The class's own `verify_`."""
    terminator: bool


@cache
def _rules_of(kind: type[Operation]) -> _Rules | None:
    """The rules of a class; None where its verifier is not the one that xDSL makes of a definition."""
    if not issubclass(kind, IRDLOperation):
        return None
    # `irdl_op_definition` puts its own function in the class's place of `verify_`, around the one that was there.
    inside = inspect.getclosurevars(kind.verify_).nonlocals
    definition = kind.get_irdl_definition()
    if inside.get("op_def") is not definition or kind.verify is not Operation.verify:
        return None
    own = inside.get("custom_verify")
    return _Rules(
        tuple(definition.attributes),
        tuple(trait for trait in definition.traits if type(trait).verify is not OpTrait.verify),
        None if own is Operation.verify_ else own,
        kind.has_trait(IsTerminator),
    )


class VerifiedKinds:
    """What was verified of one program; for one verification, during which nothing changes."""

    def __init__(self) -> None:
        self._verified: set[object] = set()
        self._of_object: dict[int, int] = {}
        self._of_value: dict[Attribute, int] = {}

    def verify(self, op: Operation) -> None:
        """`op.verify(verify_nested_ops=False)`: raises what that raises, and accepts what that accepts."""
        rules = _rules_of(type(op))
        if rules is None or not self._seen(op, rules) or not _stands_well(op, rules) or not _holds(op, rules):
            op.verify(verify_nested_ops=False)

    def _seen(self, op: Operation, rules: _Rules) -> bool:
        """Whether an operation of its kind came before. (It was found to be right, or the verification would have ended.)"""
        number, attributes = self._number, op.attributes
        kind = (
            type(op),
            tuple([number(operand.type) for operand in op.operands]),
            tuple([number(result.type) for result in op.results]),
            tuple([(name, number(value)) for name, value in op.properties.items()]) if op.properties else (),
            tuple([number(attributes[name]) if name in attributes else -1 for name in rules.attributes]),
            tuple([self._region(region) for region in op.regions]) if op.regions else (),
        )
        if kind in self._verified:
            return True
        self._verified.add(kind)
        return False

    def _region(self, region: Region) -> tuple[int, ...]:
        first = region.first_block
        if first is None:
            return ()
        return (len(region.blocks), *[self._number(argument.type) for argument in first.args])

    def _number(self, attribute: Attribute) -> int:
        """The same number for equal attributes; of those that hold weights, for the same one."""
        number = self._of_object.get(id(attribute))
        if number is None:
            number = len(self._of_object)
            if not isinstance(attribute, _LARGE):
                number = self._of_value.setdefault(attribute, number)
            self._of_object[id(attribute)] = number
        return number


def _stands_well(op: Operation, rules: _Rules) -> bool:
    """Whether what every operation is asked for beside its `verify_` is surely so."""
    if op.successors or any(type(operand) is ErasedSSAValue for operand in op.operands):
        return False
    return rules.terminator or op.parent is None or op.parent.last_op is not op


def _holds(op: Operation, rules: _Rules) -> bool:
    """Whether what is asked of each operation by itself holds. What does not is reported by the operation's own verifier."""
    try:
        for trait in rules.traits:
            trait.verify(op)
        if rules.own is not None:
            rules.own(op)
    except Exception:
        return False
    return True
