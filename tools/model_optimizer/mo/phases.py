"""Running transformations of a phase on a graph."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable
from typing import Any

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.foreign import blamed_on
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from loomir.tools.model_optimizer.mo.middle.passes.eliminate import shape_inference
from loomir.tools.model_optimizer.mo.middle.pattern_match import for_graph_and_each_sub_graph_recursively
from loomir.tools.model_optimizer.mo.order import file_of, identifier_of, ordered

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
