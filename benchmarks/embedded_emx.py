"""The C of emx-onnx-cgen on a Cortex-M4F, measured as `embedded.py` measures ours: `python benchmarks/embedded_emx.py PROGRAM`.

The ONNX forms of the int8 networks of MLPerf Tiny. In place of the arena there is all static memory; tensors are on the stack. Bits are
not compared.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from pathlib import Path

import onnx
from embedded import NOTHING, QUANTISED, SECTIONS
from microcontrollers import CORTEX_M4F
from quantised_as_onnx import quantised_network
from real_models import MODELS
from runners import print_markdown, some_of

FORMS = ("qdq", "qlinear")

SHIM = """
int model_run(const void *given, void *found, void *arena)
{{
    (void)arena;
    {name}({arguments});
    return 0;
}}
"""
"""Suffix of emx-onnx-cgen's C, whose function takes the tensors as arrays."""

NO_HEAP = ("--large-temp-threshold", "0")
"""Tensors are on the stack: what is handed out by the C library is not counted."""

STATIC = "typedef char model_arena;\nint model_run(const void *input, void *output, void *arena);\n"


def rows_of_emx(
    names: Sequence[str], forms: Sequence[str], program: str, folder: Path
) -> Iterator[list[str]]:
    """A line of the table for each network, form and level of gcc."""
    for name, form in product(names, forms):
        (file,) = [model.file for model in MODELS if model.name == name]
        made = quantised_network(file, form)  # pyright: ignore[reportArgumentType]
        place = folder / f"{name}{form}emx"
        place.mkdir()
        onnx.save(made, place / "network.onnx")
        options = ("--model-name", "emx_network", "--large-weight-threshold", "1000000000", *NO_HEAP)
        command = [program, "compile", str(place / "network.onnx"), str(place / "model.c"), *options]
        if (done := subprocess.run(command, capture_output=True, text=True)).returncode:
            yield [f"{name}, {form}, emx-onnx-cgen", done.stderr.strip()[-80:], *["-"] * 5]
            continue
        (place / "model.h").write_text(STATIC)
        text = (place / "model.c").read_text()
        (place / "model.c").write_text(text + SHIM.format(name="emx_network", arguments="given, found"))
        (place / "nothing.c").write_text(NOTHING)
        counts = [
            prod(d.dim_value for d in v.type.tensor_type.shape.dim)
            for v in (*made.graph.input, *made.graph.output)
        ]
        for processor, flag in product((CORTEX_M4F,), ("-Os", "-O2")):
            linked, without = (
                processor.linked(place / source, flag, *counts, element="int8_t", more=SECTIONS)
                for source in ("model.c", "nothing.c")
            )
            run = processor.run(linked)
            yield [
                f"{name}, {form}, emx-onnx-cgen",
                f"{processor.title} {flag}",
                f"{processor.flash(linked) - processor.flash(without):,}",
                f"{processor.constants(linked) - processor.constants(without):,}",
                f"{processor.static(linked) - processor.static(without):,}",
                f"{run.stack:,}",
                f"{run.instructions / 1e6:.2f} M",
            ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("program", metavar="PROGRAM", help="emx-onnx-cgen")
    for option, known in (("--models", QUANTISED), ("--forms", FORMS)):
        parser.add_argument(
            option, type=some_of(known), default=",".join(known), metavar="NAMES", help="some of %(default)s"
        )
    given = parser.parse_args()
    header = [
        "network",
        "",
        "flash, bytes",
        "of it constants",
        "static, bytes",
        "stack, bytes",
        "instructions",
    ]
    with tempfile.TemporaryDirectory() as folder:
        found = rows_of_emx(given.models, given.forms, given.program, Path(folder))
        print_markdown("emx-onnx-cgen", header, found)


if __name__ == "__main__":
    main()
