"""Runs of random programs through every engine, and their summary.

Program `index` of a seed is the same whatever else runs. It goes through level `index` modulo the number of levels, and
shares a C file and a build with its neighbours of `index // BATCH`. A program that fails is therefore repeated on its
own with `--seed S --start INDEX --count 1`.

The work is done in child processes that may die or hang without losing anything else. `run_parts` distributes parts
(lists of numbers) to workers. Before each step, a worker reports its current number and the step, and it sends the
results. A worker that ends or reports nothing for too long is replaced: its current number is reported as `Lost`, and
another worker completes the unfinished rest of its part.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import shlex
import signal
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.engines.libraries import compiler
from loomir.compiler.engines.native import compile_batch
from loomir.compiler.extensions import named_sources
from loomir.errors import Error
from loomir.tools.fuzz import Program
from loomir.tools.fuzz.builds import Build, as_options
from loomir.tools.fuzz.builds import builds as all_builds
from loomir.tools.fuzz.features import check_features
from loomir.tools.fuzz.generator import program_of
from loomir.tools.fuzz.levels import BY_NAME, LEVELS, ORDERS, Level, random_order
from loomir.tools.fuzz.onnx_oracle import require_onnxruntime
from loomir.tools.fuzz.passes_under_test import with_passes
from loomir.tools.fuzz.trial import Report, Say, Trial, TrialFailure, TrialPlan

T = TypeVar("T")

Work = Callable[[Sequence[int], Callable[[int, str], None], Callable[[int, T], None]], None]
"""`work(numbers, say, done)` calls `say(number, step)` before each step and `done(number, result)` once for each number."""


@dataclass(frozen=True)
class Lost:
    """Number whose worker died or was killed.

    It records the step and the way in which the worker ended.
    """

    number: int
    step: str
    kind: str


class _Worker(Generic[T]):
    """One process, and what it works at."""

    def __init__(self, work: Work[T]) -> None:
        # `fork`: what is imported already is there; the parent has no threads.
        context = multiprocessing.get_context("fork")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(work, theirs), daemon=True)
        self.process.start()
        theirs.close()
        self.left: dict[int, None] = {}
        self.at: tuple[int, str] | None = None
        self.heard = time.monotonic()

    def give(self, numbers: Sequence[int]) -> None:
        self.left = dict.fromkeys(numbers)
        self.at = None
        self.heard = time.monotonic()
        self.connection.send(list(numbers))

    def stop(self) -> None:
        """End the process at once; it may be anywhere."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def run_parts(
    parts: Iterable[Sequence[int]], work: Work[T], *, jobs: int, patience: float
) -> Generator[tuple[int, T | Lost], None, None]:
    """Generate the result of each number, in the order of completion.

    `patience` is the maximum number of seconds for a step. Closing the iterator ends the workers. If a worker is lost
    before it reports a number, the lost number is the first remaining one of its part.
    """
    source = iter(parts)
    todo: deque[list[int]] = deque()
    workers: list[_Worker[T]] = []
    try:
        while True:
            for worker in workers:
                if not worker.left and (part := _next_part(todo, source)):
                    worker.give(part)
            while len(workers) < jobs and (part := _next_part(todo, source)):
                workers.append(_Worker(work))
                workers[-1].give(part)
            if not any(w.left for w in workers):
                return
            ready = wait([w.connection for w in workers if w.left], timeout=_next_deadline(workers, patience))
            for worker in [w for w in workers if w.connection in ready]:
                yield from _receive(worker, workers, todo)
            for worker in [w for w in workers if w.left and time.monotonic() - w.heard > patience]:
                yield _replace(worker, workers, todo, "timeout")
    finally:
        for worker in workers:
            worker.stop()


def _next_part(todo: deque[list[int]], source: Iterator[Sequence[int]]) -> list[int]:
    """Return a part that a worker gave up, or the next part.

    A part that was given up comes first. The result is empty if there is nothing left.
    """
    return todo.popleft() if todo else list(next(source, ()))


