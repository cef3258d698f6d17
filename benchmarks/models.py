"""Real models: loomir's C against OpenVINO, one thread each.

    python benchmarks/models.py MODEL.xml … [--repeat 15] [--compiler gcc] [--flags='-O2 …']

Batch 1, random input, medians of runs that take turns; results are checked to be equal first. Prints the bytes of
arena and weights, too.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from loops import Loomir, OpenVino, check, measure
from rich.console import Console
from rich.table import Table

import loomir
from loomir.compiler.backends.c.emit import emit_c
from loomir.compiler.backends.libraries import FLAGS
from loomir.compiler.files import write_arrays


def row(path: Path, repeat: int, compiler: Sequence[str], flags: Sequence[str]) -> list[str]:
    """The line of one model."""
    model = loomir.load(path)
    model = model.with_shapes({i.name: [1 if e is None else e for e in i.shape or ()] for i in model.inputs})
    random = np.random.default_rng(0)
    feed = {i.name: random.normal(size=i.shape).astype(i.dtype) for i in model.inputs}  # pyright: ignore
    shapes = {o.name: tuple(e or 0 for e in o.shape or ()) for o in model.outputs}
    code = emit_c(model.lowered("loops"), "model", weights="pointer")
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        for suffix in (".xml", ".bin"):
            shutil.copy(path.with_suffix(suffix), folder / f"model{suffix}")
        write_arrays(folder / "feed.npz", feed)
        ours, openvino = Loomir(code, feed, shapes, folder, compiler, flags), OpenVino(folder)
        ours.run()
        check(path.stem, ours.outputs, openvino.outputs)
        seconds = measure({"loomir": ours.run, "OpenVINO": openvino.run}, repeat)
        openvino.close()
    own, other = seconds["loomir"], seconds["OpenVINO"]
    sizes = f"{code.arena_bytes:,}", f"{code.weight_bytes:,}"
    return [path.stem, f"{own * 1e3:.3f} ms", f"{other * 1e3:.3f} ms", f"{other / own:.2f} ×", *sizes]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("models", nargs="+", type=Path, metavar="MODEL.xml")
    parser.add_argument("--repeat", type=int, default=15, help="turns (default: %(default)s)")
    parser.add_argument(
        "--compiler", default=os.environ.get("CC", "cc"), help="C compiler (default: $CC or cc)"
    )
    parser.add_argument("--flags", default=" ".join(FLAGS), help="its flags (default: %(default)s)")
    options = parser.parse_args()
    table = Table("model", "loomir", "OpenVINO", "ratio", "arena", "weights", title=options.flags)
    for path in options.models:
        if not path.is_file():
            parser.error(f"there is no file {path}")
        table.add_row(*row(path, options.repeat, options.compiler.split(), options.flags.split()))
    Console().print(table)


if __name__ == "__main__":
    main()
