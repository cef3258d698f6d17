"""Errors of activations, bitwise operations, normalisation and attention.

Their inference of open shapes is tested too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType, UnrankedTensorType
from xdsl.dialects.test import TestOp
from xdsl.ir import SSAValue

from loomir.dialects.element_types import f16, f32, i1, i8, i64
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.operators.activation import GeluOp, HardSigmoidOp, PReluOp, SeluOp, SwishOp
from loomir.dialects.ov.operators.comparison import IsNaNOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.contraction import DFTOp, IRDFTOp, RDFTOp
from loomir.dialects.ov.operators.elementwise_binary import (
    BitCastOp,
    BitwiseAndOp,
    BitwiseLeftShiftOp,
    BitwiseNotOp,
)
from loomir.dialects.ov.operators.elementwise_unary import RoundOp
from loomir.dialects.ov.operators.normalisation import (
    BatchNormInferenceOp,
    GroupNormalizationOp,
    LRNOp,
    MVNOp,
    RMSOp,
    ScaledDotProductAttentionOp,
)
from tests.support import raises_error


def tensor(*shape: int, element: Any = f32) -> SSAValue:
    """A value of this type; -1 is a dynamic dimension."""
    return TestOp(result_types=[TensorType(element, [DYNAMIC_INDEX if e < 0 else e for e in shape])]).results[
        0
    ]


def unranked() -> SSAValue:
    return TestOp(result_types=[UnrankedTensorType(f32)]).results[0]


def result(op_class: type[OvOperation], *operands: Any, **attributes: Any) -> str:
    return str(op_class.make(*operands, attributes=attributes).results[0].type)


def refuses(identifier: str, op_class: type[OvOperation], *operands: Any, **attributes: Any) -> None:
    """For identifiers that other tests raise, too: the structure test looks for literal ones."""
    with raises_error(identifier):
        op_class.make(*operands, attributes=attributes)


def test_parameters_of_activations():
    x = tensor(2, 3)
    with raises_error("activation-parameter", "beta"):
        SwishOp.make(x, tensor(3))
    with raises_error("activation-parameter", "lambda"):
        SeluOp.make(x, tensor(1), tensor(2, 1))
    refuses("element-types-differ", HardSigmoidOp, x, tensor(), tensor(element=f16))
    refuses("element-type", HardSigmoidOp, *[tensor(element=i8)] * 3)
    refuses("attribute-value", GeluOp, x, approximation_mode="exact")
    refuses("attribute-value", RoundOp, x, mode="up")
    refuses("element-type", IsNaNOp, tensor(2, element=i64))
    assert result(SwishOp, x, tensor(-1)) == "tensor<2x3xf32>"
    assert result(SeluOp, unranked(), unranked(), tensor()) == "tensor<*xf32>"


def test_slopes():
    x = tensor(2, 3, 4)
    for slope in (tensor(3), tensor(4), tensor(1), tensor(-1), tensor(3, 1), unranked()):
        assert result(PReluOp, x, slope) == "tensor<2x3x4xf32>"
    refuses("broadcast-shapes", PReluOp, x, tensor(2))
    refuses("broadcast-shapes", PReluOp, tensor(4), tensor(3, 4))
    refuses("element-type", PReluOp, tensor(4, element=i1), tensor(4, element=i1))


def test_bits():
    refuses("element-type", BitwiseAndOp, tensor(2), tensor(2))
    refuses("element-type", BitwiseLeftShiftOp, tensor(2, element=i1), tensor(2, element=i1))
    refuses("element-type", BitwiseNotOp, tensor(2))
    with raises_error("bit-cast-width"):
        BitCastOp.make(tensor(2), attributes={"destination_type": i64})
    assert result(BitCastOp, tensor(2, -1, element=i1), destination_type=i8) == "tensor<2x?xi8>"


def test_normalisation():
    x, c, axes = tensor(2, 6, 4), tensor(6), tensor(1, element=i64)
    with raises_error("normalisation-shapes", "C = 5"):
        BatchNormInferenceOp.make(x, c, c, c, tensor(5), attributes={"epsilon": 0.1})
    refuses("normalisation-shapes", BatchNormInferenceOp, c, c, c, c, c, epsilon=0.1)
    refuses("normalisation-shapes", GroupNormalizationOp, x, c, c, epsilon=0.1, num_groups=4)
    refuses("attribute-value", GroupNormalizationOp, x, c, c, epsilon=0.1, num_groups=0)
    refuses("attribute-value", LRNOp, x, axes, alpha=1.0, beta=1.0, bias=1.0, size=0)
    refuses("attribute-value", MVNOp, x, axes, eps=0.1, eps_mode="inside")
    refuses("broadcast-shapes", RMSOp, x, axes, tensor(1, 1, 1, 4), epsilon=0.1)
    refuses("reduction-axes", MVNOp, x, tensor(1, 1, element=i64), eps=0.1)
    # The parameters say how many channels there are.
    open_x = tensor(2, -1, 4)
    assert result(BatchNormInferenceOp, open_x, tensor(-1), c, c, c, epsilon=0.1) == "tensor<2x6x4xf32>"


def test_attention():
    q, k, v = tensor(2, 3, 4, 8), tensor(2, 1, 5, 8), tensor(2, 3, 5, 6)

    def attention(*operands: Any) -> str:
        return result(ScaledDotProductAttentionOp, *operands, causal=False)

    assert attention(q, k, v, []) == "tensor<2x3x4x6xf32>"
    assert attention(q, k, v, [tensor(7, 1, 1, 1, 5, element=i1)]) == "tensor<7x2x3x4x6xf32>"
    assert attention(q, k, v, [unranked()]) == attention(q, unranked(), v, []) == "tensor<*xf32>"
    with raises_error("attention-shapes"):
        attention(q, k, tensor(2, 3, 4, 6), [])
    with raises_error("attention-shapes"):
        attention(q, k, tensor(6), [])
    with raises_error("attention-shapes", "options"):
        attention(q, k, v, [tensor(), tensor(), tensor()])
    refuses(
        "element-types-differ", ScaledDotProductAttentionOp, q, k, v, [tensor(5, element=i8)], causal=False
    )
    refuses("attention-shapes", ScaledDotProductAttentionOp, q, k, v, [tensor(6)], causal=False)


def test_fourier_transforms():
    pairs, one = tensor(3, 5, 2), tensor(1, element=i64)
    with raises_error("fourier-shapes", "expected 2"):
        DFTOp.make(tensor(3, 5), one)
    with raises_error("fourier-shapes", "signal_size"):
        DFTOp.make(pairs, one, tensor(2, element=i64))
    size = ConstantOp.of(np.array([0])).output
    with raises_error("fourier-shapes", "positive"):
        RDFTOp.make(tensor(3, 5), ConstantOp.of(np.array([1])).output, size)
    refuses("axis-range", DFTOp, pairs, ConstantOp.of(np.array([2])).output)
    refuses("axis-twice", DFTOp, pairs, ConstantOp.of(np.array([1, -1])).output)
    axis = ConstantOp.of(np.array([-1])).output
    assert result(RDFTOp, tensor(3, 5), axis) == "tensor<3x3x2xf32>"
    assert result(IRDFTOp, pairs, axis) == "tensor<3x8xf32>"
    assert result(IRDFTOp, pairs, axis, one) == "tensor<3x?xf32>"
    assert result(DFTOp, pairs, one) == "tensor<3x5x2xf32>"
    assert result(RDFTOp, tensor(3, 1), one) == "tensor<?x1x2xf32>"
    assert result(IRDFTOp, pairs, one) == "tensor<?x?xf32>"
    assert result(RDFTOp, unranked(), one) == "tensor<*xf32>"
