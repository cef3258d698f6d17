"""`PassChecker`, which checks that every pass of a pipeline preserves results.

The program must return the same for the same inputs before and after each pass. The module after one pass is the module before
the next, so each is run once. For a mismatch, the module before the pass is needed; it is recomputed from the first module by
the passes up to that point.

The message of a failed check contains the pass, the difference of the results, the smallest program that shows it, and its
inputs. The program and its inputs are also written to files, with the command that reproduces the failure.
"""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from loomir.compiler.checking import PassFailure, reducer
from loomir.compiler.checking.agreement import Difference, Outcome, compare
from loomir.compiler.checking.cases import python_literal, reproducer, write_case
from loomir.compiler.checking.feeds import Feed, choose_feeds
from loomir.compiler.checking.running import (
    SAMPLE_ITERATIONS,
    claims_of,
    crash_of,
    endless,
    gives_capacity,
    has_boundary_form,
    invalid,
    run_program,
)
from loomir.compiler.checking.stepwise import Stepwise
from loomir.compiler.options import CheckCounts, CheckOptions
from loomir.compiler.pipeline_syntax import pass_text
from loomir.compiler.stages import front_operation
from loomir.dialects.interface import main_function, with_full_constants
from loomir.errors import Error

SHOWN_LINES = 120


def report(
    identifier: str,
    instance: ModulePass,
    context: Context,
    found: Difference,
    *,
    module: ModuleOp,
    feed: Feed,
    position: int,
    options: CheckOptions,
) -> Error:
    """The error to raise, after the program was reduced."""
    spec = pass_text(instance)
    runs = not found.kind.startswith(("exception", "invalid"))
    failure = PassFailure(instance, context, module, dict(feed) if runs else None, found)
    folder = options.folder or Path(tempfile.mkdtemp(prefix="loomir-check-"))
    explained = options.explain(failure, folder) if options.explain is not None else []
    how = "not reduced"
    if options.reduce_seconds > 0 and (reduce := reducer()) is not None:
        failure, how = reduce(failure, options.reduce_seconds)
    files = write_case(failure.module, failure.feed, folder)
    command = [*reproducer(files[0], [instance]), "--check-each-pass"]
    if len(files) > 1:
        command += ["--check-inputs", str(files[1])]
    text = str(with_full_constants(failure.module)).splitlines()
    if len(text) > SHOWN_LINES:
        text = [*text[:SHOWN_LINES], f"… {len(text) - SHOWN_LINES} more lines"]
    lines = [f"the program before the pass ({how}):", *text]
    if failure.feed:
        lines += ["inputs:", *(f"  {name} = {python_literal(value)}" for name, value in failure.feed.items())]
    lines += [*explained, "again:", f"  {shlex.join(command)}"]
    return make_error(identifier, position, spec, failure.difference, "\n  ".join(lines))


def make_error(identifier: str, position: int, spec: str, found: Difference, hint: str) -> Error:
    """One of the two errors of a check."""
    if identifier == "pass-failed":
        return Error("pass-failed", f"pass {position}, {spec}, {found.text}", hint=hint)
    return Error("pass-changed-result", f"after pass {position}, {spec}: {found.text}", hint=hint)


