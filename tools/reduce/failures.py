"""Predicates that a program may be reduced for, and failing passes.

Each predicate distinguishes its own failure from others: the reducer must not slip into another bug.
`find_failing_pass` searches a pipeline for its first failing pass; `reduce_failure`, for a check's failing pass, finds the
smallest program on which the pass still fails.
"""

from __future__ import annotations

import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.compiler.checking import PassFailure
from loomir.compiler.checking.agreement import Difference, Outcome, compare
from loomir.compiler.checking.feeds import Feed
from loomir.compiler.checking.running import endless, run_program
from loomir.compiler.checking.stepwise import difference_of_pass
from loomir.compiler.engines import InterpreterError
from loomir.compiler.formats.mlir.parser import make_context
from loomir.compiler.model import Engine, Model
from loomir.compiler.options import Options
from loomir.compiler.pipeline import pass_instances
from loomir.compiler.pipeline_syntax import pass_text
from loomir.dialects.interface import with_full_constants
from loomir.errors import Error, crash_of
from loomir.tools.reduce import Interesting, Limits, reduce
from loomir.tools.reduce.editor import ReductionCase

MORE_ITERATIONS = 2
"""Factor by which a reduced program may run longer than the original.

The limit is needed because a step may well make a loop endless.
"""


def allowed_iterations(case: ReductionCase) -> int:
    """Return a bound on loop iterations for all candidates.

    It is computed from the iterations of the whole program.
    """
    if case.feed is None:
        return 10_000
    (outcome,) = run_program(case.module, [case.feed])
    return MORE_ITERATIONS * outcome.iterations + 1000


def broken_by_pass(instance: ModulePass, context: Context, wanted: Difference, bound: int) -> Interesting:
    """Return the predicate that the pass breaks the program like `wanted`.

    The failure is the same kind of mismatch, or the same exception from the same function. Only results that the program
    defines are compared: a program that differs in something that was never written is not an example.
    """
    defined: bool | None = None

    def interesting(case: ReductionCase) -> bool:
        nonlocal defined

        def shows(only_defined: bool) -> bool:
            found = difference_of_pass(
                case.module, instance, context, case.feed, max_iterations=bound, defined=only_defined
            )
            return found is not None and found.kind == wanted.kind

        if defined is None:
            # The first is the whole program, which may differ in NaNs and nothing else.
            defined = shows(True)
            return defined or shows(False)
        return shows(defined)

    return interesting


def engine_difference(
    case: ReductionCase, first: Engine, second: Engine, bound: int | None = None
) -> Difference | None:
    """Return the difference of two engines on a GRAPH program, or None.

    The tolerance is that of docs/testing.md.
    """
    assert case.feed is not None
    outcomes: list[Outcome] = []
    for engine in (first, second):
        model = Model(case.module.clone(), options=Options(max_iterations=bound, machine="generic"))
        try:
            outcomes.append(Outcome(model.run(case.feed, engine=engine)))
        except Error as error:
            crash = crash_of(error)
            outcomes.append(Outcome(error=error) if crash is None else Outcome(crash=crash))
        except (InterpreterError, AssertionError) as error:
            outcomes.append(Outcome(crash=error))
    return compare(*outcomes, exact=False)


def engines_differ(first: Engine, second: Engine, wanted: Difference, bound: int) -> Interesting:
    """Two engines differ in the same way as `wanted`."""

    def interesting(case: ReductionCase) -> bool:
        found = engine_difference(case, first, second, bound)
        return found is not None and found.kind == wanted.kind

    return interesting


def command_says(command: str, status: int, seconds: float) -> Interesting:
    """Return the predicate that a command ends with `status`.

    The command receives the path of the program's text. The predicate is false if the command takes longer than `seconds`.
    """
    words = shlex.split(command)

    def interesting(case: ReductionCase) -> bool:
        with tempfile.TemporaryDirectory(prefix="loomir-reduce-") as folder:
            path = Path(folder) / "candidate.mlir"
            path.write_text(str(with_full_constants(case.module)) + "\n", encoding="utf-8")
            try:
                done = subprocess.run(
                    [*words, str(path)], capture_output=True, check=False, timeout=max(seconds, 1.0)
                )
            except subprocess.TimeoutExpired:
                return False
            except OSError as error:
                raise Error(
                    "file-unreadable", f"the test cannot be run: {error.strerror}", file=words[0]
                ) from error
        return done.returncode == status

    return interesting


@dataclass(frozen=True)
class FailingPass:
    """Pass that fails on `case`, the program just before it.

    `position` counts from 1.
    """

    name: str
    position: int
    difference: Difference
    case: ReductionCase
    interesting: Interesting


def find_failing_pass(
    module: ModuleOp, passes: str | Sequence[str | ModulePass], feeds: Sequence[Feed]
) -> FailingPass | None:
    """Return the first failing pass, or None.

    A pass fails if it changes the results of the program, breaks the program or ends with an exception. Inputs that keep a
    loop running are left out. The module is left unchanged. Error: that of a pass which refuses the program.
    """
    context = make_context()
    module = module.clone()
    feeds = [feed for feed, left_out in zip(feeds, endless(module, feeds)) if left_out is None]
    for position, instance in enumerate(pass_instances(passes), 1):
        for feed in feeds:
            found = difference_of_pass(module, instance, context, feed)
            if found is None:
                continue
            runs = not found.kind.startswith(("exception", "invalid"))
            case = ReductionCase(module, feed if runs else None)
            interesting = broken_by_pass(instance, context, found, allowed_iterations(case))
            return FailingPass(pass_text(instance), position, found, case, interesting)
        instance.apply(context, module)
    return None


def reduce_failure(failure: PassFailure, seconds: float) -> tuple[PassFailure, str]:
    """Reduce a failure of `--check-each-pass`.

    This is the `Reducer` of `compiler/checking`.
    """
    instance, context, found = failure.instance, failure.context, failure.difference
    case = ReductionCase(failure.module, failure.feed)
    bound = allowed_iterations(case)
    interesting = broken_by_pass(instance, context, found, bound)
    if not interesting(case):
        # Such as a pass that keeps something in itself from the programs before.
        return failure, "not reduced: the failure does not occur with the pass alone"
    reduced = reduce(case, interesting, limits=Limits(seconds))
    case = reduced.case
    again = difference_of_pass(case.module, instance, context, case.feed, max_iterations=bound, defined=True)
    smaller = replace(failure, module=case.module, feed=case.feed, difference=again or found)
    return smaller, str(reduced)
