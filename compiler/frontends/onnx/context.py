"""Scopes: the names of one graph that is being translated, and the block that receives its operations.

Initialisers become `ov.constant` where they are first read. Subgraphs are child scopes with blocks of their
own; outer values are simply used inside. A function call is a scope that sees only its arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

import numpy as np
import onnx.defs
from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto, SparseTensorProto, TensorProto
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from loomir.compiler.frontends.onnx import refusals
from loomir.compiler.frontends.onnx.contents import Contents
from loomir.compiler.frontends.onnx.definitions import default_attributes, definition_of
from loomir.compiler.frontends.onnx.node import Node, name_location
from loomir.compiler.frontends.onnx.options import ImportOptions
from loomir.compiler.frontends.onnx.registry import find_translator
from loomir.compiler.frontends.onnx.structure import FunctionKey, domain_of, has_schema, label, opset_versions
from loomir.compiler.frontends.onnx.tensors import array_of, dense_array_of
from loomir.compiler.frontends.onnx.types import check_types
from loomir.dialects.ov.constant import ConstantOp
from loomir.errors import Error


@dataclass
class Session:
    """What one import shares: the model's functions, limits and what is known of contents."""

    functions: Mapping[FunctionKey, FunctionProto]
    directory: Path | None
    options: ImportOptions
    contents: Contents = field(default_factory=Contents)
    nodes: int = 0
    differences: dict[tuple[str, str, str], None] = field(default_factory=dict)
    """What the specification and ONNX Runtime read differently: node, operator and in what; each once, in the order found
    (a body is translated until its types hold)."""

    def count_node(self) -> None:
        """`Error("import-limit")` where more nodes were translated than allowed."""
        self.nodes += 1
        if self.nodes > self.options.max_nodes:
            raise Error("import-limit", f"the model has more than {self.options.max_nodes} nodes")


