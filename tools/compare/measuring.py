"""Size, instructions and time of emitted C.

The benchmarks share these measurements.
"""

from __future__ import annotations

import re
import shutil
import statistics
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from loomir.compiler.engines.libraries import compiler, known_flags
from loomir.compiler.engines.native import STRICT
from loomir.compiler.formats.c.emit import CCode, write_c
from loomir.errors import Error
from loomir.passes.analysis.machines import Machine, runs_here


def compiler_for(machine: Machine) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the command and the flags of a machine's C compiler.

    For machines of the system's compiler it is `$CC`, else `cc`. Error: `no-c-compiler`.
    """
    if "cc" in machine.compilers:
        return tuple(compiler()), known_flags(machine)
    command = next((c for c in machine.compilers if shutil.which(c)), None)
    if command is None:
        raise Error(
            "no-c-compiler",
            f"none of the C compilers of {machine.name} is installed: {', '.join(machine.compilers)}",
        )
    return (command,), machine.flags


def text_bytes(
    code: CCode, folder: Path, *, compiler: Sequence[str] = ("cc",), flags: Sequence[str] = ("-Os",)
) -> int:
    """Return the bytes of machine code, without constants.

    The object file is left in `folder`. Errors: `CalledProcessError` and `OSError` of the compiler and of `size`.
    """
    write_c(code, folder)
    command = [*compiler, *STRICT, *flags, "-c", f"{code.name}.c", "-o", "sized.o"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    listed = subprocess.run(
        ["size", "-A", "sized.o"], cwd=folder, capture_output=True, text=True, check=True
    ).stdout
    return sum(map(int, re.findall(r"^\.text\S*\s+(\d+)", listed, re.MULTILINE)))


def not_of_here(machine: Machine) -> str | None:
    """Return the reason that this processor does not run a machine's code."""
    if machine.name == "generic" or runs_here(machine):
        return None
    return f"this processor does not run code for {machine.name}"


def count_instructions(code: CCode, folder: Path) -> int:
    """Count the instructions of one call by callgrind.

    `build_program` has built the program in `folder`, and `run_program` has written its inputs. Errors:
    `CalledProcessError` and `OSError` of valgrind.
    """
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    done = subprocess.run(
        [*command, f"--toggle-collect={code.entry}", "./run"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    (count,) = re.findall(r"Collected : (\d+)", done.stderr)
    return int(count)


def median_seconds(runners: Mapping[str, Callable[[], float]], repeat: int) -> dict[str, float]:
    """Return the median seconds of each runner.

    A runner runs once and returns its seconds. The runners take turns, so that a slow second of the machine affects all.
    """
    seconds: dict[str, list[float]] = {name: [] for name in runners}
    first = {name: run() for name, run in runners.items()}
    for turn in range(repeat):
        for name, run in runners.items():
            if turn >= 3 and first[name] > 0.5:
                continue  # Three runs of a second each suffice.
            # A run that is too short for the clock is repeated; the shortest one had no pause.
            count = 1 if first[name] > 1e-3 else 5
            seconds[name].append(min(run() for _ in range(count)))
    return {name: statistics.median(values) for name, values in seconds.items()}
