"""Emission of a function on memrefs, according to a `Plan`.

The emission itself decides nothing.
"""

from __future__ import annotations

from xdsl.dialects import memref, scf, tensor
from xdsl.dialects.builtin import (
    FunctionType,
    TensorType,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Attribute, Operation, Region

from loomir.dialects.fills import fill
from loomir.dialects.interface import Entry, arguments_of, results_of, set_arguments, set_results
from loomir.dialects.tensors import tensor_type_of
from loomir.passes.structured.bufferize.emit_linalg import emit_structured
from loomir.passes.structured.bufferize.emit_regions import emit_if, emit_loop
from loomir.passes.structured.bufferize.emitter import Emitter, integers_of
from loomir.passes.structured.bufferize.memrefs import identity_memref
from loomir.passes.structured.bufferize.model import (
    InSlice,
    Plan,
)
from loomir.passes.structured.bufferize.placement import origins
from loomir.passes.structured.bufferize.slices import mixed, slice_bounds


def emit(func: FuncOp, plan: Plan) -> None:
    """Replace the body and signature of `func`."""
    _FunctionEmitter(func, plan).run()


class _FunctionEmitter(Emitter):
    """Replaces a function."""

    def run(self) -> None:
        func, old = self.func, self.func.body.block
        outputs = func.function_type.outputs.data
        arguments = arguments_of(func)
        for i, arg in enumerate(old.args):
            if isinstance(arg.type, TensorType):
                new = self.block.insert_arg(identity_memref(arg.type), i, arg.location)
                self.alias_sets[self.plan.aliases[arg].alias_set] = new
                if not arguments[i].is_constant:
                    arguments[i] |= Entry.of(role="input")
            else:
                new = self.block.insert_arg(arg.type, i, arg.location)
            new.name_hint = arg.name_hint
            self.values[arg] = new
        types: list[Attribute] = []
        results: list[Entry] = []
        for type, entry in zip(outputs, _named(func), strict=True):
            if isinstance(type, TensorType):
                out = self.block.insert_arg(identity_memref(type), len(self.block.args))
                self.outputs.append(out)
                arguments.append(entry | Entry.of(role="output"))
            else:
                types.append(type)
                results.append(entry)
        self.emit_block(old)
        first = self.block.first_op
        assert first is not None
        for op in list(self.prelude.ops):
            op.detach()
            self.block.insert_op_before(op, first)
        for view in reversed(self.views):
            if not any(result.first_use for result in view.results):
                view.detach()
                view.erase()
        func.detach_region(func.body)
        func.add_region(Region(self.block))
        func.function_type = FunctionType.from_lists(list(self.block.arg_types), types)
        set_arguments(func, arguments)
        set_results(func, results)

    # Operations.

    def translate(self, op: Operation) -> None:
        match op:
            case LinalgStructuredOperation():
                emit_structured(self, op)
            case tensor.EmptyOp():
                pass
            case tensor.CollapseShapeOp() if op in self.plan.copies_before:
                alias_set = self.plan.copies_before[op][0].alias_set
                self.values[op.result] = self.view(op, self.view_of(alias_set, op.src))
            case tensor.ExtractSliceOp() | tensor.ExpandShapeOp() | tensor.CollapseShapeOp():
                if self.plan.aliases[op.results[0]].version is not None:
                    self.values[op.results[0]] = self.view(op, self.values[op.operands[0]])
            case tensor.PadOp():
                self.emit_pad(op)
            case tensor.ExtractOp():
                load = memref.LoadOp.get(self.data(op, 0), [self.values[i] for i in op.indices])
                self.values[op.result] = self.insert(load).res
            case tensor.InsertOp():
                target = self.destination(op, 1)
                self.insert(
                    memref.StoreOp.get(self.values[op.scalar], target, [self.values[i] for i in op.indices])
                )
                self.values[op.result] = target
            case tensor.InsertSliceOp():
                self.emit_insert_slice(op)
            case scf.ForOp() | scf.WhileOp():
                emit_loop(self, op)
            case scf.IfOp():
                emit_if(self, op)
            case ReturnOp():
                for index, value in self.plan.return_copies.items():
                    self.copy(self.values[value], self.outputs[index])
                scalars = [v for v in op.operands if not isinstance(v.type, TensorType)]
                self.insert(ReturnOp(*(self.values[v] for v in scalars)))
            case _:
                self.clone(op)

    def emit_insert_slice(self, op: tensor.InsertSliceOp) -> None:
        dest = self.plan.writes[op.result]
        if dest.nothing:
            if op.dest in self.values:
                self.values[op.result] = self.values[op.dest]
            else:
                self.values[op.result] = self.reshape(
                    self.memref_of(dest.alias_set), tensor_type_of(op.result)
                )
            return
        target = self.destination(op, 1)
        self.values[op.result] = target
        destination = origins(self.plan.aliases[op.source].alias_set)[-1].destination
        if isinstance(destination, InSlice) and destination.insert is op:
            return
        view = self.subview(target, *(self.indices(bound) for bound in slice_bounds(op)))
        self.copy(self.data(op, 0), view)

    def emit_pad(self, op: tensor.PadOp) -> None:
        if op in self.plan.virtual_pads:
            self.values[op.result] = self.values[op.source]
            return
        alias_set = self.plan.writes[op.result].alias_set
        target = self.memref_of(alias_set)
        padding = op.region.block.last_op
        assert isinstance(padding, tensor.YieldOp)
        self.add_named(fill(self.values[padding.arguments[0]], target, []))
        low = self.indices(mixed(integers_of(op.static_low), op.low))
        sizes = self.dims_of(op.source)
        self.copy(self.data(op, 0), self.subview(target, low, sizes, [1] * len(sizes)))
        self.values[op.result] = target


def _named(func: FuncOp) -> list[Entry]:
    """Return the entries of the results, named where positions are ambiguous.

    If some results become arguments and some stay, their positions no longer identify them; names do.
    """
    entries = results_of(func)
    values = [k for k, entry in enumerate(entries) if entry.dim is None]
    if len({isinstance(func.function_type.outputs.data[k], TensorType) for k in values}) < 2:
        return entries
    for number, k in enumerate(values):
        if entries[k].name is None:
            entries[k] |= Entry.of(name=f"result{number}")
    return entries
