"""Emission of a function on memrefs, according to a `BufferizationPlan`.

The emission itself decides nothing.

- Linalg operations: padding that has no buffer is in `loomir.pads`.
- Loops and branches: rotating buffers are loop-carried; the other buffers are used directly.
"""

from __future__ import annotations

from xdsl.dialects import memref, scf, tensor
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    FunctionType,
    TensorType,
    UnrealizedConversionCastOp,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.element_types import memref_type_of, tensor_type_of
from loomir.dialects.interface import Entry, arguments_of, results_of, set_arguments, set_results
from loomir.dialects.region_flow import region_flow, terminator
from loomir.dialects.upstream.construction import segments
from loomir.dialects.upstream.implicit_bodies import fill
from loomir.dialects.upstream.walking import walk
from loomir.passes.structured.bufferize.emitter import Emitter, integers_of
from loomir.passes.structured.bufferize.model import AliasSet, BufferizationPlan, Group, InSlice
from loomir.passes.structured.bufferize.placement import buffer_chain
from loomir.passes.structured.bufferize.slices import mixed, slice_bounds
from loomir.passes.structured.lib.memrefs import PADS_ATTR, PadSpec, identity_memref


def emit_structured(emitter: Emitter, op: LinalgStructuredOperation) -> None:
    """Translate `op` to memrefs; its results are then the destinations' memrefs."""
    given = op.inputs
    count = len(given)
    inputs = [emitter.data(op, i) for i in range(count)]
    outputs = [emitter.destination(op, count + i) for i in range(len(op.outputs))]
    pads = {
        i: _pad_spec(emitter, value.owner)
        for i, value in enumerate(given)
        if isinstance(value.owner, tensor.PadOp) and value.owner in emitter.plan.virtual_pads
    }
    body = Region()
    op.body.clone_into(body, 0, emitter.values)
    _load_elements(emitter, op.body, body)
    properties = dict(op.properties)
    attributes = dict(op.attributes)
    if pads:
        assert isinstance(op, GenericOp)
        entries = []
        maps = list(op.indexing_maps)
        scalar_map = AffineMapAttr(AffineMap(maps[0].data.num_dims, 0, ()))
        for i, pad in pads.items():
            entries.append(pad.encode(i, len(inputs)))
            padded = pad.padded_type(memref_type_of(inputs[i]))
            inputs[i] = emitter.insert(UnrealizedConversionCastOp.get([inputs[i]], [padded])).outputs[0]
            for scalar in pad.scalars():
                body.block.insert_arg(scalar.type, len(inputs))
                maps.insert(len(inputs), scalar_map)
                inputs.append(scalar)
        properties["indexing_maps"] = ArrayAttr(maps)
        attributes[PADS_ATTR] = ArrayAttr(entries)
        properties |= segments(len(inputs), len(outputs))
    new = type(op).create(
        operands=[*inputs, *outputs], properties=properties, attributes=attributes, regions=[body]
    )
    emitter.insert(new)
    for result, output in zip(op.results, outputs, strict=True):
        emitter.values[result] = output


def _pad_spec(emitter: Emitter, op: Operation) -> PadSpec:
    assert isinstance(op, tensor.PadOp)
    padding = op.region.block.last_op
    assert isinstance(padding, tensor.YieldOp)
    low, high = (
        tuple(emitter.indices(mixed([v for v in static.get_values() if isinstance(v, int)], dynamic)))
        for static, dynamic in ((op.static_low, op.low), (op.static_high, op.high))
    )
    return PadSpec(low, high, emitter.values[padding.arguments[0]])


def _load_elements(emitter: Emitter, old: Region, new: Region) -> None:
    """Turn the tensor.extracts of a cloned body into loads."""
    for before, after in zip(list(walk(old)), list(walk(new)), strict=True):
        if not isinstance(before, tensor.ExtractOp):
            continue
        source: SSAValue = emitter.data(before, 0)
        load = memref.LoadOp.get(source, after.operands[1:])
        load.location = before.location
        Rewriter.insert_op(load, InsertPoint.before(after))
        Rewriter.replace_op(after, [], [load.res])
        emitter.values[before.result] = load.res


Carried = tuple[Group, int]
"""A value that rotates: output `int` of a group."""


def _rotating(groups: list[Group], *, spares: bool) -> tuple[dict[int, Carried], list[Carried]]:
    """The carried tensors by result position, and behind them the spares."""
    values: dict[int, Carried] = {}
    rest: list[Carried] = []
    for group in groups:
        if group.identity:
            continue
        for i in range(len(group.outputs)):
            if i < len(group.values):
                values[group.values[i]] = (group, i)
            elif spares or group.circulates:
                rest.append((group, i))
    return values, rest


