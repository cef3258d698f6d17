"""Random networks channels last, with axes moved about at random: `ov-layout` changes no bit of what they give, there and back, and
leaves the fewest Transposes."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from random import Random

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import loomir
from loomir.compiler.checking.checker import check_each_pass
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.tools.model_optimizer.passes.graph.ov_layout import Homes
from loomir.tools.model_optimizer.passes.graph.ov_layout.choosing import (
    LayoutGraph,
    choose,
    cost_of,
    graph_of,
)
from loomir.tools.model_optimizer.passes.graph.ov_layout.orders import identity, rank_of, significant
from loomir.tools.model_optimizer.passes.graph.ov_layout.rules import is_identity
from tests.channels_last import Writer, model

Shape = tuple[int, ...]
MOST = 600
"""Elements of a value."""


class Steps:
    """Steps at random, each from values that there are to a new one."""

    def __init__(self, random: Random, writer: Writer, shape: Shape, name: str) -> None:
        self.random, self.w = random, writer
        self.values: list[tuple[str, Shape]] = [(name, shape)]

    def below(self, n: int) -> int:
        return self.random.randrange(n)

    def any_value(self) -> tuple[str, Shape]:
        return self.values[-1 - self.below(min(len(self.values), 3))]

    def step(self, kinds: list[Callable[[Steps, str, Shape], tuple[str, Shape]]]) -> None:
        made, shape = kinds[self.below(len(kinds))](self, *self.any_value())
        if math.prod(shape) <= MOST:
            self.values.append((made, shape))


def turn(s: Steps, x: str, shape: Shape) -> tuple[str, Shape]:
    order = s.random.sample(range(len(shape)), len(shape))
    return s.w.op("Transpose", x, perm=order), tuple(shape[k] for k in order)


def convolution(s: Steps, x: str, shape: Shape) -> tuple[str, Shape]:
    if len(shape) not in (3, 4, 5):
        return x, shape
    outputs = 1 + s.below(4)
    return s.w.convolution(x, shape[-1], outputs, 1 + s.below(2), rank=len(shape)), (*shape[:-1], outputs)


def convolution_first(s: Steps, x: str, shape: Shape) -> tuple[str, Shape]:
    if len(shape) not in (3, 4, 5):
        return x, shape
    outputs = 1 + s.below(4)
    filters = s.w.weights(outputs, shape[1], *[1] * (len(shape) - 2))
    return s.w.op("Conv", x, filters), (shape[0], outputs, *shape[2:])


def function(s: Steps, x: str, shape: Shape) -> tuple[str, Shape]:
    return s.w.op(("Relu", "Tanh", "Sigmoid", "Neg")[s.below(4)], x), shape


def with_constant(s: Steps, x: str, shape: Shape) -> tuple[str, Shape]:
    rank = s.below(len(shape) + 1)
    extents = [e if s.below(2) else 1 for e in shape[len(shape) - rank :]]
    return s.w.op(("Add", "Mul", "Sub")[s.below(3)], x, s.w.weights(*extents)), shape


def with_another(s: Steps, x: str, shape: Shape) -> tuple[str, Shape]:
    alike = [name for name, other in s.values if other == shape]
    return s.w.op(("Add", "Max", "Sub")[s.below(3)], x, alike[s.below(len(alike))]), shape


def with_reduced(s: Steps, x: str, shape: Shape) -> tuple[str, Shape]:
    """(A reduction without the first axes is broadcast back.)"""
    axes = [k for k in range(len(shape)) if s.below(2)] or [0]
    kind = ("ReduceMean", "ReduceSum", "ReduceMax", "ReduceL2")[s.below(4)]
    keep = axes != list(range(len(axes))) or bool(s.below(2))
    small = s.w.op(kind, x, s.w.constant(axes), keepdims=int(keep))
    return s.w.op("Sub", x, small), shape


def reduced(s: Steps, x: str, shape: Shape) -> tuple[str, Shape]:
    if len(shape) < 4:
        return x, shape
    axis = s.below(len(shape))
    if s.below(2):
        return s.w.op("ReduceMean", x, s.w.constant([axis]), keepdims=0), shape[:axis] + shape[axis + 1 :]
    index = s.w.constant(np.array(s.below(shape[axis]), np.int64))
    return s.w.op("Gather", x, index, axis=axis), shape[:axis] + shape[axis + 1 :]


def unsqueezed(s: Steps, x: str, shape: Shape) -> tuple[str, Shape]:
    if len(shape) > 4:
        return x, shape
    axis = s.below(len(shape) + 1)
    return s.w.op("Unsqueeze", x, s.w.constant([axis])), (*shape[:axis], 1, *shape[axis:])


def squeezed(s: Steps, x: str, shape: Shape) -> tuple[str, Shape]:
    ones = [k for k, e in enumerate(shape) if e == 1]
    if len(shape) < 4 or not ones:
        return x, shape
    axis = ones[s.below(len(ones))]
    return s.w.op("Squeeze", x, s.w.constant([axis])), shape[:axis] + shape[axis + 1 :]


def joined(s: Steps, x: str, shape: Shape) -> tuple[str, Shape]:
    axis = s.below(len(shape))
    fits = [
        v
        for v in s.values
        if len(v[1]) == len(shape) and v[1][:axis] + v[1][axis + 1 :] == shape[:axis] + shape[axis + 1 :]
    ]
    name, other = fits[s.below(len(fits))]
    made = s.w.op("Concat", x, name, axis=axis)
    return made, (*shape[:axis], shape[axis] + other[axis], *shape[axis + 1 :])


def sliced(s: Steps, x: str, shape: Shape) -> tuple[str, Shape]:
    axis = s.below(len(shape))
    size = 1 + s.below(shape[axis])
    made = s.w.op("Slice", x, s.w.constant([0]), s.w.constant([size]), s.w.constant([axis]))
    return made, (*shape[:axis], size, *shape[axis + 1 :])


def padded(s: Steps, x: str, shape: Shape) -> tuple[str, Shape]:
    before, behind = ([s.below(2) for _ in shape] for _ in range(2))
    made = s.w.op("Pad", x, s.w.constant([*before, *behind]))
    return made, tuple(a + b + c for a, b, c in zip(before, shape, behind))


def tiled(s: Steps, x: str, shape: Shape) -> tuple[str, Shape]:
    times = [1 + s.below(2) for _ in shape]
    return s.w.op("Tile", x, s.w.constant(times)), tuple(a * b for a, b in zip(times, shape))


def along(s: Steps, x: str, shape: Shape) -> tuple[str, Shape]:
    axis = s.below(len(shape))
    if s.below(2):
        return s.w.op("Softmax", x, axis=axis - len(shape)), shape
    return s.w.op("CumSum", x, s.w.constant(np.array(axis, np.int64))), shape


def reshaped(s: Steps, x: str, shape: Shape) -> tuple[str, Shape]:
    """Two neighbours joined, or an even extent split."""
    even = [k for k, e in enumerate(shape) if e % 2 == 0]
    if len(shape) < 4 and not even:
        return x, shape
    if len(shape) < 4 or (len(shape) < 5 and even and s.below(2)):
        axis = even[s.below(len(even))]
        wanted = (*shape[:axis], 2, shape[axis] // 2, *shape[axis + 1 :])
        return s.w.op("Reshape", x, s.w.constant(wanted)), wanted
    axis = s.below(len(shape) - 1)
    wanted = (*shape[:axis], shape[axis] * shape[axis + 1], *shape[axis + 2 :])
    return s.w.op("Reshape", x, s.w.constant(wanted)), wanted


def by_shape(s: Steps, x: str, shape: Shape) -> tuple[str, Shape]:
    """Multiplied by extents of its own."""
    sizes = s.w.op("Cast", s.w.op("Shape", x), to=TensorProto.FLOAT)
    return s.w.op("Mul", x, s.w.op("ReduceMax", sizes, keepdims=0)), shape


PLAIN = [
    turn, convolution, convolution, convolution_first, function, with_constant, with_another, with_reduced, reduced, unsqueezed, squeezed,
    joined, sliced, padded, tiled, along, reshaped, by_shape,
]  # fmt: skip
KEEPING = [convolution, function, with_constant, with_another, with_reduced, along]


def looped(s: Steps, x: str, shape: Shape) -> tuple[str, Shape]:
    """A loop that carries the value; what it gives each time is put together, too, and one of the two is used."""
    body = Steps(s.random, Writer(len(s.w.nodes), s.w.name() + "_b"), shape, "h")
    for _ in range(1 + s.below(3)):
        body.step([turn, *KEEPING])
    end, last = next((v for v in reversed(body.values) if v[1] == shape), body.values[0])
    w, state, copy = body.w, body.w.op("Identity", end), body.w.op("Identity", end)
    go = w.op("Identity", "c")
    inner = w.graph({"h": shape}, {state: last, copy: shape})
    inner.input.insert(0, helper.make_tensor_value_info("c", TensorProto.BOOL, []))
    inner.input.insert(0, helper.make_tensor_value_info("i", TensorProto.INT64, []))
    inner.output.insert(0, helper.make_tensor_value_info(go, TensorProto.BOOL, []))
    found = s.w.op("Loop", s.w.constant(np.array(2, np.int64)), "", x, outputs=2, body=inner)
    if s.below(2) and len(shape) < 5:
        return f"{found}_1", (2, *shape)
    return found, shape


def branched(s: Steps, x: str, shape: Shape) -> tuple[str, Shape]:
    arms: list[onnx.GraphProto] = []
    for name in "te":
        arm = Steps(s.random, Writer(len(s.w.nodes), f"{s.w.name()}_{name}"), shape, x)
        for _ in range(s.below(3)):
            arm.step([turn, *KEEPING])
        end = next(n for n, other in reversed(arm.values) if other == shape)
        arms.append(arm.w.graph({}, {arm.w.op("Identity", end): shape}))
    total = s.w.op("ReduceSum", x, keepdims=0)
    condition = s.w.op("Greater", total, s.w.constant(np.array(0, np.float32)))
    return s.w.op("If", condition, then_branch=arms[0], else_branch=arms[1]), shape


def network(random: Random) -> onnx.ModelProto:
    """Convolutions in between of everything else."""
    shape = (1 + random.randrange(2), *(random.randint(1, 4) for _ in range(random.choice((2, 3, 3, 3, 4)))))
    steps = Steps(random, Writer(random.randrange(1000)), shape, "x")
    for _ in range(random.randint(2, 8)):
        steps.step([convolution, convolution, convolution, convolution_first])
        for _ in range(random.randrange(4)):
            steps.step([*PLAIN, looped, branched])
    name, last = steps.values[-1]
    return model(steps.w, {"x": shape}, steps.w.op("Identity", name), last)


@pytest.mark.parametrize("seeds", [range(k, k + 10) for k in range(0, 60, 10)], ids=lambda s: f"from {s[0]}")
def test_no_bit_changes(seeds: range) -> None:
    for seed in seeds:
        made = network(Random(f"layout {seed}"))
        module = loomir.convert(made, disable=["Layout"]).module.clone()
        check_each_pass(module, ["ov-layout"])
        check_each_pass(module, ['ov-layout{to="nhwc"}', "ov-layout", "ov-infer", "canonicalize"])


def moved(graph: LayoutGraph) -> int:
    """Return the cost of the Transposes needed with the nodes' present orders.

    There is one Transpose for each order in which a value is wanted.
    """
    total = 0
    for root, uses in graph.uses.items():
        if isinstance(root.owner, ConstantOp):
            continue
        own = graph.fixed_results.get(root, identity(rank_of(root) or 0))
        if root in graph.makers:
            node, index = graph.makers[root]
            own = node.rule.result_order(index, node.order)
        asked = [
            graph.operand_order(use, turned=use.slot in graph.node_at and graph.node_at[use.slot][0].turned)
            for use in uses
        ]
        wanted = {significant(order, root) for order in asked if order is not None}
        total += len(wanted - {significant(own, root)}) * cost_of(root, graph)
    return total


@pytest.mark.parametrize("to", ["nchw", "nhwc"])
def test_no_other_choice_is_cheaper(to: str) -> None:
    """All choices of small networks. (Of 349 one had a cheaper one: an order was wanted by what is at home and by what is not.)"""
    tried = 0
    for seed in range(60):
        module = loomir.convert(network(Random(f"layout {seed}")), disable=["Layout"]).module
        graph = graph_of(module, last=to == "nhwc")
        Homes(graph).find()
        free = [node for node in graph.nodes if node.home is not None and not is_identity(node.home)]
        if not 0 < len(free) < 9:
            continue
        choose(graph)
        found, costs = moved(graph), set[int]()
        for bits in product((False, True), repeat=len(free)):
            for node, bit in zip(free, bits):
                node.turned = bit
            costs.add(moved(graph))
        assert found == min(costs), seed
        tried += 1
    assert tried > 20
