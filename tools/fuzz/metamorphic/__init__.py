"""Transformations of ONNX models that preserve the meaning of a program.

A compiler whose results differ afterwards is wrong. Each transformation is a function of a model and a source of
randomness; it returns another model, or None if it is not applicable. Inputs and outputs stay the same. No oracle is
needed, so models that no other runtime accepts may be transformed as well.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from onnx import ModelProto

from loomir.tools.fuzz.metamorphic.redundancy import (
    add_dead_carries,
    branch_node,
    carry_captures,
    insert_dead_branch,
    reverse_twice,
    swap_arms,
    wrap_in_if,
    wrap_in_loop,
)
from loomir.tools.fuzz.metamorphic.renaming import rename_everything
from loomir.tools.fuzz.metamorphic.trips import count_by_condition, peel_trip, split_trips, unroll

Transform = Callable[[ModelProto, random.Random], ModelProto | None]

TRANSFORMS: dict[str, Transform] = {
    "rename": rename_everything,
    "wrap-in-loop": wrap_in_loop,
    "wrap-in-if": wrap_in_if,
    "split-trips": split_trips,
    "peel-trip": peel_trip,
    "count-by-condition": count_by_condition,
    "dead-branch": insert_dead_branch,
    "swap-arms": swap_arms,
    "branch-node": branch_node,
    "carry-captures": carry_captures,
    "dead-carries": add_dead_carries,
    "reverse-twice": reverse_twice,
    "unroll": unroll,
}

UNROLL_FIRST = "ov-loop-unroll{max-trips=8},canonicalize"
"""Pipeline that applies the compiler's own unrolling before everything else.

It transforms the compiler's GRAPH rather than the model.
"""
