"""The order of a phase's transformations, from what each says of others."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.foreign import blamed_on
from loomir.tools.model_optimizer.mo.utils.anchors import Anchor
from loomir.tools.model_optimizer.mo.utils.replacement_pattern import ReplacementPattern

PLACE = "__mo_place__"
"""Name of a variable with the module's place in the Model Optimizer.

Modules of extensions and of the Model Optimizer's own transformations have this variable.
"""


def place_of(cls: type) -> tuple[str, str] | None:
    """Return module and name by which extensions import the class.

    Returns None if they are unknown.
    """
    module = inspect.getmodule(cls)
    place = vars(cls).get(PLACE) or (None if module is None else vars(module).get(PLACE))
    return None if place is None else (place, cls.__name__)


def file_of(cls: type) -> str | None:
    """Where the class is written."""
    module = inspect.getmodule(cls)
    return getattr(module, "__file__", None)


def identifier_of(cls: type) -> str:
    """Return the name that disables a transformation.

    It is the `id` of the transformation, or module and class.
    """
    own = getattr(cls, "id", None)
    place = place_of(cls)
    return own or ".".join(place or (cls.__module__, cls.__name__))


def _told(cls: type) -> str:
    file = file_of(cls)
    return f"{cls.__name__}{f' ({file})' if file else ''}"


def ordered(classes: Iterable[type]) -> list[type]:
    """Return the classes, and anchors that they name, in execution order.

    Each comes after those that it has to follow. Otherwise the order is by name, and always the same.

    Classes that are only base classes are left out, and so are names of transformations that are not among the classes.
    Errors: `phase-cycle`, `phase-duplicate` for two classes of one name or id, and `mo-extension-failed` if a class fails
    to return its order.
    """
    wanted = [c for c in dict.fromkeys(classes) if c not in ReplacementPattern.excluded_replacers]
    _refuse_duplicates(wanted)
    by_place = {place: cls for cls in wanted if (place := place_of(cls)) is not None}
    successors: dict[type, dict[type, None]] = {cls: {} for cls in wanted}
    waiting = list(wanted)

    def known(other: type) -> type | None:
        other = by_place.get(place_of(other) or ("", ""), other)
        if other not in successors:
            if not issubclass(other, Anchor) or place_of(other) is not None:
                return None
            successors[other] = {}
            waiting.append(other)
        return other

    for cls in waiting:
        with blamed_on(
            "mo-extension-failed", f"{cls.__name__} does not say what it comes before and after", file_of(cls)
        ):
            instance = cls()
            before, after = list(instance.run_before()), list(instance.run_after())
        for other in filter(None, map(known, before)):
            successors[cls][other] = None
        for other in filter(None, map(known, after)):
            successors[other][cls] = None
    return _sorted(successors)


def _refuse_duplicates(classes: Sequence[type]) -> None:
    for what, key in (("name", attrgetter("__name__")), ("id", lambda c: getattr(c, "id", None))):
        seen: dict[Any, type] = {}
        for cls in classes:
            value = key(cls)
            if value is not None and seen.setdefault(value, cls) is not cls:
                raise Error(
                    "phase-duplicate",
                    f"two transformations have the {what} '{value}': {_told(seen[value])}, {_told(cls)}",
                )


def _sorted(successors: dict[type, dict[type, None]]) -> list[type]:
    """Return the classes in reverse postorder of a walk by name.

    The walk starts at the classes that follow no other class. Errors: `phase-cycle`.
    """
    name = attrgetter("__name__")
    later = {cls for following in successors.values() for cls in following}
    order: list[type] = []
    state: dict[type, bool] = {}
    for start in [*sorted(successors.keys() - later, key=name), *sorted(later, key=name)]:
        if start in state:
            continue
        state[start] = False
        path = [(start, iter(sorted(successors[start], key=name)))]
        while path:
            cls, following = path[-1]
            child = next(following, None)
            if child is None:
                path.pop()
                state[cls] = True
                order.append(cls)
            elif child not in state:
                state[child] = False
                path.append((child, iter(sorted(successors[child], key=name))))
            elif not state[child]:
                cycle = [c for c, _ in path]
                shown = " → ".join(_told(c) for c in [*cycle[cycle.index(child) :], child])
                hint = (
                    "'A → B' means that A has to run before B: one of run_before and run_after has to change"
                )
                raise Error("phase-cycle", f"transformations go round in a circle: {shown}", hint=hint)
    return order[::-1]
