"""The named pipelines that take a program from stage to stage, and the checks between their passes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from traceback import walk_tb
from typing import Any, Literal, Protocol

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.utils.exceptions import DiagnosticException, ShrinkException

from loomir.compiler.collector import compiling
from loomir.compiler.levels import DEFAULT_LEVEL, LEVELS, Level
from loomir.compiler.mlir.context import make_context
from loomir.compiler.stages.verify import StageError, verify_module, verify_stage
from loomir.compiler.universe import known_passes
from loomir.dialects.cloning import cloned
from loomir.dialects.extensible import extensible
from loomir.dialects.ov.answers import hand_on_answers
from loomir.dialects.walking import walk
from loomir.errors import Error, shown
from loomir.passes.analysis.graph_only import refuse_graph_only

Pipeline = tuple[ModulePass, ...]
Pipelines = Mapping[str, Sequence[str | ModulePass]]
"""The passes of each step on the way: `graph` (after import), `core`, `structured`, `loops`. A user may write them as text."""


@dataclass(frozen=True)
class LevelPipelines(Mapping[str, Pipeline]):
    """A level's passes of each step, made when the step is first asked for: only then are their modules imported."""

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


def with_options(passes: Sequence[ModulePass], name: str, **options: Any) -> Pipeline:
    """The passes, those of this name, of which there must be one, with other options."""
    assert any(each.name == name for each in passes), name
    return tuple(replace(each, **options) if each.name == name else each for each in passes)


Stage = Literal["graph", "structured", "loops"]
STAGES: tuple[Stage, ...] = ("graph", "structured", "loops")


def checked_stage(name: object) -> Stage:
    """The name if it is a stage's. Error: `bad-stage`."""
    for stage in STAGES:
        if isinstance(name, str) and name == stage:
            return stage
    raise Error("bad-stage", f"{shown(name)} is no stage", hint=f"known: {', '.join(STAGES)}")


@dataclass
class PassRecord:
    """What one pass did: CPU seconds, and how many operations of each name there were afterwards (None where nobody counted)."""

    name: str
    seconds: float
    operations: Counter[str] | None


@dataclass
class History:
    """The passes that a program went through, in order; with `counting` operations are counted after each."""

    counting: bool = False
    records: list[PassRecord] = field(default_factory=list)


@extensible
@cache
def available_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """Every pass that can be named: ours, xDSL's, those of other packages and of extensions (found once)."""
    return known_passes()


def parse_pipeline(spec: str) -> PassPipeline:
    """Passes from text such as `ov-loop-unroll{max-trips=8},canonicalize`. Error: `bad-pipeline`."""
    from xdsl.utils.exceptions import ArgSpecParseError, ParseError

    if not isinstance(spec, str):
        raise Error(
            "bad-pipeline", f"{shown(spec)} is no pass pipeline", hint="it is text: pass,pass{option=value}"
        )
    try:
        return PassPipeline.parse_spec(available_passes(), spec)
    except (ArgSpecParseError, ParseError, ValueError, TypeError, KeyError) as error:
        words = str(error).splitlines()
        raise Error(
            "bad-pipeline", f"'{spec}' is no pass pipeline: {words[-1] if words else error}"
        ) from error


class Instrumentation(Protocol):
    """Sees a pipeline run: told before and after each pass, and of the exception that ends one. May raise."""

    def before(self, module: ModuleOp, instance: ModulePass, context: Context) -> None: ...

    def after(self, module: ModuleOp, instance: ModulePass, context: Context) -> None: ...

    def failed(self, instance: ModulePass, context: Context, error: Exception) -> None: ...


class VerifyEach:
    """Watches that the program is valid IR after every pass. Error: `pass-broke-ir`, which is a bug of that pass."""

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
    """The passes of a pipeline: text, or one text or instance for each. Error: `bad-pipeline`."""
    instances: list[ModulePass] = []
    for each in [passes] if isinstance(passes, str) else passes:
        instances += [each] if isinstance(each, ModulePass) else parse_pipeline(each).passes
    return instances


def passes_to(pipelines: Pipelines, stage: Stage) -> list[ModulePass]:
    """All passes from import to a stage."""
    steps = {"graph": 1, "structured": 3, "loops": 4}[stage]
    return [
        each
        for step in ("graph", "core", "structured", "loops")[:steps]
        for each in pass_instances(pipelines[step])
    ]


def pipeline_text(passes: str | Sequence[str | ModulePass]) -> str:
    """The passes with all their options, as text that `parse_pipeline` reads. Error: `bad-pipeline`."""
    return ",".join(str(each.pipeline_pass_spec(include_default=True)) for each in pass_instances(passes))


@compiling
def run_passes(
    module: ModuleOp,
    passes: str | Sequence[str | ModulePass],
    *,
    context: Context | None = None,
    verify_each: bool = False,
    history: History | None = None,
    instrumentation: Instrumentation | None = None,
) -> None:
    """Run passes on the module in place; `history` receives a record of each, `instrumentation` sees each.

    With `verify_each` the module must be valid IR after every pass. Errors: those of the passes; `pass-failed`, of one that is not
    ours; `pass-broke-ir`, which is a bug of that pass.
    """
    context = context or make_context()
    for instance in pass_instances(passes):
        if instrumentation is not None:
            instrumentation.before(module, instance, context)
        start = time.process_time()
        try:
            instance.apply(context, module)
        except Exception as error:
            if instrumentation is not None:
                instrumentation.failed(instance, context, error)
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
        if instrumentation is not None:
            instrumentation.after(module, instance, context)


_NO_FAILURES = (Error, MemoryError, ShrinkException)
"""What passes of anybody may raise. (`ShrinkException` is how one of xDSL's says that it has succeeded.)"""


