"""Replacement of sub-graphs that a configuration file describes.

Extensions register the handlers under the same ids.

>>> @extension.replacement("AcmeNorm")
... def norm(match: Match) -> SSAValue:
...     (x,) = match.inputs
...     epsilon = match.custom_attributes["epsilon"]
...     return match.build.node("MeanVarianceNormalization", x, attributes={"axes": [1]})
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.compiler.extensions.extension import Replacement, Transformation
from loomir.dialects.element_types import set_type
from loomir.dialects.interface import main_function
from loomir.dialects.onnx.graphs import FrontBuilder
from loomir.dialects.onnx.operations import NodeOp
from loomir.dialects.onnx.rewriting import opset_of
from loomir.dialects.onnx.types import UNKNOWN
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error, shown
from loomir.tools.model_optimizer.convert.phases import stable_order
from loomir.tools.model_optimizer.convert.replacement_files import Description
from loomir.tools.model_optimizer.convert.replacement_matching import SubGraph, sub_graphs


@dataclass(frozen=True)
class Match:
    """Sub-graph that matches a description.

    For the kind `general` it is the whole model, without nodes, inputs and outputs.
    """

    id: str
    module: ModuleOp
    nodes: tuple[NodeOp, ...]
    """The nodes that are replaced, in the order of the program."""
    inputs: tuple[SSAValue, ...]
    """Input values of the match, in the order of the description.

    If the description gives no order, they are in the order in which the nodes use them (between points, those of the start
    points come first).
    """
    outputs: tuple[SSAValue, ...]
    """The values that are used outside, or that the description names."""
    custom_attributes: Mapping[str, Any]
    op: str
    """The operator that the description names, empty if it names none."""
    build: FrontBuilder
    """Builder that inserts new nodes after those of the match.

    For the kind `general` it inserts them at the end of the model.
    """


Results = Sequence[SSAValue | None] | SSAValue | None
"""Result of a handler: a value for each output of the match.

