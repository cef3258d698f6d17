"""Agreement of `region_flow` with the execution of random programs.

Each argument and result in a run is one of the values that it may be.
"""

from __future__ import annotations

from collections import Counter
from typing import Any
from unittest.mock import patch

import pytest
from xdsl.interpreter import Interpreter
from xdsl.ir import Operation, Region, SSAValue

import loomir
from loomir.compiler.engines import LoomirInterpreter
from loomir.dialects.region_flow import region_flow
from loomir.errors import Error
from loomir.tools.fuzz.onnx_oracle import to_onnx
from loomir.tools.fuzz.runner import FuzzOptions

SEED, COUNT = 11, 32


class Watch(Interpreter.Listener):
    """Compares what regions are given, and what comes of their operations, with what their origins are at that moment."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.interpreter: LoomirInterpreter | None = None

    def check(self, op: Operation | None, inputs: list[tuple[SSAValue, Any]]) -> None:
        if (flow := region_flow(op)) is None:
            return
        assert self.interpreter is not None
        now: dict[SSAValue, Any] = self.interpreter._values  # pyright: ignore[reportPrivateUsage]
        for input_, value in inputs:
            if places := flow.predecessor_operands(input_):
                self.seen[flow.op.name] += 1
                if not any(now.get(o.operands[k]) is value for o, k in places):
                    self.wrong.append(f"{input_} of {flow.op.name}")

    def will_interpret_op(self, op: Operation, args: tuple[Any, ...]) -> None:
        pass

    def did_interpret_op(self, op: Operation, results: tuple[Any, ...]) -> None:
        self.check(op, list(zip(op.results, results)))


@pytest.mark.parametrize(
    ("engine", "operations"),
    [("graph", ("ov.loop", "ov.if")), ("interpreter", ("scf.for", "scf.while", "scf.if"))],
)
def test_values_come_from_their_origins(engine: str, operations: tuple[str, ...]) -> None:
    watch = Watch()
    for_call, run_region = LoomirInterpreter.for_call, LoomirInterpreter.run_ssacfg_region

    def watched(self: LoomirInterpreter, *args: Any, **options: Any) -> LoomirInterpreter:
        watch.interpreter = for_call(self, *args, **options)
        watch.interpreter.listeners = (watch,)
        return watch.interpreter

    def run(self: LoomirInterpreter, region: Region, args: tuple[Any, ...], name: str = "") -> Any:
        # (The second arm of an scf.if may be empty.)
        watch.check(region.parent, list(zip(region.block.args if region.blocks else (), args)))
        return run_region(self, region, args, name)

    options = FuzzOptions(seed=SEED, count=COUNT)
    with (
        patch.object(LoomirInterpreter, "for_call", watched),
        patch.object(LoomirInterpreter, "run_ssacfg_region", run),
    ):
        for index in range(COUNT):
            program = options.program(index)
            # Without optimisation, which leaves few branches.
            model = loomir.load(to_onnx(program), max_shapes=program.max_shapes(), optimize=False)
            for feed in program.feeds[:1]:
                try:
                    model.run(feed, engine=engine)
                except Error:
                    continue  # a program that stops, as many do on purpose
    assert not watch.wrong, watch.wrong[:5]
    assert all(watch.seen[name] > 5 for name in operations), watch.seen
