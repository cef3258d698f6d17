"""Max-pooling windows that may contain only padding.

The maximum is then -inf, or the least integer, whatever that integer represents.
"""

from __future__ import annotations

from loomir.dialects.ov.facts import Dim, fact_of
from loomir.dialects.ov.operators.pooling import MaxPoolOp, counted
from loomir.dialects.ov.windows import Window


def may_have_empty_windows(op: MaxPoolOp) -> bool:
    """Return True if a window of the maximum may be empty."""
    shape, windows = fact_of(op.data).shape, op.windows()
    extents = [Dim()] * len(windows) if shape is None else shape[2:]
    return any(may_be_empty(window, extent) for window, extent in zip(windows, extents, strict=True))


def may_be_empty(window: Window, extent: Dim) -> bool:
    """Return True if a window over an axis may contain only padding.

    `extent` is the interval of the axis' extent.
    """
    known = extent.static
    if known is not None:
        # (Where the window does not fit there is none.)
        return window.count(known) > 0 and bool(counted(window, known, padding=False).min() < 1)
    if window.is_same:
        # Without dilations each window is next to an element, whatever the extent.
        return window.dilation > 1 or extent.lo < 1
    (begin, end), reach = window.padding(0), window.span - 1
    if begin and (begin > reach or extent.lo < window.dilation):
        return True
    # Does the last window begin behind the input? (Of `ceil_torch` one that does is left out.)
    return end + window.stride > window.span if window.rounding == "ceil" else end > reach
