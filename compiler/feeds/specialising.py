"""Selection of the program that runs for a feed.

It is the model's own program, or one that is specialised for the feed's shapes or for the values of its small inputs.

A program below GRAPH serves every feed if each dynamic dimension has a bound; otherwise each combination of shapes has
its own program. If operations have to know axes, lengths or which of two ranks a value has, and inputs decide that,
there is one program for each of the inputs' values: few, since a model that needs many is better lowered by hand.
Specialised programs are cached.

In a program for one feed, inputs get the feed's shapes, and inputs that are sequences or optionals become tensors.

    main(%x: !ovseq.sequence<tensor<?xf32>>, %o: !ovseq.optional<tensor<2xf32>>)
becomes for a list of arrays of 2 and 3 elements, and None,
    main(%x/0: tensor<2xf32>, %x/1: tensor<3xf32>)
with an `ovseq.construct` and an `ovseq.none` before the other operations. Canonicalisation then leaves little of them.

A compiled program has buffers of fixed sizes. If an extent has no bound (a loop that appends until a condition ends
it), the user of emitted C specifies how large it may become; an engine finds out: it increases the capacity on demand. A run
that needs more stops with `runtime-capacity` before anything is written beyond its buffer, and is repeated from the beginning
by a program of twice the capacity. If the capacity may not grow any more, the run ends with `limit-bytes`, as in the graph
engine, which stores the tensors themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from loomir.compiler.feeds import CheckedFeed, TensorInfo, ValueInfo, info_of
from loomir.compiler.feeds.values import set_shapes, set_values
from loomir.compiler.option_names import MAX_CAPACITY
from loomir.compiler.options import Options
from loomir.compiler.pipeline import StageName
from loomir.compiler.shared_state import Built
from loomir.dialects.interface import Entry, argument_names, arguments_of, main_function, set_arguments
from loomir.dialects.ovseq.sequences import ConstructOp, EmptyOp, NoneOp, SomeOp
from loomir.dialects.ovseq.types import GraphValue, OptionalType, SeqType, open_type
from loomir.errors import Error
from loomir.passes.analysis.inference.state import MAX_EXTENT
from loomir.passes.analysis.lowering_requirements import CAPACITY, deciding_inputs


@dataclass(frozen=True)
class Elements:
    """The shapes of the elements of a sequence that is fed."""

    shapes: tuple[tuple[int, ...], ...]


FeedShape = tuple[int, ...] | Elements | None
"""Shape that a program is specialised for.

