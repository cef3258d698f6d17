"""Trips of ONNX loops: split in two, unrolled, or counted by condition.

A loop becomes two: the first k trips, and the others. Loops with a known trip count are unrolled in ONNX; the results of
the compiler's own unrolling have to agree with it. Counted loops become conditional ones.
"""

from __future__ import annotations

import random

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

from loomir.tools.fuzz.metamorphic.graphs import (
    OLDEST,
    Editor,
    attribute_graph,
    copy_body,
    declared_shape,
    info,
    known_trips,
    names_read,
    node_positions,
    replace_nodes,
)


def split_trips(model: ModelProto, random_: random.Random) -> ModelProto | None:
    """`loop (n) { … }` = `loop (min(k, n)) { … }; loop (n - min(k, n)) { … }` for a loop chosen at random.

    What is carried is handed on, the second loop counts from k on, scan outputs are joined. The last condition of the first
    loop is the initial one of the second, so that an early exit ends both. A loop with scan outputs of which one part may have
    no trips must declare their extents.
    """
    editor = Editor(model, random_)
    if editor.opset < OLDEST:
        return None
    found = [
        (graph, at)
        for graph, at in node_positions(editor.graph, "Loop")
        if _can_be_split(graph, graph.node[at])
    ]
    if not found:
        return None
    graph, position = random_.choice(found)
    node = graph.node[position]
    trips = known_trips(graph, node)
    # At least one trip for each part where that is possible.
    first = random_.randint(1, trips - 1) if trips is not None and 1 < trips < 1000 else random_.randint(1, 3)
    replace_nodes(graph, position, position + 1, _Splitting(editor, node, first).nodes())
    return editor.model


def peel_trip(model: ModelProto, random_: random.Random) -> ModelProto | None:
    """Peel the first iteration of a loop without scan outputs.

    `loop (n) { … }` = `if (0 < n) { … }; loop (n - 1) { … }`
    """
    editor = Editor(model, random_)
    if editor.opset < OLDEST:
        return None
    found = [
        (graph, at) for graph, at in node_positions(editor.graph, "Loop") if _without_scans(graph.node[at])
    ]
    if not found:
        return None
    graph, position = random_.choice(found)
    splitting = _Splitting(editor, graph.node[position], 1, as_branch=True)
    replace_nodes(graph, position, position + 1, splitting.nodes())
    return editor.model


def _without_scans(node: NodeProto) -> bool:
    body = attribute_graph(node, "body")
    return len(body.output) == len(body.input) - 1 > 1


def _can_be_split(graph: GraphProto, node: NodeProto) -> bool:
    body = attribute_graph(node, "body")
    scans = body.output[len(body.input) - 1 :]
    if not scans:
        return True
    trips = known_trips(graph, node)
    if trips is not None and trips > 1 and not _condition(node):
        return True
    return all((shape := declared_shape(v)) is not None and None not in shape for v in scans)


def _condition(node: NodeProto) -> str:
    return node.input[1] if len(node.input) > 1 else ""


