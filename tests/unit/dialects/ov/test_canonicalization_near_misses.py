"""Loops that are nearly those that `canonicalize` simplifies: they give what they gave, errors included."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.interpreters.ov import GraphEngine
from loomir.compiler.mlir.context import parse_module
from loomir.compiler.pipeline import run_passes
from loomir.dialects.interface import argument_names, main_function
from loomir.errors import Error

HEAD = """
  %zero = ov.constant dense<0> : t<i64> : t<i64>
  %one = ov.constant dense<1> : t<i64> : t<i64>
  %two = ov.constant dense<2> : t<i64> : t<i64>
  %three = ov.constant dense<3> : t<i64> : t<i64>
  %five = ov.constant dense<5> : t<i64> : t<i64>
  %minus = ov.constant dense<-1> : t<i64> : t<i64>
  %false = ov.constant dense<false> : t<i1> : t<i1>
  %axes = ov.constant dense<0> : t<1xi64> : t<1xi64>
"""
INPUTS: Mapping[str, tuple[str, Sequence[object]]] = {
    "n": ("t<i64>", (0, 1, 4)),
    "c": ("t<i1>", (True, False)),
    "k": ("t<i64>", (2,)),
    "v": ("t<f32>", (0.5,)),
    "a": ("t<1xf32>", ([0.25],)),
    "b": ("t<1xf32>", ([4.0],)),
    "x": ("t<3xf32>", ([1, 2, 4],)),
    "z": ("t<6xf32>", ([1, 2, 4, 8, 16, 32],)),
    "m": ("t<3x3xf32>", ([[1, 2, 3], [4, 5, 6], [7, 8, 9]],)),
    "p": ("t<?xf32>", ([], [1, 2, 4], [1, 2, 4, 8, 16])),
    "q": ("t<?xf32>", ([3, 5, 7, 9],)),
}
"""What programs may read, and what that is in turn."""


@dataclass(frozen=True)
class Program:
    """Operations that give `%r`, and its type; `t<` is short for `tensor<`."""

    name: str
    type: str
    text: str
    passes: str = "ov-infer,canonicalize"

    def module(self) -> ModuleOp:
        """The program, with the inputs that it reads."""
        read = [name for name in INPUTS if re.search(rf"%{name}\b", self.text)]
        inputs = ", ".join(f"%{name}: {INPUTS[name][0]}" for name in read)
        text = f"func.func @main({inputs}) -> {self.type} {{{HEAD}{self.text}\n  func.return %r : {self.type}\n}}"
        return parse_module(re.sub(r"\bt<", "tensor<", text))

    def feeds(self) -> list[dict[str, np.ndarray]]:
        """Every combination of the inputs' values."""
        module = self.module()
        main = main_function(module)
        read = [name for name in INPUTS if re.search(rf"%{name}\b", self.text)]
        kinds = {"i64": np.int64, "i1": np.bool_, "f32": np.float32}
        types = [kinds[re.split(r"[<x>]", INPUTS[name][0])[-2]] for name in read]
        names = argument_names(main)
        return [
            {name: np.array(value, type_) for name, value, type_ in zip(names, values, types)}
            for values in product(*(INPUTS[name][1] for name in read))
        ]


ONE_TRIP_OF_THREE = Program(
    "one-trip-of-three-parts",
    "t<1xf32>",
    """
  %r = ov.loop trip(%one) carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (t<i64>, t<1xf32>, t<3xf32>) -> t<1xf32> {
  ^bb0(%i: t<i64>, %u: t<1xf32>, %w: t<1xf32>):
    %s = ov.add %u, %w : (t<1xf32>, t<1xf32>) -> t<1xf32>
    ov.next carried(%s : t<1xf32>)
  }""",
)

