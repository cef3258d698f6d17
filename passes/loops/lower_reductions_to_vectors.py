"""`lower-reductions-to-vectors`: reductions of what lies in a row become loops over vectors.

```mlir
linalg.generic {indexing_maps = [(i, k) -> (i, k), (i, k) -> (i)], iterator_types = ["parallel", "reduction"]}
    ins(%x : memref<4x32xf32>) outs(%o : memref<4xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
}
```

becomes, with vectors of 8,

```mlir
scf.for %i = %c0 to %c4 step %c1 {
  %before = memref.load %o[%i]
  %v = scf.for %k = %c0 to %c32 step %c8 iter_args(%acc = %zeros) -> (vector<8xf32>) {    // up to four vectors at a time
    %a = vector.load %x[%i, %k] : memref<4x32xf32>, vector<8xf32>
    %s = arith.addf %acc, %a : vector<8xf32>
    scf.yield %s : vector<8xf32>
  }
  vector.store %v, %row[%c0]
  %r = scf.for %lane = %c0 to %c8 step %c1 iter_args(%acc = %before) -> (f32) { … %acc + %row[%lane] … }
  memref.store %r, %o[%i]
}
```

Each lane adds up its share, so additions come in another order than the program's. All other generics, and those whose vectors run along a
parallel loop, stay for `lower-linalg-to-loops`. `tiling.py` there says when, and how what does not divide is done.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.passes.analysis.machines import machine_of
from loomir.passes.loops.lower_linalg_to_loops import FunctionLowering


@dataclass(frozen=True)
class LowerReductionsToVectorsPass(ModulePass):
    """Lowers reductions along a row on a `machine` with vectors.

    See the module's docstring.
    """

    name = "lower-reductions-to-vectors"
    EXACT = False

    machine: str = "generic"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = machine_of(self.machine)
        if machine.lanes == 1:
            return
        for function in list(op.body.block.ops):
            if isinstance(function, func.FuncOp) and function.body.blocks:
                FunctionLowering(function, machine, folding=True).run()
