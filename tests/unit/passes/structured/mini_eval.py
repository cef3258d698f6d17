"""A reference evaluator of STRUCTURED and of the memref form, as plain and slow as can be.

Tensors are numpy arrays that are never changed; memrefs are numpy arrays and views that are. Undefined contents are
poison. A linalg.generic is evaluated element by element, its parallel iterations in a random order, so that a read of an
element that another iteration has overwritten shows. `memref.copy` and `linalg.copy` insist that source and target do
not overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from random import Random
from typing import Any

import numpy as np
from xdsl.dialects import arith, builtin, cf, func, linalg, memref, scf, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from loomir.passes.structured.lib.memrefs import read_pads

POISON = 0x5A5A5A

DTYPES = {"i1": np.bool_, "i32": np.int64, "i64": np.int64, "index": np.int64, "f32": np.float64}


class Evaluator:
    """Runs `main` of a module. `loads` and `copied` count elements loaded and elements copied."""

    def __init__(self, module: ModuleOp, seed: int = 0) -> None:
        (self.main,) = [op for op in module.ops if isinstance(op, func.FuncOp)]
        self.random = Random(seed)
        self.copied = 0

    def run(self, *args: Any) -> list[Any]:
        self.env: dict[SSAValue, Any] = {}
        return self.block(self.main.body.block, args)

    def block(self, block: Block, args: Sequence[Any]) -> list[Any]:
        self.env.update(zip(block.args, args, strict=True))
        for op in block.ops:
            if isinstance(
                op, scf.YieldOp | scf.ConditionOp | func.ReturnOp | linalg.ops.YieldOp | tensor.YieldOp
            ):
                return [self.env[v] for v in op.operands]
            results = getattr(self, "op_" + op.name.replace(".", "_"))(op)
            for value, result in zip(op.results, results or (), strict=True):
                self.env[value] = result
        return []

    # Scalars.

    def op_arith_constant(self, op: arith.ConstantOp):
        return (op.value.value.data,)

    def binary(self, op: Operation):
        return self.env[op.operands[0]], self.env[op.operands[1]]

    def op_arith_addi(self, op):
        a, b = self.binary(op)
        return ((int(a) + int(b)) % 1000003,)

    def op_arith_subi(self, op):
        a, b = self.binary(op)
        return (int(a) - int(b),)

    def op_arith_muli(self, op):
        a, b = self.binary(op)
        return ((int(a) * int(b)) % 1000003,)

    def op_arith_cmpi(self, op):
        a, b = self.binary(op)
        return ([a == b, a != b, a < b, a <= b, a > b, a >= b][op.predicate.value.data],)

    def op_arith_index_cast(self, op):
        return (self.env[op.operands[0]],)

    def op_arith_remui(self, op):
        a, b = self.binary(op)
        return (int(a) % int(b),)

    def op_cf_assert(self, op: cf.AssertOp):
        assert self.env[op.arg], op.msg.data

    # Regions.

    def op_scf_for(self, op: scf.ForOp):
        values = [self.env[v] for v in op.iter_args]
        for i in range(self.env[op.lb], self.env[op.ub], self.env[op.step]):
            values = self.block(op.body.block, [i, *values])
        return values

    def op_scf_while(self, op: scf.WhileOp):
        values = [self.env[v] for v in op.arguments]
        while True:
            condition, *values = self.block(op.before_region.block, values)
            if not condition:
                return values
            values = self.block(op.after_region.block, values)

    def op_scf_if(self, op: scf.IfOp):
        region = op.true_region if self.env[op.cond] else op.false_region
        return self.block(region.block, []) if region.blocks else []

    # Tensors and memrefs.

    def indices(self, static, dynamic) -> list[int]:
        values = iter(dynamic)
        return [
            int(self.env[next(values)]) if i == DYNAMIC_INDEX else i
            for i in (static.get_values() if hasattr(static, "get_values") else static)
        ]

    def slices(self, op, whole: np.ndarray) -> tuple[slice, ...]:
        bounds = [
            self.indices(static, dynamic)
            for static, dynamic in (
                (op.static_offsets, op.offsets),
                (op.static_sizes, op.sizes),
                (op.static_strides, op.strides),
            )
        ]
        result = []
        for offset, size, step, extent in zip(*bounds, whole.shape, strict=True):
            assert offset >= 0
            assert size == 0 or offset + (size - 1) * step < extent, "a slice out of bounds"
            result.append(slice(offset, offset + (size - 1) * step + 1 if size else offset, step))
        return tuple(result)

    def empty(self, type) -> np.ndarray:
        return np.full(type.get_shape(), POISON, DTYPES[str(type.element_type)])

    def op_tensor_empty(self, op):
        return (self.empty(op.tensor.type),)

    def op_memref_alloc(self, op):
        assert op.parent_block() is self.main.body.block, "an allocation that isn't at the entry"
        return (self.empty(op.memref.type),)

    def op_tensor_extract(self, op):
        return (self.env[op.tensor][tuple(self.at(op.indices))],)

    def at(self, indices) -> list[int]:
        result = [int(self.env[i]) for i in indices]
        assert all(i >= 0 for i in result)
        return result

    def op_memref_load(self, op):
        return (self.env[op.memref][tuple(self.at(op.indices))],)

    def op_tensor_insert(self, op):
        new = self.env[op.dest].copy()
        new[tuple(self.at(op.indices))] = self.env[op.scalar]
        return (new,)

    def op_memref_store(self, op):
        self.env[op.memref][tuple(self.at(op.indices))] = self.env[op.value]

    def op_tensor_extract_slice(self, op):
        whole = self.env[op.source]
        return (whole[self.slices(op, whole)].copy(),)

    def op_memref_subview(self, op):
        whole = self.env[op.source]
        return (whole[self.slices(op, whole)],)

    def op_tensor_insert_slice(self, op):
        whole = self.env[op.dest].copy()
        whole[self.slices(op, whole)] = self.env[op.source]
        return (whole,)

    def op_tensor_expand_shape(self, op):
        return (self.env[op.src].reshape(self.indices(op.static_output_shape, op.dynamic_output_shape)),)

    def op_memref_expand_shape(self, op):
        return (self.view(self.env[op.src], self.indices(op.static_output_shape, op.output_shape)),)

    def collapsed(self, op) -> list[int]:
        shape = self.env[op.src].shape
        return [prod(shape[dim.value.data] for dim in group) for group in op.reassociation]

    def op_tensor_collapse_shape(self, op):
        return (self.env[op.src].reshape(self.collapsed(op)),)

    def op_memref_collapse_shape(self, op):
        return (self.view(self.env[op.src], self.collapsed(op)),)

    def view(self, array: np.ndarray, shape: Sequence[int]) -> np.ndarray:
        view = array.view()
        view.shape = tuple(shape)  # raises where a copy would be needed
        return view

    def op_builtin_unrealized_conversion_cast(self, op):
        return (self.env[op.inputs[0]],)

    def op_tensor_pad(self, op):
        source = self.env[op.source]
        low, high = self.indices(op.static_low, op.low), self.indices(op.static_high, op.high)
        value = self.env[op.region.block.last_op.operands[0]]
        return (np.pad(source, list(zip(low, high, strict=True)), constant_values=value),)

    def copy(self, source: np.ndarray, target: np.ndarray) -> None:
        assert source.shape == target.shape
        assert not np.shares_memory(source, target), "a copy onto itself"
        self.copied += source.size
        target[...] = source

    def op_memref_copy(self, op):
        assert op.source.type == op.destination.type
        self.copy(self.env[op.source], self.env[op.destination])

    def op_linalg_copy(self, op):
        self.copy(self.env[op.inputs[0]], self.env[op.outputs[0]])

    def op_linalg_fill(self, op):
        target = self.env[op.outputs[0]]
        if op.results:
            return (np.full_like(target, self.env[op.inputs[0]]),)
        target[...] = self.env[op.inputs[0]]
        return ()

    def op_linalg_generic(self, op: linalg.ops.GenericOp):
        arrays = [self.env[v] for v in op.operands]
        outputs = arrays[len(op.inputs) :]
        if op.results:
            outputs = [array.copy() for array in outputs]
        arrays = [*arrays[: len(op.inputs)], *outputs]
        pads = read_pads(op)

        def number(amount):
            return amount if isinstance(amount, int) else int(self.env[amount])

        paddings = {
            i: ([number(a) for a in pad.low], [number(a) for a in pad.high], self.env[pad.value])
            for i, pad in pads.items()
        }
        maps = [m.data for m in op.indexing_maps]
        extents: dict[int, int] = {}
        for i, (map, array) in enumerate(zip(maps, arrays, strict=True)):
            shape = list(np.shape(array))
            if i in paddings:
                shape = [lo + n + hi for lo, n, hi in zip(paddings[i][0], shape, paddings[i][1], strict=True)]
            for expression, extent in zip(map.results, shape, strict=True):
                if isinstance(expression, AffineDimExpr):
                    assert extents.setdefault(expression.position, extent) == extent, "extents differ"
        kinds = [str(kind.data) for kind in op.iterator_types]
        points = list(product(*(range(extents[d]) for d in range(len(kinds)))))
        if all("parallel" in kind for kind in kinds):
            self.random.shuffle(points)
        for point in points:
            self.index = point
            elements = []
            for i, (map, array) in enumerate(zip(maps, arrays, strict=True)):
                at = tuple(map.eval(point, []))
                if i in paddings:
                    at = tuple(p - low for p, low in zip(at, paddings[i][0], strict=True))
                    if not all(0 <= p < n for p, n in zip(at, array.shape, strict=True)):
                        elements.append(paddings[i][2])
                        continue
                elements.append(array[at] if np.ndim(array) else array)
            values = self.block(op.body.block, elements)
            for map, array, value in zip(maps[len(op.inputs) :], outputs, values, strict=True):
                array[tuple(map.eval(point, []))] = value
        return outputs if op.results else ()

    def op_linalg_index(self, op):
        return (self.index[op.dim.value.data],)


def parse(text: str) -> ModuleOp:
    """Parse a module of the dialects of STRUCTURED and LOOPS."""
    from xdsl.context import Context
    from xdsl.dialects import math
    from xdsl.parser import Parser

    context = Context()
    for dialect in (
        builtin.Builtin, arith.Arith, cf.Cf, func.Func, linalg.Linalg, math.Math, memref.MemRef, scf.Scf, tensor.Tensor,
    ):  # fmt: skip
        context.load_dialect(dialect)
    return Parser(context, text).parse_module()


__all__ = ["POISON", "Evaluator", "LinalgStructuredOperation", "parse"]
