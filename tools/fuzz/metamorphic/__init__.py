"""Transformations of ONNX models that preserve the meaning of a program.

A compiler whose results differ afterwards is wrong. Each transformation is a function of a model and a source of
randomness; it returns another model, or None if it is not applicable. Inputs and outputs stay the same. No oracle is
needed, so models that no other runtime accepts may be transformed as well.

The renaming of every name of a model, except its inputs and outputs, is here. The new names are random. The meaning of a name
depends on its position, so a renaming has to follow ONNX's scoping rules:

| name | where it is known |
|---|---|
| a value | in its graph and in the graphs inside of it, unless one of them defines the name for itself |
| a formal input of a body | in that body; it may hide a name from outside |
| an initialiser | as a value; one that is an input too has the input's name |
| a function, its formal inputs, outputs and attributes | the function everywhere, the others in its body and at its calls |
| a symbolic extent (`dim_param`) | everywhere; those of the model's inputs and outputs are theirs |
| the empty name | nowhere: it says that an optional input or output is absent |

Values of graphs that do not see each other may get the same name, as exporters do it. The program means the same, so a
compiler that computes anything else from it has looked at a name.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, TypeProto, ValueInfoProto

from loomir.tools.fuzz.metamorphic.graphs import odd_name, plain_name
from loomir.tools.fuzz.metamorphic.redundancy import (
    add_dead_carries,
    branch_node,
    carry_captures,
    insert_dead_branch,
    reverse_twice,
    swap_arms,
    wrap_in_if,
    wrap_in_loop,
)
from loomir.tools.fuzz.metamorphic.trips import count_by_condition, peel_trip, split_trips, unroll

FunctionKey = tuple[str, str, str]


def rename_everything(model: ModelProto, random_: random.Random) -> ModelProto:
    """Return the model with every internal name replaced.

    The same seed produces the same names.
    """
    result = ModelProto()
    result.CopyFrom(model)
    # How to train the model: bindings between names that no longer exist, of no meaning for what it computes.
    result.ClearField("training_info")
    _Renaming(result, random_).run()
    return result


@dataclass
class _Scope:
    """Old and new names of one graph's values, and the enclosing graphs.

    `name in scope` is true if a new name is visible in the scope.
    """

    names: dict[str, str]
    outer: _Scope | None = None
    taken: set[str] = field(default_factory=set)

    def __contains__(self, name: str) -> bool:
        return name in self.taken or (self.outer is not None and name in self.outer)

    def find(self, name: str) -> str:
        """Return the new name of a name; an undefined name is kept."""
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return name


@dataclass
class _Renaming:
    model: ModelProto
    random: random.Random
    functions: dict[FunctionKey, str] = field(default_factory=dict)
    formal_attributes: dict[FunctionKey, dict[str, str]] = field(default_factory=dict)
    extents: dict[str, str] = field(default_factory=dict)
    node_names: set[str] = field(default_factory=set)
    used: list[str] = field(default_factory=list)
    """Every new name of a value so far.

    A name is reused where its first value is not visible.
    """

    def run(self) -> None:
        model, graph = self.model, self.model.graph
        kept = {v.name: v.name for v in (*graph.input, *graph.output)}
        for value in (*graph.input, *graph.output):
            self.extents.update((name, name) for name in _extent_names(value.type))
        operators = {_domain(o.domain): set[str]() for o in model.opset_import}
        for function in model.functions:
            key = _key(function.domain, function.name, function.overload)
            taken = operators.setdefault(key[0], set())
            # A call is an operator's name: an identifier, and none that ONNX might know.
            self.functions[key] = "F_" + plain_name(self.random, taken)
            taken.add(self.functions[key])
            formal = [*function.attribute, *(a.name for a in function.attribute_proto)]
            new: set[str] = set()
            for name in formal:
                self.formal_attributes.setdefault(key, {})[name] = chosen = plain_name(self.random, new)
                new.add(chosen)
        for function in model.functions:
            self.function(function)
        self.graph(graph, None, kept)

    # -- new names

    def scope(self, defined: Iterable[str], outer: _Scope | None, kept: Mapping[str, str]) -> _Scope:
        """Create new names for the values that a graph defines.

        None of them is visible in the graph, but a name may be that of a value of another graph.
        """
        scope = _Scope(dict(kept), outer, set(kept.values()))
        for name in defined:
            if name and name not in scope.names:
                scope.names[name] = self.name(scope)
        return scope

    def name(self, scope: _Scope) -> str:
        """Return a name that is not visible in the scope.

        The name becomes taken in the scope.
        """
        again = self.random.choice(self.used) if self.used and self.random.random() < 0.2 else ""
        name = again if again and again not in scope else odd_name(self.random, scope)
        scope.taken.add(name)
        self.used.append(name)
        return name

    def extent(self, name: str) -> str:
        if name not in self.extents:
            self.extents[name] = plain_name(self.random, set(self.extents.values()))
        return self.extents[name]

    # -- what holds names

    def function(self, function: FunctionProto) -> None:
        """A function: nothing from outside is visible in it."""
        key = _key(function.domain, function.name, function.overload)
        attributes = self.formal_attributes.get(key, {})
        defined = [*function.input, *(o for n in function.node for o in n.output)]
        scope = self.scope(defined, None, {})
        function.name = self.functions[key]
        for names in (function.input, function.output):
            names[:] = [scope.find(n) for n in names]
        function.attribute[:] = [attributes[a] for a in function.attribute]
        for default in function.attribute_proto:
            default.name = attributes[default.name]
            self.attribute(default, scope, attributes)
        self.values(function.value_info, scope)
        self.nodes(function.node, scope, attributes)

    def graph(
        self,
        graph: GraphProto,
        outer: _Scope | None,
        kept: Mapping[str, str],
        attributes: Mapping[str, str] = {},
    ) -> None:
        """Rename a graph and its nested graphs.

        `attributes` are the formal attributes of the enclosing function.
        """
        defined = [v.name for v in graph.input]
        defined += [t.name for t in graph.initializer]
        defined += [t.values.name for t in graph.sparse_initializer]
        defined += [o for n in graph.node for o in n.output]
        scope = self.scope(defined, outer, kept)
        graph.name = odd_name(self.random, ())
        for tensor in graph.initializer:
            tensor.name = scope.find(tensor.name)
        for sparse in graph.sparse_initializer:
            sparse.values.name = scope.find(sparse.values.name)
        for values in (graph.input, graph.output, graph.value_info):
            self.values(values, scope)
        for annotation in graph.quantization_annotation:
            annotation.tensor_name = scope.find(annotation.tensor_name)
            for entry in annotation.quant_parameter_tensor_names:
                entry.value = scope.find(entry.value)
        self.nodes(graph.node, scope, attributes)

    def values(self, values: Iterable[ValueInfoProto], scope: _Scope) -> None:
        for value in values:
            value.name = scope.find(value.name)
            self.type(value.type)

    def type(self, type_: TypeProto) -> None:
        for tensor in _tensor_types(type_):
            for dim in tensor.shape.dim:
                if dim.dim_param:
                    dim.dim_param = self.extent(dim.dim_param)

    def nodes(self, nodes: Sequence[NodeProto], scope: _Scope, attributes: Mapping[str, str]) -> None:
        """Nodes, the attributes' names included where the operator is a function."""
        for node in nodes:
            key = _key(node.domain, node.op_type, node.overload)
            formal = self.formal_attributes.get(key, {})
            if key in self.functions:
                node.op_type = self.functions[key]
            node.name = odd_name(self.random, self.node_names)
            self.node_names.add(node.name)
            for names in (node.input, node.output):
                names[:] = [scope.find(n) if n else n for n in names]
            for configuration in node.device_configurations:
                for spec in configuration.sharding_spec:
                    spec.tensor_name = scope.find(spec.tensor_name)
            for attribute in node.attribute:
                attribute.name = formal.get(attribute.name, attribute.name)
                self.attribute(attribute, scope, attributes)

    def attribute(self, attribute: AttributeProto, scope: _Scope, attributes: Mapping[str, str]) -> None:
        """Rename the names in an attribute's value.

        They occur in graphs, types, the names of tensors, or the formal attribute that the attribute refers to.
        """
        if attribute.ref_attr_name:
            attribute.ref_attr_name = attributes.get(attribute.ref_attr_name, attribute.ref_attr_name)
        if attribute.type == AttributeProto.GRAPH:
            self.graph(attribute.g, scope, {}, attributes)
        for graph in attribute.graphs:
            self.graph(graph, scope, {}, attributes)
        if attribute.type == AttributeProto.TENSOR and attribute.t.name:
            attribute.t.name = odd_name(self.random, ())
        for type_ in (
            (attribute.tp, *attribute.type_protos) if attribute.HasField("tp") else attribute.type_protos
        ):
            self.type(type_)


