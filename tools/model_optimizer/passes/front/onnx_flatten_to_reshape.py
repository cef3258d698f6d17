"""`onnx-flatten-to-reshape`: ONNX's Flatten by operators that other frameworks have too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, ModuleOp, TensorType
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from loomir.dialects.diagnostics import PatternRemarks, Remarks
from loomir.dialects.element_types import i64
from loomir.dialects.onnx.operations import FunctionKey, NodeOp
from loomir.dialects.onnx.rewriting import (
    add_integers,
    add_node,
    functions_of,
    integer_of,
    integers_attr,
    is_operator,
    opset_around,
    sure_type,
    version_in,
)
from loomir.dialects.onnx.types import UNKNOWN
from loomir.dialects.ov.facts import MAX_RANK
from loomir.dialects.upstream.rewriting import rewrite

LAST = (1 << 63) - 1
"""Where a slice ends that goes to the end."""


@dataclass(frozen=True)
class OnnxFlattenToReshapePass(ModulePass):
    """Replaces Flatten by a Reshape to a shape computed from the input's.

    ```mlir
    %y = onnx.node "Flatten" 13 named "f" (%x) {axis = 2 : i64} : (tensor<2x3x4x5xf32>) -> !onnx.unknown
    ```
    becomes
    ```mlir
    %s = onnx.node "Shape" 13 named "f/input_shape" (%x) : (tensor<2x3x4x5xf32>) -> !onnx.unknown
    %i = onnx.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
    %g = onnx.node "Gather" 13 (%s, %i) {axis = 0 : i64} : (!onnx.unknown, tensor<2xi64>) -> !onnx.unknown
    %p = onnx.node "ReduceProd" 13 named "f/first_dims" (%g) {axes = array<i64: 0>, keepdims = 1 : i64} : (!onnx.unknown) -> !onnx.unknown
    %r = onnx.constant dense<-1> : tensor<1xi64> : tensor<1xi64>
    %t = onnx.node "Concat" 13 (%p, %r) {axis = 0 : i64} : (!onnx.unknown, tensor<1xi64>) -> !onnx.unknown
    %y = onnx.node "Reshape" 14 named "f" (%x, %t) : (tensor<2x3x4x5xf32>, !onnx.unknown) -> !onnx.unknown
    ```

    For axis 0 and 1 the shape is a constant, `[1, -1]` and `[0, -1]`. For a negative axis the last extents are multiplied,
    and `-1` comes first. If the other extent is 0, the extent that `-1` stands for cannot be inferred, and an extent of 0
    in Reshape's shape means another extent. So unless these extents are known to be nonzero, as those of the model's own
    inputs may be, both products are computed and Reshape (14 or newer) takes 0 as 0. With `assume-nonempty` no tensor is
    empty, and the shape is always the short one. A Flatten stays if its axis is no position of the input, or if the call of
    a function supplies the axis.
    """

    name = "onnx-flatten-to-reshape"
    # (Nothing can run FRONT: this is never compared.)
    EXACT = True

    assume_nonempty: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pattern = FlattenToReshape(functions_of(op), self.assume_nonempty, Remarks(self.name))
        with PatternRemarks().recording(op, self.name):
            # Nothing that is made is a Flatten: each is looked at once.
            rewrite(op, pattern, once=True)


@dataclass
class FlattenToReshape(RewritePattern):
    """`flatten(x, k) → reshape(x, [x.shape[0] · … · x.shape[k − 1], −1])`."""

    functions: frozenset[FunctionKey]
    assume_nonempty: bool
    remarks: Remarks

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: NodeOp, rewriter: PatternRewriter) -> None:
        if not is_operator(op, "Flatten", self.functions) or len(op.inputs) != 1 or len(op.results) != 1:
            return
        axis = integer_of(op, "axis", 1)
        if axis is None:
            self.remarks.missed(op, "its axis is not known")
            return
        extents = _sure_extents(op.inputs[0])
        rank = MAX_RANK if extents is None else len(extents)
        if not -rank <= axis <= rank:
            self.remarks.missed(op, f"its axis {axis} is out of range for the input", axis=axis)
            return
        made = _Shapes(op, op.inputs[0], axis, rewriter)
        nonempty = self.assume_nonempty or axis == 0 or _surely_positive(extents, axis)
        target = made.short() if nonempty else made.whole()
        attributes = dict(op.attributes)
        attributes.pop("axis", None)
        if not nonempty:
            attributes["allowzero"] = IntegerAttr(1, i64)
        reshape = NodeOp.of(
            "Reshape",
            version_in(made.opset, "Reshape", 5 if nonempty else 14),
            [op.inputs[0], target],
            op.result_types,
            label="" if op.label is None else op.label.data,
            names=None if op.names is None else [name.data for name in op.names],
            attributes=attributes,
        )
        reshape.location = op.location
        rewriter.replace(op, reshape)


def _sure_extents(data: SSAValue) -> tuple[int, ...] | None:
    """Return the extents of a model input or an initialiser.

    -1 stands for an unknown extent. None if even the rank is unknown.
    """
    type_ = sure_type(data)
    return type_.get_shape() if isinstance(type_, TensorType) else None


def _surely_positive(extents: Sequence[int] | None, axis: int) -> bool:
    """Return True if all multiplied extents are known and nonzero."""
    if extents is None:
        return False
    multiplied = extents[:axis] if axis > 0 else extents[axis:]
    return all(e != DYNAMIC_INDEX and e > 0 for e in multiplied)


class _Shapes:
    """Builder of the shape operand of the Reshape that replaces a Flatten."""

    def __init__(self, op: NodeOp, data: SSAValue, axis: int, rewriter: PatternRewriter) -> None:
        self.op, self.data, self.axis, self.rewriter = op, data, axis, rewriter
        self.opset = opset_around(op)

    def short(self) -> SSAValue:
        """`[product, -1]`, or `[-1, product]` for a negative axis."""
        if self.axis in (0, 1):
            return self._integers([1 - self.axis, -1], "shape")
        indices = range(self.axis) if self.axis > 0 else range(self.axis, 0)
        product = self._product(self._picked(self._shape(), indices), "first_dims")
        rest = self._integers([-1], "second_dims")
        return self._joined([product, rest] if self.axis > 0 else [rest, product])

    def whole(self) -> SSAValue:
        """Return the products of the extents before and from the axis.

        The axis determines the number of extents on one side: before it if it is positive, from it on if it is negative.
        """
        shape = self._shape()
        if self.axis > 0:
            parts = self._picked(shape, range(self.axis)), self._part(shape, self.axis, LAST)
        else:
            parts = self._part(shape, 0, self.axis), self._picked(shape, range(self.axis, 0))
        return self._joined([self._product(p, name) for p, name in zip(parts, ("first_dims", "second_dims"))])

    def _shape(self) -> SSAValue:
        return self._node("Shape", [self.data], label="input_shape")

    def _picked(self, shape: SSAValue, indices: Sequence[int]) -> SSAValue:
        """The extents at these positions, which have to be there."""
        places = self._integers(indices, "indices")
        return self._node("Gather", [shape, places], least=11, axis=0)

    def _part(self, shape: SSAValue, start: int, end: int) -> SSAValue:
        parameters = [self._integers([v], name) for v, name in ((start, "start"), (end, "end"), (0, "axis"))]
        return self._node("Slice", [shape, *parameters], least=10)

    def _product(self, extents: SSAValue, label: str) -> SSAValue:
        """Return the product of a vector as a vector of one element.

        The product of an empty vector is 1.
        """
        version = version_in(self.opset, "ReduceProd")
        if version >= 18:
            axes = self._integers([0], f"{label}/axes")
            return self._node("ReduceProd", [extents, axes], label=label, keepdims=1)
        return self._node("ReduceProd", [extents], label=label, axes=[0], keepdims=1)

    def _joined(self, parts: Sequence[SSAValue]) -> SSAValue:
        return self._node("Concat", parts, least=4, label="shape", axis=0)

    def _integers(self, values: Sequence[int], label: str) -> SSAValue:
        return add_integers(values, f"{self.op.title}/{label}", self.op, self.rewriter)

    def _node(
        self,
        operator: str,
        inputs: Sequence[SSAValue],
        *,
        least: int = 1,
        label: str = "",
        **attributes: int | Sequence[int],
    ) -> SSAValue:
        node = NodeOp.of(
            operator,
            version_in(self.opset, operator, least),
            inputs,
            [UNKNOWN],
            label=f"{self.op.title}/{label or operator}",
            attributes={name: integers_attr(value) for name, value in attributes.items()},
        )
        return add_node(node, self.op, self.rewriter)
