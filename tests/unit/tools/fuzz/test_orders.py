"""Random orders: every pass takes part with every option, each program has its own, and it can be repeated."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields

from loomir.compiler.universe import folder_of, load_pass, pass_modules
from loomir.tools.fuzz.levels import (
    BUFFERS_POOL,
    GRAPH_POOL,
    LOOPS_POOL,
    ORDERS,
    REQUIRED,
    STRUCTURED_POOL,
    random_order,
)
from loomir.tools.fuzz.runner import FuzzOptions

SEEDED = [random_order(3, index) for index in range(60)]


def test_a_program_has_its_own_order() -> None:
    assert random_order(3, 7) == SEEDED[7]
    assert len({(level.graph, level.core) for level in SEEDED}) == len(SEEDED)
    options = FuzzOptions(seed=3, level=ORDERS)
    assert options.level_of(7) == SEEDED[7]
    assert options.repeat(7) == "loomir-fuzz --seed 3 --start 7 --count 1 --size 8 --level orders"


def test_every_pass_takes_part_in_every_stage() -> None:
    for step, pool in (
        ("graph", GRAPH_POOL),
        ("structured", STRUCTURED_POOL),
        ("loops", {**BUFFERS_POOL, **LOOPS_POOL}),
    ):
        used = Counter(each.name for level in SEEDED for each in getattr(level, step))
        assert set(pool) <= set(used)


def test_every_pass_of_graph_is_in_the_pool() -> None:
    own = {name for name in pass_modules() if folder_of(name) == "graph"}
    # What gives a program to the next stage is required, tuple lengths are told apart before sequences become tensors, and behind
    # `ov-decompose` nothing makes a composite operation; no random program has an operator that nobody knows.
    # What is for a file of OpenVINO's refuses programs, and rounds weights; a quantised network may change by a step, or take integers.
    quantised = {"ov-quantize-io", "ov-to-integer"}
    files = {"convert-ov-to-openvino", "ov-compress-constants", "ov-suit-openvino-2026"}
    others = {"ov-dispatch-tuple-lengths", "ov-fuse-swish", "ov-resolve-custom", *quantised, *files}
    assert own - set(GRAPH_POOL) - REQUIRED == others


def test_options_of_loop_passes_are_drawn() -> None:
    for name in ("ov-loop-unroll", "ov-loop-peel", "ov-loop-invariant-code-motion"):
        default = load_pass(name, pass_modules()[name])()
        found = [each for level in SEEDED for each in (*level.graph, *level.core) if each.name == name]
        for option in fields(default):
            if option.name not in ("name", "machine"):
                assert len({getattr(each, option.name) for each in found}) > 1, (name, option.name)


def test_what_a_stage_needs_is_there_in_its_order() -> None:
    needed = {
        "core": ["convert-ovseq-to-ov", "convert-unranked-to-flat", "ov-fold-constants"],
        "structured": ["ov-bound-shapes", "convert-ov-loop-to-scf", "convert-ov-to-linalg"],
        "loops": ["bufferize", "lower-linalg-to-loops", "plan-memory"],
    }
    for level in SEEDED:
        for step, names in needed.items():
            passes = [each.name for each in getattr(level, step)]
            last = [len(passes) - 1 - passes[::-1].index(name) for name in names]
            assert last == sorted(last)
