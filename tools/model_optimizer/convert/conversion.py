"""`convert`: a model goes through the phases and becomes a `Model`."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.extensions.extension import Transformation
from loomir.compiler.extensions.loading import load_extension, load_installed, loaded
from loomir.compiler.files import printable
from loomir.compiler.formats import convert_front, load_unconverted
from loomir.compiler.formats.mlir.parser import make_context
from loomir.compiler.formats.sources import Source, model_source
from loomir.compiler.model import Model
from loomir.compiler.options import Options, checked_root, taking
from loomir.compiler.pipeline import run_passes
from loomir.compiler.stages import is_front, verify_stage
from loomir.errors import Error, boundary
from loomir.passes.options import Semantics
from loomir.tools.model_optimizer.convert.cutting import apply_input_options
from loomir.tools.model_optimizer.convert.phases import PhasePlan, plan, run_phase
from loomir.tools.model_optimizer.convert.preprocessing import change_layouts, normalise_inputs
from loomir.tools.model_optimizer.convert.preprocessing_options import (
    Layouts,
    PreprocessingOptions,
    parse_layouts,
    parse_scale,
    parse_values,
)
from loomir.tools.model_optimizer.convert.replacement_files import read_descriptions
from loomir.tools.model_optimizer.convert.replacements import replacing
from loomir.tools.model_optimizer.convert.specifications import InputOptions, input_options, parse_outputs


@dataclass(frozen=True, kw_only=True)
class ConvertOptions(Options):
    """Options of `convert`: those of `Options`, and those of the phases.

    Error: `bad-option`.
    """

    extensions: Sequence[str | Path] = ()
    """Files and packages to load (`load_extension`).

    Extensions that are already loaded, or installed, are used as well.
    """
    mo_extensions: Sequence[str | Path] = ()
    """Directories of extensions that were written for the Model Optimizer."""
    input: str | None = None
    """Beginning of the model, in the Model Optimizer's syntax (docs/cutting.md).

    Example: `"0:conv1[1,64,?,?],training->False"`.
    """
    output: str | None = None
    """Where it ends: `"pool,split:1"`."""
    input_shape: str | None = None
    """Shapes of the inputs in their order: `"[1,3,224,224],[1,10]"`."""
    freeze: str | None = None
    """Inputs that become constants: `"training->False"`."""
    batch: int | str | None = None
    """The batch size of all inputs."""
    layout: str | None = None
    """Axis order of the inputs, `"x(nhwc),y(nc)"`.

    It identifies the batch and the channels; with `"x(nhwc->nchw)"` the input gets the second order.
    """
    mean_values: str | None = None
    """Values subtracted from the channels of inputs.

    Examples: `"[103.9,116.8,123.7]"`, `"x[127.5]"`.
    """
    scale_values: str | None = None
    """Values by which the channels are divided."""
    scale: float | str | None = None
    """The same for all channels of all inputs."""
    reverse_input_channels: bool = False
    """Turn the order of the channels round: RGB and BGR."""
    enable: Sequence[str] = ()
    """Transformations by id that are off by themselves."""
    disable: Sequence[str] = ()
    """Transformations by id that are not to run."""
    transformations_config: str | Path | None = None
    """A file that describes sub-graphs, which the handlers of extensions replace (`replacement_files.py`)."""
    static_shape: bool = False
    """Fold values that follow from shapes.

    Otherwise ShapeOf stays, so that the model can be reshaped.
    """
    semantics: Semantics = "specification"
    """As in `load`."""
    external_data_root: str | os.PathLike[str] | None = None
    """As in `load`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("external_data_root", checked_root(self.external_data_root))


