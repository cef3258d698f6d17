"""`plan-memory`: every `memref.alloc` as a `memref.view` of one arena.

The offset of each view is known at compile time.

```mlir
func.func @main(%x: memref<64xf32> {loomir.role = "input"}, %y: memref<64xf32> {loomir.role = "output"}) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  …
}
```

becomes

```mlir
func.func @main(%x: …, %y: …, %arena: memref<512xi8> {loomir.role = "arena", loomir.align = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %a = memref.view %arena[%c0][] : memref<512xi8> to memref<64xf32>
  %c256 = arith.constant 256 : index
  %b = memref.view %arena[%c256][] : memref<512xi8> to memref<64xf32>
  …
}
```

`passes/analysis/liveness.py` determines the buffers that may overlap; `placement.py` (greedy portfolio, bounds, exact
search for small problems) chooses the offsets. Inputs, outputs and constants are never in the arena. Allocations without
uses, even through views, are erased first and take no memory. Without a buffer to place, there is no arena argument.
For a `machine` with vectors, the arena and every buffer begin at a cache line (`passes/analysis/machines.py`): loads of
whole vectors then cross none. `plan` computes the plan without changing anything.

*Pairs of buffers* that may share an address are joined before placement.

An elementwise nest may write its result over an input that dies there (`passes/analysis/liveness.py`). Placing the two
as one buffer saves one of them, but the single buffer then lives as long as both did. Therefore the problem is solved
both joined and separately, and the lower arena wins.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import prod

from xdsl.context import Context
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    NoneAttr,
    i8,
)
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.diagnostics import count, layer_name
from loomir.dialects.interface import Entry, arguments_of, set_arguments
from loomir.passes.analysis.liveness import analyse_lifetimes, bits_of
from loomir.passes.analysis.machines import machine_of
from loomir.passes.loops.lower_linalg_to_loops import erase_unused_memory
from loomir.passes.loops.plan_memory.placement import Solution, make_problem, solve


def solve_with_pairs(
    sizes: Sequence[int],
    conflicts: Sequence[int],
    pairs: Collection[tuple[int, int]],
    *,
    together: Collection[int],
    spans: Sequence[int],
    alignment: int,
) -> Solution:
    """Solve as `solve` does, but let buffer pairs share an address.

    The buffers of a pair in `pairs` have the same address or do not overlap; a pair that conflicts altogether shares no
    address.
    """
    pairs = sorted(p for p in pairs if sizes[p[0]] and sizes[p[1]] and not conflicts[p[0]] >> p[1] & 1)
    apart = list(conflicts)
    for a, b in pairs:
        apart[a] |= 1 << b
        apart[b] |= 1 << a
    separate = solve(sizes, apart, together=together, spans=spans, alignment=alignment)
    if not pairs:
        return separate
    leader, members, joined = _join(sizes, conflicts, pairs)
    left = sorted(members)
    index = {i: k for k, i in enumerate(left)}

    def renumbered(mask: int) -> int:
        result = 0
        for i in bits_of(mask):
            result |= 1 << index[leader[i]]
        return result

    for a, b in pairs:
        if leader[a] != leader[b]:
            joined[leader[a]] |= 1 << leader[b]
            joined[leader[b]] |= 1 << leader[a]
    shared = solve(
        [max(sizes[j] for j in members[i]) for i in left],
        [renumbered(joined[i]) for i in left],
        together=sorted({renumbered(group) for group in together}),
        spans=[sum(spans[j] for j in members[i]) for i in left],
        alignment=alignment,
    )
    # Whatever is joined, buffers that conflict altogether lie side by side.
    rounded = [-(-size // alignment) * alignment for size in sizes]
    relaxed = make_problem(rounded, conflicts, sorted(together)).lower_bound
    best = separate if separate.height <= shared.height else shared
    if best is shared:
        best = replace(best, offsets=tuple(shared.offsets[index[leader[i]]] for i in range(len(sizes))))
    # The last buffer needs no padding, so the height may be a little below a bound on rounded sizes.
    bound = min(relaxed, best.height)
    return replace(best, lower_bound=bound, optimal=best.height <= bound)


def _join(
    sizes: Sequence[int], conflicts: Sequence[int], pairs: Sequence[tuple[int, int]]
) -> tuple[list[int], dict[int, list[int]], list[int]]:
    """Join pairs into groups, large pairs first.

    No two buffers of a group conflict. Return the leader of every buffer, the members of every leader, and the conflicts of
    the leaders as sets of leaders.
    """
    leader = list(range(len(sizes)))
    members = {i: [i] for i in leader}
    group_mask = [1 << i for i in leader]
    conflict = list(conflicts)
    for a, b in sorted(pairs, key=lambda p: (-min(sizes[p[0]], sizes[p[1]]), p)):
        x, y = leader[a], leader[b]
        if x == y or conflict[x] & group_mask[y]:
            continue
        if len(members[x]) < len(members[y]):
            x, y = y, x
        for i in members[y]:
            leader[i] = x
        members[x] += members.pop(y)
        group_mask[x] |= group_mask[y]
        conflict[x] |= conflict[y]
    joined = [0] * len(sizes)
    for x in members:
        for i in bits_of(conflict[x]):
            joined[x] |= 1 << leader[i]
    return leader, members, joined


ALIGNMENT = 16
"""Minimum alignment of every buffer in the arena, in bytes.

