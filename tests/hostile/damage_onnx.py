"""Damage to ONNX models by who knows them: inputs and outputs of nodes, attributes, initialisers, types, subgraphs."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import numpy as np
import onnx
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto

from tests.hostile import extremes
from tests.hostile.mutations import mutated_proto

FLOAT_TYPES = {TensorProto.FLOAT: "f", TensorProto.DOUBLE: "d"}
INTEGER_WIDTHS = {
    TensorProto.INT64: 8, TensorProto.UINT64: 8, TensorProto.INT32: 4, TensorProto.UINT32: 4, TensorProto.INT16: 2,
    TensorProto.UINT16: 2, TensorProto.INT8: 1, TensorProto.UINT8: 1, TensorProto.BOOL: 1,
}  # fmt: skip


def graphs(model: ModelProto) -> Iterator[GraphProto]:
    """All graphs, the innermost last."""
    waiting = [model.graph]
    while waiting:
        graph = waiting.pop()
        yield graph
        for node in graph.node:
            waiting += [a.g for a in node.attribute if a.type == AttributeProto.GRAPH]


class Victim:
    """A model that is being damaged."""

    def __init__(self, model: ModelProto, rng: random.Random) -> None:
        self.model = model
        self.rng = rng

    def graph(self) -> GraphProto:
        """One of its graphs."""
        return self.rng.choice(list(graphs(self.model)))

    def node(self) -> NodeProto | None:
        """One of its nodes."""
        nodes = [n for g in graphs(self.model) for n in g.node] + [
            n for f in self.model.functions for n in f.node
        ]
        return self.rng.choice(nodes) if nodes else None

    def names(self) -> list[str]:
        """Return the names of the values that may be read."""
        found: list[str] = []
        for graph in graphs(self.model):
            found += [v.name for v in graph.input] + [t.name for t in graph.initializer]
            found += [o for n in graph.node for o in n.output]
        return found or ["x"]

    def tensors(self) -> list[TensorProto]:
        """Initialisers and constants."""
        found: list[TensorProto] = []
        for graph in graphs(self.model):
            found += graph.initializer
            for node in graph.node:
                found += [a.t for a in node.attribute if a.type == AttributeProto.TENSOR]
        return found


def change_inputs(victim: Victim) -> None:
    """A node with an input less, more, absent, or from elsewhere."""
    node = victim.node()
    if node is None:
        return
    rng, kind = victim.rng, victim.rng.randrange(6)
    if kind == 0 and node.input:
        del node.input[rng.choice((-1, rng.randrange(len(node.input)))) :]
    elif kind == 1 and node.input:
        node.input[rng.randrange(len(node.input))] = ""
    elif kind == 2:
        node.input.append(rng.choice(victim.names()))
    elif kind == 3 and len(node.input) > 1:
        a, b = rng.sample(range(len(node.input)), 2)
        node.input[a], node.input[b] = node.input[b], node.input[a]
    elif node.input:
        node.input[rng.randrange(len(node.input))] = rng.choice(victim.names())


def change_outputs(victim: Victim) -> None:
    """A node with an output less, more or absent."""
    node = victim.node()
    if node is None:
        return
    rng, kind = victim.rng, victim.rng.randrange(4)
    if kind == 0 and node.output:
        del node.output[-1]
    elif kind == 1 and node.output:
        node.output[rng.randrange(len(node.output))] = ""
    else:
        node.output.append(rng.choice((f"new{len(node.output)}", "", *victim.names()[:2])))


def change_attribute(victim: Victim) -> None:
    """An attribute beyond its range, missing, or of another kind."""
    rng = victim.rng
    nodes = [n for g in graphs(victim.model) for n in g.node]
    with_some = [n for n in nodes if n.attribute]
    if not with_some:
        add_attribute(victim)
        return
    node = rng.choice(with_some)
    index = rng.randrange(len(node.attribute))
    attribute = node.attribute[index]
    if rng.random() < 0.15:
        del node.attribute[index]
    elif rng.random() < 0.08:
        value = rng.choice((0, 1.0, "x", [1, 2], [0.5], ["x", "y"]))
        attribute.CopyFrom(onnx.helper.make_attribute(attribute.name, value))
    elif attribute.type == AttributeProto.INT:
        attribute.i = extremes.integer(rng)
    elif attribute.type == AttributeProto.INTS:
        new = (
            extremes.extents(rng, list(attribute.ints))
            if rng.random() < 0.7
            else [extremes.integer(rng) for _ in attribute.ints]
        )
        attribute.ints[:] = [max(-(2**63), min(v, 2**63 - 1)) for v in new]
    elif attribute.type == AttributeProto.FLOAT:
        attribute.f = rng.choice([f for f in extremes.FLOATS if not 3.5e38 < abs(f) < 1e301])
    elif attribute.type == AttributeProto.FLOATS:
        attribute.floats.append(rng.choice((0.0, float("nan"), float("inf"), 1e30)))
        if rng.random() < 0.5:
            del attribute.floats[: rng.randrange(len(attribute.floats) + 1)]
    elif attribute.type == AttributeProto.STRING:
        attribute.s = rng.choice((*(w.encode() for w in extremes.WORDS), b"\xff"))
    elif attribute.type == AttributeProto.STRINGS:
        attribute.strings.append(rng.choice(extremes.WORDS).encode())
    elif attribute.type == AttributeProto.TENSOR:
        change_contents(victim, attribute.t)
    else:
        change_subgraph(victim)


def add_attribute(victim: Victim) -> None:
    """An attribute that the operator has and the node had not, with an extreme value."""
    node = victim.node()
    if node is None:
        return
    rng = victim.rng
    try:
        schema = onnx.defs.get_schema(
            node.op_type, max((o.version for o in victim.model.opset_import), default=1), node.domain
        )
    except onnx.defs.SchemaError:
        return
    taken = {a.name for a in node.attribute}
    kinds = onnx.defs.OpSchema.AttrType
    free = [a for n, a in sorted(schema.attributes.items()) if n not in taken]
    if not free:
        return
    attribute = rng.choice(free)
    made: dict[object, Callable[[], object]] = {
        kinds.INT: lambda: extremes.integer(rng),
        kinds.INTS: lambda: [extremes.integer(rng) for _ in range(rng.choice((0, 1, 1, 2, 3, 4, 8)))],
        kinds.FLOAT: lambda: rng.choice((0.0, -1.0, float("nan"), float("inf"), 1e30)),
        kinds.FLOATS: lambda: [
            rng.choice((0.0, -1.0, float("nan"))) for _ in range(rng.choice((0, 1, 2, 5)))
        ],
        kinds.STRING: lambda: rng.choice(extremes.WORDS),
        kinds.STRINGS: lambda: [rng.choice(extremes.WORDS)],
    }
    if attribute.type in made:
        value = made[attribute.type]()
        if value != []:
            node.attribute.append(onnx.helper.make_attribute(attribute.name, value))


def change_contents(victim: Victim, tensor: TensorProto) -> None:
    """The contents, extents or type of a tensor."""
    rng = victim.rng
    kind = rng.randrange(9)
    if kind == 8:
        move_outside(tensor, rng)
    elif kind == 0:
        tensor.data_type = rng.randrange(27)
    elif kind == 1:
        tensor.dims[:] = [max(-(2**63), min(v, 2**63 - 1)) for v in extremes.extents(rng, list(tensor.dims))]
    elif kind == 2 and tensor.raw_data:
        tensor.raw_data = tensor.raw_data[: rng.randrange(len(tensor.raw_data))]
    elif tensor.data_type in INTEGER_WIDTHS:
        array = onnx.numpy_helper.to_array(tensor) if _readable(tensor) else None
        if array is None:
            return
        width = INTEGER_WIDTHS[tensor.data_type]
        data = bytearray(array.tobytes())
        for _ in range(rng.choice((1, 1, 2, 50))):
            if data:
                at = width * rng.randrange(len(data) // width)
                data[at : at + width] = extremes.bytes_of_integers(rng, width, 1)
        if tensor.data_type == TensorProto.BOOL:
            data = bytearray(b & 1 for b in data)
        tensor.ClearField("int64_data")
        tensor.ClearField("int32_data")
        tensor.ClearField("uint64_data")
        tensor.raw_data = bytes(data)
    elif len(tensor.float_data):
        tensor.float_data[rng.randrange(len(tensor.float_data))] = rng.choice(
            (0.0, float("nan"), float("inf"), -1e30)
        )


def _readable(tensor: TensorProto) -> bool:
    try:
        onnx.numpy_helper.to_array(tensor)
    except Exception:
        return False
    return True


def change_constant(victim: Victim) -> None:
    """The contents, extents or type of an initialiser or a Constant."""
    if found := victim.tensors():
        change_contents(victim, victim.rng.choice(found))
    else:
        change_attribute(victim)


def change_type(victim: Victim) -> None:
    """Change the declared type of an input, output or inner value."""
    graph, rng = victim.graph(), victim.rng
    values: list[ValueInfoProto] = [*graph.input, *graph.input, *graph.output, *graph.value_info]
    if not values:
        return
    value = rng.choice(values)
    kind = rng.randrange(10)
    if not value.type.HasField("tensor_type") or kind == 0:
        which = rng.randrange(4)
        if which == 0:
            value.ClearField("type")
        elif which == 1:
            value.type.sequence_type.elem_type.tensor_type.elem_type = rng.randrange(17)
        elif which == 2:
            value.type.optional_type.elem_type.tensor_type.elem_type = rng.randrange(17)
        else:
            value.type.tensor_type.elem_type = 1
    elif kind <= 2:
        value.type.tensor_type.elem_type = rng.randrange(27)
    elif kind == 3:
        value.type.tensor_type.ClearField("shape")
    else:
        dims = value.type.tensor_type.shape.dim
        new = extremes.extents(rng, [d.dim_value if d.HasField("dim_value") else -1 for d in dims])
        del dims[:]
        for extent in new:
            added = dims.add()
            if extent == -1 and rng.random() < 0.5:
                added.dim_param = rng.choice(("N", "", "M"))
            elif rng.random() < 0.95:
                added.dim_value = max(-(2**63), min(extent, 2**63 - 1))


def change_subgraph(victim: Victim) -> None:
    """Formal inputs and outputs of a body: one less, one more, others."""
    rng = victim.rng
    inner = list(graphs(victim.model))[1:] or [victim.model.graph]
    graph = rng.choice(inner)
    values = graph.input if rng.random() < 0.5 else graph.output
    kind = rng.randrange(5)
    if kind == 0 and len(values):
        del values[rng.randrange(len(values))]
    elif kind == 1:
        values.add().name = rng.choice((*victim.names(), "new"))
    elif kind == 2 and len(values) > 1:
        a, b = rng.sample(range(len(values)), 2)
        values[a].name, values[b].name = values[b].name, values[a].name
    elif kind == 3 and len(values):
        values[rng.randrange(len(values))].name = rng.choice(("", *victim.names()))
    elif graph.node:
        del graph.node[rng.randrange(len(graph.node))]


def nest(victim: Victim) -> None:
    """A node inside of branches inside of branches, which are all taken."""
    graph, rng = victim.graph(), victim.rng
    if not graph.node:
        return
    node = rng.choice(list(graph.node))
    condition = f"taken{rng.randrange(1 << 30)}"
    victim.model.graph.initializer.append(onnx.numpy_helper.from_array(np.array(True), condition))
    # Protobuf refuses messages of more than 100 levels, and a graph in a node is three: one that is nested already stays so.
    depth = rng.choice(
        (1, 1, 2, 3, 10, 30) if not any(a.HasField("g") for a in node.attribute) else (1, 2, 3)
    )
    # A scope gives no name that an outer one has.
    names = [[f"{o}_{level}" if o and level else o for o in node.output] for level in range(depth + 1)]

    def branch(inner: NodeProto, level: int) -> GraphProto:
        inner.output[:] = names[level]
        return onnx.helper.make_graph([inner], "g", [], [ValueInfoProto(name=o) for o in names[level] if o])

    def copy() -> NodeProto:
        made = NodeProto()
        made.CopyFrom(node)
        return made

    inner = copy()
    for level in range(depth, 0, -1):
        arms = {"then_branch": branch(inner, level), "else_branch": branch(copy(), level)}
        inner = onnx.helper.make_node("If", [condition], [], **arms)
    inner.output[:] = [o for o in names[0] if o]
    node.CopyFrom(inner)


def move_outside(tensor: TensorProto, rng: random.Random) -> None:
    """External data: in a file that is not there, the model itself, a folder, or elsewhere."""
    places = (
        "m.onnx",
        "w.bin",
        "",
        ".",
        "..",
        "/",
        "../m.onnx",
        "/etc/hostname",
        "a\0b",
        "a" * 5000,
        "\ud7ff",
        "file://m.onnx",
    )
    tensor.data_location = TensorProto.EXTERNAL
    fields = {
        "location": rng.choice(places),
        "offset": str(extremes.integer(rng, wide=True)),
        "length": str(extremes.integer(rng, wide=True)),
    }
    for key, value in fields.items():
        if rng.random() < (0.95 if key == "location" else 0.6):
            tensor.external_data.add(key=key, value=value)
    if rng.random() < 0.8:
        tensor.ClearField("raw_data")


def change_operator(victim: Victim) -> None:
    """Another operator, or another version of the operator set."""
    node, rng = victim.node(), victim.rng
    if rng.random() < 0.5 or node is None:
        for entry in victim.model.opset_import:
            entry.version = rng.choice((*range(1, 27), 0, -1, 2**63 - 1, entry.version))
    else:
        node.op_type = rng.choice(OPERATORS or ["Add"])


def change_names(victim: Victim) -> None:
    """A name that is long, empty, or none."""
    graph, rng = victim.graph(), victim.rng
    name = rng.choice(("", "a" * 100_000, "%", '"', "\\", "main", "\U0001f600", "../x", "int", "a\0b"))
    values = [*graph.input, *graph.output, *graph.node, graph, *graph.initializer]
    rng.choice(values).name = name


def change_anything(victim: Victim) -> None:
    """Any field of the file."""
    victim.model = mutated_proto(victim.model, victim.rng)


DAMAGES: list[tuple[int, Callable[[Victim], None]]] = [
    (6, change_inputs), (2, change_outputs), (10, change_attribute), (6, add_attribute), (8, change_constant), (8, change_type),
    (4, change_subgraph), (3, change_operator), (1, change_names), (3, change_anything),
    (3, nest),
]  # fmt: skip

OPERATORS: list[str] = []
"""Operators of the corpus, for `change_operator`."""


def damaged(model: ModelProto, rng: random.Random) -> ModelProto:
    """The model with one to three mistakes."""
    victim = Victim(model, rng)
    functions = [f for _, f in DAMAGES]
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
        try:
            rng.choices(functions, [w for w, _ in DAMAGES])[0](victim)
        except (ValueError, TypeError):
            continue  # protobuf refuses to hold it: no file can have that.
    return victim.model
