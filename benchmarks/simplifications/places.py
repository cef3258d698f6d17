"""Rows about the layout and the place of what loops carry and join: issue 46, carried layouts and places; and re-rolling."""

from __future__ import annotations

from simplifications.rows import Row

LOOP, NO_LOOP = {"ov.loop": 1}, {"ov.loop": 0}
TRANSPOSE, NO_TRANSPOSE = {"ov.transpose in ov.loop": 1}, {"ov.transpose in ov.loop": 0}
SCATTER, NO_SCATTER = {"ov.scatter_nd_update in ov.loop": 1}, {"ov.scatter_nd_update in ov.loop": 0}
READ = {"ov.gather_nd in ov.loop": 1}
NO_READ = {"ov.gather_nd in ov.loop": 0, "ov.gather in ov.loop": 0, "ov.slice in ov.loop": 0}
NO_GROWTH = {"ov.concat in ov.loop": 0}
ONE_CARRIED, TWO_CARRIED = {"carried values": 1}, {"carried values": 2}
JOINED, NOT_JOINED = {"concatenations": 1}, {"concatenations": 0}
REROLL = "ov-reroll"

ROWS = (
    Row(
        "layout_transposed_to_and_fro",
        "A state that each trip transposes, and transposes back, is carried transposed.",
        NO_TRANSPOSE,
        {"ov.transpose in ov.loop": 2},
    ),
    Row(
        "layout_transposed_between_products",
        "A state whose transpose is multiplied, and the product transposed back, is carried transposed.",
        NO_TRANSPOSE,
        TRANSPOSE,
    ),
    Row(
        "layout_reshaped_to_and_fro",
        "A state that each trip reshapes, and reshapes back, is carried in the other shape.",
        {"ov.reshape in ov.loop": 0},
        TRANSPOSE,
    ),
    Row(
        "layout_unsqueezed_to_and_fro",
        "A state that gets an axis in each trip, and loses it again, is carried with it.",
        {"ov.unsqueeze in ov.loop": 0, "ov.squeeze in ov.loop": 0, "ov.reshape in ov.loop": 0},
        {"ov.unsqueeze in ov.loop": 1},
    ),
    Row(
        "layout_widened_and_narrowed",
        "Integers that are widened, added, multiplied and narrowed in each trip wrap alike in either type.",
        {"ov.convert in ov.loop": 0},
        {"ov.convert in ov.loop": 2},
    ),
    Row(
        "layout_carried_wider_than_computed",
        "A state that is carried in f64 and computed in f32 is carried in f32.",
        {"ov.convert in ov.loop": 0},
        {"ov.convert in ov.loop": 2},
    ),
    Row(
        "layout_transposed_slices",
        "Slices that are transposed are slices of the transposed input.",
        {**NO_TRANSPOSE, "ov.reshape in ov.loop": 0},
        TRANSPOSE,
    ),
    Row(
        "carried_slice_of_the_trip_before",
        "A carried value that is the slice of the trip before is a slice, shifted by one.",
        NO_LOOP,
        LOOP,
    ),
    Row(
        "carried_slice_of_two_trips_before",
        "Carried values that hand the slice of two trips before on are slices, shifted by one and two.",
        NO_LOOP,
        LOOP,
    ),
    Row(
        "carried_function_of_the_slice_before",
        "A carried value that is a function of the slice of the trip before is a shifted slice of the function.",
        {"carried values": 1, "ov.exp in ov.loop": 0},
        {"carried values": 2, "ov.exp in ov.loop": 1},
    ),
    Row(
        "scatter_of_every_row",
        "A table of zeros whose every row a trip writes is what the trips join.",
        {**NO_LOOP, "ov.scatter_nd_update": 0},
        SCATTER,
        static=True,
    ),
    Row(
        "scatter_of_every_state",
        "A table whose every row is a state of the loop is joined, without zeros before.",
        {**NO_SCATTER, "carried values": 1},
        SCATTER,
        static=True,
    ),
    Row(
        "scatter_and_gather_of_one_row",
        "A row that is read where it was just written is what was written.",
        NO_READ,
        READ,
    ),
    Row(
        "gather_of_the_row_of_the_trip_before",
        "A row that is read where the trip before wrote it is carried.",
        NO_READ,
        READ,
    ),
    Row(
        "growth_by_concat",
        "A carried value that grows by a row in each trip is what the trips join.",
        {**NO_GROWTH, **ONE_CARRIED},
        TWO_CARRIED,
    ),
    Row(
        "growth_behind_what_is_there",
        "A carried value that grows, and is not empty at first, is joined behind its beginning.",
        {**NO_GROWTH, **ONE_CARRIED},
        TWO_CARRIED,
    ),
    Row(
        "growth_in_front",
        "A carried value that grows in front is what the trips join, reversed.",
        {**NO_GROWTH, **ONE_CARRIED},
        TWO_CARRIED,
    ),
    Row(
        "joined_for_its_maximum",
        "Of joined parts of which only the maximum is read none is joined: it is carried.",
        NOT_JOINED,
        JOINED,
    ),
    Row(
        "joined_for_its_sum",
        "Of joined integers of which only the sum is read none is joined: it is carried.",
        NOT_JOINED,
        JOINED,
    ),
    Row(
        "joined_for_its_last_rows",
        "Of joined parts of which a slice reads only the last none is joined, nor computed before.",
        {**NOT_JOINED, "ov.exp in ov.loop": 0},
        JOINED,
        static=True,
    ),
    Row(
        "sequence_map_of_equal_slices",
        "A function of each element of a sequence of equal slices is done on the tensor they are of.",
        NO_LOOP,
        LOOP,
        static=True,
    ),
    Row(
        "reroll_equal_steps",
        "Twelve equal steps one behind the other are a loop, where small code is wanted.",
        {"ov.mat_mul": 2},
        {"ov.mat_mul": 10},
        passes=REROLL,
    ),
    Row(
        "reroll_steps_with_weights",
        "Twelve steps with constants of their own are a loop over a table of them.",
        {"ov.tanh": 2},
        {"ov.tanh": 8},
        passes=REROLL,
    ),
)
