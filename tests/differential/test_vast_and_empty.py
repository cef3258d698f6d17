"""A tensor of no elements may have extents beyond all memory: what an operation takes for them is asked for before it is made.

Uses that `infer` accepts get extents, numbers and attributes of 0 and of 2^40, run in a process of their own with 1 GiB and 10 seconds.
A result or an error is right; memory, time, a signal or any other exception is not.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from math import prod

import numpy as np
import pytest

from loomir.dialects.ov import operations
from loomir.dialects.ov.base import AttrValue, OvOperation
from loomir.errors import Error
from tests.differential.operator_samples import Operand, Sample, Sampler, build
from tests.differential.test_operators import program, run
from tests.hostile.isolation import isolated

OPERATIONS = [o for o in operations() if issubclass(o, OvOperation) and o.get_irdl_definition().operands]
ROUNDS = int(os.environ.get("LOOMIR_SAMPLES", "1"))
ATTEMPTS = 12
"""Stretched uses of which `infer` accepts one, or the next operation is looked at."""
FOR_USERS = ("internal-error", "limit-memory")
"""Errors that indicate a fault of loomir."""
REFUSED = "refused when built"
VAST = (1 << 40, 1 << 31, 3_000_000_019)


def stretched(sample: Sample, rng: np.random.Generator) -> Sample:
    """The use with one extent 0 wherever it stands, others vast, and perhaps a vast number among parameters and attributes."""
    extents = sorted({e for a in sample.arrays for e in a.shape})
    rng.shuffle(extents)
    renamed: dict[int, int] = dict(zip(extents[:1], [0]))
    renamed.update((e, int(rng.choice(VAST))) for e in extents[1 : 1 + int(rng.integers(1, 3))])
    number = 0

    def shaped(array: np.ndarray) -> np.ndarray:
        nonlocal number
        number += 1
        if number - 1 in sample.parameters:
            return _with_vast_number(array, rng) if rng.random() < 0.5 else array
        shape = tuple(renamed.get(e, e) for e in array.shape)
        # numpy itself has no arrays whose other extents are beyond the addresses.
        small = prod(e for e in shape if e) * array.itemsize < 1 << 63
        return np.zeros(shape, array.dtype) if 0 in shape and small else array

    operands: list[Operand] = [
        o if o is None else shaped(o) if isinstance(o, np.ndarray) else tuple(map(shaped, o))
        for o in sample.operands
    ]
    attributes = dict(sample.attributes)
    if attributes and rng.random() < 0.5:
        name = str(rng.choice(sorted(attributes)))
        attributes[name] = _vast_attribute(attributes[name], rng)
    return replace(sample, operands=tuple(operands), attributes=attributes)


def _with_vast_number(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    if array.dtype != np.int64 or not array.size:
        return array
    array = array.copy()
    array.reshape(-1)[int(rng.integers(array.size))] = int(rng.choice(VAST))
    return array


def _vast_attribute(value: AttrValue, rng: np.random.Generator) -> AttrValue:
    vast = int(rng.choice(VAST))
    if isinstance(value, int) and not isinstance(value, bool):
        return vast
    if isinstance(value, list) and value and isinstance(value[0], int):
        place = int(rng.integers(len(value)))
        return [vast if k == place else v for k, v in enumerate(value)]  # pyright: ignore[reportReturnType]
    return value


def attempt(sample: Sample) -> str:
    try:
        build(sample)
    except Error:
        return REFUSED
    try:
        run(*program([sample]), "graph")
    except Error as error:
        if error.identifier in FOR_USERS:
            raise AssertionError(str(error)) from error
        return error.identifier
    return "result"


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    """Import modules before a fork, so that no child imports them again."""
    attempt(Sampler(OPERATIONS[-1], np.random.default_rng(0)).sample())


@pytest.mark.parametrize("op_class", OPERATIONS, ids=lambda o: o.name)
def test_nothing_is_made_unasked(op_class: type[OvOperation]) -> None:
    rng = np.random.default_rng(40)
    sampler = Sampler(op_class, rng)
    uses = [*sampler.accepted, *(sampler.sample() for _ in range(3))]
    tried = 0
    for number in range(ATTEMPTS * ROUNDS):
        sample = stretched(uses[number % len(uses)], rng)
        ended = isolated(partial(attempt, sample))
        assert ended.kind == "fine", f"{sample}: {ended.kind} {ended.what}\n{ended.details}"
        tried += ended.what != REFUSED
        if tried == 2 * ROUNDS:
            break
