"""Builds of native code.

They are used in rotation over the cases of a net. A build consists of a machine that the code is lowered for, a C
compiler and its flags. A build is chosen as users choose it: by the machine of a lowering or `LOOMIR_MACHINE`, and by
`CC`. `native`, the machine that users get by default, comes first in a rotation.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from types import MappingProxyType
from zlib import crc32

from loomir.compiler.engines.libraries import first_known, flags_for, known_flags
from loomir.compiler.options import MACHINE_VARIABLE
from loomir.errors import Error
from loomir.passes.analysis.machines import NATIVE, machine_of, machines, runs_here

_TRAP = ("-O1", "-fsanitize=undefined")

FLAGS: Mapping[str, tuple[tuple[str, ...], ...]] = MappingProxyType(
    {
        "O2": (("-O2",),),
        "O3": (("-O3",),),
        # (The first is clang's and newer gcc's; told otherwise `zig cc` makes a library of messages first, which takes a minute.)
        "O1-trap": ((*_TRAP, "-fsanitize-trap=undefined"), (*_TRAP, "-fsanitize-undefined-trap-on-error")),
        # (Without optimisation `zig cc` has a sanitizer where nobody says otherwise.)
        "O0": (("-O0", "-fno-sanitize=all"),),
    }
)
"""Flags of the C compiler by name.

They follow those of the native engine. Of the alternatives, the first one that the compiler knows is used. The names
stand for: the native engine's own level; more vectors; a process that ends at undefined behaviour; no optimisation.
"""

CC = "cc"
"""The compiler that users get: `$CC`, else `cc`."""


@dataclass(frozen=True)
class Build:
    """Names: of a machine, of `compilers()`, of `FLAGS`."""

    machine: str = NATIVE
    compiler: str = CC
    flags: str = "O2"

    def __str__(self) -> str:
        return f"{self.machine} {self.compiler} {self.flags}"

    @property
    def compiler_flags(self) -> tuple[str, ...]:
        """Flags behind those of the native engine: the machine's and the build's.

        Raises `no-c-compiler`.
        """
        machine = machine_of(self.machine)
        with self.chosen():
            of_machine = flags_for(machine) if self.runs else known_flags(machine)
            return *of_machine, *first_known(*FLAGS[self.flags])

    @property
    def alignment(self) -> int:
        """Of weights and outputs in bytes."""
        return machine_of(self.machine).alignment

    @property
    def runs(self) -> bool:
        """True if this processor can run the build.

        A build for a level of x86-64 that the processor lacks is only compiled. Anything else (`generic`, another
        architecture's vectors as GNU C) is compiled for any processor.
        """
        machine = machine_of(self.machine)
        with self.chosen():
            return runs_here(machine) or not machine.name.startswith("x86-64") or not known_flags(machine)

    @contextmanager
    def chosen(self) -> Iterator[None]:
        """Set the native engine's default machine and compiler within a `with`.

        They apply if nothing else is specified. A Model keeps what it has compiled: create it inside the `with`.
        """
        wanted = {MACHINE_VARIABLE: self.machine}
        if self.compiler != CC:
            wanted["CC"] = shlex.join(compilers()[self.compiler])
        before = {name: os.environ.get(name) for name in wanted}
        os.environ.update(wanted)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


def compilers() -> dict[str, tuple[str, ...]]:
    """Return the commands of the available C compilers, by name.

    The command is empty for the compiler that the environment specifies. `clang` is that of PyPI's `ziglang` if the system
    has none.
    """
    found: dict[str, tuple[str, ...]] = {CC: ()}
    found |= {name: (name,) for name in ("gcc", "clang") if shutil.which(name)}
    if find_spec("ziglang") is not None:
        found["ziglang"] = (sys.executable, "-m", "ziglang", "cc")
        found.setdefault("clang", found["ziglang"])
    return found


def usual_machines() -> tuple[str, ...]:
    """Return the default machine, `generic`, and the levels of x86-64.

    The default machine is the one that users get; `generic` runs anywhere. The levels are included if code for them can be
    compiled for this processor.
    """
    levels = (
        [name for name in machines() if name.startswith("x86-64")] if runs_here(machines()["x86-64"]) else []
    )
    return NATIVE, "generic", *reversed(levels)


def usual_compilers() -> tuple[str, ...]:
    """Return gcc and clang, or the compiler that `CC` names.

    The latter is returned if `CC` names a compiler, or if there is neither gcc nor clang.
    """
    found = [] if os.environ.get("CC") else [name for name in ("gcc", "clang") if name in compilers()]
    return tuple(found) or (CC,)


def builds(
    machines: Sequence[str] | None = None,
    compilers_: Sequence[str] | None = None,
    flags: Sequence[str] = tuple(FLAGS),
) -> tuple[Build, ...]:
    """Return every build of these machines, compilers and flags.

    The defaults are the usual machines and compilers, and all flags. The order is such that neighbours differ in all three.

    Error: `bad-option`.
    """
    machines = usual_machines() if machines is None else machines
    chosen = usual_compilers() if compilers_ is None else compilers_
    for name in machines:
        machine_of(name)
    for what, names, known in (("compiler", chosen, compilers()), ("flags", flags, FLAGS)):
        for name in names:
            if name not in known:
                hint = f"known: {', '.join(known)}"
                raise Error("bad-option", f"unknown {what} '{name}'", hint=hint)
    result: list[Build] = []
    for number in range(len(machines) * len(chosen) * len(flags)):
        turn, first = divmod(number, len(machines))
        turn, second = divmod(turn, len(chosen))
        build = (
            machines[first],
            chosen[(second + first) % len(chosen)],
            flags[(turn + second + first) % len(flags)],
        )
        result.append(Build(*build))
    return tuple(result)


def as_options(among: Sequence[Build]) -> str:
    """Return the options of `loomir-fuzz` that name these builds.

    The builds are all combinations of their machines, compilers and flags.
    """
    names = {
        "machines": [b.machine for b in among],
        "compilers": [b.compiler for b in among],
        "c-flags": [b.flags for b in among],
    }
    return " ".join(f"--{option} {','.join(dict.fromkeys(given))}" for option, given in names.items())


def number_of(key: str) -> int:
    """A number for a name: the same in every run."""
    return crc32(key.encode())


def build_for(key: str, among: Sequence[Build]) -> Build:
    """One of the builds for a case of this name."""
    return among[number_of(key) % len(among)]
