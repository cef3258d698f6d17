"""Order and execution of a phase's transformations on a graph.

The order follows from what each transformation says of others.

Others may be the Model Optimizer's own transformations (`known_names.py`). loomir does not have these transformations as
such. Extensions import them to declare their order: `run_before(self): return [Pack]`. The classes serve only this
purpose: a transformation that does not exist is neither before nor after anything. If an extension provides a class of
that module and name, as one of the Model Optimizer's own files does, the name means that class.

Extensions import functions that run a list of transformations from `utils.class_registration`.
"""

from __future__ import annotations

import importlib
import inspect
import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from operator import attrgetter
from types import ModuleType
from typing import Any

from loomir.errors import Error
from loomir.tools.model_optimizer.mo import attribute_not_covered
from loomir.tools.model_optimizer.mo.context import blamed_on
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from loomir.tools.model_optimizer.mo.graph.traversal import for_graph_and_each_sub_graph_recursively
from loomir.tools.model_optimizer.mo.middle_passes import shape_inference
from loomir.tools.model_optimizer.mo.transformations import (
    Anchor,
    BackReplacementPattern,
    ClassType,
    FrontReplacementPattern,
    MiddleReplacementPattern,
    ReplacementPattern,
)

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


def known_module_filler(module: str) -> Callable[[ModuleType], None] | None:
    """Return a function that fills the module with its classes, or None.

    None means that the module has none of the Model Optimizer's transformations.
    """
    phase = module.partition(".")[0]
    if phase not in BASES:
        return None
    names = getattr(
        importlib.import_module("loomir.tools.model_optimizer.mo.known_names"), phase.upper()
    ).get(module)
    if names is None:
        return None

    def fill(target: ModuleType) -> None:
        target.__doc__ = f"Names of the Model Optimizer's {module}."
        for name in names:
            members = {"__module__": target.__name__, PLACE: module, "enabled": False}
            setattr(target, name, _NameOnly(name, (Anchor, BASES[phase]), members))

    return fill


log = logging.getLogger(__name__)

STAGES = ("front", "middle", "back")

Watch = Callable[[type, Graph], Any]
"""Called after each transformation that ran, with its class."""

BuiltIn = Callable[[Node, type | None], bool]
"""Function that reads a node for which no extension has an extractor.

It returns True if it knows the node. The class is an extension's for operations of that name, if there is one: it is
for nodes that the built-in extractors do not read.
"""


def run_transformations(
    graph: Graph,
    phase: str,
    classes: Iterable[type],
    disabled: Collection[str] = (),
    watch: Watch | None = None,
) -> list[type]:
    """Run the transformations `classes` of a phase; return those that ran.

    The phase is 'load', 'front', 'middle' or 'back'. The transformations run in their order.

    `disabled` has ids, names of classes, or paths such as 'front.Pack.Pack'; 'front.onnx' stands for all of a folder.
    Graphs in nodes are transformed too unless a class sets `run_not_recursively`. Errors: `phase-cycle`, `phase-duplicate`,
    `mo-phase-unknown`, `mo-extension-failed` (names the class), `mo-graph-empty`, `mo-graph-data`.
    """
    if phase not in ("load", *STAGES):
        raise Error(
            "mo-phase-unknown", f"there is no phase '{phase}'", hint=f"phases are load, {', '.join(STAGES)}"
        )
    if phase in STAGES:
        for_graph_and_each_sub_graph_recursively(graph, lambda g: setattr(g, "stage", phase))
    ran: list[type] = []
    for cls in ordered(classes):
        if not _switched_off(cls, disabled) and run_transformation(graph, cls):
            ran.append(cls)
            if watch is not None:
                watch(cls, graph)
    return ran


def _switched_off(cls: type, disabled: Collection[str]) -> bool:
    name = identifier_of(cls)
    return bool({name, cls.__name__} & set(disabled)) or any(
        name.startswith(f"{prefix}.") for prefix in disabled
    )


def run_transformation(graph: Graph, cls: type) -> bool:
    """Run one transformation; return True if it ran.

    It runs if it is enabled and its `graph_condition` holds. Errors: as for `run_transformations`.
    """
    with blamed_on("mo-extension-failed", f"the transformation {cls.__name__} failed", file_of(cls)):
        transformation: Any = cls()
        if not getattr(transformation, "enabled", True):
            return False
        if not all(condition(graph) for condition in getattr(transformation, "graph_condition", ())):
            return False
        log.debug("running %s", cls)
        alone = getattr(transformation, "run_not_recursively", False)
        if alone:
            transformation.find_and_replace_pattern(graph)
        else:
            for_graph_and_each_sub_graph_recursively(graph, transformation.find_and_replace_pattern)
        if getattr(transformation, "force_clean_up", False):
            for_graph_and_each_sub_graph_recursively(graph, lambda g: g.clean_up())
        if getattr(transformation, "force_shape_inference", False):
            shape_inference(graph)
        if alone:
            _check(graph, cls)
        else:
            for_graph_and_each_sub_graph_recursively(graph, lambda g: _check(g, cls))
    return True


def _check(graph: Graph, cls: type) -> None:
    graph.check_empty_graph(cls.__name__)
    graph.check_shapes_consistency()


def extract(graph: Graph, classes: Iterable[type], built_in: BuiltIn | None = None) -> list[Any]:
    """Read nodes by the extractors of their operation.

    The case of the operation's letters does not matter. A later extractor replaces an earlier one for the same operation.

    `built_in`, such as `extract_built_in` for ONNX, reads the nodes that have no extractor; a class of operations reads the
    remaining nodes of its name. Nodes without `pb` are left unchanged. Returns the identifiers of the nodes that were read.
    Errors: `mo-extension-failed`, those of `built_in`.
    """
    extractors: dict[str, Any] = {}
    operations: dict[str, Any] = {}
    for cls in classes:
        op = getattr(cls, "op", None)
        if op is not None:
            (extractors if hasattr(cls, "extract") else operations)[op.lower()] = cls
    read: list[Any] = []
    for node in graph.get_op_nodes():
        if not node.has_valid("pb"):
            continue
        op = str(node.soft_get("op", getattr(node.pb, "op_type", ""))).lower()
        if op in extractors:
            cls = extractors[op]
            with blamed_on(
                "mo-extension-failed", f"the extractor {cls.__name__} failed at '{node.id}'", file_of(cls)
            ):
                known = cls.extract(node)
        else:
            known = built_in(node, operations.get(op)) if built_in else of_class(node, operations.get(op))
        if known:
            read.append(node.id)
    return read


def of_class(node: Node, cls: Any) -> bool:
    """Apply an operation class to the node.

    The node gets the class's attributes. Returns False if `cls` is None.

    Errors: `mo-extension-failed`.
    """
    if cls is None:
        return False
    with blamed_on("mo-extension-failed", f"the class {cls.__name__} failed at '{node.id}'", file_of(cls)):
        cls.update_node_stat(node)
    return True


__all__ = ["ClassType", "apply_replacements_list", "apply_transform"]


def apply_transform(graph: Graph, replacer_cls: type, **kwargs: Any) -> None:
    """Runs one transformation. Errors: `mo-extension-failed`."""
    run_transformation(graph, replacer_cls)


def apply_replacements_list(graph: Graph, replacers_order: Iterable[type]) -> None:
    """Runs transformations in the order of the list. Errors: `mo-extension-failed`."""
    for cls in replacers_order:
        run_transformation(graph, cls)
