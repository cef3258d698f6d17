"""Options of a user for loading a model and checking passes.

Name, type, default and meaning of each option are defined once, for all functions that take it.

Options are checked one by one before anything else happens: each function for that returns the given value in one form, or
raises an `Error` that states what is required. `CheckOptions` says how thoroughly passes are checked, and `CheckCounts` what was
checked.
"""

from __future__ import annotations

import inspect
import operator
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike
from xdsl.passes import ModulePass

from loomir.compiler.levels import DEFAULT_LEVEL, Level, checked_level
from loomir.compiler.option_names import (
    DEFAULT_MAX_ITERATIONS,
    IO,
    MAX_BYTES,
    MAX_CAPACITY,
    MAX_SPECIALISATIONS,
    ROUNDINGS,
    Io,
    Rounding,
)
from loomir.compiler.pass_options import for_machine, with_integers
from loomir.compiler.pipeline import LevelPipelines, Pipelines
from loomir.dialects.ov.facts import MAX_EXTENT, MAX_RANK, check_shape
from loomir.errors import Error, shown
from loomir.passes.analysis.inference.state import MAX_EXTENT as MOST_CAPACITY
from loomir.passes.analysis.machines import machine_of
from loomir.passes.options import Semantics, check_semantics

Word = TypeVar("Word", bound=str)

MAX_INT = (1 << 63) - 1


def integer(name: str, value: object, least: int = 0, most: int = MAX_INT) -> int:
    """Check an option that is a number.

    It has any integer type, but is no boolean, float or text. Error: `bad-option`.
    """
    number = None
    if not isinstance(value, bool):
        with suppress(TypeError):
            number = operator.index(cast(Any, value))
    if number is None or not least <= number <= most:
        raise Error("bad-option", f"{name}={shown(value)}: it must be an integer between {least} and {most}")
    return number


def flag(name: str, value: object) -> bool:
    """An option that is true or false. Error: `bad-option`."""
    if not isinstance(value, bool | np.bool_):
        raise Error("bad-option", f"{name}={shown(value)}: it must be True or False")
    return bool(value)


def choice(name: str, value: object, known: Sequence[Word]) -> Word:
    """An option that is one of some words. Error: `bad-option`."""
    for word in known:
        if isinstance(value, str) and value == word:
            return word
    raise Error("bad-option", f"{name}={shown(value)}: it must be one of these", hint=", ".join(known))


def checked_capacity(value: object) -> int | None:
    """A capacity, or None. Error: `bad-option`."""
    return None if value is None else integer("capacity", value, 1, MOST_CAPACITY)


def checked_name(name: object) -> str | None:
    """Check the name of emitted C, which may be None.

    Any text is valid, since identifiers are derived from it. Error: `bad-option`.
    """
    if name is not None and not isinstance(name, str):
        raise Error("bad-option", f"name={shown(name)}: it must be text")
    return name or None


def checked_file(path: object) -> Path:
    """A file to write. Error: `bad-option`."""
    given = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(given, str) or not given:
        raise Error("bad-option", f"path={shown(path)}: it must be the path of a file")
    return Path(given)


def checked_files(option: str, given: object) -> list[Path]:
    """Files to read: a path, or several. Error: `bad-option`."""
    each = [given] if isinstance(given, str | os.PathLike) else given
    if not isinstance(each, Sequence) or not all(isinstance(p, str | os.PathLike) for p in each):
        raise Error("bad-option", f"{option}={shown(given)}: it must be a path, or a list of paths")
    return [Path(os.fsdecode(cast(Any, path))) for path in each]


def checked_folder(folder: object) -> Path:
    """A folder to write to. Error: `bad-option`."""
    path = os.fspath(folder) if isinstance(folder, str | os.PathLike) else None
    if not isinstance(path, str):
        raise Error("bad-option", f"directory={shown(folder)}: it must be a path")
    return Path(path)


def checked_root(folder: object) -> Path | None:
    """A folder in which external data may be, or None. Error: `bad-option`."""
    if folder is None:
        return None
    path = os.fspath(folder) if isinstance(folder, str | os.PathLike) else None
    if not isinstance(path, str) or not os.path.isdir(path):
        raise Error("bad-option", f"external_data_root={shown(folder)}: it must be the path of a folder")
    return Path(path)


