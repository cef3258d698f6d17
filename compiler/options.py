"""Options of a user for loading a model.

Name, type, default and meaning of each option are defined once, for all functions that take it.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from types import MappingProxyType
from typing import Any, Concatenate, ParamSpec, TypeVar

from numpy.typing import ArrayLike
from xdsl.passes import ModulePass

from loomir.compiler.checking.options import CheckOptions
from loomir.compiler.default_limits import MAX_BYTES, MAX_CAPACITY, MAX_SPECIALISATIONS
from loomir.compiler.io_names import IO, Io
from loomir.compiler.levels import DEFAULT_LEVEL, Level, checked_level
from loomir.compiler.option_values import by_input, checked_root, checked_shapes, choice, flag, integer
from loomir.compiler.pipeline import LevelPipelines, Pipelines, for_machine, with_integers
from loomir.compiler.rounding_names import ROUNDINGS, Rounding
from loomir.errors import Error, shown
from loomir.passes.analysis.machines import machine_of
from loomir.passes.front.onnx_semantics import Semantics, check_semantics

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
                    raise Error(
                        "bad-option", f"there is no option '{name}'", hint=f"known: {', '.join(known)}"
                    )
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
                "bad-option", f"pipelines: {shown(step)} is no step", hint=f"known: {', '.join(usual)}"
            )
        each = [passes] if isinstance(passes, str) else passes
        if not isinstance(each, Sequence) or not all(isinstance(p, str | ModulePass) for p in each):
            raise Error("bad-option", f"pipelines: {shown(passes)} for '{step}' is no list of passes")
    return MappingProxyType({**usual, **given})
