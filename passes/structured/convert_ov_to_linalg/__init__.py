"""`convert-ov-to-linalg`: every primitive `ov` operation becomes `linalg`, `tensor`, `scf` and `arith`.

It runs after `convert-ov-loop-to-scf`, which has taken control flow and `main`'s signature apart, and ends in
STRUCTURED (docs/ir.md). The lowerings themselves are the modules of this package, one for a few operator families each;
`passes/structured/lib/lowering.py` has the API that they are written against, and the modules beside it the code that several
families share.
What this pass does besides calling them is to fold the materializations between the model's values and those that
cross regions:

| materialization | becomes |
|---|---|
| `tensor.from_elements %s : tensor<f32>`, `tensor.extract %t[]` | the scalar itself |
| `tensor.dim %v, %c` | the extent that the lowering of `%v` computed |
| `builtin.unrealized_conversion_cast` between `tensor<3xui8>` and `tensor<3xi8>` | the tensor |
| collapse, insert_slice into a new `tensor.empty` | into the capacity that the value was computed in |

```mlir
func.func @main(%x: tensor<2xf32>, %s: f32) -> tensor<2xf32> {
  %t = tensor.from_elements %s : tensor<f32>
  %k = ov.constant dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %a = ov.add %x, %k : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %b = ov.add %a, %t : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  func.return %b : tensor<2xf32>
}
```
becomes
```mlir
func.func @main(%x: tensor<2xf32>, %s: f32, %k: tensor<2xf32> {loomir.blob = dense<…>}) -> tensor<2xf32> {
  %d = tensor.empty() : tensor<2xf32>
  %a = linalg.generic … ins(%x, %k : …) outs(%d : …) { … arith.addf … }
  %e = tensor.empty() : tensor<2xf32>
  %b = linalg.generic … ins(%a, %s : tensor<2xf32>, f32) outs(%e : …) { … arith.addf … }
  func.return %b : tensor<2xf32>
}
```
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import ModuleOp, TensorType, UnrealizedConversionCastOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.diagnostics import located
from loomir.dialects.element_types import signless
from loomir.dialects.interface import BOUNDS, EXTENTS_ONLY
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error
from loomir.passes.analysis.lowering_requirements import refuse_graph_only
from loomir.passes.structured.lib.builder import extent_of
from loomir.passes.structured.lib.lowering import Lowering


@dataclass(frozen=True)
class ConvertOvToLinalgPass(ModulePass):
    """Lower every primitive `ov` operation (see the module's docstring).

    Errors: `no-lowering`, `graph-only-type`; `not-of-stage` where `convert-ov-loop-to-scf` has not run.
    """

    name = "convert-ov-to-linalg"
    EXACT = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse_graph_only(op)
        for func in op.body.block.ops:
            if isinstance(func, FuncOp) and func.body.blocks:
                _check_arguments(func)
                _Conversion(func).run()


def _check_arguments(func: FuncOp) -> None:
    """Check that the arguments of regions are in boundary form (docs/ir.md).

    Error: `not-of-stage`.
    """
    for op in walk(func):
        for argument in (a for region in op.regions for block in region.blocks for a in block.args):
            type_ = argument.type
            if isinstance(type_, TensorType) and not (
                type_.get_shape()
                and type_.has_static_shape()
                and signless(type_.element_type) == type_.element_type
            ):
                what = f"a region has an argument of type {type_}"
                raise located(Error("not-of-stage", what, hint="run convert-ov-loop-to-scf before"), op)


class _Conversion:
    """Conversion of one function.

    It is a walk in order, followed by the removal of replaced operations.
    """

    def __init__(self, func: FuncOp) -> None:
        self.func = func
        self.low = Lowering(func)
        self.dead: list[Operation] = []
        self.unneeded: set[Operation] = set()

    def run(self) -> None:
        self._block(self.func.body.block)
        for op in reversed(self.dead):
            Rewriter.erase_op(op)
        self.low.finish()
        _remove_unused(self.func.body.block, self.unneeded)

    def _block(self, block: Block) -> None:
        # The list is taken first: lowerings insert before the operation that they are at.
        for op in list(block.ops):
            with self.low.at(InsertPoint.before(op)), self.low.located(op.location):
                self._operation(op)

    def _operation(self, op: Operation) -> None:
        if op.name.startswith("ov."):
            if EXTENTS_ONLY in op.attributes:
                self._lower_extents(op)
            elif not isinstance(op, ConstantOp):
                self.low.lower(op)
            self.dead.append(op)
        elif isinstance(op, UnrealizedConversionCastOp) and len(op.inputs) == len(op.outputs) == 1:
            self.low.operand(op.outputs[0])
            self.dead.append(op)
        elif isinstance(op, tensor.FromElementsOp) and _rank(op.result) == 0:
            self.dead.append(op)
        elif isinstance(op, tensor.ExtractOp) and _rank(op.tensor) == 0:
            Rewriter.replace_op(op, [], [self.low.operand(op.tensor).value])
        elif isinstance(op, tensor.DimOp):
            axis = extent_of(op.index)
            assert isinstance(axis, int), "tensor.dim of an unknown dimension"
            Rewriter.replace_op(op, [], [self.low.index(self.low.operand(op.source).dims[axis])])
        elif isinstance(op, tensor.InsertSliceOp) and self._into_capacity(op):
            self.dead.append(op)
        else:
            self._adopt(op)
            for region in op.regions:
                self._block(region.block)

    def _lower_extents(self, op: Operation) -> None:
        """Lower an operation that is needed for its extents.

        Everything else that the lowering emits is removed again, loops included.
        """
        before = op.prev_op
        with self.low.unchecked():
            self.low.lower(op)
        made = op.prev_op
        while made is not None and made is not before:
            self.unneeded.add(made)
            made = made.prev_op

    def _adopt(self, op: Operation) -> None:
        """Give an operation that stays the converted values of its operands."""
        for index, operand in enumerate(op.operands):
            if isinstance(operand.owner, Operation) and _is_replaced(operand.owner):
                op.operands[index] = self.low.operand(operand).value

    def _into_capacity(self, op: tensor.InsertSliceOp) -> bool:
        """Reuse the capacity tensor in which the value was computed.

        This converts a shaped tensor to a flat one, if that capacity tensor fits.
        """
        dest = op.dest.owner
        source = op.source.owner
        if not isinstance(dest, tensor.EmptyOp) or not isinstance(source, Operation):
            return False
        value = source.operands[0] if isinstance(source, tensor.CollapseShapeOp) else op.source
        front = tuple(op.static_offsets.get_values()) == (0,) and tuple(op.static_strides.get_values()) == (
            1,
        )
        if not front:
            return False
        shaped = self.low.known(value)
        if shaped is None:
            return False
        if shaped.flat is not None and shaped.flat.type == op.dest.type:
            op.result.replace_all_uses_with(shaped.flat)
            if isinstance(source, tensor.CollapseShapeOp) and len(list(source.result.uses)) == 1:
                self.dead.append(source)
            self.dead.append(dest)
            return True
        if shaped.destination is not None and shaped.destination.type == op.dest.type:
            op.operands[1] = shaped.destination
            self.dead.append(dest)
        return False


def _remove_unused(block: Block, unneeded: set[Operation]) -> None:
    """Erase unused results of lowerings, and the notes on bounds.

    An unused result is, for example, an extent without uses.

    One sweep erases all of it. Loops and branches, which xDSL's dead-code elimination would erase, too, belong to the
    program and stay, except for those in `unneeded`.
    """
    for op in reversed(block.ops):
        op.attributes.pop(BOUNDS, None)
        for region in op.regions:
            _remove_unused(region.block, unneeded)
        pure = op in unneeded or op.dialect_name() in ("arith", "math", "tensor", "linalg")
        if pure and op.results and not any(r.uses.get_length() for r in op.results):
            Rewriter.erase_op(op)


def _rank(value: SSAValue) -> int | None:
    return len(value.type.get_shape()) if isinstance(value.type, TensorType) else None


def _is_replaced(owner: Operation) -> bool:
    return owner.name.startswith("ov.") or isinstance(
        owner, UnrealizedConversionCastOp | tensor.FromElementsOp
    )
