"""Graph engine: `ov` operations evaluated on numpy arrays.

Operations run by `evaluate`, loops and branches by their regions. Sequences and optionals are lists of arrays and
`None` (see `graph_operations`).

The semantics of `ov.loop` are the table of docs/semantics.md, "Loops and branches".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, TensorType, UnrankedTensorType
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    TerminatorValue,
    impl,
    impl_terminator,
    register_impls,
)
from xdsl.interpreters.func import FuncFunctions
from xdsl.ir import Attribute, Operation

from loomir.compiler.engines import InterpreterError, LoomirInterpreter, Run, RunListener
from loomir.compiler.engines.graph_operations import (
    DecompositionCache,
    check_value,
    copied,
    run_operation,
    values_of_no_trip,
)
from loomir.compiler.feeds import FeedChecker, info_of
from loomir.compiler.limits import check_bytes, check_module
from loomir.compiler.option_names import DEFAULT_MAX_ITERATIONS, MAX_BYTES
from loomir.dialects import ovseq
from loomir.dialects.diagnostics import as_of_a_run, located
from loomir.dialects.element_types import dtype_of
from loomir.dialects.families import extensible
from loomir.dialects.interface import EXTENTS_ONLY, argument_names, main_function, result_names
from loomir.dialects.numerics import workspace
from loomir.dialects.ov import operations
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.base import OvOperation, evaluate, has_evaluator
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp, NextOp, YieldOp
from loomir.dialects.ov.operators.custom import CustomOp
from loomir.dialects.ov.operators.internal import FailOp
from loomir.dialects.ovseq import SeqOperation
from loomir.dialects.ovseq.sequences import ConstructOp
from loomir.dialects.ovseq.splitting import SplitOp
from loomir.errors import Error


class GraphEngine:
    """Runs a GRAPH program: `GraphEngine(module)({"x": array}) -> {"y": array}`.

    Composite operations that are left in it are decomposed when they are reached, for the operands that they meet (`graph_operations.py`).

    - `max_iterations`: bound on the iterations of all loops of one run (`limit-iterations`);
    - `max_bytes`: bound on the size of one tensor (`limit-bytes`);
    - `listeners`: observe each operation.

    A call raises `input-missing`, `input-unknown`, `input-dtype`, `input-shape`, `input-sequence`, `limit-bytes`, `limit-iterations`, and
    for what an operation cannot do the errors of `diagnostics.KINDS`. Several threads may call at once.
    """

    def __init__(
        self,
        module: ModuleOp,
        *,
        max_iterations: int = DEFAULT_MAX_ITERATIONS,
        max_bytes: int = MAX_BYTES,
        listeners: Sequence[RunListener] = (),
    ) -> None:
        check_module(module, max_bytes)
        self.main = main_function(module)
        self.max_iterations = max_iterations
        self._max_bytes = max_bytes
        self.interpreter = LoomirInterpreter(module, listeners=tuple(listeners))
        self.interpreter.register_implementations(FuncFunctions())
        self.interpreter.register_implementations(ov_functions()(max_bytes))
        named = zip(argument_names(self.main), self.main.args)
        self._checked = FeedChecker([info_of(name, argument.type) for name, argument in named])
        self._outputs = result_names(self.main)

    def __call__(self, feed: Mapping[str, object]) -> dict[str, Any]:
        """The outputs by name, each with its true shape."""
        return self.run(feed).outputs

    def run(self, feed: Mapping[str, object]) -> Run:
        """The outputs for a feed, and how many iterations the loops had."""
        arguments = tuple(self._checked(feed).values())
        interpreter = self.interpreter.for_call(self.max_iterations)
        with np.errstate(all="ignore"), workspace(self._max_bytes):
            results = interpreter.call_op(self.main, arguments)
        # An output may be an input's or a constant's very memory, which the caller may write afterwards.
        outputs = {name: copied(value) for name, value in zip(self._outputs, results, strict=True)}
        return Run(outputs, interpreter.budget.used)


class _Ov(InterpreterFunctions):
    """`evaluate` for every operation without regions; loops and branches here."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self.max_bytes = max_bytes
        self._composites = DecompositionCache()
        self._open: dict[Operation, bool] = {}

    def run_primitive(self, interpreter: Interpreter, op: Operation, args: PythonValues) -> PythonValues:
        if EXTENTS_ONLY in op.attributes:
            # (Between two passes of the lowering. What is there may be no operand to compute with.)
            assert isinstance(op, OvOperation)
            return tuple(undefined_of(fact) for fact in op.infer([Fact.of_array(a) for a in args]))
        if not has_evaluator(type(op)):
            return self.run_composite(interpreter, op, args)
        try:
            if self._is_open(op):
                # Only now it is known whether the shapes go together, and how large the results are.
                assert isinstance(op, OvOperation)
                for fact in op.infer([Fact.of_array(a) for a in args]):
                    if fact.shape is not None:
                        check_bytes(fact.element, [extent.lo for extent in fact.shape], self.max_bytes)
            results = evaluate(op, args)
        except Error as error:
            raise located(as_of_a_run(error), op) from None
        for value, result in zip(results, op.results, strict=True):
            check_result(value, result.type)
        return results

    def run_composite(self, interpreter: Interpreter, op: Operation, args: PythonValues) -> PythonValues:
        """An operation that has no semantics but its decomposition."""
        assert isinstance(op, OvOperation)
        region, order = self._composites.body(op, args)
        return interpreter.run_ssacfg_region(region, tuple(args[k] for k in order), op.name)

    def _is_open(self, op: Operation) -> bool:
        """Return True if inference left an operand's or result's shape partly unknown."""
        known = self._open.get(op)
        if known is None:
            # (What fails gives nothing, whatever its types.)
            known = self._open[op] = not isinstance(op, FailOp) and any(
                not isinstance(o.type, TensorType) or DYNAMIC_INDEX in o.type.get_shape()
                for o in (*op.operands, *op.results)
            )
        return known

    def run_custom(self, interpreter: Interpreter, op: CustomOp, args: PythonValues) -> PythonValues:
        # It is here that its meaning is needed: a branch that is not taken may hold one.
        raise located(op.unknown(), op)

    def run_sequence(self, interpreter: Interpreter, op: Operation, args: PythonValues) -> PythonValues:
        assert isinstance(op, SeqOperation)
        value = run_operation(op, args, self.max_bytes)
        if not isinstance(value, list) or isinstance(op, ConstructOp | SplitOp):
            # Other sequences have elements that were checked where they came from: a loop that appends would check all each time.
            check_value(value, op.results[0].type, check_result)
        return (value,)

    def run_if(self, interpreter: Interpreter, op: IfOp, args: PythonValues) -> PythonValues:
        # Only the chosen region is evaluated.
        region = op.then_region if scalar_of(args[0]) else op.else_region
        return interpreter.run_ssacfg_region(region, (), "ov.if")

    def run_loop(self, interpreter: Interpreter, op: LoopOp, args: PythonValues) -> PythonValues:
        assert isinstance(interpreter, LoomirInterpreter)
        try:
            return run_loop(interpreter, op, args)
        except Error as error:
            raise located(as_of_a_run(error), op) from None

    def run_terminator(
        self, interpreter: Interpreter, op: Operation, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()


@extensible
@cache
def ov_functions() -> Callable[[int], InterpreterFunctions]:
    """Return the class with the semantics of the dialects of GRAPH.

    It includes the operations of extensions. Its constructor takes the maximum size of a tensor in bytes.
    """
    semantics = {
        "__doc__": "Semantics of the dialects of GRAPH.",
        **{f"run_{c.name}": impl(c)(_Ov.run_primitive) for c in operations() if issubclass(c, OvOperation)},
        **{f"run_{c.name}": impl(c)(_Ov.run_sequence) for c in ovseq.operations()},
        "run_ov_loop": impl(LoopOp)(_Ov.run_loop),
        "run_ov_if": impl(IfOp)(_Ov.run_if),
        "run_ov_custom": impl(CustomOp)(_Ov.run_custom),
        "run_ov_next": impl_terminator(NextOp)(_Ov.run_terminator),
        "run_ov_yield": impl_terminator(YieldOp)(_Ov.run_terminator),
    }
    return register_impls(type("OvFunctions", (_Ov,), semantics))


def scalar_of(array: np.ndarray) -> bool | int:
    """The element of a trip count or condition."""
    return array.reshape(()).item()


def check_result(value: np.ndarray, type_: Attribute) -> None:
    """Check that a result has its declared type.

    Raises `InterpreterError` otherwise: inference or semantics is wrong.
    """
    assert isinstance(type_, TensorType | UnrankedTensorType)
    if value.dtype != dtype_of(type_.element_type):
        raise InterpreterError(f"a result of {value.dtype} where the type is {type_}")
    if isinstance(type_, TensorType):
        shape = type_.get_shape()
        if len(shape) != value.ndim or any(d not in (DYNAMIC_INDEX, n) for d, n in zip(shape, value.shape)):
            raise InterpreterError(f"a result of shape {list(value.shape)} where the type is {type_}")


def undefined_of(fact: Fact) -> np.ndarray:
    """Return a tensor of the given shape that occupies no memory.

    Unknown extents are 0.
    """
    assert fact.shape is not None
    return np.broadcast_to(np.zeros((), dtype_of(fact.element)), [d.static or 0 for d in fact.shape])


# ----- loops ------------------------------------------------------------------------------------------------


def run_loop(interpreter: LoomirInterpreter, op: LoopOp, args: Sequence[Any]) -> tuple[Any, ...]:
    """The results. Errors: see `GraphEngine`."""
    operands = iter(args)
    trip = int(scalar_of(next(operands))) if op.trip is not None else -1
    go_on = bool(scalar_of(next(operands))) if op.cond is not None else True
    carried = tuple(next(operands) for _ in op.carried)
    sliced = [SlicedArray.of(array, cut) for array, cut in zip(operands, op.slicings, strict=True)]
    # A negative trip count is no limit; then the slices bound the trips.
    limit = trip if trip >= 0 else min((s.trips for s in sliced), default=None)
    last: Sequence[np.ndarray] | None = None
    parts: list[list[np.ndarray]] = [[] for _ in op.concat]
    end = op.next
    i = 0
    while (limit is None or i < limit) and go_on:
        interpreter.budget.take(1)
        values = interpreter.run_ssacfg_region(
            op.body, (np.array(i, np.int64), *carried, *(s.part(i) for s in sliced)), "ov.loop"
        )
        handed_on = iter(values)
        if end.cond is not None:
            go_on = bool(scalar_of(next(handed_on)))
        # All next values are computed by now: back edges are simultaneous.
        carried = tuple(next(handed_on) for _ in end.carried)
        last = [next(handed_on) for _ in end.last]
        for collected in parts:
            part = next(handed_on)
            if collected and collected[0].shape != part.shape:
                raise Error(
                    "runtime-shape",
                    f"a concatenated output has parts of shape {list(collected[0].shape)} and, "
                    f"in iteration {i}, {list(part.shape)}",
                )
            collected.append(part)
        i += 1
    if last is None:
        return (*carried, *values_of_no_trip(interpreter, op, args))
    joined = [concatenated(collected, cut) for collected, cut in zip(parts, op.concatenations, strict=True)]
    return (*carried, *last, *joined)


@dataclass(frozen=True)
class SlicedArray:
    """Input sliced along an axis, one part for each iteration."""

    array: np.ndarray
    cut: Slicing
    axis: int
    trips: int

    @staticmethod
    def of(array: np.ndarray, cut: Slicing) -> SlicedArray:
        """Errors: `loop-axis`, `loop-range`, `loop-part-size`."""
        axis = cut.normalised_axis(array.ndim)
        return SlicedArray(array, cut, axis, cut.trips(array.shape[axis]))

    def part(self, iteration: int) -> np.ndarray:
        """Return the part that an iteration reads. Error: `runtime-shape`."""
        if iteration >= self.trips:
            raise Error(
                "runtime-shape",
                f"iteration {iteration} has no part of a sliced input of shape {list(self.array.shape)}, "
                f"which has {self.trips} on axis {self.axis}",
            )
        begin = self.cut.offset(self.array.shape[self.axis], iteration)
        index = [slice(None)] * self.array.ndim
        index[self.axis] = slice(begin, begin + self.cut.part_size)
        return self.array[tuple(index)]


def concatenated(parts: Sequence[np.ndarray], cut: Slicing) -> np.ndarray:
    """Concatenate the parts of all iterations.

    The first part comes last if the stride is negative.
    """
    axis = cut.normalised_axis(parts[0].ndim)
    return np.concatenate(parts if cut.stride > 0 else parts[::-1], axis)
