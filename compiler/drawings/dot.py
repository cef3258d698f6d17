"""Text of a program for graphviz.

Values are edges, loops and branches are clusters.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import ConstantLike

from loomir.dialects.diagnostics import layer_name
from loomir.dialects.region_flow import region_flow, terminator


def dot_of(module: ModuleOp) -> str:
    """Return a module of any stage as a graph for graphviz's `dot`.

    A node is an operation, with its layer; an edge is a value, with its type. A loop, a branch and each of its arms are
    clusters, in which the node `inputs` stands for the arguments of the block; a dashed edge leads from their ends to the
    node of the operation. Constants are left out.
    """
    return "\n".join(["digraph program {", *_HEAD, *_Graph().block(module.body.block, "  "), "}"]) + "\n"


_HEAD = (
    "  compound=true;",
    '  node [shape=box, style=rounded, fontname="monospace", fontsize=10];',
    '  edge [fontname="monospace", fontsize=8];',
    '  fontname="monospace"; fontsize=10;',
)


class _Graph:
    def __init__(self) -> None:
        self._names: dict[Operation | Block, str] = {}

    def name(self, item: Operation | Block) -> str:
        return self._names.setdefault(item, f"n{len(self._names)}")

    def block(self, block: Block, indent: str) -> Iterator[str]:
        """The nodes, clusters and edges of a block."""
        if any(argument.uses for argument in block.args):
            yield f'{indent}{self.name(block)} [label="inputs", shape=plain];'
        for op in block.ops:
            if op.has_trait(ConstantLike):
                continue
            yield from self.cluster(op, indent) if op.regions else self.node(op, indent, _title(op))
            yield from self.edges(op, indent)

    def node(self, op: Operation, indent: str, title: str) -> Iterator[str]:
        yield f"{indent}{self.name(op)} [label={_quoted(title)}];"

    def cluster(self, op: Operation, indent: str) -> Iterator[str]:
        """The regions of an operation.

        Around them, edges to and from the operation itself are those of the node with its name.
        """
        flow = region_flow(op)
        yield f"{indent}subgraph cluster_{self.name(op)} {{"
        yield f"{indent}  label={_quoted(_title(op))};"
        if flow is not None:
            yield from self.node(op, f"{indent}  ", op.name)
        arms = ("then", "else") if flow is not None and not flow.repeats else ()
        for region, arm in zip_longest(op.regions, arms):
            if region is None or not region.blocks:
                continue
            if arm is not None:
                yield f"{indent}  subgraph cluster_{self.name(region.block)} {{ label={arm};"
            yield from self.block(region.block, f"{indent}    ")
            if arm is not None:
                yield f"{indent}  }}"
            if flow is not None:
                end = self.name(terminator(region.block))
                yield f"{indent}  {end} -> {self.name(op)} [style=dashed];"
        yield f"{indent}}}"

    def edges(self, op: Operation, indent: str) -> Iterator[str]:
        for operand in dict.fromkeys(op.operands):
            source = _source(operand)
            if source is not None:
                yield f"{indent}{self.name(source)} -> {self.name(op)} [label={_quoted(str(operand.type))}];"


def _source(value: SSAValue) -> Operation | Block | None:
    """Where a value comes from; None for a constant."""
    if isinstance(value, BlockArgument):
        return value.block
    owner = value.owner
    return None if isinstance(owner, Operation) and owner.has_trait(ConstantLike) else owner


def _title(op: Operation) -> str:
    layer = layer_name(op)
    return op.name if layer is None else f"{op.name}\n{layer}"


def _quoted(text: str) -> str:
    """A string of DOT; a backslash of the text stands for itself."""
    for character, instead in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", " "), ("\0", " ")):
        text = text.replace(character, instead)
    return f'"{text}"'
