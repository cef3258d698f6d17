"""Dependence of iterations, compared with what random bodies compute."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import HealthCheck, given, settings
from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.dialects.ov.base import evaluate
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.dependence import MEMORY, LoopDependence, dependence_of, strong_components
from tests.unit.passes.analysis.dependence.bodies import RandomBody, bodies, first_loop

LIMITS = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def run_once(engine: GraphEngine, values: list[int], outside: int = 11) -> list[int]:
    """The results of a program for the initial values of its loop."""
    feed = {f"arg{k}": np.array(v, np.int64) for k, v in enumerate([*values, outside])}
    return [int(v) for v in engine(feed).values()]


def changed_by(body: RandomBody, seed: int, invariant: set[int]) -> list[set[int]]:
    """Of each carried value those, but the invariant ones, that change its next value."""
    engine = GraphEngine(parse_module(body.text(1, seed)))
    values = [1000 * (seed + 1) + 37 * k for k in range(body.carried)]
    before = run_once(engine, values)
    changed: list[set[int]] = [set() for _ in values]
    for k in range(body.carried):
        after = run_once(engine, [v + (n == k) * 12345 for n, v in enumerate(values)])
        for number, (a, b) in enumerate(zip(before, after, strict=True)):
            if a != b:
                changed[number].add(k)
    return [set() if n in invariant else reads - invariant for n, reads in enumerate(changed)]


@LIMITS
@given(bodies())
def test_reads_are_what_changes_the_next_values(body: RandomBody) -> None:
    carried = dependence_of(first_loop(body.text(1))).carried
    invariant = {c.number for c in carried if c.is_invariant}
    assert invariant == {n for n, place in enumerate(body.following) if place % body.places == n + 1}
    assert [c.reads for c in carried] == changed_by(body, 0, invariant)


@LIMITS
@given(bodies(("combine", "if", "loop")))
def test_nothing_else_changes_a_next_value(body: RandomBody) -> None:
    carried = dependence_of(first_loop(body.text(1))).carried
    invariant = {c.number for c in carried if c.is_invariant}
    for seed in range(3):
        changed = changed_by(body, seed, invariant)
        assert all(seen <= c.reads for seen, c in zip(changed, carried, strict=True))


def closure(edges: dict[int, set[int]]) -> dict[int, set[int]]:
    """The nodes that each node reaches in one step or more."""
    reached = {node: set(after) for node, after in edges.items()}
    for middle, node in product(reached, reached):
        if middle in reached[node]:
            reached[node] |= reached[middle]
    return reached


@LIMITS
@given(bodies(("combine", "if", "loop")))
def test_recurrences_are_cycles_of_carried_values(body: RandomBody) -> None:
    dependence = dependence_of(first_loop(body.text(1)))
    reached = closure({c.number: set(c.reads) for c in dependence.carried})
    for a in dependence.carried:
        assert (a.recurrence is not None) == (a.number in reached[a.number])
        for b in dependence.carried:
            together = a.number in reached[b.number] and b.number in reached[a.number]
            assert together == (a.recurrence is not None and a.recurrence == b.recurrence)
        behind = {dependence.carried[n].recurrence for n in reached[a.number]} - {None}
        assert dependence.recurrences_of(a.value.following) == behind


@LIMITS
@given(bodies())
def test_a_loop_can_run_group_by_group(body: RandomBody) -> None:
    """Each group runs all its iterations before the next one begins: nothing that it needs is missing, and the results are the same."""
    trips = 4
    loop = first_loop(body.text(trips))
    dependence = dependence_of(loop)
    initial = [7 + 5 * k for k in range(body.carried)]
    block = loop.parent
    assert block is not None
    outside: dict[SSAValue, np.ndarray] = {
        op.results[0]: evaluate(op, [])[0] for op in block.ops if op.results and not op.operands
    }
    outside |= {a: np.array(v, np.int64) for a, v in zip(block.args, [*initial, 11], strict=True)}
    made: list[dict[SSAValue, np.ndarray]] = [
        {**outside, loop.iteration: np.array(t, np.int64)} for t in range(trips + 1)
    ]
    invariant = [c for c in dependence.carried if c.is_invariant]
    for values in made:
        values.update({c.value.arguments[0]: outside[c.value.initial] for c in invariant})
    for c in dependence.carried:
        made[0][c.value.arguments[0]] = outside[c.value.initial]
    seen: list[Operation | int] = []
    for group in dependence.groups:
        assert group.recurrent or len(group.operations) + len(group.carried) == 1
        for t in range(trips):
            for op in group.operations:
                results = evaluate(op, [made[t][v] for v in op.operands])
                made[t].update(zip(op.results, results, strict=True))
            for number in group.carried:
                c = dependence.carried[number].value
                made[t + 1][c.arguments[0]] = made[t][c.following]
        seen += [*group.operations, *group.carried]
    assert len(seen) == len(set(seen)) == len(dependence.operations) + body.carried
    expected = run_once(GraphEngine(parse_module(body.text(trips))), initial)
    assert [int(made[trips][c.value.arguments[0]]) for c in dependence.carried] == expected


@LIMITS
@given(bodies())
def test_what_matters_in_the_last_iteration_only(body: RandomBody) -> None:
    """Without these operations the iterations before the last compute the same carried values that are read."""
    dependence = dependence_of(first_loop(body.text(1)))
    left_out = set(dependence.last_trip_only)
    for op in dependence.operations:
        readers = {use.operation for result in op.results for use in result.uses}
        numbers = {c.number for c in dependence.carried if c.value.following in op.results}
        needed = bool(readers - left_out - {first_end(dependence)}) or any(
            not dependence.carried[n].is_unread for n in numbers
        )
        assert (op in left_out) == (bool(readers) and not needed)


def first_end(dependence: LoopDependence) -> Operation:
    """The terminator of the body."""
    assert isinstance(dependence.loop, LoopOp)
    return dependence.loop.next


def test_parts_of_a_body() -> None:
    """A map part, two recurrences, a value of the iteration before, and what is behind a recurrence."""
    four = "tensor<4xf32>"
    loop = first_loop(f"""
    func.func @main(%a: {four}, %x: tensor<8x4xf32>) -> {four} {{
      %s = ov.constant dense<[4]> : tensor<1xi64> : tensor<1xi64>
      %r, %r1, %r2, %l = ov.loop carried(%a, %a, %a) sliced(%x) {{slices = [#ov.slice<axis = 0>]}}
          : ({four}, {four}, {four}, tensor<8x4xf32>) -> ({four}, {four}, {four}, {four}) {{
      ^bb0(%i: tensor<i64>, %u: {four}, %v: {four}, %w: {four}, %part: tensor<1x4xf32>):
        %e = ov.reshape %part, %s : (tensor<1x4xf32>, tensor<1xi64>) -> {four}
        %p = ov.multiply %u, %e : ({four}, {four}) -> {four}
        %q = ov.add %v, %p : ({four}, {four}) -> {four}
        %t = ov.tanh %w : ({four}) -> {four}
        ov.next carried(%p, %q, %e : {four}, {four}, {four}) last(%t : {four})
      }}
      func.return %l : {four}
    }}""")
    dependence = dependence_of(loop)
    e, p, q, t = dependence.operations
    assert dependence.recurrences == ((0,), (1,))
    assert [c.reads for c in dependence.carried] == [{0}, {0, 1}, frozenset()]
    assert [c.is_replaced for c in dependence.carried] == [False, False, True]
    assert dependence.is_map(e)
    assert not dependence.is_invariant(e)
    assert dependence.sources(p) == [loop.carried_arguments[0], loop.part_arguments[0]]
    # It reads a carried value, but of no recurrence: for all iterations at once it is shifted by one.
    assert dependence.reads(t) == {2}
    assert not dependence.recurrences_of(t)
    assert dependence.group_of(p).carried == (0,)
    assert dependence.group_of(q).carried == (1,)
    assert not dependence.group_of(e).recurrent
    assert not dependence.group_of(2).recurrent
    assert dependence.last_trip_only == (t,)
    assert dependence.condition is None


def test_an_invariant_value_is_no_recurrence() -> None:
    """Handed on by both arms of a branch, a value is the initial one."""
    loop = first_loop("""
    func.func @main(%a: tensor<4xf32>, %c: tensor<i1>, %n: tensor<i64>) -> tensor<4xf32> {
      %r, %s = ov.loop trip(%n) carried(%a, %a) : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      ^bb0(%i: tensor<i64>, %u: tensor<4xf32>, %v: tensor<4xf32>):
        %w, %m = ov.if %c -> (tensor<4xf32>, tensor<4xf32>) {
          ov.yield %u, %u : tensor<4xf32>, tensor<4xf32>
        } else {
          %e = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
          ov.yield %u, %e : tensor<4xf32>, tensor<4xf32>
        }
        ov.next carried(%w, %m : tensor<4xf32>, tensor<4xf32>)
      }
      func.return %s : tensor<4xf32>
    }""")
    dependence = dependence_of(loop)
    assert [c.is_invariant for c in dependence.carried] == [True, False]
    assert dependence.recurrences == ((1,),)
    assert dependence.is_invariant(loop.next.carried[0])
    assert not dependence.is_invariant(loop.next.carried[1])


def scf_loop(text: str) -> Operation:
    """The first `scf` loop of a program."""
    return next(op for op in walk(parse_module(text)) if isinstance(op, scf.ForOp | scf.WhileOp))


def test_loops_of_scf() -> None:
    """Values flow through both regions of a while loop, and the condition is one of them."""
    dependence = dependence_of(
        scf_loop("""
    func.func @main(%n: i64, %x: i64) -> i64 {
      %c1 = arith.constant 1 : i64
      %r:3 = scf.while (%k = %c1, %v = %x, %w = %x) : (i64, i64, i64) -> (i64, i64, i64) {
        %c = arith.cmpi slt, %k, %n : i64
        scf.condition(%c) %k, %v, %w : i64, i64, i64
      } do {
      ^bb0(%i: i64, %u: i64, %z: i64):
        %k1 = arith.addi %i, %c1 : i64
        %u1 = arith.muli %i, %x : i64
        %u2 = arith.addi %u1, %c1 : i64
        scf.yield %k1, %u2, %u : i64, i64, i64
      }
      func.return %r#2 : i64
    }""")
    )
    assert dependence.recurrences == ((0,),)
    assert [c.reads for c in dependence.carried] == [{0}, {0}, {1}]
    assert [c.is_unread for c in dependence.carried] == [False, False, True]
    compared, counted, *others = dependence.operations
    assert dependence.condition is compared.results[0]
    assert dependence.group_of(0).operations == (counted,)
    assert dependence.reads(compared) == {0}
    # The product is handed on to a value that is read; the last one only to its result.
    assert dependence.last_trip_only == ()
    assert len(others) == 2


def test_memory_is_carried() -> None:
    """A loaded value may have been stored in an earlier iteration, unless the loop only loads."""
    text = """
    func.func @main(%m: memref<8xf32>, %x: f32) -> f32 {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%v = %x) -> (f32) {{
        %e = memref.load %m[%i] : memref<8xf32>
        %w = arith.addf %v, %e : f32
        {}
        scf.yield %w : f32
      }}
      func.return %r : f32
    }}"""
    reading = dependence_of(scf_loop(text.format("")))
    assert reading.recurrences == ((0,),)
    assert reading.is_map(reading.operations[0])
    writing = dependence_of(scf_loop(text.format("memref.store %w, %m[%i] : memref<8xf32>")))
    load, add, store = writing.operations
    assert writing.reads(load) == {MEMORY}
    assert not writing.is_map(load)
    assert writing.recurrences == ((MEMORY, 0),)
    assert writing.group_of(load).operations == (load, add, store)


def test_components_of_a_long_chain() -> None:
    """The search needs no recursion."""
    size = 20_000
    found = list(strong_components(range(size), lambda n: [(n + 1) % size]))
    assert [len(component) for component in found] == [size]
