"""Quantised tensors that a pass computes with integers.

Each is associated with the value of the program before the pass that it represents.

They are reported to a listener, as remarks are, so that `--check-each-pass` can inspect the tensors one by one.
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
    """Correspondence of integers to a value of the program before the pass.

    `value` is scale · (`integers` − zero), up to one step; scale and zero broadcast to it.
    """

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
    """Report that a pass computes a value with these integers.

    The integers have 8 or 16 bits.
    """
    listener = _listener.get()
    if listener is not None:
        listener(QuantisedTensor(value, integers, scale.astype(np.float64), zero.astype(np.float64)))
