"""Every primitive operation, by random uses made from its definition: inference is sound, and what is lowered equals `evaluate`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, DictionaryAttr, ModuleOp, StringAttr, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from loomir.compiler.levels import DEFAULT_LEVEL, Level
from loomir.compiler.model import Engine, Model
from loomir.compiler.options import Options
from loomir.dialects.element_types import element_of
from loomir.dialects.interface import bounds_attr
from loomir.dialects.ov import operations
from loomir.dialects.ov.base import OvOperation, evaluate, has_evaluator
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.errors import Error
from loomir.passes.analysis.inference.state import transfer
from tests.differential.operator_samples import Operand, Sample, Sampler, build
from tests.support import assert_agree
from tests.support_builds import build_of, level_of

# What has no operands (a constant, a failure) has nothing to be sampled.
PRIMITIVES = [o for o in operations() if has_evaluator(o) and o.get_irdl_definition().operands]

REFUSED_WHEN_DYNAMIC = {
    "unbounded-shape",
    "unknown-axes",
    "unknown-kernel",
    "unknown-length",
    "unknown-rank",
    "unresolved-rank",
}
"""Errors of the lowering permitted for operands that are not constants.

For constants the lowering may not refuse anything.
"""

ROUNDS = int(os.environ.get("LOOMIR_SAMPLES", "2"))
"""Seeds that each operation is sampled with; a nightly run takes more."""

sampled = settings(max_examples=ROUNDS, deadline=None, derandomize=True, database=None)
seeds = st.integers(0, 2**32 - 1)


def samples(op_class: type[OvOperation], seed: int, count: int = 4) -> list[Sample]:
    sampler = Sampler(op_class, np.random.default_rng(seed))
    return [sampler.sample() for _ in range(count)]


# -- inference


def weakened(array: np.ndarray, rng: np.random.Generator) -> Fact:
    """Something less that is true of the array: an interval for an extent, bounds or nothing of the contents, no rank."""
    exact = Fact.of_array(array)
    kind = rng.random()
    if kind < 0.35:
        return exact
    if kind < 0.42:
        return Fact(exact.element, None)
    if kind < 0.7 and (bounds := exact.bounds) is not None and array.dtype != np.bool_:
        spread = rng.integers(0, 3, (2, *array.shape))
        lowest = 0 if array.dtype.kind == "u" else -128
        return Fact.of_ints(
            exact.element, np.maximum(bounds[0] - spread[0], lowest), np.minimum(bounds[1] + spread[1], 127)
        )
    shape = tuple(
        Dim(e, e)
        if rng.random() < 0.4
        else Dim(max(0, e - int(rng.integers(3))), None if rng.random() < 0.4 else e + int(rng.integers(4)))
        for e in array.shape
    )
    return Fact(exact.element, shape, count=array.size + int(rng.integers(4)) if rng.random() < 0.5 else None)


def assert_contains(fact: Fact, array: np.ndarray, what: str) -> None:
    """Assert that the facts claimed of a result hold for it."""
    assert fact.element == element_of(array.dtype), f"{what}: {fact.element}, the result is {array.dtype}"
    if fact.shape is not None:
        assert len(fact.shape) == array.ndim, f"{what}: rank {len(fact.shape)}, the result {array.shape}"
        for extent, dim in zip(array.shape, fact.shape):
            high = extent if dim.hi is None else dim.hi
            assert dim.lo <= extent <= high, f"{what}: {list(map(str, fact.shape))}, the result {array.shape}"
        most = array.size if fact.elements.hi is None else fact.elements.hi
        assert array.size <= most, f"{what}: at most {most} elements, the result {array.shape}"
    if fact.value is not None:
        assert_agree(array, fact.value, what)
    elif fact.lo is not None and fact.hi is not None:
        assert (fact.lo <= array).all(), f"{what}: from {fact.lo.tolist()}, the result {array.tolist()}"
        assert (array <= fact.hi).all(), f"{what}: to {fact.hi.tolist()}, the result {array.tolist()}"


@pytest.mark.parametrize("op_class", PRIMITIVES, ids=lambda o: o.name)
def test_inferred_facts_hold(op_class: type[OvOperation]) -> None:
    @sampled
    @given(seeds)
    def check(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for sample in samples(op_class, seed):
            op = build(sample)
            try:
                results = evaluate(op, sample.arrays)
            except Error:
                continue  # its data is at fault: the lowered program must say so too (see below)
            for result, array in zip(op.results, results, strict=True):
                assert_contains(Fact.of_type(result.type), array, f"{sample}")
            for _ in range(4):
                facts = [weakened(a, rng) for a in sample.arrays]
                said = ", ".join(f"{f.type} {f.bounds}" for f in facts)
                for fact, array in zip(transfer(op, facts), results, strict=True):
                    assert_contains(fact, array, f"{sample} from {said}")

    check()


# -- lowering


def program(
    uses: Sequence[Sample], *, dynamic: bool = False, constants: bool | None = None, bounded: bool = True
) -> tuple[ModuleOp, dict[str, np.ndarray]]:
    """One function with all these uses, and what to feed it: parameters are constants, with `dynamic` inputs and all extents open.

    `constants` says of dynamic ones that parameters are constants all the same, `bounded` whether dynamic dimensions have bounds.
    """
    constants = not dynamic if constants is None else constants
    entries: list[DictionaryAttr] = []
    feed: dict[str, np.ndarray] = {}
    block = Block()
    results: list[SSAValue] = []
    for sample in uses:
        number = 0

        def value(array: np.ndarray) -> SSAValue:
            nonlocal number
            number += 1
            if constants and number - 1 in sample.parameters:  # noqa: B023 (called in this iteration only)
                constant = ConstantOp.of(array)
                block.add_op(constant)
                return constant.output
            name = f"x{len(feed)}"
            entry: dict[str, Attribute] = {"loomir.name": StringAttr(name)}
            shape = list(array.shape)
            if dynamic and shape:
                if bounded:
                    entry["loomir.bounds"] = bounds_attr([e + 2 for e in shape])
                shape = [DYNAMIC_INDEX] * len(shape)
            feed[name] = array
            entries.append(DictionaryAttr(entry))
            return block.insert_arg(TensorType(element_of(array.dtype), shape), len(block.args))

        def given_as(operand: Operand):
            if isinstance(operand, tuple):
                return [value(a) for a in operand]
            return None if operand is None else value(operand)

        operands = [given_as(o) for o in sample.operands]
        op = sample.op_class.make(*operands, attributes=sample.attributes, results=sample.results)
        block.add_op(op)
        results += op.results
    block.add_op(ReturnOp(*results))
    types = [r.type for r in results]
    main = FuncOp("main", ([a.type for a in block.args], types), Region(block), arg_attrs=ArrayAttr(entries))
    main.res_attrs = ArrayAttr(
        [DictionaryAttr({"loomir.name": StringAttr(f"y{k}")}) for k in range(len(types))]
    )
    return ModuleOp([main]), feed


def lowerable(sample: Sample) -> Sample:
    """The sample with its first operand an input, so that it is not folded away; if that cannot be lowered, a constant too."""
    kept = replace(sample, parameters=sample.parameters - {0})
    try:
        Model(program([kept])[0]).lowered("structured")
    except Error as error:
        if error.identifier not in REFUSED_WHEN_DYNAMIC:
            return kept
        scalars = {k for k, a in enumerate(sample.arrays) if a.size == 1}
        return replace(sample, parameters=sample.parameters | scalars | {0})
    return kept


def run(
    module: ModuleOp, feed: dict[str, np.ndarray], engine: Engine, level: Level = DEFAULT_LEVEL
) -> list[np.ndarray]:
    model = Model(module, options=Options(level=level))
    outputs = model.run(feed, engine=engine)
    return [outputs[o.name] for o in model.outputs]


@pytest.mark.parametrize("op_class", PRIMITIVES, ids=lambda o: o.name)
def test_lowered_equals_evaluated(op_class: type[OvOperation]) -> None:
    """All uses of a seed are one program, which the structured interpreter and compiled C run, the latter for one machine after the other;
    those that fail, fail alone."""

    @sampled
    @given(seeds)
    def check(seed: int) -> None:
        uses: list[Sample] = []
        expected: list[np.ndarray] = []
        for sample in map(lowerable, samples(op_class, seed)):
            try:
                expected += evaluate(build(sample), sample.arrays)
                uses.append(sample)
            except Error:
                with pytest.raises(Error):
                    run(*program([sample]), "structured")
        module, feed = program(uses)
        key = f"{op_class.name} {seed}"
        native, level = build_of(key), level_of(key)
        with native.chosen():
            compiled = run(module, feed, "native", level)
        for engine, results in (
            ("structured", run(module, feed, "structured")),
            (f"{native} {level}", compiled),
        ):
            for number, (actual, wanted) in enumerate(zip(results, expected, strict=True)):
                assert_agree(actual, wanted, f"{engine}, result {number} of {[str(u) for u in uses]}")

    check()


@pytest.mark.parametrize("op_class", PRIMITIVES, ids=lambda o: o.name)
def test_lowered_with_dynamic_dimensions_and_parameters(op_class: type[OvOperation]) -> None:
    """Nothing is known but bounds: the same results, or a refusal that names what is missing."""

    @sampled
    @given(seeds)
    def check(seed: int) -> None:
        for sample in samples(op_class, seed, 2):
            try:
                expected = evaluate(build(sample), sample.arrays)
            except Error:
                continue
            module, feed = program([sample], dynamic=True)
            try:
                Model(module).lowered("structured")
            except Error as error:
                if error.identifier not in REFUSED_WHEN_DYNAMIC:
                    raise
                continue
            for actual, wanted in zip(run(module, feed, "structured"), expected, strict=True):
                assert_agree(actual, wanted, str(sample))

    check()
