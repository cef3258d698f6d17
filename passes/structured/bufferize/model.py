"""Decisions of the analysis: alias sets, versions, aliases, destinations and groups.

An *alias set* consists of the values that live in one buffer, which belongs to a function argument, a loop's block
argument, a freshly computed value or a result of a region operation. Every tensor value has its *alias*, its place in
one alias set (or is undefined, if it comes from `tensor.empty`), and belongs to a *version* of it: an in-place update
creates a new version in the same alias set.

A *token* is a writable buffer as an object of ownership; it has exactly one owner at any time. A region operation
receives the tokens that it may permute and returns all of them: a *group* is a smallest set of tokens that it permutes
among themselves. A group of one token is an *identity*: the operation then simply works on that buffer and neither
carries nor returns it.

*Program order.* Operations are numbered once, in pre-order; everything inside a linalg.generic or tensor.pad has the number of that
operation. No loop ever lies between an alias set and an operation that overwrites it, so within the life of an alias
set "later" is "greater number", except that the arms of one scf.if exclude each other.

*State of the analysis walk.* `Analysis` holds the plan so far, and adds alias sets and aliases to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from xdsl.dialects import tensor
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue, Use

from loomir.dialects.diagnostics import layer_name
from loomir.dialects.element_types import tensor_type_of
from loomir.dialects.upstream.walking import walk
from loomir.passes.structured.lib.memrefs import MemRef, identity_memref


class Cover(Enum):
    """Part of its alias set's buffer that a value occupies."""

    FULL = "full"
    """All of it, packed, possibly in another shape."""
    PREFIX = "prefix"
    """Packed from the beginning of the buffer.

    This is the data of a dynamic tensor in the buffer of its capacity.
    """
    PART = "part"
    """Anything else."""


class SetKind(Enum):
    """How an alias set comes by its buffer."""

    ARGUMENT = "argument"
    """An input or weight of the function: read-only."""
    FRESH = "fresh"
    """Buffer of its own, first written by the operation `number`.

    If `number` is a region operation, the buffer is written for it.
    """
    SLOT = "slot"
    """A loop's block argument."""
    RESULT = "result"
    """A result (or spare) of a region operation."""


@dataclass(eq=False)
class AliasSet:
    """Values of a buffer with room for `type`.

    The values are in `block` and the regions below it.
    """

    kind: SetKind
    type: TensorType[Attribute]
    block: Block
    number: int
    writable: bool = True
    values: list[SSAValue] = field(default_factory=list)
    """Its members, in all versions."""
    packed: bool = False
    """Something relies on the buffer being contiguous."""
    takers: list[int] = field(default_factory=list)
    """Numbers of the operations that were given this alias set's token."""
    writer: tuple[Operation, int] | None = None
    """Operation and destination operand that fill a fresh alias set.

    It is set if one operation fills the alias set without reading it.
    """
    destination: Destination | None = None
    """Location of a fresh alias set's buffer; `None` is a separate allocation."""
    group: Group | None = None
    """Of a result or slot: the group that it belongs to."""
    argument: SSAValue | None = None
    """Block argument of an argument or slot.

    It is `None` for a slot that bufferization adds.
    """


@dataclass(eq=False)
class Version:
    """Aliases of an alias set that have the same contents.

    The contents are the same as far as the aliases overlap.
    """

    alias_set: AliasSet
    number: int
    """Operation that created this version; -1 for an initial version."""
    values: list[SSAValue] = field(default_factory=list)
    parent: Version | None = None
    insert: tensor.InsertSliceOp | None = None
    """Operation that created this version, if it changed only one slice."""
    amendments: list[Operation] = field(default_factory=list)
    """Operations that overwrote a slice of this version in place.

    Except in another arm of an scf.if, only an insert_slice into that slice may come after.
    """


@dataclass(frozen=True)
class Alias:
    """Location of a tensor value: a part of an alias set's version.

    `version` is `None` for undefined contents.
    """

    version: Version | None
    cover: Cover

    @property
    def alias_set(self) -> AliasSet:
        assert self.version is not None
        return self.version.alias_set


@dataclass(frozen=True, eq=False)
class InToken:
    """Fresh alias set in the buffer of another alias set.

    The other alias set is a slot of the enclosing loop or an extra of the enclosing branch.
    """

    alias_set: AliasSet


