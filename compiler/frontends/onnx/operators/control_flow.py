"""Loop, Scan and If: region operations with ONNX's semantics made explicit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import count

import numpy as np
from onnx import GraphProto, ValueInfoProto
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Block, Region, SSAValue

from loomir.compiler.frontends.onnx.context import Scope
from loomir.compiler.frontends.onnx.node import Node
from loomir.compiler.frontends.onnx.registry import Results, translates
from loomir.dialects.element_types import i1, i64
from loomir.dialects.ov.control_flow import CONDITION_TYPE, TRIP_TYPE, IfOp, LoopOp, NextOp, YieldOp
from loomir.dialects.ov.elementwise_binary import MaximumOp
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.gathering import GatherOp
from loomir.dialects.ov.loop_slices import Slicing
from loomir.dialects.ov.reshape import ReshapeOp, SqueezeOp, UnsqueezeOp
from loomir.errors import Error

RECENT_VERSIONS = (16, 19, 21, 23, 24, 25)
"""In which versions these operators only got more element types."""


@translates("If", 1, 11, 13, *RECENT_VERSIONS)
def if_(node: Node) -> Results:
    """Branches read outer values; their results may differ in shape and in rank, never in element type."""
    cond = node.scalar(node.input(0), "the condition", i1)
    regions: list[Region] = []
    branches: list[list[SSAValue]] = []
    for name in ("then_branch", "else_branch"):
        graph = node.graph(name)
        if graph.input:
            raise Error("subgraph-signature", f"{name} has inputs; a branch can only read outer values")
        scope, block = node.scope.subgraph(graph, [])
        scope.translate(graph.node)
        outputs = _outputs(scope, graph, name)
        if len(outputs) != len(node.proto.output):
            raise Error(
                "subgraph-signature",
                f"{name} has {len(outputs)} outputs, the node {len(node.proto.output)}",
            )
        scope.append(YieldOp.build(operands=[outputs]), node.label)
        assert block.parent is not None
        regions.append(block.parent)
        branches.append(outputs)
    types = [_join(a.type, b.type, f"output {i} of the branches") for i, (a, b) in enumerate(zip(*branches))]
    return node.scope.append(IfOp.of(cond, types, *regions), node.label).results


@translates("Loop", 1, 11, 13, *RECENT_VERSIONS)
def loop(node: Node) -> Results:
    """`for (i = 0; i < M && cond; ++i)`, where a missing M means no limit and a missing cond true.

    Where cond is left out, what the body gives as condition does not end the loop (the specification says so; ONNX
    Runtime ends it). It still is what the next iteration sees as its own condition.
    """
    trip, cond = node.optional(0), node.optional(1)
    initial = [node.input(index) for index in range(2, len(node))]
    graph = node.graph("body")
    if len(graph.input) != 2 + len(initial):
        raise Error("subgraph-signature", f"the body has {len(graph.input)} inputs, not {2 + len(initial)}")
    if trip is not None:
        trip = _trip_count(node, trip)
    if cond is not None:
        cond = node.scalar(cond, "the condition", i1)

    def body(types: Sequence[Attribute]) -> Body:
        hidden = [CONDITION_TYPE] if cond is None else []
        scope, block = node.scope.subgraph(graph, [TRIP_TYPE, *hidden, *types])
        inner = Node(node.proto, scope, node.schema)
        names = [value.name for value in graph.input]
        # Only the condition true reaches an iteration.
        again = block.args[1] if cond is None else inner.constant(np.array(True))
        for name, value, formal in zip(names, (block.args[0], again), graph.input):
            scope.values[name] = _as_declared(inner, value, formal)
        arguments = block.args[1 + len(hidden) :]
        scope.values.update(zip(names[2:], arguments))
        scope.translate(graph.node)
        outputs = _outputs(scope, graph, "the body")
        if len(outputs) < 1 + len(initial):
            raise Error(
                "subgraph-signature",
                f"the body has {len(outputs)} outputs, at least {1 + len(initial)} are needed",
            )
        following = inner.scalar(outputs[0], "the body's condition", i1)
        scans = [inner.op(UnsqueezeOp, v, inner.vector([0])) for v in outputs[1 + len(initial) :]]
        return Body(block, outputs[1 : 1 + len(initial)], scans, following)

    types, done = _fixpoint([v.type for v in initial], body)
    carried, following = list(initial), list(done.carried)
    hidden = 0
    if cond is None:
        # An iteration's own condition is carried along where the body reads it.
        hidden = _carry_condition(node, done, carried, following, types)
    done.finish(node, following, None if cond is None else done.condition)
    op = LoopOp.of(
        trip=trip,
        cond=cond,
        carried=carried,
        sliced=[],
        slices=[],
        concats=[Slicing()] * len(done.scans),
        final_types=types,
        last_types=[],
        concat_types=[_concatenated(v.type, 0) for v in done.scans],
        body=done.region,
    )
    return node.scope.append(op, node.label).results[hidden:]


@translates("Scan", 9, 11, *RECENT_VERSIONS)
def scan(node: Node) -> Results:
    """A loop over slices of its inputs: as many iterations as the inputs have slices, none too."""
    inputs = node.int("num_scan_inputs")
    states = len(node) - inputs
    if inputs < 1 or states < 0:
        raise Error("subgraph-signature", f"{len(node)} inputs, {inputs} of them scanned")
    graph = node.graph("body")
    if len(graph.input) != len(node) or len(graph.output) < states:
        raise Error(
            "subgraph-signature",
            f"the body has {len(graph.input)} inputs and {len(graph.output)} outputs, the node {len(node)} inputs",
        )
    outputs = len(graph.output) - states
    initial = [node.input(index) for index in range(states)]
    scanned = [node.input(states + index) for index in range(inputs)]
    axes = _per_value(node, "scan_input_axes", inputs)
    slices = [_slicing(a, d) for a, d in zip(axes, _per_value(node, "scan_input_directions", inputs))]
    output_axes = _per_value(node, "scan_output_axes", outputs)
    concats = [
        _slicing(a, d) for a, d in zip(output_axes, _per_value(node, "scan_output_directions", outputs))
    ]
    parts = [_part(v.type, axis) for v, axis in zip(scanned, axes)]
    trip = _common_length(node, scanned, axes)

    def body(types: Sequence[Attribute]) -> Body:
        scope, block = node.scope.subgraph(graph, [TRIP_TYPE, *types, *parts])
        inner = Node(node.proto, scope, node.schema)
        names = [value.name for value in graph.input]
        scope.values.update(zip(names, block.args[1 : 1 + states]))
        for name, part, axis in zip(names[states:], block.args[1 + states :], axes):
            scope.values[name] = inner.op(SqueezeOp, part, inner.vector([axis]))
        scope.translate(graph.node)
        results = _outputs(scope, graph, "the body")
        scans = [inner.op(UnsqueezeOp, v, inner.vector([a])) for v, a in zip(results[states:], output_axes)]
        return Body(block, results[:states], scans, None)

    types, done = _fixpoint([v.type for v in initial], body)
    done.finish(node, done.carried, None)
    op = LoopOp.of(
        trip=trip,
        cond=None,
        carried=initial,
        sliced=scanned,
        slices=slices,
        concats=concats,
        final_types=types,
        last_types=[],
        concat_types=[_concatenated(v.type, axis) for v, axis in zip(done.scans, output_axes)],
        body=done.region,
    )
    return node.scope.append(op, node.label).results


# -- bodies


@dataclass
class Body:
    """A translated body without its terminator."""

    block: Block
    carried: list[SSAValue]
    scans: list[SSAValue]
    condition: SSAValue | None

    @property
    def region(self) -> Region:
        assert self.block.parent is not None
        return self.block.parent

    def finish(self, node: Node, carried: Sequence[SSAValue], condition: SSAValue | None) -> None:
        """Append the terminator."""
        end = NextOp.build(operands=[[] if condition is None else [condition], carried, [], self.scans])
        end.location = node.location
        self.block.add_op(end)


ROUNDS = 5
"""After so many rounds every carried value loses its extents, after twice as many its rank: a chain of values that
take over one another must not need one round each."""


def _fixpoint(
    initial: Sequence[Attribute], translate: Callable[[Sequence[Attribute]], Body]
) -> tuple[list[Attribute], Body]:
    """Types of carried values that hold for the initial and for every later value, and the body made with them.

    A carried value may change its shape, even its rank. Its type is found by trying: the initial type first; where the
    body gives another, their join; then only the rank; then nothing, which always holds.
    """
    types, changes = list(initial), [0] * len(initial)
    for attempt in count():
        body = translate(types)
        joined = [_join(t, v.type, f"carried value {i}") for i, (t, v) in enumerate(zip(types, body.carried))]
        if joined == types:
            return types, body
        # The body is made again: what it reads from outside must not keep its uses.
        body.region.drop_all_references()
        least = 2 if attempt >= ROUNDS else 0
        least = 3 if attempt >= 2 * ROUNDS else least
        for index, (before, after) in enumerate(zip(types, joined)):
            changes[index] = max(changes[index] + (before != after), least)
            types[index] = _widen(after, changes[index])
    raise AssertionError("every type is widened to nothing in the end")


def _widen(type_: Attribute, changes: int) -> Attribute:
    """A type that holds for more values the more often it had to change."""
    if changes < 2 or isinstance(type_, UnrankedTensorType):
        return type_
    assert isinstance(type_, TensorType)
    if changes == 2:
        return TensorType(type_.element_type, [DYNAMIC_INDEX] * type_.get_num_dims())
    return UnrankedTensorType(type_.element_type)


def _join(a: Attribute, b: Attribute, what: str) -> Attribute:
    """The type of a value that has one or the other type. `Error("element-type")`."""
    first, second = Fact.of_type(a), Fact.of_type(b)
    if first.element != second.element:
        raise Error("element-type", f"{what} is of type {first.element} and of type {second.element}")
    return first.join(second).type


def _outputs(scope: Scope, graph: GraphProto, what: str) -> list[SSAValue]:
    found = [scope.find(value.name) for value in graph.output]
    missing = next((g.name for g, v in zip(graph.output, found) if v is None), None)
    if missing is not None:
        raise Error("undefined-name", f"the output '{missing}' of {what} has no value")
    return [v for v in found if v is not None]


def _carry_condition(
    node: Node, body: Body, carried: list[SSAValue], following: list[SSAValue], types: list[Attribute]
) -> int:
    """Carry the body's condition where the body reads it; 1 where it is carried, 0 where its argument is removed."""
    argument = body.block.args[1]
    if not argument.uses:
        body.block.erase_arg(argument)
        return 0
    carried.insert(0, node.constant(np.array(True)))
    assert body.condition is not None
    following.insert(0, body.condition)
    types.insert(0, CONDITION_TYPE)
    return 1


