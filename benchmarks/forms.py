"""Loops as written against the same by hand: `python benchmarks/forms.py [NAME …] [--machine MACHINE]`.

Each program of `forms/` is there twice: as a loop that a pass could restructure, and as somebody would write it who knows that the form is
faster. Both are compiled at the default level, and their C runs under callgrind with one random input. A quotient of 1 means that nothing
is left to be written by hand.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from loomir.tools.compare import compare

FORMS = Path(__file__).parent / "forms"


def instructions(name: str, machine: str) -> tuple[int, int]:
    """Return the instructions of a program as written, and by hand.

    Raises RuntimeError if one of them was not measured.
    """
    texts = (FORMS / f"{name}.mlir").read_text().split("// -----\n")
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{kind}.mlir" for kind in ("written", "by_hand")]
        for file, text in zip(files, texts, strict=True):
            file.write_text(text)
        rows = compare(files, ["O2"], feeds=1, skip=["text", "seconds"], machine=machine)
    counts = [row.instructions for row in rows]
    if None in counts:
        raise RuntimeError(f"{name}: {[row.error or row.notes for row in rows]}")
    written, by_hand = (count or 0 for count in counts)
    return written, by_hand


def main() -> None:
    """Entry point."""
    names = sorted(path.stem for path in FORMS.glob("*.mlir"))
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}; all by default")
    parser.add_argument(
        "--machine",
        default="x86-64-v3",
        help="what the C is for; callgrind knows no AVX-512 (default: %(default)s)",
    )
    options = parser.parse_args()
    print("| program | as written | by hand | quotient |\n|---|---:|---:|---:|")
    for name in options.names or names:
        written, by_hand = instructions(name, options.machine)
        print(f"| `{name}` | {written:,} | {by_hand:,} | {written / by_hand:.2f} |", flush=True)


if __name__ == "__main__":
    main()
