"""Pipelines as text and as passes, and their run."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from traceback import walk_tb
from typing import Literal, Protocol

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.utils.exceptions import DiagnosticException, ShrinkException

from loomir.compiler.formats.mlir.parser import make_context
from loomir.compiler.function_passes import on_each_function
from loomir.compiler.levels import DEFAULT_LEVEL, LEVELS, Level, checked_level
from loomir.compiler.pipeline_syntax import Element, elements_of, pass_text
from loomir.compiler.shared_state import with_rare_collections
from loomir.compiler.stages import StageError, verify_module
from loomir.compiler.universe import registered_passes
from loomir.dialects.families import extensible
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error, shown, suggestion
from loomir.passes.analysis.analyses import Analyses, PassContext

Pipeline = tuple[ModulePass, ...]
Pipelines = Mapping[str, Sequence[str | ModulePass]]
"""Passes of each step: `graph` (after import), `core`, `structured`, `loops`.

A user may write them as text.
"""


@dataclass(frozen=True)
class LevelPipelines(Mapping[str, Pipeline]):
    """Passes of a level, by step.

    The passes of a step are created at its first use: only then are their modules imported.
    """

    level: Level

    def __getitem__(self, step: str) -> Pipeline:
        return _passes_of(self.level, step)

    def __iter__(self) -> Iterator[str]:
        return iter(LEVELS[self.level])

    def __len__(self) -> int:
        return len(LEVELS[self.level])


@cache
def _passes_of(level: Level, step: str) -> Pipeline:
    return tuple(pass_instances({**LEVELS[level]}[step]))


PIPELINES = LevelPipelines(DEFAULT_LEVEL)


StageName = Literal["graph", "structured", "loops"]
STAGES: tuple[StageName, ...] = ("graph", "structured", "loops")


def checked_stage(name: object) -> StageName:
    """The name if it is a stage's. Error: `bad-stage`."""
    for stage in STAGES:
        if isinstance(name, str) and name == stage:
            return stage
    raise Error("bad-stage", f"unknown stage {shown(name)}", hint=f"known: {', '.join(STAGES)}")


@dataclass
class PassRecord:
    """Record of one pass: CPU seconds and operation counts.

    The counts are the numbers of operations of each name after the pass, or None if they were not counted.
    """

    name: str
    seconds: float
    operations: Counter[str] | None


@dataclass
class History:
    """Passes that a program went through, in order.

    With `counting` operations are counted after each pass.
    """

    counting: bool = False
    records: list[PassRecord] = field(default_factory=list)


@extensible
@cache
def available_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """Return all passes that can be named.

    They are loomir's, xDSL's, and those of other packages and of extensions (found once).
    """
    return registered_passes()


def parse_pipeline(spec: str, stage: StageName = "graph") -> PassPipeline:
    """Passes from text such as `ov-loop-unroll{max-trips=8},func.func(cse)`.

    A level stands for its passes down to `stage`: see `passes_of_level`. Error: `bad-pipeline`.
    """
    if not isinstance(spec, str):
        raise Error(
            "bad-pipeline",
            f"{shown(spec)} is not a pass pipeline",
            hint="write text: pass,pass{option=value}",
        )
    found: list[ModulePass] = []
    for element in elements_of(spec):
        if element.spec.name in LEVELS:
            passes = passes_of_level(element, stage)
        else:
            passes = [element.instance(available_passes(), LEVELS)]
        found += map(on_each_function, passes) if element.on_functions else passes
    return PassPipeline(tuple(found))


def passes_of_level(element: Element, stage: StageName) -> list[ModulePass]:
    """The passes of a level that stands in a pipeline: `O2{before=licm}`.

    | option | |
    |---|---|
    | `to` | the last stage: `graph`, `structured` or `loops`; by default `stage`, or the first one that has the passes named |
    | `before` | a pass: only those before its first occurrence |
    | `from` | a pass: only those from its first occurrence on |

    Error: `bad-pipeline`.
    """
    level, options = checked_level(element.spec.name), element.spec.parameters
    for name in options:
        if name not in _LEVEL_OPTIONS:
            raise element.error(
                f"{level} has no option '{name}'",
                suggestion(name, _LEVEL_OPTIONS) or f"options: {', '.join(_LEVEL_OPTIONS)}",
                at=name,
            )
    given = {name: str(value[0]) if len(value) == 1 else "" for name, value in options.items()}
    if "to" in given and given["to"] not in STAGES:
        raise element.error(f"unknown stage '{given['to']}'", f"known: {', '.join(STAGES)}", at="to")
    last = checked_stage(given.get("to", stage))
    stages = (last,) if "to" in given else STAGES[STAGES.index(last) :]
    wanted = {given[name] for name in ("before", "from") if name in given}
    found: list[ModulePass] = []
    for reached in stages:
        found = passes_to(LevelPipelines(level), reached)
        if wanted <= {each.name for each in found}:
            break
    names = [each.name for each in found]
    for name in sorted(wanted - {*names}):
        raise element.error(
            f"{level} has no pass '{name}'",
            suggestion(name, names) or f"its passes: {', '.join(dict.fromkeys(names))}",
            at=name,
        )
    first = names.index(given["from"]) if "from" in given else 0
    end = names.index(given["before"]) if "before" in given else len(names)
    if end < first:
        raise element.error(f"{level} runs {names[end]} before {names[first]}", at="before")
    return found[first:end]


_LEVEL_OPTIONS = ("to", "before", "from")


