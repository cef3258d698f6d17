"""Quantised networks on microcontrollers: what their C takes, with integers, on a Cortex-M4F, a Cortex-M3 and an RV32IMAC.

    python benchmarks/embedded.py [--models kws_int8,ad01_int8] [--forms ir,qdq,qlinear] [--floats]

The int8 networks of MLPerf Tiny as OpenVINO IR, and as ONNX in the two forms that `quantised_as_onnx.py` makes of it, lowered for
`generic` at `Os` for `-Os` and at `O2` for `-O2`. Flash is what a linked program has more than one without the network: code, constants,
and what it needs of the C library. The arena is RAM, and so is what the call takes of the stack; instructions are those of one run in
QEMU, which do not differ from run to run. The output's bits have to be those of the native engine. `--floats`: the same networks with
floats beside them. `microcontrollers.py` says what has to be installed.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from itertools import chain, product
from math import prod
from pathlib import Path

import numpy as np
import onnx
from microcontrollers import CORTEX_M3, CORTEX_M4F, RV32IMAC
from quantised_as_onnx import quantised_network
from real_models import MODELS
from runners import print_markdown, some_of

import loomir
from loomir.compiler.backends.c.emit import emit_c, write_c
from loomir.compiler.levels import Level
from loomir.compiler.model import Model

NETWORKS = ("kws_int8", "ad01_int8", "resnet8_int8", "vww_int8")
FORMS = ("ir", "qdq", "qlinear")
SECTIONS = ("-ffunction-sections", "-fdata-sections")
"""What of the C library is not needed is left out."""
NOTHING = "int model_run(const void *input, void *output, void *arena) { return input == output && arena == output; }\n"
"""A network that computes nothing, with which what a program takes without one is measured."""


PROCESSORS = (CORTEX_M4F, CORTEX_M3, RV32IMAC)


def network(name: str, level: Level, *, floats: bool, form: str = "ir", machine: str = "generic") -> Model:
    """One of the networks, for one example at a time."""
    (file,) = [model.file for model in MODELS if model.name == name]
    if form != "ir":
        made = quantised_network(file, form)  # pyright: ignore[reportArgumentType]
        return loomir.load(made, level=level, machine=machine, integers=not floats)
    shapes = {
        info.name: [extent or 1 for extent in info.shape or ()]
        for info in loomir.load(file, optimize=False).inputs
    }
    return loomir.load(file, shapes=shapes, level=level, machine=machine, integers=not floats)


def generated(shape: Sequence[int | None]) -> np.ndarray:
    """The input that `run.c` makes."""
    random, values = 1, list[int]()
    for _ in range(prod(extent or 1 for extent in shape)):
        random = (random * 1664525 + 1013904223) % (1 << 32)
        values.append(random >> 24)
    return np.array(values, np.uint8).view(np.int8).reshape([extent or 1 for extent in shape])


def checksum(output: np.ndarray) -> int:
    """What `run.c` makes of an output's bits."""
    bits = 2166136261
    for byte in output.tobytes():
        bits = ((bits ^ byte) * 16777619) % (1 << 32)
    return bits


def rows(
    names: Sequence[str], folder: Path, *, floats: bool, forms: Sequence[str] = ("ir",)
) -> Iterator[list[str]]:
    """A line of the table for each network, form, processor and level."""
    for name, form in product(names, forms):
        for with_floats in (True, False) if floats else (False,):
            for level, flag in (("Os", "-Os"), ("O2", "-O2")):
                model = network(name, level, floats=with_floats, form=form)  # pyright: ignore[reportArgumentType]
                (x,), (y,) = model.inputs, model.outputs
                counts = prod(x.shape or ()), prod(y.shape or ())
                (output,) = model.run({x.name: generated(x.shape or ())}, engine="native").values()
                for processor in PROCESSORS:
                    # (Floats keep the bits of the native engine where no machine has fused instructions.)
                    machine = "generic" if with_floats else processor.machine
                    made = network(name, level, floats=with_floats, form=form, machine=machine)  # pyright: ignore[reportArgumentType]
                    code = emit_c(made.lowered("loops"), "model")
                    place = folder / f"{name}{form}{flag}{with_floats}{processor.title}"
                    place.mkdir()
                    write_c(code, place)
                    (place / "nothing.c").write_text(NOTHING)
                    program, without = (
                        processor.linked(place / source, flag, *counts, element="int8_t", more=SECTIONS)
                        for source in ("model.c", "nothing.c")
                    )
                    run = processor.run(program)
                    if run.bits != checksum(output):
                        raise SystemExit(
                            f"{name}: the {processor.title} gives another output than the native engine"
                        )
                    yield [
                        f"{name}, {form}{', floats' if with_floats else ''}",
                        f"{processor.title} {flag}",
                        f"{processor.flash(program) - processor.flash(without):,}",
                        f"{processor.constants(program) - processor.constants(without):,}",
                        f"{code.arena_bytes:,}",
                        f"{run.stack:,}",
                        f"{run.instructions / 1e6:.2f} M",
                    ]


