"""Inference covers what the operations compute, for operands that are known wholly, in part and not at all."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from xdsl.ir import Block

from loomir.dialects.element_types import f32, i64
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ovseq import SeqOperation, operations
from loomir.dialects.ovseq.sequences import (
    AtOp,
    ConstructOp,
    EmptyOp,
    EraseOp,
    GetOp,
    HasOp,
    InsertOp,
    LengthOp,
    NoneOp,
    SomeOp,
)
from loomir.dialects.ovseq.splitting import ConcatOp, SplitOp
from loomir.dialects.ovseq.types import (
    AnyFact,
    GraphValue,
    OptionalFact,
    SequenceFact,
    join_facts,
    same_facts,
)
from tests.support import raises_error


def array(*shape: int) -> np.ndarray:
    return np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)


def number(value: int) -> np.ndarray:
    return np.array(value, np.int64)


def fact_of(value: GraphValue) -> AnyFact:
    if isinstance(value, list):
        return SequenceFact.of_items(f32, map(Fact.of_array, value))
    assert value is not None
    return Fact.of_array(value)


def vaguer(fact: AnyFact) -> list[AnyFact]:
    """Facts that say less of the same value."""
    if isinstance(fact, SequenceFact):
        count = fact.length.lo
        return [
            fact.without_content(),
            SequenceFact.of(fact.element, Dim(max(0, count - 1), count + 2)),
            SequenceFact.of(Fact(fact.element_type, None), Dim()),
        ]
    if isinstance(fact, OptionalFact):
        return [fact]
    shapes: list[AnyFact] = [fact.without_content(), Fact(fact.element, None)]
    if fact.shape:
        shapes.append(Fact(fact.element, tuple(Dim(max(0, d.lo - 1), d.lo + 1) for d in fact.shape)))
    if fact.element == i64 and fact.bounds is not None:
        low, high = fact.bounds
        shapes.append(Fact(fact.element, fact.shape, lo=low - 1, hi=high + 1))
    return shapes


def make(op_class: type[SeqOperation], facts: list[AnyFact], attributes: dict | None = None) -> SeqOperation:
    block = Block(arg_types=[f.type for f in facts])
    arguments = list(block.args)
    if op_class is ConstructOp:
        return op_class.make(arguments, attributes=attributes)
    return op_class.make(*arguments, attributes=attributes)


def covers(wide: AnyFact, narrow: AnyFact) -> bool:
    return same_facts(join_facts(wide, narrow).without_content(), wide.without_content())


A, B, C = array(2, 3), array(2, 3) + 9, array(4)
CASES: list[tuple[type[SeqOperation], list, dict | None]] = [
    (EmptyOp, [], {"element_type": f32}),
    (ConstructOp, [A, C], None),
    (InsertOp, [[A, B], C], None),
    (InsertOp, [[], C], None),
    *((InsertOp, [[A, B], C, number(p)], None) for p in (-2, -1, 0, 1, 2)),
    (EraseOp, [[A, C]], None),
    *((EraseOp, [[A, B, C], number(p)], None) for p in (-3, -1, 0, 2)),
    *((AtOp, [[A, C], number(p)], None) for p in (-2, -1, 0, 1)),
    (LengthOp, [[A, C]], None),
    (LengthOp, [[]], None),
    (SplitOp, [array(5, 2)], None),
    (SplitOp, [array(0, 2)], None),
    (SplitOp, [array(5, 2)], {"axis": -1, "keepdims": False}),
    (SplitOp, [array(5, 2), number(2)], {"keepdims": False}),
    (SplitOp, [array(6, 2), number(2)], None),
    (SplitOp, [array(3), number(7)], None),
    (SplitOp, [array(70)], None),
    (SplitOp, [array(2, 5), np.array([2, 0, 3])], {"axis": 1}),
    (ConcatOp, [[A, B]], {"axis": -1}),
    (ConcatOp, [[A, B[:, :1]]], {"axis": 1}),
    (ConcatOp, [[A, B]], {"axis": -1, "new_axis": True}),
    (ConcatOp, [[A, B]], {"axis": -3, "new_axis": True}),
    (ConcatOp, [[array(), array()]], {"axis": 0, "new_axis": True}),
]


@pytest.mark.parametrize("case", CASES, ids=[f"{c[0].name}-{i}" for i, c in enumerate(CASES)])
def test_inference_covers_the_result(case: tuple[type[SeqOperation], list, dict | None]) -> None:
    """Facts of the operands' very values give a fact of the result; each vaguer one a fact that covers it."""
    op_class, values, attributes = case
    exact = [fact_of(v) for v in values]
    op = make(op_class, exact, attributes)
    result = fact_of(op.evaluate(*values))
    inferred = op.infer(exact)[0]
    assert covers(inferred, result)
    if isinstance(result, SequenceFact):
        assert isinstance(inferred, SequenceFact)
        assert inferred.length == result.length
    else:
        assert isinstance(inferred, Fact)
        assert inferred.static == result.static  # pyright: ignore[reportAttributeAccessIssue]
    for index, fact in enumerate(exact):
        for vague in vaguer(fact):
            wide = op.infer([*exact[:index], vague, *exact[index + 1 :]])[0]
            assert covers(wide, inferred), f"operand {index}: {vague} gives {wide}"


