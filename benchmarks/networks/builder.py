"""Layers from which networks are built.

They append ONNX nodes and seeded weights to one graph.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET, IR_VERSION = 18, 9


class Builder:
    """A graph of f32 in the making. Each layer takes the names of values and gives the name of its result."""

    def __init__(self, seed: int = 0) -> None:
        self._random = np.random.default_rng(seed)
        self._nodes: list[onnx.NodeProto] = []
        self._weights: list[onnx.TensorProto] = []

    def node(self, kind: str, *inputs: str, **attributes: object) -> str:
        """Append a node of one result."""
        name = f"{kind.lower()}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def constant(self, value: object, dtype: type = np.float32) -> str:
        """Append a tensor that is given."""
        name = f"w{len(self._weights)}"
        self._weights.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def weight(self, *shape: int, scale: float = 1.0) -> str:
        """Append a tensor of normally distributed numbers."""
        return self.constant(self._random.normal(scale=scale, size=shape))

    def convolution(
        self,
        x: str,
        inputs: int,
        outputs: int,
        kernel: int = 3,
        *,
        stride: Sequence[int] = (1, 1),
        groups: int = 1,
        dilation: int = 1,
    ) -> str:
        """A square kernel with a bias, padded so that a stride of 1 keeps height and width. Weights as He et al. (2015) begin with."""
        fan = inputs // groups * kernel * kernel
        pad = dilation * (kernel // 2)
        weights = self.weight(outputs, inputs // groups, kernel, kernel, scale=(2 / fan) ** 0.5)
        return self.node(
            "Conv",
            x,
            weights,
            self.weight(outputs, scale=0.1),
            strides=list(stride),
            pads=[pad] * 4,
            dilations=[dilation] * 2,
            group=groups,
        )

    def linear(self, x: str, inputs: int, outputs: int) -> str:
        """The last dimension times a matrix, and a bias."""
        product = self.node("MatMul", x, self.weight(inputs, outputs, scale=inputs**-0.5))
        return self.node("Add", product, self.weight(outputs, scale=0.1))

    def relu6(self, x: str) -> str:
        """`x` limited to 0 … 6."""
        return self.node("Clip", x, self.constant(0.0), self.constant(6.0))

    def model(
        self, name: str, x: Sequence[int], result: str, y: Sequence[int], given: str = "x"
    ) -> onnx.ModelProto:
        """The model: input `given` of the shape `x`, output `y` of that shape, which is the value `result`."""
        self._nodes.append(helper.make_node("Identity", [result], ["y"]))
        graph = helper.make_graph(
            self._nodes,
            name,
            [helper.make_tensor_value_info(given, TensorProto.FLOAT, list(x))],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, list(y))],
            self._weights,
        )
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION
        )
        onnx.checker.check_model(model, full_check=True)
        return model
