"""Checks of a random program: oracle, engines, and OpenVINO IR.

A program runs in the oracle, in every engine at one optimisation level, and once more as OpenVINO IR. The native engine
comes last and processes a batch of programs at once (`compile_batch`): starting a C compiler costs more than compiling
the C.
"""

from __future__ import annotations

import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TypeVar

import numpy as np
import onnx
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.checking.agreement import Outcome, compare
from loomir.compiler.checking.checker import check_each_pass
from loomir.compiler.feeds import Boundary
from loomir.compiler.feeds.specialising import NEEDS_CAPACITY
from loomir.compiler.loading import load
from loomir.compiler.model import Engine, Model
from loomir.compiler.options import CheckOptions
from loomir.errors import Error, crash_of
from loomir.tools.fuzz import OPEN_SCANS, Program
from loomir.tools.fuzz.builds import Build
from loomir.tools.fuzz.levels import Level
from loomir.tools.fuzz.onnx_oracle import OracleFault, run_onnxruntime, to_onnx
from loomir.tools.fuzz.openvino_layers import NotExpressible
from loomir.tools.fuzz.openvino_oracle import OpenVINO, known_faults
from loomir.tools.fuzz.passes_under_test import observed
from loomir.tools.fuzz.to_openvino import to_openvino

MAX_ITERATIONS = 100_000
"""Maximum number of iterations of all loops of one interpreter run.

Programs end after a few hundred.
"""

_OPEN_IN_IR = {"unresolved-rank", "unknown-axes", "unknown-length"}
"""Errors with which OpenVINO IR may be refused below GRAPH.

OpenVINO IR lacks the Reshapes to known shapes that ONNX models have, and its importer infers nothing of an arm that is
never taken.
"""

_CHECKS = CheckOptions(max_iterations=MAX_ITERATIONS, reduce_seconds=0.0)
"""The fuzzer reduces on its own."""

OPENVINO = OpenVINO()
"""One for each worker."""

T = TypeVar("T")
Array = np.ndarray
Outputs = Mapping[str, Array]


@dataclass(frozen=True)
class TrialFailure:
    """Failure of a program in an engine.

    `engine` is the place of the failure, `kind` its sort (the same for equal reasons), and `text` its description.
    """

    engine: str
    kind: str
    text: str

    @property
    def key(self) -> tuple[str, str]:
        """Key that a reduced program has to keep."""
        return self.engine, self.kind


@dataclass
class Report:
    """Results of one program.

    `refusals` and `features` are counted by name, seconds of CPU time by their purpose. `builds` are the builds of native
    code that were compared, or compiled only.
    """

    index: int
    level: str
    features: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    failures: list[TrialFailure] = field(default_factory=list)
    builds: list[str] = field(default_factory=list)
    passes: Counter[str] = field(default_factory=Counter)
    """Effects of passes under test, once each: changes and remarks."""
    seconds: dict[str, float] = field(default_factory=dict)

    def spend(self, what: str, seconds: float) -> None:
        """Add to what something took."""
        self.seconds[what] = self.seconds.get(what, 0.0) + seconds


@dataclass(frozen=True)
class TrialPlan:
    """Selection of engines and of further checks.

    `ir` runs the program as OpenVINO IR, `openvino` also in OpenVINO itself. Further checks are those after each pass, and
    metamorphic transformations.
    """

    engines: tuple[Engine, ...] = ("graph", "structured", "loops", "native")
    ir: bool = True
    openvino: bool = False
    check_each_pass: bool = False
    metamorphic: bool = False


Say = Callable[[int, str], None]
"""Callback that is invoked before each step.

Its arguments are the program's index and the engine. An observer can thus determine the step that did not end.
"""


@dataclass
class _Lowered:
    """Program lowered for a machine.

    It consists of modules, and of the position of the module of each feed; the position is None if there is no module
    without a capacity.
    """

    model: Model
    modules: list[ModuleOp] = field(default_factory=list)
    places: list[int | None] = field(default_factory=list)


