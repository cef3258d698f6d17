"""Rules that compute operations with integers.

A rule emits the operations that compute the integers, and returns the form of the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects.builtin import i32
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint

from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.broadcasting import PadOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.convolution import ConvolutionOp, GroupConvolutionOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    DivideOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.elementwise_unary import ClampOp, NegativeOp, ReLUOp, RoundOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.matmul import MatMulOp
from loomir.dialects.ov.operators.normalisation import SoftmaxOp
from loomir.dialects.ov.operators.pooling import AvgPoolOp, MaxPoolOp
from loomir.dialects.ov.operators.quantisation import FakeQuantizeOp
from loomir.dialects.ov.operators.reduction import ReduceMeanOp, ReduceSumOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, TransposeOp, UnsqueezeOp
from loomir.dialects.ov.operators.splitting import SplitOp, VariadicSplitOp
from loomir.passes.analysis.known_arrays import MOVES, PICKS
from loomir.passes.graph.ov_to_integer.arithmetic import add, negative, scale
from loomir.passes.graph.ov_to_integer.averages import average, mean
from loomir.passes.graph.ov_to_integer.forms import FLOATS, Form, Forms
from loomir.passes.graph.ov_to_integer.limits import clamp, limit, relu
from loomir.passes.graph.ov_to_integer.moves import concat, greatest, move, pad, pick, split
from loomir.passes.graph.ov_to_integer.products import product_of_integers
from loomir.passes.graph.ov_to_integer.quantising import converted, fake_quantize, round_half_to_even
from loomir.passes.graph.ov_to_integer.tables import softmax

_RULES: dict[type[Operation], Callable[[Forms, Any, GraphBuilder], Form | None]] = {
    ConvertOp: converted,
    RoundOp: round_half_to_even,
    FakeQuantizeOp: fake_quantize,
    MultiplyOp: scale,
    DivideOp: scale,
    AddOp: add,
    SubtractOp: add,
    NegativeOp: negative,
    ClampOp: clamp,
    ReLUOp: relu,
    MaximumOp: limit,
    MinimumOp: limit,
    ConvolutionOp: product_of_integers,
    GroupConvolutionOp: product_of_integers,
    MatMulOp: product_of_integers,
    ReshapeOp: move,
    SqueezeOp: move,
    UnsqueezeOp: move,
    TransposeOp: move,
    MaxPoolOp: greatest,
    **dict.fromkeys(PICKS, pick),
    SplitOp: split,
    VariadicSplitOp: split,
    PadOp: pad,
    ConcatOp: concat,
    SoftmaxOp: softmax,
    AvgPoolOp: average,
    ReduceMeanOp: mean,
    ReduceSumOp: mean,
}


def form_of(op: Operation, forms: Forms) -> Form | None:
    """Return the form of an operation's result, or None without a rule.

    The operations that compute its integers are inserted before the operation. No other result of the operation may be used.
    """
    rule = _RULES.get(type(op))
    # What computes with integers already is arithmetic of reals where it does not wrap around.
    if rule is None or (fact_of(op.results[0]).element not in FLOATS and not _is_of_integers(op)):
        return None
    if any(result.first_use is not None for result in op.results[1:]) and rule is not split:
        return None
    return rule(forms, op, GraphBuilder(InsertPoint.before(op), op.location))


def _is_of_integers(op: Operation) -> bool:
    """Return True if an integer operation computes the real-number result.

    This holds as long as 32 bits hold the result. Importers emit such operations for operators on quantised tensors.
    """
    if isinstance(op, AddOp | SubtractOp | ConvolutionOp | GroupConvolutionOp | MatMulOp):
        return fact_of(op.results[0]).element == i32
    # What moves elements, and picks the greatest, does that with integers of any type.
    return isinstance(op, (ConvertOp, PadOp, MaxPoolOp, ConcatOp, SplitOp, VariadicSplitOp, *MOVES, *PICKS))
