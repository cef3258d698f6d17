"""What the analysis decides: alias sets, versions, aliases, destinations and groups.

An *alias set* is the values that live in one buffer, which belongs to a function argument, a loop's block argument, a freshly
computed value or a result of a region operation. Every tensor value has its *alias*, its place in one alias set (or is undefined,
if it comes from `tensor.empty`), and belongs to a *version* of it: an update in place makes a new version in the same alias set.

A *token* is a writable buffer seen as something to be owned; it has exactly one owner at any time. A region
operation is given the tokens that it may permute and hands all of them back: a *group* is a smallest set of
tokens that it permutes among themselves. A group of one token is an *identity*: the operation then simply
works on that buffer and neither carries nor returns it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from xdsl.dialects import tensor
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from loomir.dialects.locations import layer_name


class Cover(Enum):
    """Which part of its alias set's buffer a value is."""

    FULL = "full"
    """All of it, packed, possibly in another shape."""
    PREFIX = "prefix"
    """Packed from the beginning: the data of a dynamic tensor in the buffer of its capacity."""
    PART = "part"
    """Anything else."""


class SetKind(Enum):
    """How an alias set comes by its buffer."""

    ARGUMENT = "argument"
    """An input or weight of the function: read-only."""
    FRESH = "fresh"
    """A buffer of its own, written first by the operation (or for the region operation) `number`."""
    SLOT = "slot"
    """A loop's block argument."""
    RESULT = "result"
    """A result (or spare) of a region operation."""


@dataclass(eq=False)
class AliasSet:
    """The values of a buffer with room for `type`, in `block` and the regions below it."""

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
    """Of a fresh alias set that one operation fills without reading it: that operation and destination operand."""
    destination: Destination | None = None
    """Where a fresh alias set's buffer is; `None` is an allocation of its own."""
    group: Group | None = None
    """Of a result or slot: the group that it belongs to."""
    argument: SSAValue | None = None
    """Of an argument or slot: the block argument; `None` for a slot that bufferization adds."""


@dataclass(eq=False)
class Version:
    """The aliases of an alias set that have the same contents (as far as they overlap)."""

    alias_set: AliasSet
    number: int
    """The operation that made this version; -1 for a version that is there from the start."""
    values: list[SSAValue] = field(default_factory=list)
    parent: Version | None = None
    insert: tensor.InsertSliceOp | None = None
    """The operation that made it, if it left all but one slice as it was."""
    amendments: list[Operation] = field(default_factory=list)
    """Operations that overwrote a slice of this version in place. Except in another arm of an scf.if, only an
    insert_slice into that slice may come after."""


@dataclass(frozen=True)
class Alias:
    """Where a tensor value is: a part of a version of an alias set. `version` is `None` for undefined contents."""

    version: Version | None
    cover: Cover

    @property
    def alias_set(self) -> AliasSet:
        assert self.version is not None
        return self.version.alias_set


@dataclass(frozen=True, eq=False)
class InToken:
    """A fresh alias set in the buffer of another alias set: a slot of the loop or an extra of the branch around it."""

    alias_set: AliasSet


@dataclass(frozen=True, eq=False)
class InOutput:
    """A fresh alias set in the output buffer for result `index` of the function."""

    index: int


@dataclass(frozen=True, eq=False)
class InSlice:
    """A fresh alias set in the slice of another buffer into which `insert` would copy it."""

    insert: tensor.InsertSliceOp


Destination = InToken | InOutput | InSlice


@dataclass(eq=False)
class Group:
    """Tokens that a region operation permutes among themselves: value slots first, then spares.

    `inputs` are the alias sets that give the tokens, `outputs` the alias sets that hold them afterwards, as many. For a
    loop, input i is the initial buffer of slot i, whose block arguments are `slots[r][i]` in region r.
    `yields[r]` are the alias sets that region r's terminator puts into the outputs. `values` gives the position
    among the operation's results of each value slot. `circulates` says that an enclosing region operation
    hands the tokens on, so that spares have to be named too.
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
    """One copy that bufferization inserted: the layer it belongs to, the value copied, and why."""

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
    """What becomes of a destination-passing result: it is written into `alias_set`.

    - `fresh`: the alias set is new, and `read` says whether the destination's contents must be copied into it
      first;
    - otherwise the operation works on the destination's own buffer;
    - `nothing`: an insert_slice whose source is already in its place.
    """

    alias_set: AliasSet
    fresh: bool
    read: bool = False
    nothing: bool = False


@dataclass(eq=False)
class Plan:
    """All decisions for one function. Emission reads nothing else."""

    numbers: dict[Operation, int]
    aliases: dict[SSAValue, Alias] = field(default_factory=dict)
    writes: dict[SSAValue, Write] = field(default_factory=dict)
    """By result of a destination-passing operation."""
    materialised: dict[tuple[Operation, int], AliasSet] = field(default_factory=dict)
    """A use (operation, operand) of an undefined value as data: the fresh alias set to use."""
    copies_before: dict[Operation, list[Copy]] = field(default_factory=dict)
    """Initial values of loops, and yielded values, that have to be copied."""
    groups: dict[Operation, list[Group]] = field(default_factory=dict)
    slices_at: dict[int, list[AliasSet]] = field(default_factory=dict)
    """Alias sets whose destination is a slice, by the number of the operation before which the view is needed."""
    hoisted: dict[int, list[Operation]] = field(default_factory=dict)
    """Index computations that such a view needs and that stand behind that operation."""
    asserts: dict[Block, list[Operation]] = field(default_factory=dict)
    """The assertions of a block in order, of blocks that were looked at."""
    insert_bounds: dict[Operation, tuple[tuple[int | SSAValue, ...], ...]] = field(default_factory=dict)
    """The bounds of insertions that were looked at, which are costly to read."""
    virtual_pads: set[Operation] = field(default_factory=set)
    return_copies: dict[int, SSAValue] = field(default_factory=dict)
    """By position among the function's results: the value to copy into the output buffer."""
    reasons: list[CopyReason] = field(default_factory=list)


def numel(type: TensorType[Attribute]) -> int:
    """Number of elements of a static tensor type."""
    total = 1
    for extent in type.get_shape():
        assert extent >= 0, type
        total *= extent
    return total


def same_class(a: AliasSet, b: AliasSet) -> bool:
    """Whether two alias sets' buffers can stand in for each other: same element type and number of elements."""
    return a.type.element_type == b.type.element_type and numel(a.type) == numel(b.type)


def tensors(values: Sequence[SSAValue]) -> list[int]:
    """Positions of the tensors among `values`."""
    return [i for i, value in enumerate(values) if isinstance(value.type, TensorType)]


def location_name(op: Operation) -> str:
    """The layer that `op` comes from: the name in its location, or the operation's own name."""
    return layer_name(op) or op.name


def describe(value: SSAValue) -> str:
    """A value as a person would find it in the printed program."""
    if value.name_hint:
        return f"%{value.name_hint}"
    if isinstance(value, BlockArgument):
        return f"block argument {value.index}"
    return f"the result of {value.owner.name}" if isinstance(value.owner, Operation) else "a value"
