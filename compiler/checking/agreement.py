"""Results of runs, and their comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np

from loomir.dialects.element_types import same_contents, stored
from loomir.dialects.interface import Quantisation
from loomir.errors import Error

ABSOLUTE, RELATIVE = 1e-5, 1e-4
"""docs/testing.md: max|a−b| ≤ 1e-5 + 1e-4·max|b| for each output."""


@dataclass(frozen=True)
class Outcome:
    """Result of a run: outputs by name, or its failure.

    `error` is a user error of the program (`loomir.Error`); `crash` is any other exception, which is a compiler bug.
    `bounded` means that a capacity was set that may be too small. `quantisations` map outputs to the real numbers that
    their integers stand for.
    """

    outputs: Mapping[str, Any] | None = None
    error: Error | None = None
    crash: Exception | None = None
    iterations: int = 0
    bounded: bool = False
    quantisations: Mapping[str, Quantisation] = field(default_factory=dict[str, Quantisation])

    @property
    def is_limited(self) -> bool:
        """Return True if a bound on work or memory ended the run.

        Such an end is no evidence about the program.
        """
        if self.error is None:
            return False
        return self.error.identifier in _LIMITS or (
            self.bounded and self.error.identifier == "runtime-capacity"
        )

    @property
    def failed(self) -> bool:
        """Return True if there are no outputs."""
        return self.outputs is None

    def __str__(self) -> str:
        if self.crash is not None:
            return f"{type(self.crash).__name__}: {self.crash}"
        return "outputs" if self.error is None else f"the error {self.error}"

    @property
    def reason(self) -> str:
        """Return the category of the error.

        It is an index, a capacity, an endless loop, or shapes and parameters that do not fit.
        """
        assert self.error is not None
        return _REASONS.get(self.error.identifier, "shape")


_REASONS = {
    "runtime-index": "index",
    "runtime-absent": "index",
    "runtime-capacity": "capacity",
    "endless-loop": "endless",
}
_LIMITS = frozenset({"limit-iterations", "limit-bytes"})


@dataclass(frozen=True)
class Difference:
    """How two runs differ: `kind` for a machine, `text` for a person.

    Kinds: `values`, `signs` (of zeros only), `type`, `shape`, `outputs` (their names), `fails`, `succeeds`, `reason` (of a failure),
    `crash <class>`.
    """

    kind: str
    text: str
    output: str | None = None
    largest: float | None = None


def compare(
    before: Outcome,
    after: Outcome,
    *,
    exact: bool,
    steps: int = 0,
    unsteadiness: Mapping[str, float] | None = None,
) -> Difference | None:
    """How what comes after differs from what came before, if it does.

    With `exact` floats must be bitwise the same (a NaN is the same as any other); else within the tolerance of docs/testing.md. Quantised
    tensors, integers of at most 16 bits, may be `steps` apart; floats keep the tolerance, to which `unsteadiness` adds for some outputs.
    A program that fails with a user error must go on failing for the same reason; below GRAPH one identifier stands for several. What
    ended at a limit is not compared.
    """
    if after.crash is not None:
        if before.crash is not None and type(before.crash) is type(after.crash):
            return None
        return Difference(f"crash {type(after.crash).__name__}", f"can no longer be run: {after}")
    if before.is_limited or after.is_limited or before.crash is not None:
        return None
    if before.outputs is None or after.outputs is None:
        if before.outputs is None and after.outputs is None:
            if before.reason == after.reason:
                return None
            return Difference("reason", f"fails with {after}, where it failed with {before}")
        if after.outputs is None:
            return Difference("fails", f"fails with {after}, where it succeeded")
        return Difference("succeeds", f"succeeds, where it failed with {before}")
    if set(before.outputs) != set(after.outputs):
        return Difference(
            "outputs", f"outputs {sorted(after.outputs)}, where there were {sorted(before.outputs)}"
        )
    for name, value in before.outputs.items():
        other = after.outputs[name]
        if name in after.quantisations and isinstance(value, np.ndarray) and is_real(value.dtype):
            # The pass has made integers of floats.
            other = after.quantisations[name].reals(other).astype(value.dtype)
        found = _compare_values(value, other, exact, steps, (unsteadiness or {}).get(name, 0.0))
        if found is not None:
            return Difference(found.kind, f"output '{name}' {found.text}", name, found.largest)
    return None


def _compare_values(before: Any, after: Any, exact: bool, steps: int, more: float) -> Difference | None:
    """Compare one output before and after.

    An output is an array, a list of arrays (a sequence), or None (an absent optional).
    """
    if isinstance(before, list | tuple) or isinstance(after, list | tuple):
        return _compare_sequences(before, after, exact, steps, more)
    if before is None or after is None:
        if before is None and after is None:
            return None
        words = ("is absent", "is present")
        return Difference("shape", f"{words[after is not None]}, where it {words[before is not None]}")
    return _compare_arrays(np.asarray(before), np.asarray(after), exact, steps, more)


def _compare_sequences(before: Any, after: Any, exact: bool, steps: int, more: float) -> Difference | None:
    if not (isinstance(before, list | tuple) and isinstance(after, list | tuple)):
        return Difference("type", f"is a {type(after).__name__}, where it was a {type(before).__name__}")
    if len(before) != len(after):
        return Difference("shape", f"has {len(after)} elements, where it had {len(before)}")
    for index, (a, b) in enumerate(zip(before, after)):
        found = _compare_values(a, b, exact, steps, more)
        if found is not None:
            return Difference(found.kind, f"element {index} {found.text}", largest=found.largest)
    return None


def _compare_arrays(
    before: np.ndarray, after: np.ndarray, exact: bool, steps: int, more: float
) -> Difference | None:
    if before.dtype != after.dtype:
        return Difference("type", f"is of {after.dtype}, where it was of {before.dtype}")
    if before.shape != after.shape:
        return Difference("shape", f"has shape {list(after.shape)}, where it had {list(before.shape)}")
    if not before.size or same_contents(before, after):
        return None
    if before.dtype == np.object_ or before.dtype.kind == "c":
        # They are only moved: what is not the same is another element.
        wrong = np.array([not same_contents(a, b) for a, b in zip(_each(before), _each(after))], bool)
        return _values(before, after, wrong.reshape(before.shape), float("inf"), None)
    if not is_real(before.dtype):
        a, b = stored(before).astype(object), stored(after).astype(object)
        wrong = np.asarray(a != b)
        if steps and before.dtype.kind in "iu" and before.dtype.itemsize <= 2:
            wrong = np.abs(before.astype(np.int64) - after.astype(np.int64)) > steps
        if not wrong.any():
            return None  # integers of 2 and 4 bits, whose bytes have bits that mean nothing
        largest = float(max(abs(int(x) - int(y)) for x, y in zip(a[wrong].flat, b[wrong].flat)))
        return _values(before, after, wrong, largest, None)
    with np.errstate(all="ignore"):
        a, b = before.astype(np.float64), after.astype(np.float64)
        gap = np.abs(a - b)
    # Infinities of one sign are the same, and so are any two NaNs; a subtraction would not say so.
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if exact:
        same &= np.isnan(a) | (np.signbit(a) == np.signbit(b))
        if same.all():
            return None
        return _values(before, after, ~same, _largest(gap[~same]), 0.0)
    finite = np.isfinite(a) & np.isfinite(b)
    largest = float(np.abs(a[np.isfinite(a)]).max()) if np.isfinite(a).any() else 0.0
    limit = ABSOLUTE + RELATIVE * largest + more
    wrong = ~same & ~(finite & (gap <= limit))
    if not wrong.any():
        return None
    return _values(before, after, wrong, _largest(gap[wrong]), limit)


def _each(array: np.ndarray) -> Iterator[np.ndarray]:
    """The elements as arrays."""
    return iter(array.reshape(-1, 1))


def is_real(dtype: np.dtype) -> bool:
    """Return True if elements are floats, including those of `ml_dtypes`."""
    return dtype.kind == "f" or (dtype.kind == "V" and not is_narrow_integer(dtype))


def is_narrow_integer(dtype: np.dtype) -> bool:
    """Return True if elements are integers of 2 or 4 bits."""
    return dtype in _NARROW_INTEGERS


_NARROW_INTEGERS = frozenset(
    np.dtype(t) for t in (ml_dtypes.int2, ml_dtypes.int4, ml_dtypes.uint2, ml_dtypes.uint4)
)


def _largest(gaps: np.ndarray) -> float:
    """Return the largest of some differences.

    A difference with a NaN or an infinity in it is infinite.
    """
    return float(np.where(np.isnan(gaps), np.inf, gaps).max())


def _values(
    before: np.ndarray, after: np.ndarray, wrong: np.ndarray, largest: float, limit: float | None
) -> Difference:
    first: Sequence[int] = [int(i) for i in np.argwhere(wrong)[0]]
    count = int(np.count_nonzero(wrong))
    at = tuple(first)
    allowed = "" if limit is None else f" (allowed: {limit:.3g})"
    return Difference(
        "values" if largest else "signs",
        f"differs by up to {largest:.6g}{allowed} in {count} of {before.size} elements: "
        f"{after[at]} at {first}, where it was {before[at]}",
        largest=largest,
    )
