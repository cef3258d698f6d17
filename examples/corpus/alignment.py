"""Alignment of sequences: of labels with steps, of curves, of texts."""

from __future__ import annotations

from itertools import groupby

import numpy as np

from corpus.decoding import log_softmax
from corpus.program import Parts, float32, floats, int64, program


@program("Graves et al., Connectionist Temporal Classification, 2006")
def ctc_greedy() -> Parts:
    """Best labels of each step, repetitions and blanks removed by a branch."""

    def truth(scores: np.ndarray) -> dict[str, object]:
        return {"labels": int64([label for label, _ in groupby(scores.argmax(1)) if label != 0])}

    return Parts(
        text="""
        (float[T,6] scores) => (int64[L] labels) {
          best = ArgMax <axis = 1, keepdims = 0> (scores)
          steps = Size (best)
          before, labels = Loop (steps, yes, minus, none) <body = step
            (int64 t, bool go, int64 before0, int64[P] labels0) => (bool on, int64 before1, int64[Q] labels1) {
              on = Identity (go)
              before1 = Gather <axis = 0> (best, t)
              repeated = Equal (before1, before0)
              blank = Equal (before1, i0)
              left_out = Or (repeated, blank)
              labels1 = If (left_out) <
                then_branch = keep () => (int64[A] same) { same = Identity (labels0) },
                else_branch = extend () => (int64[B] longer) {
                  label = Unsqueeze (before1, at0)
                  longer = Concat <axis = 0> (labels0, label) }>
          }>
        }""",
        weights={"minus": int64(-1), "none": int64([])},
        feeds=[
            {"scores": floats(261, 40, 6) + np.repeat(2 * floats(262, 10, 6), 4, 0)},
            {"scores": np.eye(6, dtype=np.float32)[[0, 0, 0, 0]]},
            {"scores": np.eye(6, dtype=np.float32)[[1, 1, 0, 1, 2, 2]]},
            {"scores": floats(263, 0, 6)},
        ],
        truth=truth,
    )


@program("Graves et al., Connectionist Temporal Classification, 2006")
def ctc_forward() -> Parts:
    """Likelihood of a labelling: forward variables over labels with blanks, in logarithms."""

    def truth(scores: np.ndarray, labels: np.ndarray) -> dict[str, object]:
        shares = np.exp(np.apply_along_axis(log_softmax, 1, scores))
        with_blanks = [0]
        for label in labels:
            with_blanks += [int(label), 0]
        alpha = np.zeros(len(with_blanks))
        alpha[:2] = shares[0, with_blanks[:2]]
        for row in shares[1:]:
            before = alpha.copy()
            for s, label in enumerate(with_blanks):
                total = before[s] + (before[s - 1] if s else 0)
                if s > 1 and label != 0 and label != with_blanks[s - 2]:
                    total += before[s - 2]
                alpha[s] = total * row[label]
        return {"loss": -np.log(alpha[-1] + (alpha[-2] if len(alpha) > 1 else 0))}

    return Parts(
        text="""
        (float[T,6] scores, int64[L] labels) => (float loss) {
          shares = LogSoftmax <axis = 1> (scores)
          column = Unsqueeze (labels, at1)
          pairs = Pad (column, pads, i0)
          flat = Reshape (pairs, last)
          with_blanks = Concat <axis = 0> (at0, flat)
          states = Size (with_blanks)
          places = Range (i0, states, i1)
          two_before = Sub (places, i2)
          twice = Max (two_before, i0)
          earlier = Gather <axis = 0> (with_blanks, twice)
          same = Equal (with_blanks, earlier)
          different = Not (same)
          visible = Greater (with_blanks, i0)
          jumps = And (different, visible)
          far = GreaterOrEqual (places, i2)
          may_jump = And (jumps, far)
          extents = Shape <end = 1> (scores)
          length = Squeeze (extents)
          trips = Sub (length, i1)
          row0 = Gather <axis = 0> (shares, i0)
          emitted0 = Gather <axis = 0> (row0, with_blanks)
          begins = Less (places, i2)
          alpha0 = Where (begins, emitted0, never)
          alphas = Loop (trips, yes, alpha0) <body = step (int64 t, bool go, float[S] a0) => (bool on, float[S] a1) {
              on = Identity (go)
              padded = Pad (a0, two_left, never)
              by_one = Slice (padded, at1, last)
              by_two = Slice (padded, at0, minus_two)
              jumped = Where (may_jump, by_two, never)
              larger = Max (a0, by_one)
              largest = Max (larger, jumped)
              d0 = Sub (a0, largest)      e0 = Exp (d0)
              d1 = Sub (by_one, largest)  e1 = Exp (d1)
              d2 = Sub (jumped, largest)  e2 = Exp (d2)
              sum01 = Add (e0, e1)
              total = Add (sum01, e2)
              log = Log (total)
              reached = Add (largest, log)
              next = Add (t, i1)
              row = Gather <axis = 0> (shares, next)
              emitted = Gather <axis = 0> (row, with_blanks)
              a1 = Add (reached, emitted)
          }>
          tail = Slice (alphas, minus_two, ends)
          likelihood = ReduceLogSumExp <keepdims = 0> (tail)
          loss = Neg (likelihood)
        }""",
        weights={
            "pads": int64([0, 0, 0, 1]),
            "two_left": int64([2, 0]),
            "minus_two": int64([-2]),
            "ends": int64([np.iinfo(np.int64).max]),
            "never": float32(-1e30),
        },
        feeds=[
            {"scores": floats(271, 30, 6), "labels": int64([1, 3, 3, 5, 2, 4])},
            {"scores": floats(272, 4, 6), "labels": int64([2])},
            {"scores": floats(273, 9, 6), "labels": int64([1, 1, 1])},
            {"scores": floats(274, 1, 6), "labels": int64([4])},
        ],
        truth=truth,
        # A logarithm of shares, of up to the loss's size, is added in each of 30 steps; exp and log take six.
        roundings=30 * 4,
    )


