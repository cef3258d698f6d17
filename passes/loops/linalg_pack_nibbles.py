"""`linalg-pack-nibbles`: constants with 4-bit values, stored two to a byte.

A product with weights from -8 to 7 (OpenVINO's `i4`, or small 8-bit numbers),

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

The iteration number of one loop selects the half of a byte. It is the outermost of the loops that waste least: for most
products the loop over the output channels, so that the half is known before a sum begins. The order of additions does
not change, and the padding of another input stays neutral. The stored values are numbers from -8 to 7 in two's
complement; otherwise they are distances to 0, to the least value, or to the least value of each channel, which is then
another constant. A constant stays unchanged if it has a second use, if it is read through a view or with padding, or if
it would save less than `least-bytes`.
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
    IntegerType,
    MemRefType,
    ModuleOp,
    i8,
    i32,
)
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import GenericOp, IndexOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import memref_type_of, set_type
from loomir.dialects.index_builder import ConstantPool, IndexBuilder
from loomir.dialects.interface import Entry, arguments_of, entry_of, set_arguments
from loomir.dialects.upstream.rewriting import rewrite
from loomir.passes.loops.linalg_pack_weights import can_be_packed
from loomir.passes.loops.lower_linalg_to_loops.access import iterators_of
from loomir.passes.options import check_least
from loomir.passes.structured.lib.memrefs import read_pads

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
    """Stores 4-bit constants two to a byte.

    See the module's docstring.
    """

    name = "linalg-pack-nibbles"
    EXACT = True

    least_bytes: int = 64
    """Minimum number of bytes that packing a constant must save.

    This is more than twice the code that unpacks bytes, 13 to 28 bytes for each product on a Cortex-M4. Smaller savings are
    not worth the time.
    """

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, least_bytes=0)
        for function in op.body.block.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                pattern = PackNibbles(function, self.least_bytes)
                rewrite(function.body, pattern, once=True)
                function.update_function_type()


@dataclass(frozen=True)
class _Counted:
    """Base from which the values are counted.

    It is one number, or one number for each place along a dimension, `axis`.
    """

    least: np.ndarray
    axis: int | None = None

    @property
    def is_signed(self) -> bool:
        """True if values are stored in two's complement."""
        return self.axis is None and int(self.least) == SIGNED

    @property
    def has_sign(self) -> bool:
        return bool((self.least < 0).any())

    @property
    def bytes(self) -> int:
        """Size of the base numbers themselves, in bytes."""
        return 0 if self.axis is None else self.least.nbytes

    def nibbles(self, array: np.ndarray) -> np.ndarray:
        """Return the numbers that are stored for values."""
        if self.is_signed:
            return array.astype(np.int64) & (VALUES - 1)
        shape = [-1 if i == self.axis else 1 for i in range(array.ndim)]
        return array.astype(np.int64) - self.least.astype(np.int64).reshape(shape)


@dataclass(frozen=True)
class _Packing:
    """An input that is packed along a dimension of it, `axis`."""

    position: int
    argument: BlockArgument
    axis: int
    counted: _Counted


