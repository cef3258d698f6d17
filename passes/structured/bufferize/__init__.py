"""`bufferize`: from tensors to buffers (STRUCTURED to the memref form of docs/ir.md).

The result is not yet LOOPS: it still has `linalg.generic`, `linalg.fill` and `linalg.copy`, on memrefs, and a
generic may carry `loomir.pads` (documented in `passes/structured/bufferize/pads.py`, which also has the
reader, `read_pads`). What `lower-linalg-to-loops` can rely on:

- memref types: identity layout where the memory is contiguous from offset 0 of its buffer, `strided<…>`
  otherwise;
- the extent of a `?` dimension is an operand of the `memref.subview` (sizes) or `memref.expand_shape` (output
  shape) that made the memref; through `memref.collapse_shape` it is the product of those;
- `linalg.copy` and `linalg.fill`: one input, one output, equal shapes; a copy's source and target never
  overlap;
- a generic's output memref is also read by it only as an output (accumulation), or elementwise: all loops
  parallel and the same indexing map for the input and the output, so each iteration reads just the element
  that it writes;
- an input with padding is a `builtin.unrealized_conversion_cast` to the padded shape (`padded_source` sees
  through it), used by generics only;
- an input whose block argument is unused (a pooling window) still gives loop extents; its buffer is never
  read.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from loomir.dialects.walking import walk
from loomir.passes.structured.bufferize.analyse import analyse
from loomir.passes.structured.bufferize.emit import emit
from loomir.passes.structured.bufferize.model import CopyReason
from loomir.passes.structured.bufferize.prepare import drop_undefined_insertions, erase_dead

__all__ = ["BufferizePass", "CopyReason"]


@dataclass(frozen=True)
class BufferizePass(ModulePass):
    """Assigns a buffer to every tensor, by linear ownership.

    A loop-carried value that is replaced needs no copy:

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      …
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> (tensor<4xf32>) {
        %e = tensor.empty() : tensor<4xf32>
        %g = linalg.generic … ins(%w, %h : tensor<4x4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) …
        scf.yield %g : tensor<4xf32>
      }
      return %r : tensor<4xf32>
    }
    ```

    becomes a loop over two buffers that change places, with the value first and the spare buffer behind it:

    ```mlir
    func.func @main(%x: memref<4xf32> {loomir.role = "input"}, %out: memref<4xf32> {loomir.role = "output"}) {
      %a = memref.alloc() : memref<4xf32>
      %b = memref.alloc() : memref<4xf32>
      linalg.copy ins(%x) outs(%a)      // a loop overwrites its initial value, and it is an input or a weight
      %r:2 = scf.for … iter_args(%h = %a, %p = %b) {
        linalg.generic … ins(%w, %h : …) outs(%p : memref<4xf32>) …
        scf.yield %p, %h
      }
      linalg.copy ins(%r#0) outs(%out)  // the output is in one of several buffers that a loop or branch exchanges
    }
    ```

    An update in place, a value that is computed when the loop-carried value is dead, and a branch that computes its result
    in both arms need neither a second buffer nor `iter_args`. `explain-copies` prints a line for each copy to stderr.
    """

    name = "bufferize"
    EXACT = True

    explain_copies: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for reason in bufferize(op):
            if self.explain_copies:
                print(f"bufferize: {reason}", file=sys.stderr)

    @staticmethod
    def explain(module: ModuleOp) -> list[CopyReason]:
        """Return the copies that bufferization would insert into `module`.

        `module` is not changed.
        """
        return bufferize(module.clone())


def _has_tensors(func: FuncOp) -> bool:
    return any(
        isinstance(value.type, TensorType)
        for op in walk(func)
        for value in (*op.results, *(a for r in op.regions for b in r.blocks for a in b.args))
    )


def bufferize(module: ModuleOp) -> list[CopyReason]:
    """Bufferize every function of `module`; return the inserted copies.

    The copies are in program order of each function.
    """
    reasons: list[CopyReason] = []
    for func in [op for op in module.ops if isinstance(op, FuncOp)]:
        if not _has_tensors(func):
            # It has buffers already.
            continue
        drop_undefined_insertions(func)
        erase_dead(func)
        plan = analyse(func)
        emit(func, plan)
        reasons.extend(plan.reasons)
    return reasons
