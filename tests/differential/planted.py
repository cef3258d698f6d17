"""Well-known ways to miscompile control flow and positions, each switched on in the real compiler for as long as a `with` lasts.

Nothing in the compiler knows of them: a fault replaces the one function that is the smallest place for it. They show that the
random programs would find such a mistake (`test_planted.py`); what they miss says what the programs lack.

`python -m tests.differential.planted` prints after how many programs each one is found, and what gave it away.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
import onnx
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.traits import is_speculatable

from loomir.compiler import model
from loomir.compiler.engines import OutOfBoundsError
from loomir.compiler.formats.c.statements import Statements
from loomir.compiler.loading import load
from loomir.compiler.model import Engine
from loomir.dialects.control_flow import values
from loomir.dialects.control_flow.branches import NegatedCondition
from loomir.dialects.element_types import i1, i32, i64
from loomir.dialects.ov.operators.comparison import LogicalNotOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.region_flow import RegionFlow
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.operators import control_flow
from loomir.passes.structured.convert_ov_loop_to_scf import branches_and_loops, slices
from loomir.passes.structured.convert_ov_to_linalg import slicing
from loomir.tools.fuzz import Program
from loomir.tools.fuzz.generator import program_of
from loomir.tools.fuzz.onnx_oracle import run_onnxruntime, to_onnx
from tests.support import assert_all_agree

SEED = 2024
SEARCH = 2000
"""At most so many programs may pass before a fault is found."""

MAX_ITERATIONS = 100_000
"""A fault may make a loop that does not end."""


@dataclass(frozen=True)
class Fault:
    """A mistake, and the engine that has it. `switched_on()` is the context that plants it."""

    engine: Engine
    switched_on: Callable[[], AbstractContextManager[object]]


FAULTS: dict[str, Fault] = {}


def fault(engine: Engine) -> Callable[[Callable[[], Iterator[None]]], Callable[[], Iterator[None]]]:
    """Enter a generator function into `FAULTS` under its name."""

    def enter(plant: Callable[[], Iterator[None]]) -> Callable[[], Iterator[None]]:
        FAULTS[plant.__name__.replace("_", "-")] = Fault(engine, contextmanager(plant))
        return plant

    return enter


# ----- back edges -------------------------------------------------------------------------------------------


@fault("native")
def back_edges_one_after_another() -> Iterator[None]:
    """C's `a = b; b = a;` for a swap: each next value sees those assigned before it."""

    def assign(self: Statements, targets: Sequence[tuple[str, str, Any]]) -> None:
        for target, _, expression in targets:
            if expression.text != target:
                self.line(f"{target} = {expression.text};")

    with patch.object(Statements, "assign", assign):
        yield


@fault("graph")
def hoisted_without_zero_trip_guard() -> Iterator[None]:
    """Hoist loop-invariant code without a guard for zero trips.

    The hoisted value is taken for the loop's result even if no iteration runs.
    """

    def hoist(module: ModuleOp) -> None:
        for loop in [op for op in module.walk() if isinstance(op, LoopOp)]:
            body = loop.body.block
            for op in list(body.ops):
                own = any(_is_inside(loop, operand) for operand in op.operands)
                if not own and not op.regions and op is not body.last_op and is_speculatable(op):
                    op.detach()
                    assert loop.parent is not None
                    loop.parent.insert_op_before(op, loop)
            for final, following in zip(loop.final, loop.next.carried):
                if not _is_inside(loop, following) and final.type == following.type:
                    final.replace_all_uses_with(following)

    run = model.run_passes

    def with_hoisting(module: ModuleOp, passes: str | Sequence[str], **options: Any) -> None:
        run(module, passes, **options)
        if passes != "ov-decompose":
            hoist(module)

    with patch.object(model, "run_passes", with_hoisting):
        yield


def _is_inside(loop: LoopOp, value: SSAValue) -> bool:
    block: Block | None = value.owner if isinstance(value.owner, Block) else value.owner.parent
    while block is not None:
        if block is loop.body.block:
            return True
        parent = block.parent_op()
        block = None if parent is None else parent.parent
    return False


