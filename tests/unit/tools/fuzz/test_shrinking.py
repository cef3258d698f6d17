"""The reducer: small results, the failure kept, no endless loops asked for, a bounded number of questions."""

from __future__ import annotations

import numpy as np
import pytest

from loomir.tools.fuzz import If, Loop, Op, Program, Region, Scan, Value, size_of, walk
from loomir.tools.fuzz.generator import program_of
from loomir.tools.fuzz.onnx_oracle import to_onnx
from loomir.tools.fuzz.shrinking import reduce_program, terminates
from loomir.tools.fuzz.shrinking.edits import without_dead_code
from tests.differential.oracle import run_onnxruntime

SEED = 1


def runs(program: Program) -> bool:
    """Return True if ONNX Runtime accepts the program.

    An edit may leave shapes that do not fit.
    """
    try:
        run_onnxruntime(to_onnx(program), program.feeds)
    except Exception:
        return False
    return True


def holds(program: Program, kind: type, depth: int) -> bool:
    return any(isinstance(s, kind) and d >= depth for d, s in walk(program.body))


@pytest.mark.parametrize(("kind", "depth", "largest"), [(Scan, 0, 12), (If, 1, 16), (Loop, 2, 24)])
def test_what_is_left_is_small_and_still_fails(kind: type, depth: int, largest: int) -> None:
    found = [p for p in (program_of(SEED, i) for i in range(60)) if holds(p, kind, depth)][:4]
    assert len(found) == 4
    for program in found:
        reduced = reduce_program(program, lambda p: holds(p, kind, depth) and runs(p))
        assert holds(reduced, kind, depth)
        assert runs(reduced)
        assert size_of(reduced.body) <= largest < size_of(program.body)
        assert len(reduced.feeds) == 1


def test_programs_with_sequences_are_reduced() -> None:
    def erases(program: Program) -> bool:
        return any(isinstance(s, Op) and s.kind == "SequenceErase" for _, s in walk(program.body))

    found = [p for p in (program_of(SEED, i, sequences=True) for i in range(30)) if erases(p)][:3]
    assert len(found) == 3
    for program in found:
        reduced = reduce_program(program, lambda p: erases(p) and runs(p))
        assert erases(reduced)
        assert size_of(reduced.body) <= 12


def test_a_failure_that_depends_on_data_keeps_the_data() -> None:
    def bad(program: Program) -> bool:
        return any(f.get("n3", 0) == 3 for f in program.feeds)

    program = program_of(SEED, 5)
    feeds = tuple({**f, "n3": np.array(n)} for f, n in zip(program.feeds, (1, 3)))
    program = Program(program.name, program.body, feeds)
    reduced = reduce_program(program, bad)
    assert [int(f["n3"]) for f in reduced.feeds] == [3]


def test_it_is_deterministic_and_bounded() -> None:
    program = program_of(SEED, 4)
    asked: list[int] = []

    def bad(candidate: Program) -> bool:
        asked.append(size_of(candidate.body))
        return holds(candidate, Loop, 0) and runs(candidate)

    first, second = (to_onnx(reduce_program(program, bad)).SerializeToString() for _ in range(2))
    assert first == second
    asked.clear()
    reduce_program(program, bad, max_checks=7)
    assert len(asked) == 7


def test_a_failure_in_dead_code_keeps_it() -> None:
    program = program_of(SEED, 2)
    x = program.inputs[0]
    dead = Op("Neg", (x,), (Value("dead", x.dtype, x.shape),))
    region = Region(program.body.parameters, (*program.body.statements, dead), program.body.results)
    program = Program(program.name, region, program.feeds)
    reduced = reduce_program(program, lambda p: any(s.outputs[0].name == "dead" for _, s in walk(p.body)))
    assert size_of(reduced.body) <= 2
    assert size_of(without_dead_code(reduced).body) < size_of(reduced.body)


def loop_to(bound: int | None, *, trip: int | None = None) -> Region:
    """A loop that counts to a number in its condition, if there is one."""
    i, c, a, again = (Value(n, t, ()) for n, t in zip("icab", ("i64", "bool", "i64", "bool")))
    k, one, n, true, out = (Value(f"k{j}", t, ()) for j, t in enumerate(("i64", "i64", "i64", "bool", "i64")))
    start: list[Op] = [Op("Constant", (), (true,), {"value": np.array(True)})]
    start.append(Op("Constant", (), (n,), {"value": np.array(trip or 0)}))
    if bound is None:
        body = Region((i, c, a), (), (c, a))
    else:
        following = Value("f", "i64", ())
        inner = (
            Op("Constant", (), (one,), {"value": np.array(1)}),
            Op("Constant", (), (k,), {"value": np.array(bound)}),
            Op("Add", (a, one), (following,)),
            Op("Less", (following, k), (again,)),
        )
        body = Region((i, c, a), inner, (again, following))
    loop = Loop(n if trip is not None else None, true, (n,), body, (out,))
    return Region((), (*start, loop), (out,))


def test_endless_loops_are_recognised() -> None:
    assert terminates(loop_to(5))
    assert terminates(loop_to(None, trip=7))
    assert terminates(loop_to(5, trip=2**40))
    assert not terminates(loop_to(None))
    assert not terminates(loop_to(None, trip=2**40))


@pytest.mark.parametrize(("limit", "ends"), [(64.0, True), (2.0**63, False)])
def test_a_fed_trip_count_is_bounded_by_what_is_fed(limit: float, ends: bool) -> None:
    i, c = Value("i", "i64", ()), Value("c", "bool", ())
    fed, least, three = (Value(n, "i64", (), limit if n == "fed" else 3.0) for n in ("fed", "least", "three"))
    body = Region((i, c), (), (c,))
    assert terminates(Region((fed,), (Loop(fed, None, (), body, ()),), ())) is ends
    count = (
        Op("Constant", (), (three,), {"value": np.array(3)}),
        Op("Min", (fed, three), (least,)),
    )
    assert terminates(Region((fed,), (*count, Loop(least, None, (), body, ())), ()))


def test_generated_programs_end() -> None:
    assert all(terminates(program_of(SEED, i).body) for i in range(150))
