"""An OpenVINO network as an ONNX model, for ONNX Runtime, which reads no `.xml`: GRAPH as loomir's passes leave it, written as ONNX.

Weights are those of the network, normalisation is folded into them: nothing in this form is worse for ONNX Runtime.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx
from simplifications.as_onnx import Writer, as_onnx
from xdsl.ir import Operation, SSAValue

from loomir.compiler.model import Model
from loomir.dialects.element_types import tensor_type_of
from loomir.dialects.ov.attributes import to_bool, to_int
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.convolution import ConvolutionBase, GroupConvolutionOp
from loomir.dialects.ov.operators.elementwise_unary import ReLUOp
from loomir.dialects.ov.operators.normalisation import SoftmaxOp
from loomir.dialects.ov.operators.pooling import AvgPoolOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, TransposeOp
from loomir.dialects.ov.operators.windows import Window


def network_as_onnx(model: Model) -> onnx.ModelProto:
    """The model's program, all shapes of which are known; inputs and outputs have its names.

    NotImplementedError: an operation that is not written here.
    """
    made = as_onnx(model.module, NetworkWriter())
    # Each output is what an Identity gives, so that nothing else reads its name.
    names = dict(zip((o.name for o in made.graph.output), (o.name for o in model.outputs), strict=True))
    for node in made.graph.node:
        node.output[:] = [names.get(name, name) for name in node.output]
    for output in made.graph.output:
        output.name = names[output.name]
    return made


class NetworkWriter(Writer):
    """Writes the layers of networks, too."""

    def simple(self, op: Operation, inputs: list[str]) -> str:
        match op:
            case ReLUOp():
                return self.node("Relu", inputs)
            case SoftmaxOp():
                return self.node("Softmax", inputs, axis=to_int(op.axis))
            case TransposeOp():
                return self.node("Transpose", inputs[:1], perm=_values(op.operands[1]))
            case ReshapeOp():
                return self.node("Reshape", [inputs[0], self.integers(*_shape(op.results[0]))])
            case MatMulOp():
                sides = zip(op.operands, inputs, (op.transpose_a, op.transpose_b))
                return self.node("MatMul", [self._factor(v, n, to_bool(t)) for v, n, t in sides])
            case ConvolutionBase():
                return self._convolution(op, inputs)
            case AvgPoolOp():
                windows = op.windows()
                include = int(not to_bool(op.exclude_pad))
                sizes = {"kernel_shape": [w.kernel for w in windows], "count_include_pad": include}
                return self.node("AveragePool", inputs, **sizes, **_moves(windows, _shape(op.data)))
            case _:
                return super().simple(op, inputs)

    def _factor(self, value: SSAValue, name: str, transposed: bool) -> str:
        """A factor of a product as ONNX takes it."""
        rank = len(_shape(value))
        if not transposed or rank < 2:
            return name
        return self.node("Transpose", [name], perm=[*range(rank - 2), rank - 1, rank - 2])

    def _convolution(self, op: ConvolutionBase, inputs: Sequence[str]) -> str:
        """ONNX's filters have the groups' outputs along one axis."""
        data, filters = inputs
        if isinstance(op, GroupConvolutionOp):
            groups, outputs, *rest = _shape(op.filters)
            filters = self.node("Reshape", [filters, self.integers(groups * outputs, *rest)])
        return self.node("Conv", [data, filters], **convolution_attributes(op))


def convolution_attributes(op: ConvolutionBase) -> dict[str, object]:
    """ONNX's attributes of a convolution."""
    shape, groups = _shape(op.filters), 1
    if isinstance(op, GroupConvolutionOp):
        groups, _, *rest = shape
        shape = (0, *rest)
    return {"group": groups, **_moves(op.windows(shape[2:]), _shape(op.data))}


def _moves(windows: Sequence[Window], shape: Sequence[int]) -> dict[str, list[int]]:
    """ONNX's attributes of windows over data of this shape."""
    pads = [w.padding(extent) for w, extent in zip(windows, shape[2:], strict=True)]
    return {
        "strides": [w.stride for w in windows],
        "dilations": [w.dilation for w in windows],
        "pads": [begin for begin, _ in pads] + [end for _, end in pads],
    }


def _shape(value: SSAValue) -> tuple[int, ...]:
    return tuple(tensor_type_of(value).get_shape())


def _values(value: SSAValue) -> list[int]:
    """The numbers of a constant operand."""
    if not isinstance(value.owner, ConstantOp):
        raise NotImplementedError("an order that is computed")
    return np.asarray(value.owner.array).tolist()
