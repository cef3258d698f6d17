"""Values whose rank only the run knows, rows as those of `onnx_traps`: all are in `TRAPS` together.

No trip count, axis or index is fixed (inputs `m` and `n` would be): one C program serves every feed of a row.
"""

from __future__ import annotations

import numpy as np

from tests.conformance.onnx_scan_traps import TRAPS
from tests.conformance.onnx_traps import F32, trap

__all__ = ["TRAPS"]

X = np.array([1.0, 2.0], F32)
X23 = np.arange(6, dtype=F32).reshape(2, 3) - 2
X4 = np.arange(4, dtype=F32) + 0.5
X132 = np.arange(6, dtype=F32).reshape(1, 3, 2)
S = np.float32(1.5)
BOTH = [{"c": True}, {"c": False}]


def either(inputs: str, outputs: str, then: str, otherwise: str, rest: str) -> str:
    """A model whose `r` is one of two values."""
    return f"""
    main (bool c, {inputs}) => ({outputs}) {{
      r = If (c) <then_branch = a () => (float[] p) {{ p = {then} }},
                  else_branch = b () => (float[] q) {{ q = {otherwise} }}>
      {rest}
    }}"""


def feeds(*cases: dict[str, object], **arrays: np.ndarray) -> list[dict[str, object]]:
    """The same arrays with each of these."""
    return [{**arrays, **case} for case in cases]


