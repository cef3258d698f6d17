"""Code, arena and instructions of real models at -O0, -O2 and -Os.

python benchmarks/levels.py > docs/levels.md      # the page; each row on the screen as soon as it is there
python benchmarks/levels.py --only 'silero*'      # some models
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
from real_models import MODELS, RealModel
from runners import check

from loomir.compiler.engines.native import build_program, run_program
from loomir.compiler.formats.c.emit import CCode, emit_c
from loomir.compiler.levels import Level
from loomir.tools.compare.measuring import count_instructions, text_bytes

COMPILER = "gcc"
SIZED: tuple[Level, ...] = ("O0", "O2", "Os")
Build = tuple[Level, str]
"""A level of loomir's and a flag of the C compiler."""
RUN: tuple[Build, ...] = (("O0", "-O2"), ("O2", "-O2"), ("O2", "-Os"), ("Os", "-Os"))
"""Machine whose instructions are counted."""

HEAD = """# Optimisation levels on real models

Measurements of every real model in the tests at loomir's levels `-O0`, `-O2` and `-Os`: bytes of `.text` of the emitted C compiled with
`{compiler} -Os -c`, bytes of the arena, and millions of instructions of one call, counted by callgrind.
`python benchmarks/levels.py > docs/levels.md` regenerates this page, with shapes and seeded inputs from `benchmarks/real_models.py`.

loomir's level and the C compiler's level are independent: `-O2, {compiler} -Os` is the C of `loomir compile -O2` (the default) compiled
with `{compiler} -Os`; `-Os, {compiler} -Os` is the C of `loomir compile -Os`, compiled the same way.
[microcontrollers.md](microcontrollers.md) has the same for a Cortex-M4F.

An arena at `-O2` may be larger than at `-O0` by a row of 8 numbers (32 bytes). The row holds the accumulators of a tile for the elementwise
operations that follow, in addition to the operands and results of these operations (`lower-linalg-to-loops`; not with `tile=false`).

Measured on {date} with {version}.

"""

CONDITIONS = {
    "`.text` at `-Os` is at most that at `-O0` and at `-O2`": lambda row: row.is_small,
    "the arena at `-O2` is at most 1.25 × that at `-O0`": lambda row: row.has_room,
    f"instructions at `-O2` are at most those at `-O0`, with `{COMPILER} -O2`": lambda row: row.is_fast,
}

COLUMNS = (
    "model",
    *(f"{'`.text` ' if k == 0 else ''}`-{level}`" for k, level in enumerate(SIZED)),
    *(f"{'arena ' if k == 0 else ''}`-{level}`" for k, level in enumerate(SIZED)),
    *(
        f"{'M instructions ' if k == 0 else ''}`-{level}, {COMPILER} {flag}`"
        for k, (level, flag) in enumerate(RUN)
    ),
    "holds",
)


@dataclass(frozen=True)
class Row:
    """Measurements of a model; instructions are in millions."""

    name: str
    text: Mapping[Level, int]
    arena: Mapping[Level, int]
    instructions: Mapping[Build, float]

    @property
    def is_small(self) -> bool:
        return self.text["Os"] <= min(self.text.values())

    @property
    def has_room(self) -> bool:
        return self.arena["O2"] <= 1.25 * self.arena["O0"]

    @property
    def is_fast(self) -> bool:
        return self.instructions["O2", "-O2"] <= self.instructions["O0", "-O2"]

    @property
    def verdict(self) -> str:
        """Numbers of the conditions that fail, or `yes` if all hold."""
        failing = [str(k) for k, holds in enumerate(CONDITIONS.values(), 1) if not holds(self)]
        return f"not {', '.join(failing)}" if failing else "yes"

    def line(self) -> str:
        """The row of the page."""
        sizes = (f"{n:,}" for each in (self.text, self.arena) for n in (each[level] for level in SIZED))
        counts = (f"{self.instructions[build]:,.3f}" for build in RUN)
        return f"| {' | '.join([self.name, *sizes, *counts, self.verdict])} |"


def row_of(line: str) -> Row:
    """A row of the page, read."""
    name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
    numbers = [float(cell.replace(",", "")) for cell in cells[:-1]]
    text, arena, counts = numbers[:3], numbers[3:6], numbers[6:]
    return Row(
        name,
        dict(zip(SIZED, map(int, text))),
        dict(zip(SIZED, map(int, arena))),
        dict(zip(RUN, counts)),
    )


def code_of(model: RealModel, level: Level) -> tuple[CCode, dict[str, Any]]:
    """The C of a model at a level, and its feed."""
    loaded = model.load(level)
    return emit_c(loaded.lowered("loops", capacity=model.capacity), "model"), model.feed(loaded)


def run(code: CCode, flag: str, feed: Mapping[str, Any], folder: Path) -> tuple[float, dict[str, np.ndarray]]:
    """Millions of instructions of one call with all that it calls, and its outputs."""
    build_program(code, folder, compiler=(COMPILER,), flags=(flag,))
    outputs = run_program(code, folder, feed)
    return count_instructions(code, folder) / 1e6, outputs


def measure(model: RealModel) -> Row:
    """A row; the levels have to give the same results."""
    text: dict[Level, int] = {}
    arena: dict[Level, int] = {}
    instructions: dict[Build, float] = {}
    expected: dict[str, np.ndarray] | None = None
    for level in SIZED:
        code, feed = code_of(model, level)
        with tempfile.TemporaryDirectory() as work:
            folder = Path(work)
            text[level], arena[level] = text_bytes(code, folder, compiler=(COMPILER,)), code.arena_bytes
            for build in (build for build in RUN if build[0] == level):
                instructions[build], outputs = run(code, build[1], feed, folder)
                if expected is not None:
                    check(f"{model.name}, {' '.join(build)}", outputs, expected)
                expected = outputs
    return Row(model.name, text, arena, instructions)


def compiler_version() -> str:
    """The first line that the compiler says of itself."""
    said = subprocess.run([COMPILER, "--version"], capture_output=True, text=True, check=True).stdout
    return said.splitlines()[0]


def page(models: list[RealModel]) -> str:
    """The whole page. What cannot be measured has its reason as its row, and the rest goes on."""
    rows: list[Row] = []
    lines: list[str] = []
    for model in models:
        try:
            rows.append(measure(model))
            line = rows[-1].line()
        except (Exception, SystemExit) as error:
            first = str(error).partition("\n")[0].replace("|", "/")
            line = f"| {model.name} | {type(error).__name__}: {first} |"
        print(line, file=sys.stderr, flush=True)
        lines.append(line)
    head = HEAD.format(compiler=COMPILER, date=date.today(), version=compiler_version())
    verdicts = [
        f"{k}. {statement}: {sum(map(holds, rows))} of {len(models)} models."
        for k, (statement, holds) in enumerate(CONDITIONS.items(), 1)
    ]
    table = [f"| {' | '.join(COLUMNS)} |", f"|---|{'---:|' * (len(COLUMNS) - 2)}---|", *lines]
    return head + "\n".join([*verdicts, "", *table]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", metavar="PATTERN", default="*", help="models by name, such as 'silero*'")
    options = parser.parse_args()
    chosen = [model for model in MODELS if fnmatch(model.name, options.only)]
    if not chosen:
        parser.error(f"no model is called {options.only}: {', '.join(m.name for m in MODELS)}")
    print(page(chosen), end="")


if __name__ == "__main__":
    main()
