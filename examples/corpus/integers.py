"""Programs on integers: their truth is exact."""

from __future__ import annotations

import zlib
from math import gcd as gcd_of

import numpy as np

from corpus.program import Parts, int64, integers, program


@program("Collatz 1937; Lagarias, The 3x + 1 Problem, 1985")
def collatz() -> Parts:
    """Steps of the 3n + 1 sequence until 1, of which no bound is known."""

    def truth(n: np.ndarray) -> dict[str, int]:
        value, steps, largest = int(n), 0, int(n)
        while value != 1:
            value = 3 * value + 1 if value % 2 else value // 2
            steps, largest = steps + 1, max(largest, value)
        return {"steps": steps, "largest": largest}

    return Parts(
        text="""
        (int64 n) => (int64 steps, int64 largest) {
          start = Greater (n, i1)
          value, steps, largest = Loop (, start, n, i0, n) <body = step
            (int64 t, bool go, int64 v0, int64 s0, int64 m0) => (bool on, int64 v1, int64 s1, int64 m1) {
              bit = Mod (v0, i2)
              odd = Cast <to = 9> (bit)
              v1 = If (odd) <
                then_branch = up () => (int64 a) { triple = Mul (v0, i3)  a = Add (triple, i1) },
                else_branch = down () => (int64 b) { b = Div (v0, i2) }>
              s1 = Add (s0, i1)
              m1 = Max (m0, v1)
              on = Greater (v1, i1)
          }>
        }""",
        feeds=[{"n": int64(27)}, {"n": int64(1)}, {"n": int64(1024)}, {"n": int64(97)}],
        truth=truth,
    )


@program("Euclid, Elements VII.2; Knuth, The Art of Computer Programming 2, algorithm A of section 4.5.2")
def gcd() -> Parts:
    """Greatest common divisor by remainders."""
    return Parts(
        text="""
        (int64 a, int64 b) => (int64 divisor, int64 steps) {
          start = Greater (b, i0)
          divisor, rest, steps = Loop (, start, a, b, i0) <body = step
            (int64 t, bool go, int64 a0, int64 b0, int64 s0) => (bool on, int64 a1, int64 b1, int64 s1) {
              a1 = Identity (b0)
              b1 = Mod (a0, b0)
              s1 = Add (s0, i1)
              on = Greater (b1, i0)
          }>
        }""",
        feeds=[{"a": int64(a), "b": int64(b)} for a, b in ((832040, 514229), (84, 36), (7, 0), (5, 5))],
        truth=lambda a, b: {"divisor": gcd_of(int(a), int(b)), "steps": euclid_steps(int(a), int(b))},
    )


def euclid_steps(a: int, b: int) -> int:
    """Return the divisions of Euclid's algorithm."""
    return 0 if b == 0 else 1 + euclid_steps(b, a % b)


@program("Eratosthenes")
def sieve() -> Parts:
    """Primes below 120: multiples of each prime are struck out, until its square is too large."""

    def truth(limit: np.ndarray) -> dict[str, object]:
        primes = [n for n in range(2, 120) if n < limit and all(n % d for d in range(2, n))]
        return {"primes": np.isin(np.arange(120), primes)}

    return Parts(
        text="""
        (int64 limit) => (bool[120] primes) {
          start = Greater (limit, i4)
          p, flags = Loop (, start, i2, candidates) <body = step
            (int64 t, bool go, int64 p0, bool[120] f0_) => (bool on, int64 p1, bool[120] f1_) {
              is_prime = Gather (f0_, p0)
              f1_ = If (is_prime) <
                then_branch = strike () => (bool[120] a) {
                  rest = Mod (numbers, p0)
                  multiple = Equal (rest, i0)
                  square = Mul (p0, p0)
                  far = GreaterOrEqual (numbers, square)
                  struck = And (multiple, far)
                  left = Not (struck)
                  a = And (f0_, left) },
                else_branch = go_on () => (bool[120] b) { b = Identity (f0_) }>
              p1 = Add (p0, i1)
              next_square = Mul (p1, p1)
              on = Less (next_square, limit)
          }>
          small = Less (numbers, limit)
          primes = And (flags, small)
        }""",
        weights={"candidates": np.arange(120) > 1, "numbers": np.arange(120)},
        feeds=[{"limit": int64(n)} for n in (120, 49, 50, 3)],
        truth=truth,
    )


@program("Fibonacci, Liber Abaci, 1202")
def fibonacci() -> Parts:
    """Two integers that add up to the next, to the limits of 64 bits."""

    def truth(n: np.ndarray) -> dict[str, object]:
        a, b = 0, 1
        for _ in range(int(n)):
            a, b = b, a + b
        return {"f": a}

    return Parts(
        text="""
        (int64 n) => (int64 f) {
          f, g = Loop (n, yes, i0, i1) <body = step
            (int64 t, bool go, int64 a0, int64 b0) => (bool on, int64 a1, int64 b1) {
              on = Identity (go)
              a1 = Identity (b0)
              b1 = Add (a0, b0)
          }>
        }""",
        feeds=[{"n": int64(n)} for n in (90, 0, 1, 12)],
        truth=truth,
    )