class PackNibbles(RewritePattern):
    """Stores the 4-bit constants of a generic two to a byte.

    See the module's docstring.
    """

    def __init__(self, function: FuncOp, least_bytes: int) -> None:
        self.function = function
        self.least_bytes = least_bytes
        self.entries = arguments_of(function)
        self.constants = ConstantPool(function.body.block)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: GenericOp, rewriter: PatternRewriter) -> None:
        pads = read_pads(op)
        for position in range(len(op.inputs)):
            # One after the other: the loop of which one tells the extent may be what another one was packed along.
            if position not in pads and (packing := self._packing(op, position)) is not None:
                op = self._pack(op, packing, rewriter)

    def _packing(self, op: GenericOp, position: int) -> _Packing | None:
        value, map = op.inputs[position], op.indexing_maps.data[position].data
        if not isinstance(value, BlockArgument) or not can_be_packed(value, self.function, map):
            return None
        counted, axis = _counted(op, position), _axis(op, position)
        if counted is None or axis is None or not self._pays(value, axis, counted):
            return None
        return _Packing(position, value, axis, counted)

    def _pays(self, argument: BlockArgument, axis: int, counted: _Counted) -> bool:
        type_ = memref_type_of(argument)
        shape, element = type_.get_shape(), type_.element_type
        assert isinstance(element, IntegerType)
        saved = prod(shape) * element.width.data // 8 - _bytes(shape, axis) - counted.bytes
        return saved >= max(self.least_bytes, 1)

    def _pack(self, op: GenericOp, packing: _Packing, rewriter: PatternRewriter) -> GenericOp:
        """Change a constant and its reader; what that is now."""
        argument, axis, counted = packing.argument, packing.axis, packing.counted
        maps = [map.data for map in op.indexing_maps.data]
        map = maps[packing.position]
        dim = _dim(op, packing.position, axis)
        results = [expr // PER_BYTE if i == axis else expr for i, expr in enumerate(map.results)]
        maps[packing.position] = AffineMap(map.num_dims, map.num_symbols, tuple(results))
        blob = entry_of(argument).blob
        assert blob is not None
        array = packed(counted.nibbles(blob), axis)
        element = memref_type_of(argument).element_type
        self.entries[argument.index] |= Entry.of(blob=array)
        set_type(argument, MemRefType(i8, array.shape))
        inputs = list(op.inputs)
        if counted.axis is not None:
            inputs.append(self._constant(argument, counted.least, element))
            along = (map.results[counted.axis],)
            maps.insert(len(op.inputs), AffineMap(map.num_dims, map.num_symbols, along))
            op.body.block.insert_arg(element, len(op.inputs)).location = op.location
        set_arguments(self.function, self.entries)
        attributes = [AffineMapAttr(each) for each in maps]
        made = GenericOp(inputs, op.outputs, op.detach_region(op.body), attributes, op.iterator_types.data)
        made.attributes |= op.attributes
        made.location = op.location
        rewriter.replace(op, made)
        self._unpack(made, packing, dim, rewriter)
        return made

    def _constant(self, behind: BlockArgument, array: np.ndarray, element: Attribute) -> BlockArgument:
        """Another constant, behind one that is there."""
        array.flags.writeable = False
        type_ = MemRefType(element, array.shape)
        made = self.function.body.block.insert_arg(type_, behind.index + 1)
        made.location = behind.location
        self.entries.insert(made.index, Entry.of(blob=array))
        return made

    def _unpack(self, op: GenericOp, packing: _Packing, dim: int, rewriter: PatternRewriter) -> None:
        """Extract the body's number from the byte that the body receives."""
        body, counted = op.body.block, packing.counted
        old = body.args[packing.position]
        byte = body.insert_arg(i8, packing.position)
        byte.location, byte.name_hint = old.location, old.name_hint
        build = IndexBuilder(InsertPoint.at_start(body), self.constants, op.location)
        index = build.insert(IndexOp(dim)).result
        number = _nibble(byte, index, build, is_signed=counted.is_signed)
        if counted.axis is not None:
            least: SSAValue = body.args[len(op.inputs)]
            least = least if least.type == i32 else build.insert(arith.ExtSIOp(least, i32)).result
            number = build.insert(arith.AddiOp(number, least)).result
        elif counted.least and not counted.is_signed:
            least = self.constants.get(int(counted.least), i32, op.location)
            number = build.insert(arith.AddiOp(number, least)).result
        _hand_over(old, number, build, rewriter, has_sign=counted.has_sign)
        body.erase_arg(old)


def _nibble(byte: BlockArgument, iteration: SSAValue, build: IndexBuilder, *, is_signed: bool) -> SSAValue:
    """Extract the half byte that an iteration needs, in 32 bits."""

    def number(value: int) -> SSAValue:
        return build.constants.get(value, i32, build.location)

    bits = build.mul(build.remui(iteration, PER_BYTE), BITS)
    if is_signed:
        # To the top, and down with the sign: two instructions.
        bits = build.sub(_UPPER, bits)
    by = build.insert(arith.IndexCastOp(build.index(bits), i32)).result
    wide = build.insert(arith.ExtUIOp(byte, i32)).result
    if is_signed:
        top = build.insert(arith.ShLIOp(wide, by)).result
        return build.insert(arith.ShRSIOp(top, number(_UPPER))).result
    shifted = build.insert(arith.ShRUIOp(wide, by)).result
    return build.insert(arith.AndIOp(shifted, number(VALUES - 1))).result


def _hand_over(
    old: BlockArgument, number: SSAValue, build: IndexBuilder, rewriter: PatternRewriter, *, has_sign: bool
) -> None:
    """Replace uses of a constant's element by the 32-bit number.

    Operations that widen the element become unnecessary.
    """
    element = old.type
    assert isinstance(element, IntegerType)
    widening: list[tuple[Operation, SSAValue]] = []
    for user in {use.operation: None for use in old.uses}:
        made = _widened(user, number, build, has_sign=has_sign)
        if made is not None:
            widening.append((user, made))
    if len(widening) < old.uses.get_length():
        narrow = number if element == i32 else build.insert(arith.TruncIOp(number, element)).result
        rewriter.replace_all_uses_with(old, narrow)
    for user, made in widening:
        rewriter.replace(user, [], [made])


def _widened(user: Operation, number: SSAValue, build: IndexBuilder, *, has_sign: bool) -> SSAValue | None:
    """Return an operation's result from an already widened number, or None.

    Return None if the operation does not widen the number.
    """
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


def _counted(op: GenericOp, position: int) -> _Counted | None:
    """Return a base from which 4 bits represent all values, or None.

    All values are counted from -8 or 0, since nothing has to be added then, or from the least value. Otherwise, the values
    of each iteration of a parallel loop are counted from their own least value; these bases are as many as the results that
    they belong to. Return None if the values span more.
    """
    argument = op.inputs[position]
    assert isinstance(argument, BlockArgument)
    element = memref_type_of(argument).element_type
    blob = entry_of(argument).blob
    assert blob is not None
    if not isinstance(element, IntegerType) or element.width.data not in _WIDTHS or not blob.size:
        return None
    least, most = int(blob.min()), int(blob.max())
    for number in (0, SIGNED, least):
        if number <= least and most < number + VALUES:
            return _Counted(np.array(number))
    parallel = iterators_of(op)[0]
    for axis in sorted(range(blob.ndim), key=lambda axis: blob.shape[axis]):
        others = tuple(i for i in range(blob.ndim) if i != axis)
        smallest = blob.min(axis=others)
        spans = blob.max(axis=others).astype(np.int64) - smallest
        if _dim(op, position, axis) in parallel and (spans < VALUES).all():
            return _Counted(smallest, axis)
    return None


def _axis(op: GenericOp, position: int) -> int | None:
    """Return the dimension along which an input is packed, or None."""
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
    """Return the stored bytes of a constant packed along a dimension."""
    return prod(-(-extent // PER_BYTE) if i == axis else extent for i, extent in enumerate(shape))


def packed(nibbles: np.ndarray, axis: int) -> np.ndarray:
    """Pack neighbours along a dimension into bytes, the first one low.

    After an odd number of neighbours, the high half is 0.
    """
    along = np.moveaxis(nibbles, axis, 0)
    if len(along) % PER_BYTE:
        along = np.concatenate([along, np.zeros_like(along[:1])])
    both = along[::PER_BYTE] | along[1::PER_BYTE] << BITS
    result = np.ascontiguousarray(np.moveaxis(both, 0, axis).astype(np.uint8)).view(np.int8)
    result.flags.writeable = False
    return result