trap(
    "ranks: what needs none",
    either(
        "float[2,3] x, float[4] v, float s", "float[] y, int64[k] shape, int64 size, float[e] flat", "Exp(x)", "Neg(v)",
        """one = Constant <value = float {1.0}> ()
        minus = Constant <value_ints = [-1]> ()
        t = Add (r, s) u = Mul (t, r) c2 = Less (t, one) w = Where (c2, u, t) y = Clip (w)
        shape = Shape (y) size = Size (y) flat = Reshape (y, minus)""",
    ),
    *feeds(*BOTH, x=X23, v=X4, s=S),
)  # fmt: skip
trap(
    "ranks: what is done for each",
    either(
        "float[2,3] x, float[3] v, float[3,2] k", "float[] y, float[] z, float[] g, float[] t", "Neg(x)", "Exp(v)",
        """zero = Constant <value_ints = [0]> () one = Constant <value_ints = [1]> ()
        y = ReduceSum <keepdims = 0> (r, zero)
        z = MatMul (r, k)
        g = Gather <axis = 0> (r, one)
        t = Transpose (r)""",
    ),
    *feeds(*BOTH, x=X23, v=X23[0], k=X23.reshape(3, 2)),
)  # fmt: skip
trap(
    "ranks: of three, nested",
    """
    main (bool c, bool d, float[1,3,2] x, float[2,3] v, float s) => (float[] y, float[] z) {
      minus = Constant <value_ints = [-1]> ()
      r = If (c) <then_branch = a () => (float[] p) { p = Relu (x) },
                  else_branch = b () => (float[] q) {
                    q = If (d) <then_branch = e () => (float[] f) { f = Exp (v) },
                                else_branch = g () => (float[] h) { h = Neg (s) }> }>
      y = Unsqueeze (r, minus)
      z = Softmax <axis = -1> (y)
    }""",
    *feeds({"c": True, "d": True}, {"c": False, "d": True}, {"c": False, "d": False}, x=X132, v=X23, s=S),
    expected=[
        [np.maximum(X132, 0)[..., None], np.ones((1, 3, 2, 1), F32)],
        [np.exp(X23)[..., None], np.ones((2, 3, 1), F32)],
        [np.full((1,), -S, F32), np.ones((1,), F32)],
    ],
)
trap(
    "ranks: one more in each iteration",
    """
    main (int64 count, float[2] x) => (float[] y, float[a, b] z, float total) {
      c = Constant <value = bool {1}> ()
      zero = Constant <value_ints = [0]> ()
      shape = Constant <value_ints = [2, -1]> ()
      y = Loop (count, c, x) <body = body (int64 i, bool k, float[l] s) => (bool k2, float[1, l] t) {
        k2 = Identity (k)
        f = Cast <to = 1> (i)
        u = Add (s, f)
        t = Unsqueeze (u, zero)
      }>
      z = Reshape (y, shape)
      total = ReduceMax <keepdims = 0> (y)
    }""",
    *feeds({"count": 0}, {"count": 1}, {"count": 5}, x=X),
    expected=[
        [
            (X + float(sum(range(n)))).reshape([1] * n + [2]),
            (X + float(sum(range(n)))).reshape(2, 1),
            (X + float(sum(range(n)))).max(),
        ]
        for n in (0, 1, 5)
    ],
)
trap(
    "ranks: up and down",
    """
    main (int64 count, float[2, 3] x) => (float[] y, int64[r] shape) {
      c = Constant <value = bool {1}> ()
      zero = Constant <value_ints = [0]> ()
      two = Constant <value = int64 {2}> () none = Constant <value = int64 {0}> ()
      y = Loop (count, c, x) <body = body (int64 i, bool k, float[] s) => (bool k2, float[] t) {
        k2 = Identity (k)
        bit = Mod (i, two)
        even = Equal (bit, none)
        t = If (even) <then_branch = a () => (float[] p) { p = Unsqueeze (s, zero) },
                       else_branch = b () => (float[] q) { q = Squeeze (s, zero) }>
      }>
      shape = Shape (y)
    }""",
    *feeds({"count": 0}, {"count": 1}, {"count": 2}, {"count": 7}, x=X23),
    expected=[[X23.reshape([1] * (n % 2) + [2, 3]), np.array([1] * (n % 2) + [2, 3])] for n in (0, 1, 2, 7)],
)
trap(
    "ranks: a loop that ends in a scalar",
    """
    main (int64 count, float limit, float[a] x) => (float[] y, float[k] sums) {
      c = Constant <value = bool {1}> ()
      y, sums = Loop (count, c, x) <body = body (int64 i, bool k, float[] s) => (bool go, float[] t, float sum) {
        sum = ReduceSum <keepdims = 0> (s)
        go = Less (sum, limit)
        t = If (go) <then_branch = a () => (float[] p) { p = Add (s, s) },
                     else_branch = b () => (float[] q) { q = Identity (sum) }>
      }>
    }""",
    *feeds({"count": 6, "limit": 20.0}, {"count": 2, "limit": 20.0}, {"count": 9, "limit": 0.0}, x=X4),
    # ONNX Runtime gives the second output buffer of an If the shape of the first one's, and refuses its own value.
    expected=[
        [np.float32(32), np.array([8, 16, 32], F32)],
        [X4 * 4, np.array([8, 16], F32)],
        [np.float32(8), np.array([8], F32)],
    ],
)
trap(
    "ranks: read from a sequence of several",
    """
    main (int64 k, float[2, 3] x, float[4] v) => (float[] y, float[] z) {
      zero = Constant <value_ints = [0]> ()
      e = Exp (v)
      s0 = SequenceConstruct (x, v)
      s1 = SequenceInsert (s0, e)
      y = SequenceAt (s1, k)
      z = ReduceMean <keepdims = 1> (y)
    }""",
    *feeds({"k": 0}, {"k": 1}, {"k": -1}, x=X23, v=X4),
    expected=[[v, np.asarray(v.mean(dtype=F32)).reshape([1] * v.ndim)] for v in (X23, X4, np.exp(X4))],
)
trap(
    "ranks: the value of an optional",
    """
    main (bool c, float[2, 3] x, float[4] v) => (float[] y) {
      r = If (c) <then_branch = a () => (optional(float) p) { p = Optional (x) },
                  else_branch = b () => (optional(float) q) { n = Neg (v) q = Optional (n) }>
      t = OptionalGetElement (r)
      y = Relu (t)
    }""".replace("float) p", "float[i]) p").replace("float) q", "float[j]) q"),
    *feeds(*BOTH, x=X23, v=-X4),
    expected=[[np.maximum(X23, 0)], [X4]],
)
trap(
    "ranks: a shape of any length",
    """
    main (bool c, float[2, 3] x) => (float[] y, float[] z) {
      one = Constant <value_ints = [3, -1]> () two = Constant <value_ints = [0, 1, -1]> ()
      r = If (c) <then_branch = a () => (int64[i] p) { p = Identity (one) },
                  else_branch = b () => (int64[j] q) { q = Identity (two) }>
      y = Reshape (x, r)
      z = Mul (y, y)
    }""",
    *feeds(*BOTH, x=X23),
    expected=[[X23.reshape(3, 2), X23.reshape(3, 2) ** 2], [X23.reshape(2, 1, 3), X23.reshape(2, 1, 3) ** 2]],
)
trap(
    "ranks: of two values",
    """
    main (bool c, bool d, float[2, 3] x, float[3] v) => (float[] y, float[] z) {
      r = If (c) <then_branch = a () => (float[] p) { p = Relu (x) }, else_branch = b () => (float[] q) { q = Neg (v) }>
      t = If (d) <then_branch = e () => (float[] f) { f = Exp (x) }, else_branch = g () => (float[] h) { h = Abs (v) }>
      y = Sub (r, t)
      z = Min (y, r, t)
    }""",
    *feeds(*({"c": c, "d": d} for c in (True, False) for d in (True, False)), x=X23, v=X23[1]),
)
trap(
    "ranks: joined where they are equal",
    either(
        "float[2,3] x, float[3] v", "float[] y", "Relu(x)", "Exp(v)",
        "t = Neg (r) y = Concat <axis = 0> (r, t)",
    ),
    *feeds(*BOTH, x=X23, v=X23[0]),
)  # fmt: skip
trap(
    "ranks: sliced by a scan",
    either(
        "float[2,3] x, float[3] v", "float y, float z", "Relu(x)", "Exp(v)",
        """zero = Constant <value = float {0.0}> ()
        y, z = Scan <num_scan_inputs = 1, body = body (float s, float part) => (float s2, float out) {
            sum = ReduceSum <keepdims = 0> (part)
            s2 = Add (s, sum)
            out = Mul (s2, s2)
        }> (zero, r)""",
    ),
    *feeds(*BOTH, x=X23, v=X23[1]),
)  # fmt: skip
trap(
    "ranks: a sequence of one rank that the run knows",
    """
    main (bool c, int64 count, float[2, 3] x, float[3] v) => (float[] y) {
      e = SequenceEmpty ()
      r = If (c) <then_branch = a () => (float[] p) { p = Relu (x) }, else_branch = b () => (float[] q) { q = Neg (v) }>
      t = Constant <value = bool {1}> ()
      s = Loop (count, t, e) <body = body (int64 i, bool k, seq(float) s0) => (bool k2, seq(float) s1) {
        k2 = Identity (k)
        f = Cast <to = 1> (i)
        u = Add (r, f)
        s1 = SequenceInsert (s0, u)
      }>
      y = ConcatFromSequence <axis = -1> (s)
    }""".replace("seq(float) ", "seq(float[d]) "),
    *feeds({"c": True, "count": 3}, {"c": False, "count": 1}, x=X23, v=X23[1]),
    expected=[[np.concatenate([np.maximum(X23, 0) + i for i in range(3)], -1)], [-X23[1]]],
)
trap(
    "ranks: without the extents that are 1",
    """
    main (int64 k, float[4] x, float[1, 1, 2] w) => (float[] y) {
      none = Constant <value_ints = [0]> () one = Constant <value_ints = [1]> ()
      end = Reshape (k, one)
      part = Slice (x, none, end)
      y0 = Squeeze (part)
      y = Add (y0, w)
    }""",
    *feeds({"k": 1}, {"k": 2}, x=X4, w=X.reshape(1, 1, 2)),
)
