"""Engines of programs whose buffers have no bound: they start with a capacity, and get a larger one when it does not suffice.

A compiled program has buffers of fixed sizes. Where nothing bounds an extent (a loop that appends until a condition ends it), the
user of emitted C says how large it may become; an engine finds out. A run that needs more stops with `runtime-capacity` before
anything is written beyond its buffer, and is repeated from the beginning by a program of twice the capacity. Where that may not
grow any more, the run ends with `limit-bytes`, as in the graph engine, which has the tensors themselves.
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
"""What an engine tries first; small, for an extent may occur in a product."""

NEEDS_CAPACITY = {"unbounded-shape", "unbounded-trips"}
"""Errors of the lowering that a capacity mends."""

Result = TypeVar("Result")


@dataclass(frozen=True)
class Sized(Generic[Result]):
    """A program for a capacity (None: it needs none), and what runs it."""

    capacity: int | None
    program: ModuleOp
    run: Callable[[Mapping], Result]


class Growing(Generic[Result]):
    """Runs a program that is built for a capacity, and builds it for larger ones as they are needed.

    `build(capacity)` gives the program and what runs it; None is no capacity, which suffices for most. `now` is what the next call
    begins with. Several threads may call at once: a call goes on with the program that it has, and the first that needs more builds
    it for all.
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
        """Run it. The next call begins with the capacity that sufficed for this one."""
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
        """A program of a larger capacity than this one, which did not suffice."""
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
