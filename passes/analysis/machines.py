"""Machines: what passes know of the target processor.

Passes query a machine, never the identity of the network.

Costs are those of one operation on one number, in additions. Lanes, registers and FMA follow the architecture's manual:

- x86-64: Intel 64 and IA-32 Software Developer's Manual, volume 1 (levels as in the System V ABI, AMD64 supplement);
- Cortex: Armv7-M and Armv8-A Architecture Reference Manuals;
- RV64GC: The RISC-V Instruction Set Manual, volume I.

Of the costs only the division of Cortex-M4 is from a manual (Technical Reference Manual, DDI 0439: VDIV takes 14 cycles); all
others are estimates, not measurements.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from loomir.dialects.families import Undo, add_to
from loomir.errors import Error, shown


@dataclass(frozen=True, kw_only=True)
class Machine:
    """Row of the machine table, describing one processor.

    Passes and the compilation of the C code use it.
    """

    name: str
    lanes: int = 1
    """Floats in a vector register; 1: there are none."""
    registers: int = 16
    """That hold floats, or vectors of them."""
    fma: bool = False
    """True if a multiplication and an addition are one instruction."""
    quads: bool = False
    """True for byte dot products in an instruction or two.

    Such a product adds up the products of four bytes (`loomir.dialects.quads`).
    """
    caches: tuple[int, int] = (32 << 10, 256 << 10)
    """Bytes in a core's first and second cache, smallest usual sizes."""
    alignment: int = 16
    """Bytes at which vectors, or lines of the cache, begin."""
    compilers: tuple[str, ...] = ("cc",)
    """Commands that compile C for it, the usual one first."""
    flags: tuple[str, ...] = ()
    """Of those compilers."""
    otherwise: tuple[str, ...] = ()
    """Flags for a compiler that does not support `flags`.

    For x86-64, they are the names that `zig cc` uses for the levels.
    """
    division: int = 8
    function: int = 20
    """A function of the C library."""
    branch: int = 16
    """Cost of a mispredicted branch; without branch prediction, of a taken one."""

    def lanes_of(self, bits: int) -> int:
        """Return the lanes of vectors whose largest element has `bits` bits.

        No vector has more lanes than one of floats.
        """
        return self.lanes * 32 // max(bits, 32)


_CORTEX_M = ("-mthumb", "-mfloat-abi=hard")

_WIDE = "-mprefer-vector-width=512"
"""Without it clang splits vectors of 16 floats in two."""

_ROWS = (
    # What is so of any processor with floating point: figures of none.
    Machine(name="generic"),
    Machine(
        name="x86-64",
        lanes=4,
        quads=True,
        flags=("-march=x86-64",),
        otherwise=("-mcpu=x86_64",),
        compilers=("cc", "gcc", "clang"),
    ),
    Machine(
        name="x86-64-v3",
        lanes=8,
        fma=True,
        quads=True,
        alignment=32,
        flags=("-march=x86-64-v3",),
        otherwise=("-mcpu=x86_64_v3",),
        compilers=("cc", "gcc", "clang"),
    ),
    Machine(
        name="x86-64-v4",
        lanes=16,
        registers=32,
        fma=True,
        quads=True,
        caches=(32 << 10, 1 << 20),
        alignment=64,
        flags=("-march=x86-64-v4", _WIDE),
        otherwise=("-mcpu=x86_64_v4", _WIDE),
        compilers=("cc", "gcc", "clang"),
    ),
    Machine(
        name="cortex-m4",
        registers=32,
        fma=True,
        quads=True,
        alignment=4,
        flags=("-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", *_CORTEX_M),
        compilers=("arm-none-eabi-gcc",),
        division=14,
        function=60,
        branch=3,
    ),
    Machine(
        name="cortex-m7",
        registers=32,
        fma=True,
        quads=True,
        alignment=8,
        flags=("-mcpu=cortex-m7", "-mfpu=fpv5-d16", *_CORTEX_M),
        compilers=("arm-none-eabi-gcc",),
        division=14,
        function=50,
        branch=8,
    ),
    Machine(
        name="cortex-a53",
        lanes=4,
        registers=32,
        fma=True,
        flags=("-mcpu=cortex-a53",),
        compilers=("aarch64-linux-gnu-gcc",),
        division=12,
        function=30,
        branch=8,
    ),
    Machine(
        name="rv64gc",
        registers=32,
        fma=True,
        alignment=8,
        flags=("-march=rv64gc", "-mabi=lp64d"),
        compilers=("riscv64-linux-gnu-gcc",),
        division=16,
        function=40,
        branch=8,
    ),
)

_MACHINES: dict[str, Machine] = {row.name: row for row in _ROWS}

NATIVE = "native"
"""Name of the machine for the host processor.

It is the row with the host's instructions, compiled for exactly this processor.
"""


def register(machine: Machine) -> Undo:
    """Register a machine; its name must be new.

    The result takes it back. Error: `bad-option`.
    """
    if machine.name in (*_MACHINES, NATIVE):
        raise Error("bad-option", f"machine={shown(machine.name)}: a machine of this name exists already")
    return add_to(_MACHINES, machine.name, machine, f"a machine {machine.name}")


def machines() -> Mapping[str, Machine]:
    """The rows by name, without `native`."""
    return MappingProxyType(_MACHINES)


def machine_of(name: object) -> Machine:
    """The row of this name. Error: `bad-option`."""
    if name == NATIVE:
        return native()
    if not isinstance(name, str) or name not in _MACHINES:
        raise Error(
            "bad-option",
            f"machine={shown(name)}: unknown machine",
            hint=f"known: {', '.join((*_MACHINES, NATIVE))}",
        )
    return _MACHINES[name]


def native() -> Machine:
    """Return the host processor's row, or `generic` if there is none."""
    architecture = platform.machine().lower()
    if architecture in ("x86_64", "amd64"):
        level = _MACHINES[level_of_x86(processor_flags())]
        flags = ("-march=native", *(flag for flag in level.flags if not flag.startswith("-march")))
        return replace(level, name=NATIVE, flags=flags, otherwise=level.flags)
    usual = {"aarch64": "cortex-a53", "arm64": "cortex-a53", "riscv64": "rv64gc"}.get(architecture)
    if usual is None:
        return replace(_MACHINES["generic"], name=NATIVE)
    # (Every such processor has what this row has; flags of one of them are not for the others.)
    return replace(_MACHINES[usual], name=NATIVE, flags=(), compilers=("cc",))


_V3 = frozenset({"avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"})
_V4 = _V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}


def level_of_x86(flags: frozenset[str]) -> str:
    """Return the row for an x86-64 processor with these features.

    The levels are those of the System V ABI (AMD64 supplement, table 3.1).
    """
    return "x86-64-v4" if flags >= _V4 else "x86-64-v3" if flags >= _V3 else "x86-64"


_LEVELS = ("x86-64", "x86-64-v3", "x86-64-v4")


def runs_here(machine: Machine) -> bool:
    """Return True if the host has all instructions of a machine.

    The result is False if that is not known here.
    """
    if machine.name == NATIVE:
        return True
    if machine.name not in _LEVELS or platform.machine().lower() not in ("x86_64", "amd64"):
        return False
    return _LEVELS.index(machine.name) <= _LEVELS.index(level_of_x86(processor_flags()))


def processor_flags() -> frozenset[str]:
    """Return the processor's features as reported by the kernel.

    The set is empty on systems without `/proc/cpuinfo`.
    """
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return frozenset()
    lines = (line.partition(":") for line in text.splitlines())
    return frozenset(next((value.split() for key, _, value in lines if key.strip() == "flags"), ()))
