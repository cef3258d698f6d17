"""`convert`: a model goes through the phases and becomes a `Model`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.convert.phases import Plan, plan
from loomir.compiler.convert.replacement_files import read_descriptions
from loomir.compiler.convert.replacements import replacing
from loomir.compiler.convert.running import run_phase
from loomir.compiler.convert.transformation import Transformation
from loomir.compiler.extensions.loading import load_extension, load_installed, loaded
from loomir.compiler.files import printable
from loomir.compiler.frontends import convert_front, load_unconverted
from loomir.compiler.mlir.context import make_context
from loomir.compiler.model import Model
from loomir.compiler.option_values import check_source
from loomir.compiler.options import Options, taking
from loomir.compiler.pipeline import run_passes
from loomir.compiler.stages.verify import is_front, verify_stage
from loomir.errors import Error, boundary
from loomir.passes.front.convert_onnx_to_ov.semantics import Semantics

if TYPE_CHECKING:
    import onnx


@dataclass(frozen=True, kw_only=True)
class ConvertOptions(Options):
    """The options of `convert`: those of `Options`, and what the phases do. Error: `bad-option`."""

    extensions: Sequence[str | Path] = ()
    """Files and packages to load (`load_extension`); those that are loaded already, or installed, count too."""
    enable: Sequence[str] = ()
    """Transformations by id that are off by themselves."""
    disable: Sequence[str] = ()
    """Transformations by id that are not to run."""
    transformations_config: str | Path | None = None
    """A file that describes sub-graphs, which the handlers of extensions replace (`replacement_files.py`)."""
    static_shape: bool = False
    """Fold what follows from shapes. Without it ShapeOf stays, so that the model can be reshaped."""
    semantics: Semantics = "specification"
    """As in `load`."""


def planned(options: ConvertOptions) -> Plan:
    """The transformations that run, in order. Errors: those of `load_extension`, `read_descriptions`, `replacing` and `plan`."""
    load_installed()
    for source in options.extensions:
        load_extension(source)
    added: list[Transformation] = [step for extension in loaded() for step in extension.transformations]
    if options.transformations_config is not None:
        handlers = [each for extension in loaded() for each in extension.replacements]
        added += replacing(handlers, read_descriptions(options.transformations_config))
    return plan(added, enable=options.enable, disable=options.disable)


@boundary
@taking(ConvertOptions)
def convert(model: str | bytes | os.PathLike[Any] | onnx.ModelProto, options: ConvertOptions) -> Model:
    """Run the phases of the Model Optimizer on a model; what `load` takes. The result is not optimised further.

    The options are the fields of `ConvertOptions`, each by its name. Errors: those of the importer, of extensions, of
    transformations (whose id is in the notes), `transformation-broke-ir`.
    """
    check_source(model)
    source = printable(os.fsdecode(model)) if isinstance(model, str | bytes | os.PathLike) else None
    steps = planned(options)  # whose errors are not the model's
    try:
        module = _converted(model, options, steps)
        return Model(module, source=source, options=options)
    except Error as error:
        error.at(file=source)
        raise


def _converted(model: Any, options: ConvertOptions, chosen: Plan) -> ModuleOp:
    steps = chosen.phases
    context = make_context()
    module = load_unconverted(model)
    if is_front(module):
        run_phase(module, steps["front"], context)
        convert_front(module, semantics=options.semantics)
    _infer(module, context, options)
    for phase in ("middle", "layout", "back"):
        run_phase(module, steps[phase], context, keep_shapeof=not options.static_shape)
    verify_stage(module, "graph")
    return module


def _infer(module: ModuleOp, context: Context, options: ConvertOptions) -> None:
    """Partial inference: shapes of everything, contents of what is constant."""
    keep = "false" if options.static_shape else "true"
    passes = [
        "ov-resolve-custom",
        "ov-remove-unneeded",
        f"ov-infer{{keep-shapeof={keep}}}",
        f"ov-fold-constants{{keep-shapeof={keep}}}",
    ]
    run_passes(module, passes, context=context)
