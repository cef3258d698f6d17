"""Functions of quantised tensors as table lookups.

8 bits have no more than 256 values:

    softmax(scale · (q − zero)):    e = table[max(q) − q];    e / sum(e)        table[k] = exp(−k · scale), rounded once

The result is floating-point. Its exponentials are nearer to the exact ones than those of floats that were rounded before.
"""

from __future__ import annotations

from math import exp

import numpy as np
from xdsl.dialects.builtin import i32

from loomir.dialects.element_types import dtype_of, ui8
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import DivideOp, SubtractOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.normalisation import SoftmaxOp
from loomir.dialects.ov.operators.reduction import ReduceMaxOp, ReduceSumOp
from loomir.passes.graph.ov_to_integer.forms import Form, Forms, Looked

_MOST = 256
"""Entries of a table."""


def softmax(forms: Forms, op: SoftmaxOp, build: GraphBuilder) -> Form | None:
    """The exponentials of a tensor of one scale come from a table."""
    x = forms.scaled(op.operands[0])
    if x is None or not x.is_uniform or not x.is_exact:
        return None
    count = int(x.high.max()) - int(x.low.min()) + 1
    if count > _MOST:
        return None
    scale = float(x.scale.reshape(-1)[0])
    dtype = dtype_of(fact_of(op.results[0]).element)
    table = build.constant(np.array([exp(-k * scale) for k in range(count)], dtype))
    axes = build.integers([op.axis_value()])
    q = build.make(ConvertOp, x.value, attributes={"destination_type": i32})
    greatest = build.make(ReduceMaxOp, q, axes, attributes={"keep_dims": True})
    below = build.make(SubtractOp, greatest, q)
    below = build.make(ConvertOp, below, attributes={"destination_type": ui8})
    exponentials = build.make(GatherOp, table, below, build.integers([0]))
    total = build.make(ReduceSumOp, exponentials, axes, attributes={"keep_dims": True})
    return Looked(build.make(DivideOp, exponentials, total))