class Instrumentation(Protocol):
    """Listener of a pipeline run.

    Its callbacks run before and after each pass, and for the exception that ends a pass. They may raise. If `before` returns
    False, the pass is skipped.
    """

    def before(self, module: ModuleOp, instance: ModulePass, context: Context) -> bool | None: ...

    def after(self, module: ModuleOp, instance: ModulePass, context: Context) -> None: ...

    def failed(self, instance: ModulePass, context: Context, error: Exception) -> None: ...


_instrumentations: ContextVar[tuple[Instrumentation, ...]] = ContextVar("instrumentations", default=())


@contextmanager
def instrumenting(instrumentation: Instrumentation) -> Iterator[None]:
    """Let an instrumentation observe all passes that `run_passes` runs in this context.

    It comes after those of enclosing contexts.
    """
    token = _instrumentations.set((*_instrumentations.get(), instrumentation))
    try:
        yield
    finally:
        _instrumentations.reset(token)


class VerifyEach:
    """Instrumentation that verifies the IR after every pass.

    Error: `pass-broke-ir`, which is a bug of that pass.
    """

    def before(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        pass

    def failed(self, instance: ModulePass, context: Context, error: Exception) -> None:
        pass

    def after(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        try:
            verify_module(module)
        except StageError as error:
            broken = Error(
                "pass-broke-ir", f"after the pass {instance.name} the program is not valid: {error.what}"
            )
            broken.where, broken.hint = error.where, error.hint
            raise broken from error


def pass_instances(passes: str | Sequence[str | ModulePass]) -> list[ModulePass]:
    """Return the passes of a pipeline.

    The pipeline is a text, or one text or instance for each pass. Error: `bad-pipeline`.
    """
    instances: list[ModulePass] = []
    for each in [passes] if isinstance(passes, str) else passes:
        instances += [each] if isinstance(each, ModulePass) else parse_pipeline(each).passes
    return instances


def passes_to(pipelines: Pipelines, stage: StageName) -> list[ModulePass]:
    """All passes from import to a stage."""
    steps = {"graph": 1, "structured": 3, "loops": 4}[stage]
    return [
        each
        for step in ("graph", "core", "structured", "loops")[:steps]
        for each in pass_instances(pipelines[step])
    ]


def pipeline_text(passes: str | Sequence[str | ModulePass]) -> str:
    """Return the passes with all their options as text.

    `parse_pipeline` reads this text. Error: `bad-pipeline`.
    """
    return ",".join(pass_text(each, include_default=True) for each in pass_instances(passes))


@with_rare_collections
def run_passes(
    module: ModuleOp,
    passes: str | Sequence[str | ModulePass],
    *,
    context: Context | None = None,
    verify_each: bool = False,
    history: History | None = None,
    instrumentation: Instrumentation | None = None,
) -> None:
    """Run passes on the module in place.

    `history` receives a record of each pass, `instrumentation` observes each, after that of `instrumenting`.

    With `verify_each` the module must be valid IR after every pass. With that or an instrumentation, the analyses that a pass
    keeps must hold. Errors: those of the passes; `pass-failed`, of a pass that is not loomir's; `pass-broke-ir`, which is a
    bug of that pass.
    """
    context = context or make_context()
    of_passes = PassContext.of(context)
    observers = [*_instrumentations.get(), *([] if instrumentation is None else [instrumentation])]
    for instance in pass_instances(passes):
        if any(each.before(module, instance, context) is False for each in observers):
            continue
        start = time.process_time()
        try:
            instance.apply(of_passes, module)
        except Exception as error:
            for each in observers:
                each.failed(instance, context, error)
            if isinstance(error, DiagnosticException):
                # How xDSL's passes say that they cannot do what they are asked for.
                raise Error("pass-failed", f"the pass {instance.name} failed: {error}") from error
            if isinstance(error, _NO_FAILURES) or _package(type(instance).__module__) == _package(__name__):
                raise
            raise _failure(instance, error) from error
        seconds = time.process_time() - start
        if verify_each:
            VerifyEach().after(module, instance, context)
        if history is not None:
            counts = Counter(op.name for op in walk(module)) if history.counting else None
            history.records.append(PassRecord(instance.name, seconds, counts))
        for each in observers:
            each.after(module, instance, context)
        of_passes.analyses.end_pass()
        if verify_each or instrumentation is not None:
            _verify_kept(of_passes.analyses, module, instance)


def _verify_kept(analyses: Analyses, module: ModuleOp, instance: ModulePass) -> None:
    """Verify that the analyses that a pass has kept hold."""
    if (found := analyses.difference(module)) is not None:
        raise Error(
            "pass-broke-ir",
            f"after the pass {instance.name} an analysis that it keeps does not hold: {found}",
        )


_NO_FAILURES = (Error, MemoryError, ShrinkException)
"""Exceptions that any pass may raise.

(One of xDSL's passes reports success by `ShrinkException`.)
"""


def _package(module: str) -> str:
    return module.partition(".")[0]


def _failure(instance: ModulePass, error: Exception) -> Error:
    """Return the user error for an exception of a foreign pass.

    A foreign pass is not loomir's. The error names the innermost line of the package that the pass belongs to.
    """
    module = type(instance).__module__
    lines = [
        f" ({frame.f_code.co_filename}:{line})"
        for frame, line in walk_tb(error.__traceback__)
        if _package(frame.f_globals.get("__name__", "")) == _package(module)
    ]
    said = f"{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(": ")
    return Error(
        "pass-failed",
        f"the pass {instance.name} failed: {said}{lines[-1] if lines else f' ({module})'}",
        hint="the pass is not loomir's; --traceback (in Python: the error's __cause__) shows where it failed",
    )
