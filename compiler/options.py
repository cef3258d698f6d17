"""What a user chooses when a model is loaded, and what a Model keeps of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from xdsl.passes import ModulePass

from loomir.compiler.checking.options import CheckOptions
from loomir.compiler.feeds.growing import MAX_CAPACITY
from loomir.compiler.limits import MAX_BYTES
from loomir.compiler.option_values import flag, integer
from loomir.compiler.pipeline import PIPELINES, Pipelines
from loomir.errors import Error, shown
from loomir.passes.front.convert_onnx_to_ov.semantics import Semantics, check_semantics


@dataclass(frozen=True)
class Options:
    """The options of `load` that hold for everything that is made of a model. Error: `bad-option`.

    `check_each_pass` may be given as a bool; afterwards it is None or what is to be checked.
    """

    max_iterations: int | None = None
    max_bytes: int = MAX_BYTES
    max_capacity: int = MAX_CAPACITY
    pipelines: Pipelines = field(default_factory=lambda: PIPELINES)
    check_each_pass: bool | CheckOptions | None = None
    verify_each: bool = False
    semantics: Semantics = "specification"

    def __post_init__(self) -> None:
        if self.max_iterations is not None:
            self._set("max_iterations", integer("max_iterations", self.max_iterations))
        self._set("max_bytes", integer("max_bytes", self.max_bytes))
        self._set("max_capacity", integer("max_capacity", self.max_capacity))
        self._set("pipelines", checked_pipelines(self.pipelines))
        self._set("check_each_pass", checked_check(self.check_each_pass))
        flag("verify_each", self.verify_each)
        check_semantics(self.semantics)

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @property
    def check(self) -> CheckOptions | None:
        """How passes are checked, if they are."""
        assert not isinstance(self.check_each_pass, bool)
        return self.check_each_pass


def checked_check(value: object) -> CheckOptions | None:
    """What `check_each_pass` says. Error: `bad-option`."""
    if value is None or isinstance(value, CheckOptions):
        return value
    return CheckOptions() if flag("check_each_pass", value) else None


def checked_pipelines(given: object) -> Pipelines:
    """The passes of every step: the default ones where none are given. Error: `bad-option`."""
    if given is PIPELINES:
        # (As they are: the modules of passes of later steps need not be there yet.)
        return PIPELINES
    if not isinstance(given, Mapping):
        raise Error("bad-option", f"pipelines={shown(given)}: it must be a dict from steps to passes")
    for step, passes in given.items():
        if step not in PIPELINES:
            raise Error(
                "bad-option", f"pipelines: {shown(step)} is no step", hint=f"known: {', '.join(PIPELINES)}"
            )
        each = [passes] if isinstance(passes, str) else passes
        if not isinstance(each, Sequence) or not all(isinstance(p, str | ModulePass) for p in each):
            raise Error("bad-option", f"pipelines: {shown(passes)} for '{step}' is no list of passes")
    return MappingProxyType({**PIPELINES, **given})