class Scope:
    """The names of one graph and the block that its operations go to."""

    def __init__(
        self,
        session: Session,
        block: Block,
        versions: Mapping[str, int],
        *,
        parent: Scope | None = None,
        attributes: Mapping[str, AttributeProto] | None = None,
        graph_owners: Mapping[str, Scope] = MappingProxyType({}),
        depth: int = 0,
        calls: tuple[FunctionKey, ...] = (),
        caller: str = "",
    ) -> None:
        self.session = session
        self.block = block
        self.versions = versions
        self.parent = parent
        self.attributes = attributes
        """The attributes of a function call, which its nodes may refer to; None outside functions."""
        self.graph_owners = graph_owners
        """For those that are graphs the scope that their outer names belong to."""
        self.depth = depth
        """How many subgraphs and calls are around."""
        self.calls = calls
        self.caller = caller
        """The label of the node whose function this is."""
        self.values: dict[str, SSAValue] = {}
        self.absent: set[str] = set()
        """The inputs of a function that its call leaves out."""
        self.initialisers: dict[str, TensorProto | SparseTensorProto] = {}
        if depth > session.options.max_nesting:
            raise Error(
                "import-limit", f"subgraphs and calls are nested deeper than {session.options.max_nesting}"
            )

    def find(self, name: str) -> SSAValue | None:
        """The value of a name that is visible here; None for the empty name and a function's absent input.

        Error: `undefined-name`.
        """
        scope: Scope | None = self if name else None
        while scope is not None:
            if (value := scope.values.get(name)) is not None:
                return value
            if (tensor := scope.initialisers.get(name)) is not None:
                value = scope.constant(self._array(tensor), name)
                scope.values[name] = value
                return value
            if name in scope.absent:
                return None
            scope = scope.parent
        if not name:
            return None
        raise Error("undefined-name", f"the value '{name}' is not defined")

    def _array(self, tensor: TensorProto | SparseTensorProto) -> np.ndarray:
        if isinstance(tensor, TensorProto):
            return array_of(tensor, self.session.directory)
        return dense_array_of(tensor, self.session.directory, self.session.options.max_sparse_bytes)

    def constant(self, array: np.ndarray, name: str) -> SSAValue:
        """A constant at the end of the block; `name` becomes its location."""
        return self.append(ConstantOp.of(array), name).results[0]

    def label(self, proto: NodeProto) -> str:
        """What locations and messages call a node."""
        return f"{self.caller}/{label(proto)}" if self.caller else label(proto)

    def append(self, op: Operation, name: str) -> Operation:
        """Put an operation at the end of the block, located by a name."""
        op.location = name_location(name)
        self.block.add_op(op)
        return op

    def add_initialisers(self, graph: GraphProto, *, hidden: Iterable[str] = ()) -> None:
        """Make the graph's initialisers visible but for those that `hidden` names."""
        self.initialisers.update({t.name: t for t in graph.initializer})
        self.initialisers.update({t.values.name: t for t in graph.sparse_initializer})
        for name in hidden:
            self.initialisers.pop(name, None)

    def translate(self, nodes: Iterable[NodeProto]) -> None:
        """Translate nodes in order, defining their outputs. Errors know their node."""
        for proto in nodes:
            try:
                self.session.count_node()
                self._translate_node(proto)
            except Error as error:
                raise error.at(layer=self.label(proto), op=proto.op_type) from error

    def _translate_node(self, proto: NodeProto) -> None:
        key = (domain_of(proto.domain), proto.op_type, proto.overload)
        function = self.session.functions.get(key)
        version = self.versions.get(key[0], 1)
        node = None
        if function is None or has_schema(proto.op_type, version, key[0]):
            node = Node(proto, self, onnx.defs.get_schema(proto.op_type, version, key[0]))
        if function is not None and (
            node is None
            or not node.reads_as_onnxruntime(
                "the model has a function of this name, which is called (the specification leaves that open); "
                "ONNX Runtime takes ONNX's own operator"
            )
        ):
            results = self._inline(proto, key, function)
        else:
            assert node is not None
            results = self._translate_operator(node, key)
        for index, name in enumerate(proto.output):
            if not name:
                continue
            value = results[index] if index < len(results) else None
            if value is None:
                raise Error(
                    "unsupported-output", f"output {index} of {proto.op_type} ('{name}') is not supported"
                )
            self.values[name] = value

    def _translate_operator(self, node: Node, key: FunctionKey) -> list[SSAValue | None]:
        """By its translator; else by the definition that ONNX itself gives in simpler operators."""
        check_types(node)
        translator = find_translator(node.operator, node.version) if key[0] == "" else None
        if translator is not None:
            results = translator(node)
            return [results] if isinstance(results, SSAValue) else list(results)
        function = definition_of(node)
        if function is None:
            reason = refusals.OPERATORS.get(node.operator)
            what = f"there is no translation of {node.operator}-{node.version}"
            raise Error("unsupported-operator", f"{what}: {reason}" if reason else what)
        return self._inline(node.proto, key, function, default_attributes(node.schema))

    def _inline(
        self,
        proto: NodeProto,
        key: FunctionKey,
        function: FunctionProto,
        defaults: Mapping[str, AttributeProto] = MappingProxyType({}),
    ) -> list[SSAValue | None]:
        """Translate a function's body in place of a call: its names are its own."""
        assert key not in self.calls, "ONNX's checker refuses recursive functions"
        if len(proto.input) > len(function.input):
            raise Error("invalid-onnx", f"{len(proto.input)} inputs for a function of {len(function.input)}")
        attributes = {**defaults, **{a.name: a for a in function.attribute_proto}}
        graph_owners: dict[str, Scope] = {}
        for given in proto.attribute:
            if (attribute := self.resolve(given)) is not None:
                attributes[given.name] = attribute
                graph_owners[given.name] = self.owner_of(given)
        inner = Scope(
            self.session,
            self.block,
            opset_versions(function.opset_import),
            attributes=attributes,
            graph_owners=graph_owners,
            depth=self.depth + 1,
            calls=(*self.calls, key),
            caller=self.label(proto),
        )
        for index, formal in enumerate(function.input):
            actual = self.find(proto.input[index]) if index < len(proto.input) else None
            if actual is None:
                inner.absent.add(formal)
            else:
                inner.values[formal] = actual
        inner.translate(function.node)
        # An output that the call does not use need not have a value: a definition may leave it out.
        used = [
            index < len(proto.output) and bool(proto.output[index]) for index in range(len(function.output))
        ]
        return [inner.find(name) if use else None for name, use in zip(function.output, used)]

    def resolve(self, attribute: AttributeProto) -> AttributeProto | None:
        """The attribute itself, or the attribute of the function call that it refers to (None: not given)."""
        if not attribute.ref_attr_name:
            return attribute
        return (self.attributes or {}).get(attribute.ref_attr_name)

    def owner_of(self, attribute: AttributeProto) -> Scope:
        """The scope that the outer names of a graph attribute belong to: where it was written, not where it is used."""
        return self.graph_owners.get(attribute.ref_attr_name, self) if attribute.ref_attr_name else self

    def subgraph(
        self, graph: GraphProto, arguments: Sequence[Attribute], owner: Scope | None = None
    ) -> tuple[Scope, Block]:
        """A scope for a graph below this one and its block, which has arguments of these types.

        `owner` is the scope of its outer names, if not this one.
        """
        owner = owner or self
        block = Block(arg_types=arguments)
        Region(block)
        scope = Scope(
            self.session,
            block,
            owner.versions,
            parent=owner,
            attributes=owner.attributes,
            graph_owners=owner.graph_owners,
            depth=self.depth + 1,
            calls=self.calls,
            caller=self.caller,
        )
        scope.add_initialisers(graph, hidden=[i.name for i in graph.input])
        return scope, block
