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
    %n = linalg.index 0 : index
    %high = arith.remui %n, %two : index
    %bits = arith.muli %high, %four : index
    %left = arith.subi %twentyeight, %bits : index
    %by = arith.index_cast %left : index to i32
    %byte = arith.extui %b : i8 to i32
    %top = arith.shli %byte, %by : i32
    %number = arith.shrsi %top, %twentyeight : i32
    %weight = arith.sitofp %number : i32 to f32
    …
  }
}
```

Which half of a byte is meant says the iteration of one loop, the outermost of those that waste least: for most products that of the
output channels, so that it is known before a sum begins. Nothing is added up in another order, and the padding of another input stays
neutral. What is stored are numbers from -8 to 7 in two's complement, and else distances to 0, or to the least of the values. A constant
with a second use, or one that is read through a view or with padding, stays as it is, and so does one that would save less than
`least-bytes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
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
SIGNED = -VALUES // 2
"""The least of numbers that are stored in two's complement."""
_WIDTHS = (8, 16, 32)
_UPPER = i32.width.data - BITS
"""Where the 4 upper ones of 32 bits begin."""


@dataclass(frozen=True)
class LinalgPackNibblesPass(ModulePass):
    """Store constants of 4 bits two to a byte (see the module's docstring)."""

    name = "linalg-pack-nibbles"
    EXACT = True

    least_bytes: int = 64
    """More than twice the code that takes bytes apart, 13 to 28 bytes for each product on a Cortex-M4: less is not worth its time."""

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
            pads = read_pads(op)
            for position in range(len(op.inputs)):
                # One after the other: the loop of which one tells the extent may be what another one was packed along.
                if position not in pads and (packing := self._packing(op, position)) is not None:
                    self._pack(op, packing)
        set_arguments(self.function, self.entries)
        types = [argument.type for argument in self.function.body.block.args]
        outputs = list(self.function.function_type.outputs.data)
        self.function.function_type = FunctionType.from_lists(types, outputs)

    def _packing(self, op: GenericOp, position: int) -> _Packing | None:
        value, map = op.inputs[position], op.indexing_maps.data[position].data
        if not isinstance(value, BlockArgument) or not can_be_packed(value, self.function, map):
            return None
        least, axis = _least(value), _axis(op, position)
        if least is None or axis is None or not self._pays(value, axis):
            return None
        return _Packing(position, value, axis, least)

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
        number = _number(byte, build.insert(IndexOp(dim)).result, packing.least, build)
        _hand_over(old, number, build, has_sign=packing.least < 0)
        body.erase_arg(old)


def _number(byte: BlockArgument, iteration: SSAValue, least: int, build: IndexBuilder) -> SSAValue:
    """What the half of a byte that is meant in an iteration stands for, in 32 bits."""

    def number(value: int) -> SSAValue:
        return build.constants.get(value, i32, build.location)

    bits = build.mul(build.remui(iteration, PER_BYTE), BITS)
    if least == SIGNED:
        # To the top, and down with the sign: two instructions.
        bits = build.sub(_UPPER, bits)
    by = build.insert(arith.IndexCastOp(build.index(bits), i32)).result
    wide = build.insert(arith.ExtUIOp(byte, i32)).result
    if least == SIGNED:
        top = build.insert(arith.ShLIOp(wide, by)).result
        return build.insert(arith.ShRSIOp(top, number(_UPPER))).result
    shifted = build.insert(arith.ShRUIOp(wide, by)).result
    distance = build.insert(arith.AndIOp(shifted, number(VALUES - 1))).result
    return build.insert(arith.AddiOp(distance, number(least))).result if least else distance


def _hand_over(old: BlockArgument, number: SSAValue, build: IndexBuilder, *, has_sign: bool) -> None:
    """Let what read a constant's element read the number, as which it is 32 bits wide: what widens it need not."""
    element = old.type
    assert isinstance(element, IntegerType)
    widening: list[tuple[Operation, SSAValue]] = []
    for user in {use.operation: None for use in old.uses}:
        made = _widened(user, number, build, has_sign=has_sign)
        if made is not None:
            widening.append((user, made))
    if len(widening) < old.uses.get_length():
        narrow = number if element == i32 else build.insert(arith.TruncIOp(number, element)).result
        old.replace_all_uses_with(narrow)
    for user, made in widening:
        Rewriter.replace_op(user, [], [made])


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
    return next((n for n in (0, SIGNED, least) if n <= least and most < n + VALUES), None)


def _axis(op: GenericOp, position: int) -> int | None:
    """Along which of its dimensions an input is packed; None if there is none."""
    shape = memref_type_of(op.inputs[position]).get_shape()
    reductions = iterators_of(op)[1]
    # A loop's extent is that of another operand along which it runs by itself.
    known = {
        expr.position
        for at, (value, map) in enumerate(zip(op.operands, op.indexing_maps.data, strict=True))
        if at != position and isinstance(value.type, MemRefType)
        for expr, extent in zip(map.data.results, value.type.get_shape(), strict=True)
        if isinstance(expr, AffineDimExpr) and extent != DYNAMIC_INDEX
    }

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
    distances = array.astype(np.int64) - (0 if least == SIGNED else least)
    nibbles = np.moveaxis(distances & (VALUES - 1), axis, 0)
    if len(nibbles) % PER_BYTE:
        nibbles = np.concatenate([nibbles, np.zeros_like(nibbles[:1])])
    both = nibbles[::PER_BYTE] | nibbles[1::PER_BYTE] << BITS
    result = np.ascontiguousarray(np.moveaxis(both, 0, axis).astype(np.uint8)).view(np.int8)
    result.flags.writeable = False
    return result
