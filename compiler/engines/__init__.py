"""Engines that run programs, and xDSL's interpreter, adapted for them.

The interpreter adds short errors, a bound on iterations and a plan per block.

xDSL's own `run_ssacfg_region` looks operands up in a chain of scopes and wraps every exception in a print of the whole
module, once per nesting level. This interpreter keeps one flat table (each value is defined once, and nothing is
recursive) and adds an operation's location to an exception once.

An engine has one interpreter, which never runs anything itself. Each call gets its own interpreter (`for_call`), which
holds all state of that call, so several threads may call one engine. The data that they share only ever grows, and the
entry added for an operation is the same in every thread. The functions that implement operations keep no state of a
call either; they receive the interpreter for that purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, SupportsInt

import numpy as np
from xdsl.dialects.builtin import IndexType, MemRefType, ModuleOp, TensorType, VectorType
from xdsl.interpreter import Interpreter, OpImplResult, PythonValues, ReturnedValues
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from loomir.compiler.option_names import DEFAULT_MAX_ITERATIONS
from loomir.dialects.diagnostics import describe_location, located, run_error, split_message
from loomir.dialects.element_types import dtype_of
from loomir.errors import Error


class InterpreterError(Exception):
    """Compiler bug found during interpretation.

    The program does something that no correct program of loomir does, or an operation has no semantics here.
    """


class OutOfBoundsError(InterpreterError):
    """Access outside of a tensor or buffer.

    Lowerings check indices that come from data, so this is a compiler bug.
    """


class IterationBudget:
    """Remaining loop iterations, counted down identically in every engine.

    A `for` takes all its trips when it starts, a `while` takes them one by one.
    """

    __slots__ = ("left", "limit")

    def __init__(self, limit: int = DEFAULT_MAX_ITERATIONS) -> None:
        self.limit = limit
        self.left = limit

    @property
    def used(self) -> int:
        """Iterations so far."""
        return self.limit - self.left

    def take(self, trips: int) -> None:
        """Use up iterations. Raises `limit-iterations`."""
        self.left -= trips
        if self.left < 0:
            raise Error(
                "limit-iterations",
                f"the model's loops run for more than {self.limit} iterations",
                hint="raise the bound with --max-iterations (max_iterations= in Python) if that is intended",
            )


def trip_count(lower: int, upper: int, step: int) -> int:
    """Iterations of `scf.for`, whose bounds are signed and whose step is positive."""
    if step <= 0:
        raise InterpreterError(f"scf.for with step {step}")
    return max(0, -((lower - upper) // step))


def to_value(value: SupportsInt, element: Attribute) -> Any:
    """Convert a scalar or vector to the interpreters' representation.

    A scalar is an `int` for `index`, otherwise a numpy scalar of exactly the type. A vector is an array, and so are the
    scalars of many points.
    """
    if isinstance(element, IndexType) and not (isinstance(value, np.ndarray) and value.ndim):
        return int(value)
    if isinstance(element, VectorType):
        return np.asarray(value).astype(dtype_of(element.element_type), copy=False)
    if isinstance(value, np.generic) and value.dtype == dtype_of(element):
        return value
    return np.asarray(value).astype(dtype_of(element), copy=False)[()]


def poisoned(shape: Iterable[int], dtype: np.dtype) -> np.ndarray:
    """Return a new array filled with poison values.

    The values, NaN or the byte 0xA5 in integers, are conspicuous when they are read.
    """
    array = np.empty(tuple(shape), dtype)
    if dtype.kind in "iu":
        array.view(np.uint8).fill(0xA5) if array.ndim else array.fill(np.frombuffer(b"\xa5" * 8, dtype)[0])
    elif dtype.kind == "b":
        array.fill(True)
    else:
        array.fill(np.nan)
    return array


def runtime_error(message: str, op: Operation) -> Error:
    """Return the user error of a failed `cf.assert`.

    The message begins with the kind of error.
    """
    split = split_message(message)
    if split is None:
        raise InterpreterError(
            f"{describe_location(op)}: the message '{message}' does not begin with a kind of error"
        )
    return located(run_error(*split), op, named=False)


@dataclass(frozen=True)
class Run:
    """Result of an engine call: outputs by name, and the loops' iterations."""

    outputs: dict[str, Any]
    iterations: int


Semantics = Callable[..., OpImplResult]
"""Method that takes the interpreter, an operation and operands, and returns results.

The first argument is the object that the method belongs to.
"""

Implementation = tuple[Any, Semantics]
"""The object that semantics belong to, and its function for an operation."""

PlannedOperation = tuple[
    Operation, Semantics, Any, tuple[SSAValue, ...], tuple[SSAValue, ...], tuple[SSAValue, ...]
]


class RunListener(Interpreter.Listener):
    """Listener of whole runs.

    `begin` is called with the program before each run.

    Of a run with listeners the operations are interpreted one by one, in every engine that interprets: loops are not compiled.
    """

    def begin(self, module: ModuleOp) -> None: ...


