"""Loops that are nearly those that `canonicalize` simplifies: they give what they gave, errors included."""

from __future__ import annotations

import pytest

from tests.support_loop_programs import Program

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


@pytest.mark.parametrize("passes", ["canonicalize", "ov-infer,canonicalize"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_it_gives_the_same(program: Program, passes: str) -> None:
    program.assert_same_after(passes)
