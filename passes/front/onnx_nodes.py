"""What transformations of FRONT share: which nodes are operators of ONNX's own, in which versions new ones are written, and what is
surely known of a value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from loomir.dialects.blob import ConstantAttr, constant_array, constant_attr
from loomir.dialects.element_types import i64
from loomir.dialects.onnx.graphs import version_of
from loomir.dialects.onnx.operations import OPSET, ConstantOp, FunctionKey, FunctionOp, NodeOp
from loomir.dialects.ov.base import int64_array


def functions_of(module: ModuleOp) -> frozenset[FunctionKey]:
    """The functions of a model: a node of such a name calls it, whatever ONNX has of this name."""
    return frozenset(op.key for op in module.ops if isinstance(op, FunctionOp))


def is_operator(op: NodeOp, operator: str, functions: frozenset[FunctionKey]) -> bool:
    """Whether a node is this operator of ONNX's own, in any version."""
    return op.key == ("", operator, "") and op.key not in functions


def opset_around(op: NodeOp) -> int:
    """The version of ONNX's operator set that the model or function around a node imports: at least the node's own version."""
    own = op.version.value.data
    return max(own, opset_of(op, own))


def opset_of(op: Operation, default: int = 1) -> int:
    """The version of ONNX's operator set that the model or function around an operation imports; `default` where that says none."""
    said: Attribute | None = None
    around: Operation | None = op.parent_op()
    while around is not None and not isinstance(around, FunctionOp | ModuleOp):
        around = around.parent_op()
    if isinstance(around, FunctionOp):
        said = around.opset
    elif around is not None:
        said = around.attributes.get(OPSET)
    return said.value.data if isinstance(said, IntegerAttr) else default


def version_in(opset: int, operator: str, least: int = 1) -> int:
    """The version of an operator that an operator set has, or version `least` where that of the set is older."""
    return max(least, version_of(operator, "", opset))


def integer_of(op: NodeOp, name: str, default: int | None = None) -> int | None:
    """An integer attribute, `default` where it is left out; None for one of another kind, or that a call of the function gives."""
    given = op.attributes.get(name)
    if given is None:
        return default
    return given.value.data if isinstance(given, IntegerAttr) and given.type == i64 else None


def integers_attr(value: int | Sequence[int]) -> Attribute:
    """The attribute of a node that is an integer, or a list of integers."""
    return IntegerAttr(value, i64) if isinstance(value, int) else DenseArrayBase.from_list(i64, value)


def contents_of(value: SSAValue) -> np.ndarray | None:
    """What an initialiser holds; None for any other value."""
    owner = value.owner
    if isinstance(owner, ConstantOp) and isinstance(owner.value, ConstantAttr):
        return constant_array(owner.value)
    return None


def sure_type(value: SSAValue) -> Attribute | None:
    """The type of an initialiser or an input of the model; None for other values, of whose types nothing may rely on."""
    owner = value.owner
    if isinstance(owner, ConstantOp):
        return value.type
    given = isinstance(value, BlockArgument) and isinstance(value.block.parent_op(), FuncOp)
    return value.type if given else None


def add_node(node: NodeOp, like: NodeOp, rewriter: PatternRewriter) -> SSAValue:
    """Put a new node of one result in front of the one that it is made for, whose place in the model it has; its result."""
    node.location = like.location
    rewriter.insert(node)
    return node.results[0]


def add_integers(values: Sequence[int], label: str, like: NodeOp, rewriter: PatternRewriter) -> SSAValue:
    """Put an initialiser `tensor<Nxi64>` in front of the node that it is made for."""
    constant = ConstantOp.of(constant_attr(int64_array(values)), label)
    constant.location = like.location
    rewriter.insert(constant)
    return constant.output
