"""Emission of loops and branches.

Rotating buffers are loop-carried; the other buffers are used directly.
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from loomir.dialects.region_flow import region_flow, terminator
from loomir.passes.structured.bufferize.emitter import Emitter
from loomir.passes.structured.bufferize.memrefs import identity_memref
from loomir.passes.structured.bufferize.model import AliasSet, Group

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
