"""Plain steps of random programs, by family.

Each step takes operands that fit, or does nothing if there are none. A step is a function of a `Builder`; `PLAIN`
contains all of them with their weights.
"""

from __future__ import annotations

from collections.abc import Callable

from loomir.tools.fuzz.builder import Builder
from loomir.tools.fuzz.operations import elementwise, extremes, indexing, lanes, moving, reducing, shaping

Step = Callable[[Builder], None]

PLAIN: dict[Step, int] = {
    **elementwise.STEPS,
    **extremes.STEPS,
    **indexing.STEPS,
    **lanes.STEPS,
    **moving.STEPS,
    **reducing.STEPS,
    **shaping.STEPS,
}
"""Every plain step, with its relative frequency."""
