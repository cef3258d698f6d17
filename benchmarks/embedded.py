"""Networks on microcontrollers: what their C takes on a Cortex-M4F, a Cortex-M3 and an RV32IMAC, as docs/microcontrollers.md lists it.

python benchmarks/embedded.py > docs/microcontrollers.md      # the page; each row on the screen as soon as it is there
python benchmarks/embedded.py --only 'kws*'                   # some networks

The networks of MLPerf Tiny with floats, its int8 networks with integers (as OpenVINO IR, and as ONNX in the two forms that
`quantised_as_onnx.py` makes of it) and with floats. loomir's level and gcc's are two things, and each row names both. The output's
bits have to be those of the native engine. `microcontrollers.py` says what has to be installed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from fnmatch import fnmatch
from itertools import product
from math import prod
from pathlib import Path

import numpy as np
from microcontrollers import CORTEX_M3, CORTEX_M4F, RV32IMAC, Processor
from quantised_as_onnx import quantised_network
from real_models import MODELS

import loomir
from loomir.compiler.backends.c.emit import emit_c, write_c
from loomir.compiler.levels import Level
from loomir.compiler.model import Model

FLOATS = ("kws", "ad01_fp32", "resnet8", "vww")
QUANTISED = ("kws_int8", "ad01_int8", "resnet8_int8", "vww_int8")
FORMS = ("ir", "qdq", "qlinear")
SECTIONS = ("-ffunction-sections", "-fdata-sections")
"""What of the C library is not needed is left out."""
NOTHING = "int model_run(const void *input, void *output, void *arena) { return input == output && arena == output; }\n"
"""A network that computes nothing, with which what a program takes without one is measured."""

PROCESSORS = (CORTEX_M4F, CORTEX_M3, RV32IMAC)
BUILDS: tuple[tuple[Level, str], ...] = (("Os", "-Os"), ("O2", "-Os"), ("O2", "-O2"))
"""Of loomir, and of gcc: the least code, what is in between, the fastest."""

HEAD = """# Networks on microcontrollers

MLPerf Tiny's networks as C, one call in QEMU. *Flash* is what a linked program has more than one without the network: code, constants,
what it needs of the C library. *Arena* and *stack* are RAM. Instructions do not differ from run to run; a real processor takes more than
one cycle for some.

There are two levels, which are chosen apart from each other: that of **loomir** (`loomir compile -Os`, or `-O2`, which is the default)
says what C there is, that of **gcc** (`gcc -Os` or `-O2`) what is made of it. loomir's `-Os` leaves out what makes code larger, such as
tiles, and keeps weights of 8 bits; under the same `gcc -Os` the C of its `-O2` is larger and takes far fewer instructions.

*integers* is `--integers` (`integers=True`); without it a quantised network computes in floats. With integers the C is for
`--machine cortex-m4` on the Cortex-M4F, all else for `generic`. A network is OpenVINO IR, or `qdq` or `qlinear`: the forms that exporters
of ONNX write (`benchmarks/quantised_as_onnx.py`). Outputs of integers have the bits of the native engine; those of floats, where the C
library's exponential has a say, the same bits with both levels of gcc.

Made by `python benchmarks/embedded.py > docs/microcontrollers.md` on {date} with:

{versions}

"""

COLUMNS = (
    "network", "processor", "loomir", "gcc", "flash, bytes", "of it constants", "arena, bytes", "stack, bytes", "M instructions"
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A network in one of its forms, what it computes with, and where it is measured."""

    name: str
    form: str = "ir"
    integers: bool = True
    processors: tuple[Processor, ...] = (CORTEX_M4F,)

    def __str__(self) -> str:
        form = f", {self.form}" if self.form != "ir" else ""
        return f"{self.name}{form}, {'integers' if self.integers else 'floats'}"


