"""`ov-merge-products`: merges narrow products of one value with several weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from loomir.dialects.diagnostics import Remarks
from loomir.dialects.element_types import i64
from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.graph_builder import RewriteBuilder, static_extents
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.joining import VariadicSplitOp
from loomir.dialects.upstream.rewriting import rewrite
from loomir.passes.analysis.machines import machine_of

_VECTORS = 8
"""Vectors of columns that a tile of one row computes at once.

A product with as many vectors fills the processor by itself.
"""

_ROWS = 4
"""Rows of a tile.

With as many rows, narrow columns fill the processor, too.
"""


@dataclass(frozen=True)
class OvMergeProductsPass(ModulePass):
    """Merges products of a value with several narrow weights into one.

    The weights of the merged product stand side by side.

    ```mlir
    %a = ov.mat_mul %x, %w0 : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>             // before
    %b = ov.mat_mul %x, %w1 : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>

    %both = ov.mat_mul %x, %w : (tensor<1x16xf32>, tensor<16x32xf32>) -> tensor<1x32xf32>           // after
    %a, %b = ov.variadic_split %both, %last, %lengths
    ```

    Gates of a recurrent cell that were written one by one are such products. Each of them sums in a vector or two, and
    every addition waits for the one before it; side by side they are as many independent sums. This pays on a `machine`
    with vectors, if a product has fewer rows than a tile (4) and fewer columns than one (8 vectors). Wider products stay,
    because they read their weights row by row in memory. The weights must be constants that nothing else reads. The parts
    of the result are views.
    """

    name = "ov-merge-products"
    # What was added up along the lanes of a vector may have a lane of its own.
    EXACT = False

    machine: str = "generic"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lanes = machine_of(self.machine).lanes
        if lanes == 1:
            return
        rewrite(op, MergeProducts(lanes * _VECTORS, Remarks(self.name)), once=True)


@dataclass(frozen=True)
class MergeProducts(RewritePattern):
    """Merge the products in an operation's blocks (see the pass).

    Products of one value are merged if they are narrower than `widest`.
    """

    widest: int
    remarks: Remarks

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        for region in op.regions:
            for block in region.blocks:
                for group in _groups(block, self.widest):
                    merged = _merge(group, rewriter)
                    columns = sum(product.weights.shape[1] for product in group)
                    self.remarks.passed(
                        merged,
                        f"merged {len(group)} products of one value into one of {columns} columns",
                        products=len(group),
                        columns=columns,
                    )


@dataclass(frozen=True)
class _Product:
    """A product and its weights, a column for each of the result's."""

    op: MatMulOp
    weights: np.ndarray


def _groups(block: Block, widest: int) -> list[list[_Product]]:
    """Return the groups of products in a block to merge.

    A group has the products of one value that are narrower than `widest`.
    """
    groups: dict[SSAValue, list[_Product]] = {}
    for op in block.ops:
        if isinstance(op, MatMulOp) and (weights := _weights(op, widest)) is not None:
            groups.setdefault(op.a, []).append(_Product(op, weights))
    return [group for group in groups.values() if len(group) > 1]


def _weights(op: MatMulOp, widest: int) -> np.ndarray | None:
    """Return the constant weights of a product of few rows and columns.

    None for any other product.
    """
    shape, result = static_extents(op.a), static_extents(op.output)
    constant = op.b.owner
    if shape is None or result is None or to_bool(op.transpose_a) or not isinstance(constant, ConstantOp):
        return None
    if prod(shape[:-1]) >= _ROWS or not constant.output.has_one_use():
        return None
    extents = static_extents(op.b)
    if extents is None or len(extents) != 2 or extents[0 if to_bool(op.transpose_b) else 1] >= widest:
        return None
    array = constant_of(op.b)
    if array is None:
        return None
    return array.T if to_bool(op.transpose_b) else array


def _merge(group: Sequence[_Product], rewriter: PatternRewriter) -> MatMulOp:
    first = group[0].op
    build = RewriteBuilder.before(first, rewriter)
    weights = build.constant(np.ascontiguousarray(np.concatenate([p.weights for p in group], axis=1)))
    merged = build.emit(MatMulOp.make(first.a, weights))
    assert isinstance(merged, MatMulOp)
    lengths = build.integers([product.weights.shape[1] for product in group])
    parts = build.make_all(VariadicSplitOp, merged.output, build.scalar(-1, i64), lengths, results=len(group))
    for product, part in zip(group, parts, strict=True):
        rewriter.replace(product.op, [], [part])
    return merged