def emit_loop(emitter: Emitter, op: scf.ForOp | scf.WhileOp) -> None:
    """Emit a loop that carries its scalars and its rotating tokens.

    These are the tokens of every group of more than one token.
    """
    groups = emitter.plan.groups.get(op, [])
    values, spares = _rotating(groups, spares=True)
    emitter.enter_identities(groups)
    flow = region_flow(op)
    operands = flow.entry.operands
    kept = [
        i for i, operand in enumerate(operands) if not isinstance(operand.type, TensorType) or i in values
    ]
    carried: list[SSAValue | Carried] = [values[i] if i in values else operands[i] for i in kept]
    carried.extend(spares)
    initial = [
        emitter.values[c]
        if isinstance(c, SSAValue)
        else emitter.buffer(c[0].inputs[c[1]], c[0].outputs[c[1]].type)
        for c in carried
    ]
    regions: list[Region] = []
    for index, region in enumerate(op.regions):
        old = region.block
        old_args = flow.arguments(region)
        counters = old.args[: len(old.args) - len(old_args)]
        block = Block(arg_types=[counter.type for counter in counters])
        for counter, variable in zip(counters, block.args):
            variable.name_hint = counter.name_hint
            emitter.values[counter] = variable
        for c, value in zip(carried, initial, strict=True):
            arg = block.insert_arg(value.type, len(block.args))
            if not isinstance(c, SSAValue):
                emitter.alias_sets[c[0].slots[index][c[1]]] = arg
        scalars = iter(block.args[len(counters) :])
        for i in kept:
            arg = next(scalars)
            arg.name_hint = old_args[i].name_hint
            if i not in values:
                emitter.values[old_args[i]] = arg
        for arg in old_args:
            if isinstance(arg.type, TensorType):
                emitter.values[arg] = emitter.alias_sets[emitter.plan.aliases[arg].alias_set]
        end = terminator(old)
        with emitter.at(block), emitter.located(op.location):
            _emit_body(emitter, old)
            if isinstance(end, scf.ConditionOp):
                emitter.insert(scf.ConditionOp(emitter.values[end.condition], *block.args))
            else:
                emitter.insert(scf.YieldOp(*_yielded(emitter, end, kept, values, spares, 0)))
        regions.append(Region(block))
    if isinstance(op, scf.ForOp):
        lower, upper, step = (emitter.values[bound] for bound in (op.lb, op.ub, op.step))
        new: Operation = scf.ForOp(lower, upper, step, initial, regions[0])
    else:
        new = scf.WhileOp(initial, [value.type for value in initial], regions[0], regions[1])
    new.attributes = dict(op.attributes)
    emitter.insert(new)
    _take_results(emitter, op, new, kept, values, spares)


def emit_if(emitter: Emitter, op: scf.IfOp) -> None:
    """Emit a branch that returns its scalars and its differing buffers.

    Buffers are returned where the two arms leave a value in different ones.
    """
    groups = emitter.plan.groups.get(op, [])
    values, spares = _rotating(groups, spares=False)
    emitter.enter_identities(groups)
    kept = [
        i for i, result in enumerate(op.results) if not isinstance(result.type, TensorType) or i in values
    ]
    types: list[Attribute] = []
    for i in kept:
        type = op.results[i].type
        types.append(identity_memref(type) if isinstance(type, TensorType) else type)
    types.extend(identity_memref(group.outputs[k].type) for group, k in spares)
    regions: list[Region] = []
    for arm, region in enumerate(op.regions):
        if not region.blocks:
            regions.append(Region())
            continue
        block = Block()
        end = terminator(region.block)
        with emitter.at(block), emitter.located(op.location):
            _emit_body(emitter, region.block)
            emitter.insert(scf.YieldOp(*_yielded(emitter, end, kept, values, spares, arm)))
        regions.append(Region(block))
    new = scf.IfOp(emitter.values[op.cond], types, regions[0], regions[1], dict(op.attributes))
    emitter.insert(new)
    _take_results(emitter, op, new, kept, values, spares)


def _emit_body(emitter: Emitter, block: Block) -> None:
    """Emit the operations of a block.

    Of its terminator, emit only the copies before it.
    """
    for op in block.ops:
        if op is block.last_op:
            emitter.before(op)
        else:
            emitter.emit_op(op)


def _yielded(
    emitter: Emitter,
    end: Operation,
    kept: list[int],
    values: dict[int, Carried],
    spares: list[Carried],
    region: int,
) -> list[SSAValue]:
    def holder(carried: Carried) -> SSAValue:
        group, k = carried
        alias_set: AliasSet = group.yields[region][k]
        return emitter.buffer(alias_set, group.outputs[k].type)

    result = [holder(values[i]) if i in values else emitter.values[end.operands[i]] for i in kept]
    return [*result, *(holder(spare) for spare in spares)]


def _take_results(
    emitter: Emitter,
    op: Operation,
    new: Operation,
    kept: list[int],
    values: dict[int, Carried],
    spares: list[Carried],
) -> None:
    results = iter(new.results)
    for i in kept:
        result = next(results)
        result.name_hint = op.results[i].name_hint
        if i in values:
            group, k = values[i]
            emitter.alias_sets[group.outputs[k]] = result
        else:
            emitter.values[op.results[i]] = result
    for group, k in spares:
        emitter.alias_sets[group.outputs[k]] = next(results)
    for result in op.results:
        if isinstance(result.type, TensorType):
            emitter.values[result] = emitter.alias_sets[emitter.plan.aliases[result].alias_set]


def emit(func: FuncOp, plan: BufferizationPlan) -> None:
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
        Rewriter.inline_block(self.prelude, InsertPoint.at_start(self.block))
        for view in reversed(self.views):
            if not any(result.first_use for result in view.results):
                Rewriter.erase_op(view)
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
        destination = buffer_chain(self.plan.aliases[op.source].alias_set)[-1].destination
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
