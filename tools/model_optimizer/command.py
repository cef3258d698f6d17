"""`loomir convert`: a model through the phases of the Model Optimizer."""

from __future__ import annotations

import argparse
from pathlib import Path

from loomir.compiler.option_names import ENGINES
from loomir.tools.arguments import (
    add_extension_argument,
    add_external_data_argument,
    add_save_arguments,
    add_traceback_argument,
    save_ir,
)

_INPUTS = (
    ("input", "NAMES", "where the model begins: 'data,0:conv[1,64,?,?],training->False'"),
    ("output", "NAMES", "where it ends: 'pool,split:1'"),
    ("input-shape", "SHAPES", "shapes of the inputs in their order: '[1,3,224,224],[1,10]'"),
    ("freeze", "NAME->VALUE", "inputs that become constants: 'training->False'"),
    ("batch", "N", "the batch size of all inputs"),
    ("layout", "LAYOUTS", "the order of the inputs' axes: 'x(nhwc),y(nc)'"),
    (
        "mean-values",
        "VALUES",
        "values to subtract from the channels of inputs: '[103.9,116.8,123.7]' or 'x[127.5]'",
    ),
    ("scale-values", "VALUES", "values to divide the channels by"),
    ("scale", "NUMBER", "one value to divide all channels of all inputs by"),
)
"""Options with a text, which the Model Optimizer calls the same (docs/cutting.md)."""


def add_convert_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The command and its options."""
    parser = commands.add_parser(
        "convert", help="run a model through phases of transformations, which extensions can add to"
    )
    parser.add_argument("model", type=Path, help=".onnx, .onnxtxt, .xml (with its .bin beside it) or .mlir")
    add_extension_argument(parser)
    add_traceback_argument(parser)
    add_external_data_argument(parser)
    parser.add_argument(
        "--mo-extensions",
        action="append",
        default=[],
        metavar="FOLDER",
        help="extensions written for the Model Optimizer (front/, ops/, middle/, back/)",
    )
    for name, form, what in _INPUTS:
        parser.add_argument(f"--{name}", metavar=form, help=what)
    parser.add_argument(
        "--reverse-input-channels", action="store_true", help="reverse the order of the channels of inputs"
    )
    parser.add_argument(
        "--enable",
        action="append",
        default=[],
        metavar="ID",
        help="run a transformation that is off by default",
    )
    parser.add_argument(
        "--disable", action="append", default=[], metavar="ID", help="do not run a transformation"
    )
    parser.add_argument(
        "--transformations-config",
        type=Path,
        metavar="FILE.json",
        help="replace the sub-graphs that this file describes, with handlers of extensions",
    )
    parser.add_argument(
        "--static-shape",
        action="store_true",
        help="fold values computed from shapes: the model cannot be reshaped afterwards",
    )
    parser.add_argument(
        "--print-pipeline",
        action="store_true",
        help="print the transformations of each phase and do nothing else",
    )
    parser.add_argument(
        "--stage",
        choices=("graph", "structured", "loops"),
        default="graph",
        help="stage to print (default: graph)",
    )
    parser.add_argument(
        "--run", choices=ENGINES, metavar="ENGINE", help="run it with random inputs, and print the outputs"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the random inputs")
    parser.add_argument(
        "--save", type=Path, metavar="FILE.xml", help="write OpenVINO IR: this file and the .bin beside it"
    )
    add_save_arguments(parser)
    parser.add_argument("-o", dest="folder", type=Path, metavar="FOLDER", help="emit C into this folder")
    parser.add_argument("--name", help="prefix of all C names; the model's name if absent")


def run_convert(options: argparse.Namespace) -> None:
    """Run the command. Errors: those of `convert`."""
    from loomir.tools.arguments import printed_warnings
    from loomir.tools.model_optimizer.convert.conversion import ConvertOptions, convert, planned

    given = {
        "extensions": options.extension,
        "mo_extensions": options.mo_extensions,
        **{name: getattr(options, name) for each, _, _ in _INPUTS if (name := each.replace("-", "_"))},
        "reverse_input_channels": options.reverse_input_channels,
        "enable": options.enable,
        "disable": options.disable,
        "transformations_config": options.transformations_config,
        "static_shape": options.static_shape,
        "external_data_root": options.external_data_root,
    }
    if options.print_pipeline:
        print(planned(ConvertOptions(**given)))
        return
    with printed_warnings("loomir"):
        model = convert(options.model, **given)
    if options.save is not None:
        save_ir(model, options.save, options)
    if options.folder is not None:
        code = model.optimized().emit_c(options.folder, options.name)
        print(f"{options.folder / code.name}.c, {options.folder / code.name}.h")
    if options.run is not None:
        from loomir.compiler.feeds.samples import random_feed
        from loomir.tools.printing import print_outputs

        model = model.optimized()
        print_outputs(model.run(random_feed(model, options.seed, set()), engine=options.run))
    if options.folder is None and options.run is None and options.save is None:
        print(model.mlir(options.stage))