def _package(module: str) -> str:
    return module.partition(".")[0]


def _failure(instance: ModulePass, error: Exception) -> Error:
    """What users are told of an exception of a pass that is not loomir's, with the innermost line of the package that it is of."""
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
        hint="the pass is not loomir's; --traceback (in Python: the error's __cause__) shows how it came there",
    )


def for_machine(passes: str | Sequence[str | ModulePass], machine: str) -> list[ModulePass]:
    """The passes, for this machine those that are for any and ask one."""
    option: dict[str, Any] = {"machine": machine}
    return [
        replace(each, **option) if getattr(each, "machine", None) == "generic" else each
        for each in pass_instances(passes)
    ]


def with_integers(
    passes: str | Sequence[str | ModulePass], io: str = "float", rounding: str = "exact"
) -> list[ModulePass]:
    """Passes on GRAPH with `ov-to-integer` among them: before constants are folded, which makes floats of integer weights, and before
    `ov-narrow-weights`, which is for those that stay floats. `io` is `float`, or the type of inputs and outputs (`ov-quantize-io`);
    `rounding` is how it rounds; `exact` leaves a pass that is there already as it is.
    """
    found = pass_instances(passes)
    if not any(each.name == "ov-to-integer" for each in found):
        later = ("ov-narrow-weights", "ov-fold-constants")
        first = next((i for i, each in enumerate(found) if each.name in later), len(found))
        # (What the rules ask for has to be known; folding constants would infer it, too.)
        found = [*found[:first], *pass_instances("ov-infer,ov-to-integer"), *found[first:]]
    if rounding != "exact":
        found = list(with_options(found, "ov-to-integer", rounding=rounding))
    if io != "float" and not any(each.name == "ov-quantize-io" for each in found):
        first = next(i for i, each in enumerate(found) if each.name == "ov-to-integer")
        found = [*found[:first], *pass_instances(f"ov-quantize-io{{element={io}}}"), *found[first:]]
    return found


def limited(
    passes: str | Sequence[str | ModulePass],
    *,
    capacity: int | None = None,
    max_iterations: int | None = None,
    max_bytes: int | None = None,
) -> list[ModulePass]:
    """The passes under these limits (None: as they are).

    `capacity` is for those that give what grows its room, unless they have one; `max_iterations` for those that bound loops, where of
    two bounds the smaller one counts, and so it is with `max_bytes` for `ov-fold-constants` (of other passes such an option is no bound of
    what a user may ask for, but of what pays).
    """
    found: list[ModulePass] = []
    for instance in pass_instances(passes):
        options = {f.name: getattr(instance, f.name) for f in fields(instance)}
        changes: dict[str, int] = {}
        if capacity is not None and "capacity" in options and options["capacity"] is None:
            changes["capacity"] = capacity
        if max_iterations is not None and "max_iterations" in options:
            changes["max_iterations"] = _smaller(options["max_iterations"], max_iterations)
        if max_bytes is not None and instance.name == "ov-fold-constants":
            changes["max_bytes"] = _smaller(options["max_bytes"], max_bytes)
        found.append(replace(instance, **changes) if changes else instance)
    return found


_BOUNDARY_CHANGED = "convert-ov-loop-to-scf"
"""The pass that makes of `main`'s tensors what they are below GRAPH: behind it a program is on its way from GRAPH to STRUCTURED."""


def _resumed(passes: Sequence[ModulePass]) -> Sequence[ModulePass]:
    """Of a step's passes those that a program takes that has left the stage before."""
    names = [each.name for each in passes]
    return passes[names.index(_BOUNDARY_CHANGED) + 1 :] if _BOUNDARY_CHANGED in names else passes


def _smaller(own: int | None, given: int) -> int:
    return given if own is None else min(own, given)


@compiling
def lower(
    module: ModuleOp,
    stage: str,
    *,
    start: str = "graph",
    resume: bool = False,
    verify_each: bool = False,
    history: History | None = None,
    max_iterations: int | None = None,
    capacity: int | None = None,
    pipelines: Pipelines = PIPELINES,
    instrumentation: Instrumentation | None = None,
) -> ModuleOp:
    """A copy of a module of the stage `start` lowered to a later one, verified at each stage's boundary.

    With `resume` the module may be on its way to `start`, whose passes run, too; they change nothing where all have run.

    `max_iterations` makes the program itself check that no loop runs for longer (see `convert-ov-loop-to-scf`); without it, only
    an engine that counts stops an endless loop. `capacity` is the largest extent of what nothing else bounds (see `ov-bound-shapes`).
    `pipelines` are the passes of each step; `instrumentation` sees each pass run.
    """
    given, module = module, cloned(module)
    hand_on_answers(given, module)
    context = make_context()
    steps = [(name, pipelines["core" if name == "graph" else name]) for name in STAGES]
    names: list[str] = [*STAGES]
    stage = checked_stage(stage)
    if names.index(stage) < names.index(start):
        raise Error("bad-stage", f"'{stage}' is no stage after '{start}'", hint=f"known: {', '.join(STAGES)}")
    first = 0 if start == "graph" else names.index(start) + (0 if resume else 1)
    if start == "graph" and stage != "graph":
        # Before any pass of the way down would refuse what such values hold for another reason.
        refuse_graph_only(module)
    for name, passes in steps[first : names.index(stage) + 1]:
        instances = limited(passes, capacity=capacity, max_iterations=max_iterations)
        if resume and name == start:
            instances = _resumed(instances)
        run_passes(
            module,
            instances,
            context=context,
            verify_each=verify_each,
            history=history,
            instrumentation=instrumentation,
        )
        verify_stage(module, name)
    return module
