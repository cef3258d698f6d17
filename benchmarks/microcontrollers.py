"""C on microcontrollers that QEMU has: linked without an operating system, run once, its instructions counted.

Needs `arm-none-eabi-gcc` and `qemu-system-arm` (Debian: gcc-arm-none-eabi, libnewlib-arm-none-eabi, qemu-system-arm). Instructions do not
differ from run to run. What is run is `cortex_m/run.c`, which makes its input itself.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent / "cortex_m"
FLAGS = ("-std=c99", "-ffp-contract=off")
LINKING = ("-nostartfiles", "--specs=nosys.specs", "-Wl,--gc-sections", "-lm")


@dataclass(frozen=True)
class Processor:
    """A microcontroller: its flags, and a board with it."""

    title: str
    flags: tuple[str, ...]
    board: str

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
        files = (str(HERE / "run.c"), str(source))
        command = [
            "arm-none-eabi-gcc",
            *options,
            *files,
            "-T",
            str(HERE / "run.ld"),
            *LINKING,
            "-o",
            str(made),
        ]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        return made

    def run(self, program: Path) -> tuple[int, int]:
        """Instructions of one run, and a sum of the output's bits. RuntimeError where it does not end well."""
        command = ["qemu-system-arm", "-M", self.board, "-nographic", "-icount", "shift=0", "-semihosting"]
        done = subprocess.run(
            [*command, "-kernel", str(program)], capture_output=True, text=True, timeout=600, check=True
        )
        answer = (done.stdout + done.stderr).split()
        if len(answer) != 3 or answer[0] != "0":
            raise RuntimeError(f"{program}: {done.stdout} {done.stderr}")
        return int(answer[1]), int(answer[2])


CORTEX_M4F = Processor(
    "Cortex-M4F", ("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"), "mps2-an386"
)
CORTEX_M3 = Processor("Cortex-M3", ("-mcpu=cortex-m3", "-mthumb", "-mfloat-abi=soft"), "mps2-an385")
