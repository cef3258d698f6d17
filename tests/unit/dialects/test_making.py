"""Construction without xDSL's general constructor, equal to that constructor's results."""

import pytest
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IndexType, MemRefType, f32
from xdsl.ir import Block

from loomir.dialects.index_builder import IndexBuilder
from loomir.dialects.upstream.construction import Binary, allocation, binary, local_allocation, segments
from loomir.dialects.upstream.effects import effects_of, is_side_effect_free

FLOATS: list[Binary] = [
    arith.AddfOp,
    arith.SubfOp,
    arith.MulfOp,
    arith.DivfOp,
    arith.MaximumfOp,
    arith.MinimumfOp,
]


@pytest.mark.parametrize("kind", [*IndexBuilder.OPERATIONS.values(), *FLOATS])
def test_binary_is_what_the_constructor_makes(kind: Binary) -> None:
    type_ = f32 if kind in FLOATS else IndexType()
    a, b = Block(arg_types=[type_, type_]).args
    made, built = binary(kind, a, b), kind(a, b)
    made.verify()
    assert made.is_structurally_equivalent(built)
    assert list(made.properties) == list(built.properties)


def test_properties_are_not_shared() -> None:
    a, b = Block(arg_types=[f32, f32]).args
    first, second = binary(arith.AddfOp, a, b), binary(arith.AddfOp, a, b)
    first.properties.clear()
    assert second.properties


def test_allocation_is_what_the_constructor_makes() -> None:
    type_ = MemRefType(f32, [2, 3])
    assert allocation(type_).is_structurally_equivalent(memref.AllocOp((), (), type_))
    assert local_allocation(type_).is_structurally_equivalent(memref.AllocaOp.get(f32, shape=[2, 3]))


def test_segments_are_those_of_the_operation() -> None:
    op = memref.AllocOp((), (), MemRefType(f32, [2]))
    assert segments(0, 0).items() <= op.properties.items()


def test_what_a_trait_inherits_is_known_of_the_class() -> None:
    """`arith` declares `Pure`, which says what `NoMemoryEffect` does."""
    a, b = Block(arg_types=[f32, f32]).args
    addition = binary(arith.AddfOp, a, b)
    assert effects_of(addition) == frozenset()
    assert is_side_effect_free(addition)
    assert not is_side_effect_free(allocation(MemRefType(f32, [2])))