def by_input(option: str, given: object) -> Mapping[str, Any]:
    """Check an option with values for some inputs, by their names.

    Error: `bad-option`.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise Error("bad-option", f"{option}={shown(given)}: it must be a dict from names of inputs")
    for name in given:
        if not isinstance(name, str):
            raise Error("bad-option", f"{option}: {shown(name)} is not a name of an input")
    return given


def checked_shapes(option: str, given: object, *, may_be_open: bool = False) -> dict[str, list[Any]]:
    """Shapes of inputs by name. Errors: `bad-option`, and those of `checked_extents`."""
    return {n: checked_extents(n, s, may_be_open=may_be_open) for n, s in by_input(option, given).items()}


def checked_extents(name: str, given: object, *, may_be_open: bool = False) -> list[Any]:
    """Check the shape of an input as given by a user.

    Its extents are integers of 0 to 2⁶³ − 1, or None for a dynamic dimension if `may_be_open` is set.

    Errors: `bad-shape`, `shape-too-large`.
    """
    extents: list[int | None] = []
    fits = isinstance(given, Sequence) and not isinstance(given, str | bytes)
    fits = fits or (isinstance(given, np.ndarray) and given.ndim == 1)
    for each in cast(Sequence[object], given)[: MAX_RANK + 1] if fits else ():
        if each is None and may_be_open:
            extents.append(None)
            continue
        try:
            extent = -1 if isinstance(each, bool) else operator.index(cast(Any, each))
        except TypeError:
            extent = -1
        fits = fits and 0 <= extent <= MAX_EXTENT
        extents.append(extent)
    if not fits:
        raise Error(
            "bad-shape",
            f"{shown(given)} is not a shape for input '{name}'",
            hint="give a list of integers, such as [1, 576]",
        )
    check_shape([0 if may_be_open else extent or 0 for extent in extents])
    return extents


@dataclass(frozen=True)
class CheckOptions:
    """How thoroughly passes are checked.

    - `feeds`, `seed`: how many sample inputs at least, and what they are made from; `given`: inputs that are always these;
    - `max_iterations`: bound on the loops of one run; a run that reaches it is not compared;
    - `reduce_seconds`: how long a failing program may be reduced; 0: not at all;
    - `folder`: where the reduced program and its inputs are written; a new temporary one if absent;
    - `explain`: called with a `PassFailure` and that folder, for more lines of the error;
    - `counts`: what all checks with these options have seen.
    """

    feeds: int = 3
    seed: int = 0
    given: Mapping[str, Any] = field(default_factory=dict)
    max_iterations: int = DEFAULT_MAX_ITERATIONS
    reduce_seconds: float = 60.0
    folder: Path | None = None
    explain: Callable[..., Sequence[str]] | None = None
    counts: CheckCounts = field(default_factory=lambda: CheckCounts())

    def __post_init__(self) -> None:
        """Error: `bad-option`."""
        for name, least in (("feeds", 1), ("seed", 0), ("max_iterations", 0)):
            object.__setattr__(self, name, integer(name, getattr(self, name), least))
        number = isinstance(self.reduce_seconds, int | float) and not isinstance(self.reduce_seconds, bool)
        if not number or not self.reduce_seconds >= 0:
            raise Error(
                "bad-option", f"reduce_seconds={shown(self.reduce_seconds)}: it must be a number of seconds"
            )
        object.__setattr__(self, "given", by_input("given", self.given))
        if self.folder is not None:
            object.__setattr__(self, "folder", checked_folder(self.folder))


@dataclass
class CheckCounts:
    """Counts of checked passes, compared runs, and runs without comparison.

    A run is not compared if it failed before the pass or ended at a limit.
    """

    passes: int = 0
    compared: int = 0
    failed: int = 0
    limited: int = 0

    def __str__(self) -> str:
        left_out = f", {self.failed} fail alike" if self.failed else ""
        left_out += f", {self.limited} ended at a limit" if self.limited else ""
        return f"{self.passes} passes checked, {self.compared} runs agree{left_out}"


MACHINE_VARIABLE = "LOOMIR_MACHINE"
"""Environment variable with the native engine's target machine.