@program("Powers by squaring; Knuth, The Art of Computer Programming 2, algorithm A of section 4.6.3")
def matrix_power() -> Parts:
    """Power of a matrix modulo a prime: a square in each trip, and a product where the bit is set."""
    prime = 1_000_003

    def truth(m: np.ndarray, n: np.ndarray) -> dict[str, object]:
        power = np.eye(3, dtype=object)
        for _ in range(int(n)):
            power = power @ m.astype(object) % prime
        return {"power": int64(power.tolist())}

    return Parts(
        text="""
        (int64[3,3] m, int64 n) => (int64[3,3] power) {
          start = Greater (n, i0)
          power, square, left = Loop (, start, identity, m, n) <body = step
            (int64 t, bool go, int64[3,3] p0, int64[3,3] s0, int64 n0) => (bool on, int64[3,3] p1, int64[3,3] s1, int64 n1) {
              bit = Mod (n0, i2)
              odd = Greater (bit, i0)
              p1 = If (odd) <
                then_branch = multiply () => (int64[3,3] a) { ps = MatMul (p0, s0)  a = Mod (ps, prime) },
                else_branch = keep () => (int64[3,3] b) { b = Identity (p0) }>
              ss = MatMul (s0, s0)
              s1 = Mod (ss, prime)
              n1 = Div (n0, i2)
              on = Greater (n1, i0)
          }>
        }""",
        weights={"identity": np.eye(3, dtype=np.int64), "prime": int64(prime)},
        feeds=[{"m": int64([[1, 1, 0], [1, 0, 1], [0, 2, 1]]), "n": int64(n)} for n in (1000, 0, 1, 7)],
        truth=truth,
    )


@program("ISO 3309; the table-less form of zlib's crc32")
def crc32() -> Parts:
    """Check sum of bytes, bit by bit."""
    return Parts(
        text="""
        (uint8[N] data) => (uint32 crc) {
          count = Size (data)
          last_state = Loop (count, yes, ones) <body = each_byte (int64 t, bool go, uint32 c0) => (bool on, uint32 c1) {
              on = Identity (go)
              byte = Gather (data, t)
              wide = Cast <to = 12> (byte)
              mixed = BitwiseXor (c0, wide)
              c1 = Loop (i8, yes, mixed) <body = each_bit (int64 k, bool more, uint32 b0) => (bool more1, uint32 b1) {
                  more1 = Identity (more)
                  bit = BitwiseAnd (b0, one)
                  shifted = BitShift <direction = "RIGHT"> (b0, one)
                  factor = Mul (bit, polynomial)
                  b1 = BitwiseXor (shifted, factor)
              }>
          }>
          crc = BitwiseNot (last_state)
        }""",
        weights={
            "ones": np.array(0xFFFFFFFF, np.uint32),
            "one": np.array(1, np.uint32),
            "polynomial": np.array(0xEDB88320, np.uint32),
        },
        feeds=[{"data": np.frombuffer(text, np.uint8)} for text in (b"control flow of networks", b"", b"a")],
        truth=lambda data: {"crc": zlib.crc32(data.tobytes())},
    )


@program("Lehmer 1951; constants of ISO C's example of rand")
def random_walk() -> Parts:
    """Walk by a linear congruential generator, until it leaves a strip."""

    def truth(seed: np.ndarray, width: np.ndarray) -> dict[str, object]:
        state, place, path = int(seed), 0, []
        while len(path) < 200 and abs(place) < width:
            state = (1103515245 * state + 12345) % 2**31
            place += 1 if state >> 16 & 1 else -1
            path.append(place)
        return {"path": int64(path), "state": state}

    return Parts(
        text="""
        (int64 seed, int64 width) => (int64[T] path, int64 state) {
          start = Greater (width, i0)
          state, place, path = Loop (most, start, seed, i0) <body = step
            (int64 t, bool go, int64 s0, int64 p0) => (bool on, int64 s1, int64 p1, int64 shown) {
              product = Mul (s0, multiplier)
              sum = Add (product, increment)
              s1 = Mod (sum, modulus)
              high = Div (s1, sixteen_bits)
              bit = Mod (high, i2)
              double = Mul (bit, i2)
              move = Sub (double, i1)
              p1 = Add (p0, move)
              shown = Identity (p1)
              far = Abs (p1)
              on = Less (far, width)
          }>
        }""",
        weights={
            "multiplier": int64(1103515245),
            "increment": int64(12345),
            "modulus": int64(2**31),
            "sixteen_bits": int64(2**16),
            "most": int64(200),
        },
        feeds=[{"seed": int64(s), "width": int64(w)} for s, w in ((7, 9), (1, 40), (2, 1), (3, 0))],
        truth=truth,
    )