def planned(options: ConvertOptions) -> PhasePlan:
    """Return the transformations to run, in order.

    Errors: those of the extensions loaded and files read for them, of `replacing` and `plan`.
    """
    load_installed()
    for source in options.extensions:
        load_extension(source)
    added: list[Transformation] = [step for extension in loaded() for step in extension.transformations]
    disable = set(options.disable)
    configured: set[str] = set()
    if (normalisation := _normalisation(options)) is not None:
        steps = partial(normalise_inputs, options=normalisation)
        added.append(Transformation("NormaliseInputs", "middle", steps, run_before=("CleanUp",)))
    layouts = _layouts(options)
    if any(
        each.target is not None for each in (layouts.values() if isinstance(layouts, Mapping) else layouts)
    ):
        steps = partial(change_layouts, layouts=layouts)
        added.append(Transformation("InputLayouts", "layout", steps, run_before=("Layout",)))
    if options.mo_extensions:
        from loomir.tools.model_optimizer.mo.bridge import LegacyExtensions

        legacy = LegacyExtensions.load(options.mo_extensions)
        theirs = disable & legacy.names
        added += legacy.steps(_command(options), theirs)
        disable -= theirs
        configured = legacy.replacements
    if options.transformations_config is not None:
        handlers = [each for extension in loaded() for each in extension.replacements]
        descriptions = read_descriptions(options.transformations_config)
        added += replacing(handlers, [each for each in descriptions if each.id not in configured])
    return plan(added, enable=options.enable, disable=sorted(disable), static_shape=options.static_shape)


def _inputs(options: ConvertOptions) -> tuple[InputOptions, tuple[str, ...] | None, Layouts]:
    """Errors: `bad-option`."""
    inputs = input_options(
        input=options.input,
        input_shape=options.input_shape,
        freeze=options.freeze,
        batch=None if options.batch is None else str(options.batch),
    )
    outputs = None if options.output is None else parse_outputs(options.output)
    return inputs, outputs, _layouts(options)


def _layouts(options: ConvertOptions) -> Layouts:
    return () if options.layout is None else parse_layouts(options.layout)


def _normalisation(options: ConvertOptions) -> PreprocessingOptions | None:
    """How inputs are normalised, if they are. Errors: `bad-option`."""
    mean, scale = options.mean_values, options.scale_values
    if mean is None and scale is None and options.scale is None and not options.reverse_input_channels:
        return None
    return PreprocessingOptions(
        means=() if mean is None else parse_values("mean-values", mean),
        scales=() if scale is None else parse_values("scale-values", scale),
        scale=None if options.scale is None else parse_scale(str(options.scale)),
        reverse_channels=options.reverse_input_channels,
        layouts=_layouts(options),
    )


def _command(options: ConvertOptions) -> Namespace:
    """Return the command-line arguments that old-style extensions read.

    The names are the Model Optimizer's.
    """
    return Namespace(
        framework="onnx",
        data_type="float",
        static_shape=options.static_shape,
        transformations_config=options.transformations_config,
        input=options.input,
        output=options.output,
        batch=options.batch,
        layout=options.layout,
        reverse_input_channels=options.reverse_input_channels,
        counts=None,
        remove_output_softmax=False,
        remove_memory=False,
        layout_values={},
        auto_disable_nhwc_to_nchw=False,
        compress_to_fp16=False,
        silent=True,
    )


@boundary
@taking(ConvertOptions)
def convert(model: Source, options: ConvertOptions) -> Model:
    """Run the phases of the Model Optimizer on a model.

    The model is any source that `load` takes. The result is not optimised further.

    The options are the fields of `ConvertOptions`, each by its name. Errors: those of the importer, of extensions, of
    transformations (whose id is in the notes), `transformation-broke-ir`.
    """
    model = model_source(model)
    source = printable(str(model)) if isinstance(model, Path) else None
    with _knowing(options):
        steps = planned(options)  # whose errors are not the model's
        try:
            module = _converted(model, options, steps)
            return Model(module, source=source, options=options)
        except Error as error:
            error.at(file=source)
            raise


def _knowing(options: ConvertOptions) -> AbstractContextManager[None]:
    """Activate the definitions of old-style extensions for this conversion."""
    if not options.mo_extensions:
        return nullcontext()
    from loomir.tools.model_optimizer.mo.bridge.operations import known_by_classes

    return known_by_classes()


def _converted(model: Any, options: ConvertOptions, chosen: PhasePlan) -> ModuleOp:
    steps = chosen.phases
    context = make_context()
    module = load_unconverted(model, external_data_root=options.external_data_root)
    apply_input_options(module, *_inputs(options))
    if is_front(module):
        run_phase(module, steps["front"], context)
        convert_front(module, semantics=options.semantics, layers=True)
    run_passes(module, chosen.inference, context=context)
    for phase in ("middle", "layout", "back"):
        run_phase(module, steps[phase], context)
    verify_stage(module, "graph")
    return module