def _domain(name: str) -> str:
    return "" if name == "ai.onnx" else name


def _key(domain: str, name: str, overload: str) -> FunctionKey:
    return (_domain(domain), name, overload)


def _tensor_types(type_: TypeProto) -> Iterable[TypeProto.Tensor | TypeProto.SparseTensor]:
    """Generate the tensor types in a type.

    They are the type itself, or the types that a sequence, an optional or a map holds.
    """
    kind = type_.WhichOneof("value")
    if kind == "tensor_type":
        yield type_.tensor_type
    elif kind == "sparse_tensor_type":
        yield type_.sparse_tensor_type
    elif kind == "sequence_type":
        yield from _tensor_types(type_.sequence_type.elem_type)
    elif kind == "optional_type":
        yield from _tensor_types(type_.optional_type.elem_type)
    elif kind == "map_type":
        yield from _tensor_types(type_.map_type.value_type)


def _extent_names(type_: TypeProto) -> list[str]:
    return [d.dim_param for tensor in _tensor_types(type_) for d in tensor.shape.dim if d.dim_param]


Transform = Callable[[ModelProto, random.Random], ModelProto | None]

TRANSFORMS: dict[str, Transform] = {
    "rename": rename_everything,
    "wrap-in-loop": wrap_in_loop,
    "wrap-in-if": wrap_in_if,
    "split-trips": split_trips,
    "peel-trip": peel_trip,
    "count-by-condition": count_by_condition,
    "dead-branch": insert_dead_branch,
    "swap-arms": swap_arms,
    "branch-node": branch_node,
    "carry-captures": carry_captures,
    "dead-carries": add_dead_carries,
    "reverse-twice": reverse_twice,
    "unroll": unroll,
}

UNROLL_FIRST = "ov-loop-unroll{max-trips=8},canonicalize"
"""Pipeline that applies the compiler's own unrolling before everything else.

It transforms the compiler's GRAPH rather than the model.
"""
