"""Loops that carry more than they need.

The additional values never change, or are never read.
"""

from __future__ import annotations

import random

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, TypeProto, helper

from loomir.tools.fuzz.metamorphic.graphs import (
    OLDEST,
    Editor,
    attribute_graph,
    free_names,
    info,
    places,
    replace_nodes,
    substitute,
)


def carry_captures(model: ModelProto, random_: random.Random) -> ModelProto | None:
    """Carry captured values in loops, passed on unchanged.

    A captured value is one that a loop's body reads from outside. Every loop is changed, for some of its captures.
    """
    editor = Editor(model, random_)
    changed = False
    # Inner loops first: an outer one's captures are then those of the changed ones.
    for graph, position in reversed(places(editor.graph, "Loop") if editor.opset >= OLDEST else []):
        node = graph.node[position]
        for name in free_names(attribute_graph(node, "body")):
            if random_.random() < 0.7:
                _carry_capture(editor, node, name)
                changed = True
    return editor.model if changed else None


def _carry_capture(editor: Editor, node: NodeProto, captured: str) -> None:
    body = attribute_graph(node, "body")
    own, following = editor.name(captured), editor.name(captured)
    substitute(body.node, {captured: own})
    for value in body.output:
        value.name = own if value.name == captured else value.name
    body.node.append(helper.make_node("Identity", [own], [following]))
    _add_carried(editor, node, captured, own, following)


def add_dead_carries(model: ModelProto, random_: random.Random) -> ModelProto | None:
    """Make every loop carry an unread counter and two swapped values.

    The two values change places in each iteration.
    """
    editor = Editor(model, random_)
    loops = places(editor.graph, "Loop") if editor.opset >= OLDEST else []
    for graph, position in reversed(loops):
        node = graph.node[position]
        body = attribute_graph(node, "body")
        initial = [editor.number(0), *(editor.constant(np.array([v, -v], np.float32)) for v in (1, 2))]
        number = helper.make_tensor_type_proto(TensorProto.INT64, [])
        pair = helper.make_tensor_type_proto(TensorProto.FLOAT, [2])
        own = [editor.name("dead") for _ in initial]
        one = editor.number(1)
        counted = editor.node("Add", [own[0], one])
        swapped = [editor.node("Identity", [own[2]]), editor.node("Neg", [own[1]])]
        body.node.extend([one, counted, *swapped])
        for value, name, result, type_ in zip(
            initial, own, (counted, *swapped), (number, pair, pair), strict=True
        ):
            _add_carried(editor, node, value.output[0], name, result.output[0], type_)
        replace_nodes(graph, position, position, initial)
    return editor.model if loops else None


def _add_carried(
    editor: Editor, node: NodeProto, initial: str, own: str, following: str, type_: TypeProto | None = None
) -> None:
    """Append a carried value to a loop, behind its other carried values.

    The body of the loop defines `following`.
    """
    body: GraphProto = attribute_graph(node, "body")
    carried = len(body.input) - 2
    inputs = [*node.input, *([""] * (2 - len(node.input)))]
    node.input[:] = [*inputs, initial]
    body.input.append(info(own, type_))
    outputs = [info(v.name, v.type if v.HasField("type") else None) for v in body.output]
    outputs.insert(1 + carried, info(following))
    del body.output[:]
    body.output.extend(outputs)
    results = [*node.output, *([""] * (carried - len(node.output)))]
    results.insert(carried, editor.name("unused"))
    node.output[:] = results
