"""Rows about how often loops run: issue 12, trip counts."""

from __future__ import annotations

from simplifications.rows import Row

COUNTED = {"conditions of loops": 0, "unbounded loops": 0}
CONDITIONAL = {"conditions of loops": 1}

ROWS = (
    Row(
        "trips_affine_step", "A `while` over a counter with a constant step is counted.", COUNTED, CONDITIONAL
    ),
    Row(
        "trips_of_the_iteration_number",
        "`i + 1 < 1000` as the condition is a trip count.",
        COUNTED,
        CONDITIONAL,
    ),
    Row("trips_decreasing", "A counter that falls to zero is counted.", COUNTED, CONDITIONAL),
    Row(
        "trips_not_equal",
        "A counter that runs until it is equal to a constant, which it hits, is counted.",
        COUNTED,
        CONDITIONAL,
        {"n": (6, 7)},
    ),
    Row(
        "trips_product",
        "A counter that doubles is counted: the trips are a logarithm.",
        COUNTED,
        CONDITIONAL,
    ),
    Row(
        "trips_bound_of_a_conjunction",
        "Of `k < n` and a condition on data the first bounds the trips.",
        {"unbounded loops": 0},
        {"conditions of loops": 1, "unbounded loops": 1},
    ),
    Row(
        "trips_between_two_inputs",
        "Trips are symbolic in values before the loop: begin and end are inputs.",
        COUNTED,
        CONDITIONAL,
        {"n": (0, 3, 9), "m": (2, 8)},
    ),
    Row(
        "trips_by_evaluation",
        "A counter of constants that no formula fits is evaluated, up to a limit.",
        COUNTED,
        CONDITIONAL,
        {"n": (1, 5, 7)},
    ),
    Row(
        "trips_monotone_function",
        "A monotone function of the iteration number in the condition gives a trip count.",
        COUNTED,
        CONDITIONAL,
    ),
    Row("trips_zero", "A loop of no trips is what it began with.", {"ov.loop": 0}, {"ov.loop": 1}),
    Row(
        "trips_never_begun",
        "A loop whose condition is false before the first trip is what it began with.",
        {"ov.loop": 0},
        {"ov.loop": 1},
    ),
    Row(
        "trips_one",
        "A loop whose condition ends it after the first trip is its body.",
        {"ov.loop": 0},
        {"ov.loop": 1},
    ),
    Row(
        "trips_at_most_one",
        "A loop of one trip at most is an If.",
        {"ov.loop": 0},
        {"ov.loop": 1},
    ),
    Row(
        "trips_give_extents",
        "The trips of a `while` are the extent of what it joins.",
        {"dynamic results": 0},
        {"dynamic results": 1},
        static=True,
    ),
    Row(
        "trips_condition_that_never_ends",
        "A condition that holds as long as the trip count lets the loop run goes.",
        {"conditions of loops": 0},
        CONDITIONAL,
    ),
)
