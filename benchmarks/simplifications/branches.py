"""Rows about branches: issue 12, If."""

from __future__ import annotations

from simplifications.rows import Row

NONE, ONE, TWO = ({"ov.if": number} for number in range(3))

ROWS = (
    Row("branch_equal_arms", "Arms that do the same are done without a branch.", NONE, ONE),
    Row(
        "branch_result_equal_in_both_arms",
        "A result that both arms give from outside is that value.",
        {"results of ov.if": 1},
        {"results of ov.if": 2},
    ),
    Row(
        "branch_duplicate_results",
        "Two results that are the same in each arm are one.",
        {"results of ov.if": 1},
        {"results of ov.if": 2},
    ),
    Row(
        "branch_unused_result",
        "A result that is not used goes, with what makes it.",
        {"results of ov.if": 1, "ov.exp": 0},
        {"results of ov.if": 2, "ov.exp": 2},
    ),
    Row("branch_unused", "A branch none of whose results is used goes.", NONE, ONE),
    Row("branch_constant_condition", "A condition that is known leaves the arm that is taken.", NONE, ONE),
    Row("branch_select_of_values", "Arms that give two scalars from outside are a `select`.", NONE, ONE),
    Row(
        "branch_select_of_cheap_arms",
        "Arms of one operation on scalars are computed both, and one is selected.",
        NONE,
        ONE,
    ),
    Row("branch_true_false", "`if c true else false` is `c`.", {"ov.if": 0, "ov.select": 0}, ONE),
    Row("branch_false_true", "`if c false else true` is `not c`.", {"ov.if": 0, "ov.select": 0}, ONE),
    Row(
        "branch_negated_condition",
        "A branch on `not c` is one on `c` with the arms exchanged.",
        {"ov.logical_not": 0},
        {"ov.logical_not": 1, "ov.if": 1},
    ),
    Row(
        "branch_common_first_operation",
        "An operation that both arms begin with moves before the branch.",
        {"ov.exp": 1, "ov.exp in ov.if": 0},
        {"ov.exp in ov.if": 2},
    ),
    Row(
        "branch_common_last_operation",
        "An operation that both arms end with, on values of their own, moves behind the branch.",
        {"ov.exp": 1, "ov.exp in ov.if": 0},
        {"ov.exp in ov.if": 1, "ov.tanh in ov.if": 1},
    ),
    Row(
        "branch_common_operation_that_may_fail",
        "What may fail moves out if both arms have it.",
        {"ov.gather": 1, "ov.gather in ov.if": 0},
        {"ov.gather in ov.if": 1},
        {"k": (2, 99)},
    ),
    Row(
        "branch_sunk_operation",
        "An operation that only one arm uses moves into it.",
        {"ov.exp outside ov.if": 0},
        {"ov.exp outside ov.if": 1},
    ),
    Row(
        "branch_sunk_into_each_arm",
        "Of two operations each moves into the arm that uses it.",
        {"ov.exp outside ov.if": 0, "ov.tanh outside ov.if": 0},
        {"ov.exp outside ov.if": 1, "ov.tanh outside ov.if": 1},
    ),
    Row("branch_adjacent", "Two branches on one condition are one.", ONE, TWO),
    Row(
        "branch_adjacent_that_use_each_other",
        "A branch on one condition that uses the result of the one before is merged with it.",
        ONE,
        TWO,
    ),
    Row("branch_adjacent_negated", "Branches on `c` and `not c` are one.", ONE, TWO),
    Row("branch_nested_same", "A branch in the arm where its condition holds is its first arm.", ONE, TWO),
    Row(
        "branch_nested_same_in_the_other_arm",
        "A branch in the arm where its condition does not hold is its second arm.",
        ONE,
        TWO,
    ),
    Row("branch_nested_negated", "In the arm where `c` holds `not c` does not.", ONE, TWO),
    Row(
        "branch_nested_equal_comparison",
        "Where `k < m` holds `m > k` does.",
        ONE,
        TWO,
        {"k": (2, 3, 6), "m": (3, 6)},
    ),
    Row("branch_nested_implied", "Where `k < 3` holds `k < 5` does.", ONE, TWO, {"k": (2, 4, 7)}),
    Row("branch_nested_refuted", "Where `k < 3` holds `k > 5` does not.", ONE, TWO, {"k": (2, 4, 7)}),
    Row(
        "branch_nested_implied_in_the_other_arm",
        "Where `k < 5` does not hold `k > 3` does.",
        ONE,
        TWO,
        {"k": (2, 4, 7)},
    ),
    Row(
        "branch_nested_implied_by_equality",
        "Where `k` is 3 it is less than 5.",
        ONE,
        TWO,
        {"k": (3, 4, 7)},
    ),
    Row("branch_nested_part_of_a_conjunction", "Where `c and d` holds `d` does.", ONE, TWO),
    Row("branch_nested_part_of_a_disjunction", "Where `c or d` does not hold `d` does not.", ONE, TWO),
)