class Trial:
    """Trial of one program at one level.

    `bounded` gives dynamic dimensions of inputs their bounds, so that one lowered program serves all feeds. Interpreters
    run the program lowered for `machine`.
    """

    def __init__(
        self,
        index: int,
        program: Program,
        level: Level,
        plan: TrialPlan,
        say: Say,
        *,
        bounded: bool = False,
        machine: str = "generic",
    ) -> None:
        self.index = index
        self.program = program
        self.plan = plan
        self.bounded = bounded
        self.machine = machine
        self.report = Report(index, level.name, Counter(program.features))
        self.level = observed(
            level, lambda text: self.report.passes.update({text: 1 - self.report.passes[text]})
        )
        self._say = say
        self._expected: list[dict[str, Array]] = []
        self._model: Model | None = None
        self._native: dict[str, _Lowered] = {}

    # -- steps

    def interpret(self) -> None:
        """Everything but the native engine."""
        model = self._step("oracle", self._oracle)
        if model is None:
            return
        with self._timed("load"):
            self._model = self._step("load", lambda: self._load(model))
        if self._model is not None:
            lowered = self._model.for_machine(self.machine)
            for engine in self.plan.engines:
                if engine != "native":
                    self._run(engine, lowered)
        if self.plan.ir or self.plan.openvino:
            self._as_openvino()
        if self.plan.check_each_pass and self._model is not None:
            self._step("check-each-pass", lambda: self._check_passes(model), below=True)
        if self.plan.metamorphic and self._model is not None and not self._has_open_scans:
            self._transform(model)

    def native_modules(self, machine: str) -> list[ModuleOp]:
        """Return the modules that the native engine compiles for a machine.

        There is one module that serves all feeds, or one for each shape that the feeds have.
        """
        if self._model is None or "native" not in self.plan.engines:
            return []
        if machine not in self._native:
            model = self._model.for_machine(machine)
            lowered = self._native[machine] = _Lowered(model)
            self._step("native", lambda: self._lower_for_native(lowered), below=True)
        return self._native[machine].modules

    def run_native(
        self,
        build: Build,
        functions: Sequence[Callable[[Outputs], Outputs] | Exception],
        *,
        runs: bool = True,
    ) -> None:
        """Run a build's compiled `native_modules`.

        If `runs` is false, only report what the build could not compile.
        """
        lowered = self._native.get(build.machine)
        if lowered is None or not lowered.places:
            return
        engine = f"native {build}"
        if not runs:
            self.report.builds.append(f"{build}, compiled only")
            for function in functions:
                if isinstance(function, Exception):
                    self._step(engine, lambda function=function: _raise(function), below=True)
                    return
            return
        self.report.builds.append(str(build))
        self._say(self.index, engine)
        with self._timed("run native"):
            outcomes = [self._native_outcome(k, lowered, functions) for k in range(len(lowered.places))]
        self._judge(engine, outcomes, below=True)

    def _lower_for_native(self, lowered: _Lowered) -> None:
        places: list[int | None] = []
        with self._timed("lower to loops"):
            for feed in self.program.feeds:
                try:
                    module = lowered.model.for_feed(feed).lowered("loops")
                except Error as error:
                    if error.identifier not in NEEDS_CAPACITY:
                        raise
                    # The capacity is found by trying, which a batch cannot do.
                    places.append(None)
                    continue
                if module not in lowered.modules:
                    lowered.modules.append(module)
                places.append(lowered.modules.index(module))
        lowered.places = places

    def _native_outcome(
        self, number: int, lowered: _Lowered, functions: Sequence[Callable[[Outputs], Outputs] | Exception]
    ) -> Outcome:
        feed, place = self.program.feeds[number], lowered.places[number]
        if place is None:
            self.report.features["native: capacity by trying"] += 1
            return outcome_of(lambda: lowered.model.run(feed, engine="native"))
        function = functions[place]
        if isinstance(function, Exception):
            return outcome_of(lambda: _raise(function))
        assemble = Boundary.of(lowered.modules[place]).assemble
        return outcome_of(lambda: assemble(function(feed)))

    # -- what they consist of

    @property
    def _has_open_scans(self) -> bool:
        """True if extents of empty scan outputs differ from ONNX Runtime's.

        In ONNX Runtime, extents that no body declares are 0 (docs/semantics.md).
        """
        return OPEN_SCANS in self.program.features

    def _oracle(self) -> onnx.ModelProto | None:
        with self._timed("emit"):
            model = to_onnx(self.program)
        if self._has_open_scans:
            # All engines, levels and forms of the program agree with the program as it is written, in graph.
            written = self._step("oracle", lambda: load(model, max_iterations=MAX_ITERATIONS, optimize=False))
            if written is None:
                return None
            with self._timed("graph"):
                self._expected = [written.run(feed, engine="graph") for feed in self.program.feeds]
            return model
        with self._timed("ONNX Runtime"):
            try:
                self._expected = run_onnxruntime(model, self.program.feeds)
            except OracleFault as fault:
                self.report.refusals[f"ONNX Runtime: {fault}"] += 1
                return None
        return model

    def _load(self, model: onnx.ModelProto | Path) -> Model:
        most = self.program.max_shapes() if self.bounded else {}
        return load(
            model,
            max_iterations=MAX_ITERATIONS,
            pipelines=self.level.pipelines,
            max_shapes=most,
        )

    def _run(self, engine: Engine, model: Model) -> None:
        """One interpreter on all feeds."""
        self._say(self.index, engine)
        below = engine != "graph"
        if below and self._step(engine, lambda: self._lower(engine, model), below=True) is None:
            return
        with self._timed(f"run {engine}"):
            outcomes = self._outcomes(model, engine)
        self._judge(engine, outcomes, below=below)

    def _lower(self, engine: Engine, model: Model) -> bool:
        """Lower for every feed, to measure lowering apart from running.

        The possibility of lowering without a capacity is not judged here.
        """
        with self._timed(f"lower to {engine}"):
            for feed in self.program.feeds:
                try:
                    model.for_feed(feed).lowered("structured" if engine == "structured" else "loops")
                except Error as error:
                    if error.identifier not in NEEDS_CAPACITY:
                        raise
        return True

    def _as_openvino(self) -> None:
        """Import the program as OpenVINO IR and run it.

        It runs in GRAPH; with bounds it also runs in LOOPS, where parts of operands and results differ from those of ONNX.
        """
        with tempfile.TemporaryDirectory(prefix="loomir-fuzz-") as folder:
            try:
                with self._timed("emit"):
                    path = to_openvino(self.program).save(Path(folder) / "program.xml")
            except NotExpressible as error:
                self.report.refusals[f"OpenVINO IR: no {error}"] += 1
                return
            with self._timed("load IR"):
                model = self._step("IR load", lambda: self._load(path))
            if model is not None:
                self._run_ir("graph", model)
                if self.bounded:
                    self._run_ir("loops", model)
            if self.plan.openvino and not self._has_open_scans:
                self._say(self.index, "OpenVINO")
                self._compare_openvino(path, Path(folder))

    def _run_ir(self, engine: Engine, model: Model) -> None:
        name = f"IR {engine}"
        self._say(self.index, name)
        with self._timed("run IR"):
            outcomes = [self._named(o) for o in self._outcomes(model, engine)]
        refused = {o.error.identifier if o.error is not None else "" for o in outcomes}
        if engine != "graph" and refused <= _OPEN_IN_IR:
            self.report.refusals[f"{name}: {min(refused)}"] += 1
            return
        self._judge(name, outcomes, below=engine != "graph")

    def _compare_openvino(self, path: Path, folder: Path) -> None:
        """Compare results with OpenVINO itself.

        OpenVINO refuses many programs. A difference is not a failure if OpenVINO is known to be wrong.
        """
        with self._timed("OpenVINO"):
            results = OPENVINO.run(path, self.program.feeds, folder)
        if isinstance(results, str):
            self.report.refusals[f"OpenVINO {results.partition(':')[0]}"] += 1
            return
        names = [name for name, _ in self.program.outputs]
        before = len(self.report.failures)
        self._judge("OpenVINO", [Outcome(dict(zip(names, values, strict=True))) for values in results])
        faults = known_faults(self.program)
        if len(self.report.failures) == before:
            self.report.features["agrees with OpenVINO"] += 1
        elif faults:
            self.report.failures.pop()
            self.report.refusals[f"OpenVINO differs, with {faults[0]}"] += 1

    def _check_passes(self, model: onnx.ModelProto) -> None:
        """The program before and after every pass of the level."""
        assert self._model is not None
        with self._timed("check each pass"):
            refused = check_passes(model, self.level, self.program.feeds, self._model)
        if refused is not None:
            self.report.refusals[f"check-each-pass: {refused}"] += 1

    def _transform(self, model: onnx.ModelProto) -> None:
        """The program transformed so that it means the same."""
        from loomir.tools.fuzz.metamorphic import TRANSFORMS

        # Three or so of them for each program, all of them in turn.
        chosen = [t for number, t in enumerate(TRANSFORMS.items()) if (number + self.index) % 4 == 0]
        for number, (name, transform) in enumerate(chosen):
            with self._timed("metamorphic"):
                other = transform(model, Random(f"{self.program.name}/{name}"))
                if other is None:
                    continue
                self.report.features[f"metamorphic {name}"] += 1
                changed = self._step(f"metamorphic {name}", lambda other=other: self._load(other))
                if changed is None:
                    continue
                # Lowering costs most: one of them goes all the way down.
                for engine in ("graph", "loops") if number == 0 else ("graph",):
                    outcomes = self._outcomes(changed, engine)
                    self._judge(f"metamorphic {name}", outcomes, below=engine == "loops")

    def _outcomes(self, model: Model, engine: Engine) -> list[Outcome]:
        return [outcome_of(lambda f=f: model.run(f, engine=engine)) for f in self.program.feeds]

    def _named(self, outcome: Outcome) -> Outcome:
        """Return an OpenVINO model's outputs under the program's names.

        The outputs are in the program's order.
        """
        if outcome.outputs is None:
            return outcome
        names = [name for name, _ in self.program.outputs]
        return Outcome(dict(zip(names, outcome.outputs.values(), strict=True)))

    # -- judging

    def _judge(self, engine: str, outcomes: Sequence[Outcome], *, below: bool = False) -> None:
        """Compare with the oracle; the first difference is the engine's failure."""
        for number, (outcome, wanted) in enumerate(zip(outcomes, self._expected, strict=True)):
            error = outcome.error
            if error is not None and below and self._may_refuse(error):
                self.report.refusals[error.identifier] += 1
                return
            if outcome.is_limited:
                self._fail(engine, f"error {error.identifier if error else ''}", f"feed {number}: {error}")
                return
            difference = compare(Outcome(wanted), outcome, exact=False)
            if difference is not None:
                kind = f"error {error.identifier}" if error is not None else difference.kind
                self._fail(engine, kind, f"feed {number}: {difference.text}")
                return

    def _may_refuse(self, error: Error) -> bool:
        return error.identifier in self.program.refusals

    def _step(self, engine: str, action: Callable[[], T], *, below: bool = False) -> T | None:
        """Return the result of an action, or None if it fails.

        A failure is reported as the engine's failure, or as an expected refusal.
        """
        self._say(self.index, engine)
        try:
            return action()
        except Error as error:
            if (crash := crash_of(error)) is not None:
                self._fail(engine, f"crash {type(crash).__name__}", _traceback(crash))
            elif below and self._may_refuse(error):
                self.report.refusals[error.identifier] += 1
            else:
                self._fail(engine, f"error {error.identifier}", str(error))
        except Exception as error:
            self._fail(engine, f"crash {type(error).__name__}", _traceback(error))
        return None

    def _fail(self, engine: str, kind: str, text: str) -> None:
        self.report.failures.append(TrialFailure(engine, kind, text))

    @contextmanager
    def _timed(self, what: str) -> Iterator[None]:
        start = time.process_time()
        try:
            yield
        finally:
            self.report.spend(what, time.process_time() - start)