CASES = (
    *(Case(name, integers=False) for name in FLOATS),
    *(case for name in QUANTISED for case in (
        Case(name, integers=False),
        Case(name, processors=PROCESSORS),
        *(Case(name, form) for form in FORMS[1:]),
    )),
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """What a network takes on a processor, as it was built."""

    case: str
    processor: str
    level: str
    flag: str
    flash: int
    constants: int
    arena: int
    stack: int
    instructions: int
    bits: int = field(default=0, compare=False)

    def line(self) -> str:
        """The row of the page."""
        words = (self.case, self.processor, f"`-{self.level}`", f"`{self.flag}`")
        counts = (f"{n:,}" for n in (self.flash, self.constants, self.arena, self.stack))
        return f"| {' | '.join([*words, *counts, f'{self.instructions / 1e6:,.2f}'])} |"


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


def generated(shape: Sequence[int | None], dtype: type[np.generic] | np.dtype = np.int8) -> np.ndarray:
    """The input that `run.c` makes, of bytes or of floats."""
    random, states = 1, list[int]()
    for _ in range(prod(extent or 1 for extent in shape)):
        random = (random * 1664525 + 1013904223) % (1 << 32)
        states.append(random)
    made = np.array(states, np.uint32)
    if dtype == np.int8:
        values = (made >> 24).astype(np.uint8).view(np.int8)
    else:
        values = (made >> 8).astype(np.float32) / np.float32(8388608) - np.float32(1)
    return values.reshape([extent or 1 for extent in shape])


def checksum(output: np.ndarray) -> int:
    """What `run.c` makes of an output's bits."""
    bits = 2166136261
    for byte in output.tobytes():
        bits = ((bits ^ byte) * 16777619) % (1 << 32)
    return bits


def measure(case: Case, level: Level, flag: str, processor: Processor, folder: Path) -> Row:
    """A row; SystemExit where the output has other bits than that of the native engine."""
    made = {"floats": not case.integers, "form": case.form}
    model = network(case.name, level, **made)
    (x,) = model.inputs
    feed = generated(x.shape or (), x.dtype)
    (output,) = model.run({x.name: feed}, engine="native").values()
    # (Floats keep the bits of the native engine where no machine has fused instructions.)
    machine = processor.machine if case.integers else "generic"
    code = emit_c(network(case.name, level, **made, machine=machine).lowered("loops"), "model")
    write_c(code, folder)
    (folder / "nothing.c").write_text(NOTHING)
    element = "int8_t" if x.dtype == np.int8 else "float"
    program, without = (
        processor.linked(folder / source, flag, feed.size, output.size, element=element, more=SECTIONS)
        for source in ("model.c", "nothing.c")
    )
    run = processor.run(program)
    if case.integers and run.bits != checksum(output):
        raise SystemExit(f"{case}: the {processor.title} gives another output than the native engine")
    return Row(
        str(case),
        processor.title,
        level,
        flag,
        processor.flash(program) - processor.flash(without),
        processor.constants(program) - processor.constants(without),
        code.arena_bytes,
        run.stack,
        run.instructions,
        run.bits,
    )


def versions(processors: Sequence[Processor]) -> list[str]:
    """The first lines that their compilers and emulators say of themselves."""
    commands = dict.fromkeys(c for p in processors for c in (f"{p.prefix}gcc", p.emulator[0]))
    said = (
        subprocess.run([c, "--version"], capture_output=True, text=True, check=True).stdout for c in commands
    )
    return [f"{c}: {text.splitlines()[0]}" for c, text in zip(commands, said, strict=True)]


def page(cases: Sequence[Case]) -> str:
    """The whole page. SystemExit where a program of one level has several results."""
    lines: list[str] = []
    for case in cases:
        bits: dict[Level, int] = {}
        for processor, (level, flag) in product(case.processors, BUILDS):
            with tempfile.TemporaryDirectory() as folder:
                row = measure(case, level, flag, processor, Path(folder))
            if bits.setdefault(level, row.bits) != row.bits:
                raise SystemExit(
                    f"{case}: with gcc {flag} on the {processor.title} its output is another one"
                )
            lines.append(row.line())
            print(lines[-1], file=sys.stderr, flush=True)
    head = HEAD.format(date=date.today(), versions="\n".join(f"- {line}" for line in versions(PROCESSORS)))
    table = [f"| {' | '.join(COLUMNS)} |", f"|---|---|---|---|{'---:|' * (len(COLUMNS) - 4)}", *lines]
    return head + "\n".join(table) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", metavar="PATTERN", default="*", help="networks by name, such as 'kws*'")
    pattern = parser.parse_args().only
    print(page([case for case in CASES if fnmatch(str(case), pattern)]), end="")


if __name__ == "__main__":
    main()
