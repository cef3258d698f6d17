"""Inputs and outputs of a call: descriptions for users, and checks.

They are read from `main`, checked, fitted, spread and packed.

Inputs and outputs are tensors, sequences and optionals. A sequence is a list of arrays, an absent optional is `None`,
an optional with a value is the value. At the call of a program in any form, every input has a value that it accepts, and there
are no other values.

Below GRAPH, sequences and optionals are tensors (see `convert-ovseq-to-ov`). A list of arrays is `x/data` and, unless the
elements' shapes are all alike, `x/shapes`; an optional is `x/has` and its value. `loomir.of` and `loomir.part` on the arguments
and results of `main` group the tensors that belong together.

States of a model are inputs that the caller receives as same-named outputs and passes in again. An importer marks both with
`loomir.state` (the variable's own name) and the input with `loomir.initial`, the contents before the first call, unless these
are zeros. Below GRAPH, and in C, a state is an ordinary input and output.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from types import MappingProxyType
from typing import Any

import numpy as np
from xdsl.dialects.builtin import MemRefType, ModuleOp, TensorType, UnrankedTensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from loomir.compiler.feeds.values import fed_array
from loomir.compiler.limits import check_bytes
from loomir.dialects.element_types import dtype_name, dtype_of, zeros_of_element
from loomir.dialects.interface import (
    Entry,
    Quantisation,
    argument_names,
    arguments_of,
    main_function,
    results_of,
)
from loomir.dialects.ovseq.types import GraphValue, OptionalType, SequenceType
from loomir.errors import Error, shown

Bounds = tuple[int | None, ...] | None

NOTHING = Entry()

SAMPLE_TEXTS = ("", "a", "b", "ab", "Ω", "a b")
"""Strings that occur in samples."""


@dataclass(frozen=True)
class TensorInfo:
    """Tensor input or output.

    `shape` contains None for a dynamic extent, and is None if the rank is unknown.

    `max_shape` contains the largest extents of an input with bounds, and None for a dynamic dimension without one.
    """

    name: str
    dtype: np.dtype
    shape: tuple[int | None, ...] | None
    max_shape: Bounds = None
    quantisation: Quantisation | None = None
    """For which real numbers its integers stand."""

    @staticmethod
    def of(name: str, type_: Attribute, entry: Entry = NOTHING) -> TensorInfo:
        """Create the description from a GRAPH tensor type and its entry.

        The entry holds the properties of the argument or result.
        """
        assert isinstance(type_, TensorType | UnrankedTensorType)
        dtype = dtype_of(type_.element_type)
        if isinstance(type_, UnrankedTensorType):
            return TensorInfo(name, dtype, None)
        shape = tuple(None if e < 0 else e for e in type_.get_shape())
        return TensorInfo(name, dtype, shape, entry.bounds, entry.quantisation)

    @property
    def is_dynamic(self) -> bool:
        """True if the type leaves something open that a value decides."""
        return self.shape is None or None in self.shape

    @property
    def bounded(self) -> bool:
        """True if every extent is static or has an upper bound."""
        if self.shape is None:
            return False
        return all(e is not None or b is not None for e, b in zip(self.shape, self._bounds))

    @property
    def _bounds(self) -> tuple[int | None, ...]:
        return self.max_shape or (None,) * len(self.shape or ())

    def accepts(self, shape: Sequence[int]) -> bool:
        """Return True if an array of this shape may be fed."""
        if self.shape is None:
            return True
        return len(shape) == len(self.shape) and all(
            e in (None, x) and (b is None or x <= b) for e, b, x in zip(self.shape, self._bounds, shape)
        )

    def fitted(self, given: object) -> np.ndarray:
        """Return a fed value as an array of the right dtype.

        Errors: `input-dtype`, `input-shape`, `input-sequence`.
        """
        if given is None:
            raise Error("input-sequence", f"input '{self}' is a tensor, and was given None")
        try:
            value = fed_array(self.name, self.type_text, self.dtype, given)
        except Error as error:
            if self.quantisation is not None and error.identifier == "input-dtype":
                how = "quantisation.integers(array, dtype) of this input converts floats"
                error.hint = f"each q stands for {self.quantisation}: {how}"
            raise
        if not self.accepts(value.shape):
            what = f"input '{self.name}' has shape {list(value.shape)}"
            raise Error("input-shape", f"{what}, but the model takes {self.type_text}")
        return value

    @property
    def type_text(self) -> str:
        """The type as a user reads it."""
        if self.shape is None:
            return f"{dtype_name(self.dtype)}[…]"
        extents = (
            str(e) if e is not None else "?" if b is None else f"≤{b}"
            for e, b in zip(self.shape, self._bounds)
        )
        return f"{dtype_name(self.dtype)}[{','.join(extents)}]"

    def __str__(self) -> str:
        stands_for = "" if self.quantisation is None else f", stands for {self.quantisation}"
        return f"{self.name}: {self.type_text}{stands_for}"


@dataclass(frozen=True)
class SequenceInfo:
    """Input or output that is a list of arrays.

    `element` describes each of the arrays.
    """

    name: str
    element: TensorInfo

    is_dynamic = True
    bounded = False

    @property
    def dtype(self) -> np.dtype:
        """The dtype of the arrays."""
        return self.element.dtype

    def fitted(self, given: object) -> list[np.ndarray]:
        """Return a fed value as a list of arrays.

        The arrays have the right dtype. Errors: `input-sequence`, and those of a tensor.
        """
        if not isinstance(given, list | tuple):
            raise Error(
                "input-sequence",
                f"input '{self}' was given {_kind(given)}",
                hint="a sequence is fed as a list of arrays",
            )
        made: list[np.ndarray] = []
        for index, array in enumerate(given):
            element = self.element
            element = TensorInfo(f"{self.name}/{index}", element.dtype, element.shape, element.max_shape)
            made.append(element.fitted(array))
        return made

    @property
    def type_text(self) -> str:
        """The type as a user reads it."""
        return f"sequence of {self.element.type_text}"

    def __str__(self) -> str:
        return f"{self.name}: {self.type_text}"


@dataclass(frozen=True)
class OptionalInfo:
    """Input or output that may be `None`.

    `value` describes it otherwise.
    """

    name: str
    value: TensorInfo | SequenceInfo

    is_dynamic = True
    bounded = False

    @property
    def dtype(self) -> np.dtype:
        """The dtype of the arrays."""
        return self.value.dtype

    def fitted(self, given: object) -> GraphValue:
        """Return a fed value, fitted by `value`, or None."""
        return None if given is None else self.value.fitted(given)

    @property
    def type_text(self) -> str:
        """The type as a user reads it."""
        return f"optional {self.value.type_text}"

    def __str__(self) -> str:
        return f"{self.name}: {self.type_text}"


ValueInfo = TensorInfo | SequenceInfo | OptionalInfo


def info_of(name: str, type_: Attribute, entry: Entry = NOTHING) -> ValueInfo:
    """Create the description from a GRAPH type and its entry.

    The entry holds the properties of the argument or result.
    """
    if isinstance(type_, SequenceType):
        return SequenceInfo(name, TensorInfo.of(name, type_.element))
    if isinstance(type_, OptionalType):
        value = info_of(name, type_.value)
        assert not isinstance(value, OptionalInfo)
        return OptionalInfo(name, value)
    return TensorInfo.of(name, type_, entry)


def _kind(value: object) -> str:
    return "an array" if isinstance(value, np.ndarray) else type(value).__name__


class CheckedFeed(dict[str, GraphValue]):
    """Checked feed: values of the right dtypes and shapes, in input order.

    `out` has arrays of the caller's for tensors among the outputs, by name: they have the dtype and the shape of the output, share no
    memory with an input or each other, and are C-contiguous. An engine may write an output there, and then returns this very array.
    """

    out: Mapping[str, np.ndarray] = MappingProxyType({})


class FeedChecker:
    """Check of the feeds of one program.

    Everything that does not depend on a feed is computed once. `given` has values of inputs that may be left out.
    """

    def __init__(self, inputs: Sequence[ValueInfo], given: Mapping[str, GraphValue] | None = None) -> None:
        self._inputs = {info.name: info for info in inputs}
        self._given = given or {}
        # An array of exactly this dtype and shape is fed as it is. (Each string of an array is looked at.)
        self._exact = {
            info.name: (info.dtype, info.shape)
            for info in inputs
            if isinstance(info, TensorInfo) and not info.is_dynamic and info.dtype != np.object_
        }

    def __call__(self, feed: object) -> CheckedFeed:
        """Check a feed and return its values as the inputs take them.

        A feed that was already checked is not checked again: a Model passes it to its engines. Errors: `input-missing`,
        `input-unknown`, `input-dtype`, `input-shape`, `input-sequence`.
        """
        if isinstance(feed, CheckedFeed):
            return feed
        if not isinstance(feed, Mapping):
            hint = "a feed is a dict from names of inputs to arrays"
            raise Error("input-missing", f"the feed is {shown(feed)}", hint=hint)
        for name in feed:
            if name not in self._inputs:
                hint = f"its inputs: {', '.join(map(str, self._inputs.values())) or 'none'}"
                raise Error("input-unknown", f"the model has no input {shown(name)}", hint=hint)
        values = CheckedFeed()
        for name, info in self._inputs.items():
            if name in feed:
                value = feed[name]
                fits = type(value) is np.ndarray and (value.dtype, value.shape) == self._exact.get(name)
                values[name] = value if fits else info.fitted(value)
            elif name in self._given:
                values[name] = self._given[name]
            else:
                raise Error("input-missing", f"no value for input '{name}'", hint=f"it is {info}")
        return values


@dataclass(frozen=True, eq=False)
class StateInfo:
    """State of a model.

    It has the name of its input and output, the model's variable, and the contents before the first call.
    """

    name: str
    variable: str
    initial: np.ndarray


def states_of(function: FuncOp, max_bytes: int) -> list[StateInfo]:
    """Return the states of `main` in any stage, in argument order.

    Error: `limit-bytes`.
    """
    found: list[StateInfo] = []
    for name, argument, entry in zip(argument_names(function), function.args, arguments_of(function)):
        if entry.state is None or entry.role == "output":
            continue
        array = entry.initial
        if array is None or array.size == 0:
            # It has no extents of its own: those that the caller gave the input count.
            array = _zeros(entry.type or argument.type, max_bytes)
        # It is fed wherever the state is left out, and must stay what it is.
        array = array.view()
        array.flags.writeable = False
        found.append(StateInfo(name, entry.state, array))
    return found


def _zeros(type_: Attribute, max_bytes: int) -> np.ndarray:
    """Return a tensor of zeros, or a scalar below GRAPH.

    Dynamic dimensions have extent 0.
    """
    shaped = isinstance(type_, TensorType | MemRefType)
    shape = [max(e, 0) for e in type_.get_shape()] if shaped else []
    element = type_.element_type if shaped or isinstance(type_, UnrankedTensorType) else type_
    check_bytes(element, shape, max_bytes)
    return zeros_of_element(shape, element)


@dataclass(frozen=True)
class Boundary:
    """Tensors of a program's sequence and optional outputs.

    The mapping is output name → part → tensor name.
    """

    outputs: Mapping[str, Mapping[str, str]]

    @staticmethod
    def of(program: ModuleOp) -> Boundary:
        """Read the attributes of `main`, in any stage without `seq`."""
        function = main_function(program)
        outputs: dict[str, dict[str, str]] = {}
        buffers = [e for e in arguments_of(function) if e.role == "output"]
        for entry in (*buffers, *results_of(function)):
            if entry.part is not None and entry.name is not None:
                owner, part = entry.part
                outputs.setdefault(owner, {})[part] = entry.name
        return Boundary(outputs)

    def assemble(self, tensors: Mapping[str, np.ndarray]) -> dict[str, Any]:
        """Return the outputs as the user sees them.

        These are lists, None, and unchanged tensors.
        """
        if not self.outputs:
            return dict(tensors)
        parts = {name for group in self.outputs.values() for name in group.values()}
        made: dict[str, Any] = {n: t for n, t in tensors.items() if n not in parts}
        for owner, group in self.outputs.items():
            made[owner] = _value({part: tensors[name] for part, name in group.items()})
        return made


def assembled_infos(outputs: Sequence[tuple[ValueInfo, tuple[str, str] | None]]) -> list[ValueInfo]:
    """Return the user's descriptions of outputs.

    An output comes with its part if it belongs to a sequence, an optional or a tensor of unknown rank.
    """
    found: dict[str, ValueInfo] = {}
    groups: dict[str, dict[str, TensorInfo]] = {}
    for info, part in outputs:
        if part is None or not isinstance(info, TensorInfo):
            found[info.name] = info
            continue
        group = groups.setdefault(part[0], {})
        group[part[1]] = info
        found[part[0]] = _info(part[0], group)
    return list(found.values())


def _info(name: str, parts: Mapping[str, TensorInfo]) -> ValueInfo:
    if "flat" in parts:
        return TensorInfo(name, parts["flat"].dtype, None)
    if "data" in parts:
        shape = parts["data"].shape
        value: TensorInfo | SequenceInfo = SequenceInfo(
            name, TensorInfo(name, parts["data"].dtype, None if shape is None else shape[1:])
        )
    elif "slots" in parts:
        value = SequenceInfo(name, TensorInfo(name, parts["slots"].dtype, None))
    else:
        held = next(parts[part] for part in ("value", *parts) if part in parts)
        value = TensorInfo(name, held.dtype, held.shape, quantisation=held.quantisation)
    return OptionalInfo(name, value) if "has" in parts else value


def assembling(
    program: ModuleOp, engine: Callable[[Mapping[str, Any]], dict[str, np.ndarray]]
) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """An engine that gives what the user sees of the program's outputs."""
    boundary = Boundary.of(program)
    if not boundary.outputs:
        return engine
    return lambda feed: boundary.assemble(engine(feed))


def _value(parts: Mapping[str, np.ndarray]) -> GraphValue:
    if "has" in parts and not bool(parts["has"]):
        return None
    if "value" in parts:
        return parts["value"]
    if "flat" in parts:
        return parts["flat"].reshape(parts["extents"])
    if "data" in parts:
        # Elements of their own: the buffer they are in is nobody's business.
        return [np.array(element) for element in parts["data"]]
    slots, extents = parts["slots"], parts["shapes"].tolist()
    if "ranks" in parts:
        extents = [shape[:rank] for shape, rank in zip(extents, parts["ranks"].tolist())]
    return [slot[: prod(shape)].reshape(shape) for slot, shape in zip(slots, extents)]
