"""The decomposition of StridedSlice against its own evaluation, with parameters known and unknown."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, TensorType, UnrankedTensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.formats.mlir.parser import make_context
from loomir.compiler.pipeline import run_passes
from loomir.dialects.element_types import f32, i64
from loomir.dialects.ov.base import evaluate
from loomir.dialects.ov.operators.slicing import StridedSliceOp
from tests.support import raises_error
from tests.unit.dialects.ov.movement_cases import GENERATORS
from tests.unit.passes.structured.convert_ov_to_linalg.lowered import build_main, run_structured


@pytest.mark.parametrize("arguments", [[0], [0, 1, 2], [0, 1, 2, 3]])
def test_strided_slice(arguments: list[int]):
    rng = np.random.default_rng(len(arguments))
    for _ in range(30):
        case = GENERATORS["strided_slice"](rng)
        (expected,) = evaluate(case.build(), case.arrays)
        module = build_main(
            case.op_class, case.arrays, case.attributes, arguments=arguments, result_bounds=[[6] * 6]
        )
        run_passes(module, "ov-decompose", context=make_context(), verify_each=True)
        assert not any(isinstance(op, StridedSliceOp) for op in module.walk())
        feed = {f"x{k}": case.arrays[k] for k in arguments}
        np.testing.assert_array_equal(GraphEngine(module)(feed)["y0"], expected)
        if arguments == [0]:
            (lowered,) = run_structured(module, feed)
            np.testing.assert_array_equal(lowered, expected)


def test_unknown_rank():
    block = Block(arg_types=[UnrankedTensorType(f32), *[TensorType(i64, [2])] * 2])
    op = StridedSliceOp.make(*block.args)
    block.add_ops([op, ReturnOp(op.output)])
    main = FuncOp("main", ([a.type for a in block.args], [op.output.type]), Region(block))
    with raises_error("unknown-rank"):
        run_passes(ModuleOp([main]), "ov-decompose", context=make_context())
