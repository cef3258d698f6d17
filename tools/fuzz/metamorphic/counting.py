"""Counted loops as conditional ones."""

from __future__ import annotations

import random

from onnx import ModelProto

from loomir.tools.fuzz.metamorphic.graphs import (
    OLDEST,
    Editor,
    attribute_graph,
    declared_shape,
    names_read,
    places,
    replace_nodes,
)


def count_by_condition(model: ModelProto, random_: random.Random) -> ModelProto | None:
    """`loop (n && c) { …; c = f() }` = `loop (0 < n && c) { …; c = f() && i + 1 < n }`: no trip count bounds the loops any more.

    A loop without a condition whose body reads its own all the same is left as it is, like one without a trip count.
    """
    editor = Editor(model, random_)
    changed = False
    for graph, position in reversed(places(editor.graph, "Loop") if editor.opset >= OLDEST else []):
        node = graph.node[position]
        body = attribute_graph(node, "body")
        conditional = len(node.input) > 1 and bool(node.input[1])
        if not node.input[0] or (not conditional and body.input[1].name in names_read(body)):
            continue
        changed = True
        rank = len(declared_shape(body.input[1]) or ())
        total = editor.scalar(node.input[0])
        zero = editor.number(0)
        before = [*total, zero, editor.node("Less", [zero, total[-1]])]
        if conditional:
            given = editor.scalar(node.input[1])
            before += [*given, editor.node("And", [before[-1], given[-1]])]
        before += editor.scalar(before[-1], rank)
        one, number = editor.number(1), editor.scalar(body.input[0].name)
        following = editor.node("Add", [number[-1], one])
        # The trip count is captured.
        again = [one, *number, following, editor.node("Less", [following, total[-1]])]
        if conditional:
            own = editor.scalar(body.output[0].name)
            again += [*own, editor.node("And", [again[-1], own[-1]])]
        again += editor.scalar(again[-1], rank)
        body.node.extend(again)
        body.output[0].name = again[-1].output[0]
        node.input[:] = ["", before[-1].output[0], *node.input[2:]]
        replace_nodes(graph, position, position, before)
    return editor.model if changed else None
