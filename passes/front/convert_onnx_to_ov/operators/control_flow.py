"""Loop, Scan and If: region operations with ONNX's semantics made explicit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Block, SSAValue

from loomir.dialects.element_types import i1, i64
from loomir.dialects.onnx.types import is_declared
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.operators.control_flow import CONDITION_TYPE, TRIP_TYPE, IfOp, LoopOp, YieldOp
from loomir.dialects.ov.operators.elementwise_binary import MaximumOp
from loomir.dialects.ov.operators.internal import FailOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, UnsqueezeOp
from loomir.dialects.ovseq.sequences import GetOp, SomeOp
from loomir.dialects.ovseq.types import OptionalType
from loomir.errors import Error
from loomir.passes.analysis.inference import Contents
from loomir.passes.front.convert_onnx_to_ov.bodies import (
    UNUSED,
    TranslatedBody,
    check_results,
    concatenated,
    fixpoint,
    initial_type,
    join,
    with_declared_extents,
)
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates
from loomir.passes.front.convert_onnx_to_ov.scope import Scope
from loomir.passes.front.convert_onnx_to_ov.translate import translate_graph

RECENT_VERSIONS = (16, 19, 21, 23, 24, 25)
"""In which versions these operators only got more element types."""

REFUSALS = {
    "duplicate-name", "external-data", "import-limit", "invalid-onnx", "subgraph-signature", "undefined-name", "unknown-operator",
    "unsupported-attribute", "unsupported-operator", "unsupported-output", "unsupported-type",
}  # fmt: skip
"""Errors of the model itself, whatever the shapes.

