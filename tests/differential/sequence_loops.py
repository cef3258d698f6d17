"""Models in which loops and branches carry, give and capture sequences and optionals, with feeds (see `sequence_models`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.differential.sequence_models import arange, int64

MODELS: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "loop_append": (
        """
        g (int64 n, float[2] x) => (seq(float[2]) y, int64 k) {
          c = Constant <value=bool {1}>()
          e = SequenceEmpty()
          y = Loop(n,c,e)<body = b (int64 i, bool ci, seq(float[2]) s) => (bool co, seq(float[2]) t) {
            co = Identity(ci)
            fi = Cast<to=1>(i)
            v = Add(x, fi)
            t = SequenceInsert(s, v)
          }>
          k = SequenceLength(y)
        }""",
        [
            {"n": int64(3), "x": arange(2)},
            {"n": int64(0), "x": arange(2)},
            {"n": int64(1), "x": arange(2)},
        ],
    ),
    "loop_append_growing": (
        """
        g (int64 n) => (seq(float[N]) y, float[K] z) {
          c = Constant <value=bool {1}>()
          o = Constant <value=float[1] {1}>()
          e = SequenceConstruct(o)
          y = Loop(n,c,e)<body = b (int64 i, bool ci, seq(float[N]) s) => (bool co, seq(float[N]) t) {
            co = Identity(ci)
            m = Constant <value_int=-1>()
            l = SequenceAt(s, m)
            v = Concat<axis=0>(l, o)
            t = SequenceInsert(s, v)
          }>
          z = ConcatFromSequence<axis=0>(y)
        }""",
        [
            {"n": int64(3)},
            {"n": int64(0)},
        ],
    ),
    "loop_front": (
        """
        g (int64 n) => (seq(int64) y) {
          c = Constant <value=bool {1}>()
          z = Constant <value_int=0>()
          e = SequenceEmpty<dtype=7>()
          y = Loop(n,c,e)<body = b (int64 i, bool ci, seq(int64) s) => (bool co, seq(int64) t) {
            co = Identity(ci)
            t = SequenceInsert(s, i, z)
          }>
        }""",
        [
            {"n": int64(4)},
            {"n": int64(0)},
        ],
    ),
    "loop_while_sum": (
        """
        g (float lim) => (seq(float) y, float acc) {
          c = Constant <value=bool {1}>()
          z = Constant <value=float {0}>()
          e = SequenceEmpty()
          y, acc = Loop(,c,e,z)<body = b (int64 i, bool ci, seq(float) s, float a) => (bool co, seq(float) t, float a2) {
            fi = Cast<to=1>(i)
            a2 = Add(a, fi)
            co = Less(a2, lim)
            t = SequenceInsert(s, a2)
          }>
        }""",
        [
            {"lim": np.array(7, np.float32)},
            {"lim": np.array(-1, np.float32)},
        ],
    ),
    "loop_erase": (
        """
        g (seq(float[N]) s, int64 n) => (seq(float[N]) y) {
          c = Constant <value=bool {1}>()
          y = Loop(n,c,s)<body = b (int64 i, bool ci, seq(float[N]) a) => (bool co, seq(float[N]) t) {
            co = Identity(ci)
            z = Constant <value_int=0>()
            t = SequenceErase(a, z)
          }>
        }""",
        [
            {"s": [arange(1), arange(2), arange(3)], "n": int64(2)},
            {"s": [arange(1), arange(2)], "n": int64(0)},
        ],
    ),
    "loop_rotate": (
        """
        g (seq(float[N]) s, int64 n) => (seq(float[N]) y) {
          c = Constant <value=bool {1}>()
          z = Constant <value_int=0>()
          y = Loop(n,c,s)<body = b (int64 i, bool ci, seq(float[N]) a) => (bool co, seq(float[N]) t) {
            co = Identity(ci)
            x = SequenceAt(a, z)
            r = SequenceErase(a, z)
            t = SequenceInsert(r, x)
          }>
        }""",
        [
            {"s": [arange(1), arange(2), arange(3)], "n": int64(2)},
        ],
    ),
    "loop_swap": (
        """
        g (seq(float[N]) a, seq(float[N]) b, int64 n) => (seq(float[N]) y, seq(float[N]) z) {
          c = Constant <value=bool {1}>()
          y, z = Loop(n,c,a,b)<body = q (int64 i, bool ci, seq(float[N]) u, seq(float[N]) v)
              => (bool co, seq(float[N]) p, seq(float[N]) r) {
            co = Identity(ci)
            p = Identity(v)
            r = Identity(u)
          }>
        }""",
        [
            {"a": [arange(1)], "b": [arange(2), arange(3)], "n": int64(3)},
            {"a": [arange(1)], "b": [arange(2), arange(3)], "n": int64(2)},
        ],
    ),
    "if_lengths": (
        """
        g (bool c, float[2] x) => (seq(float[2]) y, int64 n) {
          y = If(c)<then_branch = t () => (seq(float[2]) a) {
            a = SequenceConstruct(x, x)
          }, else_branch = e () => (seq(float[2]) b) {
            b = SequenceConstruct(x)
          }>
          n = SequenceLength(y)
        }""",
        [
            {"c": np.array(True), "x": arange(2)},
            {"c": np.array(False), "x": arange(2)},
        ],
    ),
    "if_shapes": (
        """
        g (bool c, float[2] x, float[3] z) => (seq(float[N]) y) {
          y = If(c)<then_branch = t () => (seq(float[N]) a) {
            a = SequenceConstruct(x, z)
          }, else_branch = e () => (seq(float[N]) b) {
            b = SequenceConstruct(z)
          }>
        }""",
        [
            {"c": np.array(True), "x": arange(2), "z": arange(3)},
            {"c": np.array(False), "x": arange(2), "z": arange(3)},
        ],
    ),
    "if_empty": (
        """
        g (bool c, float[2] x) => (seq(float[2]) y, int64 n) {
          y = If(c)<then_branch = t () => (seq(float[2]) a) {
            a = SequenceEmpty()
          }, else_branch = e () => (seq(float[2]) b) {
            b = SequenceConstruct(x)
          }>
          n = SequenceLength(y)
        }""",
        [
            {"c": np.array(True), "x": arange(2)},
            {"c": np.array(False), "x": arange(2)},
        ],
    ),
    "if_capture": (
        """
        g (bool c, seq(float[N]) s, float[2] x) => (seq(float[N]) y) {
          y = If(c)<then_branch = t () => (seq(float[N]) a) {
            a = SequenceInsert(s, x)
          }, else_branch = e () => (seq(float[N]) b) {
            b = Identity(s)
          }>
        }""",
        [
            {"c": np.array(True), "s": [arange(3)], "x": arange(2)},
            {"c": np.array(False), "s": [arange(3)], "x": arange(2)},
        ],
    ),
    "loop_in_if": (
        """
        g (bool c, int64 n, float[2] x) => (seq(float[2]) y) {
          y = If(c)<then_branch = t () => (seq(float[2]) a) {
            tr = Constant <value=bool {1}>()
            e0 = SequenceEmpty()
            a = Loop(n,tr,e0)<body = b (int64 i, bool ci, seq(float[2]) s) => (bool co, seq(float[2]) t2) {
              co = Identity(ci)
              t2 = SequenceInsert(s, x)
            }>
          }, else_branch = e () => (seq(float[2]) bb) {
            bb = SequenceConstruct(x)
          }>
        }""",
        [
            {"c": np.array(True), "n": int64(3), "x": arange(2)},
            {"c": np.array(False), "n": int64(3), "x": arange(2)},
            {"c": np.array(True), "n": int64(0), "x": arange(2)},
        ],
    ),
    "if_in_loop": (
        """
        g (int64 n, float[2] x) => (seq(float[2]) y) {
          tr = Constant <value=bool {1}>()
          e0 = SequenceEmpty()
          two = Constant <value_int=2>()
          zero = Constant <value_int=0>()
          y = Loop(n,tr,e0)<body = b (int64 i, bool ci, seq(float[2]) s) => (bool co, seq(float[2]) t) {
            co = Identity(ci)
            r = Mod(i, two)
            ev = Equal(r, zero)
            t = If(ev)<then_branch = t1 () => (seq(float[2]) a) {
              fi = Cast<to=1>(i)
              v = Add(x, fi)
              a = SequenceInsert(s, v)
            }, else_branch = e1 () => (seq(float[2]) bb) {
              bb = Identity(s)
            }>
          }>
        }""",
        [
            {"n": int64(5), "x": arange(2)},
            {"n": int64(0), "x": arange(2)},
        ],
    ),
    "nested_loops": (
        """
        g (int64 n, int64 k) => (seq(int64) y) {
          tr = Constant <value=bool {1}>()
          e0 = SequenceEmpty<dtype=7>()
          y = Loop(n,tr,e0)<body = b (int64 i, bool ci, seq(int64) s) => (bool co, seq(int64) t) {
            co = Identity(ci)
            t = Loop(k,ci,s)<body = b2 (int64 j, bool cj, seq(int64) s2) => (bool co2, seq(int64) t2) {
              co2 = Identity(cj)
              v = Mul(i, j)
              t2 = SequenceInsert(s2, v)
            }>
          }>
        }""",
        [
            {"n": int64(3), "k": int64(2)},
            {"n": int64(0), "k": int64(2)},
        ],
    ),
    "loop_reads_capture": (
        """
        g (seq(float[2]) s) => (float[K,2] y) {
          tr = Constant <value=bool {1}>()
          n = SequenceLength(s)
          y = Loop(n,tr)<body = b (int64 i, bool ci) => (bool co, float[2] v) {
            co = Identity(ci)
            v = SequenceAt(s, i)
          }>
        }""",
        [
            {"s": [arange(2), arange(2, k=3), arange(2, k=9)]},
        ],
    ),
    "map_two": (
        """
        g (seq(float[N]) a, seq(float[N]) b) => (seq(float[N]) y) {
          y = SequenceMap(a,b)<body = q (float[N] u, float[N] v) => (float[N] w) {
            w = Add(u, v)
          }>
        }""",
        [
            {"a": [arange(1), arange(3)], "b": [arange(1), arange(3, k=2)]},
        ],
    ),
    "map_two_outputs": (
        """
        g (seq(float[N]) a, float[1] b) => (seq(float[N]) y, seq(int64[1]) z) {
          y, z = SequenceMap(a,b)<body = q (float[N] u, float[1] v) => (float[N] w, int64[1] x) {
            w = Mul(u, v)
            x = Shape(u)
          }>
        }""",
        [
            {"a": [arange(1), arange(3)], "b": arange(1, k=2)},
        ],
    ),
    "optional_if": (
        """
        g (optional(float[2]) o, float[2] d) => (float[2] y) {
          h = OptionalHasElement(o)
          y = If(h)<then_branch = t () => (float[2] a) {
            a = OptionalGetElement(o)
          }, else_branch = e () => (float[2] b) {
            b = Identity(d)
          }>
        }""",
        [
            {"o": arange(2), "d": arange(2, k=5)},
            {"o": None, "d": arange(2, k=5)},
        ],
    ),
    "optional_seq_input": (
        """
        g (optional(seq(float[N])) o) => (int64 n) {
          h = OptionalHasElement(o)
          n = If(h)<then_branch = t () => (int64 a) {
            s = OptionalGetElement(o)
            a = SequenceLength(s)
          }, else_branch = e () => (int64 b) {
            b = Constant <value_int=-1>()
          }>
        }""",
        [
            {"o": [arange(2), arange(1)]},
            {"o": None},
        ],
    ),
    "if_ranks": (
        """
        g (bool c, float[2] x, float[2,3] z) => (float y, seq(float) s2) {
          s, t = If(c)<then_branch = tb () => (seq(float) a, float a2) {
            a = SequenceConstruct(x, x)
            a2 = Neg(x)
          }, else_branch = e () => (seq(float) b, float b2) {
            b = SequenceConstruct(z)
            b2 = Abs(z)
          }>
          p = Constant <value_int=0>()
          q = SequenceAt(s, p)
          y = Add(q, t)
          s2 = SequenceInsert(s, t)
        }""",
        [
            {"c": np.array(True), "x": arange(2), "z": arange(2, 3)},
            {"c": np.array(False), "x": arange(2), "z": arange(2, 3)},
        ],
    ),
    "if_ranks_resolved": (
        """
        g (bool c, float[2] x, float[2,3] z) => (float y) {
          s = If(c)<then_branch = tb () => (seq(float) a) {
            a = SequenceConstruct(x, x)
          }, else_branch = e () => (seq(float) b) {
            b = SequenceConstruct(z)
          }>
          p = Constant <value_int=0>()
          q = SequenceAt(s, p)
          y = ReduceSum<keepdims=0>(q)
        }""",
        [
            {"c": np.array(True), "x": arange(2), "z": arange(2, 3)},
            {"c": np.array(False), "x": arange(2), "z": arange(2, 3)},
        ],
    ),
}
