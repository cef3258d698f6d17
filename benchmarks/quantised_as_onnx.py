"""A quantised OpenVINO network as ONNX, in the two forms that exporters write: QDQ and QLinear.

    python benchmarks/quantised_as_onnx.py network.xml network.onnx [--form qlinear]

`qdq`: QuantizeLinear and DequantizeLinear around operators of floats, weights and biases behind a DequantizeLinear. `qlinear`: operators
that compute with integers, QLinearConv of ONNX's own and QGemm, QLinearAdd, QLinearGlobalAveragePool and QLinearSoftmax of
`com.microsoft`, as ONNX Runtime's quantiser writes them. Weights and scales are those of the network, biases in steps of the sums.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import onnx
from network_as_onnx import NetworkWriter, convolution_attributes
from simplifications.as_onnx import as_onnx
from xdsl.dialects.builtin import f32
from xdsl.ir import Operation, SSAValue

import loomir
from loomir.compiler.model import Model
from loomir.dialects.element_types import tensor_type_of
from loomir.dialects.ov.attributes import to_bool, to_int
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.conversion import ConvertOp, FakeQuantizeOp
from loomir.dialects.ov.operators.convolution import ConvolutionBase, GroupConvolutionOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp
from loomir.dialects.ov.operators.normalisation import SoftmaxOp
from loomir.dialects.ov.operators.pooling import AvgPoolOp
from loomir.passes.analysis.integer_weights import MOVES, decoded, factor_of, known_array

Form = Literal["qdq", "qlinear"]
MICROSOFT = "com.microsoft"
OPSET = 17
"""Where the quantised operators of both forms are known to most readers."""


@dataclass(frozen=True)
class Quantised:
    """A tensor's integers and their grid, as names in the graph, and the scale's number."""

    integers: str
    scale: str
    zero: str
    number: np.float32

    @property
    def three(self) -> list[str]:
        return [self.integers, self.scale, self.zero]


@dataclass(frozen=True)
class Weights:
    """The weights of a product: integers, one row for each output, the scale of each, and the bias in steps of the sum."""

    integers: np.ndarray
    scales: np.ndarray
    bias: np.ndarray | None


def quantised_as_onnx(model: Model, form: Form) -> onnx.ModelProto:
    """The model's program, neither optimised nor folded, all shapes of which are known. NotImplementedError: it has another operation."""
    writer = _QuantisedWriter(form)
    made = as_onnx(model.module, writer, opsets={"": OPSET, MICROSOFT: 1}, ir_version=8)
    if not writer.infos:
        raise NotImplementedError("a network that is not quantised: it has no FakeQuantize")
    made.graph.value_info.extend(writer.infos)
    _remove_unused(made.graph)
    if form == "qdq":
        # Nothing of it is left.
        del made.opset_import[1:]
    return made


def _remove_unused(graph: onnx.GraphProto) -> None:
    """Products were written before it was known what is added to them."""
    used = {output.name for output in graph.output}
    kept: list[onnx.NodeProto] = []
    for node in reversed(graph.node):
        if used.intersection(node.output):
            used.update(node.input)
            kept.append(node)
    del graph.node[:]
    graph.node.extend(reversed(kept))


