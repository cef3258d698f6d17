"""Linear systems and eigenvalues by iteration; factorisations, a column in each trip."""

from __future__ import annotations

import numpy as np

from corpus.program import Parts, float32, floats, int64, program


def definite(seed: int, n: int) -> np.ndarray:
    """Return a symmetric matrix whose eigenvalues lie between 1 and 3."""
    q, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((n, n)))
    matrix = float32(q @ np.diag(np.linspace(1, 3, n)) @ q.T)
    return (matrix + matrix.T) / np.float32(2)


@program("von Mises and Pollaczek-Geiringer 1929; Golub and Van Loan, Matrix Computations")
def power_iteration() -> Parts:
    """Largest eigenvalue and its vector, until the vector stays."""
    matrix = definite(401, 12)

    def truth(start: np.ndarray) -> dict[str, object]:
        values, vectors = np.linalg.eigh(matrix.astype(float))
        vector = vectors[:, -1]
        return {"value": values[-1], "vector": vector * np.sign(vector @ start)}

    return Parts(
        text="""
        (float[12] start) => (float value, float[12] vector) {
          vector, value = Loop (i400, yes, start, f0) <body = step
            (int64 t, bool go, float[12] v0, float l0) => (bool on, float[12] v1, float l1) {
              product = MatMul (matrix, v0)
              l1 = ReduceL2 <keepdims = 0> (product)
              v1 = Div (product, l1)
              change = Sub (v1, v0)
              size = ReduceL2 <keepdims = 0> (change)
              on = Greater (size, tolerance)
          }>
        }""",
        weights={"matrix": matrix, "i400": int64(400), "tolerance": float32(2e-6)},
        feeds=[{"start": floats(402, 12)}, {"start": float32(np.eye(12)[3])}],
        truth=truth,
        # The gap of eigenvalues is 0.06 of 1: a change of 2e-6, 34 units, and 14 roundings a step are 1 / 0.06 from the limit.
        roundings=(34 + 14) / 0.06,
    )


@program("Hestenes and Stiefel, Methods of Conjugate Gradients for Solving Linear Systems, 1952")
def conjugate_gradients() -> Parts:
    """Solution of a definite system, until the residual is small."""
    matrix = definite(411, 16)
    return Parts(
        text="""
        (float[16] b) => (float[16] x) {
          rr_start = ReduceSumSquare <keepdims = 0> (b)
          needed = Greater (rr_start, tolerance)
          x, r, p, rr = Loop (i32, needed, zeros, b, b, rr_start) <body = step
            (int64 t, bool go, float[16] x0, float[16] r0, float[16] p0, float rr0)
              => (bool on, float[16] x1, float[16] r1, float[16] p1, float rr1) {
              ap = MatMul (matrix, p0)
              pap = MatMul (p0, ap)
              alpha = Div (rr0, pap)
              dx = Mul (alpha, p0)
              x1 = Add (x0, dx)
              dr = Mul (alpha, ap)
              r1 = Sub (r0, dr)
              rr1 = ReduceSumSquare <keepdims = 0> (r1)
              beta = Div (rr1, rr0)
              dp = Mul (beta, p0)
              p1 = Add (r1, dp)
              on = Greater (rr1, tolerance)
          }>
        }""",
        weights={
            "matrix": matrix,
            "zeros": float32(np.zeros(16)),
            "i32": int64(32),
            "tolerance": float32(1e-10),
        },
        feeds=[{"b": floats(412, 16)}, {"b": float32(np.zeros(16))}, {"b": matrix[3]}],
        truth=lambda b: {"x": np.linalg.solve(matrix.astype(float), b)},
        # A residual of 1e-5 is 168 units; products of 16 in each of about eight steps, times the condition, 3.
        roundings=168 + 3 * 8 * 20,
        scale=1.0,
    )


@program("Jacobi 1845; Golub and Van Loan, Matrix Computations")
def jacobi() -> Parts:
    """Forty sweeps over a system whose diagonal dominates."""
    off = floats(421, 16, 16, scale=0.05)
    np.fill_diagonal(off, 0)
    diagonal = float32(np.linspace(2, 3, 16))
    return Parts(
        text="""
        (float[16] b) => (float[16] x) {
          x = Loop (i40, yes, zeros) <body = sweep (int64 t, bool go, float[16] x0) => (bool on, float[16] x1) {
              on = Identity (go)
              product = MatMul (off, x0)
              rest = Sub (b, product)
              x1 = Div (rest, diagonal)
          }>
        }""",
        weights={"off": off, "diagonal": diagonal, "zeros": float32(np.zeros(16)), "i40": int64(40)},
        feeds=[{"b": floats(422, 16)}, {"b": float32(np.zeros(16))}],
        truth=lambda b: {"x": np.linalg.solve(off.astype(float) + np.diag(diagonal.astype(float)), b)},
        # 18 roundings in a sweep; a sweep at most halves an error.
        roundings=2 * 18,
    )


