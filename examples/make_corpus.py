"""Writes the corpus: for each program its model, inputs and expected results.

    python examples/make_corpus.py build/corpus               # all programs
    python examples/make_corpus.py build/corpus lstm viterbi  # some

| file | contents |
|---|---|
| `NAME.onnx` | the model |
| `NAME.inputs.npz` | input `x` of feed number 2 as `2/x` |
| `NAME.expected.npz` | output `y` of it as `2/y` (float64, integers, booleans), the largest error that is right as `error/2/y` |
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import onnx
from corpus import PROGRAMS, Program


def write(program: Program, folder: Path) -> None:
    """Write the three files of a program."""
    onnx.save(program.model(), folder / f"{program.name}.onnx")
    inputs: dict[str, np.ndarray] = {}
    expected: dict[str, np.ndarray] = {}
    for number, feed in enumerate(program.feeds):
        inputs |= {f"{number}/{name}": value for name, value in feed.items()}
        for name, (truth, error) in program.expected(feed).items():
            expected[f"{number}/{name}"] = truth
            expected[f"error/{number}/{name}"] = np.array(error)
    np.savez(folder / f"{program.name}.inputs.npz", **inputs)
    np.savez(folder / f"{program.name}.expected.npz", **expected)


def make(folder: Path, names: Iterable[str] = ()) -> None:
    """Write programs, or all of them, to a folder, which is created."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or PROGRAMS:
        write(PROGRAMS[name], folder)


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Write the models of the corpus, their inputs and expected results."
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help="programs (default: all)")
    options = parser.parse_args()
    if unknown := sorted(set(options.names) - set(PROGRAMS)):
        parser.error(f"no such program: {', '.join(unknown)}; there are {', '.join(PROGRAMS)}")
    make(options.folder, options.names)
    print(f"{len(options.names or PROGRAMS)} programs in {options.folder}")


if __name__ == "__main__":
    main()
