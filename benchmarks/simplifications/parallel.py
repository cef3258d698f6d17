"""Rows about loops whose trips, or parts of them, do not need each other: issue 46, parallel parts."""

from __future__ import annotations

from simplifications.rows import Row

LOOP, NO_LOOP = {"ov.loop": 1}, {"ov.loop": 0}
LOOPS, ONE_LOOP = {"ov.loop": 2}, {"ov.loop": 1}
NEST, NO_NEST = {"ov.loop in ov.loop": 1}, {"ov.loop in ov.loop": 0}
PRODUCT, NO_PRODUCT = {"ov.mat_mul in ov.loop": 1}, {"ov.mat_mul in ov.loop": 0}
EXP, NO_EXP = {"ov.exp in ov.loop": 1}, {"ov.exp in ov.loop": 0}
STEPS_ONLY = {**ONE_LOOP, **NO_NEST, "iterations in %": 5}

ROWS = (
    Row(
        "map_elementwise",
        "Elementwise operations on each slice are the operations on the whole axis.",
        NO_LOOP,
        LOOP,
    ),
    Row(
        "map_product_with_a_matrix",
        "The product of each slice with a matrix from outside is one product.",
        {**NO_LOOP, "ov.mat_mul": 1},
        PRODUCT,
    ),
    Row(
        "map_products_of_slices",
        "Products of the slices of two inputs are one batched product.",
        {**NO_LOOP, "ov.mat_mul": 1},
        PRODUCT,
    ),
    Row(
        "map_gather_of_the_iteration_number",
        "A row gathered at the iteration number is a slice, and a map of all rows is done without a loop.",
        NO_LOOP,
        {**LOOP, "ov.gather in ov.loop": 2},
    ),
    Row(
        "map_gather_from_the_end",
        "Rows gathered from the end to the beginning are the reversed input.",
        NO_LOOP,
        {**LOOP, "ov.gather in ov.loop": 2},
    ),
    Row(
        "map_of_the_iteration_number",
        "A map that also reads the iteration number reads a range.",
        NO_LOOP,
        LOOP,
    ),
    Row("map_in_two_loops", "A map of each element of each row is done without loops.", NO_LOOP, NEST),
    Row(
        "map_with_a_branch",
        "A branch on a slice, with arms that cannot fail, selects between results for the whole axis.",
        {**NO_LOOP, "ov.if": 0},
        {"ov.if in ov.loop": 1},
        {"k": (2, 99)},
    ),
    Row(
        "fission_of_a_map",
        "What neither reads a carried value nor gives one leaves the loop, for all slices at once.",
        NO_EXP,
        EXP,
    ),
    Row(
        "fission_behind_a_recurrence",
        "What is made of a carried value, and is only joined, is made of all its values behind the loop.",
        {**NO_EXP, **NO_PRODUCT},
        {**EXP, **PRODUCT},
    ),
    Row(
        "fission_of_work_before_a_recurrence",
        "What a recurrence adds in each trip is computed for all slices before the loop.",
        {**NO_EXP, **NO_PRODUCT, "ov.relu in ov.loop": 0},
        {**EXP, **PRODUCT},
    ),
    Row(
        "fission_of_carried_values",
        "Of two carried values that do not read each other one is a sum, which needs no loop.",
        {"carried values": 1, "ov.add in ov.loop": 0},
        {"carried values": 2, "ov.add in ov.loop": 1},
    ),
    Row(
        "fusion_of_siblings",
        "Two loops of equal trips that do not read each other are one.",
        ONE_LOOP,
        LOOPS,
    ),
    Row(
        "fusion_of_siblings_that_slice",
        "Two loops over the slices of two inputs of equal extents are one.",
        ONE_LOOP,
        {**LOOPS, "conditions of loops": 1},
        {"most": (0.0, 6.0)},
    ),
    Row(
        "fusion_through_elementwise",
        "A loop and the loop that slices an elementwise function of what it joins are one.",
        {**ONE_LOOP, "concatenations": 0},
        LOOPS,
    ),
    Row(
        "fusion_where_the_middle_is_a_result",
        "A loop and the loop that slices what it joins are one where that is a result too.",
        ONE_LOOP,
        LOOPS,
    ),
    Row(
        "interchange_rows_and_steps",
        "A recurrence for each row is one recurrence over vectors of all rows.",
        STEPS_ONLY,
        NEST,
    ),
    Row(
        "interchange_of_rows_that_write_all_steps",
        "A recurrence for each row that joins all its states is one that joins vectors.",
        STEPS_ONLY,
        NEST,
        {"most": (0.1, 6.0)},
    ),
    Row(
        "collapse_of_a_nest",
        "A nest that only hands one state on is one loop of the product of the trips.",
        {**ONE_LOOP, **NO_NEST},
        NEST,
    ),
    Row(
        "collapse_of_a_nest_of_dynamic_trips",
        "A nest over one state whose trips are both inputs is one loop.",
        {**ONE_LOOP, **NO_NEST},
        NEST,
        {"m": (0, 3)},
    ),
    Row(
        "collapse_over_all_elements",
        "A nest over rows and their elements with one state is one loop over all elements.",
        {**ONE_LOOP, **NO_NEST},
        NEST,
    ),
)
