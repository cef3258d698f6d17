"""Which tile of vectors a generic computes at a time: *columns* of vectors along one loop × *rows* of another.

    for ow = 0, 6, 12 …:                       rows: what varies only along co is loaded once for all of them
      for co = 0, 16, 32 …:                    columns: what varies only along ow is spread once for all of them
        for k iter_args(12 vectors of 8):
          w0, w1 = vector.load w[k, co], w[k, co + 8]
          …

Vectors run along the loop that steps by one element through the outputs, if each input stands still there or steps by one element,
too. Of all pairs of rows and columns that fit in the registers, the one is taken that a model of the processor says is done first: per
iteration it starts two multiplications and two loads a cycle, and an accumulator waits four cycles for its turn. These are figures
of the out-of-order cores that have vectors (Fog, Instruction tables: 4 cycles from Skylake and Zen on); a core that does less
does less of each, and the order of the pairs stays nearly the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Block, SSAValue

from loomir.dialects.scalars import SCALARS
from loomir.dialects.tensors import memref_type_of
from loomir.dialects.walking import walk
from loomir.passes.analysis.machines import Machine
from loomir.passes.loops.lower_linalg_to_loops.access import (
    Access,
    is_cover,
    iterators_of,
    squeezed_accesses,
    static_extents,
)
from loomir.passes.loops.lower_linalg_to_loops.epilogues import Epilogue
from loomir.passes.loops.lower_linalg_to_loops.parts import Part, Tiling, by_rest, cut
from loomir.passes.loops.lower_linalg_to_loops.vector_ops import widest_element
from loomir.passes.structured.bufferize.pads import PadSpec

_LATENCY = 4
"""Cycles from one addition to an accumulator to the next."""

_PER_CYCLE = 2
"""Operations on vectors, and loads, that begin in a cycle."""

_ROWS, _COLUMNS = 12, 8
"""The most that are tried."""

_OPERATIONS = 128
"""The most operations in all copies of a body: code is memory, too."""


@dataclass(frozen=True)
class _Reuse:
    """How an input moves in a tile: whether from column to column, and from row to row."""

    columns: bool
    rows: bool


def vector_tiling(
    generic: GenericOp,
    accesses: Sequence[Access | None],
    pads: dict[int, PadSpec],
    machine: Machine,
    epilogue: Epilogue | None,
    packable: Collection[int],
) -> Tiling | None:
    """The tiling into vectors of this machine; None where there is no loop for them, or the body is none for them."""
    count = len(generic.inputs)
    accesses = squeezed_accesses(accesses, pads)
    epilogue = None if epilogue is None else epilogue.squeezed()
    parallel, reductions = iterators_of(generic)
    extents = static_extents(generic, accesses, pads)
    outputs = [access for access in accesses[count:] if access is not None]
    if len(outputs) < len(generic.outputs) or not all(is_cover(o.map, parallel) for o in outputs):
        return None
    inner = [dim for dim in parallel if extents.get(dim, 0) > 1 and all(o.lanes(dim) == 1 for o in outputs)]
    if len(inner) != 1:
        return None
    (dim,) = inner
    inputs = {
        position: access
        for position, access in enumerate(accesses[:count])
        if access is not None and generic.body.block.args[position].uses
    }
    for position, access in inputs.items():
        if not access.is_linear(dim) or span_of(access, pads.get(position), dim, extents) != "everywhere":
            return None
        if access.lanes(dim) is None and position not in packable:
            return None
    widest = _widest(generic, inputs, dim, epilogue)
    if widest is None:
        return None
    lanes = machine.lanes * 32 // max(widest, 32)
    if lanes < 2:
        return None
    reduced = any(extents.get(r) != 1 for r in reductions)
    if not reduced:
        return Tiling({dim: tuple(cut(0, extents[dim], _columns(extents[dim], 1, lanes)))}, dim)
    size = sum(type(op) in SCALARS for op in generic.body.block.ops)
    work = max(1, size - _fused(generic.body.block, machine))
    best: tuple[float, Tiling] | None = None
    for row, parts_of in _row_loops(parallel, dim, inputs, pads, extents):
        reuse = [_Reuse(a.stride(dim) != 0, row is not None and a.stride(row) != 0) for a in inputs.values()]
        varying = sum(each.columns for each in reuse)
        for rows in range(1, (_ROWS if row is not None else 1) + 1):
            row_parts = parts_of(rows)
            if row_parts is None:
                continue
            for columns in range(1, _COLUMNS + 1):
                registers = (rows * columns + columns * max(1, varying)) * len(outputs) + 1
                if rows * columns > 1 and (
                    registers > machine.registers or rows * columns * size > _OPERATIONS
                ):
                    break
                if columns > 1 and columns * lanes > extents[dim]:
                    break
                column_parts = tuple(cut(0, extents[dim], _columns(extents[dim], columns, lanes)))
                cycles = sum(
                    r.tiles * c.tiles * _cycles(r.points, c.points, work, reuse)
                    for r in row_parts
                    for c in column_parts
                ) / (1 if row is None else extents[row])
                if best is None or cycles < best[0]:
                    parts = {dim: column_parts} if row is None else {row: row_parts, dim: column_parts}
                    best = cycles, Tiling(parts, dim)
    return None if best is None else best[1]


def _widest(generic: GenericOp, inputs: dict[int, Access], dim: int, epilogue: Epilogue | None) -> int | None:
    """The bits of the largest element of the vectors, in the body and the epilogue; None where one of them is not for vectors."""
    body = generic.body.block
    lanes: list[SSAValue] = [body.args[p] for p, access in inputs.items() if access.stride(dim) != 0]
    lanes += body.args[len(generic.inputs) :]
    widest = widest_element(body, lanes, dim)
    if widest is None or epilogue is None:
        return widest
    block, count = epilogue.generic.body.block, len(epilogue.generic.inputs)
    lanes = [block.args[epilogue.position]]
    for position, access in enumerate(epilogue.accesses):
        if access is None or position == epilogue.position:
            continue
        steps = access.lanes(dim)
        if steps is None or (position >= count and steps == 0):
            return None
        if steps and block.args[position].uses:
            lanes.append(block.args[position])
    # (An epilogue has no `linalg.index`.)
    other = widest_element(block, lanes, -1)
    return None if other is None else max(widest, other)


def _fused(body: Block, machine: Machine) -> int:
    """Multiplications that are one instruction with the addition behind them."""
    if not machine.fma:
        return 0
    return sum(
        isinstance(op, arith.AddfOp) and any(isinstance(o.owner, arith.MulfOp) for o in op.operands)
        for op in walk(body)
    )


def _columns(extent: int, columns: int, lanes: int) -> list[tuple[int, int]]:
    """So many vectors at a time, what is left by as many as there are, and then by narrower ones."""
    sizes = [(columns, lanes)]
    rest = extent % (columns * lanes)
    if rest >= lanes:
        sizes.append((rest // lanes, lanes))
    while lanes > 1:
        lanes //= 2
        sizes.append((1, lanes))
    return sizes


def _cycles(rows: int, columns: int, work: int, reuse: Sequence[_Reuse]) -> float:
    """How long one iteration of the reductions takes."""
    loads = sum((columns if each.columns else 1) * (rows if each.rows else 1) for each in reuse)
    return max(rows * columns * work / _PER_CYCLE, loads / _PER_CYCLE, _LATENCY)


class _RowParts:
    """The parts of a loop as rows: its border one by one, inside as many at a time as asked for."""

    def __init__(self, extent: int, first: int, end: int) -> None:
        self.extent, self.first, self.end = extent, first, end

    def __call__(self, rows: int) -> tuple[Part, ...] | None:
        """None where there are fewer."""
        first, end = self.first, self.end
        if rows > end - first:
            return None
        return (
            *cut(0, first, [(1, 1)]),
            *cut(first, end, by_rest(end - first, rows), inside=True),
            *cut(end, self.extent, [(1, 1)]),
        )


class _NoRows:
    """Where no loop has rows."""

    def __call__(self, rows: int) -> tuple[Part, ...]:
        return (Part(0, 1),)


def _row_loops(
    parallel: Sequence[int],
    columns: int,
    inputs: dict[int, Access],
    pads: dict[int, PadSpec],
    extents: dict[int, int],
) -> Iterator[tuple[int | None, _RowParts | _NoRows]]:
    """The loops that can have rows, and none."""
    yield None, _NoRows()
    for row in parallel:
        extent = extents.get(row, 0)
        if row == columns or extent < 2 or not all(access.is_linear(row) for access in inputs.values()):
            continue
        first, end = 0, extent
        for position, access in inputs.items():
            span = span_of(access, pads.get(position), row, extents)
            if span is None:
                break
            if not isinstance(span, str):
                first, end = max(first, span[0]), min(end, span[1])
        else:
            if first < end:
                yield row, _RowParts(extent, first, end)


def span_of(
    access: Access, pad: PadSpec | None, dim: int, extents: dict[int, int]
) -> tuple[int, int] | str | None:
    """From where to where a loop does not lead into padding, wherever the others are: `everywhere`, or None where that is not known."""
    if pad is None:
        return "everywhere"
    found: tuple[int, int] | None = None
    shape = memref_type_of(access.value).get_shape()
    # (Of a squeezed access the last ones are left out: they have no padding.)
    for terms, low, high, size in zip(access.coordinates, pad.low, pad.high, shape, strict=False):
        if dim not in terms.dims() or (low == 0 and high == 0):
            continue
        factor = terms.coefficient(dim)
        if not isinstance(low, int) or not isinstance(high, int) or size < 0 or factor is None or factor < 1:
            return None
        least = greatest = terms.constant - low
        for atom, by in terms.terms:
            if atom == dim:
                continue
            if not isinstance(atom, int) or atom not in extents:
                return None
            reach = by * (extents[atom] - 1)
            least, greatest = least + min(reach, 0), greatest + max(reach, 0)
        first, end = -(least // factor), (size - 1 - greatest) // factor + 1
        found = (first, end) if found is None else (max(found[0], first), min(found[1], end))
    return "everywhere" if found is None else (max(found[0], 0), min(found[1], extents[dim]))
