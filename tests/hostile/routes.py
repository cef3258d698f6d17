"""Routes of a damaged file through loomir.

They combine levels, engines, machines and passes as users choose them.
"""

from __future__ import annotations

import io
import random
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr
from dataclasses import dataclass
from pathlib import Path

import loomir
from loomir.compiler.feeds.samples import random_feed
from loomir.compiler.levels import LEVELS, Level, checked_level
from loomir.compiler.pipeline import PIPELINES
from loomir.compiler.universe import accepted_stages, folder_of, pass_modules

MAX_ITERATIONS, MAX_BYTES = 2000, 1 << 28
"""Limits that a user would set for files of a stranger."""
TEXTS = ("front", "graph", "structured", "loops")
"""Stages whose text is damaged: `loomir-opt` takes it, with any pass."""
MACHINES = ("generic", "native", "x86-64", "x86-64-v3", "cortex-m4")
STEPS = ("graph", "loops", "C", "native")
"""How far a model goes: it is run in GRAPH, and lowered, or written as C for a machine, or run by the native engine."""
PASSES = sorted(name for name in pass_modules() if folder_of(name) != "front")
"""Passes that a route begins with."""


@dataclass(frozen=True)
class Route:
    """Treatment of one file.

    With `passes` it goes through `loomir-opt`; otherwise it is a model that is loaded.
    """

    level: Level
    step: str
    machine: str
    passes: tuple[str, ...] | None = None

    def __str__(self) -> str:
        if self.passes is None:
            return f"{self.level}, {self.step} for {self.machine}"
        return f"loomir-opt -p {','.join(self.passes)}"


def route_of(seed: int, number: int, kind: str) -> Route:
    """The route of a case."""
    rng = random.Random(f"route {seed} {number}")
    level = checked_level(rng.choice(("O2", "O2", *LEVELS)))
    step = rng.choices(STEPS, (10, 5, 3, 2))[0]
    machine = rng.choice(MACHINES)
    passes: tuple[str, ...] | None = None
    if kind in ("structured", "loops") or (kind in TEXTS and rng.random() < 0.5):
        fitting = [name for name in PASSES if kind in (accepted_stages(name) or TEXTS)]
        passes = tuple(rng.choice(("canonicalize", rng.choice(fitting))) for _ in range(rng.randrange(4)))
    return Route(level, step, machine, passes)


def attempt(path: Path, kind: str, route: Route) -> str:
    """Process a file along a route and describe the outcome.

    Any exception but `loomir.Error` leaves this function.
    """
    if route.passes is not None:
        return _optimised(path, kind, route)
    try:
        model = load(path, route)
    except loomir.Error as error:
        return f"load: {told(error)}"
    said = [_said("run", lambda: run(model))]
    match route.step:
        case "loops":
            said.append(_said("loops", lambda: model.lowered("loops")))
        case "C":
            said.append(_said("C", lambda: emit(model, path.parent)))
        case "native":
            said.append(_said("native", lambda: model.run(random_feed(model, 0), engine="native")))
        case _:
            pass
    return ", ".join(said)


def load(path: Path, route: Route) -> loomir.Model:
    """The model, for a machine that runs here where the native engine is to run it."""
    machine = route.machine if route.step != "native" or route.machine == "generic" else "native"
    return loomir.load(
        path, max_iterations=MAX_ITERATIONS, max_bytes=MAX_BYTES, level=route.level, machine=machine
    )


def told(error: loomir.Error) -> str:
    """The identifier. What loomir did not foresee, and answered so at its boundary, counts as what it is."""
    if error.identifier in ("internal-error", "limit-memory"):
        raise error.__cause__ or error
    lines = str(error).splitlines()
    if len(lines) > 3 or not error.what or max(map(len, lines)) > 2000:
        raise AssertionError(
            f"an error of {len(lines)} lines, the longest of {max(map(len, lines))} characters"
        ) from error
    return error.identifier


def run(model: loomir.Model) -> None:
    """Run in GRAPH, on a sample."""
    model.run(random_feed(model, 0), engine="graph")


def emit(model: loomir.Model, folder: Path) -> None:
    """Write C, which a compiler accepts."""
    model.emit_c(folder, "m")
    result = subprocess.run(
        ["cc", "-fsyntax-only", "-w", str(folder / "m.c")], capture_output=True, text=True
    )
    if result.returncode and "virtual memory" not in result.stderr:
        raise AssertionError(f"the C does not compile: {result.stderr[:2000]}")


def _said(what: str, step: Callable[[], object]) -> str:
    try:
        step()
    except loomir.Error as error:
        return f"{what}: {told(error)}"
    return what


def _optimised(path: Path, kind: str, route: Route) -> str:
    """`loomir-opt` on a text: the passes of the route, then, of a stage below GRAPH, the way down."""
    from loomir.tools.loomir_opt import main

    assert route.passes is not None
    down = [p.name for p in PIPELINES["loops"]] if kind == "structured" else []
    passes = [*route.passes, *down, "canonicalize"]
    options = ["-t", "c"] if route.step == "C" and kind == "loops" else []
    if kind in ("structured", "loops") and not options:
        options = ["--verify-stage", "loops"]
    old, sys.argv = sys.argv, ["loomir-opt", str(path), "-p", ",".join(passes), *options]
    said = io.StringIO()
    try:
        with redirect_stderr(said):
            main()
    except SystemExit as error:
        if error.code not in (0, 1):
            raise AssertionError(f"exit status {error.code}: {said.getvalue()[:500]}") from error
        if "internal-error" in said.getvalue() or "limit-memory" in said.getvalue():
            raise error.__cause__ or error.__context__ or error from None
        return f"loomir-opt: {'fine' if not error.code else 'refused'}"
    finally:
        sys.argv = old
    return "loomir-opt: fine"