def _as_declared(node: Node, value: SSAValue, formal: ValueInfoProto) -> SSAValue:
    """Iteration number and condition are scalars, but a body may declare them as tensors of one element."""
    if len(formal.type.tensor_type.shape.dim) == 1:
        return node.op(ReshapeOp, value, node.vector([1]))
    return value


def _trip_count(node: Node, trip: SSAValue) -> SSAValue:
    """The trip count as a scalar that is not negative: a negative one means no limit in `ov.loop`, no trip in ONNX."""
    trip = node.scalar(trip, "the trip count", i64)
    known = node.known(trip)
    if known is not None and int(known) >= 0:
        return trip
    return node.op(MaximumOp, trip, node.constant(np.array(0, np.int64)))


def _common_length(node: Node, scanned: Sequence[SSAValue], axes: Sequence[int]) -> SSAValue | None:
    """The trip count of a Scan, None where the slices themselves say it. `Error("scan-length")` where they differ.

    Where lengths are not known, the greatest is the trip count: a loop fails that runs beyond the slices of an input.
    """
    lengths = [shape[axis] if (shape := node.shape(v)) else -1 for v, axis in zip(scanned, axes)]
    known = {length for length in lengths if length >= 0}
    if len(known) > 1:
        raise Error("scan-length", f"the scanned inputs have different lengths: {sorted(known)}")
    if len(scanned) == 1 or -1 not in lengths:
        return None
    extents = [_extent(node, v, axis) for v, axis in zip(scanned, axes)]
    return reduce(lambda a, b: node.op(MaximumOp, a, b), extents)


