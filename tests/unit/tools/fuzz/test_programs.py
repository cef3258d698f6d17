"""Random programs: the same for a seed, valid ONNX, within what they promise, and full of what they are meant to test."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from functools import cache
from hashlib import sha256

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, find, given, settings

from loomir.compiler.loading import load
from loomir.dialects.diagnostics import listening
from loomir.tools.fuzz import DTYPES, If, Loop, Program, Scan, least, most, regions_of, size_of, walk
from loomir.tools.fuzz.generator import program_of, programs
from loomir.tools.fuzz.onnx_oracle import to_onnx
from tests.differential.oracle import run_onnxruntime

SEED = 11
COUNT = 250
FEATURES = """
    if|loop|scan|if of a constant|shape-changing if|rank-changing if|fault in an arm not taken
    static trips|dynamic trips|computed trips|condition trips|while trips|huge trips|zero trips|trips of shape [1]|trips as fed
    early exit|no condition|initial condition false|dynamic initial condition|condition passed through|condition of floats
    swap|rotation of three|dead carry|invariant carry|dead cycle|one initial value twice
    growing carry|carry growing at times|shrinking carry|turning carry
    loop with scan outputs|scan outputs of an unbounded loop
    loop over parts|parts of a range|parts backwards|parts of several elements|parts on axis 0|parts on axis 1|parts on axis 2
    joined parts backwards|joined parts of several elements|joined parts on axis 0|joined parts on axis 1|joined parts on axis 2
    scan input backwards|scan output backwards|scan input on axis 0|scan input on axis 1|scan input on axis 2
    scan output on axis 0|scan output on axis 1|scan output on axis 2|scan of dynamic length
    region depth 1|region depth 2|region depth 3|region depth 4
    capture through 1|capture through 2|capture through 3|capture through 4|capture of a carried value|result that is a capture
    axis 0|axis 1|axis 2|slice|slice backwards|empty slice|empty input|open input|dynamic extent|wrapping integers
    fed ends of 64 bits|trips from the ends of 64 bits|slice to the ends of 64 bits|slice to fed ends of 64 bits
    step of an end of 64 bits|comparison with the ends of 64 bits|limit of the ends of 64 bits
    output is an input|output is a constant|output twice|several outputs|type f32|type f64|type i32|type i64|type bool
    row of 0 modulo 4|row of 1 modulo 4|row of 2 modulo 4|row of 3 modulo 4|mask as numbers
    arithmetic of i8|arithmetic of ui8|arithmetic of i16|arithmetic of ui16|arithmetic of ui32|arithmetic of ui64
