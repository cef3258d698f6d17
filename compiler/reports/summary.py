"""Summary of a program.

It has the tree of loops and branches, operations by name, parameters and multiply–accumulates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, TensorType, UnrankedTensorType
from xdsl.ir import Block, Operation, SSAValue

from loomir.compiler.reports.costs import NOTHING, multiply_accumulates, product, total_of, trips_of
from loomir.dialects.element_types import dtype_of, is_float
from loomir.dialects.interface import program_name
from loomir.dialects.locations import layer_name
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.walking import walk
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.integer_weights import PRODUCTS

CONTROL_FLOW = ("ov.loop", "ov.if", "scf.for", "scf.while", "scf.if")


@dataclass
class Node:
    """Loop, branch or, at the root, program: a text line and children."""

    text: str
    operations: int = 0
    macs: Dim = NOTHING
    """Multiply–accumulates of one execution.

    For a loop they are those of all iterations, for a branch those of the arm that is taken.
    """
    children: list[Node] = field(default_factory=list)


@dataclass(frozen=True)
class Summary:
    """Counts over a whole module."""

    operations: Counter[str]
    constants: int
    constant_bytes: int
    parameters: int
    """Number of trained elements.

    They are the elements of all constants except lists of integers (axes, shapes).
    """
    products: int
    """Convolutions and products of matrices."""
    integer_products: int
    """Those of integers."""
    floats: Counter[str]
    """Operations with results of floats, without constants."""

    @property
    def control_flow(self) -> dict[str, int]:
        """How many operations there are of each kind with regions."""
        return {name: self.operations[name] for name in CONTROL_FLOW if self.operations[name]}


def summarise(module: ModuleOp) -> Summary:
    """Count the operations and constants of a GRAPH module.

    The counts are operations by name, those on floats, and number, bytes and elements of the constants.
    """
    operations, floats = Counter[str](), Counter[str]()
    constants = size = parameters = products = integer_products = 0
    for op in walk(module):
        operations[op.name] += 1
        if isinstance(op, ConstantOp):
            constants += 1
            size += op.array.nbytes
            trained = op.array.dtype.kind not in "iub" or op.array.ndim > 1
            parameters += op.array.size if trained else 0
            continue
        of_floats = any(_is_of_floats(result) for result in op.results)
        floats[op.name] += of_floats
        if isinstance(op, PRODUCTS):
            products += 1
            integer_products += not of_floats
    return Summary(operations, constants, size, parameters, products, integer_products, +floats)


def _is_of_floats(value: SSAValue) -> bool:
    t = value.type
    return isinstance(t, TensorType | UnrankedTensorType) and is_float(t.element_type)


def control_flow_tree(module: ModuleOp) -> Node:
    """Return the tree of loops and branches of a module.

    The module may be of any stage. The tree has the nesting of the module, and the inferred trip counts.
    """
    inference = infer(module)
    total, macs = multiply_accumulates(module)
    root = Node(program_name(module) or "program", macs=total)
    for op in module.ops:
        for region in op.regions:
            for block in region.blocks:
                _collect(block, root, inference, macs)
    return root


def _collect(block: Block, parent: Node, inference: Inference, macs: Mapping[Operation, Dim]) -> None:
    for op in block.ops:
        parent.operations += 1
        if not op.regions or op.name not in CONTROL_FLOW:
            continue
        node = Node(_describe(op, inference), macs=macs.get(op, NOTHING))
        parent.children.append(node)
        if isinstance(op, IfOp | scf.IfOp):
            for name, region in zip(("then", "else"), op.regions):
                if region.blocks:
                    arm = Node(name)
                    node.children.append(arm)
                    _collect(region.block, arm, inference, macs)
                    arm.macs = total_of(region.block, macs)
                    node.operations += arm.operations
            continue
        for region in op.regions:
            _collect(region.block, node, inference, macs)


def _describe(op: Operation, inference: Inference) -> str:
    name = f" '{layer}'" if (layer := layer_name(op)) else ""
    if isinstance(op, LoopOp):
        return f"loop{name}: trips {_trips(op, inference)}, {_values(op, inference)}"
    if isinstance(op, IfOp):
        return f"if{name}: {len(op.output)} results ({', '.join(str(r.type) for r in op.output)})"
    return f"{op.name}{name}: {len(op.results)} results"


def _trips(op: LoopOp, inference: Inference) -> str:
    try:
        bounds = trips_of(op, inference)
    except KeyError:
        bounds = Dim()
    return "unbounded" if bounds.hi is None and bounds.lo == 0 else str(bounds)


def _values(op: LoopOp, inference: Inference) -> str:
    parts: list[str] = []
    for what, values in (
        ("carried", op.final),
        ("sliced", op.sliced),
        ("last", op.last),
        ("concatenated", op.concat),
    ):
        if values:
            parts.append(f"{what} ({', '.join(str(v.type) for v in values)}){_size(values, inference)}")
    return ", ".join(parts) or "no values"


def _size(values: Sequence[SSAValue], inference: Inference) -> str:
    """The bytes of these values together; nothing where one has no bound."""
    total = NOTHING
    for value in values:
        fact = inference.any_fact(value)
        if not isinstance(fact, Fact) or fact.shape is None:
            return ""
        total = total + product(fact.shape) * dtype_of(fact.element).itemsize
    return "" if total.hi is None else f" {'' if total.static is not None else '≤'}{total.hi:,} B"
