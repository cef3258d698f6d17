"""The plain steps of random programs by family: each takes operands that fit, or does nothing where there are none.

A step is a function of a `Builder`; `PLAIN` has all of them with their weights.
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
"""Every plain step, and how often it is chosen in proportion to the others."""