@program("Sakoe and Chiba, Dynamic Programming Algorithm Optimization for Spoken Word Recognition, 1978")
def dynamic_time_warping() -> Parts:
    """Distance of two curves under warping: a loop over rows, one over the cells of a row."""

    def truth(a: np.ndarray, b: np.ndarray) -> dict[str, object]:
        table = np.full((len(a) + 1, len(b) + 1), np.inf)
        table[0, 0] = 0
        for i, j in np.ndindex(len(a), len(b)):
            table[i + 1, j + 1] = abs(a[i] - b[j]) + min(table[i, j], table[i, j + 1], table[i + 1, j])
        return {"distance": table[-1, -1]}

    return Parts(
        text="""
        (float[N] a, float[M] b) => (float distance) {
          rows = Size (a)
          columns = Size (b)
          many = Unsqueeze (columns, at0)
          never_row = Expand (never, many)
          row_start = Concat <axis = 0> (zero_row, never_row)
          table = Loop (rows, yes, row_start) <body = each_row
            (int64 i, bool go, float[P] above) => (bool on, float[P] row) {
              on = Identity (go)
              ai = Gather <axis = 0> (a, i)
              left, cells = Loop (columns, yes, never) <body = each_cell
                (int64 j, bool more, float left0) => (bool more1, float left1, float shown) {
                  more1 = Identity (more)
                  bj = Gather <axis = 0> (b, j)
                  difference = Sub (ai, bj)
                  cost = Abs (difference)
                  next = Add (j, i1)
                  diagonal = Gather <axis = 0> (above, j)
                  up = Gather <axis = 0> (above, next)
                  least = Min (diagonal, up, left0)
                  left1 = Add (cost, least)
                  shown = Identity (left1)
              }>
              row = Concat <axis = 0> (never1, cells)
          }>
          distance = Gather <axis = 0> (table, minus)
        }""",
        weights={
            "never": float32(1e30),
            "never1": float32([1e30]),
            "zero_row": float32([0]),
            "minus": int64(-1),
        },
        feeds=[
            {"a": float32(np.sin(np.arange(20) / 3)), "b": float32(np.sin(np.arange(24) / 4 + 0.3))},
            {"a": floats(24, 1), "b": floats(25, 1)},
            {"a": floats(26, 7), "b": floats(27, 3)},
        ],
        truth=truth,
        # A path of at most 44 cells; all costs are positive.
        roundings=2 * 44,
    )


@program("Wagner and Fischer, The String-to-String Correction Problem, 1974")
def edit_distance() -> Parts:
    """Insertions, deletions and replacements between two texts."""

    def truth(a: np.ndarray, b: np.ndarray) -> dict[str, int]:
        row = list(range(len(b) + 1))
        for i, x in enumerate(a):
            above, row = row, [i + 1]
            for j, y in enumerate(b):
                row.append(min(above[j] + int(x != y), above[j + 1] + 1, row[j] + 1))
        return {"distance": row[-1]}

    return Parts(
        text="""
        (int64[N] a, int64[M] b) => (int64 distance) {
          rows = Size (a)
          columns = Size (b)
          cells_of_a_row = Add (columns, i1)
          first = Range (i0, cells_of_a_row, i1)
          table = Loop (rows, yes, first) <body = each_row
            (int64 i, bool go, int64[P] above) => (bool on, int64[P] row) {
              on = Identity (go)
              ai = Gather <axis = 0> (a, i)
              deleted = Add (i, i1)
              left, cells = Loop (columns, yes, deleted) <body = each_cell
                (int64 j, bool more, int64 left0) => (bool more1, int64 left1, int64 shown) {
                  more1 = Identity (more)
                  bj = Gather <axis = 0> (b, j)
                  same = Equal (ai, bj)
                  differs = Not (same)
                  cost = Cast <to = 7> (differs)
                  next = Add (j, i1)
                  diagonal = Gather <axis = 0> (above, j)
                  up = Gather <axis = 0> (above, next)
                  replaced = Add (diagonal, cost)
                  nearer = Min (up, left0)
                  longer = Add (nearer, i1)
                  left1 = Min (replaced, longer)
                  shown = Identity (left1)
              }>
              begin = Unsqueeze (deleted, at0)
              row = Concat <axis = 0> (begin, cells)
          }>
          distance = Gather <axis = 0> (table, minus)
        }""",
        weights={"minus": int64(-1)},
        feeds=[
            {"a": int64(list(b"structure of loops")), "b": int64(list(b"instruction looped"))},
            {"a": int64([]), "b": int64(list(b"abc"))},
            {"a": int64(list(b"abc")), "b": int64([])},
            {"a": int64(list(b"same")), "b": int64(list(b"same"))},
        ],
        truth=truth,
    )
