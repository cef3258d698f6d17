"""Engines that increase the capacity of unbounded buffers on demand.

A compiled program has buffers of fixed sizes. If an extent has no bound (a loop that appends until a condition ends
it), the user of emitted C specifies how large it may become; an engine finds out. A run that needs more stops with
`runtime-capacity` before anything is written beyond its buffer, and is repeated from the beginning by a program of
twice the capacity. If the capacity may not grow any more, the run ends with `limit-bytes`, as in the graph engine,
which stores the tensors themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Generic, TypeVar

from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.default_limits import MAX_CAPACITY
from loomir.errors import Error
from loomir.passes.analysis.bounds import CAPACITY
from loomir.passes.analysis.inference.capacity import MAX_EXTENT

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
                        hint="allow more memory with --max-bytes (max_bytes= in Python) if that is meant",
                    ) from None
                return self.now
        raise Error(
            "limit-bytes",
            f"a tensor grows beyond an extent of {sized.capacity}, the largest capacity allowed",
            layer=error.where.layer,
            hint="allow more with --max-capacity (max_capacity= in Python), or look for a loop that does not end",
        ) from None
