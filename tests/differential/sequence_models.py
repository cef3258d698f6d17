"""Models on sequences and optionals, with feeds: every operation, every kind of position, several element types.

`MODELS` are compared with ONNX Runtime; `FAILING` must fail, in ONNX Runtime too, each with one of the errors named.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx.parser

HEAD = '<ir_version: 10, opset_import: ["" : 21]>'


def arange(*shape: int, k: int = 0) -> np.ndarray:
    """0, 1, 2 … in this shape, from `k` on."""
    return np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape) + np.float32(k)


def int64(value: Any) -> np.ndarray:
    """A tensor of integers."""
    return np.array(value, np.int64)


def parsed(text: str) -> onnx.ModelProto:
    """The model of a text."""
    return onnx.parser.parse_model(HEAD + text)


MODELS: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "construct_at": (
        """
        g (float[2,3] a, float[2,3] b, int64 p) => (float[2,3] y) {
          s = SequenceConstruct(a, b)
          y = SequenceAt(s, p)
        }""",
        [
            {"a": arange(2, 3), "b": arange(2, 3, k=9), "p": int64(0)},
            {"a": arange(2, 3), "b": arange(2, 3, k=9), "p": int64(-1)},
            {"a": arange(2, 3), "b": arange(2, 3, k=9), "p": int64(-2)},
        ],
    ),
    "ranks_known": (
        """
        g (float[2,3] a, float[4] b) => (float[4] y, float[2,3] z) {
          s = SequenceConstruct(a, b)
          p = Constant <value_int=1>()
          q = Constant <value_int=-2>()
          y = SequenceAt(s, p)
          z = SequenceAt(s, q)
        }""",
        [
            {"a": arange(2, 3), "b": arange(4)},
        ],
    ),
    "insert_negative": (
        """
        g (float[2] a, float[2] b, float[2] c, int64 p) => (seq(float[2]) y) {
          s = SequenceConstruct(a, b)
          y = SequenceInsert(s, c, p)
        }""",
        [
            *[
                {"a": arange(2), "b": arange(2, k=5), "c": arange(2, k=9), "p": int64(k)}
                for k in (-2, -1, 0, 1, 2)
            ],
        ],
    ),
    "erase_negative": (
        """
        g (float[2] a, float[2] b, float[3] c, int64 p) => (seq(float[N]) y) {
          s = SequenceConstruct(a, b, c)
          y = SequenceErase(s, p)
        }""",
        [
            *[
                {"a": arange(2), "b": arange(2, k=5), "c": arange(3, k=9), "p": int64(k)}
                for k in (-3, -2, -1, 0, 1, 2)
            ],
        ],
    ),
    "erase_last": (
        """
        g (float[2] a, float[2] b) => (seq(float[2]) y, int64 n) {
          s = SequenceConstruct(a, b)
          y = SequenceErase(s)
          n = SequenceLength(y)
        }""",
        [
            {"a": arange(2), "b": arange(2, k=5)},
        ],
    ),
    "i32_position": (
        """
        g (float[2] a, float[2] b, int32 p) => (float[2] y) {
          s = SequenceConstruct(a, b)
          y = SequenceAt(s, p)
        }""",
        [
            {"a": arange(2), "b": arange(2, k=5), "p": np.array(1, np.int32)},
        ],
    ),
    "split_scalar": (
        """
        g (float[7,2] x) => (seq(float[K,2]) y) {
          k = Constant <value_int=3>()
          y = SplitToSequence<axis=0>(x, k)
        }""",
        [
            {"x": arange(7, 2)},
        ],
    ),
    "split_vector": (
        """
        g (float[2,7] x) => (seq(float[2,K]) y) {
          k = Constant <value_ints=[3, 0, 4]>()
          y = SplitToSequence<axis=-1>(x, k)
        }""",
        [
            {"x": arange(2, 7)},
        ],
    ),
    "split_input": (
        """
        g (float[N] x, int64[K] k) => (seq(float[M]) y, int64 n) {
          y = SplitToSequence(x, k)
          n = SequenceLength(y)
        }""",
        [
            {"x": arange(5), "k": int64([2, 3])},
            {"x": arange(5), "k": int64([1, 1, 3])},
        ],
    ),
    "split_scalar_input": (
        """
        g (float[N] x, int64 k) => (seq(float[M]) y, int64 n) {
          y = SplitToSequence(x, k)
          n = SequenceLength(y)
        }""",
        [
            {"x": arange(5), "k": int64(2)},
            {"x": arange(6), "k": int64(2)},
            {"x": arange(3), "k": int64(5)},
        ],
    ),
    "split_nokeep": (
        """
        g (float[3,N] x) => (seq(float[N]) y) {
          y = SplitToSequence<axis=0, keepdims=0>(x)
        }""",
        [
            {"x": arange(3, 2)},
        ],
    ),
    "split_concat": (
        """
        g (float[A,B] x) => (float[B,A] y) {
          s = SplitToSequence<axis=0, keepdims=0>(x)
          y = ConcatFromSequence<axis=1, new_axis=1>(s)
        }""",
        [
            {"x": arange(3, 2)},
            {"x": arange(1, 4)},
        ],
    ),
    "concat_axis": (
        """
        g (float[2,3] a, float[2,1] b) => (float[2,4] y) {
          s = SequenceConstruct(a, b)
          y = ConcatFromSequence<axis=-1>(s)
        }""",
        [
            {"a": arange(2, 3), "b": arange(2, 1)},
        ],
    ),
    "concat_new_last": (
        """
        g (float[2,3] a, float[2,3] b) => (float[2,3,2] y) {
          s = SequenceConstruct(a, b)
          y = ConcatFromSequence<axis=-1, new_axis=1>(s)
        }""",
        [
            {"a": arange(2, 3), "b": arange(2, 3, k=1)},
        ],
    ),
    "concat_seq_input": (
        """
        g (seq(float[N,2]) s) => (float[M,2] y) {
          y = ConcatFromSequence<axis=0>(s)
        }""",
        [
            {"s": [arange(1, 2), arange(3, 2)]},
            {"s": [arange(2, 2)]},
        ],
    ),
    "length_input": (
        """
        g (seq(float[N]) s) => (int64 n) {
          n = SequenceLength(s)
        }""",
        [
            {"s": [arange(1), arange(3)]},
            {"s": [arange(2)]},
        ],
    ),
    "identity_seq": (
        """
        g (seq(float[N]) a) => (seq(float[N]) y) {
          y = Identity(a)
        }""",
        [
            {"a": [arange(1), arange(3)]},
        ],
    ),
    "optional_some": (
        """
        g (float[2] x) => (bool h, float[2] y) {
          o = Optional(x)
          h = OptionalHasElement(o)
          y = OptionalGetElement(o)
        }""",
        [
            {"x": arange(2)},
        ],
    ),
    "optional_seq": (
        """
        g (float[2] x) => (bool h, seq(float[2]) y) {
          s = SequenceConstruct(x, x)
          o = Optional(s)
          h = OptionalHasElement(o)
          y = OptionalGetElement(o)
        }""",
        [
            {"x": arange(2)},
        ],
    ),
    "swap_elements": (
        """
        g (float[2] a, float[3] b) => (float[3] y, float[2] z) {
          s = SequenceConstruct(a, b)
          o = Constant <value_int=1>()
          z0 = Constant <value_int=0>()
          x = SequenceAt(s, o)
          r = SequenceErase(s, o)
          t = SequenceInsert(r, x, z0)
          y = SequenceAt(t, z0)
          z = SequenceAt(t, o)
        }""",
        [
            {"a": arange(2), "b": arange(3)},
        ],
    ),
    "zero_extent": (
        """
        g (float[N,2] x) => (seq(float[K,2]) y, int64 n) {
          y = SplitToSequence(x)
          n = SequenceLength(y)
        }""",
        [
            {"x": arange(0, 2)},
            {"x": arange(2, 2)},
        ],
    ),
    "types_bool": (
        """
        g (bool[2] a) => (seq(bool[2]) y) {
          s = SequenceEmpty<dtype=9>()
          y = SequenceInsert(s, a)
        }""",
        [
            {"a": np.array([True, False])},
        ],
    ),
    "types_u8": (
        """
        g (uint8[2] a, int64 p) => (uint8[2] y) {
          s = SequenceConstruct(a, a)
          y = SequenceAt(s, p)
        }""",
        [
            {"a": np.array([1, 2], np.uint8), "p": int64(1)},
        ],
    ),
    "types_f64": (
        """
        g (double[2] a) => (double[4] y) {
          s = SequenceConstruct(a, a)
          y = ConcatFromSequence<axis=0>(s)
        }""",
        [
            {"a": np.array([1.5, 2])},
        ],
    ),
}

FAILING: dict[str, tuple[str, str, list[dict[str, Any]]]] = {
    "at_range": (
        """
        g (float[2] a, int64 p) => (float[2] y) {
          s = SequenceConstruct(a, a)
          y = SequenceAt(s, p)
        }""",
        "runtime-index",
        [
            {"a": arange(2), "p": int64(2)},
            {"a": arange(2), "p": int64(-3)},
        ],
    ),
    "insert_range": (
        """
        g (float[2] a, int64 p) => (seq(float[2]) y) {
          s = SequenceConstruct(a, a)
          y = SequenceInsert(s, a, p)
        }""",
        "runtime-index",
        [
            {"a": arange(2), "p": int64(3)},
            {"a": arange(2), "p": int64(-3)},
        ],
    ),
    "erase_range": (
        """
        g (float[2] a, int64 p) => (seq(float[2]) y) {
          s = SequenceConstruct(a, a)
          y = SequenceErase(s, p)
        }""",
        "runtime-index",
        [
            {"a": arange(2), "p": int64(2)},
            {"a": arange(2), "p": int64(-3)},
        ],
    ),
    "erase_empty": (
        """
        g (float[2] a) => (seq(float[2]) y) {
          s = SequenceEmpty()
          y = SequenceErase(s)
        }""",
        "runtime-index",
        [
            {"a": arange(2)},
        ],
    ),
    "concat_empty": (
        """
        g (seq(float[2]) s) => (float[N] y) {
          y = ConcatFromSequence<axis=0>(s)
        }""",
        "runtime-shape",
        [
            {"s": []},
        ],
    ),
    "concat_differ": (
        """
        g (seq(float[N]) s) => (float[K,N] y) {
          y = ConcatFromSequence<axis=0, new_axis=1>(s)
        }""",
        "runtime-shape",
        [
            {"s": [arange(2), arange(3)]},
        ],
    ),
    "split_sum": (
        """
        g (float[N] x, int64[K] k) => (seq(float[M]) y) {
          y = SplitToSequence(x, k)
        }""",
        "runtime-shape",
        [
            {"x": arange(5), "k": int64([2, 2])},
            {"x": arange(5), "k": int64([6, -1])},
        ],
    ),
    "split_zero": (
        """
        g (float[N] x, int64 k) => (seq(float[M]) y) {
          y = SplitToSequence(x, k)
        }""",
        "runtime-shape",
        [
            {"x": arange(5), "k": int64(0)},
        ],
    ),
    "get_absent": (
        """
        g (optional(float[2]) o) => (float[2] y) {
          y = OptionalGetElement(o)
        }""",
        "runtime-absent",
        [
            {"o": None},
        ],
    ),
    "map_short": (
        """
        g (seq(float[N]) a, seq(float[N]) b) => (seq(float[N]) y) {
          y = SequenceMap(a,b)<body = q (float[N] u, float[N] v) => (float[N] w) {
            w = Add(u, v)
          }>
        }""",
        "runtime-index",
        [
            {"a": [arange(1), arange(3)], "b": [arange(1)]},
        ],
    ),
}
