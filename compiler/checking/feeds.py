"""Seeded inputs for a program in any form: what its `main` takes, and values for it.

The feeds of a series differ on purpose: extents that stay open, small integers of either sign, and both booleans take turns, so
that branches go both ways and loops run not at all, once and more often.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, TensorType, UnrankedTensorType
from xdsl.ir import Attribute

from loomir.compiler.checking.agreement import is_real
from loomir.compiler.checking.engine import has_boundary_form
from loomir.compiler.limits import MAX_BYTES, check_bytes
from loomir.compiler.signature import Signature
from loomir.compiler.specialise import main_function, tensor_names
from loomir.compiler.states import states_of
from loomir.dialects.blob import constant_array
from loomir.dialects.element_types import dtype_of, element_of, is_unsigned
from loomir.dialects.seq.types import OptionalType, SequenceType
from loomir.passes.analysis.inference.arguments import declared_bounds

Feed = dict[str, Any]
"""Values by the names of inputs: arrays, lists of them (sequences), None (an absent optional)."""

OPEN_EXTENTS = (2, 3, 1, 4, 0)
"""What an extent without bound is, feed after feed: the same in all inputs, since they often must agree."""
COUNTS = (2, 0, 1, -1, 5)
"""What an integer of rank 0 (or one element) is, feed after feed: it is a trip count or a switch more often than data."""
OPEN_RANK = 2
"""The rank of an input that has none."""


@dataclass(frozen=True)
class Source:
    """One input of a program.

    - `type` is the tensor, sequence or optional as the user sees it;
    - `bounds` are the largest extents of its dynamic dimensions, where they have any;
    - `fixed` is the only value that it takes, `initial` the one that a state has before the first call.
    """

    name: str
    type: Attribute
    bounds: tuple[int | None, ...] | None = None
    fixed: np.ndarray | None = None
    initial: np.ndarray | None = None


def sources_of(module: ModuleOp) -> list[Source]:
    """The inputs of a module in any form."""
    main = main_function(module)
    entries = main.arg_attrs.data if main.arg_attrs is not None else ()
    fixed = {
        name: constant_array(entry.data["loomir.value"])
        for name, entry in zip(tensor_names(main), entries)
        if "loomir.value" in entry.data
    }
    if has_boundary_form(main):
        return [Source(p.name, p.type, p.bounds, fixed.get(p.name)) for p in Signature.of(main).inputs]
    initial = {s.name: s.initial for s in states_of(main, MAX_BYTES)}
    return [
        Source(name, argument.type, declared_bounds(main, argument.index), fixed.get(name), initial.get(name))
        for name, argument in zip(tensor_names(main), main.args)
    ]


def sample_feeds(
    module: ModuleOp, count: int, seed: int = 0, given: Mapping[str, Any] | None = None
) -> list[Feed]:
    """`count` feeds for a module; `given` holds inputs that are the same in all of them. Error: `limit-bytes`."""
    sources = sources_of(module)
    feeds: list[Feed] = []
    for number in range(count):
        random = np.random.default_rng([seed, number])
        feed = {s.name: _sample(s, number, position, random) for position, s in enumerate(sources)}
        feeds.append({**feed, **{name: value for name, value in (given or {}).items() if name in feed}})
    return feeds


def _sample(source: Source, number: int, position: int, random: np.random.Generator) -> Any:
    if source.fixed is not None:
        return source.fixed
    if source.initial is not None and number == 0:
        return source.initial
    return _value(source.type, source.bounds, number, position, random)


def _value(
    type_: Attribute,
    bounds: Sequence[int | None] | None,
    number: int,
    position: int,
    random: np.random.Generator,
) -> Any:
    if isinstance(type_, OptionalType):
        present = (number + position) % 2 == 0
        return _value(type_.value, None, number, position, random) if present else None
    if isinstance(type_, SequenceType):
        length = max(0, COUNTS[number % len(COUNTS)])
        return [_value(type_.element, None, number, position, random) for _ in range(length)]
    if isinstance(type_, UnrankedTensorType):
        type_ = TensorType(type_.element_type, [DYNAMIC_INDEX] * OPEN_RANK)
    assert isinstance(type_, TensorType), type_
    limits = bounds if bounds is not None else [None] * len(type_.get_shape())
    shape = [
        extent if extent != DYNAMIC_INDEX else _extent(limit, number)
        for extent, limit in zip(type_.get_shape(), limits)
    ]
    check_bytes(type_.element_type, shape, MAX_BYTES)
    return _array(dtype_of(type_.element_type), shape, number, position, random)


def _extent(limit: int | None, number: int) -> int:
    """An open extent: the largest one first, where there is one."""
    if limit is None:
        return OPEN_EXTENTS[number % len(OPEN_EXTENTS)]
    return (limit, limit // 2, min(limit, 1), max(limit - 1, 0), 0)[number % len(OPEN_EXTENTS)]


def _array(
    dtype: np.dtype, shape: Sequence[int], number: int, position: int, random: np.random.Generator
) -> np.ndarray:
    single = all(extent == 1 for extent in shape)
    if dtype.kind == "b":
        # The first two inputs see all four combinations within four feeds.
        array = (
            np.full(shape, (number >> (position % 2)) % 2 == 0) if single else random.integers(0, 2, shape)
        )
    elif is_real(dtype):
        array = random.standard_normal(shape)
    else:
        low, high = (0, 4) if number % 2 == 0 else (-3, 4)
        array = (
            np.full(shape, COUNTS[(number + position) % len(COUNTS)])
            if single
            else random.integers(low, high, shape)
        )
        if is_unsigned(element_of(dtype)):
            array = np.abs(array)
    return np.asarray(array).astype(dtype)