@dataclass
class LoomirInterpreter(Interpreter):
    """Runs single-block regions over one flat table of values.

    State of one call are `budget`, `points` (of the `linalg.generic`s that are running,
    the innermost last), `cell` (four bytes through which generated code rounds to f32) and the values. `watch` is asked once for each
    operation what runs in place of its semantics: for checks of values inside of a program.
    """

    budget: IterationBudget = field(default_factory=IterationBudget)
    points: list[Sequence[Any]] = field(default_factory=list)
    cell: memoryview[float] = field(default_factory=lambda: memoryview(bytearray(4)).cast("f"))
    watch: Callable[[Operation, Semantics], Semantics] | None = None
    _values: dict[SSAValue, Any] = field(default_factory=dict)
    _plans: dict[Block, list[PlannedOperation]] = field(default_factory=dict)

    def for_call(self, max_iterations: int) -> LoomirInterpreter:
        """Return an interpreter of the same program for one call."""
        for listener in self.listeners:
            if isinstance(listener, RunListener):
                listener.begin(self.module)
        return LoomirInterpreter(
            self.module,
            listeners=self.listeners,
            budget=IterationBudget(max_iterations),
            watch=self.watch,
            _impls=self._impls,
            _plans=self._plans,
        )

    def get_values(self, values: Iterable[SSAValue]) -> tuple[Any, ...]:
        """The current values of SSA values."""
        return tuple([self._values[v] for v in values])

    def set_values(self, pairs: Iterable[tuple[SSAValue, Any]]) -> None:
        """Set values: a loop's body sets the same ones again."""
        self._values.update(pairs)

    def forget(self, values: Iterable[SSAValue]) -> None:
        """Free the memory of values that nothing reads any more."""
        for value in values:
            self._values.pop(value, None)

    def run_ssacfg_region(self, region: Region, args: PythonValues, name: str = "unknown") -> PythonValues:
        """Run a region of one block and return its terminator's operands."""
        block = region.blocks.first
        if block is None:
            return ()
        values = self._values
        values.update(zip(block.args, args))
        plan = self._plans.get(block)
        if plan is None:
            plan = self._plans[block] = self._plan(block)
        op = block.first_op
        try:
            for op, function, functions, operands, results, dead in plan:
                inputs = tuple([values[v] for v in operands])
                for listener in self.listeners:
                    listener.will_interpret_op(op, inputs)
                outcome = function(functions, self, op, inputs)
                for listener in self.listeners:
                    listener.did_interpret_op(op, outcome.values)
                if outcome.terminator_value is not None:
                    assert isinstance(outcome.terminator_value, ReturnedValues), (
                        "cf branches are not interpreted"
                    )
                    return outcome.terminator_value.values
                values.update(zip(results, outcome.values, strict=True))
                for value in dead:
                    del values[value]
        except (Error, InterpreterError, MemoryError) as error:
            if isinstance(error, InterpreterError) and op is not None and not getattr(error, "placed", False):
                error.args = (f"{describe_location(op)}: {error}",)
                error.placed = True  # pyright: ignore[reportAttributeAccessIssue]
            raise
        except Exception as error:
            assert op is not None
            wrapped = InterpreterError(f"{describe_location(op)}: {type(error).__name__}: {error}")
            wrapped.placed = True  # pyright: ignore[reportAttributeAccessIssue]
            raise wrapped from error
        raise InterpreterError(f"a block of {name} has no terminator")

    def implementation(self, op: Operation) -> Implementation:
        """Return the implementation of an operation.

        Raises `InterpreterError` if there is none.
        """
        found = self._impls._impl_dict.get(type(op))
        if found is None:
            raise InterpreterError(f"{describe_location(op)}: this engine has no semantics for the operation")
        return found

    def _plan(self, block: Block) -> list[PlannedOperation]:
        plan: list[PlannedOperation] = []
        dead = _last_uses(block)
        for op in block.ops:
            functions, function = self.implementation(op)
            if self.watch is not None:
                function = self.watch(op, function)
            plan.append((op, function, functions, tuple(op.operands), tuple(op.results), tuple(dead[op])))
        return plan


def _last_uses(block: Block) -> dict[Operation, list[SSAValue]]:
    """Return the tensors and buffers that die at each operation.

    They are results of the block's operations that no later operation reads, so their memory can be freed.
    """
    order = {op: number for number, op in enumerate(block.ops)}
    dead: dict[Operation, list[SSAValue]] = {op: [] for op in order}
    for op in order:
        for value in op.results:
            if not is_scalar(value.type):
                users = (block.find_ancestor_op_in_block(use.operation) for use in value.uses)
                dead[max((u for u in users if u is not None), key=order.__getitem__, default=op)].append(
                    value
                )
    return dead


def is_scalar(element: Attribute) -> bool:
    """Return True if values of the type are scalars."""
    return not isinstance(element, TensorType | MemRefType | VectorType)
