"""Scopes: what the values of one graph that is being translated became, and the block that receives its operations.

A subgraph is a child scope with a block of its own; outer values are simply used inside. A function call is a scope that sees only
its arguments. A graph may be translated several times, a function once for each call: FRONT stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from xdsl.dialects.builtin import FileLineColLoc, NameLoc, NoneAttr, StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from loomir.dialects.blob import ConstantAttr
from loomir.dialects.onnx.operations import ConstantOp as Initialiser
from loomir.dialects.onnx.operations import FunctionKey, FunctionOp, NodeOp, NoneOp, YieldOp
from loomir.dialects.onnx.types import ReferenceAttr
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.errors import Error
from loomir.passes.analysis.contents import Contents
from loomir.passes.front.convert_onnx_to_ov.options import TranslationOptions


def name_location(name: str, origin: Attribute | None = None) -> NameLoc:
    """The location `loc("name")`, with the place in a text where FRONT was read from one."""
    return NameLoc(StringAttr(name), origin if isinstance(origin, FileLineColLoc) else NoneAttr())


@dataclass
class Session:
    """What one translation shares: the model's functions, limits and what is known of contents."""

    functions: Mapping[FunctionKey, FunctionOp]
    options: TranslationOptions
    opset: int = 1
    """The version of ONNX's operator set that the model imports."""
    contents: Contents = field(default_factory=Contents)
    nodes: int = 0
    definitions: dict[tuple[str, str, int], FunctionOp] = field(default_factory=dict)
    """What ONNX itself defines an operator to be, whatever its inputs are; by domain, operator and version."""
    differences: dict[tuple[str, str, str], None] = field(default_factory=dict)
    """What the specification and ONNX Runtime read differently: node, operator and in what; each once, in the order found
    (a body is translated until its types hold)."""

    def count_node(self) -> None:
        """`Error("import-limit")` where more nodes were translated than allowed."""
        self.nodes += 1
        if self.nodes > self.options.max_nodes:
            raise Error("import-limit", f"the model has more than {self.options.max_nodes} nodes")


@dataclass(frozen=True)
class Graph:
    """A graph attribute: its region, and the scope that its outer values belong to, which is where it was written."""

    region: Region
    owner: Scope

    @property
    def inputs(self) -> Sequence[SSAValue]:
        """The graph's formal inputs, of the types that it declares."""
        return self.region.block.args

    @property
    def end(self) -> YieldOp:
        """What says which values the graph gives."""
        last = self.region.block.last_op
        assert isinstance(last, YieldOp), "onnx.node verifies it"
        return last

    @property
    def types(self) -> Sequence[Attribute]:
        """What the graph declares of each of its results."""
        return self.end.types


class Scope:
    """The values of one graph and the block that its operations go to."""

    def __init__(
        self,
        session: Session,
        source: Block,
        block: Block,
        *,
        parent: Scope | None = None,
        attributes: Mapping[str, Attribute | Graph] = MappingProxyType({}),
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
        """The attributes of a function call, which the function's nodes may refer to."""
        self.opset = opset
        self.depth = depth
        """How many subgraphs and calls are around."""
        self.calls = calls
        self.caller = caller
        """The title of the node whose function this is."""
        self.values: dict[SSAValue, SSAValue | None] = {}
        """What values of FRONT became: None for the input of a function that its call leaves out."""
        if depth > session.options.max_nesting:
            raise Error(
                "import-limit", f"subgraphs and calls are nested deeper than {session.options.max_nesting}"
            )

    def find(self, value: SSAValue) -> SSAValue | None:
        """What a value became; None where it is left out. An initialiser becomes a constant where it is first read."""
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
        """What locations and messages call a node."""
        return f"{self.caller}/{op.title}" if self.caller else op.title

    def append(self, op: Operation, location: NameLoc) -> Operation:
        """Put an operation at the end of the block."""
        op.location = location
        self.block.add_op(op)
        return op

    def resolve(self, attribute: Attribute) -> Attribute | Graph | None:
        """The attribute itself, or the attribute of the function call that it refers to (None: not given)."""
        if not isinstance(attribute, ReferenceAttr):
            return attribute
        return self.attributes.get(attribute.attribute.data)

    def attributes_of(self, op: NodeOp) -> dict[str, Attribute | Graph]:
        """A node's attributes, those of the function call in place of what refers to them."""
        found = {name: self.resolve(attribute) for name, attribute in op.attributes.items()}
        given: dict[str, Attribute | Graph] = {n: a for n, a in found.items() if a is not None}
        for name, region in op.graph_attributes.items():
            given[name] = Graph(region, self)
        return given

    def child(self, arguments: Sequence[Attribute], graph: Graph | None = None) -> tuple[Scope, Block]:
        """A scope for a graph below this one and its block, which has arguments of these types.

        Without a graph it is one that the translator itself fills.
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
        """A scope for the body of a function in place of a node that calls it: its operations go where the node's would."""
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
