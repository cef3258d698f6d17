"""Accesses of loops, compared with the positions that a run reads and writes."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from xdsl.dialects import scf
from xdsl.ir import Operation

from loomir.compiler.engines import RunListener
from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.dialects.affine_forms import AffineForm
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.scattering import ScatterUpdateOp
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.dependence.accesses import Access, accesses_of, accesses_of_for, distance
from loomir.passes.analysis.dependence.distances import Distances, Independent, Unknown
from loomir.passes.analysis.inference import infer

ROWS = 16


class Indices(RunListener):
    """Records the indices that gathers and scatters meet."""

    def __init__(self) -> None:
        self.read: list[int] = []
        self.written: list[int] = []

    def will_interpret_op(self, op: Operation, args: tuple[Any, ...]) -> None:
        if isinstance(op, GatherOp):
            self.read.append(int(args[1]))
        elif isinstance(op, ScatterUpdateOp):
            self.written.append(int(args[1]))

    def did_interpret_op(self, op: Operation, results: tuple[Any, ...]) -> None:
        pass


def table(read: tuple[int, int], written: tuple[int, int], trips: int, element: str = "i64") -> str:
    """A loop that reads row a · i + b of a table and writes row c · i + d, by counters of this type."""
    type_ = f"tensor<{element}>"
    constants = {"ra": read[0], "rb": read[1], "wa": written[0], "wb": written[1]}
    lines = "\n".join(f"%{n} = ov.constant dense<{v}> : {type_} : {type_}" for n, v in constants.items())
    return f"""
    func.func @main(%t: tensor<{ROWS}x2xi64>) -> tensor<{ROWS}x2xi64> {{
      %n = ov.constant dense<{trips}> : tensor<i64> : tensor<i64>
      %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
      {lines}
      %r, %k = ov.loop trip(%n) carried(%t, %rb) : (tensor<i64>, tensor<{ROWS}x2xi64>, {type_}) -> (tensor<{ROWS}x2xi64>, {type_}) {{
      ^bb0(%i: tensor<i64>, %u: tensor<{ROWS}x2xi64>, %from: {type_}):
        %j = ov.convert %i {{destination_type = {element}}} : (tensor<i64>) -> {type_}
        %wi = ov.multiply %j, %wa : ({type_}, {type_}) -> {type_}
        %to = ov.add %wi, %wb : ({type_}, {type_}) -> {type_}
        %row = ov.gather %u, %from, %zero : (tensor<{ROWS}x2xi64>, {type_}, tensor<i64>) -> tensor<2xi64>
        %v = ov.scatter_update %u, %to, %row, %zero : (tensor<{ROWS}x2xi64>, {type_}, tensor<2xi64>, tensor<i64>) -> tensor<{ROWS}x2xi64>
        %next = ov.add %from, %ra : ({type_}, {type_}) -> {type_}
        ov.next carried(%v, %next : tensor<{ROWS}x2xi64>, {type_})
      }}
      func.return %r : tensor<{ROWS}x2xi64>
    }}"""


def graph_accesses(text: str) -> list[Access]:
    """The accesses of the first loop of a program."""
    module = parse_module(text)
    inference = infer(module)
    return accesses_of(next(op for op in walk(module) if isinstance(op, LoopOp)), inference)


LINES = st.tuples(st.integers(-3, 3), st.integers(0, ROWS - 1))


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(LINES, LINES, st.integers(1, 6), st.sampled_from(["i64", "i32", "i8"]))
def test_rows_of_a_carried_table(
    read: tuple[int, int], written: tuple[int, int], trips: int, element: str
) -> None:
    text = table(read, written, trips, element)
    reads, writes = graph_accesses(text)
    places = [[a * i + b for i in range(trips)] for a, b in (read, written)]
    for access, rows in zip((reads, writes), places, strict=True):
        assert (access.ranges is not None) == all(0 <= row < ROWS for row in rows), access.reason
        if access.ranges is not None:
            begin = access.ranges[0].begin
            at = [begin.substitute(access.loops[0].symbol, AffineForm(i)).number for i in range(trips)]
            assert at == rows
    if reads.ranges is None or writes.ranges is None:
        assert isinstance(distance(reads, writes), Unknown)
        return
    listener = Indices()
    GraphEngine(parse_module(text), listeners=(listener,))({"arg0": np.zeros((ROWS, 2), np.int64)})
    assert [listener.read, listener.written] == places
    met = [
        later - earlier
        for earlier, later in product(range(trips), repeat=2)
        if listener.read[earlier] == listener.written[later]
    ]
    found = distance(reads, writes)
    assert found == Distances(((min(met), max(met)),)) if met else isinstance(found, Independent)


def test_tuples_of_one_index() -> None:
    read, written = graph_accesses("""
    func.func @main(%t: tensor<9x2xi64>) -> tensor<9x2xi64> {
      %n = ov.constant dense<8> : tensor<i64> : tensor<i64>
      %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
      %ones = ov.constant dense<1> : tensor<2xi64> : tensor<2xi64>
      %r = ov.loop trip(%n) carried(%t) : (tensor<i64>, tensor<9x2xi64>) -> tensor<9x2xi64> {
      ^bb0(%i: tensor<i64>, %u: tensor<9x2xi64>):
        %at = ov.reshape %i, %ones : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
        %row = ov.gather_nd %u, %at : (tensor<9x2xi64>, tensor<1x1xi64>) -> tensor<1x2xi64>
        %after = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
        %place = ov.reshape %after, %ones : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
        %v = ov.scatter_nd_update %u, %place, %row
            : (tensor<9x2xi64>, tensor<1x1xi64>, tensor<1x2xi64>) -> tensor<9x2xi64>
        ov.next carried(%v : tensor<9x2xi64>)
      }
      func.return %r : tensor<9x2xi64>
    }""")
    assert [read.writes, written.writes] == [False, True]
    assert distance(written, read) == Distances(((1, 1),))


def test_parts_and_slices() -> None:
    accesses = graph_accesses("""
    func.func @main(%x: tensor<12x3xf32>, %y: tensor<3x20xf32>) -> tensor<3x3xf32> {
      %two = ov.constant dense<2> : tensor<1xi64> : tensor<1xi64>
      %three = ov.constant dense<3> : tensor<1xi64> : tensor<1xi64>
      %ones = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
      %r = ov.loop sliced(%x, %x) {slices = [#ov.slice<axis = 0, start = 3, stride = 3, part_size = 3>,
          #ov.slice<axis = 0, start = -1, end = 3, stride = -3, part_size = 3>]}
          : (tensor<12x3xf32>, tensor<12x3xf32>) -> (tensor<3x3xf32>) {
      ^bb0(%i: tensor<i64>, %p: tensor<3x3xf32>, %q: tensor<3x3xf32>):
        %one = ov.reshape %i, %ones : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
        %from = ov.multiply %one, %two : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
        %to = ov.add %from, %three : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
        %s = ov.slice %y, %from, %to, %ones, %ones
            : (tensor<3x20xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3x?xf32>
        %m = ov.add %p, %q : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
        ov.next last(%m : tensor<3x3xf32>)
      }
      func.return %r : tensor<3x3xf32>
    }""")
    p, q, s = accesses
    assert p.ranges is not None
    assert q.ranges is not None
    i = p.loops[0].symbol
    assert [(r.begin.constant, r.begin.coefficient(i), r.size) for r in p.ranges] == [(3, 3, 3), (0, 0, 3)]
    assert [(r.begin.constant, r.begin.coefficient(i), r.size) for r in q.ranges] == [(9, -3, 3), (0, 0, 3)]
    # Rows 3 … 5 of the first and the last iteration, 6 … 8 of the middle one.
    assert distance(p, q) == Distances(((-2, 2),))
    assert distance(p, p) == Distances(((0, 0),))
    assert distance(p, s) == Independent("they are of different tensors")
    # Inference does not know that its length is 3.
    assert s.reason == "an extent or an axis is unknown"


def test_a_tensor_that_is_replaced() -> None:
    text = table((1, 0), (1, 1), 4).replace("carried(%v, %next", "carried(%w, %next")
    text = text.replace(
        "%next =", f"%w = ov.exp %v : (tensor<{ROWS}x2xi64>) -> tensor<{ROWS}x2xi64>\n%next ="
    )
    text = text.replace(f"{ROWS}x2xi64", f"{ROWS}x2xf32").replace("tensor<2xi64>", "tensor<2xf32>")
    found = distance(*graph_accesses(text))
    assert isinstance(found, Unknown)
    assert "another tensor" in found.reason


def for_accesses(body: str) -> list[Access]:
    """The accesses of the outer one of two loops over %i and %j."""
    module = parse_module(f"""
    func.func @main(%m: memref<40xf32>, %n: memref<40xf32>, %x: f32, %d: index) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c10 = arith.constant 10 : index
      scf.for %i = %c2 to %c10 step %c2 {{
        scf.for %j = %c0 to %c4 step %c1 {{
          {body}
        }}
      }}
      func.return
    }}""")
    return accesses_of_for(next(op for op in walk(module) if isinstance(op, scf.ForOp)))


def test_buffers_in_two_loops() -> None:
    load, store = for_accesses("""
          %a = arith.addi %i, %c2 : index
          %e = memref.load %m[%i] : memref<40xf32>
          memref.store %e, %m[%a] : memref<40xf32>""")
    # The iterations of the outer loop count from 0: its variable is 2 · i + 2.
    assert distance(load, store) == Distances(((-1, -1), (-3, 3)))
    assert store.writes
    assert not load.writes
    first, second, third, fourth = for_accesses("""
          %k = arith.muli %i, %c4 : index
          %l = arith.addi %k, %j : index
          %o = arith.addi %i, %d : index
          %e = memref.load %m[%l] : memref<40xf32>
          %f = memref.load %n[%l] : memref<40xf32>
          %g = memref.load %m[%o] : memref<40xf32>
          memref.store %e, %m[%c0] : memref<40xf32>""")
    assert distance(first, second) == Unknown("two buffers may overlap")
    assert isinstance(distance(first, first), Unknown)  # it depends on both loops
    assert third.reason == "its index 2 * i + 1 * d + 2 may wrap around"
    # The least position of the load is 8.
    assert distance(first, fourth) == Independent("they are too far apart for the iterations of the loops")
