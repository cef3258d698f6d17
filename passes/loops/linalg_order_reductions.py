"""`linalg-order-reductions`: reductions of a generic in its inputs' memory order.

A convolution accumulates in the order of its map, channels first. If the buffers are channels-last, each innermost step
then moves from pixel to pixel, and a row of the filter ends after three steps. On a machine with vectors, with `y`, `x`
and `o` for the result and `c`, `i` and `j` for the filter,

```mlir
linalg.generic {indexing_maps = [(y, x, o, c, i, j) -> (y + i, x + j, c), …],
                iterator_types = [… "reduction", "reduction", "reduction"]} …
```
becomes
```mlir
linalg.generic {indexing_maps = [(y, x, o, i, j, c) -> (y + i, x + j, c), …],
                iterator_types = [… "reduction", "reduction", "reduction"]} …
```

so that channels, which are adjacent in memory, are the innermost reduction. Constants are ignored:
`linalg-pack-weights` stores them in the order in which they are read. Floating-point additions run in a different
order, and are rounded differently.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, ModuleOp
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import BlockArgument
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from loomir.dialects.interface import entry_of
from loomir.dialects.upstream.rewriting import rewrite
from loomir.passes.analysis.machines import machine_of
from loomir.passes.loops.lower_linalg_to_loops.access import accesses_of, iterators_of
from loomir.passes.loops.lower_linalg_to_loops.reductions import combiner_op


@dataclass(frozen=True)
class LinalgOrderReductionsPass(ModulePass):
    """Sorts reductions by their steps in memory, on a `machine` with vectors.

    See the module's docstring.
    """

    name = "linalg-order-reductions"
    EXACT = False

    machine: str = "generic"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if machine_of(self.machine).lanes > 1:
            rewrite(op, OrderReductions(), once=True)


class OrderReductions(RewritePattern):
    """Sorts the reductions of a generic by their steps in memory.

    See the module's docstring.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: GenericOp, rewriter: PatternRewriter) -> None:
        reductions = iterators_of(op)[1]
        if len(reductions) < 2 or combiner_op(op) is None:
            return
        inputs = [
            access
            for value, access in zip(op.inputs, accesses_of(op), strict=False)
            if access is not None and not (isinstance(value, BlockArgument) and entry_of(value).is_constant)
        ]
        by_stride = sorted(reductions, key=lambda dim: -sum(access.stride(dim) for access in inputs))
        if by_stride != reductions:
            op.properties["indexing_maps"] = _permuted(op, dict(zip(by_stride, reductions, strict=True)))
            rewriter.handle_operation_modification(op)


def _permuted(generic: GenericOp, places: dict[int, int]) -> ArrayAttr[AffineMapAttr]:
    """Return the maps with each loop of `places` where another stood."""
    count = len(generic.iterator_types)
    dims = [AffineDimExpr(places.get(dim, dim)) for dim in range(count)]
    return ArrayAttr(
        AffineMapAttr(
            AffineMap(count, 0, tuple(e.replace_dims_and_symbols(dims, []) for e in map.data.results))
        )
        for map in generic.indexing_maps.data
    )
