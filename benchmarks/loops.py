"""How fast loops run: loomir's C, ONNX Runtime, OpenVINO and C written by hand, one thread each.

    python benchmarks/loops.py [NAME …] [--repeat 15] [--machine native] [--compiler gcc] [--flags='-O2 …'] [--cpu-time]
                               [--markdown]

Every program of `programs.py` and `recurrent.py` is run by all four, one run after the other in turn, and the medians are
compared. loomir's C and the C in `hand/` are compiled by the same compiler with the same flags (those of the
native engine unless `--flags` says otherwise) and called the same way, by a pointer to the function. Results
are checked to be equal before anything is measured. "spelled out" is ONNX Runtime with the program's LSTM or GRU as a
Scan of its products and activations.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import onnx
from programs import PROGRAMS, Program
from recurrent import RECURRENT
from rich.console import Console
from rich.table import Table
from runners import (
    Build,
    Hand,
    Loomir,
    OnnxRuntime,
    OpenVino,
    Runner,
    add_build_arguments,
    build_of,
    cell_of_ratio,
    check,
    clock_of,
    print_markdown,
    shape_of,
)

import loomir
from loomir.compiler.files import write_arrays
from loomir.compiler.formats.c.emit import emit_c
from loomir.tools.compare.measuring import median_seconds

COLUMNS = ("loomir", "hand-written C", "ONNX Runtime", "ONNX Runtime, spelled out", "OpenVINO")


ALL = PROGRAMS | RECURRENT


def run_program(program: Program, build: Build, repeat: int, clock: str) -> dict[str, float]:
    """Seconds per runner, `nan` where it can't run the program."""
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        reference = OnnxRuntime(program.model, program.feed, clock)
        module = loomir.load(program.model, machine=build.machine).lowered("loops")
        code = emit_c(module, "model", weights="pointer")
        shapes = {o.name: shape_of(program, o.name) for o in program.model.graph.output}
        ours = Loomir(code, program.feed, shapes, folder, build, clock)
        hand = Hand(program, folder, build, clock)
        others: dict[str, Runner] = {"ONNX Runtime": reference.run}
        for each in (ours, hand):
            each.run()
            check(f"{program.name}, {type(each).__name__}", each.outputs, reference.outputs)
        if program.spelled is not None:
            spelled = OnnxRuntime(program.spelled, program.feed, clock)
            check(f"{program.name}, spelled out", spelled.outputs, reference.outputs)
            others["ONNX Runtime, spelled out"] = spelled.run
        openvino = None
        onnx.save(program.model, folder / "model.onnx")
        write_arrays(folder / "feed.npz", program.feed)
        try:
            openvino = OpenVino(folder, clock)
        except RuntimeError as error:
            print(f"{program.name}: {error}", file=sys.stderr)
        if openvino is not None:
            check(f"{program.name}, OpenVINO", openvino.outputs, reference.outputs)
            others["OpenVINO"] = openvino.run
        result = median_seconds({"loomir": ours.run, "hand-written C": hand.run, **others}, repeat)
        if openvino is not None:
            openvino.close()
        return {**dict.fromkeys(COLUMNS, float("nan")), **result}


def rows(name: str, seconds: Mapping[str, float]) -> list[str]:
    """A line of the table: loomir's time, and how many times longer the others take."""
    own = seconds["loomir"]
    return [name, f"{own * 1e3:.3f} ms", *(cell_of_ratio(seconds[c] / own) for c in COLUMNS[1:])]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(ALL)}; all by default")
    parser.add_argument("--repeat", type=int, default=15, help="turns (default: 15)")
    parser.add_argument(
        "--machine", default="generic", help="what the C by loomir and by hand is for (default: %(default)s)"
    )
    add_build_arguments(parser)
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    options = parser.parse_args()
    if unknown := set(options.names) - set(ALL):
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    build, clock = build_of(options).for_machine(options.machine), clock_of(options)
    title = f"{build.version}, {' '.join(build.flags)}; times of the others as multiples of loomir's"
    header = ["program", *COLUMNS]
    lines = (
        rows(name, run_program(ALL[name](), build, options.repeat, clock)) for name in options.names or ALL
    )
    if options.markdown:
        print_markdown(title, header, lines)
        return
    table = Table(*header, title=title)
    for line in lines:
        table.add_row(*line)
    Console().print(table)


if __name__ == "__main__":
    main()
