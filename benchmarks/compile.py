"""How long loomir takes from a model to C, for 100, 1,000 and 5,000 operators and nests 50, 100 and 200 deep.

    python benchmarks/compile.py [--operators 100,1000,5000] [--depth 50,100,200] [--kind mixed|chain|loops|branches]
                                 [--passes 8] [--graph] [--profile] [--beside TREE [--rounds 3]]

Models of two kinds by their number of operators: `mixed` repeats a block of products, convolutions, normalisation,
shape arithmetic, a loop and a branch; `chain` is one elementwise operation behind the other. Two by their depth:
`loops` within loops and `branches` within branches. With --graph only the passes after import are timed.

Prints the CPU seconds of each stage, of the slowest passes, and how they grow: a figure of 2 in the column "growth"
means that an operator (a level of nesting) costs twice as much in the largest model as in the smallest. Also measures `loomir --help`.
With --beside another tree of the repository is measured in the same run, and the ratio is printed (`beside.py`).
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import pstats
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
from beside import compare, print_figures
from nests import NESTS
from onnx import helper
from programs import BOOL, FLOAT, INT64, _body, _constant, _model, _node, _value
from rich.console import Console
from rich.table import Table

import loomir

WIDTH = 16


def chain(operators: int) -> onnx.ModelProto:
    """One elementwise operation behind the other."""
    kinds = ["Relu", "Neg", "Abs", "Tanh"]
    nodes = [_node(kinds[i % len(kinds)], f"t{i}", f"t{i + 1}") for i in range(operators)]
    nodes[-1].output[0] = "out"
    shape = (8, WIDTH)
    return _model("chain", nodes, [_value("t0", FLOAT, shape)], [_value("out", FLOAT, shape)])


def mixed(operators: int) -> onnx.ModelProto:
    """Blocks of 20 operators each, a loop and a branch among them; every block adds to what came in."""
    nodes: list[onnx.NodeProto] = []
    random = np.random.default_rng(0)
    constants = [
        _constant("true", True, np.bool_),
        _constant("three", 3, np.int64),
        _constant("one", 1, np.int64),
        _constant("nothing", 0.0),
        _constant("image", [1, 4, 8, 4], np.int64),
        _constant("last", [-1], np.int64),
    ]
    count, value = 0, "x0"
    while count < operators:
        b = f"b{len(nodes)}"
        constants += [
            _constant(f"{b}_w", random.normal(size=(WIDTH, WIDTH)) / WIDTH),
            _constant(f"{b}_b", random.normal(size=WIDTH)),
            _constant(f"{b}_k", random.normal(size=(4, 4, 3, 3)) / 36),
        ]
        inside = _body(
            f"{b}_body",
            [
                _node("Mul", f"{b}_s {b}_b", f"{b}_m"),
                _node("Tanh", f"{b}_m", f"{b}_next"),
                _node("Identity", f"{b}_c", f"{b}_go"),
            ],
            [_value(f"{b}_i", INT64, ()), _value(f"{b}_c", BOOL, ()), _value(f"{b}_s", FLOAT, (8, WIDTH))],
            [_value(f"{b}_go", BOOL, ()), _value(f"{b}_next", FLOAT, (8, WIDTH))],
        )
        out = _value(f"{b}_out", FLOAT, (8, WIDTH))
        then = _body(f"{b}_then", [_node("Relu", f"{b}_l", f"{b}_out")], [], [out])
        other = _body(f"{b}_else", [_node("Neg", f"{b}_l", f"{b}_out")], [], [out])
        new = [
            _node("MatMul", f"{value} {b}_w", f"{b}_0"),
            _node("Add", f"{b}_0 {b}_b", f"{b}_1"),
            _node("Relu", f"{b}_1", f"{b}_2"),
            _node("Shape", f"{b}_2", f"{b}_shape"),
            _node("Reshape", f"{b}_2 image", f"{b}_3"),
            _node("Conv", f"{b}_3 {b}_k", f"{b}_4", pads=[1, 1, 1, 1]),
            _node("Reshape", f"{b}_4 {b}_shape", f"{b}_5"),
            _node("Softmax", f"{b}_5", f"{b}_6", axis=-1),
            _node("Transpose", f"{b}_6", f"{b}_7", perm=[1, 0]),
            _node("Transpose", f"{b}_7", f"{b}_8", perm=[1, 0]),
            _node("Sigmoid", f"{b}_8", f"{b}_9"),
            _node("Loop", f"three true {b}_9", f"{b}_l", body=inside),
            _node("ReduceSum", f"{b}_l", f"{b}_sum", keepdims=0),
            _node("Greater", f"{b}_sum nothing", f"{b}_positive"),
            _node("If", f"{b}_positive", f"{b}_if", then_branch=then, else_branch=other),
            _node("Add", f"{b}_if {value}", f"{b}_y"),
        ]
        # Four more are in the loop and the branches.
        nodes, count, value = nodes + new, count + 20, f"{b}_y"
    shape = (8, WIDTH)
    nodes.append(helper.make_node("Identity", [value], ["out"]))
    return _model("mixed", nodes, [_value("x0", FLOAT, shape)], [_value("out", FLOAT, shape)], constants)


FLAT: dict[str, Callable[[int], onnx.ModelProto]] = {"mixed": mixed, "chain": chain}


def to_graph(model: onnx.ModelProto | Path) -> tuple[dict[str, float], dict[str, float], int]:
    """CPU seconds of the import, of the passes on GRAPH and of each; no line of C."""
    start = time.process_time()
    loaded = loomir.load(model)
    seconds = time.process_time() - start
    passes: dict[str, float] = defaultdict(float)
    for record in loaded.history.records:
        passes[record.name] += record.seconds
    inside = sum(passes.values())
    return {"import": seconds - inside, "passes on GRAPH": inside}, passes, 0


def to_c(model: onnx.ModelProto | Path) -> tuple[dict[str, float], dict[str, float], int]:
    """CPU seconds per stage and per pass from the model to its C, and lines of C."""
    stages: dict[str, float] = {}
    start = time.process_time()

    def lap(name: str) -> None:
        nonlocal start
        now = time.process_time()
        stages[name] = now - start
        start = now

    loaded = loomir.load(model)
    lap("load (GRAPH)")
    loaded.lowered("structured")
    lap("to STRUCTURED")
    loaded.lowered("loops")
    lap("to LOOPS")
    with tempfile.TemporaryDirectory() as folder:
        loaded.emit_c(folder, "model")
        lap("to C")
        lines = (Path(folder) / "model.c").read_text(encoding="utf-8").count("\n")
    passes: dict[str, float] = defaultdict(float)
    for record in loaded.history.records:
        passes[record.name] += record.seconds
    return stages, passes, lines


def _numbers(parser: argparse.ArgumentParser, option: str, words: str) -> list[int]:
    try:
        return [int(word) for word in words.split(",")]
    except ValueError:
        parser.error(f"{option}: '{words}' is no list of numbers, such as 100,200")


def seconds_of_help() -> float:
    """The shortest of three runs of `loomir --help`."""
    command = [sys.executable, "-m", "loomir.tools.loomir_main", "--help"]
    times: list[float] = []
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--operators", default="100,1000,5000", help="sizes of the models (default: %(default)s)"
    )
    parser.add_argument("--depth", default="50,100,200", help="depths of nests (default: %(default)s)")
    parser.add_argument("--graph", action="store_true", help="the passes after import, no more")
    parser.add_argument("--kind", choices=FLAT | NESTS, action="append", help="which models (default: all)")
    parser.add_argument(
        "--passes", type=int, default=8, help="how many passes to show (default: %(default)s)"
    )
    parser.add_argument("--profile", action="store_true", help="print the functions that take the longest")
    parser.add_argument(
        "--beside", type=Path, metavar="TREE", help="another tree, measured in turns with this one"
    )
    parser.add_argument(
        "--rounds", type=int, default=3, help="how often each is measured (default: %(default)s)"
    )
    parser.add_argument("--figures", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.beside is not None:
        compare(options.beside, _measurements(options, parser), options.rounds, options.passes)
        return
    measured = to_graph if options.graph else to_c
    # What every size needs once: imports, and the definitions of the dialects.
    measured(mixed(20))
    measured(chain(10))
    # The parser of MLIR text takes some 20 frames for a level.
    sys.setrecursionlimit(20_000)
    with tempfile.TemporaryDirectory() as folder:
        _measure(options, parser, measured, folder)
    if not options.figures:
        print(f"loomir --help: {seconds_of_help():.2f} s")


def _sizes(options: argparse.Namespace, parser: argparse.ArgumentParser, kind: str) -> list[int]:
    """How large the models of a kind shall be: numbers of operators, or depths."""
    if kind in NESTS:
        return _numbers(parser, "--depth", options.depth)
    return _numbers(parser, "--operators", options.operators)


def _measurements(options: argparse.Namespace, parser: argparse.ArgumentParser) -> dict[str, list[str]]:
    """Title and arguments of each measurement that the options ask for."""
    found: dict[str, list[str]] = {}
    for kind in options.kind or FLAT | NESTS:
        option = "--depth" if kind in NESTS else "--operators"
        for size in _sizes(options, parser, kind):
            arguments = ["--kind", kind, option, str(size)]
            found[f"{kind}, {size:,}"] = [*arguments, "--graph"] if options.graph else arguments
    return found


def _measure(
    options: argparse.Namespace,
    parser: argparse.ArgumentParser,
    measured: Callable[[onnx.ModelProto | Path], tuple[dict[str, float], dict[str, float], int]],
    folder: str,
) -> None:
    """A table for each kind; `folder` is for texts."""
    for kind in options.kind or FLAT | NESTS:
        by_depth = kind in NESTS
        sizes = _sizes(options, parser, kind)
        results = []
        for size in sizes:
            model: onnx.ModelProto | Path = Path(folder) / f"{kind}.mlir"
            if by_depth:
                model.write_text(NESTS[kind](size))
            else:
                model = FLAT[kind](size)
            # No model pays for what the one before it left.
            gc.collect()
            profile = cProfile.Profile() if options.profile else None
            if profile is not None:
                profile.enable()
            results.append(measured(model))
            if profile is not None:
                profile.disable()
                pstats.Stats(profile).sort_stats("tottime").print_stats(25)
        if options.figures:
            print_figures(*results[0][:2])
            continue
        table = Table(
            "",
            *(f"{size:,}" for size in sizes),
            "growth",
            title=f"{kind}: CPU seconds by {'depth' if by_depth else 'operators'}",
        )

        def row(name: str, seconds: list[float], table: Table = table, sizes: list[int] = sizes) -> None:
            growth = seconds[-1] / sizes[-1] / (seconds[0] / sizes[0]) if seconds[0] else 0.0
            table.add_row(name, *(f"{s:.2f}" for s in seconds), f"{growth:.2f}")

        for stage in results[0][0]:
            row(stage, [stages[stage] for stages, _, _ in results])
        row("[bold]all[/]", [sum(stages.values()) for stages, _, _ in results])
        table.add_section()
        slowest = sorted(results[-1][1], key=lambda name: -results[-1][1][name])
        for name in slowest[: options.passes]:
            row(name, [passes.get(name, 0.0) for _, passes, _ in results])
        table.add_section()
        table.add_row("lines of C", *(f"{lines:,}" for _, _, lines in results), "")
        Console().print(table)


if __name__ == "__main__":
    main()
