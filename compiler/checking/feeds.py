"""Seeded inputs for a program in any form.

The module determines the inputs of `main` and generates values for them.

The feeds of a series differ on purpose: branches take both arms, loops run zero times, once and more often, indices are
inside and outside the bounds. Each input draws from a random stream of its own, selected by its name: the values of one
input are independent of those of another. Only dynamic dimensions are the same in all inputs, since they often must
agree.

| | in turn, in an order of the input's own |
|---|---|
| booleans | false, true |
| integers | 0; a small number; an extent of the program or one beside it; -1 or an end of the type or one beside it |
| strings | of `SAMPLE_TEXTS` |
| floats, both parts of complex numbers | normal; in one feed of three some are 0, -0, infinite, NaN, greatest, least, subnormal |
| dynamic dimensions | `DYNAMIC_EXTENTS`; of a bound all of it, half, 1, one less, 0 |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any
from zlib import crc32

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, TensorType, UnrankedTensorType
from xdsl.ir import Attribute

from loomir.compiler.checking.agreement import is_narrow_integer, is_real
from loomir.compiler.checking.engine import has_boundary_form
from loomir.compiler.default_limits import MAX_BYTES
from loomir.compiler.feeds.infos import SAMPLE_TEXTS
from loomir.compiler.feeds.signature import Signature
from loomir.compiler.feeds.states import states_of
from loomir.compiler.limits import check_bytes
from loomir.dialects.element_types import dtype_of
from loomir.dialects.interface import argument_names, arguments_of, main_function
from loomir.dialects.ovseq.types import OptionalType, SequenceType

Feed = dict[str, Any]
"""Values by input name.

They are arrays, lists of arrays (sequences) or None (an absent optional).
"""

DYNAMIC_EXTENTS = (2, 3, 1, 4, 0)
"""Extents of an unbounded dynamic dimension, one per feed in turn.

The extent is the same in all inputs, since they often must agree.
"""
SMALL = (1, 2, 3, 5)
"""Trip counts, positions, switches."""
EXTREME = 3
"""Interval of feeds with extreme floats: one in every `EXTREME`.

