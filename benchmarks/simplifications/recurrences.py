"""Rows about recurrences that have another form: issue 46, closed forms, last trips, recurrent layers."""

from __future__ import annotations

from simplifications.rows import Row

LOOP, NO_LOOP = {"ov.loop": 1}, {"ov.loop": 0}
LOGARITHMIC = {"iterations in %": 10}
EXP, NO_EXP = {"ov.exp in ov.loop": 1}, {"ov.exp in ov.loop": 0}
MANY = (0, 1, 7, 500)
TO_LAYERS = "ov-loop-to-lstm-sequence"

ROWS = (
    Row(
        "recurrence_sum_of_the_iteration_numbers",
        "The sum of the iteration numbers is n (n - 1) / 2, without overflow in between.",
        NO_LOOP,
        LOOP,
        {"n": MANY},
    ),
    Row(
        "recurrence_sum_of_the_iteration_numbers_that_wraps",
        "A sum of multiples of the iteration number in 32 bits wraps as the additions do.",
        NO_LOOP,
        LOOP,
        {"n": MANY},
    ),
    Row(
        "recurrence_multiple_of_an_input",
        "An input that is added in each of n trips is added n times at once.",
        NO_LOOP,
        LOOP,
        {"n": MANY},
    ),
    Row(
        "recurrence_geometric",
        "An integer that is multiplied in each of n trips is multiplied with a power.",
        LOGARITHMIC,
        LOOP,
        {"n": MANY},
    ),
    Row(
        "recurrence_affine",
        "An affine function of an integer, n times, is one affine function, by powers.",
        LOGARITHMIC,
        LOOP,
        {"n": MANY},
    ),
    Row(
        "recurrence_polynomial",
        "A sum of sums of the iteration number is a polynomial of the trips.",
        NO_LOOP,
        LOOP,
        {"n": MANY},
    ),
    Row(
        "recurrence_idempotent_maximum",
        "A maximum with one value in each trip is done in one trip, if there is one.",
        NO_LOOP,
        LOOP,
    ),
    Row(
        "recurrence_idempotent_function",
        "A function that changes nothing the second time is done in one trip, if there is one.",
        NO_LOOP,
        LOOP,
    ),
    Row(
        "recurrence_that_reads_nothing_of_the_trip_before",
        "Of a carried value that the next trip does not read only the last trip is done.",
        NO_LOOP,
        LOOP,
    ),
    Row(
        "recurrence_that_only_reads_its_slice",
        "Of a function of the slice that is not joined only the last slice's is computed.",
        NO_LOOP,
        LOOP,
    ),
    Row(
        "recurrence_whose_last_value_is_used",
        "What only the last trip's value is needed of is computed behind the loop.",
        {**NO_EXP, "ov.mat_mul in ov.loop": 0},
        {**EXP, "ov.mat_mul in ov.loop": 1},
    ),
    Row(
        "recurrence_whose_last_value_is_used_of_dynamic_trips",
        "It is computed behind a loop that may not run if the loop has run.",
        {**NO_EXP, "ov.mat_mul in ov.loop": 0},
        {"ov.gather in ov.loop": 2},
        {"k": (2, 99)},
    ),
    Row(
        "recurrence_is_an_rnn",
        "A loop that is an RNN is one, for targets that have it.",
        NO_LOOP,
        LOOP,
        passes=TO_LAYERS,
        tolerance=1e-6,
    ),
    Row(
        "recurrence_is_a_gru",
        "A loop that is a GRU is one, for targets that have it.",
        NO_LOOP,
        LOOP,
        passes=TO_LAYERS,
        tolerance=1e-6,
    ),
    Row(
        "recurrence_is_an_lstm",
        "A loop that is an LSTM is one, for targets that have it.",
        NO_LOOP,
        LOOP,
        passes=TO_LAYERS,
        tolerance=1e-6,
    ),
)
