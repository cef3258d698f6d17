"""Inputs and expected results that stand beside a model of a corpus.

docs/corpus.md describes the files. They are made apart from loomir: what they say is independent of every engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from loomir.compiler.checking.agreement import Outcome
from loomir.compiler.checking.cases import read_feed
from loomir.errors import Error


class Truth(NamedTuple):
    """Expected value of an output, with the largest error that is right."""

    value: np.ndarray
    error: float


class Case(NamedTuple):
    """A feed, with the truth of each output."""

    feed: Mapping[str, np.ndarray]
    truths: Mapping[str, Truth]


def read_cases(model: Path) -> list[Case]:
    """Read the inputs and expected results beside a model.

    `NAME.inputs.npz` has input `x` of feed 2 as `2/x`, `NAME.expected.npz` output `y` of it as `2/y`, and its largest error as
    `error/2/y`. Error: `file-unreadable`.
    """
    feeds, expected = (model.with_suffix(f".{part}.npz") for part in ("inputs", "expected"))
    cases: list[Case] = []
    arrays = _arrays_of(expected)
    errors = {key.removeprefix("error/"): array for key, array in arrays.items() if key.startswith("error/")}
    values = {key: array for key, array in arrays.items() if not key.startswith("error/")}
    if not values or values.keys() != errors.keys() or any(error.shape != () for error in errors.values()):
        raise Error("file-unreadable", "is no file of expected results", file=str(expected), hint=_HINT)
    inputs = _by_feed(_arrays_of(feeds))
    for number, outputs in _by_feed(values).items():
        truths = {name: Truth(value, float(errors[f"{number}/{name}"])) for name, value in outputs.items()}
        cases.append(Case(inputs.get(number, {}), truths))
    return cases


_HINT = "python examples/make_corpus.py FOLDER writes a corpus (in loomir's source)"


def _arrays_of(path: Path) -> Mapping[str, np.ndarray]:
    if not path.is_file():
        raise Error("file-unreadable", "the model has no such file beside it", file=str(path), hint=_HINT)
    return read_feed(path)


def _by_feed(arrays: Mapping[str, np.ndarray]) -> dict[str, dict[str, np.ndarray]]:
    found: dict[str, dict[str, np.ndarray]] = {}
    for key, array in arrays.items():
        number, _, name = key.partition("/")
        found.setdefault(number, {})[name] = array
    return found


def mistake_of(outcome: Outcome, truths: Mapping[str, Truth]) -> str | None:
    """Return how a run's outputs differ from the truth, if they do."""
    if outcome.outputs is None:
        return f"ends with {outcome}"
    for name, (value, error) in truths.items():
        if name not in outcome.outputs:
            return f"has no output '{name}'"
        got = np.asarray(outcome.outputs[name])
        if got.shape != value.shape:
            return f"output '{name}' has shape {list(got.shape)}, the truth {list(value.shape)}"
        if value.dtype.kind != "f":
            wrong = np.asarray(got != value)
        else:
            with np.errstate(invalid="ignore"):
                gap = np.abs(got.astype(np.float64) - value)
            # (An infinity less itself is no number.)
            wrong = ~((gap <= error) | (got == value) | (np.isnan(got) & np.isnan(value)))
        if wrong.any():
            at = tuple(int(k) for k in np.argwhere(wrong)[0])
            return (
                f"output '{name}' is wrong in {int(wrong.sum())} of {value.size} elements: "
                f"{got[at]} at {list(at)}, in truth {value[at]} (± {error:.3g})"
            )
    return None
