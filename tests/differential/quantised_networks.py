"""Random quantised networks as ONNX: how each quantised tensor is computed of others, on which grid, in which branch or loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

MOST_TRIPS = 3


@dataclass(frozen=True)
class Tensor:
    """A quantised tensor: its name, its grid, and how far its numbers are spread. FakeQuantize gives floats on a grid."""

    name: str
    scale: np.float32
    zero: int
    element: type
    shape: tuple[int, ...]
    spread: float


@dataclass(frozen=True)
class Step:
    """How a quantised tensor is computed of others."""

    nodes: list[onnx.NodeProto]
    inputs: list[Tensor]
    output: Tensor
    spread: float
    """Of the numbers that are quantised."""
    iterations: dict[str, str] = field(default_factory=dict)
    """In a loop: names in the body → the outputs of the model that have them for each iteration."""


class Program:
    """A random program."""

    def __init__(self, seed: int, index: int) -> None:
        self.random = np.random.default_rng((seed, index))
        self.fake = index % 3 == 2
        self.constants: list[onnx.TensorProto] = []
        self.nodes: list[onnx.NodeProto] = []
        self.steps: list[Step] = []
        self.outputs: list[onnx.ValueInfoProto] = []
        self.inputs: list[onnx.ValueInfoProto] = []
        self._made = 0
        self._spread = 0.0
        shape = (
            int(self.pick(1, 1, 2)),
            int(self.pick(1, 3, 4, 8)),
            *map(int, self.random.integers(3, 8, 2)),
        )
        first = Tensor("x", np.float32(0.05), int(self.random.integers(-128, 128)), np.int8, shape, 3.7)
        self.inputs.append(info_of(first.name, np.float32 if self.fake else np.int8, shape))
        self.inputs.append(helper.make_tensor_value_info("c", TensorProto.BOOL, []))
        if self.fake:
            first = self.grid(3.7, shape)
            self.quantised("x", first)
            self.outputs.append(info_of(first.name, first.element, shape))
        self.tensors = [first]
        for _ in range(self.random.integers(2, 7)):
            self._grow()

    def pick(self, *choices: Any) -> Any:
        return choices[self.random.integers(len(choices))]

    def chance(self, share: float) -> bool:
        return bool(self.random.random() < share)

    def fresh(self) -> str:
        self._made += 1
        return f"v{self._made}"

    def constant(self, array: object) -> str:
        name = self.fresh()
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, operator: str, inputs: Sequence[str], domain: str = "", **attributes: Any) -> str:
        name = self.fresh()
        self.nodes.append(helper.make_node(operator, list(inputs), [name], domain=domain, **attributes))
        return name

    def model(self) -> onnx.ModelProto:
        graph = helper.make_graph(self.nodes, "quantised", self.inputs, self.outputs, self.constants)
        return model_of(graph)

    # -- grids

    def grid(self, spread: float, shape: tuple[int, ...], like: Tensor | None = None) -> Tensor:
        """A tensor that is yet to be computed, with a grid that fits its numbers, more or less, or one at the edge."""
        name = self.fresh()
        if like is not None:
            return Tensor(name, like.scale, like.zero, like.element, shape, like.spread)
        element = self.pick(np.int8, np.uint8)
        info = np.iinfo(element)
        scale = max(spread, 1e-30) / self.random.uniform(20, 120)
        if self.chance(0.15):
            scale *= float(self.pick(1e-6, 1e-3, 0.1, 10.0, 1e3, 1e6))
        if self.chance(0.2):
            scale = 2.0 ** round(np.log2(scale))
        zero = int(self.random.integers(info.min, info.max + 1))
        if self.chance(0.6):
            zero = int(self.pick(info.min, info.max, 0, (info.min + info.max + 1) // 2))
        if self.fake:
            return Tensor(name, np.float32(scale), zero - info.min, np.float32, shape, spread)
        return Tensor(name, np.float32(scale), zero, element, shape, spread)

    def of_grid(self, tensor: Tensor) -> list[str]:
        return [self.constant(tensor.scale), self.constant(tensor.element(tensor.zero))]

    def dequantised(self, tensor: Tensor) -> str:
        if self.fake:
            return tensor.name
        return self.node("DequantizeLinear", [tensor.name, *self.of_grid(tensor)])

    def quantised(self, real: str, onto: Tensor) -> None:
        if self.fake:
            bounds = [self.constant(onto.scale * np.float32(level - onto.zero)) for level in (0, 255)]
            inputs, opset = [real, *bounds, *bounds], "openvino.opset1"
            self.nodes.append(helper.make_node("FakeQuantize", inputs, [onto.name], domain=opset, levels=256))
            return
        self.nodes.append(helper.make_node("QuantizeLinear", [real, *self.of_grid(onto)], [onto.name]))

    # -- steps

    def _grow(self) -> None:
        source = self.tensors[-1] if self.chance(0.6) else self._any()
        self._spread = 0.0
        before = len(self.nodes)
        kind = self.pick("product", "product", "sum", "both", "move", "move", "function", "branch", "loop")
        if kind == "branch":
            made = self._branch(source)
        elif kind == "loop" and len(source.shape) == 4:
            made = self._loop(source)
        else:
            inputs, made = self._step(str(kind), source)
            self.steps.append(Step(self.nodes[before:], inputs, made, self._spread))
        self.tensors.append(made)
        self.outputs.append(info_of(made.name, made.element, made.shape))

    def _any(self) -> Tensor:
        return self.tensors[self.random.integers(len(self.tensors))]

    def _step(self, kind: str, source: Tensor, onto: Tensor | None = None) -> tuple[list[Tensor], Tensor]:
        """Append how one tensor is computed; of which, and which one."""
        self._spread = max(self._spread, source.spread)
        if kind == "sum":
            return self._sum(source, onto)
        if kind == "both":
            return self._both(source)
        if kind == "move":
            return self._move(source)
        if kind == "function":
            return self._function(source)
        return self._product(source, onto)

    def _weights(self, shape: tuple[int, ...], axis: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Integers, scales and zero points: one for all, or one for each output."""
        element = self.pick(np.int8, np.int8, np.uint8)
        info = np.iinfo(element)
        array = self.random.integers(info.min, info.max + 1, shape).astype(element)
        count = shape[axis] if self.chance(0.7) else 1
        scales = (self.random.uniform(0.002, 0.01, count) * 10.0 ** self.random.integers(-1, 2)).astype(
            np.float32
        )
        if self.chance(0.1):
            scales[0] *= np.float32(1e-4)
        zeros = np.full(count, 0 if info.min < 0 else 128, element)
        return array, scales if count > 1 else scales.reshape(()), zeros if count > 1 else zeros.reshape(())

    def _product(self, source: Tensor, onto: Tensor | None) -> tuple[list[Tensor], Tensor]:
        """A convolution, or a product of what was made a matrix."""
        if len(source.shape) != 4:
            return self._matrix(source, onto)
        batch, channels, height, width = source.shape
        outputs = channels if onto is not None else int(self.pick(1, 4, 6, 8))
        groups = channels if onto is None and channels > 1 and self.chance(0.3) else 1
        outputs = channels if groups > 1 else outputs
        k = 1 if min(height, width) < 3 or (onto is None and self.chance(0.3)) else 3
        pad = k // 2 if onto is not None else int(self.pick(0, k // 2))
        stride = 1 if onto is not None else int(self.pick(1, 1, 2))
        array, scales, zeros = self._weights((outputs, channels // groups, k, k), 0)
        extents = [(extent + 2 * pad - k) // stride + 1 for extent in (height, width)]
        spread = source.spread * float(scales.mean()) * 74 * np.sqrt(channels // groups * k * k)
        made = onto or self.grid(spread, (batch, outputs, *extents))
        self._spread = max(self._spread, spread)
        attributes: dict[str, Any] = {"pads": [pad] * 4, "strides": [stride] * 2, "group": groups}
        steps = np.broadcast_to(scales, (outputs,)).astype(np.float64) * float(source.scale)
        bias = np.rint(self.random.normal(0, spread, outputs) / steps).clip(-(2**24), 2**24).astype(np.int32)
        with_bias = self.chance(0.7)
        if not self.fake and self.chance(0.4):
            given = [source.name, *self.of_grid(source), self.constant(array), self.constant(scales)]
            given += [
                self.constant(zeros),
                *self.of_grid(made),
                *([self.constant(bias)] if with_bias else []),
            ]
            self.nodes.append(helper.make_node("QLinearConv", given, [made.name], **attributes))
            return [source], made
        filters = [self.constant(each) for each in (array, scales, zeros)]
        given = [self.dequantised(source), self.node("DequantizeLinear", filters, axis=0)]
        if with_bias:
            grid = [self.constant(bias), self.constant(steps.astype(np.float32))]
            given.append(self.node("DequantizeLinear", grid, axis=0))
        self.quantised(self._activated(self.node("Conv", given, **attributes), spread), made)
        return [source], made

    def _matrix(self, source: Tensor, onto: Tensor | None) -> tuple[list[Tensor], Tensor]:
        rows, columns = source.shape
        outputs = columns if onto is not None else int(self.pick(1, 5, 8))
        array, scales, zeros = self._weights((columns, outputs), 1)
        spread = source.spread * float(scales.mean()) * 74 * np.sqrt(columns)
        made = onto or self.grid(spread, (rows, outputs))
        self._spread = max(self._spread, spread)
        grid = [self.constant(scales), self.constant(zeros)]
        if not self.fake and self.chance(0.5):
            given = [source.name, *self.of_grid(source), self.constant(array), *grid, *self.of_grid(made)]
            self.nodes.append(helper.make_node("QLinearMatMul", given, [made.name]))
            return [source], made
        right = self.node("DequantizeLinear", [self.constant(array), *grid], axis=1)
        real = self.node("MatMul", [self.dequantised(source), right])
        if self.chance(0.5):
            bias = self.random.normal(0, spread, outputs).astype(np.float32)
            real = self.node("Add", [real, self.constant(bias)])
        self.quantised(self._activated(real, spread), made)
        return [source], made

    def _activated(self, real: str, spread: float) -> str:
        if self.chance(0.3):
            return self.node("Relu", [real])
        if self.chance(0.2):
            limits = [self.constant(np.float32(0)), self.constant(np.float32(spread))]
            return self.node("Clip", [real, *limits])
        return real

    def _sum(self, source: Tensor, onto: Tensor | None) -> tuple[list[Tensor], Tensor]:
        same = [tensor for tensor in self.tensors if tensor.shape == source.shape]
        other = same[self.random.integers(len(same))] if same else source
        made = onto or self.grid(source.spread + other.spread, source.shape)
        self._spread = max(self._spread, source.spread + other.spread)
        if not self.fake and self.chance(0.3):
            given = [part for t in (source, other) for part in (t.name, *self.of_grid(t))]
            given += self.of_grid(made)
            self.nodes.append(helper.make_node("QLinearAdd", given, [made.name], domain="com.microsoft"))
        else:
            real = self.node("Add", [self.dequantised(source), self.dequantised(other)])
            self.quantised(self._activated(real, made.spread), made)
        return [source, other], made

    def _both(self, source: Tensor) -> tuple[list[Tensor], Tensor]:
        """A product of two quantised tensors: element by element, one of them per channel perhaps, or of matrices."""
        same = [t for t in self.tensors if t.shape == source.shape]
        small = [t for t in self.tensors if t.shape == (*source.shape[:2], 1, 1) and len(source.shape) == 4]
        others = small if small and self.chance(0.5) else same or [source]
        other = others[self.random.integers(len(others))]
        a, b, shape, count = self.dequantised(source), self.dequantised(other), source.shape, 1
        if other.shape == source.shape and self.chance(0.4):
            order = [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2]
            count, shape = shape[-1], (*shape[:-1], shape[-2])
            real = self.node("MatMul", [a, self.node("Transpose", [b], perm=order)])
        else:
            real = self.node("Mul", [a, b])
        spread = source.spread * other.spread
        self._spread = max(self._spread, spread * count)
        made = self.grid(spread * count**0.5, shape)
        self.quantised(self._activated(real, made.spread), made)
        return [source, other], made

    def _move(self, source: Tensor) -> tuple[list[Tensor], Tensor]:
        """Append an operator that moves or averages elements.

        It computes with floats, or with the integers themselves.
        """
        if not self.fake and len(source.shape) == 4 and self.chance(0.4):
            return self._move_integers(source)
        real, shape = self.dequantised(source), source.shape
        if len(shape) == 4 and self.chance(0.3):
            real, shape = self.node("GlobalAveragePool", [real]), (*shape[:2], 1, 1)
        elif len(shape) == 4 and self.chance(0.3):
            pads = [1, 1, 0, 0] if self.chance(0.3) else [0] * 4
            # (Windows of different counts are averaged in floats, and engines need not agree where a half is rounded.)
            counted = 1 if pads[0] else int(self.pick(0, 1))
            kernel = {"kernel_shape": [2, 2], "strides": [1, 1], "pads": pads, "count_include_pad": counted}
            if pads[0] or min(shape[2:]) > 1:
                real = self.node("AveragePool", [real], **kernel)
                shape = shape if pads[0] else (*shape[:2], shape[2] - 1, shape[3] - 1)
        elif len(shape) == 4:
            real, shape = self._moved(real, shape)
        else:
            real = self.node("Relu", [real])
        made = self.grid(source.spread, shape, source if self.chance(0.4) else None)
        self.quantised(real, made)
        return [source], made

    def _moved(self, name: str, shape: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
        batch, channels, height, width = shape
        kinds = ("pool", "joined", "turned", "cut", "picked", "split", "tiled")
        kind = self.pick(*["flatten"] * 4, *kinds)
        if kind == "cut":
            ends = [
                self.constant(np.array(n)) for n in ([0, -1], [channels + 1, -width - 1], [1, 3], [2, -1])
            ]
            return self.node("Slice", [name, *ends]), (batch, (channels + 1) // 2, height, width)
        if kind == "picked":
            places = self.random.integers(-width, width, 3)
            return self.node("Gather", [name, self.constant(places)], axis=3), (batch, channels, height, 3)
        if kind == "split" and height > 1:
            first, second = self.fresh(), self.fresh()
            sizes = self.constant(np.array([1, height - 1]))
            self.nodes.append(helper.make_node("Split", [name, sizes], [first, second], axis=2))
            return second, (batch, channels, height - 1, width)
        if kind == "tiled":
            repeats = self.constant(np.array([1, 1, 1, 2]))
            return self.node("Tile", [name, repeats]), (batch, channels, height, 2 * width)
        if kind == "flatten":
            return self.node("Flatten", [name]), (batch, channels * height * width)
        if kind == "pool" and min(height, width) > 1:
            pooled = self.node("MaxPool", [name], kernel_shape=[2, 2], strides=[1, 1])
            return pooled, (batch, channels, height - 1, width - 1)
        if kind == "turned":
            return self.node("Transpose", [name], perm=[0, 1, 3, 2]), (batch, channels, width, height)
        return self.node("Concat", [name, name], axis=1), (batch, 2 * channels, height, width)

    def _move_integers(self, source: Tensor) -> tuple[list[Tensor], Tensor]:
        name, shape = self._moved(source.name, source.shape)
        made = self.grid(0, shape, source)
        self.nodes.append(helper.make_node("Identity", [name], [made.name]))
        return [source], made

    def _function(self, source: Tensor) -> tuple[list[Tensor], Tensor]:
        """Append an operator that may stay a computation with floats."""
        operator = self.pick("Sigmoid", "Tanh", "Softmax", "HardSwish")
        attributes: dict[str, Any] = {"axis": 1} if operator == "Softmax" else {}
        real = self.node(str(operator), [self.dequantised(source)], **attributes)
        made = self.grid(source.spread if operator == "HardSwish" else 1.0, source.shape)
        self.quantised(real, made)
        return [source], made

    # -- regions

    def _inside(self, source: Tensor, made: Tensor) -> tuple[list[onnx.NodeProto], list[Tensor]]:
        """Nodes of a region that compute a tensor of another one of its shape and grid."""
        outer, self.nodes = self.nodes, []
        inputs, _ = self._step(str(self.pick("product", "sum")), source, made)
        nodes, self.nodes = self.nodes, outer
        return nodes, inputs

    def _branch(self, source: Tensor) -> Tensor:
        """An If whose branches compute a tensor on the same grid, one of them with a step within it."""
        made = self.grid(source.spread, source.shape)
        graphs, inputs = [], list[Tensor]()
        for name in ("then", "else"):
            inner = self.grid(made.spread, made.shape, made)
            nodes, read = self._inside(source, inner)
            inputs += read
            graphs.append(
                helper.make_graph(nodes, name, [], [info_of(inner.name, inner.element, inner.shape)])
            )
        branches = dict(zip(("then_branch", "else_branch"), graphs))
        node = helper.make_node("If", ["c"], [made.name], **branches)
        self.nodes.append(node)
        self.steps.append(Step([node], list(dict.fromkeys(inputs)), made, self._spread))
        return made

    def _loop(self, source: Tensor) -> Tensor:
        """A Loop that carries a quantised tensor, or the floats that it stands for; what each iteration reads and gives is kept."""
        made = Tensor(self.fresh(), source.scale, source.zero, source.element, source.shape, source.spread)
        carried = self.grid(0, source.shape, source)
        following = self.grid(0, source.shape, source)
        nodes, inputs = self._inside(carried, following)
        trips = int(self.random.integers(1, MOST_TRIPS + 1))
        count, condition, still = self.fresh(), self.fresh(), self.fresh()
        before, after, read, given = (self.fresh() for _ in range(4))
        copies = [
            helper.make_node("Identity", [condition], [still]),
            helper.make_node("Identity", [carried.name], [before]),
            helper.make_node("Identity", [following.name], [after]),
        ]
        start, first, last, result = source.name, carried.name, following.name, made.name
        element, inside = made.element, nodes
        if not self.fake and self.chance(0.5):
            start, element = self.dequantised(source), np.float32
            first, last, result = self.fresh(), self.fresh(), self.fresh()
            taken = helper.make_node("QuantizeLinear", [first, *self.of_grid(carried)], [carried.name])
            passed = helper.make_node("DequantizeLinear", [following.name, *self.of_grid(following)], [last])
            inside = [taken, *nodes, passed]
        scalars = [
            helper.make_tensor_value_info(count, TensorProto.INT64, []),
            helper.make_tensor_value_info(condition, TensorProto.BOOL, []),
        ]
        results = [
            helper.make_tensor_value_info(still, TensorProto.BOOL, []),
            info_of(last, element, made.shape),
            *(info_of(name, made.element, made.shape) for name in (before, after)),
        ]
        body = helper.make_graph(
            [*inside, *copies], "body", [*scalars, info_of(first, element, made.shape)], results
        )
        control = [self.constant(np.array(trips, np.int64)), self.constant(np.array(True))]
        self.nodes.append(helper.make_node("Loop", [*control, start], [result, read, given], body=body))
        if result != made.name:
            self.quantised(result, made)
        for name in (read, given):
            self.outputs.append(info_of(name, made.element, (trips, *made.shape)))
        iterations = {carried.name: read, following.name: given}
        self.steps.append(Step(nodes, inputs, following, self._spread, iterations))
        return made


def info_of(name: str, element: type, shape: Sequence[int]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(element)), shape)


def model_of(graph: onnx.GraphProto) -> onnx.ModelProto:
    opsets = {"": 21, "com.microsoft": 1, "openvino.opset1": 1}
    imports = [helper.make_opsetid(domain, version) for domain, version in opsets.items()]
    return helper.make_model(graph, opset_imports=imports, ir_version=10)
