"""Execution of old-style transformations on a module.

The module is converted to a graph and back once for all consecutive transformations.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp

from loomir.compiler.pipeline import run_passes
from loomir.dialects.interface import main_function
from loomir.dialects.onnx.operations import OPSET
from loomir.passes.analysis.inference import infer
from loomir.tools.model_optimizer.mo.bridge.building import graph_of
from loomir.tools.model_optimizer.mo.bridge.forms import Form, FrontForm, GraphForm
from loomir.tools.model_optimizer.mo.bridge.inference import infer_node
from loomir.tools.model_optimizer.mo.bridge.names import LaterPhase
from loomir.tools.model_optimizer.mo.bridge.origin import origin_of
from loomir.tools.model_optimizer.mo.bridge.reading import read_block
from loomir.tools.model_optimizer.mo.bridge.refitting import own_attributes
from loomir.tools.model_optimizer.mo.front.common.custom_replacement_registry import CustomReplacementRegistry
from loomir.tools.model_optimizer.mo.front.onnx.extracting import extract_built_in, read_by_class
from loomir.tools.model_optimizer.mo.graph.graph import Graph
from loomir.tools.model_optimizer.mo.middle.passes.eliminate import add_constant_operations
from loomir.tools.model_optimizer.mo.middle.pattern_match import for_graph_and_each_sub_graph_recursively
from loomir.tools.model_optimizer.mo.ops.inference import set_inference
from loomir.tools.model_optimizer.mo.phases import Watch, extract, run_transformations
from loomir.tools.model_optimizer.mo.scope import known

IR_VERSION = 11


def run_front(
    module: ModuleOp,
    extractors: Sequence[type],
    classes: Sequence[type],
    command: Namespace,
    *,
    disabled: Collection[str] = (),
    watch: Watch | None = None,
) -> list[type]:
    """Run extractors and front transformations on a module in FRONT.

    The built-in extractors read the nodes that no extension's extractor reads.

    Returns the classes that ran. Errors: those of `run_transformations` and `read_block`.
    """
    opset = module.attributes.get(OPSET)
    form = FrontForm()
    graph = _graph(module, form, command)
    graph.graph["fw_opset_version"] = opset.value.data if isinstance(opset, IntegerAttr) else 1

    def read(each: Graph) -> None:
        each.graph["fw_opset_version"] = graph.graph["fw_opset_version"]
        theirs = set(extract(each, extractors, read_by_class))
        for node in each.get_op_nodes():
            origin = origin_of(node)
            if origin is not None and node.id not in theirs:
                extract_built_in(node)
                origin.note(node, own_attributes(origin.op).keys())

    for_graph_and_each_sub_graph_recursively(graph, read)
    with _replacements_of(getattr(command, "transformations_config", None)):
        return _run(module, graph, form, "front", classes, disabled, watch)


@contextmanager
def _replacements_of(file: str | None) -> Iterator[None]:
    """Register the replacements of a configuration file within the context.

    Error: `mo-replacement-file`.
    """
    registry = known().replacements
    before = dict(registry)
    registry.clear()
    try:
        if file is not None:
            CustomReplacementRegistry().add_custom_replacement_description_from_config(str(file))
        yield
    finally:
        registry.clear()
        registry.update(before)


def run_later(
    module: ModuleOp,
    phase: LaterPhase,
    classes: Sequence[type],
    command: Namespace,
    *,
    disabled: Collection[str] = (),
    watch: Watch | None = None,
) -> list[type]:
    """Run `middle` or `back` transformations on a module in GRAPH.

    Returns the classes that ran. Errors: as `run_front`.
    """
    form = GraphForm(infer(module), phase)
    graph = _graph(module, form, command)

    def note(each: Graph) -> None:
        for node in each.get_op_nodes():
            if (origin := origin_of(node)) is not None:
                origin.note(node, own_attributes(origin.op).keys())

    for_graph_and_each_sub_graph_recursively(graph, note)
    before = set_inference(infer_node)
    try:
        ran = _run(module, graph, form, phase, classes, disabled, watch)
    finally:
        set_inference(before)
    run_passes(module, "ov-resolve-custom")
    return ran


def _graph(module: ModuleOp, form: Form, command: Namespace) -> Graph:
    about: dict[str, Any] = {
        "cmd_params": command,
        "fw": "onnx",
        "layout": "NCHW",
        "feature_dim": 1,
        "ir_version": IR_VERSION,
    }
    return graph_of(main_function(module).body.block, form, about)


def _run(
    module: ModuleOp,
    graph: Graph,
    form: Form,
    phase: str,
    classes: Sequence[type],
    disabled: Collection[str],
    watch: Watch | None,
) -> list[type]:
    ran = run_transformations(graph, phase, classes, disabled, watch)
    if form.with_data:
        # Values that a transformation gave, and nothing produces.
        for_graph_and_each_sub_graph_recursively(graph, add_constant_operations)
    main = main_function(module)
    read_block(graph, main.body.block, form)
    for op in module.ops:
        if isinstance(op, FuncOp) and not op.is_declaration:
            op.update_function_type()
    return ran