It applies if no option sets the machine.
"""


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options for everything that is derived from a model.

    Error: `bad-option`.
    """

    max_iterations: int | None = None
    """Bound on the iterations of all loops together.

    In the native engine, which is unbounded without it, it is a bound for each loop by itself.
    """
    max_bytes: int = MAX_BYTES
    """Of one tensor, of the arena, and of what folding constants makes."""
    max_capacity: int = MAX_CAPACITY
    """Largest extent to which engines below GRAPH grow otherwise unbounded dimensions."""
    specialise: bool = True
    """Specialise programs for the contents of small integer inputs.

    This applies if a run below GRAPH has to know the contents: for axes, shapes, or which branch has which rank.
    """
    max_specialisations: int = MAX_SPECIALISATIONS
    """For how many values of them."""
    level: Level = DEFAULT_LEVEL
    """How much passes do: `O0`, `O1`, `O2` or `Os` (docs/passes.md#levels)."""
    machine: str | None = None
    """Target machine of the program.

    Passes query it for the cost of operations and its vectors (`passes/analysis/machines.py`). None: any processor
    (`generic`), but in the native engine the one that it runs on (`native`, or the value of the environment variable
    `LOOMIR_MACHINE`).
    """
    integers: bool = False
    """Compute with integers between the quantisations of a network (`ov-to-integer`)."""
    io: Io = "float"
    """Type of quantised inputs and outputs.

    With `int8` or `uint8` they are integers of this type (`ov-quantize-io`), and `integers` is implied.
    """
    rounding: Rounding = "exact"
    """Rounding mode of requantised integers (`ov-to-integer`).

    The rounding is that of exact arithmetic, or that of TensorFlow Lite's reference kernels (`tflite`; docs/semantics.md),
    which implies `integers`.
    """
    pipelines: Pipelines = field(default_factory=dict[str, Sequence[str | ModulePass]])
    """Passes in place of the level's, by step (see `compiler/pipeline.py`)."""
    check_each_pass: bool | CheckOptions = False
    """Run the program before and after every pass and compare the results.

    This is done when the program is loaded and whenever it is lowered (docs/checking.md; `pass-changed-result`,
    `pass-failed`).
    """
    verify_each: bool = False
    """The program must be valid IR after every pass (`pass-broke-ir`)."""
    count_operations: bool = False
    """After every pass operations are counted by their names, for `Model.history`."""

    def __post_init__(self) -> None:
        if self.max_iterations is not None:
            self._set("max_iterations", integer("max_iterations", self.max_iterations))
        self._set("max_bytes", integer("max_bytes", self.max_bytes))
        self._set("max_capacity", integer("max_capacity", self.max_capacity))
        flag("specialise", self.specialise)
        self._set("max_specialisations", integer("max_specialisations", self.max_specialisations))
        self._set("pipelines", checked_pipelines(self.pipelines, checked_level(self.level)))
        flag("integers", self.integers)
        self._set("io", choice("io", self.io, IO))
        self._set("rounding", choice("rounding", self.rounding, ROUNDINGS))
        if self.io != "float" or self.rounding != "exact":
            self._set("integers", True)
        if self.integers:
            graph = with_integers(self.pipelines["graph"], self.io, self.rounding)
            self._set("pipelines", MappingProxyType({**self.pipelines, "graph": graph}))
        if self.machine is not None and machine_of(self.machine).name != "generic":
            steps = {step: for_machine(passes, self.machine) for step, passes in self.pipelines.items()}
            self._set("pipelines", MappingProxyType(steps))
        if not isinstance(self.check_each_pass, CheckOptions):
            flag("check_each_pass", self.check_each_pass)
        flag("verify_each", self.verify_each)
        flag("count_operations", self.count_operations)

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @property
    def check(self) -> CheckOptions | None:
        """How passes are checked, if they are."""
        given = self.check_each_pass
        return given if isinstance(given, CheckOptions) else CheckOptions() if given else None


