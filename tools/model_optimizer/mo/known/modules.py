"""Modules for the Model Optimizer's own transformations.

loomir does not have these transformations as such. Extensions import them to declare their order:
`run_before(self): return [Pack]`. The classes serve only this purpose: a transformation that does not exist is neither
before nor after anything. If an extension provides a class of that module and name, as one of the Model Optimizer's own
files does, the name means that class.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

from loomir.tools.model_optimizer.mo.back.replacement import BackReplacementPattern
from loomir.tools.model_optimizer.mo.errors import attribute_not_covered
from loomir.tools.model_optimizer.mo.front.common.replacement import FrontReplacementPattern
from loomir.tools.model_optimizer.mo.middle.replacement import MiddleReplacementPattern
from loomir.tools.model_optimizer.mo.order import PLACE
from loomir.tools.model_optimizer.mo.utils.anchors import Anchor

BASES: dict[str, type] = {
    "front": FrontReplacementPattern,
    "middle": MiddleReplacementPattern,
    "back": BackReplacementPattern,
}


class _NameOnly(type):
    """Metaclass of classes that have only a name.

    All other attributes are not covered.
    """

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise attribute_not_covered(f"The Model Optimizer's own {cls.__name__}", name)


def filler(module: str) -> Callable[[ModuleType], None] | None:
    """Return a function that fills the module with its classes, or None.

    None means that the module has none of the Model Optimizer's transformations.
    """
    phase = module.partition(".")[0]
    if phase not in BASES:
        return None
    names = importlib.import_module(f"loomir.tools.model_optimizer.mo.known.{phase}").NAMES.get(module)
    if names is None:
        return None

    def fill(target: ModuleType) -> None:
        target.__doc__ = f"Names of the Model Optimizer's {module}."
        for name in names:
            members = {"__module__": target.__name__, PLACE: module, "enabled": False}
            setattr(target, name, _NameOnly(name, (Anchor, BASES[phase]), members))

    return fill