def _next_deadline(workers: Sequence[_Worker[Any]], patience: float) -> float:
    now = time.monotonic()
    return max(0.05, min(w.heard + patience - now for w in workers if w.left))


def _receive(
    worker: _Worker[T], workers: list[_Worker[T]], todo: deque[list[int]]
) -> Generator[tuple[int, T | Lost], None, None]:
    try:
        kind, number, what = worker.connection.recv()
    except (EOFError, ConnectionResetError):
        worker.process.join()
        code = worker.process.exitcode or 0
        ended = f"died of {signal.Signals(-code).name}" if code < 0 else f"exited with {code}"
        yield _replace(worker, workers, todo, ended)
        return
    worker.heard = time.monotonic()
    if kind == "at":
        worker.at = (number, what)
    else:
        del worker.left[number]
        yield number, what


def _replace(
    worker: _Worker[Any], workers: list[_Worker[Any]], todo: deque[list[int]], how: str
) -> tuple[int, Lost]:
    """Give up a worker; the next one completes its part."""
    worker.stop()
    workers.remove(worker)
    number, step = worker.at or (next(iter(worker.left)), "start")
    worker.left.pop(number, None)
    if worker.left:
        todo.appendleft(list(worker.left))
    return number, Lost(number, step, how)


def _serve(work: Work[Any], connection: Connection) -> None:
    """The life of a worker."""
    # Ctrl-C goes to the whole group; the parent decides what becomes of the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    while True:
        try:
            numbers = connection.recv()
        except EOFError:
            return
        work(
            numbers,
            lambda number, step: connection.send(("at", number, step)),
            lambda number, result: connection.send(("done", number, result)),
        )


BATCH = 25
"""How many programs share a C file."""


def run_trials(trials: Sequence[Trial], builds: Sequence[Build], done: Callable[[Report], None]) -> None:
    """Run all trials of a batch.

    The C of the trials is run with each of the builds. `done` receives the report of each trial at the end.
    """
    for trial in trials:
        trial.interpret()
    for build in builds:
        with build.chosen():
            _run_native(trials, build)
    for trial in trials:
        done(trial.report)


def _run_native(trials: Sequence[Trial], build: Build) -> None:
    modules: list[ModuleOp] = []
    places: list[range] = []
    for trial in trials:
        own = trial.native_modules(build.machine)
        places.append(range(len(modules), len(modules) + len(own)))
        modules += own
    start = os.times()
    flags, runs = (build.compiler_flags, build.runs) if modules else ((), True)
    functions = compile_batch(modules, flags=flags, alignment=build.alignment) if modules else []
    end = os.times()
    share = sum(
        getattr(end, n) - getattr(start, n) for n in ("user", "system", "children_user", "children_system")
    )
    for trial, place in zip(trials, places):
        trial.report.spend("compile C", share / len(trials))
        trial.run_native(build, [functions[k] for k in place], runs=runs)


SEQUENCES = 8
"""Period of programs that may contain sequences of tensors.

OpenVINO IR cannot express sequences. The period has no divisor in common with the number of levels, so that every level
gets some of these programs.
"""

MakeProgram = Callable[[int], Program]