A branch raises them even if it may not run.
"""


@translates("If", 1, 11, 13, *RECENT_VERSIONS)
def if_(node: Node) -> Results:
    """Translate If.

    Branches read outer values; their results may differ in shape and in rank, but never in element type.

    `if (dim == 1) squeeze` is legal even if the branch cannot run for the known shapes: an operation that is illegal only there is
    an error at run time (`ov.fail`).
    """
    cond = node.scalar(node.input(0), "the condition", i1)
    branches = [_branch(node, name) for name in ("then_branch", "else_branch")]
    known = node.known(cond)
    taken = None if known is None else branches[0 if known else 1]
    errors = [b.error for b in branches if b.error is not None]
    if taken is not None and taken.error is not None:
        raise taken.error
    if len(errors) == len(branches):
        raise errors[0]
    if errors:
        failed, legal = branches if branches[0].error is not None else branches[::-1]
        failed.outputs = _fail(node, failed.block, errors[0], [v.type for v in legal.outputs])
    _make_optional(node, branches)
    for branch in branches:
        end = YieldOp.build(operands=[branch.outputs])
        end.location = node.location
        branch.block.add_op(end)
    types = [
        join(a.type, b.type, f"output {i} of the branches")
        for i, (a, b) in enumerate(zip(*(b.outputs for b in branches)))
    ]
    regions = [region for b in branches if (region := b.block.parent) is not None]
    return node.scope.append(IfOp.of(cond, types, *regions), node.location).results


def _make_optional(node: Node, branches: Sequence[Branch]) -> None:
    """Wrap a branch's value if the other branch yields an optional.

    The value becomes an optional that holds it.
    """
    for branch, other in (branches, branches[::-1]):
        for index, (value, wanted) in enumerate(zip(branch.outputs, other.outputs)):
            if isinstance(wanted.type, OptionalType) and not isinstance(value.type, OptionalType):
                some = SomeOp.make(value)
                some.location = node.location
                branch.block.add_op(some)
                branch.outputs[index] = some.output


@dataclass
class Branch:
    """Translated branch without its terminator.

    If the branch is illegal for these shapes, it is empty and has the error.
    """

    block: Block
    outputs: list[SSAValue]
    error: Error | None = None


def _branch(node: Node, name: str) -> Branch:
    graph = node.graph(name)
    if graph.inputs:
        raise Error("subgraph-signature", f"{name} has inputs; a branch can only read outer values")
    if len(graph.types) != node.outputs:
        raise Error(
            "subgraph-signature",
            f"the node has {node.outputs} results, {name} has {len(graph.types)}",
            hint=UNUSED if len(graph.types) > node.outputs else None,
        )
    scope, block = node.subgraph(graph, [])
    try:
        return Branch(block, translate_graph(scope, graph, name))
    except Error as error:
        if error.identifier in REFUSALS:
            raise
        _abandon(block)
        _, block = node.scope.child([])
        return Branch(block, [], error)


@translates("Loop", 1, 11, 13, *RECENT_VERSIONS)
def loop(node: Node) -> Results:
    """Translate Loop: `for (i = 0; i < M && cond; ++i)`.

    A missing M means no limit, and a missing cond means true.

    If cond is omitted, the condition that the body yields does not end the loop, according to the specification. It remains the
    condition that the next iteration reads. For ONNX Runtime a missing cond is true, and the condition that the body yields ends
    the loop.

    A body that is illegal for the known shapes is an error at run time (`ov.fail`) unless an iteration is known to run.
    """
    trip, cond = node.optional(0), node.optional(1)
    initial = [node.input(index) for index in range(2, len(node))]
    graph = node.graph("body")
    if len(graph.inputs) != 2 + len(initial):
        raise Error("subgraph-signature", f"the body has {len(graph.inputs)} inputs, not {2 + len(initial)}")
    if trip is not None:
        trip = _trip_count(node, trip)
    if cond is not None:
        cond = node.scalar(cond, "the condition", i1)
    elif node.as_onnxruntime:
        cond = node.constant(np.array(True))

    valued: set[int] = set()

    def body(types: Sequence[Attribute]) -> TranslatedBody:
        hidden = [CONDITION_TYPE] if cond is None else []
        scope, block = node.subgraph(graph, [TRIP_TYPE, *hidden, *types])
        try:
            return translated(scope, block, types)
        except Error as error:
            scanned = graph.types[1 + len(initial) :]
            declared = all(is_declared(t) and isinstance(t, TensorType | UnrankedTensorType) for t in scanned)
            if error.identifier in REFUSALS or not declared or not _never_runs(node, trip, cond):
                raise
            _abandon(block)
            _, block = node.scope.child([TRIP_TYPE, *hidden, *types])
            return _failing_body(node, block, error, types, scanned)

    def translated(scope: Scope, block: Block, types: Sequence[Attribute]) -> TranslatedBody:
        inner = node.inside(scope)
        # Only the condition true reaches an iteration.
        again = block.args[1] if cond is None else inner.constant(np.array(True))
        for value, formal in zip((block.args[0], again), graph.inputs):
            scope.values[formal] = _as_declared(inner, value, formal)
        scope.values.update(zip(graph.inputs[2:], block.args[2 if cond is None else 1 :]))
        outputs = translate_graph(scope, graph, "the body")
        if len(outputs) < 1 + len(initial):
            raise Error(
                "subgraph-signature",
                f"the body has {len(outputs)} outputs, at least {1 + len(initial)} are needed",
            )
        check_results(node, len(initial), len(outputs) - 1 - len(initial))
        for index, (wanted, value) in enumerate(zip(types, outputs[1:])):
            # Who carries an optional may go on with a value: the loop then gives a value too.
            if isinstance(wanted, OptionalType) and not isinstance(value.type, OptionalType):
                outputs[1 + index] = inner.op(SomeOp, value)
                valued.add(index)
        following = inner.scalar(outputs[0], "the body's condition", i1)
        scans: list[SSAValue] = []
        for value, formal in zip(outputs[1 + len(initial) :], graph.types[1 + len(initial) :]):
            inner.element(value)  # it must be a tensor
            value = with_declared_extents(inner, value, formal)
            scans.append(inner.op(UnsqueezeOp, value, inner.vector([0])))
        return TranslatedBody(block, outputs[1 : 1 + len(initial)], scans, following)

    types, done = fixpoint(list(map(initial_type, initial, graph.inputs[2:])), body, initial)
    carried, following = list(initial), list(done.carried)
    hidden = 0
    if cond is None:
        _warn_of_condition(node, trip, done)
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
        concat_types=[concatenated(v.type, 0) for v in done.scans],
        body=done.region,
    )
    results: list[SSAValue] = list(node.scope.append(op, node.location).results[hidden:])
    for index in valued:
        results[index] = node.op(GetOp, results[index])
    return results


def _never_runs(node: Node, trip: SSAValue | None, cond: SSAValue | None) -> bool:
    """Return True if the first iteration is known not to run."""
    count = None if trip is None else node.known(trip)
    start = None if cond is None else node.known(cond)
    return (count is not None and int(count) == 0) or (start is not None and not bool(start))


def _failing_body(
    node: Node, block: Block, error: Error, types: Sequence[Attribute], scanned: Sequence[Attribute]
) -> TranslatedBody:
    """Create the body of a loop whose own body is illegal.

    Its results have the declared types; nothing ever reads the values.
    """
    rows = [
        TensorType(t.element_type, [1, *t.get_shape()]) if isinstance(t, TensorType) else t for t in scanned
    ]
    outputs = _fail(node, block, error, [CONDITION_TYPE, *types, *rows])
    return TranslatedBody(block, outputs[1 : 1 + len(types)], outputs[1 + len(types) :], outputs[0])


def _fail(node: Node, block: Block, error: Error, types: Sequence[Attribute]) -> list[SSAValue]:
    """Create values of these types in place of an illegal computation.

    Reading them raises the error.
    """
    failure = FailOp.of(f"{error.where.layer_and_op}: {error.what}", types)
    failure.location = node.location
    block.add_op(failure)
    return list(failure.results)


def _abandon(block: Block) -> None:
    """Discard a partial translation.

    Its uses of outside values are dropped.
    """
    for op in block.ops:
        op.drop_all_references()


def _warn_of_condition(node: Node, trip: SSAValue | None, body: TranslatedBody) -> None:
    """Warn about an ignored body condition that ONNX Runtime would honour.

    ONNX Runtime would end the loop by it.
    """
    assert body.condition is not None
    known = Contents({body.block.args[1]: Fact.of_array(np.array(True))}).known(body.condition)
    count = None if trip is None else node.known(trip)
    if (known is not None and bool(known)) or (count is not None and int(count) <= 1):
        return
    if trip is None:
        node.warn_of_difference(
            "without a trip count and a condition it never ends, as the specification says (error endless-loop when it starts); "
            "ONNX Runtime ends it by its body's condition"
        )
    else:
        node.warn_of_difference(
            "its condition is missing, so its body's condition is ignored and its trip count alone decides, as the specification "
            "says; ONNX Runtime ends it by its body's condition"
        )


def _carry_condition(
    node: Node,
    body: TranslatedBody,
    carried: list[SSAValue],
    following: list[SSAValue],
    types: list[Attribute],
) -> int:
    """Carry the body's condition if the body reads it.

    Returns 1 if the condition is carried, 0 if its argument is removed.
    """
    argument = body.block.args[1]
    if not body.reads(argument):
        body.block.erase_arg(argument)
        return 0
    carried.insert(0, node.constant(np.array(True)))
    assert body.condition is not None
    following.insert(0, body.condition)
    types.insert(0, CONDITION_TYPE)
    return 1


def _as_declared(node: Node, value: SSAValue, formal: SSAValue) -> SSAValue:
    """Reshape an iteration number or condition to the body's declaration.

    Both are scalars, but a body may declare them as tensors of one element.
    """
    if isinstance(formal.type, TensorType) and formal.type.get_num_dims() == 1:
        return node.op(ReshapeOp, value, node.vector([1]))
    return value


def _trip_count(node: Node, trip: SSAValue) -> SSAValue:
    """Return the trip count as a non-negative scalar.

    A negative count means no limit in `ov.loop`, but zero trips in ONNX.
    """
    trip = node.scalar(trip, "the trip count", i64)
    known = node.known(trip)
    if known is not None and int(known) >= 0:
        return trip
    return node.op(MaximumOp, trip, node.constant(np.array(0, np.int64)))
