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

- `nest.py` has the loops: accumulators are scalars or vectors, coordinates are computed as far outside as they can be;
  `nest_body.py` what stands in the innermost one.
- `tiling.py`: reductions compute several neighbouring elements at a time where that is faster; `vectors.py`: in tiles of vectors on a
  `machine` that has them; `parts.py`: whole tiles, what is left of them, border and interior.
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
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr, MemRefType, ModuleOp, NoneAttr
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.dialects.linalg.ops import CopyOp, FillOp, GenericOp, YieldOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.index_builder import ConstantPool
from loomir.dialects.tensors import memref_type_of
from loomir.dialects.walking import walk
from loomir.passes.analysis.aliasing import Aliasing
from loomir.passes.analysis.machines import Machine, machine_of
from loomir.passes.loops.lower_linalg_to_loops.access import (
    accesses_of,
    iterators_of,
    loop_extents,
    loop_order,
)
from loomir.passes.loops.lower_linalg_to_loops.epilogues import Epilogue, epilogues_of
from loomir.passes.loops.lower_linalg_to_loops.extents import Extents
from loomir.passes.loops.lower_linalg_to_loops.fills import absorbed_fills
from loomir.passes.loops.lower_linalg_to_loops.index_math import IndexEmitter
from loomir.passes.loops.lower_linalg_to_loops.nest import Nest
from loomir.passes.loops.lower_linalg_to_loops.padding import BlobFacts, neutral_pads, padded_input
from loomir.passes.loops.lower_linalg_to_loops.parts import no_tiling
from loomir.passes.loops.lower_linalg_to_loops.tiling import chosen_tiling
from loomir.passes.loops.lower_linalg_to_loops.unused_memory import erase_unused_memory
from loomir.passes.structured.bufferize.pads import read_pads


@dataclass(frozen=True)
class LowerLinalgToLoopsPass(ModulePass):
    """Lower `linalg.generic`, `fill` and `copy` on memrefs to loops (see the package's docstring).

    `tile=false`: each element of a reduction by itself, which is less code. `machine`: whose vectors to use.
    """

    name = "lower-linalg-to-loops"
    EXACT = True

    tile: bool = True
    machine: str = "generic"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = machine_of(self.machine) if self.tile else None
        for function in list(op.body.block.ops):
            if isinstance(function, func.FuncOp) and function.body.blocks:
                _FunctionLowering(function, machine).run()


class _FunctionLowering:
    """The facts that all nests of one function share."""

    def __init__(self, function: func.FuncOp, machine: Machine | None) -> None:
        """`machine`: that tiles are for; None: no tiles."""
        self.function = function
        self.machine = machine
        self.aliasing = Aliasing(function)
        self.constants = ConstantPool(function.body.block)
        self.extents = Extents(self.constants)
        self.facts = BlobFacts()

    def run(self) -> None:
        absorbed: dict[Operation, dict[int, FillOp]] = {}
        found: list[Operation] = []
        blocks: dict[Block, None] = {}
        for op in walk(self.function.body):
            if isinstance(op, GenericOp | FillOp | CopyOp):
                found.append(op)
                assert op.parent is not None
                blocks[op.parent] = None
        epilogues: dict[GenericOp, Epilogue] = {}
        for block in blocks:
            absorbed |= absorbed_fills(block, self.aliasing)
            epilogues |= epilogues_of(block, self.aliasing)
        # Without its fill absorbed a reduction still needs the memory that it accumulates into.
        epilogues = {r: e for r, e in epilogues.items() if r in absorbed}
        moved = {epilogue.generic: reduction for reduction, epilogue in epilogues.items()}
        # Scalars of absorbed fills are read off before the fills go.
        initial = {
            generic: {k: fill.inputs[0] for k, fill in fills.items()} for generic, fills in absorbed.items()
        }
        gone = {fill for fills in absorbed.values() for fill in fills.values()}
        for op in found:
            if op in gone:
                Rewriter.erase_op(op)
            elif isinstance(op, GenericOp) and op in epilogues:
                continue  # in its epilogue's place
            elif isinstance(op, GenericOp) and op in moved:
                reduction = moved[op]
                self.lower(reduction, initial.get(reduction, {}), epilogues[reduction])
            elif isinstance(op, GenericOp):
                self.lower(op, initial.get(op, {}))
            elif isinstance(op, CopyOp) and is_memory_copy(op.inputs[0], op.outputs[0]):
                copy = memref.CopyOp(op.inputs[0], op.outputs[0])
                copy.location = op.location
                Rewriter.insert_op(copy, InsertPoint.before(op))
                Rewriter.erase_op(op)
            else:
                assert isinstance(op, FillOp | CopyOp)
                self.lower(as_generic(op), {})
        erase_unused_memory(self.function)

    def lower(
        self, generic: GenericOp, initial: dict[int, SSAValue], epilogue: Epilogue | None = None
    ) -> None:
        """Replace one generic, and its epilogue; `initial`: what its outputs are known to hold before."""
        assert not generic.results, "a generic on tensors: bufferize comes first"
        place = generic if epilogue is None else epilogue.generic
        emitter = IndexEmitter(InsertPoint.before(place), self.constants, generic.location)
        accesses = accesses_of(generic)
        pads = read_pads(generic)
        parallel, reduction = iterators_of(generic)
        extents = loop_extents(generic, accesses, pads, self.extents, emitter)
        neutral = neutral_pads(generic, pads, self.aliasing, self.facts)
        padded = {}
        for position, pad in pads.items():
            access = accesses[position]
            assert access is not None, "padding of a scalar"
            padded[position] = padded_input(access, pad, position in neutral, self.extents)
        order = loop_order(generic, accesses, parallel, reduction)
        tiling = None
        if self.machine is not None:
            tiling = chosen_tiling(generic, accesses, pads, self.machine, epilogue)
        reductions = set(reduction)
        tiling = tiling or no_tiling()
        nest = Nest(generic, emitter, accesses, order, extents, reductions, padded, initial, tiling, epilogue)
        nest.build()
        Rewriter.erase_op(generic)
        if epilogue is not None:
            Rewriter.erase_op(epilogue.generic)


def as_generic(op: FillOp | CopyOp) -> GenericOp:
    """The generic that does the same, in its place."""
    target = op.outputs[0]
    rank = memref_type_of(target).get_num_dims()
    source = op.inputs[0]
    identity = AffineMapAttr(AffineMap.identity(rank))
    scalar = AffineMapAttr(AffineMap(rank, 0, ()))
    elements = [v.type.get_element_type() if isinstance(v.type, MemRefType) else v.type for v in op.operands]
    assert elements[0] == elements[1], (
        f"{op.name} from {elements[0]} to {elements[1]}: it doesn't convert here"
    )
    body = Block(arg_types=elements)
    body.add_op(YieldOp(body.args[0]))
    generic = GenericOp(
        [source],
        [target],
        Region(body),
        [identity if isinstance(source.type, MemRefType) else scalar, identity],
        [IteratorTypeAttr.parallel()] * rank,
    )
    generic.location = op.location
    Rewriter.insert_op(generic, InsertPoint.before(op))
    Rewriter.erase_op(op)
    return generic


def is_memory_copy(source: SSAValue, target: SSAValue) -> bool:
    """Whether copying is a `memcpy`: both sides contiguous, of one static type."""
    return (
        source.type == target.type
        and isinstance(target.type, MemRefType)
        and isinstance(target.type.layout, NoneAttr)
        and DYNAMIC_INDEX not in target.type.get_shape()
    )