@dataclass(frozen=True)
class FuzzOptions:
    """Selection of programs and of what is run on them.

    `level` is the name of one level instead of the rotation, or `orders`. `passes` are passes under test, which every level
    runs in addition; each program has the `features`. With `forms` every other program, in each level, has loops of the forms that
    passes on loop structure know (`loop_forms`). Native code is built by one of the `builds` in
    rotation, or by each of them with `every_build`. `patience` is the maximum number of seconds that one engine may take
    for one program; after `time_limit` seconds no further programs begin.
    """

    seed: int = 0
    start: int = 0
    count: int = 100
    size: int = 8
    jobs: int = 1
    level: str | None = None
    passes: str | None = None
    features: tuple[str, ...] = ()
    forms: bool = False
    builds: tuple[Build, ...] = field(default_factory=all_builds)
    every_build: bool = False
    plan: TrialPlan = field(default_factory=TrialPlan)
    patience: float = 60.0
    time_limit: float | None = None

    def level_of(self, index: int) -> Level:
        """The level of a program, with the passes under test.

        Errors: `unknown-level`, `bad-pipeline`.
        """
        level = self._plain_level_of(index)
        return level if self.passes is None else with_passes(level, self.passes, early=self.early(index))

    def early(self, index: int) -> bool:
        """Return True if passes under test run before the level's own.

        They do so in every other round of levels.
        """
        return index // len(LEVELS) % 2 == 0

    def _plain_level_of(self, index: int) -> Level:
        if self.level is None:
            return LEVELS[index % len(LEVELS)]
        if self.level == ORDERS:
            return random_order(self.seed, index)
        if self.level not in BY_NAME:
            raise Error(
                "unknown-level",
                f"unknown optimisation level '{self.level}'",
                hint=f"known: {', '.join((*BY_NAME, ORDERS))}",
            )
        return BY_NAME[self.level]

    def builds_of(self, index: int) -> Sequence[Build]:
        """The builds of a program and its neighbours."""
        return self.builds if self.every_build else [self.builds[index // BATCH % len(self.builds)]]

    def bounded(self, index: int) -> bool:
        """Return True if inputs with dynamic dimensions are bounded.

        Otherwise the shapes are fixed to those of each feed. Inputs are bounded in every other round of levels.
        """
        return index // len(LEVELS) % 2 == 1

    def program(self, index: int) -> Program:
        """The program of an index."""
        sequences = index % SEQUENCES == SEQUENCES - 1
        open_scans = self.level_of(index).keeps_extents_of_nothing
        return program_of(
            self.seed,
            index,
            size=self.size,
            sequences=sequences,
            open_scans=open_scans,
            forms=self.forms and (index + index // len(LEVELS)) % 2 == 1,
            features=self.features,
        )

    def repeat(self, index: int) -> str:
        """The command that repeats one program."""
        level = f" --level {self.level}" if self.level else ""
        more = "".join(
            f" --{name.replace('_', '-')}"
            for name in ("openvino", "check_each_pass", "metamorphic")
            if getattr(self.plan, name)
        )
        more += " --forms" * self.forms
        if self.every_build or self.builds != all_builds():
            more += f" {as_options(self.builds_of(index))}" + " --every-build" * self.every_build
        under_test = ["-p", self.passes] if self.passes is not None else []
        extensions = (word for source in named_sources() for word in ("--extension", source))
        words = [*extensions, *under_test, *(w for name in self.features for w in ("--with", name))]
        more += "".join(f" {shlex.quote(word)}" for word in words)
        return f"loomir-fuzz --seed {self.seed} --start {index} --count 1 --size {self.size}{level}{more}"


@dataclass
class Summary:
    """Reports of all programs, by index.

    `stopped` is the reason why there are fewer programs than requested.
    """

    reports: dict[int, Report] = field(default_factory=dict)
    stopped: str | None = None
    seconds: float = 0.0

    @property
    def failures(self) -> list[tuple[Report, TrialFailure]]:
        """All failures in the order of the programs."""
        return [(r, f) for _, r in sorted(self.reports.items()) for f in r.failures]

    def total(self, what: str) -> Counter[str]:
        """Return the counts of a property over all programs.

        The property is `features`, `refusals`, `builds`, `passes`, or `level`, which counts the programs of each level.
        """
        result: Counter[str] = Counter()
        for _, report in sorted(self.reports.items()):
            result.update([report.level] if what == "level" else getattr(report, what))
        return result

    def holding(self) -> Counter[str]:
        """How many programs hold each feature."""
        return Counter(name for r in self.reports.values() for name in r.features)

    def seconds_of(self) -> dict[str, float]:
        """CPU time by what it was spent for, the largest first."""
        result: dict[str, float] = {}
        for report in self.reports.values():
            for name, seconds in report.seconds.items():
                result[name] = result.get(name, 0.0) + seconds
        return dict(sorted(result.items(), key=lambda item: -item[1]))


SAMPLE = 300
"""Programs that show which features there are."""


def sample_of(options: FuzzOptions) -> Summary:
    """Return the features of a seed's first programs, which are not run."""
    plain = replace(options, features=())
    counts = {index: Counter(plain.program(index).features) for index in range(SAMPLE)}
    return Summary({i: Report(i, plain.level_of(i).name, found) for i, found in counts.items()})


def fuzz(options: FuzzOptions, heard: Callable[[Report], None] = lambda report: None) -> Summary:
    """Run the programs; `heard` receives each report when it is available.

    Ctrl-C ends the run; the results up to then count.

    Errors: `unknown-level`, `bad-pipeline`, `bad-option` for an unknown feature, `no-onnxruntime`, `no-c-compiler`.
    """
    options.level_of(0)
    if options.features:
        check_features(options.features, sample_of(options).holding())
    require_onnxruntime()
    if "native" in options.plan.engines:
        compiler()
    summary = Summary()
    begun = time.monotonic()
    indices = range(options.start, options.start + options.count)
    parts = [list(part) for _, part in groupby(indices, key=lambda index: index // BATCH)]

    def in_time():
        for part in parts:
            if options.time_limit is not None and time.monotonic() - begun > options.time_limit:
                summary.stopped = f"the time limit of {options.time_limit:g} s"
                return
            yield part

    running = run_parts(in_time(), _work(options), jobs=options.jobs, patience=options.patience)
    try:
        for index, result in running:
            report = _lost(options, index, result) if isinstance(result, Lost) else result
            summary.reports[index] = report
            heard(report)
    except KeyboardInterrupt:
        summary.stopped = "an interrupt"
    finally:
        running.close()
        summary.seconds = time.monotonic() - begun
    return summary


def _work(options: FuzzOptions, make: MakeProgram | None = None):
    """Return a worker's function for a part of the indices."""
    program = make or options.program

    def work(numbers: Sequence[int], say: Say, done: Callable[[int, Report], None]) -> None:
        trials: list[Trial] = []
        builds = options.builds_of(numbers[0])
        for index in numbers:
            say(index, "generator")
            try:
                made = program(index)
            except Exception as error:
                failure = TrialFailure("generator", f"crash {type(error).__name__}", str(error))
                done(index, Report(index, options.level_of(index).name, failures=[failure]))
                continue
            level, bounded = options.level_of(index), options.bounded(index)
            machine = builds[0].machine
            trials.append(Trial(index, made, level, options.plan, say, bounded=bounded, machine=machine))
        run_trials(trials, builds, lambda report: done(report.index, report))

    return work


def _lost(options: FuzzOptions, index: int, lost: Lost) -> Report:
    """The report of a program that a worker did not survive."""
    try:
        features = Counter(options.program(index).features)
    except Exception:
        # The generator itself is what failed; the failure below says so.
        features = Counter()
    return Report(
        index,
        options.level_of(index).name,
        features,
        failures=[TrialFailure(lost.step, lost.kind, lost.kind)],
    )


def try_again(options: FuzzOptions, index: int, program: Program) -> Report:
    """Return the report of another program in place of an index's.

    The level and the builds are the same. The program runs in a process of its own.
    """
    work = _work(options, make=lambda _: program)
    running = run_parts([[index]], work, jobs=1, patience=min(options.patience, 20.0))
    try:
        _, result = next(running)
    finally:
        running.close()
    if isinstance(result, Lost):
        level = options.level_of(index).name
        return Report(index, level, failures=[TrialFailure(result.step, result.kind, result.kind)])
    return result


def concerned(plan: TrialPlan, failure: TrialFailure) -> TrialPlan:
    """Return the part of a plan that reproduces a failure.

    It contains the failing engine, and the graph engine, which shows if only the failing engine is wrong.
    """
    engines = tuple(e for e in plan.engines if e in ("graph", failure.engine.partition(" ")[0]))
    return replace(
        plan,
        engines=engines,
        ir=failure.engine.startswith(("IR", "OpenVINO")),
        openvino=plan.openvino and failure.engine == "OpenVINO",
        check_each_pass=plan.check_each_pass and failure.engine == "check-each-pass",
        metamorphic=plan.metamorphic and failure.engine.startswith("metamorphic"),
    )
