"""Run one operation through `convert-ov-loop-to-scf` and `convert-ov-to-linalg` in the structured engine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from loomir.compiler.engines.lowered import StructuredEngine
from loomir.compiler.formats.mlir.parser import make_context
from loomir.compiler.pipeline import run_passes
from loomir.compiler.stages import verify_stage
from loomir.dialects.attributes import with_bounds
from loomir.dialects.element_types import element_of
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.operators.constant import ConstantOp

TO_STRUCTURED = "convert-ov-loop-to-scf,convert-ov-to-linalg"


def build_main(
    op_class: type[OvOperation],
    arrays: Sequence[np.ndarray],
    attributes: dict,
    *,
    arguments: Sequence[int],
    open_dims: Sequence[Sequence[int]] = (),
    variadic: bool = False,
    results: int = 1,
    result_bounds: Sequence[Sequence[int]] = (),
) -> ModuleOp:
    """`main` with one operation. `arguments` are the arrays that are inputs (the others are constants),
    `open_dims` their dimensions of unknown extent (bounded by the extent + 2), `result_bounds` the bounds of
    results with a `?`, as many as the largest rank needs."""
    block = Block()
    args: list[DictionaryAttr] = []
    values: dict[int, SSAValue] = {}
    for position, k in enumerate(arguments):
        array = arrays[k]
        dims = [*open_dims[position]] if open_dims else []
        shape = [DYNAMIC_INDEX if i in dims else e for i, e in enumerate(array.shape)]
        values[k] = block.insert_arg(TensorType(element_of(array.dtype), shape), len(block.args))
        entry: dict = {"loomir.name": StringAttr(f"x{k}")}
        if dims:
            bounds = [e + 2 if i in dims else e for i, e in enumerate(array.shape)]
            entry["loomir.bounds"] = ArrayAttr([IntegerAttr(b, i64) for b in bounds])
        args.append(DictionaryAttr(entry))
    for k, array in enumerate(arrays):
        if k not in values:
            constant = ConstantOp.of(array)
            block.add_op(constant)
            values[k] = constant.output
    ordered = [values[k] for k in range(len(arrays))]
    op = op_class.make(*([ordered] if variadic else ordered), attributes=attributes, results=results)
    for result, bounds in zip(op.results, result_bounds):
        assert isinstance(result.type, TensorType)
        shape = result.type.get_shape()
        if DYNAMIC_INDEX not in shape:
            continue
        result._type = with_bounds(result.type, bounds[: len(shape)])  # pyright: ignore[reportPrivateUsage]
    block.add_op(op)
    block.add_op(ReturnOp(*op.results))
    main = FuncOp("main", ([a.type for a in block.args], [r.type for r in op.results]), Region(block))
    main.arg_attrs = ArrayAttr(args)
    main.res_attrs = ArrayAttr([DictionaryAttr({"loomir.name": StringAttr(f"y{i}")}) for i in range(results)])
    return ModuleOp([main])


def lowered_to_structured(module: ModuleOp) -> ModuleOp:
    """A copy lowered to STRUCTURED, verified after each pass and at the stage."""
    lowered = module.clone()
    run_passes(lowered, TO_STRUCTURED, context=make_context(), verify_each=True)
    verify_stage(lowered, "structured")
    return lowered


def run_structured(module: ModuleOp, feed: dict[str, np.ndarray]) -> list[np.ndarray]:
    """Lower a copy to STRUCTURED and run it operation by operation; the results in order."""
    answer = StructuredEngine(lowered_to_structured(module), pure=True)(feed)
    return [answer[f"y{i}"] for i in range(len(answer))]
