"""Verification of operations by kind.

Properties that all operations of a kind share are verified once.

Most operations of a program are alike: thousands of `memref.load` with the same types. The requirements of an
operation's definition for its operands, results, properties and regions depend on their types alone; xDSL evaluates
them again for each operation, which is nine tenths of a verification. Here operations of one class, with the same types
and properties, and regions that begin and end alike, form a kind. One operation of a kind is verified in full; for the
others only the rules that depend on their position or on their operands' contents are verified.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Operation, OpTraits, Region
from xdsl.irdl import IRDLOperation, OpDef
from xdsl.traits import (
    IsolatedFromAbove,
    IsTerminator,
    NoTerminator,
    OpTrait,
    SameOperandsAndResultType,
    SingleBlockImplicitTerminator,
)

from loomir.dialects.blob import BlobAttr, StringsAttr
from loomir.dialects.vector_conditions import WIDENED

_LARGE = frozenset({BlobAttr, StringsAttr, DenseIntOrFPElementsAttr, DenseResourceAttr})
"""Attributes whose comparison reads a model's weights: of these each is another."""


_BY_KIND: tuple[type[Operation], ...] = (
    linalg.FillOp,
    linalg.GenericOp,
    memref.LoadOp,
    memref.StoreOp,
    memref.SubviewOp,
    scf.ForOp,
    scf.IfOp,
    scf.WhileOp,
)
"""Classes whose own verifiers look at nothing but what makes the kind."""

_OF_KIND = (SameOperandsAndResultType, SingleBlockImplicitTerminator)
"""Traits that look at nothing else, either."""


@dataclass(frozen=True)
class _Rules:
    """Verification rules of a class of operations."""

    definition: OpDef
    """Operands, results, properties, regions. Without the traits, which are asked here."""
    attributes: tuple[str, ...]
    """Discardable attributes that the definition speaks of."""
    once: tuple[Callable[[Any], None], ...]
    """Other checks that depend on the kind alone."""
    each: tuple[Callable[[Any], None], ...]
    """Checks that also depend on an operation's position or operands."""
    terminator: bool


@cache
def _rules_of(kind: type[Operation]) -> _Rules | None:
    """Return the rules of a class, or None.

    None means that the class's verifier is not the one that xDSL creates from a definition.
    """
    if not issubclass(kind, IRDLOperation):
        return None
    # `irdl_op_definition` puts its own function in the class's place of `verify_`, around the one that was there.
    inside = inspect.getclosurevars(kind.verify_).nonlocals
    definition = kind.get_irdl_definition()
    once: list[Callable[[Any], None]] = []
    each: list[Callable[[Any], None]] = []
    if kind in WIDENED:
        once.append(kind.verify_)
    elif inside.get("op_def") is not definition:
        return None
    if kind.verify is not Operation.verify:
        return None
    for trait in definition.traits:
        if isinstance(trait, _OF_KIND):
            once.append(trait.verify)
        # `verify_dominance` has seen to it that nothing isolated uses a value from outside.
        elif type(trait).verify is not OpTrait.verify and not isinstance(trait, IsolatedFromAbove):
            each.append(trait.verify)
    own = inside.get("custom_verify")
    if own is not None and own is not Operation.verify_:
        (once if kind in _BY_KIND else each).append(own)
    return _Rules(
        replace(definition, traits=OpTraits(tuple)),
        tuple(definition.attributes),
        tuple(once),
        tuple(each),
        kind.has_trait(IsTerminator),
    )


class VerifiedKinds:
    """Kinds of operations verified so far in one program.

    The verification follows `verify_dominance`. An object is for one verification, during which the program does not
    change.
    """

    def __init__(self) -> None:
        self._verified: set[object] = set()
        self._same: set[object] = set()
        self._of_object: dict[int, int] = {}
        self._of_value: dict[Attribute, int] = {}

    def verify(self, op: Operation) -> bool:
        """`op.verify(verify_nested_ops=False)`: raises what that raises, and accepts what that accepts.

        Returns whether no operation of its kind came before, as far as it is known: one of each kind gets True.
        """
        rules = _rules_of(type(op))
        if rules is not None and _stands_well(op, rules):
            known = self._seen(op, rules)
            if _holds(op, rules.each if known else (rules.definition.verify, *rules.once, *rules.each)):
                return not known
        op.verify(verify_nested_ops=False)
        return True

    def _seen(self, op: Operation, rules: _Rules) -> bool:
        """Return True if an operation of its kind has been verified before.

        (That operation was valid, otherwise the verification would have ended.)
        """
        attributes = op.attributes
        # Types and properties are mostly the same objects: numbers of equal ones are needed where they are not.
        same = (
            type(op),
            tuple([id(operand.type) for operand in op._operands]),
            tuple([id(result.type) for result in op.results]),
            tuple([(name, id(value)) for name, value in op.properties.items()]) if op.properties else (),
            tuple([id(attributes[name]) if name in attributes else -1 for name in rules.attributes])
            if rules.attributes
            else (),
            tuple([_ends(region, id) for region in op.regions]) if op.regions else (),
        )
        if same in self._same:
            return True
        self._same.add(same)
        number = self._number
        kind = (
            type(op),
            tuple([number(operand.type) for operand in op.operands]),
            tuple([number(result.type) for result in op.results]),
            tuple([(name, number(value)) for name, value in op.properties.items()]) if op.properties else (),
            tuple([number(attributes[name]) if name in attributes else -1 for name in rules.attributes]),
            tuple([_ends(region, number) for region in op.regions]) if op.regions else (),
        )
        if kind in self._verified:
            return True
        self._verified.add(kind)
        return False

    def _number(self, attribute: Attribute) -> int:
        """Return a number that is the same for equal attributes.

        An attribute that holds weights shares its number only with itself (the same object).
        """
        number = self._of_object.get(id(attribute))
        if number is None:
            number = len(self._of_object)
            if type(attribute) not in _LARGE:
                number = self._of_value.setdefault(attribute, number)
            self._of_object[id(attribute)] = number
        return number


def _ends(region: Region, number: Callable[[Attribute], int]) -> tuple[object, ...]:
    """Summarise a region's block arguments and terminator, types as numbers.

    The region has one block, or none.
    """
    block = region.first_block
    if block is None:
        return ()
    arguments = tuple([number(argument.type) for argument in block.args])
    if (last := block.last_op) is None:
        return (arguments,)
    return (arguments, type(last), tuple([number(operand.type) for operand in last.operands]))


def _stands_well(op: Operation, rules: _Rules) -> bool:
    """Return True if the generic checks outside `verify_` surely pass.

    These are the checks that xDSL makes of every operation. (An erased operand is not visible at any use.)
    """
    if op.successors:
        return False
    if rules.terminator or op.parent is None or op.parent.last_op is not op:
        return True
    around = op.parent_op()
    return around is not None and around.has_trait(NoTerminator)


def _holds(op: Operation, rules: tuple[Callable[[Any], None], ...]) -> bool:
    """Return True if all of these verifiers accept the operation.

    The operation's own verifier reports a failure, with its own message.
    """
    try:
        for rule in rules:
            rule(op)
    except Exception:
        return False
    return True
