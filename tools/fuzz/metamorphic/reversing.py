"""Outputs that are turned round, and turned round again."""

from __future__ import annotations

import random

import numpy as np
from onnx import ModelProto, helper

from loomir.tools.fuzz.metamorphic.graphs import (
    NUMBERS,
    OLDEST,
    Editor,
    declared_shape,
    element_type,
    rename_outputs,
    replace_nodes,
)


def reverse_twice(model: ModelProto, random_: random.Random) -> ModelProto | None:
    """Replace an output `x` by `x[::-1][::-1]` on one axis.

    One reversal is by Slice, the other by a Scan or by another Slice.
    """
    editor = Editor(model, random_)
    graph = editor.graph
    outputs = [v for v in graph.output if element_type(v) in NUMBERS and declared_shape(v)]
    if editor.opset < OLDEST or not outputs:
        return None
    output = random_.choice(outputs)
    names = rename_outputs(editor, graph.node, [output.name])
    if output.name not in names:
        return None
    shape = declared_shape(output) or []
    axis = random_.randrange(len(shape))
    start, end, axes, step = (
        editor.constant(np.array([n], np.int64)) for n in (-1, np.iinfo(np.int64).min, axis, -1)
    )
    once = editor.node("Slice", [names[output.name], start, end, axes, step])
    # ONNX Runtime cannot run a Scan without iterations.
    if 0 not in shape and None not in shape and random_.random() < 0.5:
        part, copy = editor.name("part"), editor.name("copy")
        rest = [e for k, e in enumerate(shape) if k != axis]
        body = helper.make_graph(
            [helper.make_node("Identity", [part], [copy])],
            editor.name("copy"),
            [helper.make_tensor_value_info(part, element_type(output), rest)],
            [helper.make_tensor_value_info(copy, element_type(output), rest)],
        )
        backward = random_.randrange(2)
        twice = helper.make_node(
            "Scan",
            [once.output[0]],
            [output.name],
            name=editor.name("scan"),
            body=body,
            num_scan_inputs=1,
            scan_input_axes=[axis],
            scan_output_axes=[axis],
            scan_input_directions=[backward],
            scan_output_directions=[1 - backward],
        )
    else:
        operands = [once, start, end, axes, step]
        twice = helper.make_node("Slice", [n.output[0] for n in operands], [output.name])
    count = len(graph.node)
    replace_nodes(graph, count, count, [start, end, axes, step, once, twice])
    return editor.model
