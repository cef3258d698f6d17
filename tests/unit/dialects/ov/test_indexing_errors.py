"""Errors of indexed access, layout operations and generators.

Their inference from partly known operands is tested too.
"""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block

from loomir.dialects.element_types import f32, i1, i32, i64
from loomir.dialects.ov.base import OvOperation, evaluate
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.operators.constant import ConstantOp, EyeOp, OneHotOp
from loomir.dialects.ov.operators.contraction import EinsumOp
from loomir.dialects.ov.operators.gathering import (
    EmbeddingBagOffsetsOp,
    EmbeddingBagPackedOp,
    EmbeddingSegmentsSumOp,
    GatherElementsOp,
    GatherNDOp,
)
from loomir.dialects.ov.operators.layout import (
    BatchToSpaceOp,
    DepthToSpaceOp,
    ReverseOp,
    ReverseSequenceOp,
    RollOp,
    ShuffleChannelsOp,
    SpaceToBatchOp,
    SpaceToDepthOp,
)
from loomir.dialects.ov.operators.reduction import CumSumOp
from loomir.dialects.ov.operators.scattering import (
    ScatterElementsUpdateOp,
    ScatterNDUpdateOp,
    ScatterUpdateOp,
    SliceScatterOp,
)
from loomir.dialects.ov.operators.sorting import GatherTreeOp, SearchSortedOp
from loomir.dialects.ov.operators.windows import Col2ImOp
from loomir.passes.analysis.inference.state import transfer
from tests.support import raises_error


def t(*extents: int, of: Attribute = f32) -> TensorType:
    return TensorType(of, extents)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def make(op_class: type[OvOperation], *operands, **attributes) -> OvOperation:
    """The operation of values of these types, or of constants."""
    values = []
    for operand in operands:
        if isinstance(operand, np.ndarray):
            values.append(ConstantOp.of(operand).output)
        elif isinstance(operand, list):
            values.append([Block(arg_types=[o]).args[0] for o in operand])
        else:
            values.append(None if operand is None else Block(arg_types=[operand]).args[0])
    return op_class.make(*values, attributes=attributes)


AXIS = np.array(0)
MATRIX = t(3, 4)
AT = t(2, of=i64)