@dataclass(frozen=True, kw_only=True)
class LoadOptions(Options):
    """Options of `load`: those of `Options`, and options about the file.

    Errors: `bad-option`, `bad-shape`, `shape-too-large`.
    """

    shapes: Mapping[str, Sequence[int]] | None = None
    """Shapes of inputs, which are fixed to them."""
    max_shapes: Mapping[str, Sequence[int | None]] | None = None
    """The largest extents of inputs that stay dynamic (None: no bound)."""
    values: Mapping[str, ArrayLike] | None = None
    """Whole inputs, which are fixed to them."""
    optimize: bool = True
    """Without it the program stays as imported, with inferred types."""
    semantics: Semantics = "specification"
    """Semantics where ONNX's specification and ONNX Runtime differ (docs/semantics.md).

    `specification` is the specification's reading, with a `SemanticsWarning` that names the node; `onnxruntime` is the
    other.
    """
    profile: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = ()
    """Files with counts of earlier runs (docs/profiling.md).

    Loops and branches are optimised for these runs.
    """
    external_data_root: str | os.PathLike[str] | None = None
    """Folder for an ONNX model's external data, besides the model's own.

    Links that lead into the folder are followed. For a model in memory, locations of external data are relative to this
    folder.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("shapes", checked_shapes("shapes", self.shapes))
        self._set("max_shapes", checked_shapes("max_shapes", self.max_shapes, may_be_open=True))
        self._set("values", by_input("values", self.values))
        flag("optimize", self.optimize)
        check_semantics(self.semantics)
        self._set("profile", checked_files("profile", self.profile))
        self._set("external_data_root", checked_root(self.external_data_root))


P = ParamSpec("P")
Given = TypeVar("Given")
Chosen = TypeVar("Chosen", bound=Options)
Result = TypeVar("Result")


def taking(
    options: Callable[P, Chosen],
) -> Callable[[Callable[[Given, Chosen], Result]], Callable[Concatenate[Given, P], Result]]:
    """Convert a function of an options object to one of single options.

    The result takes the first argument and each option by its name. `taking(LoadOptions)` converts `load(model, options)`
    to a function that is called `load(model, shapes=…, optimize=False)`. Error: `bad-option`, for a name that no option
    has, and for a call without the first argument.
    """
    build: Callable[..., Chosen] = options
    known = inspect.signature(options).parameters

    def decorate(function: Callable[[Given, Chosen], Result]) -> Callable[Concatenate[Given, P], Result]:
        first, _ = inspect.signature(function).parameters.values()
        signature = inspect.Signature([first, *known.values()])

        @wraps(function)
        def called(*arguments: Any, **named: Any) -> Result:
            for name in named:
                if name not in signature.parameters:
                    raise Error("bad-option", f"unknown option '{name}'", hint=f"known: {', '.join(known)}")
            try:
                chosen = signature.bind(*arguments, **named).arguments
            except TypeError as error:
                raise Error("bad-option", f"{function.__name__}: {error}") from None
            return function(chosen.pop(first.name), build(**chosen))

        called.__dict__["__signature__"] = signature
        return called

    return decorate


def checked_pipelines(given: object, level: Level) -> Pipelines:
    """Return the passes of every step.

    The level's passes apply to steps for which none are given. Error: `bad-option`.
    """
    usual = LevelPipelines(level)
    if isinstance(given, LevelPipelines):
        # (As they are: the modules of passes of later steps need not be there yet.)
        return given
    if not isinstance(given, Mapping):
        raise Error("bad-option", f"pipelines={shown(given)}: it must be a dict from steps to passes")
    if not given:
        return usual
    for step, passes in given.items():
        if step not in usual:
            raise Error(
                "bad-option", f"pipelines: unknown step {shown(step)}", hint=f"known: {', '.join(usual)}"
            )
        each = [passes] if isinstance(passes, str) else passes
        if not isinstance(each, Sequence) or not all(isinstance(p, str | ModulePass) for p in each):
            raise Error("bad-option", f"pipelines: {shown(passes)} for '{step}' is not a list of passes")
    return MappingProxyType({**usual, **given})