# ----- trips ------------------------------------------------------------------------------------------------


def _with_limit(change: Callable[[Any, Any], Any]) -> AbstractContextManager[object]:
    """Another number of iterations wherever something but the condition bounds them."""
    limit = branches_and_loops._Loop._limit

    def changed(self: Any) -> Any:
        found, *rest = limit(self)
        if not (isinstance(found, int) and found == branches_and_loops.NO_LIMIT):
            found = change(self.low, found)
        return (found, *rest)

    return patch.object(branches_and_loops._Loop, "_limit", changed)


@fault("structured")
def one_trip_too_many() -> Iterator[None]:
    """`i <= n` instead of `i < n`."""
    with _with_limit(lambda low, limit: low.add(limit, 1)):
        yield


@fault("structured")
def one_trip_too_few() -> Iterator[None]:
    """`i + 1 < n`."""
    with _with_limit(lambda low, limit: low.sub(limit, 1)):
        yield


@fault("graph")
def counter_of_32_bits() -> Iterator[None]:
    """A trip count taken for an `int`: 2³² + 3 trips are three."""
    original = control_flow._trip_count

    def wrapped(node: Node, trip: SSAValue) -> SSAValue:
        narrow = node.op(ConvertOp, trip, destination_type=i32)
        return original(node, node.op(ConvertOp, narrow, destination_type=i64))

    with patch.object(control_flow, "_trip_count", wrapped):
        yield


@fault("structured")
def condition_read_late() -> Iterator[None]:
    """An iteration's condition decides about the iteration after the next one."""
    emit = branches_and_loops._Loop._emit_while

    def late(
        self: Any, body: Block, limit: Any, start: Any, condition: SSAValue, inits: Any, values: Any
    ) -> Any:
        before = body.insert_arg(i1, len(body.args))
        results, iterations = emit(
            self, body, limit, start, before, [*inits, self.low.constant(1, i1)], [*values, condition]
        )
        return results[:-1], iterations

    with patch.object(branches_and_loops._Loop, "_emit_while", late):
        yield


# ----- values -----------------------------------------------------------------------------------------------


@fault("graph")
def capture_of_the_first_version() -> Iterator[None]:
    """A nested region that reads a carried value of the loop around it sees the initial one."""
    make = LoopOp.of

    def stale(*, carried: Sequence[SSAValue], body: Region, **options: Any) -> LoopOp:
        block = body.block
        for argument, initial in zip(block.args[1:], carried):
            if argument.type == initial.type:
                for use in list(argument.uses):
                    if use.operation.parent is not block:
                        use.operation.operands[use.index] = initial
        return make(carried=carried, body=body, **options)

    with patch.object(LoopOp, "of", staticmethod(stale)):
        yield


@fault("structured")
def scan_output_off_by_one() -> Iterator[None]:
    """A part goes to the place of the part before it."""
    insert = slices.ConcatAccumulator.insert

    def shifted(self: Any, low: Any, state: Any, value: Any, iteration: Any, **options: Any) -> Any:
        first = low.compare("eq", iteration, 0)
        place = low.select(first, iteration, low.sub(iteration, 1))
        return insert(self, low, state, value, place, **options)

    with patch.object(slices.ConcatAccumulator, "insert", shifted):
        yield


@fault("graph")
def dead_carry_removed_wrongly() -> Iterator[None]:
    """A carried value whose final value nobody uses counts as dead, although the body reads it."""
    live = values._live_values

    def only_used(flow: RegionFlow, together: Mapping[SSAValue, Collection[SSAValue]]) -> set[SSAValue]:
        used = [c for c in flow.carried if c.result.first_use is not None]
        open_ = [c for c in flow.carried if c.arguments[0].type != c.initial.type]
        kept = {v for c in (*used, *open_) for v in (*c.arguments, c.result)}
        carried = {v for c in flow.carried for v in (*c.arguments, c.result)}
        return live(flow, together) - (carried - kept)

    with patch.object(values, "_live_values", only_used):
        yield


