"""Work of a run in the graph engine: trips, operations and bytes."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import PythonValues
from xdsl.ir import Operation
from xdsl.traits import IsTerminator

from loomir.compiler.engines.graph_operations import size_of
from loomir.dialects.diagnostics import layer_name
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.tools.compare.rows import LoopCount
from loomir.tools.profiling import Frame, Observer


class WorkCounter(Observer):
    """Listener that counts the work of one run.

    It counts in all, and per loop. Branches and composite operations are counted by what runs in them.
    """

    def begin(self, module: ModuleOp) -> None:
        super().begin(module)
        self.loops: dict[Operation, LoopCount] = {}
        self.operations = self.bytes = 0
        self._entered: list[tuple[int, int]] = []
        """Operations and bytes before each loop that is running."""

    @property
    def trips(self) -> int:
        """Iterations of all loops."""
        return sum(loop.trips for loop in self.loops.values())

    def entered(self, frame: Frame, args: PythonValues) -> None:
        if isinstance(frame.operation, LoopOp):
            self._entered.append((self.operations, self.bytes))

    def left(self, frame: Frame, results: PythonValues, seconds: float) -> None:
        op = frame.operation
        if isinstance(op, LoopOp):
            operations, size = self._entered.pop()
            count = self.loops.setdefault(op, LoopCount(layer_name(op)))
            count.entered += 1
            count.trips += frame.trips
            count.operations += self.operations - operations
            count.bytes += self.bytes - size
            # (Its carried values are results of its body.)
            results = results[len(op.final) :]
        elif frame.inner or isinstance(op, IfOp) or op.has_trait(IsTerminator):
            return
        self.operations += 1
        self.bytes += sum(map(size_of, results))
