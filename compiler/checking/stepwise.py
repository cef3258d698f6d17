"""Effect of a single pass on a program, also per quantised step.

`difference_of_pass` is evaluated repeatedly while a failing program is reduced.

`Stepwise` checks passes that claim `STEPS` on quantised tensors: each quantised tensor changes by at most that many steps, given
equal quantised tensors before it. The pass reports which value of the program each integer tensor stands for
(`passes/analysis/quantisation.py`). The changed program is run, and the integers are recorded in the order of their
computation: in a loop there are some for each iteration. Then the original program is run. When it has computed one of these
values, the value is compared with the real numbers that the integers stand for. The original program continues with these real
numbers, so that the deviation of a step does not grow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import Interpreter, OpImplResult, PythonValues
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.passes import ModulePass

from loomir.compiler.checking.agreement import Difference, Outcome, compare
from loomir.compiler.checking.running import (
    OTHER_FILL,
    claims_of,
    crash_of,
    gives_capacity,
    invalid,
    only_defined,
    run_program,
)
from loomir.compiler.engines import Semantics
from loomir.compiler.option_names import DEFAULT_MAX_ITERATIONS
from loomir.dialects.diagnostics import layer_name
from loomir.errors import Error
from loomir.passes.analysis.quantisation import QuantisedTensor, listening_to_quantised_tensors

_Pairs = dict[Operation, dict[int, tuple[OpResult, QuantisedTensor]]]

_NEAR = 1e-3
"""Tolerance of a tensor's deviation beyond its steps.

