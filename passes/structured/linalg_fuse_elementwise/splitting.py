"""Views before padding: `expand_shape(pad(x))` becomes `pad(expand_shape(x))`.

The groups of a convolution split its channels, which are not padded. What reads a padded tensor itself reads around the border and needs no
copy of it; behind a view it would be one.
"""

from __future__ import annotations

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, IndexType, TensorType, i64
from xdsl.ir import Block, Region
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.region_flow import owning_block, terminator
from loomir.dialects.tensors import tensor_type_of
from loomir.passes.structured.bufferize.memrefs import groups_of


def split_before_padding(op: tensor.ExpandShapeOp) -> tensor.ExpandShapeOp:
    """Move an expand_shape in front of padding; return the resulting view.

    This is done if everything is static, if nothing else reads the padded tensor, and if no padded dimension is split.
    """
    pad, result = op.src.owner, op.result.type
    assert isinstance(result, TensorType)
    if not isinstance(pad, tensor.PadOp) or not pad.result.has_one_use() or pad.low or pad.high:
        return op
    low, high = (list(numbers.get_values()) for numbers in (pad.static_low, pad.static_high))
    source, groups = tensor_type_of(pad.source), groups_of(op.reassociation)
    inside = pad.region.block
    value = terminator(inside).operands[0]
    split = any(len(group) != 1 and (low[dim] or high[dim]) for dim, group in enumerate(groups))
    shape = result.get_shape()
    if split or owning_block(value) is inside or DYNAMIC_INDEX in (*source.get_shape(), *shape):
        return op
    extents = [
        extent
        for dim, group in enumerate(groups)
        for extent in ([source.get_shape()[dim]] if len(group) == 1 else [shape[d] for d in group])
    ]
    spread = [
        [number for dim, group in enumerate(groups) for number in [side[dim]] + [0] * (len(group) - 1)]
        for side in (low, high)
    ]
    view = tensor.ExpandShapeOp.build(
        operands=[pad.source, []],
        result_types=[TensorType(source.element_type, extents)],
        properties={**op.properties, "static_output_shape": DenseArrayBase.from_list(i64, extents)},
    )
    block = Block([tensor.YieldOp(value)], arg_types=[IndexType()] * len(shape))
    padded = tensor.PadOp(view.result, [], [], Region(block), spread[0], spread[1], result)
    view.location, padded.location = op.location, pad.location
    Rewriter.insert_op([view, padded], InsertPoint.before(op))
    Rewriter.replace_op(op, [], [padded.result])
    Rewriter.erase_op(pad)
    return view
