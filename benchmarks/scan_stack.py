"""A stack of selective-scan blocks, each an ONNX Loop over the steps: loomir against ONNX Runtime, one thread each.

    python benchmarks/scan_stack.py [--blocks 30] [--channels 128] [--states 16] [--steps 64] [--machine native] [--repeat 15] [--cpu-time]

A block is Mamba's (Gu and Dao, 2023, algorithm 2) without convolution, gate and expansion, as exporters write it where ONNX has no
operator for the scan. The root-mean-square norm of the input is projected to Δ (by way of a sixteenth of the channels), B and C. The Loop
gathers their rows by its counter: h = exp(Δ · A) ∘ h + (Δ · u) · B, y = h · C. Then the skip D ∘ u and the residual are added. Both run in
turn, after their results are compared. loomir's C is called by a pointer, ONNX Runtime from Python.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
import onnx
from programs import BOOL, FLOAT, INT64, Program, _body, _constant, _model, _node, _value
from runners import (
    Build,
    Loomir,
    OnnxRuntime,
    add_build_arguments,
    build_of,
    check,
    clock_of,
    print_markdown,
    shape_of,
)

import loomir
from loomir.compiler.formats.c.emit import emit_c
from loomir.tools.compare.measuring import median_seconds


def _block(k: int, states: int, channels: int) -> list[onnx.NodeProto]:
    """Block `k`, from `x<k>` to `x<k + 1>`; its weights have the names of `_weights`."""
    body = _body(
        f"scan{k}",
        [
            *(_node("Gather", f"{name}{k} i", name, axis=0) for name in ("delta", "B", "C")),
            _node("Gather", f"u{k} i", "u", axis=0),
            _node("Unsqueeze", "delta last", "column"),
            _node("Mul", f"column A{k}", "exponent"),
            _node("Exp", "exponent", "decay"),
            _node("Mul", "delta u", "du"),
            _node("Unsqueeze", "du last", "du_column"),
            _node("Mul", "du_column B", "put_in"),
            _node("Mul", "decay h", "kept"),
            _node("Add", "kept put_in", "h_next"),
            _node("Mul", "h_next C", "seen"),
            _node("ReduceSum", "seen last", "y", keepdims=0),
            _node("Identity", "cond", "go_on"),
        ],
        [_value("i", INT64, ()), _value("cond", BOOL, ()), _value("h", FLOAT, (channels, states))],
        [
            _value("go_on", BOOL, ()),
            _value("h_next", FLOAT, (channels, states)),
            _value("y", FLOAT, (channels,)),
        ],
    )
    return [
        _node("Mul", f"x{k} x{k}", f"squares{k}"),
        _node("ReduceMean", f"squares{k} last", f"mean{k}"),
        _node("Add", f"mean{k} epsilon", f"positive{k}"),
        _node("Sqrt", f"positive{k}", f"size{k}"),
        _node("Div", f"x{k} size{k}", f"unit{k}"),
        _node("Mul", f"unit{k} scale{k}", f"u{k}"),
        _node("MatMul", f"u{k} projection{k}", f"projected{k}"),
        _node("Split", f"projected{k} parts", f"narrow{k} B{k} C{k}", axis=-1),
        _node("MatMul", f"narrow{k} widening{k}", f"wide{k}"),
        _node("Add", f"wide{k} bias{k}", f"biased{k}"),
        _node("Softplus", f"biased{k}", f"delta{k}"),
        _node("Loop", "steps true start", f"h{k} y{k}", body=body),
        _node("Mul", f"u{k} D{k}", f"skipped{k}"),
        _node("Add", f"y{k} skipped{k}", f"z{k}"),
        _node("Add", f"z{k} x{k}", f"x{k + 1}"),
    ]


def _weights(
    random: np.random.Generator, k: int, states: int, channels: int, rank: int
) -> list[onnx.TensorProto]:
    """Random weights: Δ between 0.001 and 0.1, A as Mamba begins with."""
    width = rank + 2 * states
    shares = np.exp(random.uniform(np.log(1e-3), np.log(1e-1), size=channels))
    arrays = {
        "scale": random.uniform(0.5, 1.5, size=channels),
        "projection": random.normal(size=(channels, width)) * channels**-0.5,
        "widening": random.normal(size=(rank, channels)) * rank**-0.5 * 0.1,
        "bias": np.log(np.expm1(shares)),
        "A": -np.broadcast_to(np.arange(1.0, states + 1), (channels, states)),
        "D": random.normal(size=channels) * 0.1,
    }
    return [_constant(f"{name}{k}", array) for name, array in arrays.items()]


def scan_stack(blocks: int = 30, channels: int = 128, states: int = 16, steps: int = 64) -> Program:
    """The model and a feed."""
    random, rank = np.random.default_rng(10), max(channels // 16, 1)
    model = _model(
        "scan_stack",
        [node for k in range(blocks) for node in _block(k, states, channels)],
        [_value("x0", FLOAT, (steps, channels))],
        [_value(f"x{blocks}", FLOAT, (steps, channels))],
        [
            *(weight for k in range(blocks) for weight in _weights(random, k, states, channels, rank)),
            _constant("steps", steps, np.int64),
            _constant("true", True, np.bool_),
            _constant("start", np.zeros((channels, states))),
            _constant("last", [-1], np.int64),
            _constant("epsilon", 1e-5),
            _constant("parts", [rank, states, states], np.int64),
        ],
    )
    return Program("scan_stack", model, {"x0": random.normal(size=(steps, channels)).astype(np.float32)})


def measure(program: Program, build: Build, repeat: int, clock: str) -> dict[str, float]:
    """Seconds of each, after their results have been compared."""
    code = emit_c(
        loomir.load(program.model, machine=build.machine).lowered("loops"), "model", weights="pointer"
    )
    other = OnnxRuntime(program.model, program.feed, clock)
    shapes = {o.name: shape_of(program, o.name) for o in program.model.graph.output}
    with tempfile.TemporaryDirectory() as folder:
        ours = Loomir(code, program.feed, shapes, Path(folder), build, clock)
        ours.run()
        check("loomir", ours.outputs, other.outputs)
        return median_seconds({"loomir": ours.run, "ONNX Runtime": other.run}, repeat)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name, default in (("blocks", 30), ("channels", 128), ("states", 16), ("steps", 64), ("repeat", 15)):
        parser.add_argument(f"--{name}", type=int, default=default, metavar="N", help="default: %(default)s")
    parser.add_argument("--machine", default="native", help="what loomir's C is for (default: %(default)s)")
    add_build_arguments(parser)
    options = parser.parse_args()
    build, clock = build_of(options).for_machine(options.machine), clock_of(options)
    sizes = (options.blocks, options.channels, options.states, options.steps)
    seconds = measure(scan_stack(*sizes), build, options.repeat, clock)
    times = [f"{each * 1e3:.3f} ms" for each in seconds.values()]
    title = "{} blocks, {} channels, {} states, {} steps".format(*sizes)
    row = [title, *times, f"{seconds['ONNX Runtime'] / seconds['loomir']:.1f} ×"]
    print_markdown(f"{build.version}, {' '.join(build.flags)}", ["stack", *seconds, "ratio"], [row])


if __name__ == "__main__":
    main()
