"""`loomir`: run, compile and inspect models from a shell."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loomir.compiler.levels import DEFAULT_LEVEL, leading_level
from loomir.compiler.option_names import ENGINES, ENGINES_RUN, MAX_BYTES, MAX_CAPACITY
from loomir.errors import Error, only_errors
from loomir.tools.progress import progress

if TYPE_CHECKING:
    import numpy as np

    from loomir.compiler.model import Model


def build_parser() -> argparse.ArgumentParser:
    """Return the parser: options of loading, options on one model, and commands."""
    from loomir import __version__
    from loomir.tools.arguments import (
        add_check_arguments,
        add_export_parser,
        add_extension_argument,
        add_external_data_argument,
        add_integers_argument,
        add_io_argument,
        add_level_argument,
        add_machine_argument,
        add_rounding_argument,
        add_semantics_argument,
        add_traceback_argument,
    )
    from loomir.tools.inspecting import add_inspect_parser
    from loomir.tools.observing import add_observing_arguments
    from loomir.tools.remarks import add_remarks_argument

    loading = argparse.ArgumentParser(add_help=False)
    loading.add_argument(
        "--shape", action="append", default=[], metavar="INPUT=N,N,…", help="fix an input's shape"
    )
    loading.add_argument(
        "--max-shape",
        action="append",
        default=[],
        metavar="INPUT=N,?,…",
        help="bound extents that stay dynamic",
    )
    loading.add_argument(
        "--value", action="append", default=[], metavar="INPUT=V", help="fix an input's value"
    )
    loading.add_argument(
        "--max-bytes",
        type=int,
        default=MAX_BYTES,
        metavar="N",
        help="limit on the bytes of a tensor, of all buffers together and of folded constants (default: 1 GiB)",
    )
    add_level_argument(
        loading,
        DEFAULT_LEVEL,
        "optimisation level: -O0 only what each stage needs, -O1 small and quick ones, -O2 all (default), -Os all that do not enlarge code",
    )
    loading.add_argument(
        "--verify-each", action="store_true", help="check after every pass that the program is valid IR"
    )
    add_extension_argument(loading)
    add_traceback_argument(loading)
    add_machine_argument(loading)
    add_integers_argument(loading)
    add_io_argument(loading)
    add_rounding_argument(loading)
    add_semantics_argument(loading)
    add_external_data_argument(loading)
    loading.add_argument(
        "--profile-use",
        action="append",
        type=Path,
        default=[],
        metavar="FILE.json",
        help="optimise for the runs of this profile (repeat for several; docs/profiling.md)",
    )

    common = argparse.ArgumentParser(add_help=False, parents=[loading])
    common.add_argument("model", type=Path, help=".onnx, .onnxtxt, .xml (with its .bin beside it) or .mlir")
    common.add_argument(
        "--pipeline",
        metavar="PASSES",
        help="GRAPH passes to run after the level's, such as 'ov-loop-unroll{max-trips=8}', or behind another level: 'O0,canonicalize'",
    )
    common.add_argument(
        "--print-pipeline",
        action="store_true",
        help="print the passes of each step with their options, as -p of loomir-opt takes them, and do nothing else",
    )
    add_remarks_argument(common, "summary")
    add_check_arguments(common)
    add_observing_arguments(common)

    parser = argparse.ArgumentParser(
        prog="loomir", description="Compile the control flow of neural networks."
    )
    parser.add_argument("--version", action="version", version=f"loomir {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)

    run = commands.add_parser("run", parents=[common], help="run a model and print or store its outputs")
    run.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="INPUT=FILE.npy",
        help="read an input from a numpy file; .npz for a sequence",
    )
    run.add_argument("--seed", type=int, default=0, help="seed of the random values of inputs without a file")
    run.add_argument(
        "--engine",
        choices=ENGINES,
        help="; ".join(f"{name}: {what}" for name, what in ENGINES_RUN.items())
        + " (default: native; for text below GRAPH the Python engine of its stage)",
    )
    run.add_argument(
        "--max-capacity",
        type=int,
        default=MAX_CAPACITY,
        metavar="N",
        help="largest extent to which unbounded tensors may grow (default: 1048576)",
    )
    run.add_argument(
        "--no-specialise",
        dest="specialise",
        action="store_false",
        help="refuse programs whose axes, lengths or ranks depend on the values of inputs",
    )
    run.add_argument(
        "--output", type=Path, metavar="FILE.npz", help="store the outputs instead of printing them"
    )
    run.add_argument(
        "--max-iterations",
        type=int,
        metavar="N",
        help="stop after this many loop iterations (native: iterations of one loop)",
    )

    run.add_argument(
        "--profile",
        nargs="?",
        const="",
        metavar="FILE.json",
        help="count trips, branches, operations, bytes and time per layer, and store them (docs/profiling.md)",
    )
    run.add_argument(
        "--break",
        dest="breaks",
        action="append",
        default=[],
        metavar="LAYER",
        help="show inputs and outputs of a layer each time that it runs; on a terminal, stop there",
    )
    run.add_argument(
        "--trace",
        action="append",
        default=[],
        metavar="VALUE",
        help="print a value (of a layer, a tensor, or %%name) each time that it is computed",
    )
    run.add_argument(
        "--trace-output", type=Path, metavar="FILE.npz", help="store the arrays of the traced values"
    )

    capacity = "largest extent of unbounded tensors, such as the output of a while loop"
    emit = commands.add_parser("compile", parents=[common], help="emit C")
    emit.add_argument("-o", "--output", type=Path, default=Path("build"), metavar="FOLDER")
    emit.add_argument("--capacity", type=int, metavar="N", help=capacity)
    emit.add_argument(
        "--max-trips",
        type=int,
        metavar="N",
        help="end a loop of more iterations with ..._ERROR_LIMIT; without it, iterations are not counted",
    )
    emit.add_argument("--name", help="prefix of all C names; the model's name if absent")

    add_inspect_parser(commands, [common])
    add_export_parser(commands, [common])
    if find_spec("loomir.tools.compare"):
        from loomir.tools.compare.command import add_compare_parser

        add_compare_parser(commands, loading)
    if find_spec("loomir.tools.explain"):
        from loomir.tools.explain.command import add_explain_parser

        add_explain_parser(commands, [common])
    if find_spec("loomir.tools.model_optimizer"):
        from loomir.tools.model_optimizer.command import add_convert_parser

        add_convert_parser(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; user errors are printed and exit with 1."""
    from loomir.tools.remarks import printed_remarks, with_default_format

    given = sys.argv[1:] if arguments is None else arguments
    options = build_parser().parse_args(with_default_format(given, "summary"))
    try:
        with only_errors(), printed_remarks(options, str(getattr(options, "model", ""))):
            _command(options)
    except Error as error:
        from loomir.tools.arguments import print_error

        print_error("loomir", error, traceback=options.traceback)
        raise SystemExit(1) from None
    except KeyboardInterrupt:
        from loomir.tools.arguments import interrupted

        interrupted("loomir")


