"""Import of Loop, TensorIterator and If as operations with regions.

`port_maps` has read and checked the connections of their bodies.

A body Parameter that is neither sliced nor has a back edge is simply the outer value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import UnrankedTensorType
from xdsl.ir import Block, Region, SSAValue

from loomir.compiler.formats.openvino.network import Layer, Network, read_network
from loomir.compiler.formats.openvino.port_maps import (
    LoopPorts,
    MergedInput,
    Output,
    read_branch_ports,
    read_loop_ports,
    section,
)
from loomir.compiler.formats.openvino.scope import ConcatenatedOutput, Join, NetworkScope
from loomir.dialects.element_types import i1, i64
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.layers.format import require_opset
from loomir.dialects.ov.operators.control_flow import CONDITION_TYPE, TRIP_TYPE, IfOp, LoopOp, NextOp, YieldOp
from loomir.errors import Error
from loomir.passes.analysis.inference import Contents, Inference
from loomir.passes.analysis.inference.loops import trip_bounds


def import_loop(importer: NetworkScope, layer: Layer, operands: list[SSAValue]) -> list[SSAValue]:
    """`Loop` (opset5) and `TensorIterator` (opset1) as `ov.loop`.

    A layer of the body that is illegal for the shapes that are known is an error when it runs (`ov.fail`), unless an iteration is
    known to come.
    Errors: `unknown-operator`, `port-map`, `ir-structure`, `loop-scalar`, `loop-element-type`, and those of `read_join`.
    """
    require_opset(layer.type, layer.version)
    body = read_network(section(layer, "body"))
    ports = read_loop_ports(layer, body)
    trip = cond = None
    if layer.type == "Loop":
        if len(operands) < 2:
            raise Error(
                "ir-structure",
                f"a Loop has {len(operands)} inputs, at least trip count and condition are needed",
                hint="input port 0 is the trip count (-1: no limit), input port 1 the condition",
            )
        trip = importer.scalar(operands[0], i64, "trip count", layer)
        cond = importer.scalar(operands[1], i1, "execution condition", layer)
    initial = [operands[c.position] for c in ports.carried]
    sliced = [operands[s.position] for s in ports.sliced]
    block, inner = _loop_body(importer, body, ports, operands)

    next_cond = None
    if ports.condition is not None:
        value = inner.result(ports.condition.id)
        next_cond = inner.scalar(value, i1, "execution condition of the body", layer)
    nexts = [inner.result(c.result.id) for c in ports.carried]
    for carried, first, following in zip(ports.carried, initial, nexts):
        _check_same_element(carried, first, following)
    outputs = _Outputs(inner, ports)
    end = NextOp.build(
        operands=[[next_cond] if next_cond else [], nexts, outputs.lasts, [v for v, _ in outputs.concats]]
    )
    inner.add(end, layer)
    loop = LoopOp.of(
        trip=trip,
        cond=cond,
        carried=initial,
        sliced=sliced,
        slices=[_cut(s.slicing) for s in ports.sliced],
        concats=[join.slicing for _, join in outputs.concats],
        final_types=open_types(nexts),
        last_types=open_types(outputs.lasts),
        concat_types=open_types([v for v, _ in outputs.concats]),
        body=Region(block),
    )
    importer.add(loop, layer)
    importer.joined.extend(
        ConcatenatedOutput(layer, loop, index, join) for index, (_, join) in enumerate(outputs.concats)
    )
    if inner.forbidden is not None and _surely_runs(loop):
        raise inner.forbidden
    return outputs.of(loop)


def import_if(importer: NetworkScope, layer: Layer, operands: list[SSAValue]) -> list[SSAValue]:
    """Import `If` (opset8) as `ov.if`.

    A branch whose shapes are invalid is an error when it is taken, unless it is certain to be taken.

    Errors: `unknown-operator`, `port-map`, `ir-structure`, `if-outputs`, `if-element-type`.
    """
    require_opset(layer.type, layer.version)
    if not operands:
        raise Error("ir-structure", "an If has no condition input", hint="input port 0 is the condition")
    if not layer.outputs:
        raise Error("if-outputs", "an If has no outputs", hint="the specification requires at least one")
    cond = importer.scalar(operands[0], i1, "condition", layer)
    regions: list[Region] = []
    errors: list[Error | None] = []
    yielded: list[list[SSAValue]] = []
    for name in ("then", "else"):
        body = read_network(section(layer, f"{name}_body"))
        ports = read_branch_ports(layer, body, name)
        block = Block()
        inner = importer.nested(body, block)
        for entry in ports.inputs:
            inner.bind(entry.parameter, operands[entry.position])
        inner.run()
        values = [inner.result(result.id) for result in ports.outputs]
        inner.add(YieldOp.build(operands=[values]), layer)
        regions.append(Region(block))
        errors.append(inner.forbidden)
        yielded.append(values)
    for port, a, b in zip(layer.outputs, *yielded):
        if fact_of(a).element != fact_of(b).element:
            raise Error(
                "if-element-type",
                f"output port {port} is {fact_of(a).element} in then_body and {fact_of(b).element} in else_body",
                hint="write a Convert in one of the bodies",
            )
    assert cond.type == CONDITION_TYPE
    taken = Contents().known(cond)
    possible = errors if taken is None else errors[:1] if bool(taken) else errors[1:]
    if all(possible) and possible[0] is not None:
        raise possible[0]
    op = IfOp.of(cond, open_types(yielded[0]), regions[0], regions[1])
    importer.add(op, layer)
    return list(op.output)


def _surely_runs(loop: LoopOp) -> bool:
    """Return True if a loop is known to run at least once.

    This is derived from the operations before it.
    """
    contents = Contents()
    return trip_bounds(loop, Inference({v: contents.fact(v) for v in loop.operands})).lo > 0


CONTROL_FLOW: Mapping[str, Callable[[NetworkScope, Layer, list[SSAValue]], list[SSAValue]]] = {
    "Loop": import_loop,
    "TensorIterator": import_loop,
    "If": import_if,
}
"""Importer of each layer type that has bodies."""


def _loop_body(
    importer: NetworkScope, body: Network, ports: LoopPorts, operands: list[SSAValue]
) -> tuple[Block, NetworkScope]:
    """Return the body as a block without terminator, and its importer.

    The importer knows the values of the Results.
    """
    through = [*ports.carried, *ports.sliced]
    # The outer values say the types; what a body's Parameter declares may even be "dynamic".
    block = Block(arg_types=[TRIP_TYPE, *open_types([operands[p.position] for p in through])])
    inner = importer.nested(body, block)
    for place in ports.invariant:
        inner.bind(place.parameter, operands[place.position])
    for place, argument in zip(through, block.args[1:], strict=True):
        inner.bind(place.parameter, argument)
    if ports.iteration is not None:
        inner.bind(ports.iteration, inner.iteration_number(block.args[0], ports.iteration))
    inner.run()
    return block, inner


class _Outputs:
    """Mapping of output ports to results of `ov.loop`.

    A result is a final loop-carried value, a last value or a concatenation.
    """

    def __init__(self, inner: NetworkScope, ports: LoopPorts) -> None:
        self.lasts: list[SSAValue] = []
        self.concats: list[tuple[SSAValue, Join]] = []
        self._places: list[tuple[str, int]] = []
        # (A Result may feed several Parameters; after no iterations the output is what the first one began with.)
        finals = {c.result.id: k for k, c in reversed(list(enumerate(ports.carried)))}
        for output in ports.outputs:
            self._places.append(self._place(inner, output, finals))

    def _place(self, inner: NetworkScope, output: Output, finals: Mapping[int, int]) -> tuple[str, int]:
        if output.join is not None:
            self.concats.append((inner.result(output.result.id), output.join))
            return "concat", len(self.concats) - 1
        if output.result.id in finals:
            return "final", finals[output.result.id]
        self.lasts.append(inner.result(output.result.id))
        return "last", len(self.lasts) - 1

    def of(self, loop: LoopOp) -> list[SSAValue]:
        """The results in the order of the output ports."""
        groups = {"final": loop.final, "last": loop.last, "concat": loop.concat}
        return [groups[group][index] for group, index in self._places]


def _cut(slicing: Slicing | None) -> Slicing:
    assert slicing is not None
    return slicing


def _check_same_element(carried: MergedInput, first: SSAValue, following: SSAValue) -> None:
    """Check that a back edge preserves its Parameter's element type.

    Error: `loop-element-type`.
    """
    before, after = fact_of(first).element, fact_of(following).element
    if before != after:
        raise Error(
            "loop-element-type",
            f'<edge from-layer="{carried.result.id}" to-layer="{carried.parameter.id}">: Parameter '
            f"'{carried.parameter.name}' begins as {before}, Result '{carried.result.name}' yields {after}",
            hint=f"write a Convert in the body before Result '{carried.result.name}', or outside before the Loop",
        )


def open_types(values: Sequence[SSAValue]) -> list[UnrankedTensorType]:
    """Return tensor types with the same elements and no other information."""
    return [UnrankedTensorType(fact_of(v).element) for v in values]
