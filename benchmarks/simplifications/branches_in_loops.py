"""Rows about branches that each trip of a loop meets: issue 46, branches in loops."""

from __future__ import annotations

from simplifications.rows import Row

BRANCH = {"ov.if in ov.loop": 1}
NO_BRANCH = {"ov.if in ov.loop": 0, "ov.select in ov.loop": 0}

ROWS = (
    Row(
        "unswitch_invariant_condition",
        "A branch whose condition is from outside chooses between two loops.",
        NO_BRANCH,
        BRANCH,
    ),
    Row(
        "unswitch_invariant_comparison",
        "A branch on a comparison of values from outside chooses between two loops.",
        NO_BRANCH,
        BRANCH,
    ),
    Row(
        "unswitch_part_of_a_conjunction",
        "`if c and f(v)` is a loop with `if f(v)` where `c`, and one without a branch where not.",
        {"ov.logical_and in ov.loop": 0, "ov.if in ov.loop": 1, "ov.select in ov.loop": 0},
        {"ov.logical_and": 1, **BRANCH},
    ),
    Row(
        "unswitch_part_of_a_disjunction",
        "`if c or f(v)` is a loop without a branch where `c`, and one with `if f(v)` where not.",
        {"ov.logical_or in ov.loop": 0, "ov.if in ov.loop": 1, "ov.select in ov.loop": 0},
        {"ov.logical_or": 1, **BRANCH},
    ),
    Row(
        "split_at_a_constant",
        "`if i < 5` is a loop of the first five trips, and one of the others.",
        NO_BRANCH,
        BRANCH,
    ),
    Row(
        "split_at_an_input",
        "`if i < k` is two loops, of which either may not run.",
        NO_BRANCH,
        BRANCH,
        {"k": (-1, 0, 2, 7)},
    ),
    Row("split_at_a_range", "`if 5 <= i and i < 70` is three loops.", NO_BRANCH, BRANCH),
    Row(
        "split_at_an_affine_function",
        "`if 3 i + 7 < 100` is two loops: the function does not wrap within the trips.",
        NO_BRANCH,
        BRANCH,
        {"k": (3, 50)},
    ),
    Row(
        "parity_of_the_iteration_number",
        "A branch on even trips goes: a trip does two.",
        NO_BRANCH,
        BRANCH,
    ),
    Row(
        "parity_of_dynamic_trips",
        "Of a number of trips that only the run knows the last one may be left over.",
        NO_BRANCH,
        BRANCH,
    ),
    Row(
        "flag_that_alternates",
        "A carried flag that each trip negates is the parity of the trip.",
        NO_BRANCH,
        BRANCH,
    ),
    Row(
        "residue_of_the_iteration_number",
        "A branch on the remainder by three goes: a trip does three.",
        NO_BRANCH,
        BRANCH,
    ),
    Row(
        "condition_known_from_the_trip_count",
        "In a loop of `n` trips `i < n` holds.",
        {"ov.if": 0},
        BRANCH,
    ),
    Row(
        "comparison_known_of_a_nest",
        "In an inner loop of `i` trips `j < i` holds.",
        {"ov.if": 0},
        BRANCH,
    ),
    Row(
        "flag_of_the_first_trip",
        "A flag that is true in the first trip only: that trip is before the loop.",
        {**NO_BRANCH, "carried values": 1},
        {**BRANCH, "carried values": 2},
    ),
    Row(
        "flag_of_the_first_trip_with_the_constant_inside",
        "A flag that is false until the first trip ends, set by a constant in the body.",
        {**NO_BRANCH, "carried values": 1},
        {**BRANCH, "carried values": 2},
    ),
    Row(
        "flag_that_freezes_the_state",
        "A loop whose state no trip changes any more, once a flag is true, ends there.",
        {"iterations in %": 30},
        {**BRANCH, "iterations in %": 100},
    ),
    Row(
        "rotation_of_a_guarded_body",
        "A body under the condition that ends the loop needs no branch where it is tested behind each trip.",
        NO_BRANCH,
        BRANCH,
    ),
    Row(
        "branch_of_cheap_arms_in_a_loop",
        "Arms of two operations on scalars are both computed in each trip, and one is selected.",
        {"ov.if in ov.loop": 0},
        BRANCH,
    ),
    Row(
        "tail_merge_of_one_loop_in_both_arms",
        "Arms that hold the same loop, begun with other values, choose the values only.",
        {"ov.loop": 1, "ov.loop in ov.if": 0},
        {"ov.loop": 2},
    ),
    Row(
        "tail_merge_of_loops_over_other_captures",
        "Arms that hold the same loop over other values, between other operations, have one loop.",
        {"ov.loop": 1, "ov.loop in ov.if": 0},
        {"ov.loop": 2},
    ),
    Row(
        "range_decides_a_select",
        "The iteration number is not negative: no position has to be counted from the end.",
        {"ov.select in ov.loop": 0, "ov.less in ov.loop": 0},
        {"ov.select in ov.loop": 1},
    ),
    Row(
        "range_decides_limits",
        "Limits within which the iteration number is anyway go.",
        {"ov.maximum": 0, "ov.minimum": 1, "ov.clamp": 0},
        {"ov.maximum": 1, "ov.minimum": 2},
        {"n": (0, 1, 5, 9)},
    ),
)
