"""Legacy extensions as steps of phases, run on a module's graph.

The phases are those of `loomir convert`. The module is converted to a graph and back once for all consecutive
transformations.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp

from loomir.compiler.extensions.extension import Transformation
from loomir.compiler.pipeline import run_passes
from loomir.dialects.interface import main_function
from loomir.dialects.onnx.operations import OPSET
from loomir.errors import Error
from loomir.passes.analysis.inference import infer
from loomir.tools.model_optimizer.mo.bridge.from_graph import read_block
from loomir.tools.model_optimizer.mo.bridge.node_attributes import origin_of
from loomir.tools.model_optimizer.mo.bridge.operations import LaterPhase, own_attributes
from loomir.tools.model_optimizer.mo.bridge.stage_adaptors import FrontAdaptor, GraphAdaptor, StageAdaptor
from loomir.tools.model_optimizer.mo.bridge.to_graph import graph_of, infer_node
from loomir.tools.model_optimizer.mo.context import known, set_inference
from loomir.tools.model_optimizer.mo.graph.graph import Graph
from loomir.tools.model_optimizer.mo.graph.traversal import for_graph_and_each_sub_graph_recursively
from loomir.tools.model_optimizer.mo.loading import load_extensions
from loomir.tools.model_optimizer.mo.middle_passes import add_constant_operations
from loomir.tools.model_optimizer.mo.onnx_extraction import extract_built_in, read_by_class
from loomir.tools.model_optimizer.mo.phases import Watch, extract, identifier_of, run_transformations
from loomir.tools.model_optimizer.mo.replacement_config import CustomReplacementRegistry

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
    form = FrontAdaptor()
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
    form = GraphAdaptor(infer(module), phase)
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


def _graph(module: ModuleOp, form: StageAdaptor, command: Namespace) -> Graph:
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
    form: StageAdaptor,
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


FRONT, MIDDLE, BACK = "ModelOptimizerFront", "ModelOptimizerMiddle", "ModelOptimizerBack"
"""Steps that run all old-style transformations of a phase.

Within a step the transformations run in the order that they specify.
"""


@dataclass(frozen=True)
class LegacyExtensions:
    """Extension classes from the extension directories, by phase."""

    classes: dict[str, list[type]]

    @staticmethod
    def load(directories: Sequence[str | Path]) -> LegacyExtensions:
        """Load extensions from directories of the Model Optimizer's layout.

        Errors: those of `load_extensions`; `mo-loader`.
        """
        classes: dict[str, list[type]] = {}
        for directory in directories:
            for phase, found in load_extensions(directory).items():
                classes.setdefault(phase, []).extend(found)
        if loaders := classes.get("load"):
            raise Error(
                "mo-loader",
                f"{loaders[0].__name__} loads models of another framework",
                hint="loomir reads ONNX and OpenVINO IR; a loader of your own gives convert an onnx.ModelProto",
            )
        return LegacyExtensions(classes)

    @property
    def names(self) -> set[str]:
        """By which their transformations are switched off."""
        return {
            name
            for phase in ("front", "middle", "back")
            for cls in self.classes.get(phase, ())
            for name in (cls.__name__, identifier_of(cls))
        }

    @property
    def replacements(self) -> set[str]:
        """The ids of a configuration file that they replace by."""
        found = (getattr(cls, "replacement_id", None) for cls in self.classes.get("front", ()))
        return {each for each in found if isinstance(each, str) and each}

    def steps(self, command: Namespace, disabled: Collection[str]) -> list[Transformation]:
        """Return a step for each phase with extensions.

        The step runs before loomir's own steps in front, and after them in the later phases.
        """
        found: list[Transformation] = []
        extractors = [*self.classes.get("ops", ()), *self.classes.get("extractors", ())]
        front = self.classes.get("front", [])
        if extractors or front:
            steps = partial(_front, extractors=extractors, classes=front, command=command, disabled=disabled)
            own = ("FlattenToReshape", "TopKNormalize", "RemoveIdentity")
            found.append(Transformation(FRONT, "front", steps, run_before=own))
        if middle := self.classes.get("middle"):
            steps = partial(_later, phase="middle", classes=middle, command=command, disabled=disabled)
            own = ("CleanUp", "FuseBatchNorm", "FuseSwish", "LoopToLstmSequence", "LstmSequenceToLoop")
            found.append(Transformation(MIDDLE, "middle", steps, run_after=own))
        if back := self.classes.get("back"):
            found.append(
                Transformation(
                    BACK,
                    "back",
                    partial(_later, phase="back", classes=back, command=command, disabled=disabled),
                )
            )
        return found


def _front(
    module: ModuleOp,
    *,
    extractors: Sequence[type],
    classes: Sequence[type],
    command: Namespace,
    disabled: Collection[str],
) -> None:
    run_front(module, extractors, classes, command, disabled=disabled)


def _later(
    module: ModuleOp,
    *,
    phase: LaterPhase,
    classes: Sequence[type],
    command: Namespace,
    disabled: Collection[str],
) -> None:
    run_later(module, phase, classes, command, disabled=disabled)
