"""Unrolling, in ONNX, of loops with a known trip count.

The results of the compiler's own unrolling have to agree with it.
"""

from __future__ import annotations

import random

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, helper, numpy_helper

from loomir.tools.fuzz.metamorphic.bodies import copy_body, known_trips
from loomir.tools.fuzz.metamorphic.graphs import (
    OLDEST,
    Editor,
    attribute_graph,
    declared_shape,
    places,
    replace_nodes,
)

MOST_TRIPS = 5
MOST_NODES = 400
"""Of all copies of a body."""


def unroll(model: ModelProto, random_: random.Random) -> ModelProto | None:
    """Replace loops of 1 to `MOST_TRIPS` trips by copies of their bodies.

    The copies follow one another. A Loop is replaced only if no condition ends it.
    """
    editor = Editor(model, random_)
    changed = False
    # Inner loops first, so that a body is copied when it is written out itself.
    for graph, position in reversed(places(editor.graph, "Loop") if editor.opset >= OLDEST else []):
        node = graph.node[position]
        trips = known_trips(graph, node)
        size = sum(1 for _ in attribute_graph(node, "body").node)
        if (
            trips is None
            or not 1 <= trips <= MOST_TRIPS
            or trips * size > MOST_NODES
            or _may_end(graph, node)
        ):
            continue
        replace_nodes(graph, position, position + 1, _copies(editor, node, trips))
        changed = True
    return editor.model if changed else None


def _may_end(graph: GraphProto, node: NodeProto) -> bool:
    """Return True if a condition may end the loop.

    It may not if it is omitted, or if it starts true and the body forwards it.
    """
    if len(node.input) < 2 or not node.input[1]:
        return False
    body = attribute_graph(node, "body")
    following = body.output[0].name
    source = next((n for n in body.node if following in n.output), None)
    if source is not None and source.op_type == "Identity":
        following = source.input[0]
    passed_on = following == body.input[1].name
    return not (_is_true(graph, node.input[1]) and (passed_on or _is_true(body, following)))


def _is_true(graph: GraphProto, name: str) -> bool:
    for node in graph.node:
        if node.op_type == "Constant" and name in node.output and node.attribute[0].name == "value":
            return bool(numpy_helper.to_array(node.attribute[0].t).all())
    return False


def _copies(editor: Editor, node: NodeProto, trips: int) -> list[NodeProto]:
    body = attribute_graph(node, "body")
    carried = [editor.constant(np.array(True)).output[0], *node.input[2:]]
    nodes: list[NodeProto] = []
    ranks = [len(declared_shape(v) or ()) for v in body.input[:2]]
    condition = editor.constant(np.array([True] if ranks[1] else True))
    nodes.append(condition)
    carried[0] = condition.output[0]
    scans: list[list[str]] = [[] for _ in body.output[len(body.input) - 1 :]]
    for trip in range(trips):
        number = editor.constant(np.array([trip] if ranks[0] else trip, np.int64))
        nodes.append(number)
        results = copy_body(editor, body, [number.output[0], *carried], nodes)
        carried = results[: len(carried)]
        for parts, value in zip(scans, results[len(carried) :]):
            nodes += _with_first_axis(editor, value)
            parts.append(nodes[-1].output[0])
    outputs = [*carried[1:], *(None for _ in scans)]
    for name, value, parts in zip(node.output, outputs, [*([] for _ in carried[1:]), *scans], strict=False):
        if name and value is not None:
            nodes.append(helper.make_node("Identity", [value], [name]))
        elif name:
            nodes.append(helper.make_node("Concat", parts, [name], axis=0))
    return nodes


def _with_first_axis(editor: Editor, value: str) -> list[NodeProto]:
    if editor.opset < 13:
        return [editor.node("Unsqueeze", [value], axes=[0])]
    axes = editor.constant(np.array([0], np.int64))
    return [axes, editor.node("Unsqueeze", [value, axes])]