class _Splitting:
    """Parts of a split loop.

    With `as_branch`, the first part, of one iteration, is an If.
    """

    def __init__(self, editor: Editor, node: NodeProto, first: int, *, as_branch: bool = False) -> None:
        self.editor, self.node, self.first, self.as_branch = editor, node, first, as_branch
        self.condition = _condition(node)
        self.carried = len(node.input) - 2

    def nodes(self) -> list[NodeProto]:
        """Both loops and what is around them."""
        editor, node = self.editor, self.node
        limit = editor.number(self.first)
        before = [limit]
        trips, rest = limit.output[0], ""
        if node.input[0]:
            total = editor.scalar(node.input[0])
            # Min takes integers since operator set 12 only.
            fewer = editor.node("Less", [total[-1], limit])
            least = editor.node("Where", [fewer, total[-1], limit], "trips")
            left = editor.node("Sub", [total[-1], least], "left")
            # A negative trip count is no trip; the rest of it is none, either.
            before += [*total, fewer, least, left]
            trips, rest = least.output[0], left.output[0]
        if self.condition:
            initial = editor.scalar(self.condition)
        else:
            initial = [editor.constant(np.array(True))]
        before += initial
        outputs = list(node.output) + [""] * (
            len(attribute_graph(node, "body").output) - 1 - len(node.output)
        )
        middle = [editor.name("half") for _ in outputs]
        last = editor.name("last")
        if self.as_branch:
            one = self._branch(trips if node.input[0] else "", initial[-1], [*middle, last])
        else:
            one = [
                helper.make_node(
                    "Loop",
                    [trips, self.condition, *node.input[2:], initial[-1].output[0]],
                    [*middle[: self.carried], last, *middle[self.carried :]],
                    name=editor.name("first"),
                    body=self._first_body(),
                )
            ]
        scans = [editor.name("part") if name else "" for name in outputs[self.carried :]]
        again, second_inputs, second_outputs = "", list(middle[: self.carried]), outputs[: self.carried]
        between: list[NodeProto] = []
        if self.condition:
            as_declared = editor.scalar(last, self._condition_rank())
            between += as_declared
            again = as_declared[-1].output[0]
        else:
            second_inputs.append(last)
            # ONNX Runtime dies of a carried value without a name.
            second_outputs.append(editor.name("unused"))
        two = helper.make_node(
            "Loop",
            [rest, again, *second_inputs],
            [*second_outputs, *scans],
            name=editor.name("second"),
            body=self._second_body(),
        )
        joined = [
            helper.make_node("Concat", [a, b], [name], axis=0)
            for a, b, name in zip(middle[self.carried :], scans, outputs[self.carried :])
            if name
        ]
        return [*before, *one, *between, two, *joined]

    def _branch(self, trips: str, condition: NodeProto, outputs: list[str]) -> list[NodeProto]:
        """Return an If that runs the first iteration or forwards initial values.

        The condition comes last.
        """
        editor = self.editor
        body = self._body()
        nodes: list[NodeProto] = []
        test = condition.output[0]
        if trips:
            zero = editor.number(0)
            some = editor.node("Less", [zero, trips])
            nodes += [zero, some, editor.node("And", [some, condition])]
            test = nodes[-1].output[0]
        number = editor.number(0)
        ranks = [len(declared_shape(v) or ()) for v in body.input[:2]]
        control = [editor.scalar(n, rank) for n, rank in zip((number, condition), ranks)]
        then: list[NodeProto] = [number, *control[0], *control[1]]
        arguments = [*(c[-1].output[0] for c in control), *self.node.input[2:]]
        condition_after, *carried = copy_body(editor, body, arguments, then)
        then += editor.scalar(condition_after)
        arms: list[GraphProto] = []
        before = [*self.node.input[2:], condition.output[0]]
        for inner, values in ((then, [*carried, then[-1].output[0]]), ([], before)):
            same = [editor.node("Identity", [v]) for v in values]
            arms.append(
                helper.make_graph([*inner, *same], editor.name("arm"), [], [info(n.output[0]) for n in same])
            )
        names = [name or editor.name("unused") for name in outputs]
        first = helper.make_node(
            "If", [test], names, name=editor.name("first"), then_branch=arms[0], else_branch=arms[1]
        )
        return [*nodes, first]

    def _body(self) -> GraphProto:
        body = GraphProto()
        body.CopyFrom(attribute_graph(self.node, "body"))
        return body

    def _condition_rank(self) -> int:
        return len(declared_shape(attribute_graph(self.node, "body").input[1]) or ())

    def _first_body(self) -> GraphProto:
        """The body that carries its condition along, to tell the second loop."""
        body = self._body()
        unused = self.editor.name("unused")
        body.input.append(info(unused, _scalar_bool()))
        following = self.editor.scalar(body.output[0].name)
        body.node.extend(following)
        _insert_output(body, 1 + self.carried, following[-1].output[0])
        return body

    def _second_body(self) -> GraphProto:
        """Return the body with its own iteration number.

        If the loop reads no condition, the body also reads the condition that the first part left.
        """
        editor, body = self.editor, self._body()
        top = [editor.number(self.first)]
        iteration = body.input[0].name
        body.input[0].name = editor.name("i")
        top.append(helper.make_node("Add", [body.input[0].name, top[0].output[0]], [iteration]))
        if not self.condition:
            before = editor.name("before")
            body.input.append(info(before, _scalar_bool()))
            shaped = editor.scalar(before, self._condition_rank())
            shaped[-1].output[0] = body.input[1].name
            body.input[1].name = editor.name("go_on")
            top += shaped
            following = editor.scalar(body.output[0].name)
            body.node.extend(following)
            _insert_output(body, 1 + self.carried, following[-1].output[0])
        replace_nodes(body, 0, 0, top)
        return body


def _scalar_bool():
    return helper.make_tensor_type_proto(TensorProto.BOOL, [])


def _insert_output(body: GraphProto, position: int, name: str) -> None:
    outputs = list(body.output)
    outputs.insert(position, info(name))
    copies = [info(v.name, v.type if v.HasField("type") else None) for v in outputs]
    del body.output[:]
    body.output.extend(copies)


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
    for graph, position in reversed(node_positions(editor.graph, "Loop") if editor.opset >= OLDEST else []):
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


def count_by_condition(model: ModelProto, random_: random.Random) -> ModelProto | None:
    """`loop (n && c) { …; c = f() }` = `loop (0 < n && c) { …; c = f() && i + 1 < n }`: no trip count bounds the loops any more.

    A loop without a condition whose body reads its own all the same is left as it is, like one without a trip count.
    """
    editor = Editor(model, random_)
    changed = False
    for graph, position in reversed(node_positions(editor.graph, "Loop") if editor.opset >= OLDEST else []):
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
