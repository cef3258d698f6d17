"""Facts of sequences and optionals through loops and branches: lengths grow as extents do, elements are joined."""

from __future__ import annotations

import pytest

from loomir.compiler.formats.mlir.parser import parse_module
from loomir.dialects.interface import main_function
from loomir.dialects.ov.facts import Dim, shape_of
from loomir.dialects.ovseq.types import AnyFact, OptionalFact, SequenceFact
from loomir.passes.analysis.inference import infer

SEQ = "!ovseq.sequence<tensor<*xf32>>"


def result_facts(text: str) -> list[AnyFact]:
    """The facts of what `main` returns."""
    module = parse_module(text)
    end = main_function(module).body.block.last_op
    assert end is not None
    inference = infer(module)
    return [inference.any_fact(v) for v in end.operands]


def appends(
    trips: str, *, body: str = "", value: str = "%x", type_: str = "tensor<2xf32>", arguments: str = ""
) -> SequenceFact:
    """The fact of a sequence, empty at first, that a loop appends to."""
    (fact,) = result_facts(f"""
    func.func @main(%x: tensor<2xf32>, %c: tensor<i1>{arguments}) -> {SEQ} {{
      {trips}
      %e = ovseq.empty {{element_type = f32}} : {SEQ}
      %y = ov.loop trip(%n) carried(%e) : (tensor<i64>, {SEQ}) -> {SEQ} {{
      ^bb0(%i: tensor<i64>, %s: {SEQ}):
        {body}
        %t = ovseq.insert %s, {value} : ({SEQ}, {type_}) -> {SEQ}
        ov.next carried(%t : {SEQ})
      }}
      func.return %y : {SEQ}
    }}""")
    assert isinstance(fact, SequenceFact)
    return fact


def constant(n: int) -> str:
    return f"%n = ov.constant dense<{n}> : tensor<i64> : tensor<i64>"


@pytest.mark.parametrize("trips", [1, 2, 10, 64, 65, 1000])
def test_a_sequence_that_a_loop_appends_to_is_as_long_as_its_trips(trips: int) -> None:
    """Followed trip by trip, or extrapolated beyond that."""
    fact = appends(constant(trips))
    assert fact.length.hi == trips
    assert fact.length.lo >= 1
    assert fact.element.shape == shape_of([2])


def test_a_sequence_that_grows_without_a_bound() -> None:
    fact = appends("", arguments=", %n: tensor<i64>")
    assert fact.length == Dim()
    assert fact.element.shape == shape_of([2])


def test_no_trip_leaves_the_sequence_empty() -> None:
    fact = appends(constant(0))
    assert fact.length == Dim(0, 0)
    assert fact.items == ()


def test_elements_that_grow_are_bounded_too() -> None:
    """The n-th element has 2n values: what a loop reads back and appends again."""
    body = f"""
        %last = ov.constant dense<-1> : tensor<i64> : tensor<i64>
        %p = ovseq.insert %s, %x : ({SEQ}, tensor<2xf32>) -> {SEQ}
        %q = ovseq.at %p, %last : ({SEQ}, tensor<i64>) -> tensor<*xf32>
        %v = ov.concat %q, %x {{axis = 0 : i64}} : (tensor<*xf32>, tensor<2xf32>) -> tensor<*xf32>"""
    fact = appends(constant(10), body=body, value="%v", type_="tensor<*xf32>")
    assert fact.length.hi == 10
    # Which element `at` gives is not known once there are several: the join of all, and 2 more.
    assert fact.element.shape is not None
    assert fact.element.shape[0].lo == 4


def test_a_branch_joins_lengths_and_elements() -> None:
    (fact,) = result_facts(f"""
    func.func @main(%c: tensor<i1>, %x: tensor<2xf32>, %y: tensor<3xf32>) -> {SEQ} {{
      %r = ov.if %c -> ({SEQ}) {{
        %a = ovseq.construct %x, %y : (tensor<2xf32>, tensor<3xf32>) -> {SEQ}
        ov.yield %a : {SEQ}
      }} else {{
        %b = ovseq.empty {{element_type = f32}} : {SEQ}
        ov.yield %b : {SEQ}
      }}
      func.return %r : {SEQ}
    }}""")
    assert isinstance(fact, SequenceFact)
    assert fact.length == Dim(0, 2)
    assert fact.element.shape == (Dim(2, 3),)