It allows for the rounding of floats.
"""


class Stepwise:
    """Listener around one pass that claims steps.

    It is created with the module before the pass, closed after the pass (in any case), and then queried.
    """

    def __init__(self, module: ModuleOp) -> None:
        self._copies: dict[SSAValue, SSAValue] = {}
        self._before = module.clone(self._copies)
        self._told: list[QuantisedTensor] = []
        self._listening = ExitStack()
        self._listening.enter_context(listening_to_quantised_tensors(self._told.append))

    def close(self) -> None:
        """The pass has ended."""
        self._listening.close()

    def run(
        self, module: ModuleOp, feed: Mapping[str, Any], steps: int, *, max_iterations: int
    ) -> tuple[Outcome, Difference | None]:
        """Run the original program with the quantised tensors of the changed one.

        Returns its outcome, and the difference of the first quantised tensor that deviates by more than `steps`.
        """
        pairs = self._pairs(module)
        kept = _Kept({integers.op for places in pairs.values() for integers, _ in places.values()})
        run_program(module, [feed], max_iterations=max_iterations, watch=kept.watch)
        replaced = _Replaced(pairs, kept.values, steps)
        (outcome,) = run_program(self._before, [feed], max_iterations=max_iterations, watch=replaced.watch)
        return outcome, replaced.found

    def _pairs(self, module: ModuleOp) -> _Pairs:
        """Return the pairs of original quantised tensors and current integers.

        The keys are the operation that computes the tensor in the original program, and the position among its results. The
        values are the integers that are computed now; pairs whose integers no longer exist are left out.
        """
        pairs: _Pairs = {}
        for tensor in self._told:
            value, integers = self._copies.get(tensor.value), tensor.integers
            if isinstance(value, OpResult) and isinstance(integers, OpResult) and _is_in(integers.op, module):
                pairs.setdefault(value.op, {})[value.index] = (integers, tensor)
        return pairs


def _is_in(op: Operation, module: ModuleOp) -> bool:
    parent: Operation | None = op
    while parent is not None and parent is not module:
        parent = parent.parent_op()
    return parent is module


@dataclass
class _Kept:
    """Recorded results of some operations, in order."""

    operations: set[Operation]
    values: dict[Operation, list[PythonValues]] = field(
        default_factory=lambda: defaultdict[Operation, list[PythonValues]](list)
    )

    def watch(self, op: Operation, semantics: Semantics) -> Semantics:
        if op not in self.operations:
            return semantics

        def run(functions: Any, interpreter: Interpreter, op: Operation, args: PythonValues) -> OpImplResult:
            outcome = semantics(functions, interpreter, op, args)
            self.values[op].append(tuple(np.array(value) for value in outcome.values))
            return outcome

        return run


@dataclass
class _Replaced:
    """Operations whose results are compared with, and replaced by, recorded values."""

    pairs: _Pairs
    kept: Mapping[Operation, Sequence[PythonValues]]
    steps: int
    found: Difference | None = None
    _runs: dict[Operation, int] = field(default_factory=lambda: defaultdict[Operation, int](int))

    def watch(self, op: Operation, semantics: Semantics) -> Semantics:
        if op not in self.pairs:
            return semantics

        def run(functions: Any, interpreter: Interpreter, op: Operation, args: PythonValues) -> OpImplResult:
            outcome = semantics(functions, interpreter, op, args)
            values, number = list(outcome.values), self._runs[op]
            self._runs[op] += 1
            for place, (integers, tensor) in self.pairs[op].items():
                runs, value = self.kept.get(integers.op, ()), values[place]
                if number >= len(runs):
                    continue
                found = (tensor.scale * (runs[number][integers.index] - tensor.zero)).astype(value.dtype)
                if found.shape == value.shape:
                    self._compare(op, value, found, tensor.scale)
                    values[place] = found
            return OpImplResult(tuple(values), outcome.terminator_value)

        return run

    def _compare(self, op: Operation, value: np.ndarray, integers: np.ndarray, scale: np.ndarray) -> None:
        with np.errstate(all="ignore"):
            away = np.abs(value.astype(np.float64) - integers.astype(np.float64)) / scale
        wrong = ~(away <= self.steps + _NEAR)
        if self.found is not None or not wrong.any():
            return
        layer = layer_name(op)
        what = f"{op.name} of '{layer}'" if layer else op.name
        first = [int(i) for i in np.argwhere(wrong)[0]]
        largest = float(np.nan_to_num(away[wrong], nan=np.inf).max())
        self.found = Difference(
            "steps",
            f"the quantised tensor {what} is up to {largest:.6g} steps away (allowed: {self.steps}) in {np.count_nonzero(wrong)} of "
            f"{value.size} elements: {integers[tuple(first)]} at {first}, where it was {value[tuple(first)]}",
            largest=largest,
        )


def difference_of_pass(
    module: ModuleOp,
    instance: ModulePass,
    context: Context,
    feed: Mapping[str, Any] | None,
    *,
    max_iterations: int = DEFAULT_MAX_ITERATIONS,
    defined: bool = False,
) -> Difference | None:
    """Return the difference that one pass causes on a module, or None.

    Running the program before and after the pass reveals it. The module is not changed.

    Without a feed the program isn't run. A program that the pass rejects (`loomir.Error`) counts as correct. With
    `defined`, elements that the program never wrote are not compared.
    """
    before: Outcome | None = None
    if feed is not None:
        (before,) = run_program(module, [feed], max_iterations=max_iterations)
        if before.crash is not None:
            return None
    changed, claims = module.clone(), claims_of(instance)
    stepwise = Stepwise(changed) if claims["steps"] else None
    try:
        instance.apply(context, changed)
    except Error:
        return None
    except Exception as error:
        return crash_of(error)
    finally:
        if stepwise is not None:
            stepwise.close()
    found = invalid(changed)
    if found is not None or before is None or feed is None:
        return found
    (after,) = run_program(changed, [feed], max_iterations=max_iterations, bounded=gives_capacity(instance))
    if stepwise is not None and not before.failed and not after.failed:
        before, found = stepwise.run(changed, feed, claims["steps"], max_iterations=max_iterations)
    found = found or compare(before, after, **claims)
    if found is None or found.kind == "steps" or not defined:
        return found
    (other,) = run_program(module, [feed], max_iterations=max_iterations, fill=OTHER_FILL)
    return compare(*only_defined(before, other, after), **claims)
