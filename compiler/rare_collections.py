"""Rare garbage collections during a compilation.

A program is one web of references that is alive until the compilation ends. By default Python scans it after every 700 to 2,000
allocated objects, which takes a quarter of a compilation's time (`benchmarks/compile.py`).
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

ALLOCATIONS = 1_000_000
"""Allocated objects between two collections of the youngest generation."""

_lock = RLock()
_compilations = 0
_before = 0


@contextmanager
def rare_collections() -> Iterator[None]:
    """Collect garbage less often until the last concurrent compilation ends."""
    global _compilations, _before
    with _lock:
        if not _compilations:
            _before, *others = gc.get_threshold()
            # A caller that has switched collections off, or made them rarer, is left alone.
            gc.set_threshold(max(_before, ALLOCATIONS) if _before else 0, *others)
        _compilations += 1
    try:
        yield
    finally:
        with _lock:
            _compilations -= 1
            if not _compilations:
                gc.set_threshold(_before, *gc.get_threshold()[1:])