REFUSED = {
    "gather_elements: rank": ("operand-rank", GatherElementsOp, [t(3), t(3, 1, of=i64)], {"axis": 0}),
    "gather_elements: scalar": ("operand-rank", GatherElementsOp, [t(), t(of=i64)], {"axis": 0}),
    "gather_elements: axis": ("axis-range", GatherElementsOp, [t(3), t(3, of=i64)], {"axis": 1}),
    "gather_elements: floats": ("element-type", GatherElementsOp, [t(3), t(3)], {"axis": 0}),
    "gather_nd: scalar": ("operand-rank", GatherNDOp, [t(3), t(of=i64)], {}),
    "gather_nd: batch": ("gather-batch-dims", GatherNDOp, [t(3), t(2, 1, of=i64)], {"batch_dims": 1}),
    "gather_nd: batches": ("gather-batch-dims", GatherNDOp, [t(3, 4), t(2, 1, of=i64)], {"batch_dims": 1}),
    "scatter: reduction": ("attribute-value", ScatterElementsUpdateOp, [t(3), AT, t(2), AXIS], {"reduction": "sub"}),
    "scatter: mean": (
        "element-type", ScatterElementsUpdateOp, [t(3, of=i1), AT, t(2, of=i1), AXIS], {"reduction": "mean"},
    ),
    "scatter: types": ("element-types-differ", ScatterElementsUpdateOp, [t(3), AT, t(2, of=i32), AXIS], {}),
    "scatter: rank": ("operand-rank", ScatterElementsUpdateOp, [MATRIX, AT, t(2), AXIS], {}),
    "scatter: axis": ("axis-range", ScatterElementsUpdateOp, [t(3), AT, t(2), np.array(1)], {}),
    "scatter: axes": ("operand-rank", ScatterElementsUpdateOp, [t(3), AT, t(2), ints(0, 0)], {}),
    "scatter: many": ("scatter-updates", ScatterElementsUpdateOp, [MATRIX, t(1, 5, of=i64), t(1, 5), AXIS], {}),
    "scatter_nd: rank": ("operand-rank", ScatterNDUpdateOp, [t(3), t(of=i64), t()], {}),
    "scatter_nd: mean": ("attribute-value", ScatterNDUpdateOp, [t(3), t(1, 1, of=i64), t(1)], {"reduction": "mean"}),
    "scatter_update: rank": ("operand-rank", ScatterUpdateOp, [t(), AT, t(2), AXIS], {}),
    "scatter_update: axes": ("operand-rank", ScatterUpdateOp, [t(3), AT, t(2), ints(0, 0)], {}),
    "scatter_update: shape": ("scatter-updates", ScatterUpdateOp, [MATRIX, AT, t(3, 2), AXIS], {}),
    "slice_scatter: lengths": ("slice-parameters", SliceScatterOp, [MATRIX, MATRIX, ints(0), ints(1, 2), ints(1)], {}),
    "slice_scatter: rank": ("slice-parameters", SliceScatterOp, [t(3), t(3), ints(0, 0), ints(1, 1), ints(1, 1)], {}),
    "slice_scatter: step": ("slice-step", SliceScatterOp, [t(3), t(3), ints(0), ints(3), ints(0)], {}),
    "slice_scatter: shape": ("scatter-updates", SliceScatterOp, [t(3), t(3), ints(0), ints(2), ints(1)], {}),
    "space_to_depth: rank": ("operand-rank", SpaceToDepthOp, [MATRIX], {}),
    "space_to_depth: mode": ("attribute-value", SpaceToDepthOp, [t(1, 1, 2)], {"mode": "last"}),
    "space_to_depth: block": ("attribute-value", SpaceToDepthOp, [t(1, 1, 2)], {"block_size": 0}),
    "depth_to_space: channels": ("layout-block", DepthToSpaceOp, [t(1, 6, 2, 2)], {"block_size": 2}),
    "shuffle: groups": ("layout-block", ShuffleChannelsOp, [MATRIX], {"group": 3}),
    "space_to_batch: length": ("layout-block", SpaceToBatchOp, [MATRIX, ints(1, 2), ints(0), ints(0, 0)], {}),
    "space_to_batch: batch": ("layout-block", SpaceToBatchOp, [MATRIX, ints(3, 2), ints(0, 0), ints(0, 0)], {}),
    "space_to_batch: extent": ("layout-block", SpaceToBatchOp, [MATRIX, ints(1, 2), ints(0, 0), ints(0, 1)], {}),
    "batch_to_space: batch": ("layout-block", BatchToSpaceOp, [MATRIX, ints(1, 2), ints(0, 0), ints(0, 0)], {}),
    "batch_to_space: crops": ("layout-block", BatchToSpaceOp, [MATRIX, ints(1, 3), ints(0, 9), ints(0, 9)], {}),
    "roll: shifts": ("roll-shifts", RollOp, [MATRIX, ints(1), ints(0, 1)], {}),
    "roll: axis": ("axis-range", RollOp, [MATRIX, ints(1), ints(2)], {}),
    "reverse: axis twice": ("axis-twice", ReverseOp, [MATRIX, ints(0, -2)], {}),
    "reverse: mask": ("reverse-mask", ReverseOp, [MATRIX, np.array([True])], {"mode": "mask"}),
    "reverse: no mask": ("element-type", ReverseOp, [MATRIX, ints(1, 0)], {"mode": "mask"}),
    "reverse_sequence: lengths": ("reverse-lengths", ReverseSequenceOp, [MATRIX, t(4, of=i64)], {}),
    "reverse_sequence: axes": ("axis-twice", ReverseSequenceOp, [MATRIX, t(3, of=i64)], {"seq_axis": 0}),
    "cum_sum: axes": ("operand-rank", CumSumOp, [MATRIX, ints(0, 1)], {}),
    "cum_sum: axis": ("axis-range", CumSumOp, [MATRIX, ints(2)], {}),
    "cum_sum: booleans": ("element-type", CumSumOp, [t(3, of=i1), AXIS], {}),
    "one_hot: axis": ("axis-range", OneHotOp, [AT, np.array(3), t(), t()], {"axis": 2}),
    "one_hot: mode": (
        "attribute-value", OneHotOp, [AT, np.array(3), t(), t()], {"axis": 0, "negative_indices_mode": "wrap"},
    ),
    "one_hot: depth": ("operand-rank", OneHotOp, [AT, ints(3, 3), t(), t()], {"axis": 0}),
    "one_hot: on": ("operand-rank", OneHotOp, [AT, np.array(3), t(2), t()], {"axis": 0}),
    "one_hot: types": ("element-types-differ", OneHotOp, [AT, np.array(3), t(), t(of=i32)], {"axis": 0}),
    "eye: rows": ("operand-rank", EyeOp, [ints(1, 2), AXIS, AXIS], {"output_type": f32}),
    "einsum: letters": ("einsum-equation", EinsumOp, [[MATRIX]], {"equation": "a1"}),
    "einsum: count": ("einsum-equation", EinsumOp, [[MATRIX]], {"equation": "ab,bc"}),
    "einsum: rank": ("einsum-equation", EinsumOp, [[MATRIX]], {"equation": "abc...->a"}),
    "einsum: short": ("einsum-equation", EinsumOp, [[MATRIX]], {"equation": "a->a"}),
    "einsum: result": ("einsum-equation", EinsumOp, [[MATRIX]], {"equation": "ab->c"}),
    "einsum: twice": ("einsum-equation", EinsumOp, [[MATRIX]], {"equation": "ab->aa"}),
    "einsum: two ellipses": ("einsum-equation", EinsumOp, [[MATRIX]], {"equation": "......->a"}),
    "einsum: diagonal": ("einsum-extents", EinsumOp, [[MATRIX]], {"equation": "aa->a"}),
    "einsum: extents": ("einsum-extents", EinsumOp, [[MATRIX, MATRIX]], {"equation": "ab,bc->ac"}),
    "einsum: booleans": ("element-type", EinsumOp, [[t(2, of=i1)]], {"equation": "a->"}),
    "einsum: nothing": ("einsum-equation", EinsumOp, [[]], {"equation": ""}),
    "embedding: weights": (
        "embedding-shapes", EmbeddingBagOffsetsOp, [MATRIX, AT, AT, AXIS, t(3)], {},
    ),
    "embedding: weighted mean": ("embedding-weights", EmbeddingBagPackedOp, [MATRIX, t(2, 2, of=i64), t(2, 2)], {"reduction": "mean"}),
    "embedding: reduction": ("attribute-value", EmbeddingBagPackedOp, [MATRIX, t(2, 2, of=i64)], {"reduction": "max"}),
    "embedding: scalar": ("operand-rank", EmbeddingSegmentsSumOp, [t(), AT, AT, AXIS, AXIS], {}),
    "embedding: indices": ("operand-rank", EmbeddingBagPackedOp, [MATRIX, AT], {}),
    "col2im: rank": ("operand-rank", Col2ImOp, [t(4), ints(2), ints(2)], {}),
    "col2im: extents": ("col2im-shape", Col2ImOp, [t(1, 4, 9), ints(4, 4), ints(2)], {}),
    "col2im: kernel": ("col2im-shape", Col2ImOp, [t(1, 4, 9), ints(4, 4), ints(2, 0)], {}),
    "col2im: rows": ("col2im-shape", Col2ImOp, [t(1, 6, 9), ints(4, 4), ints(2, 2)], {}),
    "col2im: columns": ("col2im-shape", Col2ImOp, [t(1, 4, 8), ints(4, 4), ints(2, 2)], {}),
    "col2im: strides": ("col2im-shape", Col2ImOp, [t(1, 4, 9), ints(4, 4), ints(2, 2)], {"strides": [1]}),
    "search_sorted: shapes": ("search-shapes", SearchSortedOp, [t(2, 3), t(3, 3)], {}),
    "search_sorted: scalar": ("operand-rank", SearchSortedOp, [t(), t(3)], {}),
    "search_sorted: type": ("element-type", SearchSortedOp, [t(2), t(3)], {"output_type": f32}),
    "gather_tree: shapes": ("gather-tree-shapes", GatherTreeOp, [t(2, 3, 4), t(2, 3, 4), t(2), t()], {}),
    "gather_tree: rank": ("operand-rank", GatherTreeOp, [t(3, 4), t(3, 4), t(4), t()], {}),
    "gather_tree: end": ("operand-rank", GatherTreeOp, [t(2, 3, 4), t(2, 3, 4), t(3), t(2)], {}),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    identifier, op_class, operands, attributes = REFUSED[name]
    with pytest.raises(Exception) as info:  # noqa: PT011 (the identifier is compared)
        make(op_class, *operands, **attributes)
    assert getattr(info.value, "identifier", None) == identifier, str(info.value)


def test_refused_by_name() -> None:
    with raises_error("gather-elements-shape", "dimension 1 has extent 5 in indices, but 4 in data"):
        make(GatherElementsOp, MATRIX, t(2, 5, of=i64), axis=0)
    with raises_error("gather-nd-depth", "tuples of 3 indices are too long for data of rank 3 with 1 batch"):
        make(GatherNDOp, t(2, 3, 4), t(2, 3, of=i64), batch_dims=1)
    with raises_error("scatter-nd-depth", "tuples of 3 indices are too long for rank 2"):
        make(ScatterNDUpdateOp, MATRIX, t(1, 3, of=i64), t(1))
    with raises_error("scatter-updates", "have shape [2, 3] instead of [2, 4]"):
        make(ScatterNDUpdateOp, MATRIX, t(2, 1, of=i64), t(2, 3))
    with raises_error("layout-block", "a spatial dimension of extent 3 cannot be cut into 2 equal parts"):
        make(SpaceToDepthOp, t(1, 1, 3), block_size=2)
    with raises_error("roll-shifts"):
        make(RollOp, MATRIX, ints(1, 2, 3), ints(0, 1))
    with raises_error("reverse-mask"):
        make(ReverseOp, MATRIX, np.array([True, True, True]), mode="mask")
    with raises_error("reverse-lengths"):
        make(ReverseSequenceOp, MATRIX, t(2, of=i64))
    with raises_error("einsum-equation", "no operand has the label 'z'"):
        make(EinsumOp, [MATRIX], equation="ab->z")
    with raises_error("einsum-extents", "the label 'b' has the extents 4 and 3"):
        make(EinsumOp, [MATRIX, MATRIX], equation="ab,bc->ac")
    with raises_error("embedding-weights"):
        make(EmbeddingBagPackedOp, MATRIX, t(2, 2, of=i64), t(2, 2), reduction="mean")
    with raises_error("embedding-shapes"):
        make(EmbeddingBagPackedOp, MATRIX, t(2, 2, of=i64), t(2, 3))
    with raises_error("col2im-shape", "there are 8 columns, but 9 places"):
        make(Col2ImOp, t(4, 8), ints(4, 4), ints(2, 2))
    with raises_error("search-shapes"):
        make(SearchSortedOp, t(2, 3), t(3))
    with raises_error("gather-tree-shapes"):
        make(GatherTreeOp, t(2, 3, 4), t(3, 3, 4), t(3), t())


def run(op: OvOperation, *arrays: np.ndarray) -> None:
    evaluate(op, arrays)


def test_refused_when_run() -> None:
    open_, row = t(-1, -1), t(-1, -1, of=i64)
    data, at = np.zeros((2, 3), np.float32), np.zeros((1, 4), np.int64)
    with raises_error("runtime-shape", "larger than data"):
        run(make(GatherElementsOp, open_, row, axis=0), data, at)
    with raises_error("runtime-shape", "larger than data"):
        run(make(ScatterElementsUpdateOp, open_, row, open_, AXIS), data, at, at.astype(np.float32), AXIS)
    with raises_error("runtime-shape", "updates of ov.scatter_elements_update has dimension 0 = 2"):
        run(make(ScatterElementsUpdateOp, open_, row, open_, AXIS), data, at, data, AXIS)
    with raises_error("runtime-shape", "the batches"):
        run(make(GatherNDOp, open_, row, batch_dims=1), data, np.zeros((3, 1), np.int64))
    with raises_error("runtime-shape", "seq_lengths of ov.reverse_sequence has batch = 3, elsewhere it is 2"):
        run(make(ReverseSequenceOp, open_, t(-1, of=i64)), data, np.zeros(3, np.int64))
    with raises_error("runtime-index", "index -1 is out of range for extent 2"):
        run(make(ScatterUpdateOp, open_, t(-1, of=i64), open_, AXIS), data, ints(-1), data[:1], AXIS)
    with raises_error("runtime-index"):
        run(make(GatherElementsOp, t(3), t(1, of=i64), axis=0), data[0], np.array([2**64 - 1], np.uint64))
    with raises_error("runtime-shape", "values of ov.search_sorted has dimension 0 = 1"):
        run(make(SearchSortedOp, open_, open_), data, data[:1])
    with raises_error("runtime-shape", "do not fit a window"):
        run(make(Col2ImOp, open_, t(2, of=i64), t(2, of=i64)), data, ints(4, 4), ints(2, 2))


def test_contents_that_are_moved_are_bounded() -> None:
    """Of shapes that are picked and put together the bounds are known."""
    shape = Fact.of_ints(i64, [2, 3, 5], [2, 4, 5])
    (fact,) = transfer(
        make(GatherElementsOp, t(3, of=i64), t(2, of=i64), axis=0), [shape, Fact.of_array(ints(1, -1))]
    )
    assert fact.bounds is not None
    assert [b.tolist() for b in fact.bounds] == [[3, 5], [4, 5]]
    put = make(ScatterNDUpdateOp, t(3, of=i64), t(1, 1, of=i64), t(1, of=i64))
    (fact,) = transfer(put, [shape, Fact.of_array(ints(1)[None]), Fact.of_array(ints(7))])
    assert fact.value is not None
    assert fact.value.tolist() == [2, 7, 5]
    joined = make(ScatterNDUpdateOp, t(3, of=i64), t(1, 1, of=i64), t(1, of=i64), reduction="prod")
    (fact,) = transfer(joined, [shape, Fact.of_array(ints(1)[None]), Fact.of_array(ints(-7))])
    assert fact.bounds is None, "a product turns bounds around"


def test_shapes_of_what_is_partly_known() -> None:
    nowhere = Fact(f32, None)
    index = Fact(i64, None)
    data = Fact(f32, (Dim(2, 2), Dim(0, 5)))
    (fact,) = make(GatherElementsOp, MATRIX, t(3, 1, of=i64), axis=1).infer([data, index])
    assert fact.shape == (Dim(0, 2), Dim(0, None))
    (fact,) = make(GatherElementsOp, MATRIX, t(3, 1, of=i64), axis=1).infer([nowhere, index])
    assert fact.shape is None
    (fact,) = make(GatherNDOp, MATRIX, t(3, 1, of=i64)).infer([data, Fact(i64, (Dim(3, 3), Dim(1, 2)))])
    assert fact.shape is None
    (fact,) = make(ScatterElementsUpdateOp, MATRIX, t(1, 1, of=i64), t(1, 1), AXIS).infer(
        [nowhere, Fact(i64, (Dim(1, 1),)), nowhere, Fact.of_array(AXIS)]
    )
    assert fact.shape == (Dim(),)
    (fact,) = make(OneHotOp, AT, np.array(3), t(), t(), axis=0).infer(
        [Fact(i64, (Dim(2, 2),)), Fact.of_ints(i64, [-1], [4]), Fact.of_type(t()), Fact.of_type(t())]
    )
    assert fact.shape == (Dim(0, 4), Dim(2, 2))
    (fact,) = make(EinsumOp, [MATRIX], equation="...->...").infer([nowhere])
    assert fact.shape is None
    (fact,) = make(SpaceToBatchOp, MATRIX, ints(1, 2), ints(0, 0), ints(0, 0)).infer(
        [data, index, Fact.of_array(ints(0, 0)), Fact.of_array(ints(0, 0))]
    )
    assert fact.shape == (Dim(), Dim())