def _command(options: argparse.Namespace) -> None:
    if options.command != "convert":
        from loomir.tools.arguments import load_extensions

        load_extensions("loomir", options.extension)
    if getattr(options, "pipeline", None):
        options.level, options.pipeline = leading_level(options.pipeline, options.level)
    try:
        if getattr(options, "print_pipeline", False) and options.command != "convert":
            _print_pipeline(options)
            return
        commands = {
            "run": _run,
            "compile": _compile,
            "inspect": _inspect,
            "export": _export,
            "convert": _convert,
            "compare": _compare,
            "explain": _explain,
        }
        with _observed(options):
            commands[options.command](options)
        if _checks(options):
            print(f"loomir: {options.checks.counts}", file=sys.stderr)
    except BrokenPipeError:
        from loomir.tools.arguments import leave_quietly

        leave_quietly()


@contextmanager
def _observed(options: argparse.Namespace) -> Iterator[None]:
    """Observe the passes of a command as its options request."""
    if not hasattr(options, "timing"):
        # It is a command without them.
        yield
        return
    from loomir.compiler.pipeline import instrumenting
    from loomir.tools.observing import Observation

    options.observation = observation = Observation(options)
    try:
        with instrumenting(observation.around([])):
            yield
    finally:
        observation.report()


def _checks(options: argparse.Namespace) -> bool:
    return getattr(options, "check_each_pass", False) or getattr(options, "bisect", False)


def _print_pipeline(options: argparse.Namespace) -> None:
    """Print the passes of each step.

    The passes of `--pipeline` follow those of the level for GRAPH.
    """
    from loomir.compiler.levels import checked_level
    from loomir.compiler.pass_options import for_machine, limited, with_integers
    from loomir.compiler.pipeline import LevelPipelines, pass_instances, pipeline_text
    from loomir.passes.analysis.machines import machine_of

    machine = machine_of(options.machine or "generic").name
    steps = dict(LevelPipelines(checked_level(options.level)))
    if options.integers or options.io != "float" or options.rounding != "exact":
        steps["graph"] = tuple(with_integers(steps["graph"], options.io, options.rounding))
    if options.pipeline:
        steps["graph"] = (*steps["graph"], *pass_instances(options.pipeline))
    for step, passes in steps.items():
        given = limited(
            for_machine(passes, machine),
            capacity=getattr(options, "capacity", None),
            max_bytes=options.max_bytes if step == "graph" else None,
        )
        print(f"{step}: {pipeline_text(given)}")