def check_passes(model: onnx.ModelProto, level: Level, feeds: Sequence[Outputs], loaded: Model) -> str | None:
    """Check each pass of a level on an already loaded program.

    GRAPH passes are checked with all feeds, the passes below with the first. Returns one of `NEEDS_CAPACITY` if the program
    has no lower form without a capacity: the passes up to that point are checked, and nothing is wrong.

    Error: `pass-changed-result`, and those of the lowering.
    """
    module = load(model, optimize=False).module.clone()
    check_each_pass(module, level.graph, feeds=[dict(f) for f in feeds], options=_CHECKS)
    module = loaded.for_feed(feeds[0]).module.clone()
    below = [*level.core, *level.structured, *level.loops]
    try:
        check_each_pass(module, below, feeds=[dict(feeds[0])], options=_CHECKS)
    except Error as error:
        if error.identifier not in NEEDS_CAPACITY:
            raise
        return error.identifier
    return None


def outcome_of(run: Callable[[], Outputs]) -> Outcome:
    """Return the outputs of a run, or how it failed."""
    try:
        return Outcome(run())
    except Error as error:
        return Outcome(error=error) if (crash := crash_of(error)) is None else Outcome(crash=crash)
    except Exception as error:
        return Outcome(crash=error)


def _raise(error: Exception) -> Outputs:
    raise error


def _traceback(error: Exception) -> str:
    """The exception and the innermost calls that led to it."""
    last = traceback.extract_tb(error.__traceback__)[-4:]
    places = " < ".join(f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in reversed(last))
    return f"{type(error).__name__}: {error} ({places})"