@dataclass(frozen=True, eq=False)
class InOutput:
    """Fresh alias set in the output buffer for function result `index`."""

    index: int


@dataclass(frozen=True, eq=False)
class InSlice:
    """Fresh alias set in a slice of another buffer.

    It is the slice into which `insert` would copy the alias set.
    """

    insert: tensor.InsertSliceOp


Destination = InToken | InOutput | InSlice


@dataclass(eq=False)
class Group:
    """Tokens that a region operation permutes among themselves.

    Value slots come first, then spares.

    `inputs` are the alias sets that provide the tokens, `outputs` the alias sets that hold them afterwards, equally many.
    For a loop, input i is the initial buffer of slot i, whose block arguments are `slots[r][i]` in region r. `yields[r]`
    are the alias sets that region r's terminator puts into the outputs. `values` holds the position of each value slot
    among the operation's results. `circulates` means that an enclosing region operation passes the tokens on, so that
    spares must be named, too.
    """

    op: Operation
    number: int
    inputs: list[AliasSet]
    outputs: list[AliasSet]
    values: list[int]
    slots: list[list[AliasSet]] = field(default_factory=list)
    yields: list[list[AliasSet]] = field(default_factory=list)
    circulates: bool = False

    @property
    def identity(self) -> bool:
        return len(self.outputs) == 1


@dataclass(frozen=True)
class CopyReason:
    """Copy inserted by bufferization: its layer, the copied value, and the reason."""

    location: str
    value: str
    reason: str

    def __str__(self) -> str:
        return f"{self.location}: copy of {self.value}: {self.reason}"


@dataclass(eq=False)
class Copy:
    """A fresh alias set that begins as a copy of a value."""

    alias_set: AliasSet
    source: SSAValue


@dataclass(frozen=True)
class Write:
    """Write of a destination-passing result into `alias_set`.

    - `fresh`: the alias set is new, and `read` tells whether the destination's contents must be copied into it first;
    - otherwise the operation works on the destination's own buffer;
    - `nothing`: an insert_slice whose source is already in its place.
    """

    alias_set: AliasSet
    fresh: bool
    read: bool = False
    nothing: bool = False


@dataclass(eq=False)
class BufferizationPlan:
    """All decisions for one function. Emission reads nothing else."""

    numbers: dict[Operation, int]
    aliases: dict[SSAValue, Alias] = field(default_factory=dict)
    writes: dict[SSAValue, Write] = field(default_factory=dict)
    """By result of a destination-passing operation."""
    materialised: dict[tuple[Operation, int], AliasSet] = field(default_factory=dict)
    """Fresh alias set for each use of an undefined value as data.

    A use is a pair (operation, operand).
    """
    copies_before: dict[Operation, list[Copy]] = field(default_factory=dict)
    """Initial values of loops, and yielded values, that have to be copied."""
    groups: dict[Operation, list[Group]] = field(default_factory=dict)
    slices_at: dict[int, list[AliasSet]] = field(default_factory=dict)
    """Alias sets whose destination is a slice, by operation number.

    The view of the slice is needed before the operation of that number.
    """
    hoisted: dict[int, list[Operation]] = field(default_factory=dict)
    """Index computations to hoist for such views, by operation number.

    Such a view needs them, but they stand behind the operation before which the view is needed.
    """
    asserts: dict[Block, list[Operation]] = field(default_factory=dict)
    """Assertions of each examined block, in order."""
    insert_bounds: dict[Operation, tuple[tuple[int | SSAValue, ...], ...]] = field(default_factory=dict)
    """Cache of the bounds of examined insertions.

    The bounds are costly to read.
    """
    virtual_pads: set[Operation] = field(default_factory=set)
    return_copies: dict[int, SSAValue] = field(default_factory=dict)
    """Values to copy into output buffers, by function result position."""
    reasons: list[CopyReason] = field(default_factory=list)


def numel(type: TensorType[Attribute]) -> int:
    """Number of elements of a static tensor type."""
    total = 1
    for extent in type.get_shape():
        assert extent >= 0, type
        total *= extent
    return total


def same_class(a: AliasSet, b: AliasSet) -> bool:
    """Return True if the buffers of two alias sets are interchangeable.

    They are interchangeable if they have the same element type and number of elements.
    """
    return a.type.element_type == b.type.element_type and numel(a.type) == numel(b.type)


