"""From GRAPH text to a run of the STRUCTURED program: what tests of the conversion share."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.engines.lowered import StructuredEngine
from loomir.compiler.formats.mlir.parser import make_context, parse_module
from loomir.compiler.stages import verify_stage
from loomir.dialects.interface import with_full_constants
from loomir.passes.graph.ov_bound_shapes import OvBoundShapesPass
from loomir.passes.structured.convert_ov_loop_to_scf import ConvertOvLoopToScfPass
from loomir.passes.structured.convert_ov_to_linalg import ConvertOvToLinalgPass
from tests.support_tools import MLIR_OPT


def lower(text: str, *, capacity: int | None = None) -> ModuleOp:
    """The STRUCTURED module of GRAPH text, checked after each pass and by upstream where it is installed."""
    module = parse_module(text)
    convert(module, capacity=capacity)
    return module


def convert(module: ModuleOp, *, capacity: int | None = None) -> None:
    """The same in place."""
    context = make_context()
    for p in (OvBoundShapesPass(capacity=capacity), ConvertOvLoopToScfPass(), ConvertOvToLinalgPass()):
        p.apply(context, module)
        module.verify()
    verify_stage(module, "structured")
    assert not [op.name for op in module.walk() if op.name.startswith("ov.")]
    if shutil.which(MLIR_OPT) is not None:
        done = subprocess.run(
            [MLIR_OPT], input=str(with_full_constants(module)), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{done.stderr}\n{module}"


def run(text: str, feed: Mapping[str, object], *, capacity: int | None = None) -> dict[str, np.ndarray]:
    """The outputs of GRAPH text, lowered to STRUCTURED and interpreted."""
    return StructuredEngine(lower(text, capacity=capacity))(feed)