SHIM = """
int model_run(const void *given, void *found, void *arena)
{{
    (void)arena;
    {name}({arguments});
    return 0;
}}
"""
"""What is behind the C of emx-onnx-cgen, whose function takes the tensors as arrays."""

NO_HEAP = ("--large-temp-threshold", "0")
"""Tensors are on the stack: what is handed out by the C library is not counted."""

STATIC = "typedef char model_arena;\nint model_run(const void *input, void *output, void *arena);\n"


def rows_of_emx(
    names: Sequence[str], forms: Sequence[str], program: str, folder: Path
) -> Iterator[list[str]]:
    """The same of C by emx-onnx-cgen; in place of the arena all static memory, tensors are on the stack. Its bits are not compared."""
    for name, form in product(names, (form for form in forms if form != "ir")):
        (file,) = [model.file for model in MODELS if model.name == name]
        made = quantised_network(file, form)  # pyright: ignore[reportArgumentType]
        place = folder / f"{name}{form}emx"
        place.mkdir()
        onnx.save(made, place / "network.onnx")
        options = ("--model-name", "emx_network", "--large-weight-threshold", "1000000000", *NO_HEAP)
        command = [program, "compile", str(place / "network.onnx"), str(place / "model.c"), *options]
        if (done := subprocess.run(command, capture_output=True, text=True)).returncode:
            yield [f"{name}, {form}, emx-onnx-cgen", done.stderr.strip()[-80:], *["-"] * 5]
            continue
        (place / "model.h").write_text(STATIC)
        text = (place / "model.c").read_text()
        (place / "model.c").write_text(text + SHIM.format(name="emx_network", arguments="given, found"))
        (place / "nothing.c").write_text(NOTHING)
        counts = [
            prod(d.dim_value for d in v.type.tensor_type.shape.dim)
            for v in (*made.graph.input, *made.graph.output)
        ]
        for processor, flag in product((CORTEX_M4F,), ("-Os", "-O2")):
            linked, without = (
                processor.linked(place / source, flag, *counts, element="int8_t", more=SECTIONS)
                for source in ("model.c", "nothing.c")
            )
            run = processor.run(linked)
            yield [
                f"{name}, {form}, emx-onnx-cgen",
                f"{processor.title} {flag}",
                f"{processor.flash(linked) - processor.flash(without):,}",
                f"{processor.constants(linked) - processor.constants(without):,}",
                f"{processor.static(linked) - processor.static(without):,}",
                f"{run.stack:,}",
                f"{run.instructions / 1e6:.2f} M",
            ]


def main() -> None:
    parser = argparse.ArgumentParser(description="Quantised networks on microcontrollers.")
    for option, known in (("--models", NETWORKS), ("--forms", FORMS)):
        parser.add_argument(
            option, type=some_of(known), default=",".join(known), metavar="NAMES", help="some of %(default)s"
        )
    parser.add_argument("--emx", metavar="PROGRAM", help="emx-onnx-cgen, for its C beside ours")
    parser.add_argument("--floats", action="store_true", help="beside them with floats")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        names, forms = arguments.models, arguments.forms
        found = rows(names, Path(folder), floats=arguments.floats, forms=forms)
        if arguments.emx:
            found = chain(found, rows_of_emx(names, forms, arguments.emx, Path(folder)))
        print_markdown(
            "Quantised networks",
            [
                "network",
                "",
                "flash, bytes",
                "of it constants",
                "arena, bytes",
                "stack, bytes",
                "instructions",
            ],
            found,
        )


if __name__ == "__main__":
    main()
