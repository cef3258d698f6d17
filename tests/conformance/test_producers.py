"""Models as torch, onnxscript and spox write them (`make producers`, docs/testing.md): every call gives what it has to give.

In the graph engine, and compiled: all programs of a test share one C file. What does not run is listed in `producers.toml`.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import loomir
from loomir.compiler.engines import native
from loomir.compiler.engines.compiled import CompiledFunction
from loomir.compiler.engines.native import NativeFunction, compile_batch
from loomir.compiler.feeds import TensorInfo
from loomir.compiler.feeds.specialising import NEEDS_CAPACITY, START_CAPACITY
from loomir.compiler.model import Engine, Model
from loomir.errors import Error, SemanticsWarning
from loomir.tools.fuzz.builds import Build
from tests.producers.values import Call, stored
from tests.support import assert_values_agree
from tests.support_builds import BUILDS
from tests.tiers import THOROUGH, sample

FIXTURES = Path(__file__).parents[1] / "fixtures" / "producers"
LIST = Path(__file__).with_name("producers.toml")
ENGINES: tuple[Engine, ...] = ("graph", "native")
NAMES = sorted(str(p.relative_to(FIXTURES).with_suffix("")) for p in FIXTURES.glob("*/*.onnx"))
SAMPLE = sample(NAMES, 4)
"""Models to compile; `make thorough` compiles all."""
PARTS = 8 if THOROUGH else 2
"""The native programs are compiled in so many parts, which may run beside each other."""


@dataclass(frozen=True)
class Failure:
    """How a model does not run: the error's identifier, or `differs`."""

    identifier: str
    text: str


@cache
def listed() -> dict[tuple[str, str], str]:
    """The identifier of each model that does not run in an engine."""
    entries = tomllib.loads(LIST.read_text()).get("model", [])
    assert all(entry["why"] for entry in entries)
    return {(engine, entry["name"]): entry["identifier"] for entry in entries for engine in entry["engines"]}


@cache
def options() -> dict[str, dict[str, str]]:
    """Return the options that models must be loaded with."""
    return tomllib.loads(LIST.read_text()).get("options", {})


def calls_of(name: str) -> list[Call]:
    return stored(FIXTURES / f"{name}.npz")


def load(name: str, *, bounded: bool = False) -> Model:
    """The model. Its dynamic dimensions may be `bounded` by those of the calls, so that one program serves them all."""
    path, given = str(FIXTURES / f"{name}.onnx"), options().get(name, {})
    model = loomir.load(path, **given)
    if not bounded:
        return model
    bounds: dict[str, list[int | None]] = {}
    for info in model.inputs:
        arrays = [a for c in calls_of(name) if isinstance(a := c.feed[info.name], np.ndarray)]
        if isinstance(info, TensorInfo) and info.shape is not None and None in info.shape:
            most = [max(1, *extents) for extents in zip(*(a.shape for a in arrays))]
            bounds[info.name] = [most[d] if n is None else n for d, n in enumerate(info.shape)]
    return loomir.load(path, max_shapes=bounds, **given)


def check(model: Model, calls: Sequence[Call], engine: Engine) -> None:
    for number, call in enumerate(calls):
        outputs = model.run(call.feed, engine=engine)
        assert set(outputs) == set(call.expected), f"call {number}"
        for name, value in call.expected.items():
            assert_values_agree(outputs[name], value, f"call {number}, {name}")


def failure_of(run: Callable[[], None]) -> Failure | None:
    try:
        run()
    except Error as error:
        return Failure(error.identifier, str(error))
    except AssertionError as error:
        return Failure("differs", str(error))
    return None


def judge(engine: str, found: Mapping[str, Failure | None]) -> None:
    """Assert that the failures found are exactly those listed.

    An unlisted failure is an error, and so is a listed failure that passes.
    """
    wrong: list[str] = []
    for name, failure in found.items():
        known = listed().get((engine, name))
        if failure is None and known is not None:
            wrong.append(f"{name}: is listed ({known}), but passes")
        elif failure is not None and failure.identifier != known:
            wrong.append(f"{name}: {failure.text} [{failure.identifier}], listed: {known}")
    assert not wrong, "\n".join(wrong)


def test_there_are_enough_of_each_producer() -> None:
    counts = Counter(name.split("/")[0] for name in NAMES)
    assert set(counts) == {"torch-dynamo", "torch-script", "onnxscript", "spox"}
    assert min(counts.values()) >= 20, counts
    size = sum(p.stat().st_size for p in FIXTURES.rglob("*") if p.is_file())
    assert size < 4_000_000, f"{size} bytes"


def test_the_list_names_fixtures() -> None:
    assert {name for _, name in listed()} | set(options()) <= set(NAMES)


@pytest.mark.parametrize("name", sorted(options()))
def test_options_are_needed_and_warned_of(name: str) -> None:
    with pytest.warns(SemanticsWarning, match="--semantics onnxruntime"):
        model = loomir.load(str(FIXTURES / f"{name}.onnx"))
    assert failure_of(lambda: check(model, calls_of(name), "graph")) is not None


def test_graph() -> None:
    found: dict[str, Failure | None] = {}
    for name in NAMES:
        found[name] = failure_of(lambda name=name: check(load(name), calls_of(name), "graph"))
    judge("graph", found)


def programs_of(model: Model, calls: Sequence[Call], machine: str) -> list[ModuleOp]:
    """Return the programs that the native engine compiles for calls.

    A program that needs a capacity gets the one that the engine tries first.
    """
    modules: list[ModuleOp] = []
    for call in calls:
        program = model.for_feed(call.feed).for_machine(machine)
        try:
            modules.append(program.lowered("loops"))
        except Error as error:
            if error.identifier not in NEEDS_CAPACITY:
                raise
            modules.append(program.lowered("loops", capacity=START_CAPACITY))
    return modules


@pytest.mark.parametrize("part", range(PARTS))
def test_native(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine finds its programs compiled, each part by a build of its own; those for larger capacities it compiles itself."""
    here = [build for build in BUILDS if build.runs]
    build = here[part % len(here)]
    with build.chosen():
        judge("native", found_in(build, SAMPLE[part::PARTS], monkeypatch))


def found_in(
    build: Build, names: Sequence[str], monkeypatch: pytest.MonkeyPatch
) -> dict[str, Failure | None]:
    found: dict[str, Failure | None] = {}
    models: dict[str, Model] = {}
    modules: dict[ModuleOp, None] = {}
    for name in names:
        try:
            models[name] = load(name, bounded=True)
            modules.update(dict.fromkeys(programs_of(models[name], calls_of(name), build.machine)))
        except Error as error:
            found[name] = Failure(error.identifier, str(error))
    compiled = dict(zip(modules, compile_batch(list(modules), flags=build.compiler_flags)))

    def function(module: ModuleOp, *, machine: str) -> CompiledFunction:
        made = compiled.get(module) or NativeFunction(module, machine=machine)
        if isinstance(made, Exception):
            raise made
        return made

    with monkeypatch.context() as patch:
        patch.setattr(native, "NativeFunction", function)
        for name in models.keys() - found.keys():
            found[name] = failure_of(lambda name=name: check(models[name], calls_of(name), "native"))
    return found
