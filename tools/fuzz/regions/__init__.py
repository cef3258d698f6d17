"""Branches and loops of random programs.

Each step is a function of a `Stepper`, whose `steps` fills the regions.
"""

from __future__ import annotations

from collections.abc import Callable

from loomir.tools.fuzz.regions import branches, iterators, loops, ranks, scans
from loomir.tools.fuzz.stepper import Stepper

REGIONS: dict[Callable[[Stepper], None], int] = {
    loops.loop: 6,
    branches.if_: 3,
    ranks.rank_changing_if: 1,
    ranks.rank_changing_loop: 1,
    ranks.shape_of_any_length: 1,
    ranks.element_loop: 1,
    branches.faulty_if: 1,
    scans.scan: 2,
    iterators.iterator: 2,
}
"""Every step with regions, with its relative frequency."""
