"""Table of scalar operations, with one row of semantics per operation.

It covers the operations of `arith` and `math`, and `quads.dot`, for all of their readers.

| column of `Scalar` | read by |
|---|---|
| `numpy` | the interpreters, on arrays where iterations run at once (`compiler/engines`); the search for neutral padding |
| `python` | generated Python (`compiler/engines/codegen`) |
| `c` | the C printer (`compiler/formats/c`) |
| `interval` | `passes/analysis/value_ranges.py`, for C and generated Python: what cannot overflow is plain arithmetic |
| `defined` | every pass that moves an operation (`speculation.py`), and the C printer |
| `neutral`, `commutative` | the search for neutral padding (`passes/loops/lower_linalg_to_loops/padding.py`) |

Operands and results in numpy are arrays (or numpy scalars) with exactly `dtype_of(type)`: signless integers are held signed, `i1` as
`bool`, `index` as `int64`. Where MLIR leaves a result undefined, loomir defines one, so that engines agree:

| case | result |
|---|---|
| integer division or remainder by zero | 0 |
| `INT_MIN / -1` | wraps to `INT_MIN`, remainder 0 |
| shift by the width or more | 0; `shrsi`: the sign |
| `fptosi`, `fptoui` out of range | the nearest representable value; NaN gives 0 |

Callers disable numpy's warnings (`np.errstate(all="ignore")`). `arith.constant` has no row: it has a value and computes nothing.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Operation

from loomir.dialects.scalars.conversions import CONVERSIONS, FLOATS
from loomir.dialects.scalars.integers import INTEGERS, QUADS
from loomir.dialects.scalars.row import Python, Scalar
from loomir.dialects.vectors import MaskedSelectOp

__all__ = ["NUMBERS", "SCALARS", "Python", "Scalar"]

SCALARS: dict[type[Operation], Scalar] = {**INTEGERS, **FLOATS, **CONVERSIONS, **QUADS}
"""Operation class → its row."""

NUMBERS = frozenset(SCALARS) - {arith.SelectOp, MaskedSelectOp} | {arith.ConstantOp}
"""Operations on numbers and vectors of numbers only.

Most operations of a program are among them. `arith.select` is not: it also chooses between memrefs.
"""
