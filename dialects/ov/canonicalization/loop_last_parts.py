"""Last parts of concatenated `ov.loop` outputs.

For operations that read only the last part, a last value suffices.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.canonicalization import canonicalizes
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.canonicalization.loops import extend
from loomir.dialects.ov.canonicalization.rewrite_builder import RewriteBuilder
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.shape_rules import normalise_axis


@canonicalizes(LoopOp)
class LastPartOfAConcat(RewritePattern):
    """Replaces a concatenated output by a last value.

    Applies if all users gather only elements of the part of the last iteration; then nothing is concatenated.

    ```mlir
    %r, %all = ov.loop … { … ov.next carried(%w) concat(%q : tensor<1x4xf32>) }      // before
    %s = ov.gather %all, %ninety_nine, %axis                                         // of tensor<100x4xf32>

    %r, %q = ov.loop … { … ov.next carried(%w) last(%q : tensor<1x4xf32>) }          // after
    %s = ov.gather %q, %zero, %axis
    ```
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter) -> None:
        for index, result in enumerate(op.concat):
            readers = [use.operation for use in result.uses]
            moved = [_indices_in_last_part(op, index, reader) for reader in readers]
            if not readers or any(m is None for m in moved):
                continue
            loop = extend(op, rewriter, last=[op.next.concat[index]])
            for reader, indices in zip(readers, moved):
                assert isinstance(reader, GatherOp)
                assert indices is not None
                build = RewriteBuilder.before(reader, rewriter)
                new = reader.clone({reader.data: loop.last[-1], reader.indices: build.constant(indices)})
                rewriter.replace(reader, new)
            return


def _indices_in_last_part(op: LoopOp, index: int, reader: object) -> np.ndarray | None:
    """Return the indices that a reader gathers from the last part.

    None if it reads anything else. A static extent other than 0 implies that there was an iteration.
    """
    result, part, join = op.concat[index], op.next.concat[index], op.concatenations[index]
    if not isinstance(reader, GatherOp) or reader.data is not result or to_int(reader.batch_dims, 0):
        return None
    axis, indices = constant_of(reader.axis), constant_of(reader.indices)
    if axis is None or indices is None or not (_is_static(result) and _is_static(part)):
        return None
    assert isinstance(result.type, TensorType)
    assert isinstance(part.type, TensorType)
    shape, own = result.type.get_shape(), part.type.get_shape()
    along = join.normalised_axis(len(shape))
    extent, size = shape[along], own[along]
    if normalise_axis(int(axis.reshape(())), len(shape)) != along or not 0 < size <= extent:
        return None
    begin = extent - size if join.stride > 0 else 0
    moved = np.where(indices < 0, indices + extent, indices) - begin
    return moved.astype(indices.dtype) if bool(((moved >= 0) & (moved < size)).all()) else None


def _is_static(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType) and value.type.has_static_shape()
