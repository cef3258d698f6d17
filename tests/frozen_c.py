"""Byte-for-byte check of the emitted C: `make frozen-c`, `python -m tests.frozen_c [--write] [--keep FOLDER] [--only NAME]`.

For changes that are not to change what comes out. The C of the fixtures (MLPerf Tiny and others), of the examples, of Silero VAD and of
500 random programs, at every level of loomir-fuzz, is compared with the digests in `tests/fixtures/frozen_c.txt`; what differs is named,
and the exit status is 1. `--write` makes the digests anew, in the commit that says why the C is another. `--keep` writes the C itself
to a folder: made at two commits, `diff -r` shows the difference. Takes some four minutes.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import loomir
from loomir.compiler.formats.c.emit import emit_c
from loomir.compiler.model import Model
from loomir.errors import Error
from loomir.tools.fuzz.levels import LEVELS
from loomir.tools.fuzz.onnx_oracle import to_onnx
from loomir.tools.fuzz.runner import FuzzOptions
from tests.conformance.test_real_models import silero

ROOT = Path(__file__).parents[1]
DIGESTS = ROOT / "tests" / "fixtures" / "frozen_c.txt"
SEED, COUNT = 10, 500


def of_file(path: Path) -> Iterator[Model]:
    """A model with 1 for what its inputs leave open."""
    model = loomir.load(path)
    yield model.with_shapes({i.name: [1 if e is None else e for e in i.shape or ()] for i in model.inputs})


def of_silero() -> Iterator[Model]:
    """Both rates that it has."""
    yield silero(576, 16000)
    yield silero(288, 8000)


def of_random(index: int) -> Iterator[Model]:
    """A random program at its level, for the shapes of each of its feeds or with bounds for all of them."""
    options = FuzzOptions(seed=SEED, count=COUNT)
    program, level = options.program(index), options.level_of(index)
    most = program.max_shapes() if options.bounded(index) else {}
    model = loomir.load(to_onnx(program), pipelines=level.pipelines, max_shapes=most)
    for feed in program.feeds:
        yield model.for_feed(feed)


def programs() -> dict[str, Callable[[], Iterator[Model]]]:
    """Every program by its name."""
    files = sorted([*(ROOT / "tests" / "fixtures").glob("*.xml"), *(ROOT / "examples").glob("*.xml")])
    found: dict[str, Callable[[], Iterator[Model]]] = {p.stem: partial(of_file, p) for p in files}
    found["silero"] = of_silero
    for index in range(COUNT):
        found[f"{index}-{LEVELS[index % len(LEVELS)].name}"] = partial(of_random, index)
    return found


def text_of(models: Callable[[], Iterator[Model]]) -> str:
    """All C of a program, one behind the other, or why there is none."""
    parts: list[str] = []
    try:
        for model in models():
            code = emit_c(model.lowered("loops"), "model")
            parts += [code.header, code.source]
    except Error as error:
        parts.append(f"no C: {error.identifier}\n")
    return "".join(parts)


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="make the digests anew")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="write the C there")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these programs")
    options = parser.parse_args()
    known = programs()
    chosen = {n: p for n, p in known.items() if options.only is None or n in options.only}
    lines = DIGESTS.read_text().splitlines() if DIGESTS.exists() else []
    digests = dict(line.split() for line in lines)
    differing: list[str] = []
    for name, models in chosen.items():
        text = text_of(models)
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        if digests.get(name) != digest:
            differing.append(name)
            digests[name] = digest
        if options.keep is not None:
            options.keep.mkdir(parents=True, exist_ok=True)
            (options.keep / f"{name}.c").write_text(text)
    print(f"{len(chosen)} programs, {len(differing)} with other C than before", *differing, sep="\n  ")
    if options.write:
        # Random programs are named by their level, too: a pass more gives others, and the old ones go.
        DIGESTS.write_text("".join(f"{name} {digests[name]}\n" for name in known if name in digests))
        return 0
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
