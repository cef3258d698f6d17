"""`linalg-detensorize`: tensors of one element become scalars.

```mlir
%r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<1xf32>) {
  %e = tensor.empty() : tensor<1xf32>
  %g = linalg.generic … ins(%v, %w : tensor<1xf32>, tensor<1xf32>) outs(%e : tensor<1xf32>) { (%p, %q) addf }
  scf.yield %g : tensor<1xf32>
}
```

becomes

```mlir
%s = tensor.extract %x[%c0] : tensor<1xf32>
%t = tensor.extract %w[%c0] : tensor<1xf32>
%a = scf.for %i = %c0 to %n step %c1 iter_args(%p = %s) -> (f32) {
  %b = arith.addf %p, %t : f32
  scf.yield %b : f32
}
%e = tensor.empty() : tensor<1xf32>
%r = linalg.fill ins(%a : f32) outs(%e : tensor<1xf32>)
```

Two such values that change places in each iteration then need no buffers. As in MLIR's pass of this name, a `linalg.generic` on tensors of
one element is replaced by its body, and loops and branches carry scalars. Other operations get a `linalg.fill` of the scalar, which
`linalg-fuse-elementwise` takes in. Arguments and results of functions stay tensors, and so does the data of a dynamic tensor, which may
have no element.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import FillOp, GenericOp, IndexOp, YieldOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.control_flow.rewriting import Structured, tied_values
from loomir.dialects.diagnostics import Remarks
from loomir.dialects.element_types import tensor_type_of
from loomir.dialects.region_flow import predecessor_values, region_flow
from loomir.dialects.scalars.row import number_attr
from loomir.dialects.upstream.implicit_bodies import fill


@dataclass(frozen=True)
class LinalgDetensorizePass(ModulePass):
    """Replaces tensors of one element by scalars (see the module's docstring)."""

    name = "linalg-detensorize"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        remarks = Remarks(self.name)
        for function in op.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                _Detensorizer(function.body.block, remarks).run()


@dataclass
class _Detensorizer:
    """Elements of tensors that have one."""

    entry: Block
    remarks: Remarks
    elements: dict[SSAValue, SSAValue] = field(default_factory=dict)
    made: list[Operation] = field(default_factory=list)
    """Operations to erase where nothing uses them, users behind what they use."""

    def __post_init__(self) -> None:
        zero = arith.ConstantOp(IntegerAttr(0, IndexType()))
        function = self.entry.parent_op()
        assert function is not None
        zero.location = function.location
        Rewriter.insert_op(zero, InsertPoint.at_start(self.entry))
        self.made.append(zero)
        self.zero = zero.result

    def run(self) -> None:
        self._visit_block(self.entry)
        for op in reversed(self.made):
            if not any(result.first_use for result in op.results):
                Rewriter.erase_op(op)

    def _visit_block(self, block: Block) -> None:
        for op in block.ops:
            match op:
                case FillOp() if op.results and _holds_one(op.results[0]):
                    self.elements[op.results[0]] = op.inputs[0]
                    self.made.append(op)
                case tensor.ExpandShapeOp() | tensor.CollapseShapeOp() if op.operands[0] in self.elements:
                    if _holds_one(op.results[0]):
                        self.elements[op.results[0]] = self.elements[op.operands[0]]
                case tensor.InsertOp() if _holds_one(op.result):
                    self.elements[op.result] = op.scalar
                case tensor.ExtractOp() if op.tensor in self.elements:
                    Rewriter.replace_op(op, [], [self.elements[op.tensor]])
                case GenericOp() if all(_holds_one(v) for v in op.operands if _is_tensor(v)):
                    self._inline(op)
                case scf.ForOp() | scf.WhileOp() | scf.IfOp():
                    self._visit_nest(op)
                case _:
                    pass

    def _inline(self, op: GenericOp) -> None:
        """Replace a generic by its body."""
        if not op.results:
            return
        known: dict[SSAValue, SSAValue] = {
            argument: self._element(value) if _is_tensor(value) else value
            for argument, value in zip(op.body.block.args, op.operands, strict=True)
            if argument.first_use
        }
        for inner in op.body.block.ops:
            if isinstance(inner, YieldOp):
                for result, value, destination in zip(op.results, inner.operands, op.outputs, strict=True):
                    filled = self._fill(known.get(value, value), destination, op, InsertPoint.before(op))
                    result.replace_all_uses_with(filled)
            elif isinstance(inner, IndexOp):
                known[inner.result] = self.zero
            else:
                Rewriter.insert_op(inner.clone(known), InsertPoint.before(op))
        Rewriter.erase_op(op)

    def _visit_nest(self, op: Structured) -> None:
        """Carry scalars through a loop or branch."""
        flow = region_flow(op)
        tied = tied_values(flow)
        dynamic = {
            other for value in tied if _holds_one(value) and _is_dynamic(value) for other in tied[value]
        }
        scalars = [value for value in tied if _holds_one(value) and value not in dynamic]
        forwarded = {
            (edge.forwarder, edge.first + number): None
            for edge in flow.edges
            for number, value in enumerate(edge.inputs)
            if _holds_one(value) and value not in dynamic
        }
        for forwarder, number in forwarded:
            if forwarder is op:
                op.operands[number] = self._element(op.operands[number])
        for value in scalars:
            if isinstance(value.owner, Block):
                self._make_scalar(value, op, InsertPoint.at_start(value.owner))
        for region in op.regions:
            if region.blocks:
                self._visit_block(region.block)
        for forwarder, number in forwarded:
            if forwarder is not op:
                forwarder.operands[number] = self._element(forwarder.operands[number])
        for value in scalars:
            if value.owner is op:
                self._make_scalar(value, op, InsertPoint.after(op))
        if scalars:
            self.remarks.passed(op, "carries tensors of one element as scalars", values=len(scalars))

    def _make_scalar(self, value: SSAValue, op: Operation, at: InsertPoint) -> None:
        """Give an argument or result the type of its element."""
        type_ = tensor_type_of(value)
        scalar = Rewriter.replace_value_with_new_type(value, type_.element_type)
        uses = list(scalar.uses)
        empty = tensor.EmptyOp([], type_)
        empty.location = op.location
        Rewriter.insert_op(empty, at)
        self.made.append(empty)
        filled = self._fill(scalar, empty.tensor, op, InsertPoint.after(empty))
        for use in uses:
            use.operation.operands[use.index] = filled

    def _fill(self, element: SSAValue, destination: SSAValue, of: Operation, at: InsertPoint) -> SSAValue:
        """Return a tensor of this element, for those that need one."""
        while isinstance(destination.owner, FillOp):
            # It is overwritten before anything reads it.
            destination = destination.owner.outputs[0]
        op = fill(element, destination, [destination.type])
        op.location = of.location
        Rewriter.insert_op(op, at)
        self.made.append(op)
        self.elements[op.results[0]] = element
        return op.results[0]

    def _element(self, value: SSAValue) -> SSAValue:
        """Return the element of a tensor, 0 of an undefined one."""
        if value not in self.elements:
            owner = value.owner
            if isinstance(owner, tensor.EmptyOp):
                new: Operation = arith.ConstantOp(number_attr(0, tensor_type_of(value).element_type))
            else:
                type_ = tensor_type_of(value)
                new = tensor.ExtractOp(value, [self.zero] * len(type_.get_shape()), type_.element_type)
            # Behind the constant, where that is in the same block.
            behind = self.zero.owner if owner is self.entry else owner
            at = InsertPoint.at_start(behind) if isinstance(behind, Block) else InsertPoint.after(behind)
            if isinstance(owner, Operation):
                new.location = owner.location
            elif isinstance(value, BlockArgument):
                new.location = value.location
            Rewriter.insert_op(new, at)
            self.made.append(new)
            self.elements[value] = new.results[0]
        return self.elements[value]


def _is_dynamic(value: SSAValue) -> bool:
    """Return True if a tensor is the memory of a dynamic one."""
    return any(isinstance(use.operation, tensor.ExtractSliceOp) for use in value.uses) or any(
        isinstance(source.owner, tensor.InsertSliceOp) for source in predecessor_values(value)
    )


def _is_tensor(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType)


def _holds_one(value: SSAValue) -> bool:
    """Return True for a tensor of one element."""
    return isinstance(value.type, TensorType) and all(extent == 1 for extent in value.type.get_shape())
