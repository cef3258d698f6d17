"""`ov-loop-forward-rows`: forwards rows that a loop writes to its reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from loomir.dialects.control_flow.rewriting import with_carried
from loomir.dialects.diagnostics import Remarks
from loomir.dialects.element_types import i64, tensor_type_of
from loomir.dialects.ov.canonicalization.loop_trips import trips_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.integer_forms import emit_form
from loomir.dialects.ov.operators.comparison import EqualOp, GreaterOp, LogicalOrOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.reshape import ShapeOfOp
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.dependence.accesses import Scatter
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.inference.loops import trip_bounds
from loomir.passes.graph.lib.loop_rewriting import reshaped
from loomir.passes.graph.ov_infer import retype
from loomir.passes.graph.ov_loop_forward_rows.rows import Read, Rows, Source, Start, index_shape
from loomir.passes.options import check_least


@dataclass(frozen=True)
class OvLoopForwardRowsPass(ModulePass):
    """Replaces reads of rows that the loop has written.

    A row that an iteration reads where it has just written is the one that was written. A row that an earlier iteration wrote, at most
    `max-distance` before, is carried:

    ```mlir
    %r = ov.loop trip(%n) carried(%table) {                     // before
    ^bb0(%i: tensor<i64>, %t: tensor<9x4xf32>):
      %row = ov.gather %t, %i, %zero
      %e = ov.tanh %row
      %after = ov.add %i, %one
      %w = ov.scatter_update %t, %after, %e, %zero
      ov.next carried(%w)
    }

    %first = ov.gather %table, %zero, %zero                     // after
    %r, %_ = ov.loop trip(%n) carried(%table, %first) {
    ^bb0(%i: tensor<i64>, %t: tensor<9x4xf32>, %row: tensor<4xf32>):
      %e = ov.tanh %row
      %after = ov.add %i, %one
      %w = ov.scatter_update %t, %after, %e, %zero
      ov.next carried(%w, %e)
    }
    ```

    Indices are single numbers along one axis, affine in the iteration number (`passes/analysis/dependence/accesses.py`). No other update
    may write the row in between. Nothing needs to be in range that cannot be proven: where the row was written, it is there. The
    first rows, of the table before the loop, have to be in range for certain; a single one is checked in front of the loop, if nothing
    before the read may stop the program.

    Reads alone then need the table no more: it may be joined from rows. `max-distance=0` carries nothing.
    """

    name = "ov-loop-forward-rows"
    EXACT = True

    max_distance: int = 2

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_distance=0)
        analyses, remarks = analyses_of(ctx), Remarks(self.name)
        wanted: list[LoopOp] = []
        for loop in walk(op, region_first=True):
            if isinstance(loop, LoopOp):
                if _may_have_some(loop):
                    wanted.append(loop)
                else:
                    remarks.missed(loop, "it reads no row of a table that it writes")
        if not wanted:
            return analyses.keep_all()
        inference = analyses.get(infer, op)
        changed = [forward_rows(loop, inference, remarks, self.max_distance) for loop in wanted]
        retype(ctx, op, changed=any(changed))


def _may_have_some(loop: LoopOp) -> bool:
    """Return True if the loop reads a table that it updates."""
    carried = set(loop.carried_arguments)
    block, updates = loop.body.block, False
    tables: list[SSAValue] = []
    for op in walk(loop.body):
        if isinstance(op, Read):
            tables.append(op.data)
        elif isinstance(op, Scatter):
            updates = updates or op.parent is block
    return updates and any(isinstance(table.owner, Scatter) or table in carried for table in tables)


def forward_rows(loop: LoopOp, inference: Inference, remarks: Remarks, max_distance: int) -> bool:
    """Forward the rows that a loop writes to where it reads them.

    Return True if there were any.
    """
    rows = Rows(loop, inference)
    found = list(rows.sources(max_distance))
    just_written = [source for source in found if not source.trips]
    before = _by_update([source for source in found if source.trips])
    # (All before the first change: what is known is known of the loop as it is.)
    starts = [(start, sources) for sources in before if (start := rows.start(sources)) is not None]
    for source in just_written:
        _replace(source.read, source.update.updates, inference)
    carried = 0
    for start, sources in starts:
        carried += len(sources)
        loop = _carry(loop, start, sources, inference)
    if not just_written and not carried:
        remarks.missed(loop, "no row that it reads is one that it surely wrote, and that is there before it")
        return False
    what = f"{len(just_written)} rows are what was just written, {carried} are carried"
    remarks.passed(loop, what, written=len(just_written), carried=carried)
    return True


def _by_update(sources: Sequence[Source]) -> list[list[Source]]:
    groups: dict[Operation, list[Source]] = {}
    for source in sources:
        groups.setdefault(source.update, []).append(source)
    return list(groups.values())


def _replace(read: Read, row: SSAValue, inference: Inference) -> None:
    """Put a row in place of what is read."""
    wanted = inference.fact(read.output)
    if wanted.rank != len(tensor_type_of(row).get_shape()):
        assert wanted.static is not None
        row = reshaped(row, wanted.static, GraphBuilder(InsertPoint.before(read), read.location))
    read.output.replace_all_uses_with(row)
    read.detach()
    read.erase()


def _carry(loop: LoopOp, start: Start, sources: Sequence[Source], inference: Inference) -> LoopOp:
    """Carry what an update writes to the iterations that read it."""
    update = sources[0].update
    firsts = _first_rows(loop, start, index_shape(update, inference), inference)
    wide = with_carried(loop, [(row, row) for row in firsts], PatternRewriter(loop))
    assert isinstance(wide, LoopOp)
    count = len(firsts)
    rows = wide.carried_arguments[len(wide.carried_arguments) - count :]
    end, first = wide.next, len(wide.next.operands) - len(wide.next.last) - len(wide.next.concat) - count
    for k, row in enumerate((update.updates, *rows[:-1])):
        end.operands[first + k] = row
    for source in sources:
        _replace(source.read, rows[source.trips - 1], inference)
    return wide


def _first_rows(loop: LoopOp, start: Start, shape: Sequence[int], inference: Inference) -> list[SSAValue]:
    """Read the rows of the first iterations in front of the loop."""
    build = GraphBuilder(InsertPoint.before(loop), loop.location)
    axis = build.scalar(start.axis, i64)
    rows: list[SSAValue] = []
    for place in start.places:
        if place.number is not None:
            index = build.constant(np.full(shape, place.number, np.int64))
        else:
            index = reshaped(emit_form(place, i64, build, inference.fact), shape, build)
        # (Out of range it is a zero, which is never read where that is an error.)
        rows.append(build.make(GatherOp, start.table, index, axis))
    if start.checked:
        first = build.scalar(start.places[0].constant, i64)
        extent = build.make(GatherOp, build.make(ShapeOfOp, start.table), axis, build.scalar(0, i64))
        good = build.make(GreaterOp, extent, first)
        if trip_bounds(loop, inference).lo < 1:
            trips = trips_of(loop)
            assert trips is not None
            good = build.make(LogicalOrOp, good, build.make(EqualOp, trips.emit(build), build.scalar(0, i64)))
        rows = [build.require(row, good, "index", f"index {start.places[0]} is out of range") for row in rows]
    return rows
