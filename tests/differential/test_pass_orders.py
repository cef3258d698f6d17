"""Passes of GRAPH in any order, also after `ov-bound-shapes`: random programs compute the same after each of them, and are lowered.

Bounds are part of types, checks are operations: nothing that a pass drops, moves or copies refers to them by its position.
"""

from __future__ import annotations

import os
from random import Random

import numpy as np
import pytest

from loomir.compiler.checking.checker import check_each_pass
from loomir.compiler.feeds.values import set_bounds, set_shapes
from loomir.compiler.formats import load_module
from loomir.compiler.options import CheckOptions
from loomir.compiler.pipeline import PIPELINES
from loomir.errors import Error
from loomir.tools.fuzz.generator import program_of
from loomir.tools.fuzz.levels import GRAPH_POOL, random_passes
from loomir.tools.fuzz.onnx_oracle import to_onnx

SEED = 1010
COUNT = int(os.environ.get("LOOMIR_ORDERS", "12"))
"""Programs; `LOOMIR_ORDERS=500` is what was run when this was written."""

NEED_SHAPES = {"unbounded-shape", "unbounded-trips", "unresolved-rank", "dynamic-input"}


@pytest.mark.parametrize("index", range(COUNT))
def test_random_orders(index: int) -> None:
    random = Random(f"{SEED}/{index}")

    def some(most: int) -> list[str]:
        return random_passes(GRAPH_POOL, random, most)

    program = program_of(SEED, index)
    module = load_module(to_onnx(program))
    feed = program.feeds[0]
    if index % 2:
        set_bounds(module, program.max_shapes())
    else:
        set_shapes(
            module, {name: array.shape for name, array in feed.items() if isinstance(array, np.ndarray)}
        )
    # What has sequences or ranks that differ needs the core pipeline; before and behind it anything may come. What cleans up is
    # left to chance, so that there is something to clean up when bounds are known.
    core = [p for p in PIPELINES["core"] if p.name not in ("canonicalize", "cse")]
    passes = ["ov-infer", *some(4), *core, *some(3), "ov-bound-shapes{capacity=64}", *some(6)]
    passes += ["ov-bound-shapes{capacity=64}"] if random.random() < 0.3 else []
    try:
        check_each_pass(
            module, [*passes, *PIPELINES["structured"]], feeds=[feed], options=CheckOptions(seed=index)
        )
    except Error as error:
        if error.identifier not in NEED_SHAPES:
            error.add_note(f"after {', '.join(map(str, passes))}")
            raise
