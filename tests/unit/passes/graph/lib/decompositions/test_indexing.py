"""Decompositions of layout, generators, einsum, embeddings and slice updates: with dynamic dimensions and parameters that are
inputs they give what they give where everything is known, native too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType, UnknownLoc, UnrankedTensorType, f32
from xdsl.ir import Block
from xdsl.rewriter import InsertPoint

from loomir.compiler.model import Model
from loomir.dialects.element_types import i32, i64
from loomir.dialects.ov.base import AttrValue, OvOperation
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.constant import EyeOp, OneHotOp
from loomir.dialects.ov.operators.contraction import EinsumOp
from loomir.dialects.ov.operators.gathering import (
    EmbeddingBagOffsetsOp,
    EmbeddingBagPackedOp,
    EmbeddingSegmentsSumOp,
)
from loomir.dialects.ov.operators.layout import (
    BatchToSpaceOp,
    DepthToSpaceOp,
    ReverseOp,
    RollOp,
    ShuffleChannelsOp,
    SpaceToBatchOp,
    SpaceToDepthOp,
)
from loomir.dialects.ov.operators.scattering import SliceScatterOp
from loomir.dialects.ov.operators.sorting import GatherTreeOp
from loomir.passes.graph.lib.decompositions import decomposition_of
from tests.operators import one_operation
from tests.support import assert_agree, raises_error

IMAGE = np.arange(2 * 8 * 4 * 6, dtype=np.float32).reshape(2, 8, 4, 6)
TABLE = np.arange(12, dtype=np.float32).reshape(4, 3)

Case = tuple[type[OvOperation], Sequence[object], Mapping[str, AttrValue], Sequence[int], np.ndarray]
"""Class, operands, attributes, which operands are constants though all else is open, and the result."""

CASES: dict[str, Case] = {
    "space_to_depth": (
        SpaceToDepthOp, [IMAGE], {"block_size": 2}, [],
        IMAGE.reshape(2, 8, 2, 2, 3, 2).transpose(0, 3, 5, 1, 2, 4).reshape(2, 32, 2, 3),
    ),
    "depth_to_space": (
        DepthToSpaceOp, [IMAGE], {"block_size": 2, "mode": "depth_first"}, [],
        IMAGE.reshape(2, 2, 2, 2, 4, 6).transpose(0, 1, 4, 2, 5, 3).reshape(2, 2, 8, 12),
    ),
    "shuffle_channels": (
        ShuffleChannelsOp, [IMAGE], {"group": 2}, [], IMAGE.reshape(2, 2, 4, 4, 6).swapaxes(1, 2).reshape(IMAGE.shape),
    ),
    "space_to_batch": (
        SpaceToBatchOp, [IMAGE[0, 0], [1, 2], [0, 1], [0, 1]], {}, [1, 2, 3],
        np.pad(IMAGE[0, 0], ((0, 0), (1, 1))).reshape(4, 4, 2).transpose(2, 0, 1).reshape(8, 4),
    ),
    "batch_to_space": (
        BatchToSpaceOp, [IMAGE[0, 0], [1, 2], [0, 1], [0, 0]], {}, [1, 2, 3],
        IMAGE[0, 0].reshape(2, 2, 6).transpose(1, 2, 0).reshape(2, 12)[:, 1:],
    ),
    "roll": (RollOp, [TABLE, np.array([1, -7]), np.array([1, 0])], {}, [2], np.roll(TABLE, (1, -7), (1, 0))),
    "roll by one number": (RollOp, [TABLE, np.array(2, np.int32), np.array([0])], {}, [2], np.roll(TABLE, 2, 0)),
    "roll back": (RollOp, [TABLE, np.array([4, -4]), np.array([0, 0])], {}, [1, 2], TABLE),
    "reverse": (ReverseOp, [TABLE, np.array([-1])], {}, [1], TABLE[:, ::-1]),
    "reverse nothing": (ReverseOp, [TABLE, np.array([False, False])], {"mode": "mask"}, [1], TABLE),
    "one_hot": (
        OneHotOp, [np.array([2, -1, 5], np.int8), np.array([3]), np.float32(1), np.float32(0)],
        {"axis": 0, "negative_indices_mode": "normalize"}, [1], np.eye(3, dtype=np.float32)[:, [2, 2, 0]] * [1, 1, 0],
    ),
    "one_hot of unsigned": (
        OneHotOp, [np.array([1, 2**64 - 1], np.uint64), np.array(2), np.float32(5), np.float32(0)],
        {"axis": -1, "negative_indices_mode": "normalize"}, [1], np.array([[0, 5], [0, 0]]),
    ),
    "eye": (
        EyeOp, [np.array(2), np.array([3]), np.array([1], np.int32), np.array([2])], {"output_type": i32}, [0, 1, 2, 3],
        np.array([np.eye(2, 3, 1)] * 2, np.int32),
    ),
    "embedding offsets": (
        EmbeddingBagOffsetsOp, [TABLE, np.array([3, 0, 1]), np.array([0, 2, 2]), np.array(2)], {"reduction": "mean"}, [],
        np.array([(TABLE[3] + TABLE[0]) / 2, TABLE[2], TABLE[1]]),
    ),
    "embedding offsets of f16": (
        EmbeddingBagOffsetsOp,
        [TABLE.astype(np.float16), np.array([3, 0]), np.array([0, 2]), np.array(-1), np.array([2, 1], np.float16)], {}, [],
        np.array([2 * TABLE[3] + TABLE[0], 0 * TABLE[0]], np.float16),
    ),
    "embedding packed": (
        EmbeddingBagPackedOp, [TABLE, np.array([[1, 2]])], {"reduction": "mean"}, [], TABLE[1:3].mean(0, keepdims=True),
    ),
    "embedding segments": (
        EmbeddingSegmentsSumOp, [TABLE, np.array([1, 2]), np.array([2, 2]), np.array(3), np.array(0)], {}, [3],
        np.array([TABLE[0], TABLE[0], TABLE[1] + TABLE[2]]),
    ),
    "slice_scatter": (
        SliceScatterOp, [TABLE, -TABLE[::2, 1:], np.array([0, -2]), np.array([9, 3]), np.array([2, 1])], {}, [4],
        np.where(np.isin(np.arange(4), [0, 2])[:, None] & (np.arange(3) > 0), -TABLE, TABLE),
    ),
    "gather_tree": (
        GatherTreeOp,
        [np.array([[[1, 2]], [[3, 4]], [[5, 6]]]), np.array([[[0, 0]], [[0, 1]], [[1, 0]]]), np.array([3]), np.array(9)],
        {}, [], np.array([[[2, 1]], [[4, 3]], [[5, 6]]]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "open"])
def test_decomposition(name: str, dynamic: bool) -> None:
    op_class, operands, attributes, constants, expected = CASES[name]
    arrays = [np.asarray(o) for o in operands]
    module, op = one_operation(op_class, arrays, attributes, constants=constants, dynamic=dynamic)
    model = Model(module)
    feed = {f"x{k}": a for k, a in enumerate(arrays) if k not in constants}
    dtype = arrays[2 if op_class is OneHotOp else 0].dtype if op_class is not EyeOp else expected.dtype
    for engine in ("graph", "native"):
        (result,) = model.run(feed, engine=engine).values()
        assert_agree(result, expected.astype(dtype), f"{name} {engine}")
    (fact,) = op.infer([fact_of(o) for o in op.operands])
    assert fact.shape is not None
    for extent, d in zip(expected.shape, fact.shape, strict=True):
        assert d.lo <= extent <= (extent if d.hi is None else d.hi), name


@pytest.mark.parametrize(
    "equation",
    ["ii->i", "iij->j", "bij,bjk->bik", "...ij,kj->...ik", "ab,cb,db->acd", "abc->", "i,j->ji", "aab,cc->bc"],
)
def test_einsum_of_dynamic_dimensions(equation: str) -> None:
    rng = np.random.default_rng(len(equation))
    arrays: list[np.ndarray] = []
    for subscript in equation.split("->")[0].split(","):
        extents = [3] * subscript.replace("...", "").count("i") if subscript == "ii" else []
        extents = extents or [2 + "abcijkd".index(c) % 3 for c in subscript.replace("...", "")]
        shape = [4, *extents] if "..." in subscript else extents
        arrays.append(rng.integers(-4, 5, shape).astype(np.float32))
    module, _ = one_operation_of_many(arrays, equation)
    expected = np.einsum(equation, *arrays)
    for engine in ("graph", "native"):
        (result,) = Model(module).run({f"x{k}": a for k, a in enumerate(arrays)}, engine=engine).values()
        assert_agree(result, np.asarray(expected), f"{equation} {engine}")


def one_operation_of_many(arrays: Sequence[np.ndarray], equation: str):
    """An einsum whose operands are inputs with dynamic dimensions."""

    class Listed(EinsumOp):
        """The operands one by one."""

        @classmethod
        def make(cls, *operands, attributes=None, results=1):  # pyright: ignore
            return EinsumOp.make(list(operands), attributes=attributes, results=results)  # pyright: ignore

    return one_operation(Listed, arrays, {"equation": equation}, dynamic=True)


def unknown(element, rank: int | None = None):
    """A value of an unknown shape."""
    type_ = UnrankedTensorType(element) if rank is None else TensorType(element, [-1] * rank)
    return Block(arg_types=[type_]).args[0]


def decompose(op: OvOperation) -> None:
    block = Block([op])
    function = decomposition_of(type(op))
    assert function is not None
    function(op, GraphBuilder(InsertPoint.before(op), UnknownLoc()))
    assert block.first_op is not op


def test_what_must_be_known() -> None:
    ints = unknown(i64, 1)
    with raises_error("unknown-axes"):
        decompose(RollOp.make(unknown(f32, 2), ints, ints))
    with raises_error("unknown-axes"):
        decompose(ReverseOp.make(unknown(f32, 2), ints))
    with raises_error("unknown-axes"):
        decompose(SliceScatterOp.make(unknown(f32, 2), unknown(f32, 2), ints, ints, ints, ints))
    with raises_error("unknown-rank", "the rank of data"):
        decompose(SpaceToDepthOp.make(unknown(f32)))
    with raises_error("unknown-rank", "the rank of an operand"):
        decompose(EinsumOp.make([unknown(f32)], attributes={"equation": "...a"}))
