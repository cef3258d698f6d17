"""Rows about loops that sum, compare or multiply slices: issue 46, reductions.

Integers wrap, and maxima, minima and booleans are exact: they can be grouped as one likes. Sums of floats cannot.
"""

from __future__ import annotations

from simplifications.rows import Row

LOOP, NO_LOOP = {"ov.loop": 1}, {"ov.loop": 0}
REASSOCIATING = "ov-loop-reassociate"

ROWS = (
    Row("reduction_sum_of_integers", "Slices of integers that are added are a ReduceSum.", NO_LOOP, LOOP),
    Row(
        "reduction_sum_that_wraps",
        "A sum that wraps in its type is a ReduceSum that wraps.",
        NO_LOOP,
        LOOP,
    ),
    Row(
        "reduction_sum_of_the_first",
        "A sum of as many rows as the run says is the sum of a slice.",
        NO_LOOP,
        LOOP,
        {"n": (0, 1, 5, 200)},
    ),
    Row("reduction_maximum", "The maximum of slices, NaNs and all, is a ReduceMax.", NO_LOOP, LOOP),
    Row("reduction_minimum", "The minimum of slices is a ReduceMin.", NO_LOOP, LOOP),
    Row(
        "reduction_product_of_integers",
        "Slices of integers that are multiplied are a ReduceProd, which wraps.",
        NO_LOOP,
        LOOP,
    ),
    Row("reduction_all", "A conjunction of slices is a ReduceLogicalAnd.", NO_LOOP, LOOP),
    Row("reduction_any", "A disjunction of comparisons of slices is a ReduceLogicalOr.", NO_LOOP, LOOP),
    Row("reduction_count", "A count of the slices that are greater is a sum of booleans.", NO_LOOP, LOOP),
    Row(
        "reduction_sum_of_products",
        "A sum of products of two inputs' slices is a product and a ReduceSum.",
        NO_LOOP,
        LOOP,
    ),
    Row("reduction_prefix_sums", "Sums of integers that are joined are a CumSum.", NO_LOOP, LOOP),
    Row(
        "reduction_prefix_sums_before_each",
        "Sums that are joined before the part is added are an exclusive CumSum.",
        NO_LOOP,
        LOOP,
    ),
    Row(
        "reduction_prefix_sums_from_the_end",
        "Sums over slices from the end to the beginning are a CumSum of the reversed input.",
        NO_LOOP,
        LOOP,
    ),
    Row(
        "reduction_float_sum_on_request",
        "Floats that are added are a ReduceSum where another order is allowed.",
        NO_LOOP,
        LOOP,
        passes=REASSOCIATING,
    ),
    Row(
        "reduction_float_prefix_sums_on_request",
        "Sums of floats that are joined are a CumSum where another order is allowed.",
        NO_LOOP,
        LOOP,
        passes=REASSOCIATING,
    ),
    Row(
        "recurrence_linear_on_request",
        "A linear recurrence of floats runs in blocks, side by side, where another order is allowed.",
        {"iterations in %": 30},
        LOOP,
        passes=REASSOCIATING,
        tolerance=1e-6,
    ),
)
