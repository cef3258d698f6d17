"""Emission of linalg operations on memrefs.

Padding that has no buffer is in `loomir.pads`.
"""

from __future__ import annotations

from xdsl.dialects import memref, tensor
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    UnrealizedConversionCastOp,
)
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap

from loomir.dialects.making import segments
from loomir.dialects.tensors import memref_type_of
from loomir.dialects.walking import walk
from loomir.passes.structured.bufferize.emitter import Emitter
from loomir.passes.structured.bufferize.pads import PADS_ATTR, PadSpec
from loomir.passes.structured.bufferize.slices import mixed


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
        block = after.parent_block()
        assert block is not None
        block.insert_op_before(load, after)
        after.results[0].replace_all_uses_with(load.res)
        emitter.values[before.result] = load.res
        after.detach()
        after.erase()
