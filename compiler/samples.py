"""Seeded sample inputs, for trying a model out."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from loomir.compiler.limits import check_bytes
from loomir.dialects.element_types import element_of
from loomir.errors import Error

if TYPE_CHECKING:
    from loomir.compiler.model import Model


def random_feed(model: Model, seed: int = 0, without: Collection[str] = ()) -> dict[str, np.ndarray]:
    """An array for each input but the states: floats normal, integers 0 … 3, booleans either; open extents become 1.

    Errors: `limit-bytes`; `dynamic-input` for an input of unknown rank.
    """
    rng = np.random.default_rng(seed)
    feed: dict[str, np.ndarray] = {}
    # A state that is not fed is what it is before the first call.
    left_out = {*without, *(s.name for s in model.states)}
    for info in model.inputs:
        if info.name in left_out:
            continue
        if info.shape is None:
            raise Error(
                "dynamic-input", f"input '{info.name}' has no known rank", hint=f"give --shape {info.name}=…"
            )
        shape = tuple(1 if e is None else e for e in info.shape)
        try:
            check_bytes(element_of(info.dtype), shape, model.max_bytes)
        except Error as error:
            raise error.at(layer=info.name, op="input") from None
        if info.dtype == np.bool_:
            feed[info.name] = rng.integers(0, 2, shape).astype(np.bool_)
        elif info.dtype.kind in "iu":
            feed[info.name] = rng.integers(0, 4, shape).astype(info.dtype)
        else:
            feed[info.name] = np.asarray(rng.standard_normal(shape)).astype(info.dtype)
    return feed
