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

`FunctionLowering` decides which generics become nests, and in which order.

- `nest.py` has the loops: accumulators are scalars or vectors, coordinates are computed as far outside as they can be
  (`index_math.py`); `nest_body.py` has the contents of the innermost one, `nest_memory.py` its accesses.
- `outer_values.py`: floats that outer loops' iteration numbers give are computed in those loops.
- `tiling.py`: reductions compute several neighbouring elements at a time where that is faster; `vectors.py`: in tiles of vectors on a
  `machine` that has them. Reductions along vectors (`lower-reductions-to-vectors`) and transpositions, which go through memory in
  blocks, are in `tiling.py`, too. `tilings.py` has the chosen tiling, and the time and cache traffic of a tile.
- `loop_transforms.py`: whole tiles and their remainders; neighbouring loops as one; a loop in the blocks that weights are stored in.
- `borders.py`: border and interior of loops; padded inputs are copied with their padding.
- `access.py`: extents, and the order of the loops (contiguous inside where that is free).
- `padding.py`: `loomir.pads`, by restricted loop bounds or by a guard.
- `reductions.py`: an elementwise generic behind a reduction is computed on its accumulators; a fill in front of the accumulation that
  it initialises leaves no loop.
- `linalg.copy` between buffers of one type is `memref.copy`, anything else is loops.
- Allocations and views that nothing uses any more (a pooling window, the casts that stand for padded operands)
  are erased.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr, MemRefType, ModuleOp, NoneAttr
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.dialects.linalg.ops import CopyOp, FillOp, GenericOp, YieldOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.element_types import memref_type_of
from loomir.dialects.index_builder import ConstantPool
from loomir.dialects.upstream.implicit_bodies import fill
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.aliasing import VIEWS, Aliasing
from loomir.passes.analysis.machines import Machine, machine_of
from loomir.passes.loops.lower_linalg_to_loops.access import (
    STRUCTURED,
    ExtentLookup,
    MemRefAccess,
    accesses_of,
    iterators_of,
    loop_extents,
    loop_order,
    squeezed_accesses,
)
from loomir.passes.loops.lower_linalg_to_loops.borders import PromotedCopy, Promotion, with_copies
from loomir.passes.loops.lower_linalg_to_loops.index_math import IndexEmitter
from loomir.passes.loops.lower_linalg_to_loops.nest import Nest
from loomir.passes.loops.lower_linalg_to_loops.padding import BlobFacts, Padded, neutral_pads, padded_input
from loomir.passes.loops.lower_linalg_to_loops.reductions import Epilogue, absorbed_and_epilogues
from loomir.passes.loops.lower_linalg_to_loops.tiling import (
    chosen_tiling,
    folded_tiling,
    innermost_last,
    transposed_blocks,
)
from loomir.passes.loops.lower_linalg_to_loops.tilings import Tiling, no_tiling
from loomir.passes.structured.lib.memrefs import PadSpec, read_pads

_MEMORY = frozenset({memref.AllocOp, memref.AllocaOp, *VIEWS})


def erase_unused_memory(function: func.FuncOp) -> None:
    """Erase views and allocations without uses, views of views too."""
    for op in reversed(list(walk(function.body))):
        if type(op) in _MEMORY and op.results[0].first_use is None:
            Rewriter.erase_op(op)


