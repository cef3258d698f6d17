"""`ov-loop-hoist-products`: computes products of sliced inputs for several iterations at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from loomir.dialects.diagnostics import MissedReason, Remarks
from loomir.dialects.element_types import dtype_of, tensor_type_of
from loomir.dialects.ov.attributes import Slicing, to_bool
from loomir.dialects.ov.canonicalization.loops import static_trips
from loomir.dialects.ov.graph_builder import GraphBuilder, static_extents
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.region_flow import comes_from_outside
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.machines import machine_of
from loomir.passes.graph.lib.loop_copies import Copies
from loomir.passes.graph.lib.loop_rewriting import (
    ExtraSlice,
    into_blocks,
    reshaped,
    with_slices,
)
from loomir.passes.graph.ov_infer import retype
from loomir.passes.options import check_least

_ROWS = 4
"""Rows that a tile computes at once.

With as many rows in each iteration nothing is gained. Blocks have a multiple of them.
"""

_LEAST_INNER = 8
"""Least length of a row for which hoisting a product pays.

A product of shorter rows costs as much as writing and reading its result.
"""

_LEAST_WORK = 512
"""Least multiplications per iteration for which hoisting pays (an estimate).

With fewer, the additional outer loop costs more than it saves.
"""


@dataclass(frozen=True)
class OvLoopHoistProductsPass(ModulePass):
    """Computes products of slices with invariants for blocks of iterations.

    A product of a slice of the loop's input with a loop-invariant value is computed in advance, for a block of iterations
    at once.

    ```mlir
    %h = ov.loop carried(%a) sliced(%x) {                        // before; %x: tensor<1000x64xf32>
    ^bb0(%i: tensor<i64>, %v: tensor<1x128xf32>, %row: tensor<1x64xf32>):
      %xw = ov.mat_mul %row, %w : (tensor<1x64xf32>, tensor<64x128xf32>) -> tensor<1x128xf32>
      …
    }

    %h = ov.loop trip(%c125) carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0, end = 1000, stride = 8, part_size = 8>]} {    // after
    ^bb0(%b: tensor<i64>, %u: tensor<1x128xf32>, %rows: tensor<8x64xf32>):
      %all = ov.mat_mul %rows, %w : (tensor<8x64xf32>, tensor<64x128xf32>) -> tensor<8x128xf32>
      %r = ov.loop trip(%c8) carried(%u) sliced(%all) {
      ^bb0(%i: tensor<i64>, %v: tensor<1x128xf32>, %xw: tensor<1x128xf32>):
        …
      }
      ov.next carried(%r)
    }
    ```

    The product of one row reads all weights for that row; the product of several rows reads them once for a tile of rows.
    This pays on a `machine` with vectors, if an iteration has fewer rows than a tile (4), and rows are not short. There may
    be reshapes between the slice and the product; the weights may be the left operand of a column, or transposed. The trip
    count of the loop must be static, and no condition may end it.

    A block has at most `rows` iterations, if possible a number that divides the trip count and is a multiple of 4: more
    rows at once are not faster. The remaining iterations become a loop behind it. `budget` bounds the bytes of a block's
    products: 32 KiB fit into a first-level cache, and however long the sequence is, the memory of a program grows by no
    more than that. If all iterations are one block, the products stand before the loop itself.
    """

    name = "ov-loop-hoist-products"
    # What was a product with one row, as lanes of a sum, may be one with a sum for each lane.
    EXACT = False

    machine: str = "generic"
    rows: int = 16
    budget: int = 1 << 15

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, rows=2, budget=0)
        lanes = machine_of(self.machine).lanes
        remarks = Remarks(self.name)
        # Inner loops first: the blocks of an outer one hold them as they are by then.
        loops = [o for o in walk(op, region_first=True) if isinstance(o, LoopOp)]
        if lanes == 1:
            for loop in loops:
                remarks.missed(loop, f"the machine {self.machine} has no vectors")
            return analyses_of(ctx).keep_all()
        changed = False
        for loop in loops:
            products = [_product(o, loop, lanes) for o in loop.body.block.ops if isinstance(o, MatMulOp)]
            found = [each for each in products if isinstance(each, _Product)]
            if not found:
                reasons = [each for each in products if isinstance(each, MissedReason)]
                none = (
                    "it has no sliced inputs"
                    if not loop.sliced
                    else "no product of a slice with an invariant matrix"
                )
                remarks.missed(loop, reasons[0] if reasons else none)
                continue
            if (why := _refusal(loop)) is not None:
                remarks.missed(loop, why)
                continue
            trips = static_trips(loop)
            assert trips is not None
            size = self._block(trips, sum(product.bytes for product in found))
            if size < 2:
                bytes_ = 2 * sum(product.bytes for product in found)
                why = MissedReason(
                    f"{bytes_} bytes are more than {self.budget}", {"bytes": bytes_, "limit": self.budget}
                )
                remarks.missed(loop, why)
                continue
            if size == trips:
                inner = _before(loop, found, trips)
            else:
                inner = into_blocks(loop, trips, size)
                inner = _hoist(inner, found, inner.sliced)
            changed = True
            remarks.passed(
                inner,
                f"computes {len(found)} products for {size} of {trips} iterations at once",
                products=len(found),
                size=size,
                trips=trips,
            )
        retype(ctx, op, changed=changed)

    def _block(self, trips: int, bytes_: int) -> int:
        """Return the iterations of a block.

        The number is less than 2 if there is no room for a block.
        """
        most = min(self.rows, trips, self.budget // max(1, bytes_))
        if most == trips:
            return trips
        tiles = [n for n in range(_ROWS, most + 1, _ROWS) if trips % n == 0]
        others = [n for n in range(_ROWS, most + 1) if trips % n == 0]
        if tiles or others:
            return max(tiles or others)
        return most if most < _ROWS else most - most % _ROWS


@dataclass(frozen=True)
class _Product:
    """Product of a slice in a loop's body.

    `part` is the number of the slice, whose dimensions before `rows_end` are its rows.
    """

    op: MatMulOp
    part: int
    rows_end: int
    weights: SSAValue
    columns: int
    transposed: bool
    """True if the weights have a row per column of the product."""
    bytes: int


def _refusal(loop: LoopOp) -> str | None:
    if loop.cond is not None or loop.next.cond is not None:
        return "a condition may end it early"
    if static_trips(loop) is None:
        return "its trip count is not known"
    if any(static_extents(v) is None for v in (*loop.sliced, *loop.next.concat)):
        return "a sliced input or concatenated part has a dynamic extent"
    if any((c.start, c.end) != ((0, -1) if c.stride > 0 else (-1, 0)) for c in loop.concatenations):
        return "it does not concatenate its parts one after the other"
    return None


def _product(op: MatMulOp, loop: LoopOp, lanes: int) -> _Product | MissedReason | None:
    """Return the product if hoisting it pays, or why not.

    None if it is not of a slice with an invariant matrix.
    """
    why: MissedReason | None = None
    for data, weights, is_left in ((op.a, op.b, True), (op.b, op.a, False)):
        part = _part(data, loop)
        if part is None or not _is_invariant(weights, loop):
            continue
        shape, matrix = static_extents(data), static_extents(weights)
        if shape is None or matrix is None or len(matrix) != 2 or static_extents(op.output) is None:
            continue
        data_turned, weights_turned = (
            to_bool(t)
            for t in ((op.transpose_a, op.transpose_b) if is_left else (op.transpose_b, op.transpose_a))
        )
        columns, inner = matrix if weights_turned == is_left else matrix[::-1]
        # Rows are what lies in memory as rows of the left operand: those of a column are its elements.
        row_like = len(shape) == 1 or (shape[-1] == inner and not data_turned)
        if is_left and not row_like:
            continue
        if not is_left and not (len(shape) == 1 or shape[-1 if data_turned else -2] == prod(shape)):
            continue
        cut = loop.slicings[part]
        part_extents = static_extents(loop.part_arguments[part])
        rows_end = None if part_extents is None else _rows_end(part_extents, cut, inner)
        if part_extents is None or rows_end is None:
            continue
        rows = prod(part_extents[:rows_end])
        if (why := _does_not_pay(rows, inner, columns, lanes)) is not None:
            continue
        bytes_ = rows * columns * dtype_of(tensor_type_of(data).element_type).itemsize
        return _Product(op, part, rows_end, weights, columns, weights_turned == is_left, bytes_)
    return why


def _does_not_pay(rows: int, inner: int, columns: int, lanes: int) -> MissedReason | None:
    """Return why a product is left in the loop, or None."""
    if rows >= _ROWS:
        return MissedReason(f"an iteration has {rows} rows, a tile {_ROWS}", {"rows": rows, "limit": _ROWS})
    if columns < lanes:
        return MissedReason(
            f"{columns} columns are fewer than {lanes} lanes", {"columns": columns, "lanes": lanes}
        )
    for number, what, least in (
        (inner, "elements of a row", _LEAST_INNER),
        (inner * columns, "multiplications of an iteration", _LEAST_WORK),
    ):
        if number < least:
            return MissedReason(f"{number} {what} are fewer than {least}", {"number": number, "limit": least})
    return None


def _part(value: SSAValue, loop: LoopOp) -> int | None:
    """Return the number of the slice that a value is, possibly reshaped."""
    while isinstance(value, OpResult) and isinstance(value.op, ReshapeOp | SqueezeOp | UnsqueezeOp):
        if static_extents(value) is None:
            return None
        value = value.op.operands[0]
    parts = loop.part_arguments
    return next((k for k, argument in enumerate(parts) if argument is value), None)


def _is_invariant(value: SSAValue, loop: LoopOp) -> bool:
    return isinstance(value.owner, ConstantOp) or comes_from_outside(value, loop)


def _rows_end(shape: Sequence[int], cut: Slicing, inner: int) -> int | None:
    """Return the end of a slice's dimensions that count its rows.

    They end behind the sliced dimension and before the dimensions of one row.
    """
    axis = cut.normalised_axis(len(shape))
    for end in range(len(shape) - 1, axis, -1):
        if (size := prod(shape[end:])) >= inner:
            return end if size == inner else None
    return None


def _before(loop: LoopOp, found: Sequence[_Product], trips: int) -> LoopOp:
    """Emit the products of all iterations before a loop.

    Return the loop that reads them.
    """
    copies = Copies.before(loop)
    wholes = list(loop.sliced)
    for k in {product.part for product in found}:
        cut, shape = loop.slicings[k], tensor_type_of(wholes[k]).get_shape()
        axis = cut.normalised_axis(len(shape))
        all_ = cut.iterations_from(shape, 0, trips)
        wholes[k] = copies.part(wholes[k], axis, min(all_.start, all_.end), trips * cut.part_size)
    return _hoist(loop, found, wholes)


def _hoist(loop: LoopOp, found: Sequence[_Product], wholes: Sequence[SSAValue]) -> LoopOp:
    """Compute all products of sliced inputs at once, before a loop.

    The loop slices the results instead.
    """
    parts: list[ExtraSlice] = []
    for product in found:
        build = GraphBuilder(InsertPoint.before(loop), product.op.location)
        whole, cut = wholes[product.part], loop.slicings[product.part]
        constant = product.weights.owner
        if isinstance(constant, ConstantOp) and constant.parent is loop.body.block:
            constant.detach()
            build.emit(constant)
        rows = tensor_type_of(whole).get_shape()[: product.rows_end]
        inner = prod(tensor_type_of(whole).get_shape()[product.rows_end :])
        matrix = reshaped(whole, (prod(rows), inner), build)
        attributes = {"transpose_a": False, "transpose_b": product.transposed}
        at_once = build.make(MatMulOp, matrix, product.weights, attributes=attributes)
        shaped = reshaped(at_once, (*rows, product.columns), build)
        element = tensor_type_of(shaped).element_type
        # (Counted from the end the axis would be another one of the product.)
        along = replace(cut.whole_axis(), axis=cut.normalised_axis(len(tensor_type_of(whole).get_shape())))
        part = along.part_shape((*rows, product.columns))
        parts.append(ExtraSlice(shaped, along, TensorType(element, part)))
    reading, arguments = with_slices(loop, parts)
    for product, argument in zip(found, arguments):
        inside = GraphBuilder(InsertPoint.before(product.op), product.op.location)
        shape = tensor_type_of(product.op.output).get_shape()
        product.op.output.replace_all_uses_with(reshaped(argument, shape, inside))
        product.op.detach()
        product.op.erase()
    return reading
