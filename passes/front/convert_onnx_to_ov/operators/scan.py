"""Translation of Scan to a loop over slices of its inputs.

The first version of Scan has a batch around the loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.element_types import i64
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.dialects.ov.operators.control_flow import TRIP_TYPE, LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import MaximumOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.bodies import (
    TranslatedBody,
    check_results,
    concatenated,
    fixpoint,
    part_type,
    with_declared_extents,
)
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.operators.control_flow import RECENT_VERSIONS
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates
from loomir.passes.front.convert_onnx_to_ov.scope import Subgraph
from loomir.passes.front.convert_onnx_to_ov.translate import translate_graph


@dataclass(frozen=True)
class ScanSignature:
    """Body of a Scan, with its numbers of states and scanned inputs."""

    graph: Subgraph
    states: int
    scanned: int
    outputs: int

    @staticmethod
    def of(node: Node, values: int) -> ScanSignature:
        """Read the signature from a node.

        `values` is the number of states and scanned inputs together. `Error("subgraph-signature")`.
        """
        scanned = node.int("num_scan_inputs")
        states = values - scanned
        if scanned < 1 or states < 0:
            raise Error("subgraph-signature", f"{values} inputs, {scanned} of them scanned")
        graph = node.graph("body")
        if len(graph.inputs) != values or len(graph.types) < states:
            raise Error(
                "subgraph-signature",
                f"the body has {len(graph.inputs)} inputs and {len(graph.types)} outputs, the node {values} inputs",
            )
        check_results(node, states, len(graph.types) - states)
        return ScanSignature(graph, states, scanned, len(graph.types) - states)


@translates("Scan", 9, 11, *RECENT_VERSIONS)
def scan(node: Node) -> Results:
    """As many iterations as the inputs have slices, none too."""
    signature = ScanSignature.of(node, len(node))
    values = node.inputs()
    initial, scanned = values[: signature.states], values[signature.states :]
    axes = _per_value(node, "scan_input_axes", signature.scanned)
    directions = _per_value(node, "scan_input_directions", signature.scanned)
    output_axes = _per_value(node, "scan_output_axes", signature.outputs)
    output_directions = _per_value(node, "scan_output_directions", signature.outputs)
    return _loop(
        node,
        signature,
        initial,
        scanned,
        [_slicing(a, d) for a, d in zip(axes, directions)],
        [_slicing(a, d) for a, d in zip(output_axes, output_directions)],
        _common_length(node, scanned, axes),
    )


@translates("Scan", 8)
def batched_scan(node: Node) -> Results:
    """Translate a Scan that runs once for each element of a batch.

    The batch is the first axis of every value; the sequences run along the second axis. `sequence_lens` holds the length of
    each sequence. A reversed sequence begins with its last valid element, and outputs are padded with zeros.
    """
    signature = ScanSignature.of(node, len(node) - 1)
    values = [node.input(1 + index) for index in range(len(node) - 1)]
    reverse = _per_value(node, "directions", signature.scanned)
    lengths = node.optional(0)
    batched = [*values, *([] if lengths is None else [node.op(ConvertOp, lengths, destination_type=i64)])]
    scope, block = node.scope.child([TRIP_TYPE, *(part_type(v.type, 0) for v in batched)])
    inner = node.inside(scope)
    first = inner.vector([0])
    own = [inner.op(SqueezeOp, part, first) for part in block.args[1:]]
    states, scanned = own[: signature.states], own[signature.states : len(values)]
    trip = None
    # Before the scanned inputs are cut: this is the length of the padded outputs.
    longest = inner.op(ReshapeOp, _extent(inner, scanned[0], 0), inner.vector([1]))
    if lengths is None:
        trip = _common_length(inner, scanned, [0] * len(scanned))
    else:
        trip = inner.op(MaximumOp, own[-1], inner.constant(np.array(0, np.int64)))
        end = inner.op(ReshapeOp, trip, inner.vector([1]))
        one = inner.vector([1])
        scanned = [
            inner.op(SliceOp, v, first, end, one, first) if backwards else v
            for v, backwards in zip(scanned, reverse)
        ]
    results = _loop(
        inner,
        signature,
        states,
        scanned,
        [_slicing(0, d) for d in reverse],
        [Slicing()] * signature.outputs,
        trip,
    )
    if lengths is not None:
        results = [
            *results[: signature.states],
            *(_padded(inner, v, longest) for v in results[signature.states :]),
        ]
    parts = [inner.op(UnsqueezeOp, v, first) for v in results]
    body = TranslatedBody(block, [], parts, None)
    body.finish(node, [], None)
    op = LoopOp.of(
        trip=_common_length(node, batched, [0] * len(batched)),
        cond=None,
        carried=[],
        sliced=batched,
        slices=[Slicing()] * len(batched),
        concats=[Slicing()] * len(parts),
        final_types=[],
        last_types=[],
        concat_types=[concatenated(v.type, 0) for v in parts],
        body=body.region,
    )
    return node.scope.append(op, node.location).results


def _padded(node: Node, value: SSAValue, length: SSAValue) -> SSAValue:
    """Append zeros to a sequence so that it has this length.

    The length, `tensor<1xi64>`, is that of the first axis.
    """
    rank = node.rank(value, "a scan output")
    zero, one = node.vector([0]), node.vector([1])
    shape = length
    if rank > 1:
        inner = node.op(SliceOp, node.shape_of(value), one, node.vector([rank]), one)
        shape = node.op(ConcatOp, [length, inner], axis=0)
    zeros = node.op(BroadcastOp, node.number(0, value), shape)
    # As many zeros as the sequence may have elements, and of both together the first `length`: whose extent is known.
    return node.op(SliceOp, node.op(ConcatOp, [value, zeros], axis=0), zero, length, one, zero)


def _loop(
    node: Node,
    signature: ScanSignature,
    initial: Sequence[SSAValue],
    scanned: Sequence[SSAValue],
    slices: Sequence[Slicing],
    concats: Sequence[Slicing],
    trip: SSAValue | None,
) -> Sequence[SSAValue]:
    """The loop itself: final states, then scan outputs."""
    graph, states = signature.graph, signature.states
    parts = [part_type(v.type, s.axis) for v, s in zip(scanned, slices)]

    def body(types: Sequence[Attribute]) -> TranslatedBody:
        scope, block = node.subgraph(graph, [TRIP_TYPE, *types, *parts])
        inner = node.inside(scope)
        scope.values.update(zip(graph.inputs, block.args[1 : 1 + states]))
        for formal, part, cut in zip(graph.inputs[states:], block.args[1 + states :], slices):
            scope.values[formal] = inner.op(SqueezeOp, part, inner.vector([cut.axis]))
        results = translate_graph(scope, graph, "the body")
        scans: list[SSAValue] = []
        for value, formal, cut in zip(results[states:], graph.types[states:], concats):
            value = with_declared_extents(inner, value, formal)
            scans.append(inner.op(UnsqueezeOp, value, inner.vector([cut.axis])))
        return TranslatedBody(block, results[:states], scans, None)

    types, done = fixpoint([v.type for v in initial], body)
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
        concat_types=[concatenated(v.type, cut.axis) for v, cut in zip(done.scans, concats)],
        body=done.region,
    )
    return node.scope.append(op, node.location).results


def _common_length(node: Node, scanned: Sequence[SSAValue], axes: Sequence[int]) -> SSAValue | None:
    """Return the trip count of a Scan, or None.

    None means that the slices themselves determine the trip count. `Error("scan-length")` if the lengths differ.

    If lengths are unknown, the greatest is the trip count: a loop that runs beyond the slices of an input fails.
    """
    lengths = [_known_length(node, v, axis) for v, axis in zip(scanned, axes)]
    known = {length for length in lengths if length >= 0}
    if len(known) > 1:
        raise Error("scan-length", f"the scanned inputs have different lengths: {sorted(known)}")
    if len(scanned) == 1 or -1 not in lengths:
        return None
    extents = [_extent(node, v, axis) for v, axis in zip(scanned, axes)]
    return reduce(lambda a, b: node.op(MaximumOp, a, b), extents)


def _known_length(node: Node, value: SSAValue, axis: int) -> int:
    """The extent along an axis, -1 where it is not known. `Error("axis-range")`."""
    shape = node.shape(value)
    return -1 if shape is None else shape[normalise_axis(axis, len(shape))]


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
