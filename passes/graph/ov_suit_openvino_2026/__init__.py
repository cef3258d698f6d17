"""`ov-suit-openvino-2026`: works around operations that OpenVINO 2026 computes wrongly.

| file | what it does |
|---|---|
| `cutting` | slices of several elements, of a range, backwards; concatenated values that are longer than 1 |
| `copying` | carried values that become one another |
| `trips` | trip counts below -1 |
| `lengths` | states of sequences that have no step |
| `guarding` | loops that may run no iteration |
| `quotients` | integers that are divided and rounded down |
| `remainders` | remainders of integers |
| `positions` | constants in Slices that do not fit 32 bits; axes of reductions that are counted from the back |
| `booleans` | Selects of booleans, and conversions to booleans |

docs/semantics.md lists the faults, tests/conformance/openvino_faults.py has a program for each.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.dialects.locations import located
from loomir.dialects.ov.operators.comparison import SelectOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import DivideOp, FloorModOp, ModOp
from loomir.dialects.ov.operators.recurrent import GRUSequenceOp, LSTMSequenceOp, RNNSequenceOp
from loomir.dialects.ov.operators.reduction import ReductionOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.walking import walk
from loomir.errors import Error
from loomir.passes.analysis.inference import infer
from loomir.passes.analysis.inference.loops import trip_bounds
from loomir.passes.analysis.remarks import Remarks
from loomir.passes.graph.ov_suit_openvino_2026.booleans import compare_with_zero, select_booleans
from loomir.passes.graph.ov_suit_openvino_2026.copying import copy_arguments
from loomir.passes.graph.ov_suit_openvino_2026.cutting import cut_elsewhere
from loomir.passes.graph.ov_suit_openvino_2026.guarding import guard
from loomir.passes.graph.ov_suit_openvino_2026.lengths import keep_states
from loomir.passes.graph.ov_suit_openvino_2026.positions import count_axes, limit_positions
from loomir.passes.graph.ov_suit_openvino_2026.quotients import round_down
from loomir.passes.graph.ov_suit_openvino_2026.remainders import subtract_multiples
from loomir.passes.graph.ov_suit_openvino_2026.trips import limit_trips


@dataclass(frozen=True)
class OvSuitOpenvino2026Pass(ModulePass):
    """Works around known faults of OpenVINO 2026's CPU plugin.

    The faults concern loops and integers.

    Before:
    ```mlir
    %r:2 = ov.loop trip(%n) carried(%a, %b) : (tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    ^bb0(%i: tensor<i64>, %p: tensor<2xf32>, %q: tensor<2xf32>):
      ov.next carried(%q, %p : tensor<2xf32>, tensor<2xf32>)
    }
    ```
    After:
    ```mlir
    %run = ov.not_equal %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %r:2 = ov.if %run -> (tensor<2xf32>, tensor<2xf32>) {
      %s:2 = ov.loop trip(%n) carried(%a, %b) : (tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
      ^bb0(%i: tensor<i64>, %p: tensor<2xf32>, %q: tensor<2xf32>):
        %never = ov.less %i, %nought : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %x = ov.select %never, %q, %q : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        %y = ov.select %never, %p, %p : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        ov.next carried(%x, %y : tensor<2xf32>, tensor<2xf32>)
      }
      ov.yield %s#0, %s#1 : tensor<2xf32>, tensor<2xf32>
    } else {
      ov.yield %a, %b : tensor<2xf32>, tensor<2xf32>
    }
    ```

    A loop that may run no iteration is put under its own condition, because OpenVINO returns values of the previous call in
    that case; extents of an empty concatenation that only the body decides are 0. A carried value that becomes another one
    is copied, because OpenVINO copies back edges one after another.
    OpenVINO ignores the start of slices, refuses to concatenate values that are longer than 1, and takes a trip count of -5
    for a number of slices: so inputs are sliced before the loop, values are concatenated along an axis of their own, and
    trip counts are at least -1. OpenVINO rounds quotients of integers towards zero whatever the operation specifies,
    crashes on steps of Slices that do not fit 32 bits, and ends sequences of no step in zeros instead of their initial
    states; it refuses some Selects of booleans. Types are expected to be those that `ov-infer` finds.
    """

    name = "ov-suit-openvino-2026"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        remarks, inference = Remarks(self.name), infer(op)
        for inner in reversed(list(walk(op))):  # What is inside comes before what it is in, which may go.
            try:
                if isinstance(inner, LoopOp):
                    surely_runs = inference.known(inner.iteration) is not None and (
                        trip_bounds(inner, inference).lo > 0
                    )
                    if inner.trip is not None:
                        limit_trips(inner, inference.fact(inner.trip))
                    copy_arguments(inner, remarks)
                    cut_elsewhere(inner, remarks)
                    guard(inner, surely_runs, remarks)
                elif isinstance(inner, DivideOp):
                    round_down(inner)
                elif isinstance(inner, ModOp | FloorModOp):
                    subtract_multiples(inner)
                elif isinstance(inner, ConvertOp):
                    compare_with_zero(inner)
                elif isinstance(inner, SliceOp):
                    limit_positions(inner)
                elif isinstance(inner, ReductionOp):
                    count_axes(inner)
                elif isinstance(inner, LSTMSequenceOp | GRUSequenceOp | RNNSequenceOp):
                    keep_states(inner, inference.fact(inner.sequence_lengths))
                elif isinstance(inner, SelectOp):
                    select_booleans(inner)
            except Error as error:
                raise located(error, inner) from None


__all__ = ["OvSuitOpenvino2026Pass"]
