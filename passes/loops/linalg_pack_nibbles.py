"""`linalg-pack-nibbles`: constants whose values need 4 bits are stored two to a byte.

A product with weights from -8 to 7 (OpenVINO's `i4`, or small numbers of 8 bits),

```mlir
func.func @main(%x: memref<64xf32> …, %w: memref<64x32xi8> {loomir.blob = dense<W>}, %o: memref<32xf32> …) {
  linalg.generic {indexing_maps = [(n, k) -> (k), (n, k) -> (k, n), (n, k) -> (n)], …} ins(%x, %w …) outs(%o …) {
  ^bb0(%a: f32, %b: i8, %acc: f32):
    %weight = arith.sitofp %b : i8 to f32
    …
  }
}
```
becomes
```mlir
func.func @main(%x: memref<64xf32> …, %w: memref<64x16xi8> {loomir.blob = dense<W>}, %o: memref<32xf32> …) {
  linalg.generic {indexing_maps = [(n, k) -> (k), (n, k) -> (k, n floordiv 2), (n, k) -> (n)], …} ins(%x, %w …) outs(%o …) {
  ^bb0(%a: f32, %b: i8, %acc: f32):
    %n = linalg.index 1 : index
    %high = arith.remui %n, %two : index
    %bits = arith.muli %high, %four : index
    %by = arith.index_cast %bits : index to i32
    %byte = arith.extui %b : i8 to i32
    %shifted = arith.shrui %byte, %by : i32
    %nibble = arith.andi %shifted, %fifteen : i32
    %number = arith.subi %nibble, %eight : i32
    %weight = arith.sitofp %number : i32 to f32
    …
  }
}
```

Which half of a byte is meant says the iteration of one loop, the outermost of those that waste least: for most products that of the
output channels, so that it is known before a sum begins. Nothing is added up in another order, and the padding of another input stays
neutral. What is stored are distances to -8 or to 0, where these are less than 16, or to the least of the values. A constant with a second
use, or one that is read through a view or with padding, stays as it is, and so does one that would save less than `least-bytes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    FunctionType,
    IntegerType,
    MemRefType,
    ModuleOp,
    i8,
    i32,
)
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import GenericOp, IndexOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.index_builder import ConstantPool, IndexBuilder
from loomir.dialects.interface import Entry, arguments_of, entry_of, set_arguments
from loomir.dialects.tensors import memref_type_of, set_type
from loomir.dialects.walking import walk
from loomir.passes.loops.linalg_pack_weights import can_be_packed
from loomir.passes.loops.lower_linalg_to_loops.access import iterators_of
from loomir.passes.options import check_least
from loomir.passes.structured.bufferize.pads import read_pads

BITS = 4
PER_BYTE = 8 // BITS
VALUES = 1 << BITS
_WIDTHS = (8, 16, 32)


@dataclass(frozen=True)
class LinalgPackNibblesPass(ModulePass):
    """Store constants of 4 bits two to a byte (see the module's docstring)."""

    name = "linalg-pack-nibbles"
    EXACT = True

    least_bytes: int = 48
    """What taking a byte apart costs in code: 16 to 24 bytes on a Cortex-M4, and what a loop needs to keep the registers for it."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, least_bytes=0)
        for function in op.body.block.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                _Function(function, self.least_bytes).run()


@dataclass(frozen=True)
class _Packing:
    """An input that is packed along a dimension of it; `least` is the number that 0 stands for."""

    position: int
    argument: BlockArgument
    axis: int
    least: int


class _Function:
    """What all generics of a function are changed with: the entries of its arguments are written once."""

    def __init__(self, function: FuncOp, least_bytes: int) -> None:
        self.function = function
        self.least_bytes = least_bytes
        self.entries = arguments_of(function)
        self.constants = ConstantPool(function.body.block)

    def run(self) -> None:
        for op in [op for op in walk(self.function.body) if isinstance(op, GenericOp)]:
            for packing in self._packings(op):
                self._pack(op, packing)
        set_arguments(self.function, self.entries)
        types = [argument.type for argument in self.function.body.block.args]
        outputs = list(self.function.function_type.outputs.data)
        self.function.function_type = FunctionType.from_lists(types, outputs)

    def _packings(self, op: GenericOp) -> list[_Packing]:
        pads = read_pads(op)
        found: list[_Packing] = []
        for position, (value, map) in enumerate(zip(op.inputs, op.indexing_maps.data)):
            if (
                position in pads
                or not isinstance(value, BlockArgument)
                or not op.body.block.args[position].uses
            ):
                continue
            if can_be_packed(value, self.function, map.data) and (least := _least(value)) is not None:
                axis = _axis(op, position)
                if axis is not None and self._pays(value, axis):
                    found.append(_Packing(position, value, axis, least))
        return found

    def _pays(self, argument: BlockArgument, axis: int) -> bool:
        type_ = memref_type_of(argument)
        shape, element = type_.get_shape(), type_.element_type
        assert isinstance(element, IntegerType)
        saved = prod(shape) * element.width.data // 8 - _bytes(shape, axis)
        return saved >= max(self.least_bytes, 1)

    def _pack(self, op: GenericOp, packing: _Packing) -> None:
        argument, axis = packing.argument, packing.axis
        maps = list(op.indexing_maps.data)
        map = maps[packing.position].data
        results = list(map.results)
        dim = results[axis]
        assert isinstance(dim, AffineDimExpr)
        results[axis] = dim // PER_BYTE
        maps[packing.position] = AffineMapAttr(AffineMap(map.num_dims, map.num_symbols, tuple(results)))
        op.properties["indexing_maps"] = ArrayAttr(maps)
        blob = entry_of(argument).blob
        assert blob is not None
        array = packed(blob, axis, packing.least)
        self.entries[argument.index] |= Entry.of(blob=array)
        set_type(argument, MemRefType(i8, array.shape))
        self._unpack(op, packing, dim.position)

    def _unpack(self, op: GenericOp, packing: _Packing, dim: int) -> None:
        """Let the body take its number out of the byte that it is given."""
        body = op.body.block
        old = body.args[packing.position]
        byte = body.insert_arg(i8, packing.position)
        byte.location, byte.name_hint = old.location, old.name_hint
        build = IndexBuilder(InsertPoint.at_start(body), self.constants, op.location)
        index = build.insert(IndexOp(dim)).result
        bits = build.index(build.mul(build.remui(index, PER_BYTE), BITS))
        by = build.insert(arith.IndexCastOp(bits, i32)).result
        wide = build.insert(arith.ExtUIOp(byte, i32)).result
        shifted = build.insert(arith.ShRUIOp(wide, by)).result
        mask = self.constants.get(VALUES - 1, i32, op.location)
        number: SSAValue = build.insert(arith.AndIOp(shifted, mask)).result
        if packing.least:
            # A number that is taken away or added reads better in C than a negative one that is added.
            made = arith.SubiOp if packing.least < 0 else arith.AddiOp
            least = self.constants.get(abs(packing.least), i32, op.location)
            number = build.insert(made(number, least)).result
        _hand_over(old, number, build, has_sign=packing.least < 0)
        body.erase_arg(old)


def _hand_over(old: BlockArgument, number: SSAValue, build: IndexBuilder, *, has_sign: bool) -> None:
    """Let what read a constant's element read the number, as which it is 32 bits wide: what widens it need not."""
    element = old.type
    assert isinstance(element, IntegerType)
    for user in [use.operation for use in old.uses]:
        with build.at(InsertPoint.before(user)):
            made = _widened(user, number, build, has_sign=has_sign)
        if made is not None:
            Rewriter.replace_op(user, [], [made])
    if old.uses:
        narrow = number if element == i32 else build.insert(arith.TruncIOp(number, element)).result
        old.replace_all_uses_with(narrow)


def _widened(user: Operation, number: SSAValue, build: IndexBuilder, *, has_sign: bool) -> SSAValue | None:
    """What an operation makes of a number, made of one that is wide already; None where it does something else."""
    if isinstance(user, arith.SIToFPOp) or (isinstance(user, arith.UIToFPOp) and not has_sign):
        type_ = user.result.type
        assert isinstance(type_, AnyFloat)
        return build.insert(arith.SIToFPOp(number, type_)).result
    if isinstance(user, arith.ExtSIOp) or (isinstance(user, arith.ExtUIOp) and not has_sign):
        type_ = user.result.type
        assert isinstance(type_, IntegerType)
        if type_ == i32:
            return number
        made = arith.ExtSIOp if type_.width.data > i32.width.data else arith.TruncIOp
        return build.insert(made(number, type_)).result
    return None


def _least(argument: BlockArgument) -> int | None:
    """The number from which a constant's values can be counted with 4 bits: -8 or 0 where that does, for then all constants of a program
    have the same; None if they are no integers that span as little.
    """
    element = memref_type_of(argument).element_type
    if not isinstance(element, IntegerType) or element.width.data not in _WIDTHS:
        return None
    blob = entry_of(argument).blob
    if blob is None or blob.size == 0:
        return None
    least, most = int(blob.min()), int(blob.max())
    return next((n for n in (0, -VALUES // 2, least) if n <= least and most < n + VALUES), None)


def _axis(op: GenericOp, position: int) -> int | None:
    """Along which of its dimensions an input is packed; None if there is none."""
    shape = memref_type_of(op.inputs[position]).get_shape()
    reductions = iterators_of(op)[1]
    # A loop's extent is that of an operand along which it runs by itself.
    others = [map.data for at, map in enumerate(op.indexing_maps.data) if at != position]
    known = {expr.position for map in others for expr in map.results if isinstance(expr, AffineDimExpr)}

    def cost(axis: int) -> tuple[float, bool, int]:
        dim = _dim(op, position, axis)
        return _bytes(shape, axis), dim in reductions, dim

    return min((i for i in range(len(shape)) if _dim(op, position, i) in known), key=cost, default=None)


def _dim(op: GenericOp, position: int, axis: int) -> int:
    """The loop that runs along a dimension of an input."""
    expr = op.indexing_maps.data[position].data.results[axis]
    assert isinstance(expr, AffineDimExpr)
    return expr.position


def _bytes(shape: Sequence[int], axis: int) -> int:
    """What is stored of a constant that is packed along a dimension."""
    return prod(-(-extent // PER_BYTE) if i == axis else extent for i, extent in enumerate(shape))


def packed(array: np.ndarray, axis: int, least: int) -> np.ndarray:
    """Neighbours along a dimension in one byte, the first in its low half; behind an odd number of them there is 0."""
    nibbles = np.moveaxis(array.astype(np.int64) - least, axis, 0)
    if len(nibbles) % PER_BYTE:
        nibbles = np.concatenate([nibbles, np.zeros_like(nibbles[:1])])
    both = nibbles[::PER_BYTE] | nibbles[1::PER_BYTE] << BITS
    result = np.ascontiguousarray(np.moveaxis(both, 0, axis).astype(np.uint8)).view(np.int8)
    result.flags.writeable = False
    return result