class PassChecker:
    """Watches one pipeline: give it to `run_passes` or `lower` as `instrumentation`.

    Each function with a body is checked by itself. Given feeds are those of `main`, or of the only function.

    Raises `pass-changed-result` (the reduced program, its inputs and how they differ are in the message and in files), and
    `pass-failed` for an exception of a pass that is no user error.
    """

    def __init__(self, options: CheckOptions | None = None, feeds: Sequence[Feed] | None = None) -> None:
        self.options = options or CheckOptions()
        self.counts = self.options.counts
        self._given = feeds
        self._of: dict[str, _FunctionChecker] = {}
        """Checkers of the functions, by name."""

    @property
    def feeds(self) -> Sequence[Feed]:
        """Return the inputs of `main`, once the first pass has begun."""
        return self._of["main"].feeds if "main" in self._of else ()

    def before(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        """Record the module before a pass runs.

        Error: `check-impossible` if the first module cannot be run at all.
        """
        if front_operation(module) is not None:
            # What only a framework's own operators say cannot be run: checked is what is made of it.
            return
        programs = _programs(module)
        for name, program in programs.items():
            if name not in self._of:
                if self._given is not None and name != "main" and len(programs) > 1:
                    continue
                self._of[name] = _FunctionChecker(self.options, self._given)
            with _naming(name):
                self._of[name].before(program, instance, context)

    def failed(self, instance: ModulePass, context: Context, error: Exception) -> None:
        """Report a pass that ended with an exception.

        The report is about a function on which it does so alone.
        """
        raises = (
            [name for name, each in self._of.items() if each.raises(instance, context)]
            if len(self._of) > 1
            else []
        )
        for name in (*raises, *self._of):
            with _naming(name):
                self._of[name].failed(instance, context, error)

    def after(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        """Compare the results of all functions before and after the pass."""
        programs = _programs(module)
        for name in [*self._of]:
            if name not in programs or (name != "main" and claims_of(instance)["steps"]):
                # It is gone; or what its tensors stand for was reported of another module.
                del self._of[name]
                continue
            with _naming(name):
                self._of[name].after(programs[name], instance, context)
        self.counts.passes += bool(self._of)


def _programs(module: ModuleOp) -> dict[str, ModuleOp]:
    """Return for each function a module in which it is `main`.

    Functions without a body are left out. It is the module itself for `main` (or without any function), else a copy with this
    function alone.
    """
    programs: dict[str, ModuleOp] = {}
    for op in module.ops:
        if isinstance(op, FuncOp) and op.body.blocks:
            name = op.sym_name.data
            programs[name] = module if name == "main" else _alone(module, op)
    return programs or {"main": module}


def _alone(module: ModuleOp, function: FuncOp) -> ModuleOp:
    main = function.clone()
    main.sym_name = StringAttr("main")
    others = [op.clone() for op in module.ops if not isinstance(op, FuncOp)]
    return ModuleOp([*others, main], {**module.attributes})


@contextmanager
def _naming(function: str) -> Iterator[None]:
    """Name the function in an error, unless it is `main`."""
    try:
        yield
    except Error as error:
        if function != "main":
            error.what = f"function @{function}: {error.what}"
        raise


class _FunctionChecker:
    """Checks the passes of a pipeline on `main` of its modules."""

    def __init__(self, options: CheckOptions | None = None, feeds: Sequence[Feed] | None = None) -> None:
        self.options = options or CheckOptions()
        self.counts = self.options.counts
        self._feeds: list[Feed] | None = None if feeds is None else [dict(feed) for feed in feeds]
        self._start: ModuleOp | None = None
        self._done: list[ModulePass] = []
        self._outcomes: list[Outcome] = []
        self._bounded = False
        self._left_out: list[Outcome | None] = [None] * len(feeds or ())
        self._extreme = [False] * len(feeds or ())
        self._sampled = feeds is None
        self._stepwise: Stepwise | None = None

    @property
    def feeds(self) -> Sequence[Feed]:
        """Return the inputs of the runs, once the first pass has begun."""
        return self._feeds or ()

    def before(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        """Record the module before a pass runs. Error: `check-impossible`."""
        if self._start is None:
            self._begin(module, instance)
        if claims_of(instance)["steps"]:
            self._stepwise = Stepwise(module)

    def _begin(self, module: ModuleOp, instance: ModulePass) -> None:
        self._start = module.clone()
        if self._feeds is None:
            options = self.options
            self._feeds, self._extreme = choose_feeds(module, options.feeds, options.seed, options.given)
            self._left_out = endless(module, self._feeds)
        self._outcomes = self._run(module)
        crash = next((o for o in self._outcomes if o.crash is not None), None)
        if crash is not None:
            raise Error(
                "check-impossible", f"the program cannot be run before {instance.name}: {crash}"
            ) from crash.crash

    def raises(self, instance: ModulePass, context: Context) -> bool:
        """Return True if the pass crashes on this function alone."""
        try:
            instance.apply(context, self._module_before(context))
        except Error:
            return False
        except Exception:
            return True
        return False

    def failed(self, instance: ModulePass, context: Context, error: Exception) -> None:
        """A pass ended with an exception."""
        self._ended()
        if not isinstance(error, Error):
            raise self._report("pass-failed", instance, context, crash_of(error), 0) from error

    def after(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        """A pass has run."""
        stepwise = self._ended()
        found = invalid(module)
        if found is not None:
            raise self._report("pass-changed-result", instance, context, found, 0)
        if self._start is None:
            return
        # (Once given, a capacity bounds the program in every later form.)
        self._bounded |= gives_capacity(instance)
        outcomes = self._run(module)
        claims = claims_of(instance)
        for number, (before, after) in enumerate(zip(self._outcomes, outcomes, strict=True)):
            if self._extreme[number] and not claims["exact"] and after.crash is None and not before.failed:
                # Infinities and numbers near the limits need not survive another order of operations.
                self.counts.limited += 1
                continue
            found = None
            if stepwise is not None and not before.failed and not after.failed:
                most = self.options.max_iterations
                before, found = stepwise.run(module, self.feeds[number], claims["steps"], max_iterations=most)
            found = found or compare(before, after, **claims)
            if found is not None and not self._may_succeed(found, number, after, context, claims):
                raise self._report("pass-changed-result", instance, context, found, number)
            self.counts.limited += before.is_limited or after.is_limited
            self.counts.failed += before.failed and not before.is_limited
            self.counts.compared += not before.failed and not after.failed
        self._outcomes = outcomes
        self._done.append(instance)

    def _ended(self) -> Stepwise | None:
        """Detach and return the listener of a pass that claims steps."""
        stepwise, self._stepwise = self._stepwise, None
        if stepwise is not None:
            stepwise.close()
        return stepwise

    def _run(self, module: ModuleOp) -> list[Outcome]:
        used = [feed for feed, left_out in zip(self.feeds, self._left_out) if left_out is None]
        most = self.options.max_iterations
        if self._sampled and not has_boundary_form(main_function(module)):
            # What stopped early may go on for ever where its failure has gone.
            most = min(most, SAMPLE_ITERATIONS)
        outcomes = iter(run_program(module, used, max_iterations=most, bounded=self._bounded))
        return [next(outcomes) if left_out is None else left_out for left_out in self._left_out]

    def _may_succeed(
        self, found: Difference, number: int, after: Outcome, context: Context, claims: Mapping[str, Any]
    ) -> bool:
        """Return True if a former failure may vanish or move.

        This is allowed if the result of the failing operation was unused: an operation without side effects is removed if it
        has no uses, and its failure with it (docs/semantics.md).
        """
        if found.kind not in ("succeeds", "reason"):
            return False
        without = clean(self._module_before(context), context)
        (outcome,) = run_program(without, [self.feeds[number]], max_iterations=self.options.max_iterations)
        return compare(outcome, after, **claims) is None

    def _module_before(self, context: Context) -> ModuleOp:
        """The module as it was before the last pass."""
        assert self._start is not None
        module = self._start.clone()
        for instance in self._done:
            instance.apply(context, module)
        return module

    def _report(
        self, identifier: str, instance: ModulePass, context: Context, found: Difference, number: int
    ) -> Error:
        return report(
            identifier,
            instance,
            context,
            found,
            module=self._module_before(context),
            feed=self.feeds[number],
            position=len(self._done) + 1,
            options=self.options,
        )


def clean(module: ModuleOp, context: Context) -> ModuleOp:
    """The module without what nothing uses."""
    from xdsl.transforms.canonicalize import CanonicalizePass

    CanonicalizePass().apply(context, module)
    return module


def check_each_pass(
    module: ModuleOp,
    passes: str | Sequence[str] | Sequence[ModulePass],
    *,
    feeds: Sequence[Feed] | None = None,
    options: CheckOptions | None = None,
    context: Context | None = None,
) -> CheckCounts:
    """Run passes on the module in place and check each of them.

    The module may be in any form. Without `feeds` it is run with sample inputs. Errors: `pass-changed-result`, `pass-failed`,
    `check-impossible`, and those of the passes.
    """
    from loomir.compiler.pipeline import run_passes

    checker = PassChecker(options, feeds)
    run_passes(module, passes, context=context, instrumentation=checker)
    return checker.counts
