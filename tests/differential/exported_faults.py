"""Why OpenVINO gives something else for a program that loomir wrote: the classes of OpenVINO 2026.4's known faults.

Each is decided by what was measured: what OpenVINO said, whether it agrees once a fault is gone round, which numbers the program computes.
docs/semantics.md says what each is. Nothing is in a class because nothing else is known of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import ModuleOp, UnrankedTensorType
from xdsl.interpreter import Interpreter, PythonValues
from xdsl.ir import Operation

from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.formats.mlir.parser import make_context
from loomir.compiler.formats.openvino.writer import SaveOptions
from loomir.dialects.diagnostics import Remark, listening
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    BinaryOp,
    DivideOp,
    FloorModOp,
    ModOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.elementwise_unary import ClampOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.upstream.walking import walk
from loomir.passes.graph.convert_unranked_to_flat import ConvertUnrankedToFlatPass
from loomir.passes.graph.ov_fold_constants import OvFoldConstantsPass
from loomir.passes.graph.ov_suit_openvino_2026 import OvSuitOpenvino2026Pass

UNKNOWN = "unknown"

RANK = "rank known only when it runs"
SHAPES = "a branch in a loop whose carried shapes change"
BACK_EDGE = "a back edge from what is no carried value"
FIRST_CALL = "the first call reads memory that has been given away"
EMPTY = "a Gather or an elementwise operation of what has no elements"
BOOLEANS = "a Select of booleans in two types"
EMPTIED = "a loop in a branch that carries what becomes empty"
FOLDED = "a loop that OpenVINO runs when it compiles"
WIDE = "integers beyond 32 bits"
FLOATS = "integers beyond 24 bits, divided, clamped or reduced"
NARROW = "integers of 8 or 16 bits that wrap round"

WITH_NUMBERS = (WIDE, FLOATS, NARROW)
"""Classes of what the numbers are that a program computes."""

_SAID = {
    "support dynamic rank": RANK,
    "operation with dynamic rank": RANK,
    "CALLBACK HAS THROWN: vector::_M_range_check": BACK_EDGE,
    "select.cpp:68": BOOLEANS,
    "rank().is_static()": RANK,
    "same_scheme": RANK,
    "Evaluation failed on opset5::Loop": FOLDED,
    "Zero count of iteration not supported": FOLDED,
}
"""OpenVINO's messages when it refuses a program, and their classes."""

_RUNNING = ("infer_request.cpp", "graph.cpp")
"""Where in OpenVINO a program is refused when it runs."""

_OF_SHAPES = ("Can not clone with new dims", "While validating node", "conflicts with the reshape")
"""OpenVINO's messages about shapes of carried values in a branch.

OpenVINO has taken the first shape of such a value for all iterations.
"""


OTHER = "a quotient, a position, an axis or a Select of booleans"
_GONE_ROUND = {
    ConvertUnrankedToFlatPass.name: RANK,
    OvFoldConstantsPass.name: "what is constant is folded",
    OvSuitOpenvino2026Pass.name: OTHER,
}
"""Changes of a program for the target that no remark reports."""


def workarounds(module: ModuleOp) -> list[str]:
    """Return the workarounds that target `openvino-2026` applies to a program."""
    module = module.clone()
    found: set[str] = set()

    def listen(remark: Remark) -> None:
        if remark.kind == "done" and remark.pass_name == OvSuitOpenvino2026Pass.name:
            found.add(remark.text)

    with listening(listen):
        for a_pass in SaveOptions(target="openvino-2026").passes:
            seen = str(module)
            a_pass.apply(make_context(), module)
            name = _GONE_ROUND.get(a_pass.name)
            if name is not None and not (found and name == OTHER) and str(module) != seen:
                found.add(name)
    return sorted(found)


