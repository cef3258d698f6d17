"""C on microcontrollers that QEMU has: linked without an operating system, run once, its instructions counted and its stack measured.

Needs `arm-none-eabi-gcc` and `qemu-system-arm`, or `riscv64-unknown-elf-gcc` and `qemu-system-riscv32` (Debian: gcc-arm-none-eabi,
libnewlib-arm-none-eabi, qemu-system-arm; gcc-riscv64-unknown-elf, picolibc-riscv64-unknown-elf, qemu-system-misc). Instructions do not
differ from run to run. What is run is `bare_metal/run.c`, which makes its input itself.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent / "bare_metal"
FLAGS = ("-std=c99", "-ffp-contract=off")
LINKING = ("-nostartfiles", "-Wl,--gc-sections")


@dataclass(frozen=True)
class Run:
    """Cost of one run of a network, and its output's checksum."""

    instructions: int
    bits: int
    stack: int


@dataclass(frozen=True)
class Processor:
    """A microcontroller: its compiler's prefix and flags, its libraries, a board with it and where that has its memory."""

    title: str
    prefix: str
    flags: tuple[str, ...]
    libraries: tuple[str, ...]
    emulator: tuple[str, ...]
    memory: str
    machine: str = "generic"
    """Name of the machine for the passes (`passes/analysis/machines.py`)."""

    def linked(
        self,
        source: Path,
        level: str,
        inputs: int,
        outputs: int,
        *,
        element: str = "float",
        more: Sequence[str] = (),
    ) -> Path:
        """A program that runs the network of `source` once; `model.h` is beside it. CalledProcessError where it does not compile."""
        made = source.parent / f"{source.stem}{level}.elf"
        counts = (f"-DINPUTS={inputs}", f"-DOUTPUTS={outputs}", f"-DELEMENT={element}")
        options = (*self.flags, *FLAGS, level, *counts, f"-I{source.parent}", *more)
        files = (str(HERE / "run.c"), str(source), "-T", str(HERE / self.memory))
        command = [f"{self.prefix}gcc", *options, *files, *LINKING, *self.libraries, "-o", str(made)]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        return made

    def flash(self, program: Path) -> int:
        """Bytes of code and constants of a linked program."""
        text, data, _ = self._sections(program)
        return text + data

    def constants(self, program: Path) -> int:
        """Bytes of constants alone."""
        command = [f"{self.prefix}size", "-A", str(program)]
        listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return sum(int(line.split()[1]) for line in listed.splitlines() if line.startswith(".rodata"))

    def static(self, program: Path) -> int:
        """Bytes of static memory that can be written."""
        _, data, bss = self._sections(program)
        return data + bss

    def _sections(self, program: Path) -> tuple[int, int, int]:
        listed = subprocess.run(
            [f"{self.prefix}size", str(program)], check=True, capture_output=True, text=True
        ).stdout
        text, data, bss, *_ = map(int, listed.splitlines()[-1].split()[:3])
        return text, data, bss

    def run(self, program: Path) -> Run:
        """One run in QEMU. RuntimeError where it does not end well."""
        command = [
            *self.emulator,
            "-nographic",
            "-icount",
            "shift=0",
            "-semihosting",
            "-kernel",
            str(program),
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
        answer = (done.stdout + done.stderr).split()
        if len(answer) != 4 or answer[0] != "0":
            raise RuntimeError(f"{program}: {done.stdout} {done.stderr}")
        return Run(*map(int, answer[1:]))


NEWLIB = ("--specs=nosys.specs", "-lm")
PICOLIBC = ("--specs=picolibc.specs", "-lm")

CORTEX_M4F = Processor(
    "Cortex-M4F",
    "arm-none-eabi-",
    ("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"),
    NEWLIB,
    ("qemu-system-arm", "-M", "mps2-an386"),
    "arm.ld",
    "cortex-m4",
)
CORTEX_M3 = Processor(
    "Cortex-M3",
    "arm-none-eabi-",
    ("-mcpu=cortex-m3", "-mthumb", "-mfloat-abi=soft"),
    NEWLIB,
    ("qemu-system-arm", "-M", "mps2-an385"),
    "arm.ld",
)
RV32IMAC = Processor(
    "RV32IMAC",
    "riscv64-unknown-elf-",
    ("-march=rv32imac", "-mabi=ilp32", "-mcmodel=medany"),
    PICOLIBC,
    ("qemu-system-riscv32", "-M", "virt", "-bios", "none", "-m", "16M"),
    "riscv.ld",
)