It is a tensor's shape, the elements of a sequence, or None for an absent optional.
"""


def feed_shape(value: GraphValue) -> FeedShape:
    """The shape of a value that is fed."""
    if value is None:
        return None
    return Elements(tuple(v.shape for v in value)) if isinstance(value, list) else value.shape


def set_feed_shapes(module: ModuleOp, shapes: Mapping[str, FeedShape]) -> None:
    """Give inputs the shapes of a feed.

    Tensors replace sequences and optionals.

    Errors: those of `set_shapes`, for tensors.
    """
    function = main_function(module)
    arguments = dict(zip(argument_names(function), function.args))
    spread = {n: s for n, s in shapes.items() if isinstance(arguments[n].type, SeqType)}
    set_shapes(module, {n: s for n, s in shapes.items() if n not in spread and isinstance(s, tuple)})
    if not spread:
        return
    names = spread_names(arguments, spread)
    entries = dict(zip(arguments, arguments_of(function)))
    added: dict[str, list[str]] = {}
    for name in spread:
        _replace(function, arguments[name], spread[name])
        added[name] = names[name]
    flat: list[Entry] = []
    for name, entry in entries.items():
        flat += [entry | Entry.of(name=each) for each in added.get(name, [name])]
    set_arguments(function, flat)
    # Of an output that is an input, too.
    function.update_function_type()


def spread_names(inputs: Iterable[str], shapes: Mapping[str, FeedShape]) -> dict[str, list[str]]:
    """Return the names of the tensors that replace each input of `shapes`.

    They differ from each other and from the names of other inputs.
    """
    taken = set(inputs)
    names: dict[str, list[str]] = {}
    for name, shape in shapes.items():
        if not isinstance(shape, Elements):
            names[name] = [] if shape is None else [name]
            continue
        stem = name
        while any(f"{stem}/{i}" in taken for i in range(len(shape.shapes))):
            stem += "_"
        names[name] = [f"{stem}/{i}" for i in range(len(shape.shapes))]
        taken.update(names[name])
    return names


def spread_feed(arrays: Mapping[str, GraphValue], shapes: Mapping[str, FeedShape]) -> CheckedFeed:
    """Return the feed of a program that `set_feed_shapes` specialised.

    `shapes` are the shapes of its inputs.
    """
    names = spread_names(arrays, {n: s for n, s in shapes.items() if not isinstance(s, tuple)})
    spread = CheckedFeed()
    for name, value in arrays.items():
        tensors = [] if value is None else value if isinstance(value, list) else [value]
        spread.update(zip(names.get(name, [name]), tensors, strict=True))
    return spread


def _replace(function: FuncOp, argument: BlockArgument, shape: FeedShape) -> None:
    """Replace one argument by tensor arguments.

    Operations that construct the argument's value from them are inserted.
    """
    block = function.body.block
    type_ = argument.type
    assert isinstance(type_, SeqType)
    wanted = type_.value if isinstance(type_, OptionalType) else type_
    shapes = () if shape is None else shape.shapes if isinstance(shape, Elements) else (shape,)
    element = type_.element_type
    tensors: list[SSAValue] = []
    for offset, extents in enumerate(shapes):
        made = block.insert_arg(TensorType(element, extents), argument.index + 1 + offset, argument.location)
        tensors.append(made)
    ops: list[Operation] = []
    if shape is None:
        ops.append(NoneOp.make(attributes={"value_type": open_type(wanted)}))
    else:
        value: SSAValue | None = None
        if isinstance(shape, Elements):
            ops.append(
                ConstructOp.make(tensors) if tensors else EmptyOp.make(attributes={"element_type": element})
            )
            value = ops[-1].results[0]
        else:
            (value,) = tensors
        if isinstance(type_, OptionalType):
            ops.append(SomeOp.make(value))
    first = block.first_op
    assert first is not None
    for op in ops:
        op.location = argument.location
    block.insert_ops_before(ops, first)
    argument.replace_all_uses_with(ops[-1].results[0])
    block.erase_arg(argument)


START_CAPACITY = 64
"""Initial capacity of an engine.

It is small, because an extent may occur in a product.
"""

NEEDS_CAPACITY = {"unbounded-shape", "unbounded-trips"}
"""Errors of the lowering that a capacity mends."""

Result = TypeVar("Result")


@dataclass(frozen=True)
class Sized(Generic[Result]):
    """Program for a capacity (None: not needed), and its runner."""

    capacity: int | None
    program: ModuleOp
    run: Callable[[Mapping], Result]


class Growing(Generic[Result]):
    """Runner of a program that is rebuilt for larger capacities on demand.

    `build(capacity)` returns the program and the function that runs it; None is no capacity, which suffices for most
    programs. `now` is the program for the next call. Several threads may call at once: a call continues with the program
    that it has, and the first call that needs more builds it for all.
    """

    def __init__(
        self,
        build: Callable[[int | None], tuple[ModuleOp, Callable[[Mapping], Result]]],
        max_capacity: int = MAX_CAPACITY,
    ) -> None:
        self._make = build
        self._max = min(max_capacity, MAX_EXTENT)
        self._lock = Lock()
        try:
            self.now = Sized(None, *build(None))
        except Error as error:
            if error.identifier not in NEEDS_CAPACITY or max_capacity < 1:
                raise
            capacity = min(START_CAPACITY, max_capacity)
            self.now = Sized(capacity, *build(capacity))

    def __call__(self, feed: Mapping) -> Result:
        """Run the program.

        The next call begins with the capacity that sufficed for this one.
        """
        sized = self.now
        while True:
            try:
                return sized.run(feed)
            except Error as error:
                # A program in which nothing has the capacity for a bound would be the same with another one.
                # Without one of ours, the capacity is an option of the pipeline.
                grows = sized.capacity is not None and CAPACITY in sized.program.attributes
                if error.identifier != "runtime-capacity" or not grows:
                    raise
                sized = self._larger(sized, error)

    def _larger(self, sized: Sized[Result], error: Error) -> Sized[Result]:
        """Return a program with more capacity than this insufficient one."""
        assert sized.capacity is not None
        with self._lock:
            if self.now.capacity is not None and self.now.capacity > sized.capacity:
                # Another call has needed more meanwhile.
                return self.now
            larger = min(2 * sized.capacity, self._max)
            if larger > sized.capacity:
                try:
                    self.now = Sized(larger, *self._make(larger))
                except Error as refusal:
                    if refusal.identifier != "limit-bytes":
                        raise
                    raise Error(
                        "limit-bytes",
                        f"a tensor grows beyond an extent of {sized.capacity}, and with {larger} {refusal.what}",
                        layer=error.where.layer,
                        hint="allow more memory with --max-bytes (max_bytes= in Python) if that is intended",
                    ) from None
                return self.now
        raise Error(
            "limit-bytes",
            f"a tensor grows beyond an extent of {sized.capacity}, the largest capacity allowed",
            layer=error.where.layer,
            hint="allow more with --max-capacity (max_capacity= in Python), or look for a loop that does not end",
        ) from None


MAX_ELEMENTS = 64
"""Maximum size of an input that programs are specialised for.

