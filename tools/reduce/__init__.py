"""Delta debugging of programs.

The result is the smallest module that still has the problem of a larger one. `reduce(case, interesting)` reduces a
program of any stage step by step, and keeps each step after which the predicate `interesting` still holds:

- `control_flow`: a loop becomes one run of its body or its initial values, a branch becomes one of its arms, and values
  that they carry, slice or yield are removed; trip counts become small numbers;
- `operations`: results of `main` are removed; results of operations become an operand, the value observed when the
  program ran (a new input), or a constant; constants, inputs and extents become simpler; unneeded attributes are removed.

`REDUCTION_STEPS` lists them, those that take away most first. Each kind of step is tried on all places at once, then on
halves, quarters … and single ones, until no step helps any more (a fixpoint), within a bounded time. Every candidate is
verified before the predicate sees it. `failures` contains the properties that a program may be reduced for: a pass that
changes its result or crashes, two engines that disagree, an external command.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import memref
from xdsl.interpreter import Interpreter
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from loomir.compiler.checking.running import ProgramEngine
from loomir.compiler.engines import InterpreterError
from loomir.compiler.pipeline import STAGES
from loomir.compiler.stages import StageError, verify_module, verify_stage
from loomir.dialects.upstream.dead_code import remove_dead_code
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error
from loomir.tools.reduce.control_flow import Arm, Carried, Condition, Initial, Once, Trips
from loomir.tools.reduce.editor import (
    Editor,
    Measure,
    Observed,
    ReductionCase,
    ReductionStep,
    erase,
    is_constant,
    measure,
)
from loomir.tools.reduce.operations import (
    Attributes,
    ByConstant,
    ByOperand,
    BySeen,
    Constants,
    Extents,
    Inputs,
    Outputs,
    Specialise,
)

REDUCTION_STEPS: tuple[ReductionStep, ...] = (
    Outputs(),
    BySeen(),
    Initial(),
    Once(),
    Arm(first=True),
    Arm(first=False),
    ByOperand(),
    Carried(),
    Condition(),
    Trips(),
    Specialise(),
    Extents(),
    ByConstant(),
    Constants(),
    Inputs(),
    Attributes(),
)


Interesting = Callable[[ReductionCase], bool]
"""Predicate: True if a program still shows what it is reduced for.