def fault_of(
    ready: ModuleOp,
    feeds: Sequence[Mapping[str, np.ndarray]],
    difference: str,
    again: Callable[[], str | None],
) -> str:
    """The class of a difference, by what OpenVINO said of the program and by what the program computes. `again` says what differs when
    each feed is fed twice, and the second call counts."""
    if "Step must" in difference and numbers_of(ready, feeds).beyond_32_bits:
        return WIDE  # The lower half of what is computed is 0.
    for said, name in _SAID.items():
        if said in difference and (name != RANK or has_open_rank(ready)):
            return name
    if any(said in difference for said in _OF_SHAPES) and _changes_shapes_around_a_branch(ready):
        return SHAPES
    if "object is not initialized" in difference and _is_emptied_in_a_branch(ready):
        return EMPTIED
    if difference.startswith("refused") and not any(said in difference for said in _RUNNING):
        return UNKNOWN  # What numbers there are is no reason to refuse a program before it runs.
    numbers = numbers_of(ready, feeds)
    for name in WITH_NUMBERS:
        if name in numbers.found:
            return name
    if difference.startswith("call") and again() is None:
        return FIRST_CALL
    return EMPTY if EMPTY in numbers.found else UNKNOWN


def has_open_rank(module: ModuleOp) -> bool:
    """Return True if some value's rank is unknown before the program runs."""
    return any(isinstance(r.type, UnrankedTensorType) for op in walk(module) for r in op.results)


def _is_emptied_in_a_branch(module: ModuleOp) -> bool:
    """Return True if, in a branch, a loop-carried value ends without elements."""
    for branch in walk(module):
        if not isinstance(branch, IfOp):
            continue
        for op in walk(branch):
            if isinstance(op, LoopOp) and any(0 in (fact_of(r).static or ()) for r in op.final):
                return True
    return False


def _changes_shapes_around_a_branch(module: ModuleOp) -> bool:
    """Return True if a loop around a branch changes a carried shape.

    The carried value begins with a static shape that the loop does not keep.
    """
    for op in walk(module):
        if isinstance(op, LoopOp) and any(isinstance(inner, IfOp) for inner in walk(op)):
            for value, argument in zip(op.carried, op.carried_arguments):
                if fact_of(value).static is not None and fact_of(argument).static is None:
                    return True
    return False


_IN_FLOATS = (DivideOp, ModOp, FloorModOp, ClampOp)
"""Operations that compute integers in floats of 32 bits, as do the reductions."""

_EXACTLY = {AddOp: np.add, SubtractOp: np.subtract, MultiplyOp: np.multiply}


class _Numbers(Interpreter.Listener):
    """Notices what OpenVINO does not compute rightly, by the names of the classes."""

    def __init__(self) -> None:
        self.found: set[str] = set()

    @property
    def beyond_32_bits(self) -> bool:
        """True if there were integers that do not fit into 32 bits."""
        return WIDE in self.found

    def will_interpret_op(self, op: Operation, args: PythonValues) -> None:
        for operand, value in zip(op.operands, args):
            # Positions of a Slice that are constants are cut to 32 bits as they should be.
            if not (isinstance(op, SliceOp) and isinstance(operand.owner, ConstantOp)):
                self._note(WIDE, _is_beyond(value, 31))
            if isinstance(op, _IN_FLOATS) or op.name.startswith("ov.reduce_"):
                self._note(FLOATS, _is_beyond(value, 24))
            if isinstance(op, GatherOp | BinaryOp):
                self._note(EMPTY, isinstance(value, np.ndarray) and not value.size)
        exact = _EXACTLY.get(type(op))
        if exact is not None and args[0].dtype.itemsize < 4 and args[0].dtype.kind in "iu":
            limits = np.iinfo(args[0].dtype)
            result = exact(*(a.astype(np.int64) for a in args))
            self._note(NARROW, bool(((result < limits.min) | (result > limits.max)).any()))

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        if not isinstance(op, ConstantOp):
            self._note(WIDE, any(_is_beyond(value, 31) for value in results))

    def _note(self, name: str, holds: bool) -> None:
        if holds:
            self.found.add(name)


def _is_beyond(value: object, bits: int) -> bool:
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "iu" or not value.size:
        return False
    return bool(int(value.max()) > 2**bits - 1 or int(value.min()) < -(2**bits))


def numbers_of(module: ModuleOp, feeds: Sequence[Mapping[str, np.ndarray]]) -> _Numbers:
    """Run a program on its feeds and record integers that OpenVINO miscomputes."""
    engine = GraphEngine(module)
    numbers = _Numbers()
    engine.interpreter.listeners = (*engine.interpreter.listeners, numbers)
    for feed in feeds:
        engine(feed)
    return numbers
