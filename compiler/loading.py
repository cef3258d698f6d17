"""`load`: a file becomes what users of the Python interface hold."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from loomir.compiler.extensions.loading import load_installed
from loomir.compiler.feeds.fixing import set_bounds
from loomir.compiler.files import printable
from loomir.compiler.frontends import load_module
from loomir.compiler.levels import UNOPTIMIZED_GRAPH
from loomir.compiler.lowered_model import load_lowered
from loomir.compiler.mlir.text_stages import stage_of
from loomir.compiler.model import Model
from loomir.compiler.option_values import check_source
from loomir.compiler.options import LoadOptions, taking
from loomir.compiler.pipeline import limited, run_passes
from loomir.compiler.rare_collections import with_rare_collections
from loomir.compiler.stages.verify import verify_stage
from loomir.errors import Error, boundary

if TYPE_CHECKING:
    import onnx


@boundary
@with_rare_collections
@taking(LoadOptions)
def load(model: str | bytes | os.PathLike[Any] | onnx.ModelProto, options: LoadOptions) -> Model:
    """Load a model: `.onnx`, `.onnxtxt`, `.xml`, `.mlir` or an `onnx.ModelProto`.

    A file is given by its path.

    The options are the fields of `LoadOptions` (compiler/options.py), each by its name:
    `load("model.onnx", shapes={"x": [1, 3]})`.
    Errors: those of `LoadOptions`, of the importer and of the passes.
    """
    check_source(model)
    load_installed()
    source = printable(os.fsdecode(model)) if isinstance(model, str | bytes | os.PathLike) else None
    try:
        module = load_module(
            model,
            shapes=options.shapes,
            values=options.values,
            semantics=options.semantics,
            external_data_root=options.external_data_root,
        )
        if (stage := stage_of(module)) != "graph":
            return load_lowered(module, stage, source, options)
        set_bounds(module, options.max_shapes or {})
        result = Model(module, source=source, options=options)
        passes = options.pipelines["graph"] if options.optimize else UNOPTIMIZED_GRAPH
        run_passes(
            module,
            limited(passes, max_bytes=options.max_bytes),
            history=result.history,
            **result.checks(),
        )
        verify_stage(module, "graph")
    except Error as error:
        error.at(file=source)
        raise
    return result
