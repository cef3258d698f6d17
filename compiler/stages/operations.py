"""Verification of operations: SSA dominance, and verifiers once per kind.

Dominance is verified in time linear in the number of operations. xDSL's verifier leaves it out.

Properties that all operations of a kind share are verified once. Most operations of a lowered program are alike: thousands of
`memref.load` with the same types. What their verifiers check depends on their types alone; xDSL evaluates it again for each
operation, which is nine tenths of a verification. Here operations of one class, with the same types and properties, and regions
that begin and end alike, form a kind, of which one operation is verified.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import cache

from xdsl.dialects import memref, scf, tensor
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.traits import IsolatedFromAbove, NoTerminator

from loomir.dialects.attributes import BlobAttr, StringsAttr
from loomir.dialects.diagnostics import describe_location, located, source_location
from loomir.dialects.scalars import SCALARS
from loomir.dialects.upstream.vector_conditions import is_on_lanes, verify_lanes
from loomir.errors import Error, Where


class StageError(Error):
    """Invalid IR or violation of a stage's rules.

    The module is no valid IR (`mlir-invalid`, `several-blocks`), or not what its stage allows (`not-of-stage`).
    """


def refusal(op: Operation, what: str) -> StageError:
    """Return the error for an operation that its stage does not allow.

    `what` is the part of the operation that is not allowed.
    """
    return _placed(StageError("not-of-stage", what), op)


def invalid(op: Operation, what: str) -> StageError:
    """Return the error for an operation that is invalid at any stage."""
    return _placed(StageError("mlir-invalid", what), op)


def _placed(error: StageError, op: Operation) -> StageError:
    located(error, op)
    return error


def verify_dominance(module: ModuleOp) -> None:
    """Check that every operand is defined before its use.

    The definition is in the same block or an enclosing one. Errors: `mlir-invalid`, `several-blocks`.

    This takes one walk: a value is visible from its definition to the end of the block that defines it, but not in
    operations that are isolated from above. That suffices because every region has at most one block, which is checked too.
    """
    visible: set[SSAValue] = set()
    # What is visible around the isolated operations that the walk is in.
    outside: list[set[SSAValue]] = []
    # What is still to do, last first: an explicit stack, since regions may nest deeper than Python's
    # recursion.
    enter, leave, visit, define, emerge = range(5)
    work: list[tuple[int, Block | Operation]] = [(visit, module)]
    while work:
        what, item = work.pop()
        if isinstance(item, Block):
            if what == enter:
                visible.update(item.args)
                work.append((leave, item))
                if (first := item.first_op) is not None:
                    work.append((visit, first))
            else:
                visible.difference_update(item.args)
                for op in item.ops:
                    if op.results:
                        visible.difference_update(op.results)
        elif what == visit:
            _check_operands(item, visible)
            # Most operations have no regions: the next ones are looked at in the same step.
            while not item.regions:
                if item.results:
                    visible.update(item.results)
                if item.parent is None or (following := item._next_op) is None:
                    break
                item = following
                _check_operands(item, visible)
            else:
                work.append((define, item))
                if item.has_trait(IsolatedFromAbove, value_if_unregistered=False):
                    outside.append(visible)
                    visible = set()
                    work.append((emerge, item))
                for region in reversed(item.regions):
                    blocks = list(region.blocks)
                    if len(blocks) > 1:
                        what = f"a region has {len(blocks)} blocks, in loomir it has one"
                        hint = "write loops and branches with scf or ov"
                        raise _placed(StageError("several-blocks", what, hint=hint), item)
                    work += [(enter, block) for block in blocks]
        elif what == emerge:
            visible = outside.pop()
        else:
            visible.update(item.results)
            if item.parent is not None and item.next_op is not None:
                work.append((visit, item.next_op))


def _check_operands(op: Operation, visible: Set[SSAValue]) -> None:
    # (The fields behind `operands` and `next_op`: most of a verification's steps are these.)
    for index, operand in enumerate(op._operands):
        if operand not in visible:
            error = invalid(
                op,
                f"operand {index} ({_describe_definition(operand)}) is not defined before or not visible here",
            )
            if isinstance(operand, OpResult) and (at := source_location(operand.op)) is not None:
                error.notes.append(("it is defined here", Where(at[0], position=at[1:])))
            raise error


def _describe_definition(value: SSAValue) -> str:
    name = f"%{value.name_hint}, " if value.name_hint else ""
    if isinstance(value, OpResult):
        return f"{name}a result of {describe_location(value.op)}"
    if not isinstance(value, BlockArgument):
        # xDSL's parser leaves a promise where an operation names what only its own region defines.
        return f"{name}of the operation's own region"
    owner = value.block.parent_op()
    return f"{name}an argument of {'a detached block' if owner is None else describe_location(owner)}"


_LARGE = frozenset({BlobAttr, StringsAttr, DenseIntOrFPElementsAttr, DenseResourceAttr})
"""Attributes whose comparison reads a model's weights: of these each is another."""

_TERMINATORS: frozenset[type[Operation]] = frozenset({linalg.YieldOp, scf.YieldOp})
_BY_KIND: frozenset[type[Operation]] = (
    frozenset(SCALARS)
    | _TERMINATORS
    | {
        linalg.FillOp,
        linalg.GenericOp,
        memref.AllocaOp,
        memref.AllocOp,
        memref.CollapseShapeOp,
        memref.ExpandShapeOp,
        memref.LoadOp,
        memref.StoreOp,
        memref.SubviewOp,
        memref.ViewOp,
        scf.ForOp,
        scf.IfOp,
        scf.WhileOp,
        tensor.CollapseShapeOp,
        tensor.EmptyOp,
        tensor.ExpandShapeOp,
    }
)
"""Classes whose verifiers and traits depend on the kind alone."""


@cache
def _attributes_of(kind: type[Operation]) -> tuple[str, ...]:
    """Return the discardable attributes that a class's definition speaks of."""
    return tuple(kind.get_irdl_definition().attributes) if issubclass(kind, IRDLOperation) else ()


def _verify_function(op: FuncOp) -> None:
    """Verify a function without what is in it.

    `verify_dominance` has seen that the function uses nothing from outside. xDSL would ask that of each operand again, in a walk for
    which nests cost their operations times their depth.

    Raises `VerifyException`.
    """
    outline = FuncOp.create(
        properties=op.properties,
        attributes=op.attributes,
        regions=[Region([Block(arg_types=block.arg_types) for block in op.body.blocks])],
    )
    outline.verify_()


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
        elif type(op) is FuncOp and _stands_well(op):
            _verify_function(op)
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
            type(op.parent_op()) if type(op) in _TERMINATORS else None,
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
            same[-1],
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
        return type(op) not in _TERMINATORS
    if type(op) in _TERMINATORS:
        return True
    around = op.parent_op()
    return around is not None and around.has_trait(NoTerminator)