class _QuantisedWriter(NetworkWriter):
    def __init__(self, form: Form) -> None:
        super().__init__()
        self._form = form
        self._quantised: dict[SSAValue, Quantised] = {}
        self.infos: list[onnx.ValueInfoProto] = []

    def simple(self, op: Operation, inputs: list[str]) -> str:
        match op:
            case FakeQuantizeOp():
                return self._fake_quantize(op, inputs)
            case ConvertOp() if op.destination_type == f32 and known_array(op.data) is None:
                given = Quantised(
                    inputs[0], self.constant(np.array(1, np.float32)), self._zero(0), np.float32(1)
                )
                return self._dequantised(op.results[0], given)
            case ConvertOp() if (given := self._quantised.get(op.data)) is not None and given.number == 1:
                # The integers themselves.
                return given.integers
            case AvgPoolOp() if _is_global(op):
                return self.node("GlobalAveragePool", inputs)
            case AddOp() if (found := self._product_of(op)) is not None:
                return self._product_of_floats(*found)
            case ConvolutionBase() | MatMulOp() if self._weights_of(op, None) is not None:
                return self._product_of_floats(op, self._weights_of(op, None))
            case _ if isinstance(op, MOVES) and (given := self._quantised.get(op.operands[0])) is not None:
                moved = super().simple(op, [given.integers, *inputs[1:]])
                return self._dequantised(
                    op.results[0], Quantised(moved, given.scale, given.zero, given.number)
                )
            case _:
                return super().simple(op, inputs)

    def _zero(self, value: int) -> str:
        return self.constant(np.array(value, np.int8))

    def _dequantised(self, value: SSAValue, given: Quantised) -> str:
        self._quantised[value] = given
        return self.node("DequantizeLinear", given.three)

    def _fake_quantize(self, op: FakeQuantizeOp, inputs: Sequence[str]) -> str:
        limits = [known_array(operand) for operand in op.operands[1:]]
        if to_int(op.levels) != 256 or any(limit is None or limit.size != 1 for limit in limits):
            raise NotImplementedError("another quantisation than one of 256 levels for a whole tensor")
        (in_low, in_high), (out_low, out_high) = (
            [float(limit.reshape(-1)[0]) for limit in pair if limit is not None]
            for pair in (limits[:2], limits[2:])
        )
        scales = [np.float32((high - low) / 255) for low, high in ((in_low, in_high), (out_low, out_high))]
        zeros = [round(-low / float(scale)) - 128 for low, scale in zip((in_low, out_low), scales)]
        onto = [self.constant(np.asarray(scales[0])), self._zero(zeros[0])]
        integers = self._of_integers(op.data, onto) if self._form == "qlinear" else None
        if integers is None:
            integers = self.node("QuantizeLinear", [inputs[0], *onto])
        grid = onto if scales[0] == scales[1] and zeros[0] == zeros[1] else None
        grid = grid or [self.constant(np.asarray(scales[1])), self._zero(zeros[1])]
        # (Readers that do not know an operator learn the shape of its result.)
        info = onnx.helper.make_tensor_value_info(integers, onnx.TensorProto.INT8, _shape(op.data))
        self.infos.append(info)
        return self._dequantised(op.results[0], Quantised(integers, grid[0], grid[1], scales[1]))

    def _of_integers(self, value: SSAValue, onto: Sequence[str]) -> str | None:
        """Emit a value in integers on the grid `onto`.

        Return None if there is no such operator.
        """
        op = value.owner
        assert isinstance(op, Operation)
        given = [self._quantised.get(operand) for operand in op.operands]
        first = given[0] if given else None
        found = self._product_of(op)
        if found is not None:
            return self._qlinear_product(*found, onto)
        if first is None:
            return None
        match op:
            case AddOp() if (second := given[1]) is not None:
                return self.node("QLinearAdd", [*first.three, *second.three, *onto], domain=MICROSOFT)
            case AvgPoolOp() if _is_global(op):
                return self.node("QLinearGlobalAveragePool", [*first.three, *onto], domain=MICROSOFT)
            case SoftmaxOp():
                axis = to_int(op.axis)
                return self.node(
                    "QLinearSoftmax", [*first.three, *onto], axis=axis, opset=OPSET, domain=MICROSOFT
                )
            case _:
                return None

    def _product_of(self, op: Operation) -> tuple[ConvolutionBase | MatMulOp, Weights] | None:
        """A product of integers with what is added to it."""
        bias = None
        if isinstance(op, AddOp):
            sides = [(op.a, op.b), (op.b, op.a)]
            found = [(a.owner, known_array(b)) for a, b in sides]
            op, bias = next(((o, k) for o, k in found if k is not None), (op, None))  # type: ignore[assignment]
        if not isinstance(op, ConvolutionBase | MatMulOp):
            return None
        weights = self._weights_of(op, bias)
        return None if weights is None else (op, weights)

    def _weights_of(self, op: ConvolutionBase | MatMulOp, bias: np.ndarray | None) -> Weights | None:
        found, data = decoded(op.operands[1]), self._quantised.get(op.operands[0])
        factor = None if found is None else factor_of(op, 1, found[1])
        if found is None or factor is None or data is None:
            return None
        integers = found[0]
        if isinstance(op, GroupConvolutionOp):
            integers = integers.reshape(-1, *integers.shape[2:])
        elif isinstance(op, MatMulOp) and not to_bool(op.transpose_b):
            integers = integers.T
        scales = factor.reshape(-1).astype(np.float32)
        steps = None
        if bias is not None:
            exact = bias.reshape(-1).astype(np.float64) / (float(data.number) * scales.astype(np.float64))
            steps = np.rint(np.broadcast_to(exact, (len(scales),))).astype(np.int32)
        return Weights(np.ascontiguousarray(integers), scales, steps)

    def _product_of_floats(self, op: ConvolutionBase | MatMulOp, weights: Weights | None) -> str:
        assert weights is not None
        data = self._quantised[op.operands[0]]
        grid = [self.constant(weights.scales), self.constant(np.zeros(len(weights.scales), np.int8))]
        inputs = [
            self.names[op.operands[0]],
            self.node("DequantizeLinear", [self.constant(weights.integers), *grid], axis=0),
        ]
        if weights.bias is not None:
            steps = self.constant(weights.scales * data.number)
            inputs.append(self.node("DequantizeLinear", [self.constant(weights.bias), steps], axis=0))
        if isinstance(op, MatMulOp):
            return self.node("Gemm", inputs, transB=1)
        return self.node("Conv", inputs, **convolution_attributes(op))

    def _qlinear_product(self, op: ConvolutionBase | MatMulOp, weights: Weights, onto: Sequence[str]) -> str:
        data = self._quantised[op.operands[0]]
        zeros = self.constant(np.zeros(len(weights.scales), np.int8))
        inputs = [*data.three, self.constant(weights.integers), self.constant(weights.scales), zeros]
        bias = [] if weights.bias is None else [self.constant(weights.bias)]
        if isinstance(op, MatMulOp):
            return self.node("QGemm", [*inputs, *(bias or [""]), *onto], transB=1, domain=MICROSOFT)
        return self.node("QLinearConv", [*inputs, *onto, *bias], **convolution_attributes(op))