class FunctionLowering:
    """The facts that all nests of one function share."""

    def __init__(self, function: func.FuncOp, machine: Machine | None, *, folding: bool = False) -> None:
        """Initialize the lowering of a function.

        `machine` is the machine of the tiles; with None there are no tiles. `folding` restricts the lowering to reductions
        along vectors (`tiling.py`).
        """
        self.function = function
        self.machine = machine
        self.folding = folding
        self.aliasing = Aliasing(function)
        self.constants = ConstantPool(function.body.block)
        self.extents = ExtentLookup(self.constants)
        self.facts = BlobFacts()

    def run(self) -> None:
        found: list[Operation] = [op for op in walk(self.function.body) if type(op) in STRUCTURED]
        absorbed, epilogues = absorbed_and_epilogues(self.function, self.aliasing)
        if self.folding:
            found = [op for op in found if isinstance(op, GenericOp) and self._folded(op) is not None]
            lowered = set(found)
            absorbed = {op: fills for op, fills in absorbed.items() if op in lowered}
            epilogues = {r: e for r, e in epilogues.items() if r in lowered}
            found = [*(fill for fills in absorbed.values() for fill in fills.values()), *found]
            found += [e.generic for e in epilogues.values() if e.generic not in lowered]
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

    def _folded(self, generic: GenericOp) -> Tiling | None:
        assert self.machine is not None
        return folded_tiling(generic, accesses_of(generic), read_pads(generic), self.machine)

    def _copy(
        self,
        promotion: Promotion,
        source: MemRefAccess | None,
        pads: dict[int, PadSpec],
        place: Operation,
        emitter: IndexEmitter,
    ) -> PromotedCopy:
        """Allocate a buffer for a padded input, filled with the padding.

        The input no longer counts as padded.
        """
        assert source is not None, "padding of a scalar"
        del pads[promotion.position]
        copy = PromotedCopy(promotion, source, emitter.allocate(promotion.type))
        start = fill(promotion.value, copy.buffer)
        start.location = emitter.location
        Rewriter.insert_op(start, InsertPoint.before(place))
        self.lower(as_generic(start), {})
        return copy

    def lower(
        self, generic: GenericOp, initial: dict[int, SSAValue], epilogue: Epilogue | None = None
    ) -> None:
        """Replace one generic and its epilogue by loops.

        `initial` holds the known previous contents of its outputs.
        """
        assert not generic.results, "a generic on tensors: bufferize comes first"
        place = generic if epilogue is None else epilogue.generic
        emitter = IndexEmitter(InsertPoint.before(place), self.constants, generic.location)
        accesses = accesses_of(generic)
        pads = read_pads(generic)
        parallel, reduction = iterators_of(generic)
        extents = loop_extents(generic, accesses, pads, self.extents, emitter)
        neutral = neutral_pads(generic, pads, self.aliasing, self.facts)
        tiling = no_tiling()
        if self.folding:
            found = self._folded(generic)
            assert found is not None
            tiling = found
        elif self.machine is not None:
            tiling = chosen_tiling(generic, accesses, pads, self.machine, epilogue) or tiling
            if not tiling.parts and not pads:
                static = {d: e for d, e in enumerate(extents) if isinstance(e, int)}
                tiling = replace(tiling, transposed=transposed_blocks(generic, accesses, static))
        if tiling.vector is not None:
            accesses = squeezed_accesses(accesses, pads)
            epilogue = None if epilogue is None else epilogue.squeezed()
        copies = [self._copy(p, accesses[p.position], pads, place, emitter) for p in tiling.promoted]
        accesses = with_copies(accesses, tiling.promoted, [copy.buffer for copy in copies])
        if (merged := tiling.merged) is not None:
            accesses = merged.all_of(accesses)
            epilogue = None if epilogue is None else epilogue.through(merged)
            static = merged.extents({d: e for d, e in enumerate(extents) if isinstance(e, int)})
            extents = [static.get(d, e) for d, e in enumerate(extents)]
        if tiling.vector is not None:
            accesses = [a if a is None else a.viewed(emitter) for a in accesses]
            epilogue = None if epilogue is None else epilogue.viewed(emitter)
        for blocks in tiling.in_blocks:
            accesses = blocks.all_of(accesses)
            epilogue = None if epilogue is None else epilogue.through(blocks)
            extents = [emitter.divui(e, blocks.size) if d == blocks.dim else e for d, e in enumerate(extents)]
            extents, parallel = [*extents, blocks.size], [*parallel, blocks.inner]
        order = loop_order(generic, accesses, parallel, reduction)
        order = innermost_last(order, tiling) if self.folding else tiling.order(order)
        padded: dict[int, Padded] = {}
        for position, pad in pads.items():
            access = accesses[position]
            assert access is not None, "padding of a scalar"
            padded[position] = padded_input(access, pad, position in neutral, self.extents)
        reductions = set(reduction)
        Nest(
            generic, emitter, accesses, order, extents, reductions, padded, initial, tiling, epilogue, copies
        ).build()
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
    """Return True if copying is a `memcpy`.

    Both sides must be contiguous and have the same static type.
    """
    return (
        source.type == target.type
        and isinstance(target.type, MemRefType)
        and isinstance(target.type.layout, NoneAttr)
        and DYNAMIC_INDEX not in target.type.get_shape()
    )


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
