"""Sums that belong behind the last of several reductions."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import BlockArgument
from xdsl.traits import IsTerminator

from loomir.passes.structured.linalg_fuse_elementwise.sums import reduces


def belongs_behind_reductions(producer: GenericOp, consumer: GenericOp) -> bool:
    """Return True if a producer saves a tensor behind several reductions.

    It is computed on the accumulators of the last one, and may overwrite the result of another. In `tanh(x · W + h · R)` of a
    recurrence, the sum is such a producer, and the tangent a consumer that cannot be computed there: a reduction reads the state
    whose memory the consumer may overwrite.
    """
    reductions = [
        value.owner
        for value in producer.inputs
        if isinstance(value.owner, GenericOp) and reduces(value.owner) and value.has_one_use()
    ]
    if len(reductions) < 2:
        return False
    states = {
        value
        for reduction in reductions
        for value in reduction.inputs
        if isinstance(value, BlockArgument) and value.block is consumer.parent
    }
    return any(value in states for value in consumer.inputs) or (bool(states) and _is_handed_on(consumer))


def _is_handed_on(generic: GenericOp) -> bool:
    """Return True if a result may be a state's next value."""
    return any(
        use.operation.has_trait(IsTerminator)
        for result in generic.results
        for use in result.uses
        if isinstance(result.type, TensorType)
    )
