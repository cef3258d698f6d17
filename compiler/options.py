"""What a user chooses when a model is loaded: each option's name, type, default and meaning, once for all who take it."""

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
"""The environment variable that says what the native engine compiles for where no option does."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options that hold for everything that is made of a model. Error: `bad-option`."""

    max_iterations: int | None = None
    """Of all loops together; in the native engine, which is unbounded without it, of each loop for itself."""
    max_bytes: int = MAX_BYTES
    """Of one tensor, of the arena, and of what folding constants makes."""
    max_capacity: int = MAX_CAPACITY
    """The extents up to which engines below GRAPH let grow what has no other bound."""
    specialise: bool = True
    """Programs for what small integer inputs hold, where a run below GRAPH has to know it: axes, shapes, which branch has which rank."""
    max_specialisations: int = MAX_SPECIALISATIONS
    """For how many values of them."""
    level: Level = DEFAULT_LEVEL
    """How much passes do: `O0`, `O1`, `O2` or `Os` (docs/passes.md#levels)."""
    machine: str | None = None
    """What the program is for: passes ask it what operations cost and which vectors it has (`passes/analysis/machines.py`). None: any
    processor (`generic`), but in the native engine the one that it runs on (`native`, or what the environment variable
    `LOOMIR_MACHINE` says)."""
    integers: bool = False
    """What lies between the quantisations of a network is computed with integers (`ov-to-integer`)."""
    io: Io = "float"
    """`int8` or `uint8`: inputs and outputs that are quantised are integers of this type (`ov-quantize-io`), and `integers` holds."""
    rounding: Rounding = "exact"
    """How integers are rounded where they are quantised again (`ov-to-integer`): as exact arithmetic does, or as TensorFlow Lite's
    reference kernels (`tflite`; docs/semantics.md), and `integers` holds."""
    pipelines: Pipelines = field(default_factory=dict[str, Sequence[str | ModulePass]])
    """Other passes than the level's, for each step that is named (see `compiler/pipeline.py`)."""
    check_each_pass: bool | CheckOptions = False
    """Run the program before and after every pass, when it is loaded and whenever it is lowered: it must give the same
    (docs/checking.md; `pass-changed-result`, `pass-failed`)."""
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
    """The options of `load`: those of `Options`, and what is said of the file. Errors: `bad-option`, `bad-shape`, `shape-too-large`."""

    shapes: Mapping[str, Sequence[int]] | None = None
    """Shapes of inputs, which are fixed to them."""
    max_shapes: Mapping[str, Sequence[int | None]] | None = None
    """The largest extents of inputs that stay dynamic (None: no bound)."""
    values: Mapping[str, ArrayLike] | None = None
    """Whole inputs, which are fixed to them."""
    optimize: bool = True
    """Without it the program stays as imported, with inferred types."""
    semantics: Semantics = "specification"
    """Whose reading holds where ONNX's specification and ONNX Runtime differ (docs/semantics.md): the specification's, with a
    `SemanticsWarning` that names the node, or `onnxruntime`."""
    external_data_root: str | os.PathLike[str] | None = None
    """A folder in which an ONNX model's external data may be, besides the model's own: links that lead into it are followed. Of a model
    in memory the places of external data begin here."""

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
    """A function of something and of options as a function of that and of each option by its name.

    `taking(LoadOptions)` makes of `load(model, options)` what is called `load(model, shapes=…, optimize=False)`. Error:
    `bad-option`, for a name that no option has, and for a call without what it is of.
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
    """The passes of every step: the level's where none are given. Error: `bad-option`."""
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
