"""Sorting: networks, insertion, and quicksort with a stack of its own."""

from __future__ import annotations

import numpy as np

from corpus.program import Parts, floats, int64, integers, program


@program("Batcher, Sorting Networks and their Applications, 1968")
def bitonic_sort() -> Parts:
    """Network of compared pairs: two nested loops whose distances double and halve."""
    return Parts(
        text="""
        (float[32] x) => (float[32] sorted) {
          sorted, size = Loop (i5, yes, x, i2) <body = merges
            (int64 t, bool go, float[32] x0, int64 size0) => (bool on, float[32] x1, int64 size1) {
              on = Identity (go)
              trips = Add (t, i1)
              start = Div (size0, i2)
              block = BitwiseAnd (places, size0)
              ascending = Equal (block, i0)
              x1, distance = Loop (trips, yes, x0, start) <body = pairs
                (int64 k, bool more, float[32] y0, int64 d0) => (bool more1, float[32] y1, int64 d1) {
                  more1 = Identity (more)
                  partner = BitwiseXor (places, d0)
                  others = Gather (y0, partner)
                  first = Less (places, partner)
                  same = Equal (first, ascending)
                  low = Min (y0, others)
                  high = Max (y0, others)
                  y1 = Where (same, low, high)
                  d1 = Div (d0, i2)
              }>
              size1 = Add (size0, size0)
          }>
        }""",
        weights={"places": np.arange(32)},
        feeds=[
            {"x": floats(911, 32)},
            {"x": np.arange(32, 0, -1, np.float32)},
            {"x": np.zeros(32, np.float32)},
        ],
        truth=lambda x: {"sorted": np.sort(x)},
    )


@program("Knuth, The Art of Computer Programming 3, algorithm S of section 5.2.1")
def insertion_sort() -> Parts:
    """Each element moved down until one that is not larger: an inner loop that ends early."""
    return Parts(
        text="""
        (int64[N] x) => (int64[N] sorted) {
          count = Size (x)
          sorted = Loop (count, yes, x) <body = each (int64 t, bool go, int64[N] x0) => (bool on, int64[N] x1) {
              on = Identity (go)
              start = Greater (t, i0)
              x1, place = Loop (t, start, x0, t) <body = down
                (int64 k, bool more, int64[N] y0, int64 p0) => (bool moved, int64[N] y1, int64 p1) {
                  p1 = Sub (p0, i1)
                  here = Gather (y0, p0)
                  below = Gather (y0, p1)
                  moved = Less (here, below)
                  y1 = If (moved) <
                    then_branch = swap () => (int64[N] a) {
                      p_low = Unsqueeze (p1, at0)
                      p_high = Unsqueeze (p0, at0)
                      where = Concat <axis = 0> (p_low, p_high)
                      v_low = Unsqueeze (here, at0)
                      v_high = Unsqueeze (below, at0)
                      values = Concat <axis = 0> (v_low, v_high)
                      a = ScatterElements <axis = 0> (y0, where, values) },
                    else_branch = stay () => (int64[N] b) { b = Identity (y0) }>
              }>
          }>
        }""",
        feeds=[
            {"x": integers(912, -50, 50, 20)},
            {"x": int64(range(12))},
            {"x": int64([3])},
            {"x": int64([])},
        ],
        truth=lambda x: {"sorted": np.sort(x)},
    )


@program("Hoare 1961; Lomuto's partition, as of Cormen et al., Introduction to Algorithms")
def quicksort() -> Parts:
    """Ranges on a stack, each partitioned by a loop with a branch, until the stack is empty."""
    return Parts(
        text="""
        (int64[16] x) => (int64[16] sorted, int64 partitions) {
          sorted, stack, top, partitions = Loop (, yes, x, stack_start, i2, i0) <body = range
            (int64 t, bool go, int64[16] x0, int64[80] s0, int64 top0, int64 n0)
              => (bool on, int64[16] x1, int64[80] s1, int64 top1, int64 n1) {
              low_at = Sub (top0, i2)
              high_at = Sub (top0, i1)
              low = Gather (s0, low_at)
              high = Gather (s0, high_at)
              several = Less (low, high)
              x1, s1, top1, n1 = If (several) <
                then_branch = split () => (int64[16] xa, int64[80] sa, int64 ta, int64 na) {
                  pivot = Gather (x0, high)
                  length = Sub (high, low)
                  xp, middle = Loop (length, yes, x0, low) <body = partition
                    (int64 k, bool more, int64[16] y0, int64 m0) => (bool more1, int64[16] y1, int64 m1) {
                      more1 = Identity (more)
                      at_ = Add (low, k)
                      value = Gather (y0, at_)
                      less = LessOrEqual (value, pivot)
                      y1, m1 = If (less) <
                        then_branch = swap () => (int64[16] ya, int64 ma) {
                          other = Gather (y0, m0)
                          p_a = Unsqueeze (m0, at0)  p_b = Unsqueeze (at_, at0)  where = Concat <axis = 0> (p_a, p_b)
                          v_a = Unsqueeze (value, at0)  v_b = Unsqueeze (other, at0)
                          both = Concat <axis = 0> (v_a, v_b)
                          first = Equal (m0, at_)
                          swapped = ScatterElements <axis = 0> (y0, where, both)
                          ya = Where (first, y0, swapped)
                          ma = Add (m0, i1) },
                        else_branch = stay () => (int64[16] yb, int64 mb) { yb = Identity (y0)  mb = Identity (m0) }>
                  }>
                  last_value = Gather (xp, middle)
                  p_m = Unsqueeze (middle, at0)
                  v_m = Unsqueeze (pivot, at0)
                  p_h = Unsqueeze (high, at0)
                  v_h = Unsqueeze (last_value, at0)
                  moved = ScatterElements <axis = 0> (xp, p_h, v_h)
                  xa = ScatterElements <axis = 0> (moved, p_m, v_m)
                  before = Sub (middle, i1)
                  after = Add (middle, i1)
                  p_low = Unsqueeze (low, at0)
                  p_before = Unsqueeze (before, at0)
                  p_after = Unsqueeze (after, at0)
                  ranges = Concat <axis = 0> (p_low, p_before, p_after, p_h)
                  base = Unsqueeze (low_at, at0)
                  places = Add (base, four)
                  sa = ScatterElements <axis = 0> (s0, places, ranges)
                  ta = Add (top0, i2)
                  na = Add (n0, i1) },
                else_branch = drop () => (int64[16] xb, int64[80] sb, int64 tb, int64 nb) {
                  xb = Identity (x0)  sb = Identity (s0)  tb = Identity (low_at)  nb = Identity (n0) }>
              on = Greater (top1, i0)
          }>
        }""",
        weights={
            "stack_start": np.concatenate([int64([0, 15]), np.zeros(78, np.int64)]),
            "four": np.arange(4),
        },
        feeds=[{"x": integers(913, -50, 50, 16)}, {"x": int64(range(16))}, {"x": int64([1] * 16)}],
        truth=lambda x: {"sorted": np.sort(x), "partitions": partitions(list(map(int, x)))},
    )


def partitions(x: list[int]) -> int:
    """Return the partitions of quicksort: of a list by its last element, which goes between the parts."""
    if len(x) < 2:
        return 0
    low = sum(value <= x[-1] for value in x[:-1])
    y = x[:]
    place = 0
    for k in range(len(y) - 1):
        if y[k] <= y[-1]:
            y[place], y[k] = y[k], y[place]
            place += 1
    y[place], y[-1] = y[-1], y[place]
    assert place == low
    return 1 + partitions(y[:place]) + partitions(y[place + 1 :])
