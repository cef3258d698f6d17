"""Texts and other runs: state machines over integers, results of unknown length."""

from __future__ import annotations

import re
from itertools import groupby

import numpy as np

from corpus.program import Parts, floats, int64, integers, program


@program("Run-length encoding; Golomb, Run-Length Encodings, 1966")
def run_length() -> Parts:
    """Values and lengths of runs: a branch extends the results, or counts on in place."""

    def truth(x: np.ndarray) -> dict[str, object]:
        runs = [(int(value), len(list(run))) for value, run in groupby(x)]
        return {
            "values": int64([value for value, _ in runs]),
            "lengths": int64([length for _, length in runs]),
        }

    return Parts(
        text="""
        (int64[N] x) => (int64[R] values, int64[R] lengths) {
          count = Size (x)
          before, values, lengths = Loop (count, yes, nothing, none, none) <body = each
            (int64 t, bool go, int64 b0, int64[P] v0, int64[P] n0) => (bool on, int64 b1, int64[Q] v1, int64[Q] n1) {
              on = Identity (go)
              b1 = Gather (x, t)
              new = Unsqueeze (b1, at0)
              same = Equal (b1, b0)
              v1, n1 = If (same) <
                then_branch = longer () => (int64[A] va, int64[A] na) {
                  va = Identity (v0)
                  runs = Size (n0)
                  last_run = Sub (runs, i1)
                  place = Unsqueeze (last_run, at0)
                  na = ScatterElements <axis = 0, reduction = "add"> (n0, place, at1) },
                else_branch = another () => (int64[B] vb, int64[B] nb) {
                  vb = Concat <axis = 0> (v0, new)
                  nb = Concat <axis = 0> (n0, at1) }>
          }>
        }""",
        weights={"nothing": int64(-1), "none": int64([])},
        feeds=[
            {"x": np.repeat(integers(931, 0, 4, 12), integers(932, 1, 5, 12))},
            {"x": int64([])},
            {"x": int64([7] * 9)},
            {"x": int64(range(6))},
        ],
        truth=truth,
    )


@program("Lexical analysis by a table; Aho et al., Compilers")
def tokenizer() -> Parts:
    """Words, numbers and signs of a text: a table gives the next state, its changes are tokens."""
    space, letter, digit, sign = range(4)
    classes = np.full(128, sign)
    classes[[ord(c) for c in " \t\n"]] = space
    classes[[*range(ord("a"), ord("z") + 1), ord("_")]] = letter
    classes[ord("0") : ord("9") + 1] = digit
    # The state is the kind of the token; a digit goes on with a word.
    moves = np.tile(np.arange(4), (4, 1))
    moves[letter, digit] = letter

    def truth(text: np.ndarray) -> dict[str, object]:
        found = list(re.finditer(r"([a-z_][a-z_0-9]*)|([0-9]+)|([^\sa-z_0-9])", bytes(text).decode()))
        return {
            "starts": int64([match.start() for match in found]),
            "kinds": int64([match.lastindex for match in found]),
        }

    return Parts(
        text="""
        (uint8[N] text) => (int64[T] starts, int64[T] kinds) {
          codes = Cast <to = 7> (text)
          kinds_of = Gather (classes, codes)
          count = Size (text)
          state, states, begins = Loop (count, yes, i0) <body = each
            (int64 t, bool go, int64 s0) => (bool on, int64 s1, int64 shown, bool begin) {
              on = Identity (go)
              class = Gather (kinds_of, t)
              row = Gather <axis = 0> (moves, s0)
              s1 = Gather (row, class)
              shown = Identity (s1)
              same = Equal (s0, s1)
              changed = Not (same)
              sign = Equal (s1, i3)
              boundary = Or (changed, sign)
              visible = Greater (s1, i0)
              begin = And (boundary, visible)
          }>
          places = NonZero (begins)
          starts = Squeeze (places, at0)
          kinds = Gather (states, starts)
        }""",
        weights={"classes": int64(classes), "moves": int64(moves)},
        feeds=[
            {"text": np.frombuffer(t, np.uint8)}
            for t in (b"while (x1 <= 42) { y_2 = f(x1, 7a); }", b"", b"   ", b"9")
        ],
        truth=truth,
    )


@program("ONNX SequenceMap over parts of unequal length")
def ragged_centering() -> Parts:
    """Parts of an array, given by their lengths, each less its mean."""

    def truth(x: np.ndarray, lengths: np.ndarray) -> dict[str, object]:
        parts = np.split(x, np.cumsum(lengths)[:-1])
        return {"y": np.concatenate([part - part.mean() for part in parts])}

    return Parts(
        text="""
        (float[N] x, int64[K] lengths) => (float[M] y) {
          parts = SplitToSequence <axis = 0> (x, lengths)
          centred = SequenceMap <body = centre (float[P] part) => (float[P] shown) {
              mean = ReduceMean <keepdims = 1> (part)
              shown = Sub (part, mean)
          }> (parts)
          y = ConcatFromSequence <axis = 0> (centred)
        }""",
        feeds=[
            {"x": floats(941, 24), "lengths": int64([5, 1, 9, 7, 2])},
            {"x": floats(942, 3), "lengths": int64([3])},
        ],
        truth=truth,
        # Up to nine additions; a part of one element is exactly zero.
        roundings=12,
        scale=2.0,
    )