@program("Knuth, The Art of Computer Programming 3, algorithm B of section 6.2.1")
def binary_search() -> Parts:
    """Places of several keys in a sorted table, each found by halving."""
    return Parts(
        text="""
        (int64[N] table, int64[K] keys) => (int64[K] places) {
          size = Size (table)
          count = Size (keys)
          found = Greater (size, i0)
          places = Loop (count, yes) <body = each (int64 k, bool go) => (bool on, int64 low) {
              on = Identity (go)
              key = Gather (keys, k)
              low, high = Loop (, found, i0, size) <body = halve
                (int64 t, bool more, int64 l0, int64 h0) => (bool open, int64 l1, int64 h1) {
                  sum = Add (l0, h0)
                  middle = Div (sum, i2)
                  value = Gather (table, middle)
                  less = Less (value, key)
                  after = Add (middle, i1)
                  l1 = Where (less, after, l0)
                  h1 = Where (less, h0, middle)
                  open = Less (l1, h1)
              }>
          }>
        }""",
        feeds=[
            {"table": np.sort(integers(901, 0, 500, 60)), "keys": integers(902, -10, 510, 12)},
            {"table": int64([5]), "keys": int64([4, 5, 6])},
            {"table": int64([]), "keys": int64([1])},
        ],
        truth=lambda table, keys: {"places": np.searchsorted(table, keys)},
    )


@program("Conway 1970; Gardner, Scientific American 223:4")
def game_of_life() -> Parts:
    """Generations on a torus, ended when nothing changes."""

    def truth(cells: np.ndarray, most: np.ndarray) -> dict[str, object]:
        for generation in range(int(most)):
            alive = {(int(y), int(x)) for y, x in np.argwhere(cells)}
            new = np.zeros_like(cells)
            for y, x in np.ndindex(cells.shape):
                around = sum(
                    ((y + dy) % 12, (x + dx) % 12) in alive
                    for dy in (-1, 0, 1)
                    for dx in (-1, 0, 1)
                    if dy or dx
                )
                new[y, x] = around == 3 or (around == 2 and (y, x) in alive)
            same, cells = np.array_equal(new, cells), new
            if same:
                return {"final": cells, "generations": generation + 1}
        return {"final": cells, "generations": int(most)}

    return Parts(
        text="""
        (int64[12,12] cells, int64 most) => (int64[12,12] final, int64 generations) {
          final, generations = Loop (most, yes, cells, i0) <body = generation
            (int64 t, bool go, int64[12,12] c0, int64 g0) => (bool on, int64[12,12] c1, int64 g1) {
              up = Gather <axis = 0> (c0, before)
              down = Gather <axis = 0> (c0, after)
              column = Add (up, down)
              columns = Add (column, c0)
              left = Gather <axis = 1> (columns, before)
              right = Gather <axis = 1> (columns, after)
              sides = Add (left, right)
              around = Add (sides, column)
              three = Equal (around, i3)
              two = Equal (around, i2)
              alive = Cast <to = 9> (c0)
              survives = And (two, alive)
              lives = Or (three, survives)
              c1 = Cast <to = 7> (lives)
              g1 = Add (g0, i1)
              changes = Sub (c1, c0)
              sizes = Abs (changes)
              any = ReduceMax <keepdims = 0> (sizes)
              on = Greater (any, i0)
          }>
        }""",
        weights={"before": np.roll(np.arange(12), 1), "after": np.roll(np.arange(12), -1)},
        feeds=[
            {"cells": integers(903, 0, 2, 12, 12), "most": int64(30)},
            {"cells": np.pad(np.ones((2, 2), np.int64), ((0, 10), (0, 10))), "most": int64(30)},
            {"cells": integers(904, 0, 2, 12, 12), "most": int64(0)},
        ],
        truth=truth,
    )


@program("Hillis and Steele, Data Parallel Algorithms, 1986")
def parallel_prefix() -> Parts:
    """Prefix sums in logarithmically many steps of shifted additions."""
    return Parts(
        text="""
        (int64[32] x) => (int64[32] sums) {
          sums, distance = Loop (i5, yes, x, i1) <body = step
            (int64 t, bool go, int64[32] x0, int64 d0) => (bool on, int64[32] x1, int64 d1) {
              on = Identity (go)
              from = Sub (places, d0)
              at_ = Max (from, i0)
              others = Gather (x0, at_)
              there = GreaterOrEqual (from, i0)
              parts = Where (there, others, i0)
              x1 = Add (x0, parts)
              d1 = Add (d0, d0)
          }>
        }""",
        weights={"places": np.arange(32)},
        feeds=[{"x": integers(905, -100, 100, 32)}, {"x": int64([0] * 32)}],
        truth=lambda x: {"sums": np.cumsum(x)},
    )
