"""Every pass of the pipelines keeps what programs compute: random ones, and the models of the zoo."""

from __future__ import annotations

from pathlib import Path

import pytest

import loomir
from loomir.compiler.checking.checker import check_each_pass
from loomir.compiler.formats import load_module
from loomir.compiler.options import CheckOptions
from loomir.compiler.pipeline import PIPELINES
from loomir.errors import Error
from loomir.tools.fuzz.generator import program_of
from loomir.tools.fuzz.onnx_oracle import to_onnx
from tests.tiers import THOROUGH

ROOT = Path(__file__).parents[2]
SEED = 4104
PROGRAMS = range(40)
PASSES = [each for name in ("graph", "core", "structured", "loops") for each in PIPELINES[name]]
NEED_SHAPES = {"unbounded-shape", "unbounded-trips", "unresolved-rank", "dynamic-input"}
"""Errors of the lowering for programs that leave too much open.

Below GRAPH such a program is compiled for one feed.
"""

QUICK = [
    ROOT / "examples" / "controlflow.xml",
    *(ROOT / "tests" / "fixtures" / name for name in ("ad01_fp32.xml", "ad01_int8.xml")),
]
SLOW = [
    ROOT / "examples" / "kws.xml",
    *(
        ROOT / "tests" / "fixtures" / f"{name}.xml"
        for name in (
            "kws_ref_model",
            "pretrainedResnet",
            "pretrainedResnet_quant",
            "vww_96_float",
            "vww_96_int8",
        )
    ),
]


@pytest.mark.parametrize("index", PROGRAMS)
def test_random_programs(index: int) -> None:
    program = program_of(SEED, index)
    model = loomir.load(to_onnx(program), check_each_pass=CheckOptions(feeds=2, seed=index))
    try:
        model.for_feed(program.feeds[0]).lowered("loops")
    except Error as error:
        if error.identifier not in NEED_SHAPES:
            raise


def test_the_programs_are_compared() -> None:
    """Not by accident left out: most runs of sample inputs neither fail nor end at a limit."""
    options = CheckOptions()
    for index in PROGRAMS[:8]:
        program = program_of(SEED, index)
        check_each_pass(
            load_module(to_onnx(program)), PIPELINES["graph"], feeds=program.feeds, options=options
        )
    assert options.counts.failed == options.counts.limited == 0
    assert options.counts.compared >= options.counts.passes


@pytest.mark.parametrize("path", [*QUICK, *(SLOW if THOROUGH else ())], ids=lambda p: p.stem)
def test_the_zoo(path: Path) -> None:
    shapes = {i.name: [e or 1 for e in i.shape or ()] for i in loomir.load(path).inputs}
    options = CheckOptions(feeds=1)
    loomir.load(path, shapes=shapes, check_each_pass=options).lowered("loops")
    assert options.counts.compared == options.counts.passes == len(PASSES)