def test_optionals() -> None:
    value = Fact.of_array(A)
    some = make(SomeOp, [value])
    assert some.evaluate(A) is A
    optional = some.infer([value])[0]
    none = NoneOp.make(attributes={"value_type": value.type})
    assert none.evaluate() is None
    absent = none.infer([])[0]
    for fact, given, known in ((optional, A, True), (absent, None, False)):
        has = make(HasOp, [fact])
        assert bool(has.evaluate(given)) is known
        inferred = has.infer([fact])[0]
        assert isinstance(inferred, Fact)
        assert inferred.value is not None
        assert bool(inferred.value) is known
    both = join_facts(optional, absent)
    inferred = make(HasOp, [both]).infer([both])[0]
    assert isinstance(inferred, Fact)
    assert inferred.value is None
    get = make(GetOp, [optional])
    assert get.evaluate(A) is A
    assert get.infer([optional])[0].type == value.type
    with raises_error("runtime-absent"):
        get.evaluate(None)


@pytest.mark.parametrize("p", [3, -4])
@pytest.mark.parametrize("op_class", [AtOp, EraseOp])
def test_positions_out_of_range(op_class: type[SeqOperation], p: int) -> None:
    op = make(op_class, [fact_of([A, A, A]), fact_of(number(p))])
    with raises_error("runtime-index", f"position {p} is out of range for a sequence of length 3"):
        op.evaluate([A, A, A], number(p))


@pytest.mark.parametrize("p", [3, -3])
def test_insert_out_of_range(p: int) -> None:
    op = make(InsertOp, [fact_of([A, A]), fact_of(A), fact_of(number(p))])
    with raises_error("runtime-index"):
        op.evaluate([A, A], A, number(p))


def test_nothing_to_erase() -> None:
    with raises_error("runtime-index"):
        make(EraseOp, [fact_of([])]).evaluate([])


@pytest.mark.parametrize(
    "elements", [[], [A, C], [A, array(3, 2)]], ids=["none", "other rank", "other extents"]
)
def test_elements_that_do_not_go_together(elements: list[np.ndarray]) -> None:
    op = make(ConcatOp, [SequenceFact.of(Fact(f32, None), Dim())], {"axis": 0})
    with raises_error("runtime-shape"):
        op.evaluate(elements)


@pytest.mark.parametrize("split", [number(0), number(-1), np.array([2, 2]), np.array([6, -1])], ids=str)
def test_sizes_that_do_not_make_up_the_axis(split: np.ndarray) -> None:
    op = make(SplitOp, [fact_of(array(5)), Fact(i64, Fact.of_array(split).shape)])
    with raises_error("runtime-shape"):
        op.evaluate(array(5), split)
    with raises_error("split-size"):
        op.infer([fact_of(array(5)), fact_of(split)])


@pytest.mark.parametrize(
    ("identifier", "attempt"),
    [
        ("sequence-operands", lambda: ConstructOp.make([])),
        ("element-types-differ", lambda: make(ConstructOp, [fact_of(A), fact_of(number(1))])),
        ("element-types-differ", lambda: make(InsertOp, [fact_of([A]), fact_of(number(1))])),
        ("element-type", lambda: make(AtOp, [fact_of([A]), fact_of(C)])),
        ("operand-rank", lambda: make(AtOp, [fact_of([A]), Fact.of_array(np.array([1, 2]))])),
        ("axis-range", lambda: make(SplitOp, [fact_of(A)], {"axis": 2})),
        ("axis-range", lambda: make(ConcatOp, [fact_of([A])], {"axis": 3, "new_axis": True})),
        ("optional-of-optional", lambda: make(SomeOp, [OptionalFact(Fact.of_array(A), True)])),
    ],
)
def test_operands_that_are_illegal(identifier: str, attempt: Callable[[], object]) -> None:
    if identifier == "sequence-operands":
        with raises_error("sequence-operands"):
            attempt()
    elif identifier == "optional-of-optional":
        with raises_error("optional-of-optional"):
            attempt()
    else:
        with raises_error(identifier):
            attempt()


@pytest.mark.parametrize("high", [2**63 - 1, 2**63, 2**64 - 5, 2**70])
def test_a_length_that_was_widened_beyond_64_bits(high: int) -> None:
    """Inference doubles the bound of what grows: it wrapped round, and a branch that asks for the length was decided wrongly."""
    sequence = EmptyOp.make(attributes={"element_type": i64}).results[0]
    (length,) = LengthOp.make(sequence).infer([SequenceFact(Fact(i64, ()), Dim(3, high))])
    assert isinstance(length, Fact)
    assert length.lo is not None
    assert length.lo.tolist() == 3
    assert length.hi is None or length.hi.tolist() == 2**63 - 1


def test_contents_that_may_be_out_of_range_are_not_known() -> None:
    """Both elements are equal, but a position that may be wrong is an error that must stay."""
    sequence = fact_of([A, A])
    op = make(AtOp, [sequence, Fact(i64, ())])
    sure = op.infer([sequence, Fact.of_ints(i64, np.array(-2), np.array(1))])[0]
    perhaps = op.infer([sequence, Fact.of_ints(i64, np.array(0), np.array(2))])[0]
    assert isinstance(sure, Fact)
    assert isinstance(perhaps, Fact)
    assert perhaps.value is None
    assert sure.static == perhaps.static == (2, 3)


@pytest.mark.parametrize("op", operations(), ids=lambda o: o.name)
def test_operation_says_where_it_is_from(op: type[SeqOperation]) -> None:
    assert "ONNX" in (op.__doc__ or "")
    assert op.name.startswith("ovseq.")
