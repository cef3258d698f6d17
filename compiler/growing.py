"""Engines of programs whose buffers have no bound: they start with a capacity, and get a larger one when it does not suffice.

A compiled program has buffers of fixed sizes. Where nothing bounds an extent (a loop that appends until a condition ends it), the
user of emitted C says how large it may become; an engine finds out. A run that needs more stops with `runtime-capacity` before
anything is written beyond its buffer, and is repeated from the beginning by a program of twice the capacity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from xdsl.dialects.builtin import ModuleOp

from loomir.errors import Error
from loomir.passes.analysis.capacity_guards import CAPACITY
from loomir.passes.analysis.inference.capacity import MAX_EXTENT

START_CAPACITY = 64
"""What an engine tries first; small, for an extent may occur in a product."""

MAX_CAPACITY = 1 << 20
"""Unless the user says otherwise."""

NEEDS_CAPACITY = {"unbounded-shape", "unbounded-trips"}
"""Errors of the lowering that a capacity mends."""

Result = TypeVar("Result")


class Growing(Generic[Result]):
    """Runs a program that is built for a capacity, and builds it for larger ones as they are needed.

    `build(capacity)` gives the program and what runs it; None is no capacity, which suffices for most. `grown` counts how often a
    run had to be repeated.
    """

    def __init__(
        self,
        build: Callable[[int | None], tuple[ModuleOp, Callable[[Mapping], Result]]],
        max_capacity: int = MAX_CAPACITY,
    ) -> None:
        self._make = build
        self._max = min(max_capacity, MAX_EXTENT)
        self.capacity: int | None = None
        self.grown = 0
        try:
            self._built = build(None)
        except Error as error:
            if error.identifier not in NEEDS_CAPACITY or max_capacity < 1:
                raise
            self.capacity = min(START_CAPACITY, max_capacity)
            self._built = build(self.capacity)

    def __call__(self, feed: Mapping) -> Result:
        """Run it. The next call begins with the capacity that sufficed for this one."""
        while True:
            try:
                return self._built[1](feed)
            except Error as error:
                # A program in which nothing has the capacity for a bound would be the same with another one.
                if error.identifier != "runtime-capacity" or CAPACITY not in self._built[0].attributes:
                    raise
                self._grow(error)

    def _grow(self, error: Error) -> None:
        assert self.capacity is not None
        larger = min(2 * self.capacity, self._max)
        if larger > self.capacity:
            try:
                self._built = self._make(larger)
            except Error as refusal:
                if refusal.identifier != "limit-bytes":
                    raise
                raise Error(
                    "runtime-capacity",
                    f"a tensor grows beyond an extent of {self.capacity}, and with {larger} {refusal.what}",
                    layer=error.where.layer,
                    hint="allow more memory with --max-bytes (max_bytes= in Python) if that is meant",
                ) from None
            self.capacity = larger
            self.grown += 1
            return
        raise Error(
            "runtime-capacity",
            f"a tensor grows beyond an extent of {self.capacity}, the largest capacity allowed",
            layer=error.where.layer,
            hint="allow more with --max-capacity (max_capacity= in Python), or look for a loop that does not end",
        ) from None