A larger input is data: axes, shapes, pads and split sizes have as many elements as tensors have dimensions or parts.
"""

NEEDS_VALUES = {"unknown-axes", "unknown-length", "unknown-rank", "unresolved-rank"}
"""Errors of the lowering that values which are known may mend."""

_NEEDS_SHAPES = {"unbounded-shape", "unbounded-trips", "unknown-kernel", "unknown-shape", *NEEDS_VALUES}
"""Those that shapes may mend."""


def naming_inputs(error: Error, module: ModuleOp) -> Error:
    """Return a lowering error with a hint that names inputs to fix.

    The hint is added if fixing the values of inputs may avoid the error.
    """
    if error.identifier in NEEDS_VALUES and (names := inputs_to_fix(module)):
        error.hint = f"fix {_listed(names)} with values= (--value): axes, lengths or ranks depend on them"
    return error


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


class SpecialisableProgram(Protocol):
    """Program to be specialised: a `Model`."""

    module: ModuleOp
    options: Options

    specialised: Specialised[Any]
    inputs: cached_property[list[ValueInfo]]

    def lowered(self, stage: StageName, *, capacity: int | None = None) -> ModuleOp: ...
    def changed(self, change: Callable[[ModuleOp], None]) -> Any: ...


ProgramT = TypeVar("ProgramT", bound=SpecialisableProgram)


@dataclass(frozen=True)
class Refusal:
    """Error of a lowering that needs the values of some inputs.

    `names` are the names of these inputs.
    """

    error: Error
    names: tuple[str, ...]


class Specialised(Generic[ProgramT]):
    """Specialised programs of one program, by feed.

    It is thread-safe: each program is created once.
    """

    def __init__(self, program: ProgramT) -> None:
        self._program = program
        self._of_shapes = Built[Hashable, ProgramT]()
        self._of_values = Built[Hashable, ProgramT]()
        self._refusals = Built[None, Refusal | None]()
        self._answers = Built[str, bool]()

    def program(self, feed: CheckedFeed) -> tuple[ProgramT, CheckedFeed]:
        """Return the program for a feed, and the feed for that program.

        The engines below GRAPH run this program; the feed is converted to its inputs.

        Errors: those of the lowering; of inference if the shapes or values are not possible.
        """
        program = self._program
        if names := self._undecided(feed):
            return self._for_values({n: feed[n] for n in names}).specialised.program(feed)
        if not self._dynamic or self.takes_every_shape:
            return program, feed
        shapes = {name: feed_shape(feed[name]) for name in self._dynamic}
        return self._for_shapes(shapes).specialised.program(spread_feed(feed, shapes))

    @property
    def serves_all(self) -> bool:
        """True if the program itself runs for every feed."""
        decided = not self._program.options.specialise or self.refusal is None
        return decided and (not self._dynamic or self.takes_every_shape)

    # -- shapes

    @cached_property
    def _dynamic(self) -> list[str]:
        return [info.name for info in self._program.inputs if info.is_dynamic]

    @property
    def takes_every_shape(self) -> bool:
        """True if one lowered program serves every feed.

        Otherwise each combination of shapes gets its own program. One program needs a bound for every dynamic dimension, and
        some programs cannot be lowered even so.
        """
        return self._answers.of("every-shape", self._can_take_every_shape)

    def _can_take_every_shape(self) -> bool:
        if not all(i.bounded for i in self._program.inputs):
            return False
        try:
            self._program.lowered("structured")
        except Error as error:
            if error.identifier not in _NEEDS_SHAPES:
                raise
            return False
        return True

    def _for_shapes(self, shapes: Mapping[str, FeedShape]) -> ProgramT:
        return self._of_shapes.of(
            tuple(shapes.items()),
            lambda: self._program.changed(lambda module: set_feed_shapes(module, shapes)),
        )

    # -- values

    @property
    def refusal(self) -> Refusal | None:
        """Reason why lowering needs the values of some inputs, or None.

        It is None if the program can be lowered without them, or if no values help.

        Programs with unbounded inputs get their shapes first.
        """
        return self._refusals.of(None, self._find_refusal)

    def _find_refusal(self) -> Refusal | None:
        program = self._program
        if not all(i.bounded for i in program.inputs) or not any(map(_may_decide, program.inputs)):
            return None
        error = self._refused()
        if error is None or error.identifier not in NEEDS_VALUES:
            return None
        names = inputs_to_fix(program.module)
        return Refusal(error, tuple(names)) if names else None

    def _refused(self) -> Error | None:
        """The error of the lowering, for what no capacity mends."""
        try:
            self._program.lowered("structured")
        except Error as error:
            if error.identifier not in NEEDS_CAPACITY or self._program.options.max_capacity < 1:
                return error
            try:
                self._program.lowered(
                    "structured", capacity=min(START_CAPACITY, self._program.options.max_capacity)
                )
            except Error as behind:
                return behind
        return None

    def _undecided(self, feed: CheckedFeed) -> tuple[str, ...]:
        """The inputs of which the values of this feed are needed."""
        if not self._program.options.specialise or self.refusal is None:
            return ()
        values = [feed[name] for name in self.refusal.names]
        small = all(isinstance(v, np.ndarray) and v.size <= MAX_ELEMENTS for v in values)
        return self.refusal.names if small else ()

    def _for_values(self, values: Mapping[str, GraphValue]) -> ProgramT:
        arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
        key = tuple((name, array.shape, array.tobytes()) for name, array in arrays.items())
        most = self._program.options.max_specialisations
        if key not in self._of_values and len(self._of_values) >= most:
            assert self.refusal is not None
            error = copy(self.refusal.error)
            error.hint = f"max_specialisations= allows programs for {most} values of {_listed(arrays)}, and so many exist"
            raise error
        return self._of_values.of(
            key, lambda: self._program.changed(lambda module: set_values(module, arrays))
        )


def inputs_to_fix(module: ModuleOp) -> list[str]:
    """Return the GRAPH inputs to fix with `values=`.

    These are the names of small integer inputs that decide shapes. Inputs that only decide lengths are included if there
    are no others. Errors: those of `infer`.
    """
    function = main_function(module)
    named = zip(argument_names(function), function.args)
    small = {argument: name for name, argument in named if _may_decide(info_of(name, argument.type))}
    for lengths in (False, True):
        if names := [small[a] for a in deciding_inputs(module, lengths=lengths) if a in small]:
            return names
    return []


def _may_decide(info: ValueInfo) -> bool:
    """Return True if an integer or boolean input may be small."""
    if not isinstance(info, TensorInfo) or info.dtype.kind not in "iub":
        return False
    return info.shape is None or all(e is None or e <= MAX_ELEMENTS for e in info.shape)