PROGRAMS = (
    ONE_TRIP_OF_THREE,
    Program(
        "trips-beyond-the-slices",
        "t<*xf32>",
        """
  %r = ov.loop trip(%five) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]}
      : (t<i64>, t<3xf32>) -> t<*xf32> {
  ^bb0(%i: t<i64>, %w: t<1xf32>):
    ov.next concat(%a : t<1xf32>)
  }""",
        "canonicalize",
    ),
    Program(
        "no-trip-of-a-body-that-ends",
        "t<*xf32>",
        """
  %f, %r = ov.loop trip(%zero) carried(%a) {concats = [#ov.slice<axis = 0>]} : (t<i64>, t<1xf32>) -> (t<1xf32>, t<*xf32>) {
  ^bb0(%i: t<i64>, %u: t<1xf32>):
    %w = ov.exp %u : (t<1xf32>) -> t<1xf32>
    ov.next while(%false) carried(%w : t<1xf32>) concat(%w : t<1xf32>)
  }""",
        "canonicalize",
    ),
    Program(
        "one-trip-that-exchanges",
        "t<1xf32>",
        """
  %s, %t = ov.loop trip(%one) carried(%a, %b) : (t<i64>, t<1xf32>, t<1xf32>) -> (t<1xf32>, t<1xf32>) {
  ^bb0(%i: t<i64>, %u: t<1xf32>, %w: t<1xf32>):
    ov.next carried(%w, %u : t<1xf32>, t<1xf32>)
  }
  %r = ov.subtract %s, %t : (t<1xf32>, t<1xf32>) -> t<1xf32>""",
    ),
    Program(
        "one-trip-at-most-for-two-reasons",
        "t<1xf32>",
        """
  %r = ov.loop trip(%n) while(%c) carried(%a) : (t<i64>, t<i1>, t<1xf32>) -> t<1xf32> {
  ^bb0(%i: t<i64>, %u: t<1xf32>):
    %w = ov.exp %u : (t<1xf32>) -> t<1xf32>
    ov.next while(%false) carried(%w : t<1xf32>)
  }""",
    ),
    Program(
        "only-a-branch-asks",
        "t<f32>",
        """
  %r, %l = ov.loop trip(%n) carried(%v, %k) : (t<i64>, t<f32>, t<i64>) -> (t<f32>, t<i64>) {
  ^bb0(%i: t<i64>, %u: t<f32>, %g: t<i64>):
    %h = ov.multiply %g, %g : (t<i64>, t<i64>) -> t<i64>
    %d = ov.less %g, %five : (t<i64>, t<i64>) -> t<i1>
    %w = ov.if %d -> (t<f32>) {
      %e = ov.add %u, %u : (t<f32>, t<f32>) -> t<f32>
      ov.yield %e : t<f32>
    } else {
      ov.yield %u : t<f32>
    }
    ov.next carried(%w, %h : t<f32>, t<i64>)
  }""",
    ),
    Program(
        "only-the-trips-of-a-loop-ask",
        "t<f32>",
        """
  %r, %l = ov.loop trip(%two) carried(%v, %k) : (t<i64>, t<f32>, t<i64>) -> (t<f32>, t<i64>) {
  ^bb0(%i: t<i64>, %u: t<f32>, %g: t<i64>):
    %h = ov.multiply %g, %g : (t<i64>, t<i64>) -> t<i64>
    %w = ov.loop trip(%g) carried(%u) : (t<i64>, t<f32>) -> t<f32> {
    ^bb1(%j: t<i64>, %o: t<f32>):
      %e = ov.add %o, %o : (t<f32>, t<f32>) -> t<f32>
      ov.next carried(%e : t<f32>)
    }
    ov.next carried(%w, %h : t<f32>, t<i64>)
  }""",
    ),
    Program(
        "only-joined-inside",
        "t<1xf32>",
        """
  %r, %l = ov.loop trip(%n) carried(%a, %b) : (t<i64>, t<1xf32>, t<1xf32>) -> (t<1xf32>, t<1xf32>) {
  ^bb0(%i: t<i64>, %u: t<1xf32>, %g: t<1xf32>):
    %h = ov.multiply %g, %g : (t<1xf32>, t<1xf32>) -> t<1xf32>
    %all = ov.loop trip(%two) {concats = [#ov.slice<axis = 0>]} : (t<i64>) -> t<2xf32> {
    ^bb1(%j: t<i64>):
      %f = ov.convert %j {destination_type = f32} : (t<i64>) -> t<f32>
      %e = ov.add %g, %f : (t<1xf32>, t<f32>) -> t<1xf32>
      %o = ov.sin %e : (t<1xf32>) -> t<1xf32>
      ov.next concat(%o : t<1xf32>)
    }
    %s = ov.reduce_sum %all, %axes {keep_dims = true} : (t<2xf32>, t<1xi64>) -> t<1xf32>
    %w = ov.add %u, %s : (t<1xf32>, t<1xf32>) -> t<1xf32>
    ov.next carried(%w, %h : t<1xf32>, t<1xf32>)
  }""",
    ),
    Program(
        "only-a-last-value-reads",
        "t<f32>",
        """
  %f, %r = ov.loop trip(%n) carried(%v) : (t<i64>, t<f32>) -> (t<f32>, t<f32>) {
  ^bb0(%i: t<i64>, %u: t<f32>):
    %w = ov.add %u, %u : (t<f32>, t<f32>) -> t<f32>
    ov.next carried(%w : t<f32>) last(%w : t<f32>)
  }""",
    ),
    Program(
        "two-slices-of-open-extents",
        "t<?xf32>",
        """
  %r = ov.loop sliced(%p, %q) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]}
      : (t<?xf32>, t<?xf32>) -> t<?xf32> {
  ^bb0(%i: t<i64>, %u: t<1xf32>, %w: t<1xf32>):
    ov.next concat(%a : t<1xf32>)
  }""",
    ),
    Program(
        "joined-of-the-longer-slice",
        "t<?xf32>",
        """
  %r = ov.loop sliced(%p, %q) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]}
      : (t<?xf32>, t<?xf32>) -> t<?xf32> {
  ^bb0(%i: t<i64>, %u: t<1xf32>, %w: t<1xf32>):
    ov.next concat(%w : t<1xf32>)
  }""",
    ),
    Program(
        "all-but-the-first",
        "t<?xf32>",
        """
  %r = ov.loop sliced(%q) {slices = [#ov.slice<axis = 0, start = 1>], concats = [#ov.slice<axis = 0>]} : (t<?xf32>) -> t<?xf32> {
  ^bb0(%i: t<i64>, %w: t<1xf32>):
    ov.next concat(%a : t<1xf32>)
  }""",
    ),
    Program(
        "the-second-half",
        "t<3xf32>",
        """
  %r = ov.loop sliced(%z) {slices = [#ov.slice<axis = 0, start = 3>], concats = [#ov.slice<axis = 0>]} : (t<6xf32>) -> t<3xf32> {
  ^bb0(%i: t<i64>, %w: t<1xf32>):
    ov.next concat(%w : t<1xf32>)
  }""",
    ),
    Program(
        "rows-side-by-side",
        "t<1x9xf32>",
        """
  %r = ov.loop sliced(%m) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 1>]} : (t<3x3xf32>) -> t<1x9xf32> {
  ^bb0(%i: t<i64>, %w: t<1x3xf32>):
    ov.next concat(%w : t<1x3xf32>)
  }""",
    ),
    Program(
        "joined-until-a-condition",
        "t<?xf32>",
        """
  %f, %r = ov.loop trip(%n) carried(%k) {concats = [#ov.slice<axis = 0>]} : (t<i64>, t<i64>) -> (t<i64>, t<?xf32>) {
  ^bb0(%i: t<i64>, %g: t<i64>):
    %h = ov.multiply %g, %g : (t<i64>, t<i64>) -> t<i64>
    %d = ov.less %h, %five : (t<i64>, t<i64>) -> t<i1>
    ov.next while(%d) carried(%h : t<i64>) concat(%a : t<1xf32>)
  }""",
    ),
    Program(
        "gathered-of-what-is-joined-backwards",
        "t<1xf32>",
        """
  %f, %all = ov.loop trip(%three) carried(%a) {concats = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]}
      : (t<i64>, t<1xf32>) -> (t<1xf32>, t<3xf32>) {
  ^bb0(%i: t<i64>, %u: t<1xf32>):
    %w = ov.exp %u : (t<1xf32>) -> t<1xf32>
    ov.next carried(%w : t<1xf32>) concat(%w : t<1xf32>)
  }
  %r = ov.gather %all, %axes, %zero : (t<3xf32>, t<1xi64>, t<i64>) -> t<1xf32>""",
    ),
    Program(
        "the-first-of-what-is-joined-backwards",
        "t<f32>",
        """
  %f, %all = ov.loop trip(%three) carried(%a) {concats = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]}
      : (t<i64>, t<1xf32>) -> (t<1xf32>, t<3xf32>) {
  ^bb0(%i: t<i64>, %u: t<1xf32>):
    %w = ov.exp %u : (t<1xf32>) -> t<1xf32>
    ov.next carried(%w : t<1xf32>) concat(%w : t<1xf32>)
  }
  %r = ov.gather %all, %two, %zero : (t<3xf32>, t<i64>, t<i64>) -> t<f32>""",
    ),
    Program(
        "gathered-along-another-axis",
        "t<3xf32>",
        """
  %all = ov.loop sliced(%m) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (t<3x3xf32>) -> t<3x3xf32> {
  ^bb0(%i: t<i64>, %w: t<1x3xf32>):
    %e = ov.exp %w : (t<1x3xf32>) -> t<1x3xf32>
    ov.next concat(%e : t<1x3xf32>)
  }
  %r = ov.gather %all, %two, %one : (t<3x3xf32>, t<i64>, t<i64>) -> t<3xf32>""",
    ),
    Program(
        "counter-of-a-loop-that-may-not-be-entered",
        "t<i64>",
        """
  %r = ov.loop trip(%n) while(%c) carried(%k) : (t<i64>, t<i1>, t<i64>) -> t<i64> {
  ^bb0(%i: t<i64>, %g: t<i64>):
    %h = ov.add %g, %three : (t<i64>, t<i64>) -> t<i64>
    ov.next carried(%h : t<i64>)
  }""",
    ),
    Program(
        "subtracted-from-the-step",
        "t<i64>",
        """
  %r = ov.loop trip(%n) carried(%k) : (t<i64>, t<i64>) -> t<i64> {
  ^bb0(%i: t<i64>, %g: t<i64>):
    %h = ov.subtract %three, %g : (t<i64>, t<i64>) -> t<i64>
    ov.next carried(%h : t<i64>)
  }""",
    ),
    Program(
        "one-more-than-a-carried-value",
        "t<i64>",
        """
  %f, %r = ov.loop trip(%n) carried(%k) : (t<i64>, t<i64>) -> (t<i64>, t<i64>) {
  ^bb0(%i: t<i64>, %g: t<i64>):
    %h = ov.multiply %g, %g : (t<i64>, t<i64>) -> t<i64>
    %o = ov.add %g, %one : (t<i64>, t<i64>) -> t<i64>
    ov.next carried(%h : t<i64>) last(%o : t<i64>)
  }""",
    ),
)


def outcome(module: ModuleOp, feed: Mapping[str, np.ndarray]) -> Mapping[str, Any] | str:
    try:
        return GraphEngine(module).run(feed).outputs
    except Error as error:
        return error.identifier


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_it_gives_the_same(program: Program) -> None:
    written = program.module()
    after = written.clone()
    run_passes(after, program.passes, verify_each=True)
    for feed in program.feeds():
        before, now = outcome(written, feed), outcome(after, feed)
        if isinstance(before, str) or isinstance(now, str):
            assert before == now
            continue
        for name, value in before.items():
            np.testing.assert_array_equal(now[name], value, strict=True)
