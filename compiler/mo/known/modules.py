"""Modules for the Model Optimizer's own transformations, which loomir does not have as such.

Extensions import them to say what they come before and after: `run_before(self): return [Pack]`. That is all that these classes can: a
transformation that is not there is neither before nor after anything. Where an extension brings a class of that module and name,
as one of the Model Optimizer's own files does, it is meant.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

from loomir.compiler.mo.back.replacement import BackReplacementPattern
from loomir.compiler.mo.errors import attribute_not_covered
from loomir.compiler.mo.front.common.replacement import FrontReplacementPattern
from loomir.compiler.mo.middle.replacement import MiddleReplacementPattern
from loomir.compiler.mo.order import PLACE
from loomir.compiler.mo.utils.anchors import Anchor

BASES: dict[str, type] = {
    "front": FrontReplacementPattern,
    "middle": MiddleReplacementPattern,
    "back": BackReplacementPattern,
}


class _NameOnly(type):
    """Of the class there is only the name: what else is asked for is not covered."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise attribute_not_covered(f"The Model Optimizer's own {cls.__name__}", name)


def filler(module: str) -> Callable[[ModuleType], None] | None:
    """What fills the module with its classes; None if it is none of the Model Optimizer's transformations."""
    phase = module.partition(".")[0]
    if phase not in BASES:
        return None
    names = importlib.import_module(f"loomir.compiler.mo.known.{phase}").NAMES.get(module)
    if names is None:
        return None

    def fill(target: ModuleType) -> None:
        target.__doc__ = f"Names of the Model Optimizer's {module}."
        for name in names:
            members = {"__module__": target.__name__, PLACE: module, "enabled": False}
            setattr(target, name, _NameOnly(name, (Anchor, BASES[phase]), members))

    return fill
