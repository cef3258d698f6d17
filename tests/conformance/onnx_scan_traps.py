"""The semantic traps of Scan, rows as those of `onnx_traps`, which are in `TRAPS` together."""

from __future__ import annotations

import numpy as np

from tests.conformance.onnx_traps import F32, TRAPS, X, trap

__all__ = ["TRAPS"]

# -- Scan

RUNNING = """
body (float[2] s, float[2] part) => (float[2] next, float[2] out) {
  next = Add (s, part)
  out = Mul (next, part)
}
"""


def running(attributes: str, data: str = "float[3, 2] x", result: str = "float[n, 2]") -> str:
    """A scan with a running sum."""
    return f"""
    main (float[2] s, {data}) => (float[2] total, {result} all) {{
      total, all = Scan (s, x) <num_scan_inputs = 1, {attributes} body = {RUNNING}>
    }}
    """


ROWS = np.arange(6.0).reshape(3, 2)
trap("scan", running(""), {"s": X, "x": ROWS})
trap("scan, reversed input", running("scan_input_directions = [1],"), {"s": X, "x": ROWS})
trap("scan, reversed output", running("scan_output_directions = [1],"), {"s": X, "x": ROWS})
trap(
    "scan, both reversed",
    running("scan_input_directions = [1], scan_output_directions = [1],"),
    {"s": X, "x": ROWS},
)
trap(
    "scan along axis 1",
    running("scan_input_axes = [1], scan_output_axes = [1],", "float[2, 3] x", "float[2, n]"),
    {"s": X, "x": ROWS.reshape(2, 3)},
)
trap(
    "scan along negative axes",
    running(
        "scan_input_axes = [-1], scan_output_axes = [-1], scan_output_directions = [1],",
        "float[2, 3] x",
        "float[2, n]",
    ),
    {"s": X, "x": ROWS.reshape(2, 3)},
)
trap(
    "scan of dynamic length",
    running("", "float[n, 2] x"),
    {"s": X, "x": ROWS},
    {"s": X, "x": ROWS[:1]},
)
trap(
    "scan of length zero",
    running("", "float[n, 2] x"),
    {"s": X, "x": np.zeros((0, 2))},
    expected=[[X, np.zeros((0, 2), F32)]],
)
trap("scan of opset 9", running(""), {"s": X, "x": ROWS}, opset=9)
trap("scan of opset 11", running(""), {"s": X, "x": ROWS}, opset=11)
trap(
    "scan of several states and inputs",
    """
    main (float[2] a, float b, float[3, 2] x, float[2, 3] w) => (float[2] p, float q, float[n, 2] all, float[n] one) {
      p, q, all, one = Scan (a, b, x, w) <num_scan_inputs = 2, scan_input_axes = [0, 1], scan_input_directions = [0, 1],
        body = body (float[2] s, float t, float[2] u, float[2] v) => (float[2] s2, float t2, float[2] o, float o2) {
          s2 = Add (s, u)
          k = ReduceSum <keepdims = 0> (v)
          t2 = Add (t, k)
          o = Mul (s2, v)
          o2 = Identity (t2)
        }>
    }
    """,
    {"a": X, "b": 0.5, "x": ROWS, "w": ROWS.reshape(2, 3) + 1.0},
)
trap(
    "scan whose inputs differ in length",
    """
    main (float[3] x, float[4] w) => (float[n] all) {
      all = Scan (x, w) <num_scan_inputs = 2, body = body (float u, float v) => (float o) { o = Mul (u, v) }>
    }
    """,
    {"x": [1.0, 2.0, 3.0], "w": [1.0, 2.0, 3.0, 4.0]},
    error="scan-length",
)
DIFFERENT_LENGTHS = """
    main (float[a] x, float[b] w) => (float[l] all) {
      all = Scan (x, w) <num_scan_inputs = 2, body = body (float u, float v) => (float o) { o = Mul (u, v) }>
    }
    """
trap("scan whose inputs turn out equally long", DIFFERENT_LENGTHS, {"x": X, "w": X})
trap(
    "scan whose first input turns out longer",
    DIFFERENT_LENGTHS,
    {"x": [1.0, 2.0, 3.0], "w": [1.0, 2.0]},
    error="runtime-shape",
)
trap(
    "scan whose second input turns out longer",
    DIFFERENT_LENGTHS,
    {"x": [1.0, 2.0], "w": [1.0, 2.0, 3.0]},
    error="runtime-shape",
)

# -- operator set 8: a batch, and sequences of their own lengths

BATCHED = """
    main (int64[b] lens, float[b, 2] s, float[b, t, 2] x, float[b, t, 2] w) => (float[b, 2] total, float[b, t, 2] all) {{
      total, all = Scan ({lens}, s, x, w) <num_scan_inputs = 2 {directions}, body = body (float[2] s, float[2] u, float[2] v)
        => (float[2] next, float[2] each) {{ d = Sub (u, v) half = Add (s, s) next = Add (half, d) each = Mul (next, u) }}>
    }}
"""
STATES = np.arange(6.0).reshape(3, 2)
SEQUENCES = np.sin(np.arange(24.0)).reshape(3, 4, 2)
OTHERS = np.cos(np.arange(24.0)).reshape(3, 4, 2)
BATCH = {"lens": np.array([4, 1, 2]), "s": STATES, "x": SEQUENCES, "w": OTHERS}

for name, lengths, directions in [
    ("scan of a batch", '""', ""),
    ("scan of a batch, one input reversed", '""', ", directions = [0, 1]"),
    ("scan of a batch with lengths", "lens", ""),
    ("scan of a batch with lengths, one input reversed", "lens", ", directions = [1, 0]"),
]:
    trap(name, BATCHED.format(lens=lengths, directions=directions), BATCH, opset=8)
trap(
    "scan of a batch, length beyond the sequence",
    BATCHED.format(lens="lens", directions=""),
    {**BATCH, "lens": np.array([4, 5, 2])},
    error="runtime-shape",
    opset=8,
)
trap(
    "scan of a batch with an outer value and an empty sequence",  # which ONNX Runtime refuses
    """
    main (int64[b] lens, float[b, t] x, float k) => (float[b, t] all) {
      all = Scan (lens, x) <num_scan_inputs = 1, body = body (float u) => (float each) { each = Mul (u, k) }>
    }
    """,
    {"lens": np.array([0, 3]), "x": SEQUENCES[:2, :3, 0], "k": 2.0},
    expected=[[(SEQUENCES[:2, :3, 0] * 2 * [[0, 0, 0], [1, 1, 1]])]],
    opset=8,
)

# -- extents that only the body's declaration knows

trap(
    "scan of nothing, inner extent declared",
    """
    main (float[t, 4] x, int64[1] k) => (float[t, 2] all) {
      all = Scan (x) <num_scan_inputs = 1, body = body (float[4] u) => (float[2] part) {
        zero = Constant <value_ints = [0]> () part = Slice (u, zero, k) }>
    }
    """,
    {"x": np.zeros((0, 4)), "k": np.array([2])},
    {"x": np.ones((3, 4)), "k": np.array([2])},
    expected=[[np.zeros((0, 2), F32)], [np.ones((3, 2), F32)]],
)
