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
    if beyond_32_bits(ready, feeds):
        return "integers beyond 32 bits"
    return UNKNOWN


class _Numbers(Interpreter.Listener):
    """Notices an integer that 32 bits do not hold and that an operation computes, or is given."""

    def __init__(self) -> None:
        self.found = False

    def will_interpret_op(self, op: Operation, args: PythonValues) -> None:
        if self.found or isinstance(op, SliceOp):
            return  # Positions of a Slice that are constants are cut to 32 bits as they should be.
        self.found = any(map(_is_beyond, args))

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        self.found = self.found or (not isinstance(op, ConstantOp) and any(map(_is_beyond, results)))


def _is_beyond(value: object) -> bool:
    if not isinstance(value, np.ndarray) or value.dtype not in (np.int64, np.uint64, np.uint32) or not value.size:
        return False
    return bool(value.max() > 2**31 - 1 or value.min() < -(2**31))


def beyond_32_bits(module: ModuleOp, feeds: Sequence[Mapping[str, np.ndarray]]) -> bool:
    """Whether a run of the program on some feed has integers that 32 bits do not hold."""
    engine = GraphEngine(module)
    numbers = _Numbers()
    engine.interpreter.listeners = (*engine.interpreter.listeners, numbers)
    for feed in feeds:
        engine(feed)
    return numbers.found