def tensors(values: Sequence[SSAValue]) -> list[int]:
    """Positions of the tensors among `values`."""
    return [i for i, value in enumerate(values) if isinstance(value.type, TensorType)]


def location_name(op: Operation) -> str:
    """Return the name of the layer that `op` comes from.

    This is the name in its location, or the operation's own name.
    """
    return layer_name(op) or op.name


def describe(value: SSAValue) -> str:
    """A value as a person would find it in the printed program."""
    if value.name_hint:
        return f"%{value.name_hint}"
    if isinstance(value, BlockArgument):
        return f"block argument {value.index}"
    return f"the result of {value.owner.name}" if isinstance(value.owner, Operation) else "a value"


def number_operations(func: FuncOp) -> dict[Operation, int]:
    """Number every operation of `func` in pre-order."""
    numbers: dict[Operation, int] = {}
    next_number = 0
    stack: list[Operation] = [func]
    while stack:
        op = stack.pop()
        numbers[op] = next_number
        if isinstance(op, LinalgStructuredOperation | tensor.PadOp):
            for inner in walk(op):
                numbers[inner] = next_number
        else:
            inside = [inner for region in op.regions for block in region.blocks for inner in block.ops]
            stack.extend(reversed(inside))
        next_number += 1
    return numbers


def uses_from(
    values: list[SSAValue], number: int, numbers: dict[Operation, int]
) -> Iterator[tuple[int, Use, SSAValue]]:
    """Yield the uses of `values` from operation `number` on, with their numbers."""
    for value in values:
        for use in value.uses:
            n = numbers[use.operation]
            if n >= number:
                yield n, use, value


def last_use(alias_set: AliasSet, numbers: dict[Operation, int]) -> int:
    """Return the number of `alias_set`'s last use, or -1.

    This is the greatest number of an operation that uses an alias of the set.
    """
    return max((n for n, _, _ in uses_from(alias_set.values, 0, numbers)), default=-1)


class Analysis:
    """Plan so far, and the queries that it must answer while growing."""

    def __init__(self, func: FuncOp) -> None:
        self.plan = BufferizationPlan(number_operations(func))
        self.layouts: dict[SSAValue, MemRef] = {}

    def alias(
        self, value: SSAValue, version: Version | None, cover: Cover, layout: MemRef | None = None
    ) -> None:
        """Record the location of `value`.

        `layout` is the type of its view of a packed alias set, if the view isn't packed.
        """
        self.plan.aliases[value] = Alias(version, cover)
        if version is not None:
            version.values.append(value)
            version.alias_set.values.append(value)
        type_ = tensor_type_of(value)
        self.layouts[value] = layout if layout is not None else identity_memref(type_)

    def argument_set(self, block: Block, value: SSAValue, kind: SetKind, writable: bool) -> AliasSet:
        alias_set = AliasSet(kind, tensor_type_of(value), block, -1, writable=writable, argument=value)
        self.alias(value, Version(alias_set, -1), Cover.FULL)
        return alias_set

    def fresh(self, op: Operation, type: TensorType[Attribute]) -> AliasSet:
        """Create a new buffer that `op` is the first to write.

        For a region operation, the first write is shortly before `op`.
        """
        block = op.parent_block()
        assert block is not None
        return AliasSet(SetKind.FRESH, type, block, self.plan.numbers[op])

    def explain(self, op: Operation, value: SSAValue, reason: str) -> None:
        self.plan.reasons.append(CopyReason(location_name(op), describe(value), reason))

    def materialise(self, op: Operation, operand: int) -> None:
        """Allocate a buffer for an undefined value that `op` uses as data.

        The contents of the buffer are undefined.
        """
        value = op.operands[operand]
        self.plan.materialised[(op, operand)] = self.fresh(op, self.storage_type(value))

    def storage_type(self, value: SSAValue) -> TensorType[Attribute]:
        """Return the type of a new buffer for `value`.

        It is the value's own type, or a type as large as the buffer that holds the value now.
        """
        type_ = tensor_type_of(value)
        version, cover = self.plan.aliases[value].version, self.plan.aliases[value].cover
        if type_.has_static_shape() and not (version is None and cover is Cover.PREFIX):
            return type_
        if version is not None:
            return TensorType(type_.element_type, [numel(version.alias_set.type)])
        while not isinstance(op := value.owner, tensor.EmptyOp):
            assert isinstance(op, Operation)
            value = op.operands[0]
        return tensor_type_of(value)
