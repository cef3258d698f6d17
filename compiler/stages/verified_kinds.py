"""Verification of operations by kind.

Properties that all operations of a kind share are verified once.

Most operations of a lowered program are alike: thousands of `memref.load` with the same types. What their verifiers ask
depends on their types alone; xDSL evaluates it again for each operation, which is nine tenths of a verification. Here
operations of one class, with the same types and properties, and regions that begin and end alike, form a kind, of which one
operation is verified.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Operation, Region
from xdsl.irdl import IRDLOperation
from xdsl.traits import NoTerminator

from loomir.dialects.blob import BlobAttr, StringsAttr
from loomir.dialects.scalars import SCALARS
from loomir.dialects.vector_conditions import is_on_lanes, verify_lanes

_LARGE = frozenset({BlobAttr, StringsAttr, DenseIntOrFPElementsAttr, DenseResourceAttr})
"""Attributes whose comparison reads a model's weights: of these each is another."""

_BY_KIND: frozenset[type[Operation]] = frozenset(SCALARS) | {
    linalg.FillOp,
    linalg.GenericOp,
    memref.LoadOp,
    memref.StoreOp,
    memref.SubviewOp,
    scf.ForOp,
    scf.IfOp,
    scf.WhileOp,
}
"""Classes whose verifiers and traits look at nothing but what makes the kind."""


@cache
def _attributes_of(kind: type[Operation]) -> tuple[str, ...]:
    """Return the discardable attributes that a class's definition speaks of."""
    return tuple(kind.get_irdl_definition().attributes) if issubclass(kind, IRDLOperation) else ()


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
        """Verify an operation without those inside it: raises what `op.verify(verify_nested_ops=False)` raises.

        Returns whether no operation of its kind came before, as far as it is known: one of each kind gets True.
        """
        if type(op) in _BY_KIND and _stands_well(op) and self._seen(op):
            return False
        if is_on_lanes(op):
            verify_lanes(op)
        else:
            op.verify(verify_nested_ops=False)
        return True

    def _seen(self, op: Operation) -> bool:
        """Return True if an operation of its kind has been verified before.

        (That operation was valid, otherwise the verification would have ended.)
        """
        attributes, names = op.attributes, _attributes_of(type(op))
        # Types and properties are mostly the same objects: numbers of equal ones are needed where they are not.
        same = (
            type(op),
            tuple([id(operand.type) for operand in op._operands]),
            tuple([id(result.type) for result in op.results]),
            tuple([(name, id(value)) for name, value in op.properties.items()]) if op.properties else (),
            tuple([id(attributes[name]) if name in attributes else -1 for name in names]) if names else (),
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
            tuple([number(attributes[name]) if name in attributes else -1 for name in names]),
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


def _stands_well(op: Operation) -> bool:
    """Return True if the generic checks outside `verify_` surely pass.

    These are the checks that xDSL makes of every operation. (An erased operand is not visible at any use.)
    """
    if op.successors:
        return False
    if op.parent is None or op.parent.last_op is not op:
        return True
    around = op.parent_op()
    return around is not None and around.has_trait(NoTerminator)