The value is None for an output without uses; a single value need not be in a sequence.
"""

Handler = Callable[[Match], Results]


def replacing(
    replacements: Iterable[Replacement], descriptions: Sequence[Description]
) -> list[Transformation]:
    """Return a front-phase transformation for each handler with a description.

    Errors: `replacement-handler` for a description without a handler, `extension-clash` for two handlers of an id.
    """
    handlers: dict[str, Replacement] = {}
    for each in replacements:
        if each.id in handlers:
            owners = f"{handlers[each.id].owner} and {each.owner}"
            raise Error("extension-clash", f"two handlers replace '{each.id}', of {owners}")
        handlers[each.id] = each
    by_id: dict[str, list[Description]] = {}
    for description in descriptions:
        if description.id not in handlers:
            raise Error(
                "replacement-handler",
                f"no extension replaces '{description.id}'",
                file=description.file,
                hint=f"known: {', '.join(sorted(handlers)) or 'none'}; --extension loads more",
            )
        by_id.setdefault(description.id, []).append(description)
    return [_transformation(handlers[id], of_id) for id, of_id in by_id.items()]


def _transformation(replacement: Replacement, descriptions: Sequence[Description]) -> Transformation:
    def replace(module: ModuleOp) -> None:
        for description in descriptions:
            _replace(module, description, replacement.handler)

    return Transformation(
        replacement.id,
        "front",
        replace,
        run_before=replacement.run_before,
        run_after=replacement.run_after,
        enabled=replacement.enabled,
        about=f"the sub-graphs that {descriptions[0].file} describes are replaced",
        owner=replacement.owner,
    )


def _replace(module: ModuleOp, description: Description, handler: Handler) -> None:
    """Replace each match by the result of its handler.

    Errors: `replacement-match`, `replacement-result`.
    """
    if description.kind == "general":
        given = handler(_match(module, description, SubGraph((), (), ())))
        if given is not None:
            raise _wrong_result(description, "is of the kind general, whose handler must return None")
        return
    blocks: dict[Block, None] = {}
    for graph in sub_graphs(module, description):
        match = _match(module, description, graph)
        given = handler(match)
        values = [given] if isinstance(given, SSAValue) or given is None else list(given)
        if not (given is None and not graph.outputs):
            _put(graph, values, match.build, description)
        for op in reversed(graph.nodes):
            op.detach()
            op.erase()
        assert match.build.point.block is not None
        blocks[match.build.point.block] = None
    for block in blocks:
        _sort(block, description)


def _match(module: ModuleOp, description: Description, graph: SubGraph) -> Match:
    if graph.nodes:
        last = graph.nodes[-1]
        point = InsertPoint.after(last)
        around: Operation = last
        location = next(op for op in graph.nodes if isinstance(op, NodeOp)).location
    else:
        around = main_function(module)
        end = around.body.block.last_op
        assert end is not None
        point, location = InsertPoint.before(end), around.location
    return Match(
        description.id,
        module,
        tuple(op for op in graph.nodes if isinstance(op, NodeOp)),
        graph.inputs,
        graph.outputs,
        description.attributes,
        description.op,
        FrontBuilder(point, location, opset_of(around)),
    )


def _wrong_result(description: Description, what: str) -> Error:
    return Error(
        "replacement-result",
        f"the replacement '{description.id}' {what}",
        file=description.file,
        hint="a handler must return a value for each of match.outputs, in their order",
    )


def _put(
    graph: SubGraph, values: Sequence[SSAValue | None], build: FrontBuilder, description: Description
) -> None:
    if len(values) != len(graph.outputs):
        raise _wrong_result(description, f"has {len(values)} values for {len(graph.outputs)} outputs")
    gone = {result for op in graph.nodes for inner in walk(op) for result in inner.results}
    nodes = set(graph.nodes)
    for index, (old, new) in enumerate(zip(graph.outputs, values)):
        block = build.point.block
        used = any(block.find_ancestor_op_in_block(use.operation) not in nodes for use in old.uses)
        if new is None:
            if used:
                raise _wrong_result(description, f"has no value for output {index}, which is used")
            continue
        if not isinstance(new, SSAValue):
            raise _wrong_result(description, f"has {shown(new)} for output {index}")
        if new in gone:
            raise _wrong_result(description, f"returns a value of a replaced node for output {index}")
        if used:
            fitted = _with_type_of(old, new, build)
            fitted.name_hint = fitted.name_hint or old.name_hint
            old.replace_all_uses_with(fitted)


def _with_type_of(old: SSAValue, new: SSAValue, build: FrontBuilder) -> SSAValue:
    """Return the new value with the declared type of the old one.

    The values at the end of a graph then have the same declarations as before.
    """
    if new.type == old.type:
        return new
    if new.type == UNKNOWN and isinstance(new, OpResult) and new.op in build.made:
        set_type(new, old.type)
        return new
    return build.node("Identity", new, type=old.type)


def _sort(block: Block, description: Description) -> None:
    """Sort the operations so that each follows its operands' producers.

    The sort is otherwise stable.

    Raises `Error("replacement-match")` if this is impossible: operations outside of a sub-graph stood between its nodes.
    """
    ops = list(block.ops)
    place = {op: index for index, op in enumerate(ops)}
    earlier: list[set[int]] = []
    for op in ops:
        owners = (operand.owner for inner in walk(op) for operand in inner.operands)
        earlier.append({place[owner] for owner in owners if isinstance(owner, Operation) and owner in place})
    # (A result that an operation's own bodies use.)
    for index, each in enumerate(earlier):
        each.discard(index)
    # The terminator has no results; it stays the last.
    order = stable_order(earlier[:-1])
    if len(order) != len(ops) - 1:
        raise description.error(
            "nodes outside of the sub-graph use one of its outputs and compute one of its inputs",
            "the sub-graph must contain the nodes between its own",
        )
    if order == list(range(len(order))):
        return
    for op in ops[:-1]:
        op.detach()
    for index in order:
        block.insert_op_before(ops[index], ops[-1])
