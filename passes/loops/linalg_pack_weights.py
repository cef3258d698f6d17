"""`linalg-pack-weights`: constants stored in the access order of their only reader.

The reader is a reduction of which `lower-linalg-to-loops` computes several elements at a time (`tiling.py` there). The
data that it needs at a time is then contiguous, as in a product with a transposed matrix:

```mlir
func.func @main(%x: memref<64xf32> …, %w: memref<32x64xf32> {loomir.blob = dense<W>}, %o: memref<32xf32> …) {
  linalg.generic {indexing_maps = [(n, k) -> (k), (n, k) -> (n, k), (n, k) -> (n)], …} ins(%x, %w …) outs(%o …)
}
```
becomes
```mlir
func.func @main(%x: memref<64xf32> …, %w: memref<64x32xf32> {loomir.blob = dense<Wᵀ>}, %o: memref<32xf32> …) {
  linalg.generic {indexing_maps = [(n, k) -> (k), (n, k) -> (k, n), (n, k) -> (n)], …} ins(%x, %w …) outs(%o …)
}
```

In the same way, the filters of a convolution get their output channels innermost. For a machine with vectors, they are
stored in blocks of as many channels as a tile has, `memref<5x64x48xf32>` and `(n, k) -> (n floordiv 48, k, n mod 48)`:
the data that a tile reads is contiguous. A constant that has a second use, or that is read through a view, stays
unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, MemRefType, ModuleOp, NoneAttr
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Attribute, BlockArgument
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.passes import ModulePass

from loomir.dialects.element_types import memref_type_of, set_type
from loomir.dialects.interface import Entry, arguments_of, entry_of, set_arguments
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.aliasing import Aliasing
from loomir.passes.analysis.machines import Machine, machine_of
from loomir.passes.loops.lower_linalg_to_loops.access import accesses_of, iterators_of, loop_order
from loomir.passes.loops.lower_linalg_to_loops.reductions import absorbed_and_epilogues
from loomir.passes.loops.lower_linalg_to_loops.tiling import chosen_tiling
from loomir.passes.loops.lower_linalg_to_loops.tilings import Tiling
from loomir.passes.structured.lib.memrefs import read_pads


@dataclass(frozen=True)
class LinalgPackWeightsPass(ModulePass):
    """Transpose constants for the reduction that reads them (see the module's docstring)."""

    name = "linalg-pack-weights"
    EXACT = True

    machine: str = "generic"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = machine_of(self.machine)
        for function in op.body.block.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                _pack(function, machine)


def _pack(function: FuncOp, machine: Machine) -> None:
    entries = arguments_of(function)
    _, epilogues = absorbed_and_epilogues(function, Aliasing(function))
    for op in walk(function.body):
        if not isinstance(op, GenericOp):
            continue
        pads = read_pads(op)
        packable: dict[int, BlockArgument] = {}
        for position, (value, map) in enumerate(zip(op.inputs, op.indexing_maps.data)):
            if position in pads or not isinstance(value, BlockArgument):
                continue
            if can_be_packed(value, function, map.data):
                packable[position] = value
        if not packable:
            continue
        accesses = accesses_of(op)
        tiling = chosen_tiling(op, accesses, pads, machine, epilogues.get(op), packable)
        if tiling is None:
            continue
        order_of_loops = loop_order(op, accesses, *iterators_of(op))
        innermost = next(iter(tiling.parts)) if tiling.vector is None else tiling.vector
        block = _block(op, tiling)
        for position, argument in packable.items():
            order = _order(op.indexing_maps.data[position].data, innermost, order_of_loops)
            if order is not None and (block is not None or order != list(range(len(order)))):
                entries[argument.index] |= _packed(op, position, argument, order, block)
    set_arguments(function, entries)
    function.update_function_type()


def can_be_packed(value: BlockArgument, function: FuncOp, map: AffineMap) -> bool:
    """Return True if the operand's elements may be stored in any order.

    The operand must be a constant with only this use, indexed by loops alone.
    """
    return (
        value.block is function.body.block
        and entry_of(value).is_constant
        and isinstance(value.type, MemRefType)
        and isinstance(value.type.layout, NoneAttr)
        and value.has_one_use()
        and all(isinstance(expr, AffineDimExpr) for expr in map.results)
        and len(map.used_dims()) == len(map.results)
    )


def _block(op: GenericOp, tiling: Tiling) -> int | None:
    """Return the number of columns in a reduction's tile, or None.

    All tiles must have the same number of columns, and there must be several tiles.
    """
    if tiling.rolled:
        ((part,),) = tiling.parts.values()
        return part.step if part.tiles > 1 and _are_read_once(op) else None
    if tiling.vector is None or (tiling.merged is not None and tiling.merged.has(tiling.vector)):
        return None
    if not iterators_of(op)[1]:
        return None
    part, *others = tiling.parts[tiling.vector]
    return part.step if not others and part.tiles > 1 else None


def _are_read_once(op: GenericOp) -> bool:
    """Return True if an operation has one result for each column.

    The data that such an operation reads comes from behind the caches, best in one pass.
    """
    (output,) = op.outputs if len(op.outputs) == 1 else (None,)
    return output is not None and sum(extent != 1 for extent in memref_type_of(output).get_shape()) == 1


def _order(map: AffineMap, dim: int, loops: Sequence[int]) -> list[int] | None:
    """Return the operand's dimensions in loop order, with `dim` last.

    Return None if the operand has no dimension of loop `dim`.
    """
    dims = [expr.position for expr in map.results if isinstance(expr, AffineDimExpr)]
    if dim not in dims:
        return None
    return sorted(range(len(dims)), key=lambda i: (dims[i] == dim, loops.index(dims[i])))


def _packed(
    op: GenericOp, position: int, argument: BlockArgument, order: list[int], block: int | None
) -> Entry:
    """Permute a constant and divide its last dimension into blocks.

    The number of the block becomes the first dimension. The type of the constant and the map of its use change accordingly;
    return the constant's new entry.
    """
    blob = entry_of(argument).blob
    assert blob is not None
    array = blob.transpose(order)
    maps: list[Attribute] = list(op.indexing_maps.data)
    map = op.indexing_maps.data[position].data
    results = [map.results[i] for i in order]
    if block is not None:
        array = np.moveaxis(array.reshape(*array.shape[:-1], -1, block), -2, 0)
        results = [results[-1] // block, *results[:-1], results[-1] % block]
    array = np.ascontiguousarray(array)
    array.flags.writeable = False
    set_type(argument, MemRefType(memref_type_of(argument).element_type, array.shape))
    maps[position] = AffineMapAttr(AffineMap(map.num_dims, map.num_symbols, tuple(results)))
    op.properties["indexing_maps"] = ArrayAttr(maps)
    return Entry.of(blob=array)
