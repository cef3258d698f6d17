"""Semantics of the extensions' operators, for loomir and in numpy.

The extensions are in tests/fixtures/model-optimizer/extensions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from loomir.compiler.extensions.extension import Extension
from loomir.dialects.element_types import TENSOR, i64
from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.interfaces import Sources
from loomir.dialects.ov.operators.comparison import EqualOp, SelectOp
from loomir.dialects.ov.operators.contraction import DFTOp, IDFTOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp, TileOp
from loomir.dialects.ov.operators.layout import RollOp
from loomir.dialects.ov.operators.reshape import ReshapeOp

extension = Extension("mo_meanings")


class _Composite(OvOperation):
    """Made of others; of the shape of its first operand."""

    COMPOSITE: ClassVar[bool] = True

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        return [Fact(facts[0].element, facts[0].shape)]


@extension.operation
@irdl_op_definition
class ComplexProductOp(_Composite):
    """Products of pairs."""

    name = "ov.mo_meanings.complex_product"
    SOURCES: ClassVar = Sources(openvino=("ComplexProduct", 1))
    a = operand_def(TENSOR)
    b = operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(Pure())


@extension.decomposition(ComplexProductOp)
def complex_product(op: ComplexProductOp, build: GraphBuilder) -> Sequence[SSAValue]:
    axis = build.scalar(-1, i64)
    (a, b), (c, d) = (
        [build.make(GatherOp, value, build.integers([part]), axis) for part in (0, 1)]
        for value in (op.a, op.b)
    )
    real = build.make(SubtractOp, build.make(MultiplyOp, a, c), build.make(MultiplyOp, b, d))
    imaginary = build.make(AddOp, build.make(MultiplyOp, a, d), build.make(MultiplyOp, b, c))
    return [build.make(ConcatOp, [real, imaginary], attributes={"axis": -1})]


class _Fourier(_Composite):
    data = operand_def(TENSOR)
    axes = operand_def(TENSOR)
    inverse = prop_def(IntegerAttr, default_value=IntegerAttr(0, i64))
    centered = prop_def(IntegerAttr, default_value=IntegerAttr(0, i64))
    output = result_def(TENSOR)
    traits = traits_def(Pure())


@extension.operation
@irdl_op_definition
class ForthOp(_Fourier):
    """A transform, whose places count from the middle where it is centred."""

    name = "ov.mo_meanings.forth"
    SOURCES: ClassVar = Sources(openvino=("FourierForth", 1))


@extension.operation
@irdl_op_definition
class BackOp(_Fourier):
    """The same, inverse."""

    name = "ov.mo_meanings.back"
    SOURCES: ClassVar = Sources(openvino=("FourierBack", 1))


@extension.decomposition(ForthOp, BackOp)
def fourier(op: ForthOp | BackOp, build: GraphBuilder) -> Sequence[SSAValue]:
    fact, axes = build.fact(op.data), build.fact(op.axes).value
    assert axes is not None
    assert fact.static is not None
    halves = np.array([fact.static[axis] // 2 for axis in axes])
    value: SSAValue = op.data
    if to_int(op.centered):
        value = build.make(RollOp, value, build.constant(-halves), op.axes)
    value = build.make(IDFTOp if to_int(op.inverse) else DFTOp, value, op.axes)
    return [build.make(RollOp, value, build.constant(halves), op.axes) if to_int(op.centered) else value]


@extension.operation
@irdl_op_definition
class PoolScatterOp(_Composite):
    """Values at the places of the maxima that a pooling of 2 by 2 found, 0 elsewhere."""

    name = "ov.mo_meanings.pool_scatter"
    SOURCES: ClassVar = Sources(openvino=("PoolScatter", 1))
    data = operand_def(TENSOR)
    pooled = operand_def(TENSOR)
    values = operand_def(TENSOR)
    like = operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(Pure())


@extension.decomposition(PoolScatterOp)
def pool_scatter(op: PoolScatterOp, build: GraphBuilder) -> Sequence[SSAValue]:
    shape = build.fact(op.pooled).static
    assert shape is not None
    n, c, h, w = shape

    def large(value: SSAValue) -> SSAValue:
        apart = build.make(ReshapeOp, value, build.integers([n, c, h, 1, w, 1]))
        tiled = build.make(TileOp, apart, build.integers([1, 1, 1, 2, 1, 2]))
        return build.make(ReshapeOp, tiled, build.integers([n, c, 2 * h, 2 * w]))

    there = build.make(EqualOp, op.data, large(op.pooled))
    return [build.make(SelectOp, there, large(op.values), build.constant(np.zeros((), np.float32)))]


# In numpy: the whole models.


def scattered(x: np.ndarray) -> np.ndarray:
    """`pool-scatter…`: unpooling of tanh of the maxima."""
    n, c, h, w = x.shape
    windows = x.reshape(n, c, h // 2, 2, w // 2, 2)
    top = windows.max((3, 5), keepdims=True)
    return np.maximum(np.where(windows == top, np.tanh(top), 0), 0).reshape(x.shape).astype(np.float32)


def transformed(x: np.ndarray) -> np.ndarray:
    """`fourier`: a centred transform along axes 2 and 3 of pairs, rectified, and a plain one back."""
    there = np.fft.fftshift(
        np.fft.fftn(np.fft.ifftshift(x[..., 0] + 1j * x[..., 1], (2, 3)), axes=(2, 3)), (2, 3)
    )
    back = np.fft.ifftn(np.maximum(there.real, 0) + 1j * np.maximum(there.imag, 0), axes=(2, 3))
    return np.stack([back.real, back.imag], -1).astype(np.float32)


def product(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """`complex-product`: of a rectified one with another."""
    a = np.maximum(x, 0)
    found = (a[..., 0] + 1j * a[..., 1]) * (z[..., 0] + 1j * z[..., 1])
    return np.stack([found.real, found.imag], -1).astype(np.float32)


def edited(x: np.ndarray) -> np.ndarray:
    """`later-phases` after its transformations."""
    c = 1 / (1 + np.exp(-np.exp(np.maximum(x, 0) * 2 * np.array([1, 2, 3], np.float32))))
    return (np.sin(c) + np.cos(c)).astype(np.float32)


def looped(x: np.ndarray, n: int) -> np.ndarray:
    """`bodies` after its transformations."""
    for _ in range(n):
        x = np.exp(x) + np.array([3, 4], np.float32)
    return x.astype(np.float32)
