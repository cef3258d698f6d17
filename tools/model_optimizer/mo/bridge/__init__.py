"""Programs as the Model Optimizer's graphs, and legacy extensions on them.

A run of transformations of the old kind works on one graph (`to_graph.py`) and is read back once (`from_graph.py`), checked by the
verifier like what any pass leaves. Operations that nothing changed stay the very operations that they were, with their regions, types
and locations; what is new or was changed becomes a layer, whose type and version say what it is. `stage_adaptors.py` holds what FRONT
and GRAPH differ in; here is the whole way there and back.

**Loading** of extensions takes a directory in the Model Optimizer's layout: `ops/`, `load/`, `front/`, `front/onnx/`, `middle/`, `back/`.
Each call imports the files under a package name of its own, so that two directories may have files of equal names. A
file imports others of its directory relatively or by the directory's name (`from mo_extensions.ops.FFT import FFT`), at
load time and later in its functions.

**Legacy extensions** are steps of the phases of `loomir convert`. The module is converted to a graph and back once for all
consecutive transformations.
"""

from __future__ import annotations

import builtins
import importlib
import itertools
import sys
from argparse import Namespace
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp

from loomir.compiler.extensions.extension import Transformation
from loomir.compiler.pipeline import run_passes
from loomir.dialects.interface import main_function
from loomir.dialects.onnx.operations import OPSET
from loomir.errors import Error
from loomir.passes.analysis.inference import infer
from loomir.tools.model_optimizer.mo import install_legacy_names
from loomir.tools.model_optimizer.mo.bridge.from_graph import read_block
from loomir.tools.model_optimizer.mo.bridge.node_attributes import source_operation
from loomir.tools.model_optimizer.mo.bridge.operations import LaterPhase, own_attributes
from loomir.tools.model_optimizer.mo.bridge.stage_adaptors import FrontAdaptor, GraphAdaptor, StageAdaptor
from loomir.tools.model_optimizer.mo.bridge.to_graph import graph_of, infer_node
from loomir.tools.model_optimizer.mo.context import blamed_on, conversion_state, set_inference
from loomir.tools.model_optimizer.mo.extractors import FrontExtractorOp
from loomir.tools.model_optimizer.mo.graph.graph import Graph
from loomir.tools.model_optimizer.mo.graph.traversal import for_graph_and_each_sub_graph_recursively
from loomir.tools.model_optimizer.mo.middle_passes import add_constant_operations
from loomir.tools.model_optimizer.mo.onnx_extraction import extract_built_in, read_by_class
from loomir.tools.model_optimizer.mo.op import Op
from loomir.tools.model_optimizer.mo.phases import PLACE, Watch, extract, identifier_of, run_transformations
from loomir.tools.model_optimizer.mo.replacement_config import CustomReplacementRegistry
from loomir.tools.model_optimizer.mo.transformations import (
    BackReplacementPattern,
    FrontReplacementPattern,
    Loader,
    MiddleReplacementPattern,
    ReplacementPattern,
)

PHASES: Mapping[str, type] = {
    "ops": Op,
    "load": Loader,
    "extractors": FrontExtractorOp,
    "front": FrontReplacementPattern,
    "middle": MiddleReplacementPattern,
    "back": BackReplacementPattern,
}
"""By phase the class that its classes derive from."""

_numbers = itertools.count(1)


def _folders(framework: str) -> list[str]:
    """In the order in which they are imported."""
    front = ["front", f"front/{framework}", f"front/{framework}/extractors"]
    return ["ops", f"load/{framework}", *front, "middle", "back"]


class _Isolated(SourceFileLoader):
    """Runs a file with an `__import__` that knows its directory's name."""

    def __init__(self, fullname: str, path: str, directory: _Directory) -> None:
        super().__init__(fullname, path)
        self._directory = directory

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": self._directory.import_}
        module.__dict__[PLACE] = module.__name__.partition(".")[2]
        with blamed_on("mo-extension-broken", "the extension cannot be imported", self.path):
            super().exec_module(module)


class _Directory(MetaPathFinder):
    """Finds the modules of one directory, as those of package `package`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.package = f"loomir_mo_extensions_{next(_numbers)}"
        root = ModuleType(self.package)
        root.__path__ = [str(path)]
        sys.modules[self.package] = root
        sys.meta_path.insert(0, self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(f"{self.package}."):
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Isolated(fullname, spec.loader.path, self)
        return spec

    def _own(self, name: str) -> str | None:
        """Return the name in the package for an import by directory name.

        For any other name the result is None.
        """
        head, _, rest = name.partition(".")
        if head != self.path.name:
            return None
        place = self.path.joinpath(*rest.split(".")) if rest else self.path
        # A directory may be called as a part of the Model Optimizer itself: what it does not have comes from there.
        there = place.is_dir() or place.with_name(f"{place.name}.py").is_file()
        return f"{self.package}.{rest}".rstrip(".") if there else None

    def import_(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        own = self._own(name) if level == 0 else None
        if own is None:
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        if fromlist:
            return builtins.__import__(own, globals, locals, fromlist, 0)
        importlib.import_module(own)
        return sys.modules[self.package]


def load_extensions(
    directory: Path | str, framework: str = "onnx", only: Collection[str] | None = None
) -> dict[str, list[type]]:
    """Import the extensions of a directory and return their classes by phase.

    The phases are `PHASES`; the classes are in the order in which they are found.

    With `only`, import those files of the directory, such as 'front/onnx/fft_ext.py', and their imports.
    `Op.get_op_class_by_name` finds the directory's operations from then on. The old names of the API
    (`install_legacy_names`) refer to it.
    Errors: `mo-extension-broken` for a file that cannot be imported, or a directory that does not exist or has none;
    `mo-api-not-covered`, with the file.
    """
    install_legacy_names()
    path = Path(directory).absolute()
    found = _Directory(path)
    classes: dict[str, list[type]] = {phase: [] for phase in PHASES}
    modules = 0
    for folder in _folders(framework):
        for file in sorted((path / folder).glob("*.py")):
            wanted = only is None or f"{folder}/{file.name}" in only
            if wanted and file.stem != "__init__" and file.stem.isidentifier():
                name = ".".join([found.package, *folder.split("/"), file.stem])
                _sort_in(importlib.import_module(name), classes)
                modules += 1
    if not modules:
        raise Error(
            "mo-extension-broken",
            "there are no extensions in the directory",
            file=str(directory),
            hint=f"they are Python files in {', '.join(_folders(framework))}",
        )
    for cls in classes["ops"]:
        op = getattr(cls, "op", None)
        if op is not None and cls not in Op.excluded_classes:
            conversion_state().operations[op] = cls
    return classes


def _sort_in(module: ModuleType, classes: dict[str, list[type]]) -> None:
    """Adds the classes that the module defines to those of their phases."""
    for cls in vars(module).values():
        if not isinstance(cls, type) or cls.__module__ != module.__name__:
            continue
        if cls in ReplacementPattern.excluded_replacers:
            continue
        for phase, base in PHASES.items():
            if issubclass(cls, base) and cls not in classes[phase]:
                classes[phase].append(cls)


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
            origin = source_operation(node)
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
    registry = conversion_state().replacements
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
            if (origin := source_operation(node)) is not None:
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
