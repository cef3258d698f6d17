"""Checks of operands whose extents only the program knows.

An operation demands the same of them as of operands with static extents.

Uses that `infer` accepts are damaged: an operand gets another extent along some axis, or a parameter another number. With all extents
written in the types, inference and the engine say whether there is a result. The same program with dynamic dimensions must say the same:
an operation that is made of others (Multiply, MatMul …) must not broadcast what it would refuse itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from loomir.compiler.option_names import Engine
from loomir.dialects.ov import operations
from loomir.dialects.ov.base import OvOperation
from loomir.errors import Error
from tests.differential.operator_samples import Sample, Sampler, build
from tests.differential.test_operators import REFUSED_WHEN_DYNAMIC, program, run
from tests.support import assert_agree

OPERATIONS = [o for o in operations() if issubclass(o, OvOperation) and o.get_irdl_definition().operands]

STRICTER = {
    "limit-bytes",
    "runtime-capacity",
    "unknown-shape",
    *REFUSED_WHEN_DYNAMIC,
}
"""Errors permitted for dynamic dimensions or parameters although there is a result.

They say that something must be known, or that bounds are exceeded.
"""

ROUNDS = int(os.environ.get("LOOMIR_SAMPLES", "2"))
ENGINES: tuple[Engine, ...] = ("graph", "structured")


def damaged(sample: Sample, rng: np.random.Generator) -> Sample:
    """The sample with one or two of its arrays changed."""
    operands = list(sample.operands)
    for _ in range(1 if rng.random() < 0.7 else 2):
        which = int(rng.integers(len(operands)))
        operand = operands[which]
        if isinstance(operand, np.ndarray):
            operands[which] = _changed(operand, rng)
        elif operand:
            place = int(rng.integers(len(operand)))
            operands[which] = tuple(_changed(a, rng) if k == place else a for k, a in enumerate(operand))
    made = replace(sample, operands=tuple(operands))
    small = (k for k, a in enumerate(made.arrays) if a.ndim <= 1 and a.size <= 8 and a.dtype.kind in "iub")
    return replace(made, parameters=frozenset(small))


def _changed(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The array with another extent, often 1, or of a parameter another number."""
    if not array.size:
        return array
    if array.ndim and rng.random() < 0.8:
        axis = int(rng.integers(array.ndim))
        extent = array.shape[axis]
        wanted = int(rng.choice([1, 1, 1, extent + 1, extent - 1, 2 * extent, 2, 3]))
        return np.take(array, np.arange(wanted) % extent, axis)
    if array.dtype.kind not in "iu":
        return array
    array = array.copy()
    low = 0 if array.dtype.kind == "u" else -1
    array.reshape(-1)[int(rng.integers(array.size))] = int(rng.integers(low, 4))
    return array


def outcome(results: Callable[[], list[np.ndarray]]) -> list[np.ndarray] | Error:
    try:
        return results()
    except Error as error:
        return error


def assert_same_outcome(sample: Sample, engine: Engine, *, constants: bool) -> None:
    """Dynamic dimensions give the result that known ones give, or an error where those give one."""

    def known() -> list[np.ndarray]:
        build(sample)
        return run(*program([sample]), "graph")

    def open_() -> list[np.ndarray]:
        return run(*program([sample], dynamic=True, constants=constants, bounded=engine != "graph"), engine)

    wanted, actual = outcome(known), outcome(open_)
    what = f"{sample}: {wanted} known, {actual} open ({engine})"
    if isinstance(actual, Error):
        assert actual.identifier != "internal-error", what
        if not isinstance(wanted, Error):
            assert actual.identifier in STRICTER or _broadcasts_a_sum(sample, actual), what
        return
    assert not isinstance(wanted, Error), what
    for a, b in zip(actual, wanted, strict=True):
        assert_agree(a, b, what)


def _broadcasts_a_sum(sample: Sample, error: Error) -> bool:
    """Einsum may sum over a label of which one operand has 1 and another more only where the extents are known."""
    return sample.op_class.name == "ov.einsum" and error.identifier == "runtime-shape"


@pytest.mark.parametrize("op_class", OPERATIONS, ids=lambda o: o.name)
def test_dynamic_dimensions_are_asked_for(op_class: type[OvOperation]) -> None:
    """A primitive operation is evaluated by what infers it; what is left to compare is its lowering."""
    rng = np.random.default_rng(20261122)
    sampler = Sampler(op_class, rng)
    uses: Sequence[Sample] = [*sampler.accepted, *(sampler.sample() for _ in range(3))]
    for number in range((2 if op_class.COMPOSITE else 1) * ROUNDS):
        sample = damaged(uses[number % len(uses)], rng)
        if op_class.COMPOSITE:
            for engine in ENGINES:
                for constants in (True, False):
                    assert_same_outcome(sample, engine, constants=constants)
        else:
            assert_same_outcome(sample, "structured", constants=bool(number % 2))