""".replace("\n    ", "|").strip("|\n ")


@cache
def made(index: int) -> Program:
    """A program of moderate size."""
    return program_of(SEED, index, size=8)


def test_a_program_is_the_same_whenever_and_wherever_it_is_made() -> None:
    code = (
        "import hashlib; from loomir.tools.fuzz.generator import program_of;"
        "from loomir.tools.fuzz.onnx_oracle import to_onnx; p = program_of(3, 7);"
        "print(hashlib.sha256(to_onnx(p).SerializeToString(deterministic=True)).hexdigest(), "
        "hashlib.sha256(b''.join(a.tobytes() for f in p.feeds for a in f.values())).hexdigest())"
    )
    program_of(3, 6)
    here = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    program = program_of(3, 7)
    model = sha256(to_onnx(program).SerializeToString(deterministic=True)).hexdigest()
    feeds = sha256(b"".join(a.tobytes() for f in program.feeds for a in f.values())).hexdigest()
    assert here.split() == [model, feeds]
    assert program.name == "3/7"


def test_seed_and_index_are_two_numbers() -> None:
    # "1/23" is not "12/3".
    first, second = program_of(1, 23), program_of(12, 3)
    assert to_onnx(first).SerializeToString() != to_onnx(second).SerializeToString()


def test_every_feature_occurs() -> None:
    found: Counter[str] = Counter()
    for index in range(COUNT):
        found.update(made(index).features.keys())
    assert {name.strip() for name in FEATURES.split("|")} - set(found) == set()


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_values_are_defined_once_and_before_they_are_read(first: int) -> None:
    def check(region, visible: set[int], names: set[str]) -> None:
        visible = set(visible)

        def define(value) -> None:
            assert value.name not in names
            names.add(value.name)
            visible.add(id(value))

        for value in region.parameters:
            define(value)
        for statement in region.statements:
            assert all(id(v) in visible for v in statement.inputs if v is not None)
            for inner in regions_of(statement):
                check(inner, visible, names)
            for value in statement.outputs:
                define(value)
        assert all(id(v) in visible for v in region.results)

    for index in range(first, first + 20):
        check(made(index).body, set(), set())


def test_counts_of_parameters_and_results_fit() -> None:
    for index in range(60):
        for _, s in walk(made(index).body):
            if isinstance(s, If):
                assert len(s.then.results) == len(s.otherwise.results) == len(s.outputs) > 0
            elif isinstance(s, Loop):
                assert len(s.body.parameters) == 2 + len(s.carried) + len(s.sliced)
                assert len(s.outputs) == len(s.carried) + s.scans + len(s.joined) > 0
                assert len(s.body.results) == 1 + len(s.outputs)
            elif isinstance(s, Scan):
                assert len(s.sequences) == len(s.sequence_axes) > 0
                assert len(s.outputs) == len(s.states) + len(s.output_axes) == len(s.body.results) > 0


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_models_are_valid_and_give_what_the_tree_says(first: int) -> None:
    """The checker accepts them, ONNX Runtime runs them, and results have the shapes and limits that the tree has."""
    for index in range(first, first + 20):
        program = made(index)
        model = to_onnx(program)
        if all(v.shape is not None for _, v in program.outputs):  # The checker wants a shape of every output.
            onnx.checker.check_model(model)
        for outputs in run_onnxruntime(model, program.feeds):
            for name, value in program.outputs:
                array = outputs[name]
                assert array.dtype == DTYPES[value.dtype], (index, name)
                if value.shape is not None:
                    assert array.ndim == value.rank, (index, name)
                    fits = [least(e) <= n <= most(e) for e, n in zip(value.shape, array.shape)]
                    assert all(fits), (index, name, array.shape)
                largest = np.abs(array.astype(np.float64)).max(initial=0.0)
                assert largest <= value.limit * 1.001 + 1e-6, (index, name)


def test_feeds_differ_and_hold_negative_numbers_and_zeros() -> None:
    numbers = [
        f[v.name] for i in range(40) for f in made(i).feeds for v in made(i).inputs if v.dtype == "i64"
    ]
    joined = np.concatenate([n.ravel() for n in numbers])
    assert {-1, 0, 6} <= set(joined.tolist())
    assert all(
        any(not np.array_equal(a, b) for a, b in zip(made(i).feeds[0].values(), made(i).feeds[1].values()))
        for i in range(40)
    )


def test_depth_and_size_are_what_is_asked_for() -> None:
    shallow = [program_of(SEED, i, size=6, depth=1) for i in range(30)]
    # What grows at times does so in a branch of its own.
    assert max(d for p in shallow for d, _ in walk(p.body) if "carry growing at times" not in p.features) == 1
    small, large = (sum(size_of(program_of(SEED, i, size=n).body) for i in range(30)) for n in (3, 20))
    assert large > 2 * small


def test_only_what_has_no_bound_is_marked_as_what_engines_may_refuse() -> None:
    for index in range(COUNT):
        program = made(index)
        unbounded = "scan outputs of an unbounded loop" in program.features
        assert program.refusals == ({"unbounded-shape", "unbounded-trips"} if unbounded else set())
    assert sum(bool(made(i).refusals) for i in range(COUNT)) < COUNT / 8


SEQUENCE_FEATURES = {
    *(f"op Sequence{n}" for n in ("Construct", "Empty", "Insert", "Erase", "At", "Length")),
    *("op ConcatFromSequence", "op SplitToSequence", "loop that appends to a sequence"),
    *("sequence that grows at times", "if that gives a sequence"),
}


def test_programs_with_sequences() -> None:
    """They run, and hold what only they may hold; programs without them are not changed by the option."""
    found: set[str] = set()
    for index in range(80):
        program = program_of(SEED, index, size=8, sequences=True)
        found |= set(program.features)
        assert not any(v.is_sequence for _, v in program.outputs)
        if index < 25:
            model = to_onnx(program)
            for outputs in run_onnxruntime(model, program.feeds):
                for name, value in program.outputs:
                    largest = np.abs(outputs[name].astype(np.float64)).max(initial=0.0)
                    assert largest <= value.limit * 1.001 + 1e-6, (index, name)
    assert SEQUENCE_FEATURES - found == set()
    assert not any("equence" in name for i in range(COUNT) for name in made(i).features)


FORMS = [
    "map",
    "arms",
    "reduction",
    "recurrence",
    "affine",
    "settled",
    "unread",
    "previous",
    "frozen",
    "table",
    "turned",
    "joined",
]
REACHED = {
    f"ov-loop-{name}"
    for name in (
        *(
            "carry-joined",
            "carry-layout",
            "closed-forms",
            "end-frozen",
            "join-parts",
            "last-trip",
            "reductions",
            "shift-slices",
        ),
        *("split", "whole-axis"),
    )
}
"""Passes on loop structure that sixty programs give something to do."""


def test_programs_with_loops_of_known_forms() -> None:
    """They run, are within their limits, and passes on loop structure find something in them."""
    found: Counter[str] = Counter()
    reached: set[str] = set()
    for index in range(60):
        program = program_of(SEED, index, size=6, forms=True)
        found += program.features
        model = to_onnx(program)
        for outputs in run_onnxruntime(model, program.feeds):
            for name, value in program.outputs:
                largest = np.abs(outputs[name].astype(np.float64)).max(initial=0.0)
                assert largest <= value.limit * 1.001 + 1e-6, (index, name)
        with listening(lambda remark: reached.add(remark.pass_name) if remark.kind == "done" else None):
            load(model, max_shapes=program.max_shapes())
    assert {f"loop over rows: {name}" for name in FORMS} | {"two loops over rows"} <= set(found)
    assert reached >= REACHED
    assert not any("loop over rows" in name for i in range(COUNT) for name in made(i).features)


QUIET = settings(
    max_examples=25, database=None, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


@QUIET
@given(programs(size=6))
def test_hypothesis_draws_valid_programs(program: Program) -> None:
    run_onnxruntime(to_onnx(program), program.feeds[:1])


def test_hypothesis_shrinks() -> None:
    """One search may end in a local minimum, of which each version of hypothesis has others: the best of three."""

    def search(seed: int) -> int:
        found = find(
            programs(size=3, depth=1),
            lambda p: any(isinstance(s, Loop) and s.carried for _, s in walk(p.body)),
            settings=settings(QUIET, max_examples=200, derandomize=False),
            random=random.Random(seed),
        )
        return size_of(found.body)

    assert min(map(search, range(3))) <= 8
