"""Correctness of the conditions under which operations may fail.

Whatever its operands are, a speculatable operation stops no program.

Uses of each operation come from `operator_samples`; what is known of the operands is weakened at random. Where that is still enough
for `speculatable`, operands are drawn that it holds for, up to the ends of their types and sizes that the sample did not have, and the
operation has to give results for them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import chain

import numpy as np
import pytest
from xdsl.traits import ConditionallySpeculatable, NoMemoryEffect, Pure

from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.pipeline import run_passes
from loomir.dialects import ovseq
from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov import operations
from loomir.dialects.ov.base import OvOperation, evaluate, has_evaluator
from loomir.dialects.ov.facts import Fact
from loomir.dialects.speculation import MayFail, speculatable
from loomir.errors import Error
from tests.differential.operator_samples import Operand, Sample, Sampler, build
from tests.differential.test_operators import ROUNDS, program, weakened

ALL = [o for o in operations() if issubclass(o, OvOperation)]
SAMPLED = [
    o for o in ALL if o.get_irdl_definition().operands and o.get_traits_of_type(ConditionallySpeculatable)
]


@pytest.mark.parametrize("op_class", [*ALL, *ovseq.operations()], ids=lambda o: o.name)
def test_every_operation_says_once_when_it_fails(op_class: type[OvOperation]) -> None:
    # What may fail must not have effects: what nothing needs has to go.
    assert op_class.has_trait(NoMemoryEffect) or op_class.name == "ov.fail"
    said = op_class.get_traits_of_type(ConditionallySpeculatable)
    assert len(said) <= 1, f"{op_class.name} says several things: {said}"
    named = {name for name, _ in op_class.get_irdl_definition().operands}
    for trait in said:
        assert isinstance(trait, Pure | MayFail), f"{op_class.name} has a trait of another kind: {trait}"
        if isinstance(trait, MayFail):
            assert named.issuperset(trait.parameters), f"{op_class.name} has no operands {trait.parameters}"


def drawn(fact: Fact, rng: np.random.Generator) -> np.ndarray:
    """An array that a fact holds for: any of those, with the extreme ones often."""
    if fact.value is not None:
        return fact.value
    shape = (
        rng.integers(0, 5, int(rng.integers(0, 5))).tolist()
        if fact.shape is None
        else [int(rng.integers(d.lo, (d.lo + 4 if d.hi is None else d.hi) + 1)) for d in fact.shape]
    )
    if fact.lo is not None and fact.hi is not None:
        return np.asarray(rng.integers(fact.lo, fact.hi, endpoint=True)).astype(dtype_of(fact.element))
    dtype = dtype_of(fact.element)
    if dtype == np.bool_:
        return np.asarray(rng.integers(0, 2, shape) == 1)
    if dtype.kind in "iu":
        ends = np.iinfo(dtype)
        if rng.random() < 0.5:
            return np.asarray(rng.choice(np.array([ends.min, -1, 0, 1, ends.max]).astype(dtype), shape))
        return np.asarray(rng.integers(0 if ends.min == 0 else -9, 10, shape)).astype(dtype)
    if dtype.kind == "f":
        return np.asarray(rng.choice(np.array([np.nan, np.inf, -np.inf, -0.0, 2.5, 6e4]), shape)).astype(
            dtype
        )
    return np.asarray(rng.normal(0, 2, shape)).astype(dtype)


def with_arrays(sample: Sample, arrays: Sequence[np.ndarray]) -> Sample:
    """The sample with other arrays."""
    rest = iter(arrays)
    operands: list[Operand] = []
    for operand in sample.operands:
        if isinstance(operand, tuple):
            operands.append(tuple(next(rest) for _ in operand))
        else:
            operands.append(None if operand is None else next(rest))
    return replace(sample, operands=tuple(operands))


def run(op: OvOperation, sample: Sample) -> None:
    """Run a use as the graph engine does. Raises what fails."""
    arrays = sample.arrays
    _ = op.infer([Fact.of_array(a) for a in arrays])
    if has_evaluator(type(op)):
        _ = evaluate(op, arrays)
    else:
        module, feed = program([sample])
        run_passes(module, "ov-infer,ov-decompose")
        _ = GraphEngine(module)(feed)


@cache
def uses_of(op_class: type[OvOperation]) -> list[Sample]:
    """A few uses of an operation, which are slow to find."""
    sampler = Sampler(op_class, np.random.default_rng(int(os.environ.get("LOOMIR_SEED", "4"))))
    return [sampler.sample() for _ in range(3 * ROUNDS)]


def known(sample: Sample, rng: np.random.Generator) -> list[Fact]:
    """Facts that hold for a use: of each operand everything, its shape, or less."""
    facts: list[Fact] = []
    for array in sample.arrays:
        kind = rng.random()
        exact = Fact.of_array(array)
        facts.append(exact if kind < 0.4 else exact.without_content() if kind < 0.7 else weakened(array, rng))
    return facts


@pytest.mark.parametrize("op_class", SAMPLED, ids=lambda o: o.name)
def test_what_is_speculatable_does_not_fail(op_class: type[OvOperation]) -> None:
    rng = np.random.default_rng(4)
    draws = 4 if has_evaluator(op_class) else 1  # what has to be decomposed is a program each time
    for sample in uses_of(op_class):
        op = build(sample)
        for _ in range(8):
            facts = known(sample, rng)
            by_value = dict(zip(op.operands, facts, strict=True))
            if not speculatable(op, by_value.__getitem__):
                continue
            for _ in range(draws):
                use = with_arrays(sample, [drawn(f, rng) for f in facts])
                try:
                    run(op, use)
                except Exception as error:
                    said = ", ".join(f"{f.type} {f.bounds if f.value is None else f.value}" for f in facts)
                    raise AssertionError(f"{use} fails, but is speculatable for {said}: {error}") from error


@pytest.mark.parametrize("op_class", SAMPLED, ids=lambda o: o.name)
def test_what_is_wholly_known_and_runs_is_speculatable(op_class: type[OvOperation]) -> None:
    """Else a declaration that says no to everything would pass."""
    sampler = Sampler(op_class, np.random.default_rng(5))
    for sample in chain(uses_of(op_class), (sampler.sample() for _ in range(60))):
        op = build(sample)
        facts = {v: Fact.of_array(a) for v, a in zip(op.operands, sample.arrays, strict=True)}
        if speculatable(op, facts.__getitem__):
            return
        with pytest.raises(Error):
            run(op, sample)
    pytest.fail(f"{op_class.name} is never speculatable")
