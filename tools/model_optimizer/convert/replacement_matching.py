"""Sub-graphs of FRONT that match a description in a configuration file.

They are the nodes of a scope, or those between points.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, NoneType
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from loomir.dialects.interface import argument_names, main_function
from loomir.dialects.onnx.operations import ConstantOp, NodeOp, NoneOp
from loomir.dialects.upstream.walking import walk
from loomir.errors import shown
from loomir.tools.model_optimizer.convert.replacement_files import Description, NodePort

Named = NodeOp | ConstantOp
"""Operations that have a name in a model."""


def name_of(op: Named) -> str:
    """Return the name of a node in configuration files.

    It is the node's own name, or its first result's if it has none.
    """
    if isinstance(op, ConstantOp):
        return op.title
    if op.label is not None:
        return op.label.data
    return next(filter(None, map(op.name_of, range(len(op.results)))), "")


@dataclass(frozen=True)
class SubGraph:
    """Nodes of one block in order, with their inputs and outputs."""

    nodes: tuple[Operation, ...]
    inputs: tuple[SSAValue, ...]
    outputs: tuple[SSAValue, ...]


class Names:
    """Nodes of a module by name, in program order."""

    def __init__(self, module: ModuleOp) -> None:
        self.nodes: dict[str, list[Named]] = {}
        for op in walk(module):
            if isinstance(op, Named):
                self.nodes.setdefault(name_of(op), []).append(op)
        main = main_function(module)
        self.inputs: dict[str, SSAValue] = dict(zip(argument_names(main), main.args))
        """The model's inputs."""

    def matching(self, pattern: re.Pattern[str]) -> list[Named]:
        """The nodes whose names begin with what a regular expression matches."""
        return [op for name, ops in self.nodes.items() if pattern.match(name) for op in ops]


def sub_graphs(module: ModuleOp, description: Description) -> list[SubGraph]:
    """Return the sub-graphs that match a description, one per instance.

    Error: `replacement-match`, also if a node belongs to two instances.
    """
    names = Names(module)
    if description.kind == "points":
        found = [_between(names, description)]
    else:
        found = [_in_scope(names, description, scope) for scope in description.scopes]
    taken: set[Operation] = set()
    for each in found:
        if twice := taken & set(each.nodes):
            name = next(name_of(op) for op in each.nodes if op in twice and isinstance(op, Named))
            raise description.error(f"the node '{name}' is in two instances")
        taken |= set(each.nodes)
    return found


# ----- scopes -----------------------------------------------------------------------------------------------


def _in_scope(names: Names, description: Description, scope: str) -> SubGraph:
    matched = names.matching(re.compile(scope))
    if not any(isinstance(op, NodeOp) for op in matched):
        raise description.error(
            f"no node's name begins with '{scope}'", "`loomir-opt model.onnx --stage front` shows the names"
        )
    block = _block_of(matched, description)
    inside = _without_shared_constants(_at_top(matched, block), block)
    prefix = scope if scope.endswith("/") else f"{scope}/"
    return _sub_graph(inside, block, description, [op for op in matched if op in inside], prefix)


def _at_top(matched: Iterable[Operation], block: Block) -> set[Operation]:
    """The matched nodes that are not in the body of another one."""
    return {op for op in matched if op.parent is block}


def _block_of(matched: Sequence[Named], description: Description) -> Block:
    """Return the one block that contains all matched nodes.

    Nodes in the bodies of matched nodes are contained as well. Error: `replacement-match`.
    """
    known = set[Operation](matched)
    tops = [op for op in matched if not any(above in known for above in _above(op))]
    blocks = {op.parent for op in tops}
    block = tops[0].parent
    if len(blocks) != 1 or block is None:
        raise description.error(
            "its nodes are in several graphs: of the model, or of bodies of loops and branches"
        )
    return block


def _above(op: Operation) -> Iterator[Operation]:
    """Yield the operations around an operation, from the inside out."""
    above = op.parent_op()
    while above is not None:
        yield above
        above = above.parent_op()


# ----- points -----------------------------------------------------------------------------------------------


