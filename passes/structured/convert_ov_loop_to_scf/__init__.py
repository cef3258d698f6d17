"""`convert-ov-loop-to-scf`: control flow and `main`'s signature become `scf` and docs/ir.md's boundary form.

Every `ov.loop` becomes an `scf.for` or `scf.while`, every `ov.if` an `scf.if`; the arguments and results of
`main` become scalars, static tensors, and flat capacity tensors with their extents. Other `ov` operations
stay, on tensors of the true shape, for `convert-ov-to-linalg`; upstream operations materialize one as the other
(see `boundary`).

```mlir
func.func @main(%x: tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
  %zero = ov.constant dense<0.0> : tensor<4xf32> : tensor<4xf32>
  %sum, %all = ov.loop carried(%zero) sliced(%x)
      {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]}
      : (tensor<4xf32>, tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
  ^bb0(%i: tensor<i64>, %acc: tensor<4xf32>, %part: tensor<1x4xf32>):
    …
    ov.next carried(%next : tensor<4xf32>) concat(%row : tensor<1x4xf32>)
  }
  func.return %sum, %all : tensor<4xf32>, tensor<8x4xf32>
}
```
becomes
```mlir
func.func @main(%x: tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
  %zero = ov.constant …
  %e = tensor.empty() : tensor<8x4xf32>
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %zero, %all = %e)
      -> (tensor<4xf32>, tensor<8x4xf32>) {
    %part = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
    …
    %all2 = tensor.insert_slice %row into %all[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
    scf.yield %next, %all2 : tensor<4xf32>, tensor<8x4xf32>
  }
  func.return %r#0, %r#1 : tensor<4xf32>, tensor<8x4xf32>
}
```

Run-time errors are `cf.assert`s: `shape:` (a trip count beyond the slices of an input, parts that differ between
iterations, a range that does not fit), `capacity:` (more output than its bounds allow).

`max-iterations=N` adds a `limit:` assert to every loop that is not known to run at most N times: at the start of the
body of an `scf.while`, before an `scf.for`. It bounds each run of a loop for itself, not all loops in total as the
interpreters do: two nested loops may run N times N iterations. C has no other bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.attributes import bounds_of_type
from loomir.dialects.interface import BOUNDS, Entry, arguments_of, results_of, set_arguments, set_results
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ov.operators.internal import CheckBoundsOp, FailOp
from loomir.errors import Error
from loomir.passes.analysis.lowering_requirements import refuse_graph_only
from loomir.passes.options import check_least
from loomir.passes.structured.convert_ov_loop_to_scf.boundary import (
    Boundaries,
    Bounds,
    boundary_types,
    ranked,
)
from loomir.passes.structured.convert_ov_loop_to_scf.branches_and_loops import convert_if, convert_loop


def argument_bounds(func: FuncOp, index: int, type_: TensorType) -> Bounds:
    """Return the largest extents of an argument of `main`.

    They are those of its type, or of `loomir.bounds` where the type has a `?`.

    Error: `dynamic-input` where there is no bound.
    """
    entry = arguments_of(func)[index]
    values = entry.bounds or [None] * len(type_.get_shape())
    bounds: list[int] = []
    for k, (extent, bound) in enumerate(zip(type_.get_shape(), values, strict=True)):
        if extent != DYNAMIC_INDEX:
            bounds.append(extent)
        elif bound is not None:
            bounds.append(bound)
        else:
            name = entry.name or f"arg{index}"
            one = [1 if d == DYNAMIC_INDEX else d for d in type_.get_shape()]
            raise Error(
                "dynamic-input",
                f"dimension {k} of input '{name}' ({shape_text(type_)}) is not known",
                hint=f"fix it, such as with --shape {name}={','.join(map(str, one))} (shapes={{'{name}': {one}}}), or bound it with"
                " --max-shape (max_shapes=)",
            )
    return tuple(bounds)


def convert_arguments(func: FuncOp, low: Boundaries) -> None:
    """Replace every tensor argument by its boundary form.

    The model form of the argument is emitted at the top of the body.
    """
    block = func.body.block
    entries = arguments_of(func)
    new_entries: list[Entry] = []
    start = block.first_op
    with low.at(block if start is None else InsertPoint.before(start)):
        for index, argument in enumerate(tuple(block.args)):
            if not isinstance(argument.type, TensorType):
                new_entries.append(entries[index])
                continue
            type_ = ranked(argument)
            bounds = argument_bounds(func, index, type_)
            types = boundary_types(type_, bounds)
            if types == [type_]:
                new_entries.append(entries[index])
                continue
            position = argument.index
            values = [block.insert_arg(t, position + k) for k, t in enumerate(types)]
            name = entries[index].name or f"arg{index}"
            new_entries += _interface_entries(entries[index], type_, types, bounds, name)
            for value in values:
                value.location = argument.location
            values[0].name_hint = argument.name_hint
            _check_extents(low, type_, values[1:], bounds, name)
            low.bind(argument, type_, values, bounds)
            block.erase_arg(argument)
    set_arguments(func, new_entries)


def convert_results(func: FuncOp, low: Boundaries) -> None:
    """Return the boundary form of every result."""
    last = func.body.block.last_op
    assert isinstance(last, ReturnOp)
    entries = results_of(func)
    new_entries: list[Entry] = []
    values = []
    with low.at(InsertPoint.before(last)), low.located(last.location):
        for index, value in enumerate(last.arguments):
            if not isinstance(value.type, TensorType):
                new_entries.append(entries[index])
                values.append(value)
                continue
            type_, bounds = ranked(value), low.bounds(value)
            parts = low.boundary(value, type_, bounds)
            types = [v.type for v in parts]
            name = entries[index].name or f"result{index}"
            said = (
                [entries[index]]
                if types == [type_]
                else _interface_entries(entries[index], type_, types, bounds, name)
            )
            new_entries += said
            values += parts
        new = ReturnOp(*values)
        low.insert(new)
        Rewriter.erase_op(last)
    set_results(func, new_entries)
    func.update_function_type()


def _interface_entries(
    old: Entry, type_: TensorType, types: list[Attribute], bounds: Bounds, name: str
) -> list[Entry]:
    """Return the entries of a tensor's arguments (or results).

    The first entry is that of the value itself, followed by those of its extents.
    """
    first = old.without(BOUNDS) | Entry.of(type=type_)
    dynamic = [k for k, d in enumerate(type_.get_shape()) if d == DYNAMIC_INDEX]
    if dynamic:
        first |= Entry.of(name=name, bounds=bounds)
    assert len(types) == 1 + len(dynamic)
    return [first, *(Entry.of(dim=(name, k)) for k in dynamic)]


def _check_extents(
    low: Boundaries, type_: TensorType, extents: Sequence[SSAValue], bounds: Bounds, name: str
) -> None:
    """Everything behind relies on the bounds: refuse larger extents at the entry."""
    dynamic = [k for k, d in enumerate(type_.get_shape()) if d == DYNAMIC_INDEX]
    for k, extent in zip(dynamic, extents):
        low.assert_(
            low.compare("ule", extent, bounds[k]),
            f"capacity: dimension {k} of input '{name}' is larger than {bounds[k]}",
        )


def shape_text(type_: TensorType) -> str:
    """`[?,3]`."""
    return f"[{','.join('?' if d == DYNAMIC_INDEX else str(d) for d in type_.get_shape())}]"


@dataclass(frozen=True)
class ConvertOvLoopToScfPass(ModulePass):
    """Lower loops, branches and the signature of `main` (see the module's docstring).

    Errors: `unbounded-shape` and `dynamic-input` where `ov-bound-shapes` has not run, `unresolved-rank`, `graph-only-type`, and
    those of `ov.loop`'s slices; `bad-option`.
    """

    name = "convert-ov-loop-to-scf"
    EXACT = True

    max_iterations: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_iterations=0)
        refuse_graph_only(op)
        for func in op.body.block.ops:
            if isinstance(func, FuncOp) and func.body.blocks:
                low = Boundaries(func.body.block)
                low.location = func.location
                convert_arguments(func, low)
                _convert_block(func.body.block, low, self.max_iterations)
                convert_results(func, low)
                low.remove_unused_materializations()


def _convert_block(block: Block, low: Boundaries, max_iterations: int | None) -> None:
    """Convert the control flow of a block, innermost regions included."""

    def convert_inner(inner: Block) -> None:
        _convert_block(inner, low, max_iterations)

    for op in list(block.ops):
        if isinstance(op, CheckBoundsOp):
            _convert_check(op, low)
        if not isinstance(op, LoopOp | IfOp):
            continue
        with low.at(InsertPoint.before(op)), low.located(op.location):
            if isinstance(op, LoopOp):
                convert_loop(op, low, convert_inner, max_iterations)
            else:
                convert_if(op, low, convert_inner)
        Rewriter.erase_op(op)


def _convert_check(op: CheckBoundsOp, low: Boundaries) -> None:
    """Emit the bounds check of a value that no lowering will compute.

    A value that a lowering computes is checked there, before it is written.
    """
    owner = op.value.owner
    if isinstance(owner, OvOperation) and not isinstance(owner, ConstantOp | FailOp):
        return
    with low.at(InsertPoint.before(op)), low.located(op.location):
        low.assert_capacity(low.dims(op.value), op.most.beyond(bounds_of_type(op.value.type)))
    Rewriter.replace_op(op, [], [op.value])
