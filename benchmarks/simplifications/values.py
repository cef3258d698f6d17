"""Rows about what loops hand on: issue 12, loop values."""

from __future__ import annotations

from simplifications.rows import Row

ONE, TWO, FOUR = ({"carried values": number} for number in (1, 2, 4))
JOINED, NOT_JOINED = {"concatenations": 1}, {"concatenations": 0}

ROWS = (
    Row("value_duplicate", "Two carried values that begin and go on alike are one.", ONE, TWO),
    Row(
        "value_counter_is_the_iteration_number",
        "A counter that begins at 0 and grows by 1 is the iteration number.",
        ONE,
        TWO,
    ),
    Row(
        "value_affine_in_the_iteration_number",
        "A counter with another begin and step is a function of the iteration number.",
        ONE,
        TWO,
    ),
    Row(
        "value_final_counter",
        "A counter that is read after the loop only is computed from the trips.",
        ONE,
        TWO,
    ),
    Row(
        "value_power_becomes_products",
        "A power whose exponent is the iteration number is a carried product.",
        {"ov.power in ov.loop": 0},
        {"ov.power in ov.loop": 1},
    ),
    Row("value_invariant", "A carried value that is handed on as it came is a capture.", ONE, TWO),
    Row(
        "value_invariant_through_a_branch",
        "A carried value that both arms of a branch hand on as it came is a capture.",
        {"carried values of one loop": 1},
        {"carried values of one loop": 2},
    ),
    Row(
        "value_constant",
        "A carried value that is the same constant in every trip is that constant.",
        ONE,
        TWO,
    ),
    Row(
        "value_invariant_after_the_first_iteration",
        "A carried value that is one from outside after the first trip is not carried: the first trip is peeled.",
        ONE,
        TWO,
    ),
    Row(
        "value_dead_through_a_cycle",
        "Carried values that only feed each other go.",
        ONE,
        {"carried values": 3},
    ),
    Row(
        "value_dead_through_a_nest",
        "A carried value that only goes round through an inner loop goes.",
        TWO,
        FOUR,
    ),
    Row(
        "value_dead_through_a_branch",
        "A carried value that only goes round through a branch goes.",
        {"carried values of one loop": 1, "results of ov.if": 1},
        {"carried values of one loop": 2},
    ),
    Row(
        "value_slice_that_is_the_whole",
        "A slice that is all of its input is no slice.",
        {"slices": 0, "ov.loop": 0},
        {"slices": 1},
        static=True,
    ),
    Row(
        "value_concat_of_the_slices",
        "Slices that are joined as they came are the input.",
        NOT_JOINED,
        JOINED,
    ),
    Row(
        "value_concat_of_an_invariant",
        "A value from outside that each trip joins is broadcast.",
        NOT_JOINED,
        JOINED,
    ),
    Row(
        "value_concat_of_a_linear_value",
        "A linear function of the iteration number that each trip joins is a range.",
        NOT_JOINED,
        JOINED,
    ),
    Row(
        "value_last_part_of_a_concat",
        "Of joined parts of which only the last is read none is joined.",
        NOT_JOINED,
        JOINED,
        static=True,
    ),
    Row(
        "value_concat_that_the_next_loop_slices",
        "What one loop joins and only the next one cuts in the same way is handed on within one loop.",
        {"concatenations": 0, "ov.loop": 1},
        {"concatenations": 1, "ov.loop": 2},
    ),
    Row("value_unused_concat", "Joined parts that nothing reads go.", {**NOT_JOINED, "ov.exp": 0}, JOINED),
    Row(
        "value_unread_slice",
        "A slice that nothing reads goes if another one says the trips.",
        {"slices": 1},
        {"ov.loop": 1},
        static=True,
    ),
)