def _between(names: Names, description: Description) -> SubGraph:
    starts = _start_points(names, description)
    ends = _points(names, description, description.end, "an end")
    nodes = [op for op in (*starts, *ends) if isinstance(op, Operation)]
    block = _block_of([op for op in nodes if isinstance(op, Named)], description)
    excluded = set[Operation]()
    first: list[Operation] = []
    for point in starts:
        if description.include_start:
            assert isinstance(point, Operation)
            first.append(point)
        else:
            values = point.results if isinstance(point, Operation) else [point]
            first += [user for value in values for user in _users(value, block)]
            if isinstance(point, Operation):
                excluded.add(point)
    last: list[Operation] = list(ends)
    if not description.include_end:
        excluded |= set(ends)
        last = [op for end in ends for op in _producers(end, block)]
    follows = _following(first, block)
    for end in last:
        if end not in follows and isinstance(end, NodeOp):
            raise description.error(f"the end point '{name_of(end)}' is not reached from the start points")
    inside = _reached(first, set(last), excluded, block, description)
    inside = _without_shared_constants(inside, block)
    graph = _sub_graph(inside, block, description, [op for op in inside if isinstance(op, Named)], "")
    if description.inputs is not None or description.outputs is not None:
        return graph
    return _by_points(graph, starts, ends, description)


def _by_points(
    graph: SubGraph,
    starts: Sequence[Operation | SSAValue],
    ends: Sequence[Operation],
    description: Description,
) -> SubGraph:
    """Return the sub-graph with the points' inputs and outputs first.

    They are in the order of the points.
    """
    asked: list[SSAValue] = []
    for point in starts:
        if isinstance(point, SSAValue):
            asked.append(point)
        else:
            asked += point.operands[:1] if description.include_start else point.results[:1]
    given = [each for end in ends for each in (end.results if description.include_end else end.operands)[:1]]
    return SubGraph(graph.nodes, _first(asked, graph.inputs), _first(given, graph.outputs))


def _first(wanted: Iterable[SSAValue], values: Sequence[SSAValue]) -> tuple[SSAValue, ...]:
    known = set(values)
    return tuple(dict.fromkeys([*(value for value in wanted if value in known), *values]))


def _start_points(names: Names, description: Description) -> list[Operation | SSAValue]:
    """Return the start points of a description.

    Start points that do not belong to the sub-graph may be inputs of the model.
    """
    found: list[Operation | SSAValue] = []
    for name in description.start:
        if not description.include_start and name in names.inputs:
            found.append(names.inputs[name])
        else:
            found += _points(names, description, [name], "a start")
    return found


def _points(names: Names, description: Description, points: Iterable[str], which: str) -> list[Operation]:
    found: list[Operation] = []
    for name in points:
        nodes = names.nodes.get(name, [])
        if len(nodes) != 1:
            what = f"there is no node '{name}'" if not nodes else f"there are {len(nodes)} nodes '{name}'"
            raise description.error(
                f"{what}, which is {which} point", "`loomir-opt model.onnx --stage front` shows the names"
            )
        found += nodes
    return found


def _following(first: Sequence[Operation], block: Block) -> set[Operation]:
    """Nodes of the block, and all that uses their results."""
    found = set(first)
    todo = list(first)
    while todo:
        for result in todo.pop().results:
            new = [user for user in _users(result, block) if user not in found]
            found.update(new)
            todo += new
    return found


def _reached(
    first: Sequence[Operation],
    last: set[Operation],
    excluded: set[Operation],
    block: Block,
    description: Description,
) -> set[Operation]:
    """Return the nodes between the first and last ones, with their dependencies.

    Dependencies of the first nodes are not included.

    Error: `replacement-match` if a dependency is an input of the graph.
    """
    starts = set(first)
    found = set(starts)
    todo = deque(first)
    while todo:
        op = todo.popleft()
        near: list[Operation] = []
        # What else uses a constant has nothing to do with it.
        if op not in last and isinstance(op, NodeOp):
            near += [user for result in op.results for user in _users(result, block)]
        if op not in starts:
            near += _producers(op, block)
            for operand in _operands(op):
                if isinstance(operand, BlockArgument) and operand.block is block:
                    name = shown(operand.name_hint or operand.index)
                    raise description.error(
                        f"its nodes need the graph's input {name}",
                        "make the nodes that take the input start points",
                    )
        for each in near:
            if each not in found and each not in excluded:
                found.add(each)
                todo.append(each)
    return found