def _load(options: argparse.Namespace, given: Mapping[str, np.ndarray] | None = None) -> Model:
    import loomir
    from loomir.compiler.checking.agreement import is_real
    from loomir.tools.arguments import check_options, load_arguments, printed_warnings

    options.checks = check_options(options, given)
    with (
        printed_warnings("loomir"),
        options.observation.phase("load"),
        progress(f"loading {options.model.name}"),
    ):
        model = loomir.load(
            options.model,
            **load_arguments(options),
            max_iterations=getattr(options, "max_iterations", None),
            max_capacity=getattr(options, "max_capacity", MAX_CAPACITY),
            specialise=getattr(options, "specialise", True),
            check_each_pass=options.checks if _checks(options) else False,
            count_operations=getattr(options, "passes", False),
        )
    if options.io != "float":
        for what, infos in (("input", model.inputs), ("output", model.outputs)):
            for info in infos:
                if is_real(info.dtype):
                    text = f"{what} {info} stays float: the network does not quantise it (--remarks says why)"
                    print(f"loomir: note: {text}", file=sys.stderr)
    if not options.pipeline:
        return model
    with progress("optimising"):
        return model.optimize(options.pipeline)


def _run(options: argparse.Namespace) -> None:
    from loomir.compiler.files import save_arrays
    from loomir.dialects.element_types import storable
    from loomir.tools.printing import arrays_of, print_outputs

    if options.trace_output is not None and not options.trace:
        raise Error("bad-option", "--trace-output needs values to store", hint="--trace VALUE")
    given = _given_inputs(options)
    model = _load(options, given)
    feed = _feed(model, options, given)
    with options.observation.phase("run"), progress("compiling and running"):
        if options.profile is not None or options.breaks or options.trace:
            from loomir.tools.profiling import observed

            outputs = observed(model, feed, options)
        else:
            outputs = model.run(feed, engine=options.engine)
    if options.output:
        save_arrays(options.output, {name: storable(array) for name, array in arrays_of(outputs)})
        return
    print_outputs(outputs)


def _given_inputs(options: argparse.Namespace) -> dict[str, Any]:
    from loomir.tools.arguments import named

    hint = "for example --input x=x.npy, or .npz for a sequence"
    paths = named(options.input, str, "INPUT=FILE.npy", hint, last=False)
    return {name: _stored(path) for name, path in paths.items()}


def _stored(path: str) -> Any:
    """Return the contents of a file: an array or a list.

    An archive produces a list of arrays. Error: `file-unreadable`.
    """
    import numpy as np

    try:
        value = np.load(path, allow_pickle=False)
        return value if isinstance(value, np.ndarray) else [value[key] for key in value.files]
    except Exception as error:  # Of numpy, zipfile, zlib …: whatever they find wrong with the file.
        shown = path.replace("\0", "\\0")
        raise Error("file-unreadable", f"cannot be read as a numpy array: {error}", file=shown) from error


def _feed(model: Model, options: argparse.Namespace, given: dict[str, Any]) -> dict[str, Any]:
    from loomir.compiler.feeds.samples import random_feed
    from loomir.tools.arguments import parse_values

    feed = random_feed(model, options.seed, {*given, *parse_values(options.value)})
    return {**feed, **given}


def _convert(options: argparse.Namespace) -> None:
    from loomir.tools.model_optimizer.command import run_convert

    run_convert(options)


def _compare(options: argparse.Namespace) -> None:
    from loomir.tools.compare.command import run_compare

    run_compare(options)


def _explain(options: argparse.Namespace) -> None:
    from loomir.tools.explain.command import run_explain

    run_explain(options, _load)


def _export(options: argparse.Namespace) -> None:
    from loomir.tools.arguments import save_ir

    save_ir(_load(options), options.output, options)


def _compile(options: argparse.Namespace) -> None:
    model = _load(options)
    with options.observation.phase("lower and emit C"), progress("compiling"):
        code = model.emit_c(
            options.output, options.name, capacity=options.capacity, max_trips=options.max_trips
        )
    # The name of the code: the model's, or the one given, as a C identifier.
    print(f"{options.output / code.name}.c, {options.output / code.name}.h")
    print(f"arena {code.arena_bytes} bytes, weights {code.weight_bytes} bytes, alignment {code.alignment}")


def _inspect(options: argparse.Namespace) -> None:
    from loomir.tools.inspecting import run_inspect

    run_inspect(options, _load)


if __name__ == "__main__":
    main()
