"""Features of programs: forms of nested control flow, and programs with given ones."""

from __future__ import annotations

from collections import Counter

import pytest

from loomir.tools.fuzz import If, Loop, Op, Program, Region, Scan, ScanAxis, Statement, Value
from loomir.tools.fuzz.features import TRIES, check_features, count_forms, program_with
from loomir.tools.fuzz.generator import program_of
from tests.support import raises_error

X, C, N = Value("x", "f32", (2,)), Value("c", "bool", ()), Value("n", "i64", ())


def branch(condition: Value, inner: tuple[Statement, ...] = (), result: Value = X) -> If:
    return If(condition, Region((), inner, (result,)), Region((), (), (X,)), (Value("r", "f32", (2,)),))


def loop(*inner: Statement, carried: bool = True) -> Loop:
    """A loop whose body ends with a use of the last statement's result; its condition is its parameter."""
    i, again, v = Value("i", "i64", ()), Value("again", "bool", ()), Value("v", "f32", (2,))
    last = inner[-1].outputs[0] if inner else X
    inputs, parameters = ((X,), (i, again, v)) if carried else ((), (i, again))
    body = Region(parameters, inner, (again, last))
    return Loop(N, None, inputs, body, (Value("l", "f32", (2,)),), 0 if carried else 1)


def forms(*statements: Statement) -> Counter[str]:
    results = tuple(o for s in statements for o in s.outputs)
    return Counter(count_forms(Program("made", Region((X, C, N), statements, results), ())))


def test_a_branch_on_an_invariant() -> None:
    assert forms(branch(C)) == {}
    assert forms(loop(branch(C))) == {"if in a loop": 1, "if on an invariant in a loop": 1}


def test_a_branch_on_what_the_loop_makes() -> None:
    made = Value("made", "bool", ())
    inside = loop(Op("Not", (C,), (made,)), branch(made))
    assert forms(inside) == {"if in a loop": 1, "if on a changing value in a loop": 1}


def test_the_innermost_loop_decides_what_is_invariant() -> None:
    made = Value("made", "bool", ())
    inside = loop(Op("Not", (C,), (made,)), loop(branch(made)))
    assert forms(inside)["if on an invariant in a loop"] == 1
    assert forms(inside)["loop in a loop"] == 1


def test_a_branch_deeper_in_a_branch() -> None:
    """It is in a loop, and its place is in an if."""
    inside = branch(C)
    found = forms(loop(branch(C, (inside,), inside.outputs[0])))
    assert found == {"if in a loop": 1, "if in an if": 1, "if on an invariant in a loop": 2}


def test_dead_code_has_no_form() -> None:
    assert forms(loop(branch(C), Op("Neg", (X,), (Value("y", "f32", (2,)),)))) == {}


def test_scans_are_loops() -> None:
    s, e, r = Value("s", "f32", (2,)), Value("e", "f32", ()), branch(C)
    scan = Scan((X,), (X,), (ScanAxis(0),), Region((s, e), (r,), r.outputs), (Value("o", "f32", (2,)),), ())
    assert forms(scan)["if on an invariant in a loop"] == 1


def test_loops_without_carried_values() -> None:
    assert forms(loop(carried=False)) == {"loop without carried values": 1}


def test_programs_have_what_is_wanted() -> None:
    wanted = ("loop-in-an-If", "Early exit")
    for index in range(10):
        made = program_of(5, index, features=wanted)
        assert made.features["loop in an if"]
        assert made.features["early exit"]
        assert made.name == f"5/{index}"


def test_what_has_it_anyway_is_the_same_program() -> None:
    plain = program_of(5, 3)
    assert program_of(5, 3, features=[min(plain.features)]).features == plain.features


def test_the_search_ends() -> None:
    made: list[int] = []

    def make(number: int) -> Program:
        made.append(number)
        return Program("made", Region((), (), ()), ())

    program_with(["what nothing has"], make)
    assert made == list(range(TRIES))


@pytest.mark.parametrize(("name", "near"), [("early-exits", "early exit"), ("zzz", "none")])
def test_unknown_features(name: str, near: str) -> None:
    known = Counter({"early exit": 3, "loop in a loop": 2})
    check_features(["Early-exit", "loop in a loop"], known)
    with raises_error("bad-option", name, near, "--list-features"):
        check_features([name], known)
