"""Why OpenVINO gives something else for a program that loomir wrote: the classes of OpenVINO 2026.4's known faults.

Each is decided by what was measured: what OpenVINO said, whether it agrees once a fault is gone round, which numbers the program computes.
docs/semantics.md says what each is. Nothing is in a class because nothing else is known of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import Interpreter, PythonValues
from xdsl.ir import Operation

from loomir.compiler.interpreters.ov import GraphEngine
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    DivideOp,
    FloorModOp,
    ModOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.elementwise_unary import ClampOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.walking import walk
from loomir.passes.analysis.remarks import Remark, listening
from loomir.passes.graph.ov_infer import OvInferPass
from loomir.passes.graph.ov_suit_openvino_2026 import OvSuitOpenvino2026Pass

UNKNOWN = "unknown"

RANK = "rank known only when it runs"
SHAPES = "a branch in a loop whose carried shapes change"
BACK_EDGE = "a back edge from what is no carried value"
BRANCH = "a branch of which one result of open extents is read more than once"
FOLDED = "a loop that OpenVINO runs when it compiles"
WIDE = "integers beyond 32 bits"
FLOATS = "integers beyond 24 bits, divided, clamped or reduced"
NARROW = "integers of 8 or 16 bits that wrap round"

_SAID = {
    "support dynamic rank": RANK,
    "operation with dynamic rank": RANK,
    "CALLBACK HAS THROWN: vector::_M_range_check": BACK_EDGE,
    "Evaluation failed on opset5::Loop": FOLDED,
    "Zero count of iteration not supported": FOLDED,
}
"""What OpenVINO says where it refuses a program, and the class."""

_OF_SHAPES = ("Can not clone with new dims", "While validating node")
"""What OpenVINO says where it has not inferred the shapes in a branch again."""


def workarounds(module: ModuleOp) -> list[str]:
    """What `ov-suit-openvino-2026` has to go round in a program."""
    module = module.clone()
    OvInferPass().apply(Context(), module)
    found: set[str] = set()

    def listen(remark: Remark) -> None:
        if remark.kind == "done":
            found.add(remark.text)

    before = str(module)
    with listening(listen):
        OvSuitOpenvino2026Pass().apply(Context(), module)
    if not found and str(module) != before:
        found.add("quotients are rounded down")
    return sorted(found)


def fault_of(ready: ModuleOp, feeds: Sequence[Mapping[str, np.ndarray]], difference: str) -> str:
    """The class of a difference, by what OpenVINO said of the program and by what the program computes."""
    for said, name in _SAID.items():
        if said in difference:
            return name
    if any(said in difference for said in _OF_SHAPES) and _changes_shapes_around_a_branch(ready):
        return SHAPES
    if difference.startswith("refused") and "infer_request.cpp" not in difference:
        return UNKNOWN  # What numbers there are is no reason to refuse a program before it runs.
    numbers = numbers_of(ready, feeds)
    if numbers.beyond_32_bits:
        return WIDE
    if numbers.beyond_24_bits:
        return FLOATS
    if numbers.narrow_wraps:
        return NARROW
    return BRANCH if difference.startswith("call") and any(map(_is_read_twice, walk(ready))) else UNKNOWN


def _is_read_twice(op: Operation) -> bool:
    """Whether an operation is a branch of several results, of which one is of open extents and is read more than once."""
    if not isinstance(op, IfOp) or len(op.output) < 2:
        return False
    return any(fact_of(r).static is None and len(list(r.uses)) > 1 for r in op.output)


def _changes_shapes_around_a_branch(module: ModuleOp) -> bool:
    """Whether a loop has a branch in it, and carries what begins with a shape that it does not keep."""
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
    """Notices integers that 32 bits do not hold, and those that a float of 32 bits does not hold where OpenVINO computes in floats."""

    def __init__(self) -> None:
        self.beyond_32_bits = False
        self.beyond_24_bits = False
        self.narrow_wraps = False

    def will_interpret_op(self, op: Operation, args: PythonValues) -> None:
        for operand, value in zip(op.operands, args):
            # Positions of a Slice that are constants are cut to 32 bits as they should be.
            if not (isinstance(op, SliceOp) and isinstance(operand.owner, ConstantOp)):
                self.beyond_32_bits = self.beyond_32_bits or _is_beyond(value, 31)
            if isinstance(op, _IN_FLOATS) or op.name.startswith("ov.reduce_"):
                self.beyond_24_bits = self.beyond_24_bits or _is_beyond(value, 24)
        exact = _EXACTLY.get(type(op))
        if exact is not None and args[0].dtype.itemsize < 4 and args[0].dtype.kind in "iu":
            limits = np.iinfo(args[0].dtype)
            result = exact(*(a.astype(np.int64) for a in args))
            self.narrow_wraps |= bool(((result < limits.min) | (result > limits.max)).any())

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        if not isinstance(op, ConstantOp):
            self.beyond_32_bits = self.beyond_32_bits or any(_is_beyond(value, 31) for value in results)


def _is_beyond(value: object, bits: int) -> bool:
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "iu" or not value.size:
        return False
    return bool(int(value.max()) > 2**bits - 1 or int(value.min()) < -(2**bits))


def numbers_of(module: ModuleOp, feeds: Sequence[Mapping[str, np.ndarray]]) -> _Numbers:
    """What a run of the program on its feeds has of integers that OpenVINO does not compute rightly."""
    engine = GraphEngine(module)
    numbers = _Numbers()
    engine.interpreter.listeners = (*engine.interpreter.listeners, numbers)
    for feed in feeds:
        engine(feed)
    return numbers
