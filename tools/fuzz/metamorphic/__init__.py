"""Transformations of ONNX models after which a program means the same: a compiler that gives something else is wrong.

Each is a function of a model and a source of randomness that gives another model, or None where it is not applicable; inputs and
outputs stay. No oracle is needed, so models may be transformed that no other runtime takes.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from onnx import ModelProto

from loomir.tools.fuzz.metamorphic.branches import branch_node, insert_dead_branch, swap_arms
from loomir.tools.fuzz.metamorphic.carrying import add_dead_carries, carry_captures
from loomir.tools.fuzz.metamorphic.counting import count_by_condition
from loomir.tools.fuzz.metamorphic.renaming import rename_everything
from loomir.tools.fuzz.metamorphic.reversing import reverse_twice
from loomir.tools.fuzz.metamorphic.splitting import peel_trip, split_trips
from loomir.tools.fuzz.metamorphic.unrolling import unroll
from loomir.tools.fuzz.metamorphic.wrapping import wrap_in_if, wrap_in_loop

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
"""The compiler's own unrolling, to run before everything else: on its GRAPH rather than on the model."""
