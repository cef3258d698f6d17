"""Scopes of the graphs that are being translated.

A scope maps the values of one graph to their translations and holds the block that receives its operations.

A subgraph is a child scope with a block of its own; it uses outer values directly. A function call is a scope that sees
only its arguments. A graph may be translated several times, a function once for each call: FRONT stays unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from xdsl.dialects.builtin import FileLineColLoc, NameLoc, NoneAttr, StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from loomir.dialects.attributes import ConstantAttr
from loomir.dialects.onnx.operations import ConstantOp as Initialiser
from loomir.dialects.onnx.operations import FunctionKey, FunctionOp, NodeOp, NoneOp, YieldOp
from loomir.dialects.onnx.types import ReferenceAttr
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.errors import Error
from loomir.passes.analysis.inference import Contents
from loomir.passes.options import TranslationOptions


def name_location(name: str, origin: Attribute | None = None) -> NameLoc:
    """Return the location `loc("name")`.

    If FRONT was read from a text, the location includes the place in that text.
    """
    return NameLoc(StringAttr(name), origin if isinstance(origin, FileLineColLoc) else NoneAttr())


@dataclass
class Session:
    """Shared state of one translation.

    It holds the model's functions, the limits and the known contents of values.
    """

    functions: Mapping[FunctionKey, FunctionOp]
    options: TranslationOptions
    opset: int = 1
    """The version of ONNX's operator set that the model imports."""
    contents: Contents = field(default_factory=Contents)
    nodes: int = 0
    definitions: dict[tuple[str, str, int], FunctionOp] = field(default_factory=dict)
    """ONNX's own definitions of operators, by domain, operator and version.

    Each definition holds for any inputs.
    """
    differences: dict[tuple[str, str, str], None] = field(default_factory=dict)
    """Points that the specification and ONNX Runtime read differently.

    A key holds the node, the operator and the point in question. Each occurs once, in the order found (a body is translated
    until its types hold).
    """

    def count_node(self) -> None:
        """`Error("import-limit")` where more nodes were translated than allowed."""
        self.nodes += 1
        if self.nodes > self.options.max_nodes:
            raise Error("import-limit", f"the model has more than {self.options.max_nodes} nodes")


@dataclass(frozen=True)
class Subgraph:
    """Graph attribute: its region, and the scope of its outer values.

    The scope is the one in which the graph was written.
    """

    region: Region
    owner: Scope

    @property
    def inputs(self) -> Sequence[SSAValue]:
        """The graph's formal inputs, of the types that it declares."""
        return self.region.block.args

    @property
    def end(self) -> YieldOp:
        """Terminator of the graph, whose operands are the graph's results."""
        last = self.region.block.last_op
        assert isinstance(last, YieldOp), "onnx.node verifies it"
        return last

    @property
    def types(self) -> Sequence[Attribute]:
        """Declared types of the graph's results."""
        return self.end.types


class Scope:
    """Values of one graph, and the block that receives its operations."""

    def __init__(
        self,
        session: Session,
        source: Block,
        block: Block,
        *,
        parent: Scope | None = None,
        attributes: Mapping[str, Attribute | Subgraph] = MappingProxyType({}),
        opset: int,
        depth: int = 0,
        calls: tuple[FunctionKey, ...] = (),
        caller: str = "",
    ) -> None:
        self.session = session
        self.source = source
        """The block of FRONT that is translated into `block`."""
        self.block = block
        self.parent = parent
        self.attributes = attributes
        """Attributes of a function call, which the function's nodes may reference."""
        self.opset = opset
        self.depth = depth
        """How many subgraphs and calls are around."""
        self.calls = calls
        self.caller = caller
        """The title of the node whose function this is."""
        self.values: dict[SSAValue, SSAValue | None] = {}
        """Translations of values of FRONT.

        None stands for an input of a function that its call leaves out.
        """
        if depth > session.options.max_nesting:
            raise Error(
                "import-limit", f"subgraphs and calls are nested deeper than {session.options.max_nesting}"
            )

    def find(self, value: SSAValue) -> SSAValue | None:
        """Return the translation of a value, or None if it is omitted.

        An initialiser becomes a constant where it is first read.
        """
        scope: Scope | None = self
        owner = value.owner
        while scope is not None:
            if value in scope.values:
                return scope.values[value]
            if scope.source is owner.parent and isinstance(owner, Initialiser):
                assert isinstance(owner.value, ConstantAttr)
                found = scope.append_constant(owner.value, name_location(owner.title, owner.location))
                scope.values[value] = found
                return found
            scope = scope.parent
        if isinstance(owner, NoneOp):
            return None
        raise Error("undefined-name", "the value of an input is not defined")

    def append_constant(self, value: ConstantAttr, location: NameLoc) -> SSAValue:
        """A constant at the end of the block."""
        op = ConstantOp.create(result_types=[value.type], properties={"value": value})
        return self.append(op, location).results[0]

    def title(self, op: NodeOp) -> str:
        """Return the name of a node for locations and messages."""
        return f"{self.caller}/{op.title}" if self.caller else op.title

    def append(self, op: Operation, location: NameLoc) -> Operation:
        """Put an operation at the end of the block."""
        op.location = location
        self.block.add_op(op)
        return op

    def resolve(self, attribute: Attribute) -> Attribute | Subgraph | None:
        """Return the attribute, or the function call's attribute that it references.

        None means that the call does not give the attribute.
        """
        if not isinstance(attribute, ReferenceAttr):
            return attribute
        return self.attributes.get(attribute.attribute.data)

    def attributes_of(self, op: NodeOp) -> dict[str, Attribute | Subgraph]:
        """Return a node's attributes, with references resolved by the function call."""
        found = {name: self.resolve(attribute) for name, attribute in op.attributes.items()}
        given: dict[str, Attribute | Subgraph] = {n: a for n, a in found.items() if a is not None}
        for name, region in op.graph_attributes.items():
            given[name] = Subgraph(region, self)
        return given

    def child(self, arguments: Sequence[Attribute], graph: Subgraph | None = None) -> tuple[Scope, Block]:
        """Return a scope for a graph below this one, and its block.

        The block has arguments of these types. Without a graph, the translator itself fills the scope.
        """
        owner = self if graph is None else graph.owner
        block = Block(arg_types=arguments)
        Region(block)
        scope = Scope(
            self.session,
            Block() if graph is None else graph.region.block,
            block,
            parent=owner,
            attributes=owner.attributes,
            opset=owner.opset,
            depth=self.depth + 1,
            calls=self.calls,
            caller=self.caller,
        )
        return scope, block

    def call(self, key: FunctionKey, function: FunctionOp, node: NodeOp) -> Scope:
        """Return a scope for the body of a called function.

        The body replaces the calling node: its operations go where those of the node would go.
        """
        return Scope(
            self.session,
            function.body.block,
            self.block,
            attributes={**function.attributes, **self.attributes_of(node)},
            opset=1 if function.opset is None else function.opset.value.data,
            depth=self.depth + 1,
            calls=(*self.calls, key),
            caller=self.title(node),
        )