@fault("graph")
def branches_swapped() -> Iterator[None]:
    """`if not(c) { A } else { B }` becomes `if c { A } else { B }`."""

    def forget_to_swap(self: NegatedCondition, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, IfOp)
        if isinstance(negation := op.cond.owner, LogicalNotOp):
            op.operands[0] = negation.operands[0]
            rewriter.notify_op_modified(op)

    with patch.object(NegatedCondition, "match_and_rewrite", forget_to_swap):
        yield


@fault("structured")
def length_of_the_iteration_before() -> Iterator[None]:
    """The extents of a loop's dynamic results are those that the last iteration got, not those that it made."""

    def stale(emit: Callable[..., Any]) -> Callable[..., Any]:
        def emit_stale(self: Any, body: Block, *arguments: Any) -> Any:
            *rest, inits, values = arguments
            arguments_of_body = body.args[len(body.args) - len(values) :]
            extents = [k for k, v in enumerate(values) if isinstance(v.type, IndexType)]
            for _ in extents:
                body.insert_arg(IndexType(), len(body.args))
            results, iterations = emit(
                self,
                body,
                *rest,
                [*inits, *(inits[k] for k in extents)],
                [*values, *(arguments_of_body[k] for k in extents)],
            )
            found, before = list(results[: len(values)]), results[len(values) :]
            for k, extent in zip(extents, before):
                found[k] = extent
            return found, iterations

        return emit_stale

    with (
        patch.object(branches_and_loops._Loop, "_emit_for", stale(branches_and_loops._Loop._emit_for)),
        patch.object(branches_and_loops._Loop, "_emit_while", stale(branches_and_loops._Loop._emit_while)),
    ):
        yield


# ----- positions --------------------------------------------------------------------------------------------


@fault("structured")
def least_step_negated() -> Iterator[None]:
    """A step that is computed is negated as it is: of -2^63 there is no opposite, and nothing is taken."""
    with patch.object(slicing, "_limited_step", lambda low, step, extent, bound: step):
        yield


# ----- the search -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Found:
    """After how many programs the search stopped, and by what it noticed the fault (None: it did not)."""

    programs: int
    where: str | None

    def __str__(self) -> str:
        return (
            f"not found in {self.programs}"
            if self.where is None
            else f"program {self.programs}: {self.where}"
        )


def search(name: str, *, count: int = SEARCH, planted: bool = True) -> Found:
    """Run programs with and without a fault until the outputs with it are not ONNX Runtime's; those without it must be.

    A run that fails with a `loomir.Error` or leaves a buffer is a difference too; any other exception is a mistake in the fault
    itself. With `planted=False` the fault stays off, and nothing should be found.
    """
    fault = FAULTS[name]
    for number in range(count):
        program, model, expected = _program(number)
        if program.refusals:
            continue  # engines below GRAPH may refuse it
        if not planted:
            _run(fault.engine, program, model, expected)
            continue
        _agrees(fault.engine, number)
        try:
            with fault.switched_on():
                _run(fault.engine, program, model, expected)
        except (AssertionError, Error, OutOfBoundsError) as error:
            return Found(number + 1, " ".join(f"{type(error).__name__}: {error}".split())[:100])
    return Found(count, None)


@cache
def _agrees(engine: Engine, number: int) -> None:
    """Without any fault the program must give what ONNX Runtime gives: tried once for all faults."""
    _run(engine, *_program(number))


@cache
def _program(number: int) -> tuple[Program, onnx.ModelProto, list[dict[str, np.ndarray]]]:
    program = program_of(SEED, number, size=6)
    model = to_onnx(program)
    return program, model, run_onnxruntime(model, program.feeds)


def _run(
    engine: Engine, program: Program, model: onnx.ModelProto, expected: Sequence[dict[str, np.ndarray]]
) -> None:
    """A Model is made anew each time: it keeps what it has lowered and compiled."""
    loaded = load(model, max_iterations=MAX_ITERATIONS)
    for feed, wanted in zip(program.feeds, expected, strict=True):
        outputs = {name: np.asarray(value) for name, value in loaded.run(feed, engine=engine).items()}
        assert_all_agree(outputs, wanted)


if __name__ == "__main__":
    for each in FAULTS:
        print(f"{each:34} {search(each)}", flush=True)