def _extent(node: Node, value: SSAValue, axis: int) -> SSAValue:
    """One extent of a shape, a scalar."""
    zero = node.constant(np.array(0, np.int64))
    return node.op(GatherOp, node.shape_of(value), node.constant(np.array(axis, np.int64)), zero)


def _per_value(node: Node, name: str, count: int) -> list[int]:
    values = node.ints(name, [0] * count)
    if len(values) != count:
        raise Error("subgraph-signature", f"{name} has {len(values)} numbers for {count} values")
    return values


def _slicing(axis: int, direction: int) -> Slicing:
    if direction not in (0, 1):
        raise Error("invalid-onnx", f"a scan direction is 0 or 1, not {direction}")
    return Slicing(axis, -1, 0, -1) if direction else Slicing(axis)


def _part(type_: Attribute, axis: int) -> Attribute:
    """The type of a slice of size 1 along an axis."""
    return _with_extent(type_, axis, 1)


def _concatenated(type_: Attribute, axis: int) -> Attribute:
    """The type of slices joined along an axis, how many is not known."""
    return _with_extent(type_, axis, DYNAMIC_INDEX)


def _with_extent(type_: Attribute, axis: int, extent: int) -> Attribute:
    if isinstance(type_, UnrankedTensorType):
        return type_
    assert isinstance(type_, TensorType)
    shape = list(type_.get_shape())
    if not -len(shape) <= axis < len(shape):
        raise Error("axis-range", f"axis {axis} is out of range for rank {len(shape)}")
    shape[axis] = extent
    return TensorType(type_.element_type, shape)