def _is_global(op: AvgPoolOp) -> bool:
    """Return True if each average covers all pixels."""
    extents = _shape(op.data)[2:]
    windows = list(zip(op.windows(), extents, strict=True))
    return all(w.kernel == extent and w.padding(extent) == (0, 0) for w, extent in windows)


def _shape(value: SSAValue) -> tuple[int, ...]:
    return tuple(tensor_type_of(value).get_shape())


def quantised_network(file: Path, form: Form, batch: int = 1) -> onnx.ModelProto:
    """A network of a file, for so many examples at a time."""
    inputs = loomir.load(file, optimize=False).inputs
    shapes = {info.name: [batch, *(extent or 1 for extent in (info.shape or ())[1:])] for info in inputs}
    return quantised_as_onnx(loomir.load(file, shapes=shapes, optimize=False), form)


def main() -> None:
    parser = argparse.ArgumentParser(description="A quantised OpenVINO network as ONNX.")
    parser.add_argument("network", type=Path, help="its .xml")
    parser.add_argument("onnx", type=Path, help="the file to write")
    parser.add_argument("--form", choices=("qdq", "qlinear"), default="qdq", help="default: %(default)s")
    arguments = parser.parse_args()
    try:
        made = quantised_network(arguments.network, arguments.form)
    except (loomir.Error, NotImplementedError) as error:
        parser.error(str(error))
    onnx.save(made, arguments.onnx)


if __name__ == "__main__":
    main()
