"""Quantised networks on microcontrollers: what the C of `ov-to-integer` takes on a Cortex-M4F and a Cortex-M3.

    python benchmarks/embedded.py [--models kws_int8,ad01_int8] [--floats]

The int8 networks of MLPerf Tiny as OpenVINO IR, lowered for `generic` at `Os` for `-Os` and at `O2` for `-O2`. Flash is what a linked
program has more than one without the network: code, constants, and what it needs of the C library. The arena is RAM; instructions are
those of one run in QEMU, which do not differ from run to run. The output's bits have to be those of the native engine. `--floats`: the
same networks without `ov-to-integer` beside them. Needs `arm-none-eabi-gcc` and `qemu-system-arm` (Debian: gcc-arm-none-eabi,
libnewlib-arm-none-eabi, qemu-system-arm).
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np
from real_models import MODELS
from runners import print_markdown

import loomir
from loomir.compiler.backends.c.emit import emit_c, write_c
from loomir.compiler.levels import Level
from loomir.compiler.model import Model

NETWORKS = ("kws_int8", "ad01_int8", "resnet8_int8", "vww_int8")
FLAGS = ("-std=c99", "-ffp-contract=off", "-ffunction-sections", "-fdata-sections")
LINKING = ("-nostartfiles", "--specs=nosys.specs", "-Wl,--gc-sections", "-lm")
HERE = Path(__file__).parent / "cortex_m"
CLEAN = "ov-fold-constants,canonicalize,cse"
PASSES = f"{CLEAN},{CLEAN}"
NOTHING = "int model_run(const void *input, void *output, void *arena) { return input == output && arena == output; }\n"
"""A network that computes nothing, with which what a program takes without one is measured."""


@dataclass(frozen=True)
class Processor:
    """A microcontroller that QEMU has: its flags and its board."""

    title: str
    flags: tuple[str, ...]
    board: str


PROCESSORS = (
    Processor(
        "Cortex-M4F", ("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"), "mps2-an386"
    ),
    Processor("Cortex-M3", ("-mcpu=cortex-m3", "-mthumb", "-mfloat-abi=soft"), "mps2-an385"),
)


def network(name: str, level: Level, *, floats: bool) -> Model:
    """One of the networks, for one example at a time."""
    (file,) = [model.file for model in MODELS if model.name == name]
    shapes = {
        info.name: [extent or 1 for extent in info.shape or ()]
        for info in loomir.load(file, optimize=False).inputs
    }
    integers = "" if floats else "ov-to-integer,"
    model = loomir.load(file, optimize=False, shapes=shapes, level=level, machine="generic")
    return model.optimize(f"ov-infer,{integers}{PASSES}")


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


def linked(folder: Path, source: Path, processor: Processor, level: str, model: Model) -> Path:
    """A program that runs the network once."""
    made = folder / f"{source.stem}{level}.elf"
    (x,), (y,) = model.inputs, model.outputs
    counts = (f"-DINPUTS={prod(x.shape or ())}", f"-DOUTPUTS={prod(y.shape or ())}", "-DELEMENT=int8_t")
    options = (*processor.flags, *FLAGS, level, *counts, f"-I{folder}")
    files = (str(HERE / "run.c"), str(source))
    command = ["arm-none-eabi-gcc", *options, *files, "-T", str(HERE / "run.ld"), *LINKING, "-o", str(made)]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return made


def flash(program: Path) -> int:
    """Bytes of code and constants."""
    listed = subprocess.run(
        ["arm-none-eabi-size", str(program)], check=True, capture_output=True, text=True
    ).stdout
    text, data, *_ = listed.splitlines()[-1].split()
    return int(text) + int(data)


def run(program: Path, processor: Processor) -> tuple[int, int]:
    """Instructions of one run, and the sum of the output's bits. RuntimeError where it does not end well."""
    command = ["qemu-system-arm", "-M", processor.board, "-nographic", "-icount", "shift=0", "-semihosting"]
    done = subprocess.run(
        [*command, "-kernel", str(program)], capture_output=True, text=True, timeout=600, check=True
    )
    answer = (done.stdout + done.stderr).split()
    if len(answer) != 3 or answer[0] != "0":
        raise RuntimeError(f"{program}: {done.stdout} {done.stderr}")
    return int(answer[1]), int(answer[2])


def rows(names: Sequence[str], folder: Path, *, floats: bool) -> Iterator[list[str]]:
    """A line of the table for each network, processor and level."""
    for name in names:
        for with_floats in (True, False) if floats else (False,):
            for level, flag in (("Os", "-Os"), ("O2", "-O2")):
                model = network(name, level, floats=with_floats)  # pyright: ignore[reportArgumentType]
                (x,) = model.inputs
                (output,) = model.run({x.name: generated(x.shape or ())}, engine="native").values()
                code = emit_c(model.lowered("loops"), "model")
                place = folder / f"{name}{flag}{with_floats}"
                place.mkdir()
                write_c(code, place)
                (place / "nothing.c").write_text(NOTHING)
                for processor in PROCESSORS:
                    program = linked(place, place / "model.c", processor, flag, model)
                    without = linked(place, place / "nothing.c", processor, flag, model)
                    instructions, bits = run(program, processor)
                    if bits != checksum(output):
                        raise SystemExit(
                            f"{name}: the {processor.title} gives another output than the native engine"
                        )
                    yield [
                        f"{name}{', floats' if with_floats else ''}",
                        f"{processor.title} {flag}",
                        f"{flash(program) - flash(without):,}",
                        f"{code.arena_bytes:,}",
                        f"{instructions / 1e6:.2f} M",
                    ]


def main() -> None:
    parser = argparse.ArgumentParser(description="Quantised networks on microcontrollers.")
    parser.add_argument("--models", default=",".join(NETWORKS), help="some of %(default)s")
    parser.add_argument("--floats", action="store_true", help="beside them without ov-to-integer")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = rows(arguments.models.split(","), Path(folder), floats=arguments.floats)
        print_markdown(
            "Quantised networks", ["network", "", "flash, bytes", "arena, bytes", "instructions"], found
        )


if __name__ == "__main__":
    main()