It must distinguish that from other failures.
"""


@dataclass(frozen=True)
class Limits:
    """Limits of the reducer: wall-clock `seconds` and runs of the predicate.

    The reducer stops at a limit, finished or not.
    """

    seconds: float = 60.0
    candidates: int = 1_000_000


@dataclass
class Reduced:
    """Smallest case so far, and the effort spent on it.

    The effort is the number of candidates given to the predicate, and of those that it accepted. `complete` is True if no
    step helps any more; otherwise the time was up.
    """

    case: ReductionCase
    tried: int = 0
    kept: int = 0
    seconds: float = 0.0
    complete: bool = False

    @property
    def operations(self) -> int:
        """Number of operations of the program, including constants.

        Module, function and return are not counted.
        """
        return count_operations(self.case)

    def __str__(self) -> str:
        end = "" if self.complete else ", stopped before the end"
        return (
            f"{self.operations} operation{'' if self.operations == 1 else 's'} "
            f"after {self.tried} candidates ({self.kept} kept) "
            f"in {self.seconds:.1f} s{end}"
        )


def count_operations(case: ReductionCase) -> int:
    """The operations of `main`, regions included, without its return."""
    return sum(1 for op in walk(case.module) if op.name not in ("builtin.module", "func.func", "func.return"))


Report = Callable[[str, Reduced], None]
"""Is told the name of the step under way, and the state."""


def reduce(
    case: ReductionCase,
    interesting: Interesting,
    *,
    limits: Limits | None = None,
    report: Report | None = None,
) -> Reduced:
    """Return the smallest program found that is still interesting.

    The given program must be interesting; it is not changed.
    """
    return _Reducer(case, interesting, limits or Limits(), report).run(REDUCTION_STEPS)


class _OutOfTimeError(Exception):
    """Ends the reducer; what was found so far stays."""


class _Reducer:
    def __init__(
        self, case: ReductionCase, interesting: Interesting, limits: Limits, report: Report | None
    ) -> None:
        self.interesting = interesting
        self.limits = limits
        self.report = report
        self.state = Reduced(case)
        self.measure: Measure = measure(case)
        self.started = time.monotonic()
        self.stage = next((s for s in STAGES if _is_of(case, s)), None)
        self._observed: tuple[ReductionCase, Observed] | None = None

    def run(self, steps: Sequence[ReductionStep]) -> Reduced:
        try:
            self._sweep()
            while True:
                before = self.measure
                for step in steps:
                    self._whole_step(step)
                if self.measure == before:
                    break
            self.state.complete = True
        except _OutOfTimeError:
            pass
        self.state.seconds = time.monotonic() - self.started
        return self.state

    def _whole_step(self, step: ReductionStep) -> None:
        """Try a step on all places, halves, quarters … and single ones.

        After a success, the remaining places are tried.
        """
        if self.report is not None:
            self.state.seconds = time.monotonic() - self.started
            self.report(step.name, self.state)
        targets = step.targets(self.state.case)
        size = len(targets)
        while size:
            position = 0
            while position < len(targets):
                if self._try(step, targets[position : position + size]):
                    targets = step.targets(self.state.case)
                else:
                    position += size
            size = min(size // 2, len(targets)) if size > 1 else 0

    def _try(self, step: ReductionStep, targets: Sequence[Any]) -> bool:
        """Return True if the changed program is smaller and still interesting.

        It then becomes the new program.
        """
        if (
            time.monotonic() - self.started > self.limits.seconds
            or self.state.tried >= self.limits.candidates
        ):
            raise _OutOfTimeError
        candidate = self._candidate(step, targets)
        if candidate is None or not self._keep(candidate):
            return False
        self._sweep()
        return True

    def _sweep(self) -> None:
        """Erase unused operations, unless the program is wanted for them."""
        swept = self._candidate(_Sweep(), [None])
        if swept is not None:
            self._keep(swept)

    def _keep(self, candidate: ReductionCase) -> bool:
        """Take a candidate that is smaller and still interesting."""
        size = measure(candidate)
        if size >= self.measure:
            return False
        self.state.tried += 1
        if not self.interesting(candidate):
            return False
        self.state.kept += 1
        self.state.case, self.measure = candidate, size
        return True

    def _candidate(self, step: ReductionStep, targets: Sequence[Any]) -> ReductionCase | None:
        """Return the changed copy, verified, or None.

        The result is None if nothing changed or if the copy is not a valid program.
        """
        try:
            editor = Editor(self.state.case, self._seen())
            changed = [step.apply(editor, target) for target in targets]
            if not any(changed):
                return None
            # Leaves are never what a program is wanted for; what else nothing uses may be.
            remove_unused_leaves(editor)
            case = editor.case()
            _verify(case, self.stage)
        except (VerifyException, Error):
            # Not a program, or one that inference refuses: another step will do.
            return None
        return case

    def _seen(self) -> Observed:
        if self._observed is None or self._observed[0] is not self.state.case:
            self._observed = (self.state.case, observe(self.state.case))
        return self._observed[1]


def _is_of(case: ReductionCase, stage: str) -> bool:
    try:
        verify_stage(case.module, stage)
    except StageError:
        return False
    return True


def _verify(case: ReductionCase, stage: str | None) -> None:
    """Verify that a program of a stage is still of that stage.

    Other programs must at least be valid.
    """
    if stage is not None:
        verify_stage(case.module, stage)
    else:
        verify_module(case.module)


class _Sweep:
    """Erases operations that nothing uses."""

    name = "unused"

    def targets(self, case: ReductionCase) -> Sequence[None]:
        return [None]

    def apply(self, editor: Editor, target: None) -> bool:
        remove_unused(editor)
        return True


def remove_unused_leaves(editor: Editor) -> None:
    """Erase unused constants, buffers, inputs and weights; merge equal constants."""
    merge_constants(editor)
    for op in reversed(list(walk(editor.module))):
        if (is_constant(op) or isinstance(op, memref.AllocOp | memref.ViewOp)) and is_unused(op):
            erase(op)
    editor.remove_unused_arguments()


def merge_constants(editor: Editor) -> None:
    """Leave one of the equal constants in `main` itself."""
    known: dict[tuple[Any, ...], Operation] = {}
    for op in list(editor.block.ops):
        if not is_constant(op):
            continue
        first = known.setdefault((type(op), op.results[0].type, op.properties["value"]), op)
        if first is not op:
            op.results[0].replace_all_uses_with(first.results[0])
            erase(op)


def remove_unused(editor: Editor) -> None:
    """Erase operations that nothing uses."""
    for region in editor.module.regions:
        remove_dead_code(region)


def is_unused(op: Operation) -> bool:
    """Return True if no result is used."""
    return all(r.first_use is None for r in op.results)


class _Watch(Interpreter.Listener):
    """Keeps the last value of everything that an operation took or gave."""

    def __init__(self) -> None:
        self.values: dict[Any, Any] = {}

    def will_interpret_op(self, op: Operation, args: tuple[Any, ...]) -> None:
        self.values.update(zip(op.operands, args))

    def did_interpret_op(self, op: Operation, results: tuple[Any, ...]) -> None:
        # A terminator's values belong to the operation around it.
        self.values.update(zip(op.results, results))


def observe(case: ReductionCase) -> Observed:
    """Return the last observed value of each SSA value in a run.

    The result is empty for a case without a feed, and partial if the run fails.
    """
    if case.feed is None:
        return {}
    watch = _Watch()
    try:
        engine = ProgramEngine(case.module, max_iterations=10_000, interpreted=True)
        engine.interpreter.listeners = (*engine.interpreter.listeners, watch)
        engine(case.feed)
    except (Error, InterpreterError):
        # A program may be reduced because it fails: what came before that was seen.
        pass
    return watch.values


__all__ = ["Limits", "Reduced", "ReductionCase", "reduce"]
