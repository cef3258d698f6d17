"""The strict C99 of two trees: four float networks of MLPerf Tiny, as any processor's compiler gets them.

    python benchmarks/strict_c99.py --beside TREE [--models kws,vww] [--runs 100] [--compiler gcc --compiler clang]

TREE is another checkout of the repository. Each tree emits for the machine `generic`; its C is compiled with `-std=c99 -O2` and nothing
about the processor, and the builds take turns, with the same inputs: their results have to agree as in all tests (docs/testing.md).
Also the bytes of code and constants with `-Os`, the arena, and where `arm-none-eabi-gcc` and `qemu-system-arm` are installed, the same for
a Cortex-M4F with the instructions of one run, which do not differ from run to run; the results of a tree are the same bits at both levels.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from beside import OWN
from microcontrollers import CORTEX_M4F
from real_models import MODELS
from runners import Runner, aligned, cell_of_ratio, check, print_markdown, timed

from loomir.tools.compare.measuring import median_seconds

NETWORKS = ("kws", "ad01_fp32", "resnet8", "vww")
STRICT = ("-std=c99", "-ffp-contract=off")

EMIT = """
import json, sys
from math import prod
from pathlib import Path
import loomir
from loomir.compiler.formats.c.emit import emit_c, write_c

file, folder = map(Path, sys.argv[1:])
model = loomir.load(file)
model = model.with_shapes({i.name: [1 if e is None else e for e in i.shape or ()] for i in model.inputs})
code = emit_c(model.lowered("loops"), "model")
write_c(code, folder)
(x,), (y,) = model.inputs, model.outputs
print(json.dumps([str(Path(loomir.__file__).parent.parent), code.arena_bytes, prod(x.shape), prod(y.shape)]))
"""
"""Script that both trees run; it uses only their common features."""


@dataclass(frozen=True)
class Emitted:
    """The C of one network by one tree, in a folder."""

    folder: Path
    arena: int
    inputs: int
    outputs: int

    def build(self, compiler: str) -> ctypes.CDLL:
        """A library for the machine that this runs on."""
        library = self.folder / f"{compiler}.so"
        command = [
            compiler,
            *STRICT,
            "-O2",
            "-shared",
            "-fPIC",
            str(self.folder / "model.c"),
            "-o",
            str(library),
            "-lm",
        ]
        subprocess.run(command, check=True)
        return ctypes.CDLL(str(library))

    def size(self, compiler: str, prefix: str = "", flags: tuple[str, ...] = ()) -> int:
        """Bytes of code and constants with `-Os`."""
        made = self.folder / "size.o"
        subprocess.run(
            [prefix + compiler, *flags, *STRICT, "-Os", "-c", str(self.folder / "model.c"), "-o", str(made)],
            check=True,
        )
        listed = subprocess.run(
            [f"{prefix}size", str(made)], check=True, capture_output=True, text=True
        ).stdout
        return int(listed.splitlines()[-1].split()[0])

    def instructions(self, level: str) -> tuple[int, int]:
        """Of one run on a Cortex-M4F, and a sum of the results' bits. RuntimeError where it does not end well."""
        program = CORTEX_M4F.linked(self.folder / "model.c", level, self.inputs, self.outputs)
        run = CORTEX_M4F.run(program)
        return run.instructions, run.bits


def emitted(tree: Path, name: str, folder: Path) -> Emitted:
    """Emit a network by the package of a tree. CalledProcessError where it does not compile it."""
    folder.mkdir(parents=True)
    (file,) = [model.file.resolve() for model in MODELS if model.name == name]
    done = subprocess.run(
        [sys.executable, "-c", EMIT, str(file), str(folder)],
        env={**os.environ, "PYTHONPATH": str(tree)},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
    )
    measured, *figures = json.loads(done.stdout.splitlines()[-1])
    assert Path(measured) == tree, f"emitted by {measured} for {tree}"
    return Emitted(folder, *figures)


def times(name: str, builds: list[Emitted], compiler: str, runs: int) -> list[float]:
    """Median seconds of each build, which take turns."""
    feed = np.random.default_rng(0).uniform(-1, 1, builds[0].inputs).astype(np.float32)
    runners, outputs = dict[str, Runner](), list[np.ndarray]()
    for number, each in enumerate(builds):
        output, arena = aligned(4 * each.outputs).view(np.float32)[: each.outputs], aligned(each.arena)
        given = aligned(feed.nbytes)[: feed.nbytes].view(np.float32)
        given[:] = feed
        call = each.build(compiler).model_run
        arguments = [a.ctypes.data_as(ctypes.c_void_p) for a in (given, output, arena)]
        if call(*arguments) != 0:
            raise SystemExit(f"{name}: {each.folder} gives an error")
        outputs.append(output)
        runners[str(number)] = timed(call, arguments)
    for output in outputs[1:]:
        check(name, {"now": output}, {"now": outputs[0]})
    return list(median_seconds(runners, runs).values())


def rows(arguments: argparse.Namespace, folder: Path) -> Iterator[list[str]]:
    """A line of the table for each figure of each network."""
    for name in arguments.models.split(","):
        trees = {"before": arguments.beside.resolve(), "now": OWN}
        builds = [emitted(tree, name, folder / name / title) for title, tree in trees.items()]
        for compiler in arguments.compiler:
            before, now = times(name, builds, compiler, arguments.runs)
            yield [
                f"{name}, {compiler} -O2",
                f"{before * 1e6:,.0f} µs",
                f"{now * 1e6:,.0f} µs",
                cell_of_ratio(before / now),
            ]
        figures = {"arena, bytes": [each.arena for each in builds]}
        for compiler in arguments.compiler[:1]:
            figures[f"{compiler} -Os, bytes"] = [each.size(compiler) for each in builds]
        if shutil.which("arm-none-eabi-gcc"):
            figures["Cortex-M4F -Os, bytes"] = [
                each.size("gcc", "arm-none-eabi-", CORTEX_M4F.flags) for each in builds
            ]
            if shutil.which("qemu-system-arm"):
                found: list[tuple[int, ...]] = []
                for level in ("-O2", "-Os"):
                    counted, bits = zip(*(each.instructions(level) for each in builds), strict=True)
                    found.append(bits)
                    if found[0] != bits:
                        raise SystemExit(
                            f"{name}: the results at {level} on the Cortex-M4F are others than at -O2"
                        )
                    figures[f"Cortex-M4F {level}, instructions"] = list(counted)
        for title, (before, now) in figures.items():
            yield [f"{name}, {title}", f"{before:,}", f"{now:,}", cell_of_ratio(before / now)]


def main() -> None:
    parser = argparse.ArgumentParser(description="The strict C99 of this tree beside that of another.")
    parser.add_argument(
        "--beside", type=Path, required=True, metavar="TREE", help="another checkout of the repository"
    )
    parser.add_argument("--models", default=",".join(NETWORKS), help="some of %(default)s")
    parser.add_argument(
        "--compiler", action="append", help="may be given several times; default: gcc and clang"
    )
    parser.add_argument("--runs", type=int, default=50, help="runs of each build (default: %(default)s)")
    arguments = parser.parse_args()
    arguments.compiler = arguments.compiler or ["gcc", "clang"]
    with tempfile.TemporaryDirectory() as folder:
        title = f"Strict C99, {arguments.beside.resolve().name} and this tree"
        print_markdown(title, ["", "before", "now", "before ÷ now"], rows(arguments, Path(folder)))


if __name__ == "__main__":
    main()
