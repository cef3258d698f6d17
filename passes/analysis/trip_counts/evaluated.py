"""Conditions that nothing outside the loop decides, computed iteration by iteration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from loomir.dialects.ov.evaluation import evaluate, has_evaluator
from loomir.dialects.ov.facts import CONTENT_LIMIT
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.errors import Error
from loomir.passes.analysis.inference.state import State

MAX_OPERATIONS = 50_000
"""Budget of evaluated operations for all loops of one program.

It amounts to half a second or so.
"""

MAX_SLICE = 100
"""Operations of a body that a condition may depend on."""


@dataclass
class Budget:
    """How many operations may be computed yet."""

    operations: int = MAX_OPERATIONS


def held(loop: LoopOp, condition: SSAValue, inference: State, budget: Budget) -> Iterator[bool]:
    """Yield the value of a body's condition in iterations 0, 1, …

    The iterator continues as long as the value follows from constants and the budget lasts. It ends silently if something else is
    needed, or an operation fails.
    """
    slice_ = _Slice(loop, inference)
    if not slice_.add(condition):
        return
    state = dict(slice_.initial)
    for iteration in count():
        budget.operations -= 1 + len(slice_.operations)
        if budget.operations < 0:
            return
        values = {**slice_.constants, **state, loop.iteration: np.array(iteration, np.int64)}
        try:
            for op in slice_.operations:
                values.update(zip(op.results, evaluate(op, [values[v] for v in op.operands])))
        except Error:
            return
        if any(array.size > CONTENT_LIMIT for array in values.values()):
            return
        yield bool(values[condition].reshape(()))
        state = {argument: values[following] for argument, following in slice_.carried.items()}


class _Slice:
    """Backward slice of a condition in a loop body.

    It spans this iteration and the earlier ones.
    """

    def __init__(self, loop: LoopOp, inference: State) -> None:
        self._loop = loop
        self._block = loop.body.block
        self._inference = inference
        self.constants: dict[SSAValue, np.ndarray] = {}
        self.initial: dict[SSAValue, np.ndarray] = {}
        self.carried: dict[SSAValue, SSAValue] = {}
        self.operations: list[Operation] = []

    def add(self, condition: SSAValue) -> bool:
        """Add what a value needs; whether all of that can be computed."""
        found: set[Operation] = set()
        seen: set[SSAValue] = set()
        waiting = [condition]
        while waiting:
            value = waiting.pop()
            if value in seen:
                continue
            seen.add(value)
            if isinstance(value, BlockArgument) and value.owner is self._block:
                if value is self._loop.iteration:
                    continue
                position = value.index - 1
                if position >= len(self._loop.carried):
                    return False
                first = self._inference.fact(self._loop.carried[position]).value
                if first is None:
                    return False
                self.initial[value] = first
                self.carried[value] = self._loop.next.carried[position]
                waiting.append(self.carried[value])
                continue
            op = value.owner
            if isinstance(op, Block) or op.parent is not self._block:
                known = self._inference.fact(value).value
                if known is None:
                    return False
                self.constants[value] = known
                continue
            if not has_evaluator(type(op)) or len(found) >= MAX_SLICE:
                return False
            found.add(op)
            waiting.extend(op.operands)
        self.operations = [op for op in self._block.ops if op in found]
        return True
