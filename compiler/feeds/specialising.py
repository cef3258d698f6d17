"""Selection of the program that runs for a feed.

It is the model's own program, or one that is specialised for the feed's shapes or for the values of its small inputs.

A program below GRAPH serves every feed if each dynamic dimension has a bound; otherwise each combination of shapes has
its own program. If operations have to know axes, lengths or which of two ranks a value has, and inputs decide that,
there is one program for each of the inputs' values: few, since a model that needs many is better lowered by hand.
Specialised programs are cached.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.built import Built
from loomir.compiler.feeds.checks import CheckedFeed
from loomir.compiler.feeds.fixing import set_values
from loomir.compiler.feeds.growing import NEEDS_CAPACITY, START_CAPACITY
from loomir.compiler.feeds.infos import TensorInfo, ValueInfo, info_of
from loomir.compiler.feeds.spreading import FeedShape, feed_shape, set_feed_shapes, spread_feed
from loomir.compiler.options import Options
from loomir.compiler.pipeline import Stage
from loomir.dialects.interface import argument_names, main_function
from loomir.dialects.ovseq.types import GraphValue
from loomir.errors import Error
from loomir.passes.analysis.deciding_inputs import deciding_inputs

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
        error.hint = f"fix {_listed(names)} with values= (--value): axes, lengths or ranks depend on that"
    return error


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


class Program(Protocol):
    """Program to be specialised: a `Model`."""

    module: ModuleOp
    options: Options

    specialised: Specialised[Any]
    inputs: cached_property[list[ValueInfo]]

    def lowered(self, stage: Stage, *, capacity: int | None = None) -> ModuleOp: ...
    def changed(self, change: Callable[[ModuleOp], None]) -> Any: ...


ProgramT = TypeVar("ProgramT", bound=Program)


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
        dynamic = [i.name for i in program.inputs if i.is_dynamic]
        if not dynamic or self.takes_every_shape:
            return program, feed
        shapes = {name: feed_shape(feed[name]) for name in dynamic}
        return self._for_shapes(shapes).specialised.program(spread_feed(feed, shapes))

    # -- shapes

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
            error.hint = f"programs for {most} values of {_listed(arrays)} were made, as many as max_specialisations= allows"
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
