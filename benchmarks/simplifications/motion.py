"""Rows about what loops repeat: issue 12, loop-invariant code motion, unrolling and peeling."""

from __future__ import annotations

from simplifications.rows import Row

LOOP, NO_LOOP = {"ov.loop": 1}, {"ov.loop": 0}
EXP, NO_EXP = {"ov.exp in ov.loop": 1}, {"ov.exp in ov.loop": 0}
GATHER, NO_GATHER = {"ov.gather in ov.loop": 1}, {"ov.gather in ov.loop": 0}
GUARDED = {"ov.gather guarded": 1}
BRANCH, NO_BRANCH = {"ov.if in ov.loop": 1}, {"ov.if in ov.loop": 0}
BY_FOUR = "ov-loop-unroll{max-trips=8 factor=4},canonicalize,cse"
QUARTER = {"iterations in %": 30}
MANY = (0, 1, 7, 500)

ROWS = (
    Row("motion_invariant", "What is the same in every trip is computed before the loop.", NO_EXP, EXP),
    Row(
        "motion_chain",
        "A chain of operations on one value from outside moves before the loop.",
        {**NO_EXP, "ov.abs in ov.loop": 0, "ov.tanh in ov.loop": 0},
        {**EXP, "ov.tanh in ov.loop": 1},
    ),
    Row("motion_out_of_two_loops", "What no loop around it changes moves before all of them.", NO_EXP, EXP),
    Row(
        "motion_into_the_outer_loop",
        "What only the outer loop changes moves out of the inner one.",
        {"ov.exp in two loops": 0},
        {"ov.exp in two loops": 1},
    ),
    Row(
        "motion_out_of_a_while",
        "Out of a loop that may not run moves what cannot fail.",
        NO_EXP,
        GUARDED,
        {"k": (1, 9)},
    ),
    Row(
        "motion_of_what_cannot_fail_here",
        "An operation that may fail, but not with what is known of its operands, moves before the loop.",
        NO_GATHER,
        GUARDED,
        static=True,
    ),
    Row(
        "motion_where_the_loop_surely_runs",
        "What may fail moves out of a loop that surely runs, where it is the first that may.",
        NO_GATHER,
        {"ov.gather in ov.if": 1},
    ),
    Row(
        "motion_of_what_may_fail_under_a_guard",
        "What may fail, and what needs it, moves before a loop that may not run, under its own condition.",
        {**NO_GATHER, "ov.mat_mul in ov.loop": 1},
        GATHER,
        {"k": (2, 99)},
    ),
    Row("motion_of_a_branch", "A branch that reads nothing of the loop moves before it.", NO_BRANCH, BRANCH),
    Row(
        "motion_of_a_loop",
        "A loop that reads nothing of the one around it moves before it.",
        {"ov.loop in ov.loop": 0},
        {"ov.loop in ov.loop": 1},
    ),
    Row("unroll_few_trips", "A loop of four trips is four copies of its body.", NO_LOOP, LOOP),
    Row("unroll_few_slices", "A loop over three slices is three copies.", NO_LOOP, LOOP, static=True),
    Row(
        "unroll_by_factor",
        "Four copies of the body to a trip, of a number that four divides.",
        QUARTER,
        LOOP,
        passes=BY_FOUR,
    ),
    Row(
        "unroll_by_factor_with_a_remainder",
        "Four copies of the body to a trip, with three behind the loop.",
        QUARTER,
        LOOP,
        passes=BY_FOUR,
    ),
    Row(
        "unroll_dynamic_trips",
        "Four copies of the body to a trip where only the run knows the trips.",
        QUARTER,
        LOOP,
        {"n": MANY},
        passes=BY_FOUR,
    ),
    Row(
        "unroll_while",
        "Copies of a body with a condition, between which the loop may end.",
        QUARTER,
        LOOP,
        {"most": (0.0, 50.0)},
        passes=BY_FOUR,
    ),
    Row("peel_first", "A branch on the first trip goes: that trip is before the loop.", NO_BRANCH, BRANCH),
    Row("peel_last", "A branch on the last trip goes: that trip is behind the loop.", NO_BRANCH, BRANCH),
    Row(
        "peel_first_for_an_invariant",
        "What is the same in every trip but the first moves before the loop, behind that trip.",
        {**NO_EXP, "carried values": 1},
        {**EXP, "carried values": 2},
    ),
)