def test_positions_that_are_known_keep_the_elements_apart() -> None:
    facts = result_facts(f"""
    func.func @main(%x: tensor<2xf32>, %y: tensor<3x4xf32>) -> (tensor<*xf32>, tensor<*xf32>) {{
      %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
      %a = ovseq.construct %x, %x : (tensor<2xf32>, tensor<2xf32>) -> {SEQ}
      %b = ovseq.insert %a, %y, %zero : ({SEQ}, tensor<3x4xf32>, tensor<i64>) -> {SEQ}
      %0 = ovseq.at %b, %zero : ({SEQ}, tensor<i64>) -> tensor<*xf32>
      %c = ovseq.erase %b, %zero : ({SEQ}, tensor<i64>) -> {SEQ}
      %1 = ovseq.at %c, %zero : ({SEQ}, tensor<i64>) -> tensor<*xf32>
      func.return %0, %1 : tensor<*xf32>, tensor<*xf32>
    }}""")
    assert [str(f.type) for f in facts] == ["tensor<3x4xf32>", "tensor<2xf32>"]


def test_shapes_kept_in_a_sequence_are_known() -> None:
    """A shape goes through a sequence and back, and makes another shape."""
    (fact,) = result_facts("""
    func.func @main(%x: tensor<2x3xf32>, %y: tensor<4xf32>) -> tensor<*xf32> {
      %s = ov.shape_of %x : (tensor<2x3xf32>) -> tensor<2xi64>
      %four = ov.constant dense<4> : tensor<1xi64> : tensor<1xi64>
      %q = ovseq.construct %s, %four : (tensor<2xi64>, tensor<1xi64>) -> !ovseq.sequence<tensor<?xi64>>
      %t = ovseq.concat %q : (!ovseq.sequence<tensor<?xi64>>) -> tensor<?xi64>
      %r = ov.broadcast %y, %t : (tensor<4xf32>, tensor<?xi64>) -> tensor<*xf32>
      func.return %r : tensor<*xf32>
    }""")
    assert str(fact.type) == "tensor<2x3x4xf32>"


@pytest.mark.parametrize(
    ("trips", "condition", "present"),
    [(0, False, False), (1, False, True), (5, False, True), (5, True, None)],
)
def test_an_optional_that_a_loop_fills(trips: int, condition: bool, present: bool | None) -> None:
    """Filled for sure where an iteration surely runs."""
    optional = "!ovseq.optional<tensor<*xf32>>"
    while_, boolean = ("while(%c)", "tensor<i1>, ") if condition else ("", "")
    (fact,) = result_facts(f"""
    func.func @main(%x: tensor<2xf32>, %c: tensor<i1>) -> {optional} {{
      {constant(trips)}
      %e = ovseq.none {{value_type = tensor<*xf32>}} : {optional}
      %y = ov.loop trip(%n) {while_} carried(%e) : (tensor<i64>, {boolean}{optional}) -> {optional} {{
      ^bb0(%i: tensor<i64>, %o: {optional}):
        %t = ovseq.some %x : (tensor<2xf32>) -> {optional}
        ov.next {while_} carried(%t : {optional})
      }}
      func.return %y : {optional}
    }}""")
    assert isinstance(fact, OptionalFact)
    assert fact.present is present
    assert str(fact.type.value) == ("tensor<*xf32>" if present is False else "tensor<2xf32>")


def test_lengths_decide_branches() -> None:
    """length → comparison → condition → branch, in one run."""
    (fact,) = result_facts(f"""
    func.func @main(%x: tensor<2xf32>) -> tensor<*xf32> {{
      %s = ovseq.construct %x, %x : (tensor<2xf32>, tensor<2xf32>) -> {SEQ}
      %n = ovseq.length %s : ({SEQ}) -> tensor<i64>
      %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
      %c = ov.equal %n, %two : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %r = ov.if %c -> (tensor<*xf32>) {{
        ov.yield %x : tensor<2xf32>
      }} else {{
        %j = ovseq.concat %s {{axis = 0 : i64, new_axis = true}} : ({SEQ}) -> tensor<*xf32>
        ov.yield %j : tensor<*xf32>
      }}
      func.return %r : tensor<*xf32>
    }}""")
    assert str(fact.type) == "tensor<2xf32>"
