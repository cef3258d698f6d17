"""Predicates that a program may be reduced for.

Each predicate distinguishes its own failure from others: the reducer must not slip into another bug.
"""

from __future__ import annotations

import shlex
import subprocess
import tempfile
from pathlib import Path

from xdsl.context import Context
from xdsl.passes import ModulePass

from loomir.compiler.checking.agreement import Difference, Outcome, compare
from loomir.compiler.checking.one_pass import difference_of_pass
from loomir.compiler.checking.running import run_program
from loomir.compiler.interpreters.core import InterpreterError
from loomir.compiler.model import Engine, Model
from loomir.compiler.options import Options
from loomir.dialects.full_constants import with_full_constants
from loomir.errors import Error, crash_of
from loomir.tools.reduce.case import Case
from loomir.tools.reduce.driver import Interesting

MORE_ITERATIONS = 2
"""Factor by which a reduced program may run longer than the original.

The limit is needed because a step may well make a loop endless.
"""


def allowed_iterations(case: Case) -> int:
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

    def interesting(case: Case) -> bool:
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
    case: Case, first: Engine, second: Engine, bound: int | None = None
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

    def interesting(case: Case) -> bool:
        found = engine_difference(case, first, second, bound)
        return found is not None and found.kind == wanted.kind

    return interesting


def command_says(command: str, status: int, seconds: float) -> Interesting:
    """Return the predicate that a command ends with `status`.

    The command receives the path of the program's text. The predicate is false if the command takes longer than `seconds`.
    """
    words = shlex.split(command)

    def interesting(case: Case) -> bool:
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
