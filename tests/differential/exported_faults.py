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
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.elementwise_binary import DivideOp, FloorModOp, ModOp
from loomir.dialects.ov.operators.elementwise_unary import ClampOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.passes.analysis.remarks import Remark, listening
from loomir.passes.graph.ov_infer import OvInferPass
from loomir.passes.graph.ov_suit_openvino_2026 import OvSuitOpenvino2026Pass

UNKNOWN = "unknown"

_SAID = {
    "CPU plug-in doesn't support": "rank known only when it runs",
}
"""What OpenVINO says where it refuses a program, and the class."""


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
    numbers = numbers_of(ready, feeds)
    if numbers.beyond_32_bits:
        return "integers beyond 32 bits"
    if numbers.beyond_24_bits:
        return "integers beyond 24 bits, divided, clamped or reduced"
    return UNKNOWN


_IN_FLOATS = (DivideOp, ModOp, FloorModOp, ClampOp)
"""Operations that compute integers in floats of 32 bits, as do the reductions."""


class _Numbers(Interpreter.Listener):
    """Notices integers that 32 bits do not hold, and those that a float of 32 bits does not hold where OpenVINO computes in floats."""

    def __init__(self) -> None:
        self.beyond_32_bits = False
        self.beyond_24_bits = False

    def will_interpret_op(self, op: Operation, args: PythonValues) -> None:
        for operand, value in zip(op.operands, args):
            # Positions of a Slice that are constants are cut to 32 bits as they should be.
            if not (isinstance(op, SliceOp) and isinstance(operand.owner, ConstantOp)):
                self.beyond_32_bits = self.beyond_32_bits or _is_beyond(value, 31)
            if isinstance(op, _IN_FLOATS) or op.name.startswith("ov.reduce_"):
                self.beyond_24_bits = self.beyond_24_bits or _is_beyond(value, 24)

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
