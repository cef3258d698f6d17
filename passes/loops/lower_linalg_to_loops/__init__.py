"""`lower-linalg-to-loops`: linalg on memrefs becomes `scf.for`, `memref.load`, `memref.store` and `arith`.

```mlir
linalg.fill ins(%zero : f32) outs(%o : memref<4xf32>)
linalg.generic {indexing_maps = [(i, k) -> (i, k), (i, k) -> (k), (i, k) -> (i)],
                iterator_types = ["parallel", "reduction"]}
    ins(%a, %x : memref<4x8xf32>, memref<8xf32>) outs(%o : memref<4xf32>) {
  ^bb0(%p: f32, %q: f32, %acc: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
}
```

becomes

```mlir
scf.for %i = %c0 to %c4 step %c1 {
  %r = scf.for %k = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> (f32) {
    %p = memref.load %a[%i, %k] : memref<4x8xf32>
    %q = memref.load %x[%k] : memref<8xf32>
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %m : f32
    scf.yield %s : f32
  }
  memref.store %r, %o[%i] : memref<4xf32>
}
```

- `function.py`: which generics become nests, and in which order.
- `nest.py` has the loops: accumulators are scalars or vectors, coordinates are computed as far outside as they can be;
  `nest_body.py` what stands in the innermost one.
- `tiling.py`: reductions compute several neighbouring elements at a time where that is faster; `vectors.py`: in tiles of vectors on a
  `machine` that has them; `parts.py`, `rows.py`: whole tiles, what is left of them, border and interior; `tile_costs.py`: how long
  a tile takes, `traffic.py`: what caches have to bring in. `tilings.py` has what was chosen.
- `merging.py`: neighbouring loops as one; `blocks.py`: a loop in the blocks that weights are stored in; `promoting.py`: padded inputs
  are copied with their padding; `transposing.py`: transpositions go through memory in blocks.
- `folding.py`, `gathering.py`: reductions along vectors (`lower-reductions-to-vectors`).
- `access.py`: extents, and the order of the loops (contiguous inside where that is free).
- `padding.py`, `neutral.py`: `loomir.pads`, by restricted loop bounds or by a guard.
- `epilogues.py`: an elementwise generic behind a reduction is computed on its accumulators.
- `fills.py`: a fill in front of the accumulation that it initialises leaves no loop.
- `linalg.copy` between buffers of one type is `memref.copy`, anything else is loops.
- Allocations and views that nothing uses any more (a pooling window, the casts that stand for padded operands)
  are erased.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.passes.analysis.machines import machine_of
from loomir.passes.loops.lower_linalg_to_loops.function import FunctionLowering


@dataclass(frozen=True)
class LowerLinalgToLoopsPass(ModulePass):
    """Lowers `linalg.generic`, `fill` and `copy` on memrefs to loops.

    See the package's docstring.

    `tile=false` computes each element of a reduction separately, which needs less code. `machine` selects the machine whose
    vectors are used.
    """

    name = "lower-linalg-to-loops"
    EXACT = True

    tile: bool = True
    machine: str = "generic"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = machine_of(self.machine) if self.tile else None
        for function in list(op.body.block.ops):
            if isinstance(function, func.FuncOp) and function.body.blocks:
                FunctionLowering(function, machine).run()