@program(
    "Björck, Solving Linear Least Squares Problems by Gram-Schmidt Orthogonalization, 1967 (modified form)"
)
def gram_schmidt() -> Parts:
    """Orthonormal columns: a loop over columns, and one over those before."""

    def truth(a: np.ndarray) -> dict[str, object]:
        q, r = np.linalg.qr(a)
        return {"q": q * np.sign(np.diag(r))}

    return Parts(
        text="""
        (float[8,5] a) => (float[8,5] q) {
          columns = Transpose <perm = [1, 0]> (a)
          zeros = Mul (columns, f0)
          rows = Loop (i5, yes, zeros) <body = column (int64 j, bool go, float[5,8] q0) => (bool on, float[5,8] q1) {
              on = Identity (go)
              v_start = Gather <axis = 0> (columns, j)
              v = Loop (j, yes, v_start) <body = project
                (int64 k, bool more, float[8] v0) => (bool more1, float[8] v1) {
                  more1 = Identity (more)
                  other = Gather <axis = 0> (q0, k)
                  along = MatMul (other, v0)
                  part = Mul (along, other)
                  v1 = Sub (v0, part)
              }>
              norm = ReduceL2 <keepdims = 1> (v, at0)
              unit = Div (v, norm)
              row = Unsqueeze (unit, at0)
              place = Reshape (j, corner)
              q1 = ScatterND (q0, place, row)
          }>
          q = Transpose <perm = [1, 0]> (rows)
        }""",
        weights={"corner": int64([1, 1])},
        feeds=[{"a": floats(501, 8, 5)}, {"a": float32(np.eye(8, 5) * 3)}],
        truth=truth,
        # Four projections of 10 roundings each, times the condition of the columns, below 6.
        roundings=4 * 10 * 6,
    )


@program("Cholesky 1910; Golub and Van Loan, Matrix Computations")
def cholesky() -> Parts:
    """Triangular root of a definite matrix, a column in each trip."""
    return Parts(
        text="""
        (float[10,10] a) => (float[10,10] l) {
          zeros = Mul (a, f0)
          l = Loop (i10, yes, zeros) <body = column (int64 j, bool go, float[10,10] l0) => (bool on, float[10,10] l1) {
              on = Identity (go)
              row = Gather <axis = 0> (l0, j)
              before = MatMul (l0, row)
              given = Gather <axis = 1> (a, j)
              rest = Sub (given, before)
              pivot = Gather <axis = 0> (rest, j)
              root = Sqrt (pivot)
              scaled = Div (rest, root)
              below = GreaterOrEqual (places, j)
              column_ = Where (below, scaled, f0)
              here = Equal (places, j)
              unit = Cast <to = 1> (here)
              upright = Unsqueeze (column_, at1)
              placed = Mul (upright, unit)
              l1 = Add (l0, placed)
          }>
        }""",
        weights={"i10": int64(10), "places": int64(range(10))},
        feeds=[{"a": definite(511, 10)}, {"a": float32(np.eye(10) * 4)}],
        truth=lambda a: {"l": np.linalg.cholesky(a)},
        # Columns have 12 roundings each, times the condition, 3.
        roundings=10 * 12 * 3,
    )


@program("Gaussian elimination with partial pivoting; Golub and Van Loan, Matrix Computations")
def lu_decomposition() -> Parts:
    """Both factors in one matrix: rows are exchanged, then cleared below the pivot."""

    def truth(a: np.ndarray) -> dict[str, object]:
        a, order = a.copy(), np.arange(8)
        for j in range(8):
            p = j + int(np.abs(a[j:, j]).argmax())
            a[[j, p]], order[[j, p]] = a[[p, j]], order[[p, j]]
            a[j + 1 :, j] /= a[j, j]
            a[j + 1 :, j + 1 :] -= np.outer(a[j + 1 :, j], a[j, j + 1 :])
        return {"lu": a, "order": order}

    return Parts(
        text="""
        (float[8,8] a) => (float[8,8] lu, int64[8] order) {
          lu, order = Loop (i8, yes, a, places) <body = column
            (int64 j, bool go, float[8,8] a0, int64[8] order0) => (bool on, float[8,8] a1, int64[8] order1) {
              on = Identity (go)
              column_ = Gather <axis = 1> (a0, j)
              sizes = Abs (column_)
              above = Less (places, j)
              candidates = Where (above, minus, sizes)
              p = ArgMax <axis = 0, keepdims = 0> (candidates)
              is_j = Equal (places, j)
              is_p = Equal (places, p)
              with_p = Where (is_j, p, places)
              exchange = Where (is_p, j, with_p)
              swapped = Gather <axis = 0> (a0, exchange)
              order1 = Gather <axis = 0> (order0, exchange)
              pivots = Gather <axis = 0> (swapped, j)
              pivot = Gather <axis = 0> (pivots, j)
              under = Gather <axis = 1> (swapped, j)
              factors = Div (under, pivot)
              below = Greater (places, j)
              cleared = Where (below, factors, f0)
              upright = Unsqueeze (cleared, at1)
              right = Where (below, pivots, f0)
              products = Mul (upright, right)
              reduced = Sub (swapped, products)
              below_column = Unsqueeze (below, at1)
              factor_place = And (below_column, is_j)
              a1 = Where (factor_place, upright, reduced)
          }>
        }""",
        weights={"places": int64(range(8)), "minus": float32(-1)},
        feeds=[{"a": floats(521, 8, 8)}, {"a": float32(np.eye(8)[::-1] * 2 + np.eye(8))}],
        truth=truth,
        # Three roundings in each of eight steps, times the growth of the factors and the condition of the leading parts.
        roundings=8 * 3 * 40,
    )