Only a pass that changes no results must preserve them.
"""
SHARE = 6
"""One element of so many is extreme there."""
MANY = 1024
"""Larger arrays of integers are data: small numbers."""
MOST_ELEMENTS = 3
"""The longest sequence."""
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
    entries = dict(zip(argument_names(main), arguments_of(main)))
    if has_boundary_form(main):
        return [Source(p.name, p.type, p.bounds, entries[p.name].value) for p in Signature.of(main).inputs]
    initial = {s.name: s.initial for s in states_of(main, MAX_BYTES)}
    return [
        Source(name, argument.type, entry.bounds, entry.value, initial.get(name))
        for (name, entry), argument in zip(entries.items(), main.args)
    ]


def sample_feeds(
    module: ModuleOp, count: int, seed: int = 0, given: Mapping[str, Any] | None = None
) -> list[Feed]:
    """Return `count` feeds for a module.

    `given` holds inputs that are the same in all feeds. Error: `limit-bytes`.

    A feed depends only on the seed and its number: a larger `count` begins with the same feeds.
    """
    sources = sources_of(module)
    extents = _extents_of(sources)
    feeds: list[Feed] = []
    for number in range(count):
        feed = {s.name: _sample(s, Draws(seed, number, s.name, extents)) for s in sources}
        feeds.append({**feed, **{name: value for name, value in (given or {}).items() if name in feed}})
    return feeds


def is_extreme(number: int) -> bool:
    """Return True if the feed with this number has extreme floats."""
    return number % EXTREME == EXTREME - 1


def _extents_of(sources: Sequence[Source]) -> tuple[int, ...]:
    """The extents that inputs have or may have."""
    shapes = [s.type.get_shape() for s in sources if isinstance(s.type, TensorType)]
    found = {e for shape in shapes for e in shape if e != DYNAMIC_INDEX}
    found |= {b for s in sources for b in s.bounds or () if b is not None}
    return tuple(sorted(found)) or (DYNAMIC_EXTENTS[0],)


class Draws:
    """The stream of one input in one feed."""

    def __init__(self, seed: int, number: int, name: str, extents: Sequence[int]) -> None:
        self.number, self.extents = number, extents
        self._key = [seed, crc32(name.encode())]
        self.random = np.random.default_rng([*self._key, number])

    def in_turn(self, count: int) -> int:
        """Return this feed's number out of 0 … count - 1.

        Each number occurs once in `count` feeds; the order is specific to the input.
        """
        order = np.random.default_rng([*self._key, self.number // count, count, 1]).permutation(count)
        return int(order[self.number % count])

    def integers(self, low: int, high: int, shape: Sequence[int]) -> np.ndarray:
        """Return integers of a type with these limits.

        Half of the values in larger arrays are small, because such arrays are data more often than positions.
        """
        edges = sorted({low, low + 1, high - 1, high, -1 if low < 0 else high})
        nearby = sorted({n + d for n in (*self.extents, *(-e for e in self.extents)) for d in (-1, 0, 1)})
        kinds: tuple[Sequence[int], ...] = ((0,), SMALL, nearby, edges)
        size = prod(shape)
        if size == 1:
            chosen = np.full(1, self.in_turn(len(kinds)))
        else:
            chosen = self.random.choice([0, 1, 1, 1, 2, 2] + [3] * is_extreme(self.number), size)
        values = (
            [kinds[k][int(self.random.integers(len(kinds[k])))] for k in chosen] if size <= MANY else None
        )
        if values is None:
            return self.random.integers(max(low, -3), min(high, 4), shape)
        return np.array([min(max(v, low), high) for v in values], object).reshape(shape)

    def floats(self, dtype: np.dtype, shape: Sequence[int]) -> np.ndarray:
        """Normal numbers, and some extreme ones in the feeds that have them."""
        array = np.asarray(self.random.standard_normal(shape)).astype(dtype)
        if not is_extreme(self.number) or not array.size:
            return array
        with np.errstate(all="ignore"):
            limits = ml_dtypes.finfo(dtype)
            special = np.array(
                [0.0, -0.0, limits.max, limits.min, limits.smallest_subnormal, np.inf, -np.inf, np.nan]
            )
            drawn = special[self.random.integers(len(special), size=shape)].astype(dtype)
        return np.where(self.random.integers(SHARE, size=shape) == 0, drawn, array).astype(dtype)


def _sample(source: Source, draws: Draws) -> Any:
    if source.fixed is not None:
        return source.fixed
    if source.initial is not None and draws.number == 0:
        return source.initial
    return _value(source.type, source.bounds, draws)


def _value(type_: Attribute, bounds: Sequence[int | None] | None, draws: Draws) -> Any:
    if isinstance(type_, OptionalType):
        return _value(type_.value, None, draws) if draws.in_turn(2) else None
    if isinstance(type_, SequenceType):
        length = draws.in_turn(MOST_ELEMENTS + 1)
        return [_value(type_.element, None, draws) for _ in range(length)]
    if isinstance(type_, UnrankedTensorType):
        type_ = TensorType(type_.element_type, [DYNAMIC_INDEX] * OPEN_RANK)
    assert isinstance(type_, TensorType), type_
    limits = bounds if bounds is not None else [None] * len(type_.get_shape())
    shape = [
        extent if extent != DYNAMIC_INDEX else _extent(limit, draws.number)
        for extent, limit in zip(type_.get_shape(), limits)
    ]
    check_bytes(type_.element_type, shape, MAX_BYTES)
    return _array(dtype_of(type_.element_type), shape, draws)


def _extent(limit: int | None, number: int) -> int:
    """A dynamic dimension: the largest one first, where there is one."""
    if limit is None:
        return DYNAMIC_EXTENTS[number % len(DYNAMIC_EXTENTS)]
    return (limit, limit // 2, min(limit, 1), max(limit - 1, 0), 0)[number % len(DYNAMIC_EXTENTS)]


def _array(dtype: np.dtype, shape: Sequence[int], draws: Draws) -> np.ndarray:
    single = all(extent == 1 for extent in shape)
    if dtype.kind == "b":
        array = np.full(shape, bool(draws.in_turn(2))) if single else draws.random.integers(0, 2, shape)
    elif is_real(dtype):
        array = draws.floats(dtype, shape)
    elif dtype == np.object_:
        array = np.array(
            [SAMPLE_TEXTS[k] for k in draws.random.integers(0, len(SAMPLE_TEXTS), prod(shape))], object
        ).reshape(shape)
    elif dtype.kind == "c":
        parts = np.dtype(f"f{dtype.itemsize // 2}")
        array = draws.floats(parts, (*shape, 2)).view(dtype)[..., 0]
    elif dtype.kind in "iu":
        limits = np.iinfo(dtype)
        array = draws.integers(int(limits.min), int(limits.max), shape)
    elif is_narrow_integer(dtype):
        limits = ml_dtypes.iinfo(dtype)
        array = draws.integers(int(limits.min), int(limits.max), shape).astype(np.int8)
    else:
        array = draws.random.standard_normal(shape)
    return np.asarray(array).astype(dtype)
