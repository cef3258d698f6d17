"""Guards for loops that may run no iteration.

Such a loop moves under its own condition: after zero iterations, OpenVINO returns the shapes and values of the previous
call.
"""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.no_iterations import may_be_constant, results_of_no_trip
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.passes.analysis.remarks import Remarks
from loomir.passes.graph.convert_ov_to_openvino.loops import parts_of, set_operands
from loomir.passes.graph.loop_copies import replace_loop
from loomir.passes.graph.loop_guards import guard_loop
from loomir.passes.graph.ov_suit_openvino_2026.cutting import surely_has_parts


def guard(op: LoopOp, surely_runs: bool, remarks: Remarks) -> None:
    """Put a loop under its condition unless an iteration certainly runs.

    A loop that certainly runs no iteration is replaced by its zero-iteration results.
    """
    if not op.results:
        return
    if not all(isinstance(v.type, TensorType) for v in (*op.results, *op.carried, *op.sliced)):
        remarks.missed(op, "it may run no iteration, and the rank of what it gives is open")
        return
    if not all(map(may_be_constant, (*op.last, *op.concat))):
        remarks.missed(op, "it may run no iteration, and of what it gives there are no constants")
        return
    build = GraphBuilder(InsertPoint.before(op), op.location)
    if op.trip is None and op.sliced and not surely_has_parts(op):
        set_operands(op, parts_of(op, build), op.cond, op.carried, op.sliced)
    trip, cond = _known(op.trip), _known(op.cond)
    if trip == 0 or cond == 0:
        replace_loop(op, results_of_no_trip(op, build))
        op.erase()
        remarks.passed(op, "it runs no iteration")
        return
    if cond is not None:
        set_operands(op, op.trip, None, op.carried, op.sliced)
    if not surely_runs and (op.cond is not None or (op.trip is not None and trip is None)):
        guard_loop(op, [])
        remarks.passed(op, "put under its condition, since it may run no iteration")
    set_operands(op, op.trip, None, op.carried, op.sliced)


def _known(value: SSAValue | None) -> int | None:
    """A trip count or a condition that is constant."""
    array = None if value is None else constant_of(value)
    return None if array is None else int(array.reshape(()))