def _users(value: SSAValue, block: Block) -> list[Operation]:
    """Return the block's nodes that use a value.

    Uses in their bodies count.
    """
    found = [block.find_ancestor_op_in_block(use.operation) for use in value.uses]
    return [op for op in found if isinstance(op, Named)]


def _producers(op: Operation, block: Block) -> list[Operation]:
    """Return the block's nodes whose results an operation uses.

    Uses in its bodies count.
    """
    owners = [operand.owner for operand in _operands(op)]
    return [o for o in owners if isinstance(o, Named | NoneOp) and o.parent is block]


def _operands(op: Operation) -> Iterator[SSAValue]:
    """Yield the operands of an operation and of the operations in it.

    Values defined in its own bodies are included.
    """
    for inner in walk(op):
        yield from inner.operands


# ----- inputs and outputs -----------------------------------------------------------------------------------


def _without_shared_constants(inside: set[Operation], block: Block) -> set[Operation]:
    """Constants that others use too are inputs."""

    def shared(op: Operation) -> bool:
        users = (block.find_ancestor_op_in_block(use.operation) for r in op.results for use in r.uses)
        return isinstance(op, ConstantOp | NoneOp) and any(user not in inside for user in users)

    return {op for op in inside if not shared(op)}


def _sub_graph(
    inside: set[Operation], block: Block, description: Description, named: Sequence[Named], prefix: str
) -> SubGraph:
    nodes = tuple(op for op in block.ops if op in inside)
    own_blocks = {b for op in nodes for inner in walk(op) for r in inner.regions for b in r.blocks}
    own = {result for op in nodes for inner in walk(op) for result in inner.results}

    def comes_in(value: SSAValue) -> bool:
        return value not in own and value.owner not in own_blocks and not isinstance(value.type, NoneType)

    def goes_out(value: SSAValue) -> bool:
        return any(block.find_ancestor_op_in_block(use.operation) not in inside for use in value.uses)

    inputs = tuple(dict.fromkeys(o for op in nodes for o in _operands(op) if comes_in(o)))
    outputs = tuple(result for op in nodes for result in op.results if goes_out(result))
    find = _Finder(description, named, prefix)
    if description.inputs is not None:
        inputs = tuple(find.input(each) for each in description.inputs)
    if description.outputs is not None:
        told = tuple(find.output(each) for each in description.outputs)
        for value in outputs:
            if value not in told:
                owner = value.owner
                name = name_of(owner) if isinstance(owner, Named) else value.name_hint
                raise description.error(
                    f"output {_index(value)} of the node '{name}' is used outside, but not among the outputs"
                )
        outputs = told
    return SubGraph(nodes, inputs, outputs)


def _index(value: SSAValue) -> int:
    return value.index if isinstance(value, OpResult | BlockArgument) else 0


@dataclass(frozen=True)
class _Finder:
    """Finder of the described inputs and outputs in a sub-graph's nodes."""

    description: Description
    named: Sequence[Named]
    prefix: str

    def input(self, ports: Sequence[NodePort]) -> SSAValue:
        """The one value that all of these inputs take."""
        values = [self._at(self._node(pattern).operands, pattern, port, "input") for pattern, port in ports]
        if any(value is not values[0] for value in values):
            nodes = ", ".join(f"'{pattern}'" for pattern, _ in ports)
            raise self.description.error(f"the inputs of {nodes} must take the same value")
        return values[0]

    def output(self, port: NodePort) -> SSAValue:
        pattern, index = port
        return self._at(self._node(pattern).results, pattern, index, "output")

    def _at(self, values: Sequence[SSAValue], pattern: str, index: int, what: str) -> SSAValue:
        if index >= len(values):
            raise self.description.error(f"the node '{pattern}' has no {what} {index}")
        return values[index]

    def _node(self, pattern: str) -> Named:
        compiled = re.compile(f"{self.prefix}{pattern}")
        found = [op for op in self.named if compiled.match(name_of(op))]
        if len(found) != 1:
            what = "no node is" if not found else f"{len(found)} nodes are"
            raise self.description.error(f"{what} called '{self.prefix}{pattern}' in the sub-graph")
        return found[0]
