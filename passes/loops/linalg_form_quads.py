"""`linalg-form-quads`: sums of products of bytes take four bytes at a time.

For a machine that has instructions for it, a product of integers of 8 bits whose rows lie along the sum,

```mlir
linalg.generic {indexing_maps = [(i, n, k) -> (i, k), (i, n, k) -> (n, k), (i, n, k) -> (i, n)], iterator_types = [… "reduction"]}
    ins(%x, %w : memref<25x64xi8>, memref<32x64xi8>) outs(%o : memref<25x32xi32>) {
  ^bb0(%a: i8, %b: i8, %acc: i32):
    %wide = arith.extsi %a : i8 to i32
    %from_zero = arith.subi %wide, %zero : i32
    %weight = arith.extsi %b : i8 to i32
    %product = arith.muli %from_zero, %weight : i32
    %sum = arith.addi %acc, %product : i32
    linalg.yield %sum : i32
}
```
becomes
```mlir
%q = quads.view %x : memref<25x64xi8> to memref<25x16xi32>
linalg.generic {indexing_maps = [(i, n, k) -> (i, k), (i, n, k) -> (n, k), (i, n, k) -> (i, n)], iterator_types = [… "reduction"]}
    ins(%q, %w : memref<25x16xi32>, memref<32x16xi32>) outs(%o : memref<25x32xi32>) {
  ^bb0(%a: i32, %b: i32, %acc: i32):
    %sum = quads.dot %acc, %a, %b {zero = 83 : i32} : i32
    linalg.yield %sum : i32
}
```

Constants get the loop of the sum last, whatever order they had, and are quads themselves. What is padded is padded by quads, if the
padding is a number and not along the sum. Sums of integers wrap, so that the order does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AffineMapAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    UnrealizedConversionCastOp,
    i8,
    i32,
)
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from loomir.dialects import quads
from loomir.dialects.element_types import memref_type_of, set_type
from loomir.dialects.interface import Entry, arguments_of, entry_of, set_arguments
from loomir.dialects.scalars.row import constant_integer
from loomir.dialects.upstream.rewriting import rewrite
from loomir.passes.analysis.machines import Machine, machine_of
from loomir.passes.loops.linalg_pack_weights import can_be_packed
from loomir.passes.loops.lower_linalg_to_loops.access import iterators_of
from loomir.passes.structured.lib.memrefs import PadSpec, padded_source, read_pads


@dataclass(frozen=True)
class LinalgFormQuadsPass(ModulePass):
    """Computes products of bytes by quads on a `machine` with such instructions.

    See the module's docstring.
    """

    name = "linalg-form-quads"
    EXACT = True

    machine: str = "generic"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = machine_of(self.machine)
        if not machine.quads:
            return
        for function in op.body.block.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                pattern = FormQuads(function, machine)
                rewrite(function.body, pattern, once=True)
                set_arguments(function, pattern.entries)
                function.update_function_type()


@dataclass(frozen=True)
class _Factor:
    """One of two bytes that are multiplied.

    It records the input of the byte, the number subtracted from the byte, and its signedness.
    """

    position: int
    zero: int
    unsigned: bool

    @property
    def is_plain(self) -> bool:
        """True if this may be the right factor of `quads.dot`."""
        return self.zero == 0 and not self.unsigned


@dataclass(frozen=True)
class _Product:
    """Generic that accumulates products of two inputs along the loop `dim`."""

    left: _Factor
    right: _Factor
    dim: int


class FormQuads(RewritePattern):
    """Computes products of bytes by quads (see the module's docstring).

    `entries` become those of the function's arguments.
    """

    def __init__(self, function: FuncOp, machine: Machine) -> None:
        self.function = function
        self.machine = machine
        self.entries = arguments_of(function)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: GenericOp, rewriter: PatternRewriter) -> None:
        if (product := self._product(op)) is not None:
            self._form(op, product, rewriter)

    def _product(self, op: GenericOp) -> _Product | None:
        factors, pads = _factors(op), read_pads(op)
        if factors is None:
            return None
        for left, right in (factors, (factors[1], factors[0])):
            # (Vectors go along a constant: quads of another input lie apart.)
            if not right.is_plain or (self.machine.lanes > 1 and self._constant(op, right.position) is None):
                continue
            for dim in iterators_of(op)[1]:
                if self._is_along(op, (left.position, right.position), dim, pads):
                    return _Product(left, right, dim)
        return None

    def _is_along(
        self, op: GenericOp, positions: tuple[int, int], dim: int, pads: dict[int, PadSpec]
    ) -> bool:
        """Return True if a loop iterates over quads of these inputs only."""
        others = (map.data for i, map in enumerate(op.indexing_maps.data) if i not in positions)
        return all(self._lies_along(op, position, dim, pads) for position in positions) and not any(
            dim in map.used_dims() for map in others
        )

    def _constant(self, op: GenericOp, position: int) -> BlockArgument | None:
        """Return a constant input whose elements may be reordered, or None."""
        value, map = op.inputs[position], op.indexing_maps.data[position].data
        if not isinstance(value, BlockArgument) or not can_be_packed(value, self.function, map):
            return None
        return value

    def _lies_along(self, op: GenericOp, position: int, dim: int, pads: dict[int, PadSpec]) -> bool:
        """Return True if a loop covers whole rows of an input's quads."""
        results = op.indexing_maps.data[position].data.results
        at = [i for i, expr in enumerate(results) if dim in expr.used_dims()]
        if len(at) != 1 or results[at[0]] != AffineDimExpr(dim):
            return False
        type_ = memref_type_of(padded_source(op.inputs[position]))
        if self._constant(op, position) is not None:
            return position not in pads and type_.get_shape()[at[0]] % quads.SIZE == 0
        if at[0] != len(results) - 1 or not quads.has_quads(type_):
            return False
        pad = pads.get(position)
        return pad is None or (pad.low[-1] == pad.high[-1] == 0 and constant_integer(pad.value) is not None)

    def _form(self, op: GenericOp, product: _Product, rewriter: PatternRewriter) -> None:
        """Replace a generic by the same generic on quads."""
        inputs, maps = list(op.inputs), list(op.indexing_maps.data)
        pads = read_pads(op)
        for factor in (product.left, product.right):
            position = factor.position
            if (argument := self._constant(op, position)) is not None:
                maps[position] = AffineMapAttr(self._pack(argument, op, position, product.dim))
            else:
                inputs[position] = _viewed(op, position, pads.get(position), rewriter)
                if (pad := pads.get(position)) is not None:
                    quad = _splat(op, pad.value, rewriter)
                    inputs = [quad if value is pad.value else value for value in inputs]
        elements = [v.type.element_type if isinstance(v.type, MemRefType) else v.type for v in inputs]
        body = Block(arg_types=[*elements, i32])
        a, b = body.args[product.left.position], body.args[product.right.position]
        dot = quads.DotOp(body.args[-1], a, b, product.left.zero, unsigned=product.left.unsigned)
        dot.location = op.location
        body.add_ops([dot, YieldOp(dot.result)])
        formed = GenericOp(inputs, op.outputs, Region(body), maps, op.iterator_types.data)
        formed.attributes |= op.attributes
        formed.location = op.location
        rewriter.replace(op, formed)

    def _pack(self, argument: BlockArgument, op: GenericOp, position: int, dim: int) -> AffineMap:
        """Store a constant as quads along a loop; return its use's map.

        The dimension of the loop becomes the last one.
        """
        map = op.indexing_maps.data[position].data
        order = sorted(range(len(map.results)), key=lambda i: map.results[i] == AffineDimExpr(dim))
        blob = entry_of(argument).blob
        assert blob is not None
        array = np.ascontiguousarray(blob.transpose(order)).view("<i4")
        array.flags.writeable = False
        set_type(argument, MemRefType(i32, array.shape))
        self.entries[argument.index] |= Entry.of(blob=array)
        return AffineMap(map.num_dims, map.num_symbols, tuple(map.results[i] for i in order))


def _factors(op: GenericOp) -> tuple[_Factor, _Factor] | None:
    """Return the factors of a generic that accumulates byte products, or None.

    The generic adds products of two bytes to its only output.
    """
    body = op.body.block
    last = body.last_op
    if len(op.outputs) != 1 or op.results or not isinstance(last, YieldOp):
        return None
    accumulator = body.args[-1]
    total = last.operands[0].owner
    if accumulator.type != i32 or not isinstance(total, arith.AddiOp) or accumulator not in total.operands:
        return None
    product = (total.rhs if total.lhs is accumulator else total.lhs).owner
    if not isinstance(product, arith.MuliOp):
        return None
    left, right = (_factor(factor, body) for factor in product.operands)
    if left is None or right is None or left.position == right.position:
        return None
    return left, right


def _factor(value: SSAValue, body: Block) -> _Factor | None:
    """A byte of an input, extended, perhaps less a number."""
    op, zero = value.owner, 0
    if isinstance(op, arith.SubiOp | arith.AddiOp):
        number = constant_integer(op.rhs)
        if number is None:
            return None
        zero = number if isinstance(op, arith.SubiOp) else -number
        op = op.lhs.owner
    if not isinstance(op, arith.ExtSIOp | arith.ExtUIOp):
        return None
    least = 0 if isinstance(op, arith.ExtUIOp) else -128
    if not least <= zero <= least + 255:
        return None
    byte = op.input
    if not isinstance(byte, BlockArgument) or byte.owner is not body or byte.type != i8:
        return None
    return _Factor(byte.index, zero, isinstance(op, arith.ExtUIOp))


def _viewed(op: GenericOp, position: int, pad: PadSpec | None, rewriter: PatternRewriter) -> SSAValue:
    """An input by quads, with its padding around them."""
    value = op.inputs[position]
    view = _before(op, quads.ViewOp(padded_source(value)), rewriter)
    if pad is None:
        return view.results[0]
    type_ = memref_type_of(view.results[0])
    padded = UnrealizedConversionCastOp.get([view.results[0]], [pad.padded_type(type_)])
    return _before(op, padded, rewriter).results[0]


def _splat(op: GenericOp, value: SSAValue, rewriter: PatternRewriter) -> SSAValue:
    """The quad of a number four times."""
    number = constant_integer(value)
    assert number is not None, "padding that is a number"
    bits = (number & 0xFF) * 0x01010101
    constant = arith.ConstantOp(IntegerAttr(bits - (bits >> 31 << 32), i32))
    return _before(op, constant, rewriter).results[0]


def _before(op: GenericOp, made: Operation, rewriter: PatternRewriter) -> Operation:
    made.location = op.location
    return rewriter.insert(made)
