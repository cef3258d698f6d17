"""Seeded sample inputs, for trying a model out."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from loomir.compiler.feeds import SAMPLE_TEXTS, OptionalInfo, SequenceInfo, TensorInfo, ValueInfo
from loomir.compiler.limits import check_bytes
from loomir.compiler.options import integer
from loomir.dialects.element_types import element_of
from loomir.errors import Error

if TYPE_CHECKING:
    from loomir.compiler.model import Model


SEQUENCE_LENGTH = 2
"""How many elements a sample of a sequence has."""


def random_feed(model: Model, seed: int = 0, without: Collection[str] = ()) -> dict[str, Any]:
    """Return a random value for each input except the states.

    Floats are normally distributed, integers are 0 … 3, booleans are either value, strings are sample texts; dynamic dimensions
    become 1.

    A sequence has `SEQUENCE_LENGTH` elements (of one dimension if the rank is unknown), an optional has a value. Errors:
    `limit-bytes`; `dynamic-input` for a tensor of unknown rank; `bad-option`.
    """
    seed = integer("seed", seed)
    # A state that is not fed is what it is before the first call.
    left_out = {*without, *(s.name for s in model.states)}
    # Each input has a stream of its own: what one is says nothing about another.
    return {
        info.name: _sample(info, np.random.default_rng([seed, crc32(info.name.encode())]), model)
        for info in model.inputs
        if info.name not in left_out
    }


def _sample(info: ValueInfo, rng: np.random.Generator, model: Model) -> np.ndarray | list[np.ndarray]:
    if isinstance(info, OptionalInfo):
        return _sample(info.value, rng, model)
    if isinstance(info, SequenceInfo):
        element = info.element
        if element.shape is None:
            element = replace(element, shape=(1,))
        return [_tensor(element, rng, model) for _ in range(SEQUENCE_LENGTH)]
    return _tensor(info, rng, model)


def _tensor(info: TensorInfo, rng: np.random.Generator, model: Model) -> np.ndarray:
    if info.shape is None:
        raise Error(
            "dynamic-input", f"input '{info.name}' has no known rank", hint=f"give --shape {info.name}=…"
        )
    shape = tuple(1 if e is None else e for e in info.shape)
    try:
        check_bytes(element_of(info.dtype), shape, model.options.max_bytes)
    except Error as error:
        raise error.at(layer=info.name, op="input") from None
    if info.dtype == np.bool_:
        return rng.integers(0, 2, shape).astype(np.bool_)
    if info.dtype.kind in "iu":
        return rng.integers(0, 4, shape).astype(info.dtype)
    if info.dtype == np.object_:
        return np.array(
            [SAMPLE_TEXTS[k] for k in rng.integers(0, len(SAMPLE_TEXTS), prod(shape))], object
        ).reshape(shape)
    if info.dtype.kind == "c":
        return np.asarray(rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(info.dtype)
    return np.asarray(rng.standard_normal(shape)).astype(info.dtype)