The alignment of the arena itself is that of the elements of its buffers.
"""

INDEX_BYTES = 8


@dataclass(frozen=True)
class PlannedBuffer:
    """An allocation, its size in bytes and where it goes."""

    alloc: memref.AllocOp
    bytes: int
    offset: int

    @property
    def name(self) -> str:
        """The layer that the buffer belongs to, or its SSA name."""
        return layer_name(self.alloc) or self.alloc.memref.name_hint or "?"


@dataclass(frozen=True)
class MemoryPlan:
    """Where everything goes.

    arena_bytes: what the arena needs. lower_bound: no plan for these lifetimes needs less. optimal: whether
    it is known that none does better. total_bytes: what separate buffers would need. alignment: what the address of the arena has to
    be a multiple of: the size of the largest element, for a machine with vectors what these want.
    """

    buffers: tuple[PlannedBuffer, ...]
    arena_bytes: int
    lower_bound: int
    optimal: bool
    alignment: int = 1

    @property
    def total_bytes(self) -> int:
        return sum(buffer.bytes for buffer in self.buffers)

    @property
    def ratio(self) -> float:
        """Ratio of the arena's size to the lower bound.

        It is 1.0 at best, and if there is nothing to place.
        """
        return self.arena_bytes / self.lower_bound if self.lower_bound else 1.0

    def report(self) -> str:
        """A line about the whole and a line per buffer, lowest first."""
        verdict = "optimal" if self.optimal else f"{self.ratio:.3f} of the lower bound"
        lines = [
            f"arena: {self.arena_bytes} bytes for {len(self.buffers)} buffers of {self.total_bytes} bytes; "
            f"lower bound {self.lower_bound}; {verdict}"
        ]
        for buffer in sorted(self.buffers, key=lambda b: b.offset):
            lines.append(f"  {buffer.offset:>8} .. {buffer.offset + buffer.bytes:<8} {buffer.name}")
        return "\n".join(lines)


@dataclass(frozen=True)
class PlanMemoryPass(ModulePass):
    """Places all allocations in one arena argument.

    See the package's docstring. `report` prints to stderr.
    """

    name = "plan-memory"
    EXACT = True

    report: bool = False
    machine: str = "generic"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = machine_of(self.machine)
        vectors = machine.alignment if machine.lanes > 1 else 1
        for function in list(op.body.block.ops):
            if isinstance(function, func.FuncOp) and function.body.blocks:
                erase_unused_memory(function)
                found = plan(function, vectors)
                count("buffers", len(found.buffers))
                count("arena bytes", found.arena_bytes)
                if self.report:
                    print(f"@{function.sym_name.data}: {found.report()}", file=sys.stderr)
                apply_plan(function, found)


def plan(function: func.FuncOp, vectors: int = 1) -> MemoryPlan:
    """Find offsets for the allocations of a function in LOOPS form.

    Linalg on memrefs is accepted, too.

    `vectors` is the alignment that the machine needs for data that it reads in vectors.
    """
    lifetimes = analyse_lifetimes(function)
    allocs: list[memref.AllocOp] = []
    index_of: dict[int, int] = {}
    for bit, base in enumerate(lifetimes.aliasing.bases):
        if isinstance(base.owner, memref.AllocOp):
            assert base.owner.parent_op() is function, "an allocation outside the entry block"
            index_of[bit] = len(allocs)
            allocs.append(base.owner)
    is_alloc = sum(1 << bit for bit in index_of)

    def renumbered(mask: int) -> int:
        return sum(1 << index_of[bit] for bit in bits_of(mask & is_alloc))

    sizes = [byte_size(alloc.memref.type) for alloc in allocs]
    spans = [lifetimes.span.get(bit, (0, 0)) for bit in index_of]
    solution = solve_with_pairs(
        sizes,
        [renumbered(lifetimes.conflicts[bit]) for bit in index_of],
        {(index_of[a], index_of[b]) for a, b in lifetimes.replaceable if a in index_of and b in index_of},
        together=sorted({renumbered(group) for group in lifetimes.together}),
        spans=[last - first + 1 for first, last in spans],
        alignment=max(ALIGNMENT, vectors),
    )
    needed = max((element_size(alloc.memref.type) for alloc in allocs), default=1)
    buffers = tuple(PlannedBuffer(*each) for each in zip(allocs, sizes, solution.offsets, strict=True))
    return MemoryPlan(buffers, solution.height, solution.lower_bound, solution.optimal, max(vectors, needed))


def apply_plan(function: func.FuncOp, found: MemoryPlan) -> None:
    """Add the arena argument and turn the allocations into views of it.

    Each view stands where its allocation stood.
    """
    if not found.buffers:
        return
    block = function.body.block
    arena_type = MemRefType(i8, [found.arena_bytes])
    arena = block.insert_arg(arena_type, len(block.args))
    arena.name_hint = "arena"
    set_arguments(function, [*arguments_of(function), Entry.of(role="arena", align=found.alignment)])
    function.update_function_type()
    for buffer in found.buffers:
        offset = arith.ConstantOp(IntegerAttr(buffer.offset, IndexType()))
        view = memref.ViewOp(arena, offset.result, [], buffer.alloc.memref.type)
        new: tuple[Operation, ...] = (offset, view)
        for op in new:
            op.location = buffer.alloc.location
        Rewriter.insert_op(new, InsertPoint.before(buffer.alloc))
        view.result.name_hint = buffer.alloc.memref.name_hint
        Rewriter.replace_op(buffer.alloc, [], [view.result])


def byte_size(type: MemRefType) -> int:
    """Bytes of a static memref with the identity layout."""
    assert isinstance(type.layout, NoneAttr), f"{type}: an allocation has the identity layout"
    shape = type.get_shape()
    assert DYNAMIC_INDEX not in shape, f"{type}: an allocation is static"
    return prod(shape) * element_size(type)


def element_size(type: MemRefType) -> int:
    """Return the bytes of an element, which equal its alignment.

    An element narrower than a byte takes one byte.
    """
    element = type.get_element_type()
    if isinstance(element, IndexType):
        return INDEX_BYTES
    assert isinstance(element, IntegerType | AnyFloat), f"{type}: the size of an element is not known"
    return -(-element.bitwidth // 8)
