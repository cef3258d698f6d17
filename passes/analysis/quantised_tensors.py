"""Quantised tensors that a pass computes with integers: which value of the program before it each of them stands for.

Told to whoever listens, as remarks are, so that `--check-each-pass` can look at one tensor after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np
from xdsl.ir import SSAValue


@dataclass(frozen=True)
class QuantisedTensor:
    """`value`, of the program before the pass, is scale · (`integers` − zero), but for one step; scale and zero broadcast to it."""

    value: SSAValue
    integers: SSAValue
    scale: np.ndarray
    zero: np.ndarray


Listener = Callable[[QuantisedTensor], None]

_listener: ContextVar[Listener | None] = ContextVar("listener_of_quantised_tensors", default=None)


@contextmanager
def told_of_quantised_tensors(listener: Listener) -> Iterator[None]:
    """While a pass runs."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def tell_of_quantised_tensor(
    value: SSAValue, integers: SSAValue, scale: np.ndarray, zero: np.ndarray
) -> None:
    """A pass computes a value with these integers, of 8 or 16 bits."""
    listener = _listener.get()
    if listener is not None:
        listener(QuantisedTensor(value, integers, scale.astype(np.float64), zero.astype(np.float64)))
