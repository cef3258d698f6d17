"""Small models that hold what a transformation may get wrong: trips, conditions, captures, hidden names."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import onnx
import onnx.parser

Feed = dict[str, np.ndarray]

COUNTED = """
<ir_version: 10, opset_import: ["" : 21]>
counted (int64 n, float[2] x) => (float[2] final, float[s] steps) {
  go = Constant <value = bool {1}> ()
  final, steps = Loop (n, go, x) <body = body (int64 i, bool c, float[2] a) => (bool c_next, float[2] a_next, float step) {
    c_next = Identity (c)
    number = Cast <to = 1> (i)
    moved = Add (a, number)
    a_next = Mul (moved, x)
    step = ReduceSum <keepdims = 0> (a)
  }>
}
"""
"""`n` iterations that look at their number, at a carried value and at a capture."""

ENDING = """
<ir_version: 10, opset_import: ["" : 21]>
ending (int64 n, bool go, int64 last, float[2] x) => (float[2] final, int64[s] numbers) {
  final, numbers = Loop (n, go, x) <body = body (int64 i, bool c, float[2] a) => (bool c_next, float[2] a_next, int64 number) {
    c_next = Less (i, last)
    a_next = Neg (a)
    number = Identity (i)
  }>
}
"""
"""Ends after iteration number `last`, after `n` trips, or before the first one without `go`."""

UNCONDITIONAL = """
<ir_version: 10, opset_import: ["" : 21]>
unconditional (int64 n, float[2] x) => (float[2] final, bool[s] seen) {
  final, seen = Loop (n, , x) <body = body (int64 i, bool c, float[2] a) => (bool c_next, float[2] a_next, bool saw) {
    c_next = Constant <value = bool {1}> ()
    chosen = Where (c, x, a)
    a_next = Add (a, chosen)
    saw = Identity (c)
  }>
}
"""
"""No condition, but the body looks at its own."""

ROTATING = """
<ir_version: 10, opset_import: ["" : 21]>
rotating (float[2] x, float[2] y) => (float[2] a_end, float[2] b_end) {
  three = Constant <value = int64 {3}> ()
  a_end, b_end = Loop (three, , x, y) <body = body (int64 i, bool c, float[2] a, float[2] b)
      => (bool c_next, float[2] a_next, float[2] b_next) {
    c_next = Constant <value = bool {1}> ()
    a_next = Identity (b)
    b_next = Sub (a, b)
  }>
}
"""
"""Two values that change places, three times."""

BRANCHING = """
<ir_version: 10, opset_import: ["" : 21]>
branching (int64[3] v, int64 n) => (int64[m] y, int64[k] z) {
  zero = Constant <value = int64 {0}> ()
  positive = Greater (n, zero)
  y = If (positive) <then_branch = then () => (int64[m] longer) {
      longer = Concat <axis = 0> (v, v)
  }, else_branch = else () => (int64[m] shorter) {
      shorter = Neg (v)
  }>
  z = Loop (n, positive, v) <body = body (int64 i, bool c, int64[k] a) => (bool c_next, int64[k] a_next) {
    c_next = Identity (c)
    a_next = If (c) <then_branch = inner_then () => (int64[k] t) {
        t = Add (a, v)
    }, else_branch = inner_else () => (int64[k] e) {
        e = Identity (a)
    }>
  }>
}
"""
"""A branch whose results differ in length, and one in a loop that reads values of two scopes outside."""

MODELS = {
    "counted": COUNTED,
    "ending": ENDING,
    "unconditional": UNCONDITIONAL,
    "rotating": ROTATING,
    "branching": BRANCHING,
}


def parse(text: str) -> onnx.ModelProto:
    """A checked model."""
    model = onnx.parser.parse_model(text)
    onnx.checker.check_model(model)
    return model


def feeds(name: str) -> Iterable[Feed]:
    """Feeds that reach no, one and several trips, both branches, early and late exits."""
    x, y = np.array([1, -0.5], np.float32), np.array([0.25, 2], np.float32)
    counts = [np.array(n, np.int64) for n in (0, 1, 2, 3, 5, -2)]
    if name == "rotating":
        return [{"x": x, "y": y}]
    if name == "branching":
        return [{"v": np.array([3, -1, 2]), "n": n} for n in counts]
    if name == "ending":
        lasts = [np.array(n, np.int64) for n in (0, 1, 2, 4)]
        return [
            {"n": n, "go": np.array(go), "last": last, "x": x}
            for n in counts
            for last in lasts
            for go in (True, False)
        ]
    return [{"n": n, "x": x} for n in counts]
