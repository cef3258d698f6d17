"""Programs of one operation, for tests that compare its lowering with its numpy semantics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
from xdsl.ir import Attribute, Block, Region, SSAValue

from loomir.compiler.engines.lowered import StructuredEngine
from loomir.compiler.pipeline import run_passes
from loomir.compiler.stages import verify_stage
from loomir.dialects.element_types import element_of
from loomir.dialects.ov.base import AttrValue, OvOperation, evaluate
from loomir.dialects.ov.operators.constant import ConstantOp


def one_operation(
    op_class: type[OvOperation],
    arrays: Sequence[np.ndarray],
    attributes: Mapping[str, AttrValue] | None = None,
    *,
    constants: Sequence[int] = (),
    dynamic: bool = False,
    slack: int = 2,
) -> tuple[ModuleOp, OvOperation]:
    """A module whose `main` applies one operation to its arguments, and the operation.

    Operands listed in `constants` are constants, the others inputs `x0`, `x1` …; with `dynamic` all their
    dimensions are `?`, bounded `slack` above the arrays' extents.
    """
    types: list[Attribute] = []
    entries: list[DictionaryAttr] = []
    for index, array in enumerate(arrays):
        if index in constants:
            continue
        entry: dict[str, Attribute] = {"loomir.name": StringAttr(f"x{index}")}
        shape = list(array.shape)
        if dynamic and shape:
            entry["loomir.bounds"] = ArrayAttr([IntegerAttr(d + slack, i64) for d in shape])
            shape = [DYNAMIC_INDEX] * len(shape)
        types.append(TensorType(element_of(array.dtype), shape))
        entries.append(DictionaryAttr(entry))
    block = Block(arg_types=types)
    arguments = iter(block.args)
    operands: list[SSAValue] = []
    for index, array in enumerate(arrays):
        if index in constants:
            constant = ConstantOp.of(array)
            block.add_op(constant)
            operands.append(constant.output)
        else:
            operands.append(next(arguments))
    op = op_class.make(*operands, attributes=attributes)
    block.add_ops([op, ReturnOp(*op.results)])
    main = FuncOp("main", (types, [r.type for r in op.results]), Region(block), arg_attrs=ArrayAttr(entries))
    main.res_attrs = ArrayAttr(
        [DictionaryAttr({"loomir.name": StringAttr(f"y{k}")}) for k in range(len(op.results))]
    )
    return ModuleOp([main]), op


def structured(module: ModuleOp) -> ModuleOp:
    """A copy of a GRAPH module as STRUCTURED, before any optimisation there."""
    module = module.clone()
    run_passes(
        module, ["ov-bound-shapes", "convert-ov-loop-to-scf", "convert-ov-to-linalg"], verify_each=False
    )
    verify_stage(module, "structured")
    return module


def lowered(
    module: ModuleOp, arrays: Sequence[np.ndarray], constants: Sequence[int] = ()
) -> list[np.ndarray]:
    """The results of such a module when it runs as STRUCTURED."""
    module = structured(module)
    feed = {f"x{k}": a for k, a in enumerate(arrays) if k not in constants}
    results = StructuredEngine(module)(feed)
    return [results[name] for name in sorted(results)]


def assert_lowering(
    op_class: type[OvOperation],
    arrays: Sequence[np.ndarray],
    attributes: Mapping[str, AttrValue] | None = None,
    *,
    constants: Sequence[int] = (),
    dynamic: bool = False,
    tolerance: float = 1e-5,
) -> None:
    """The lowered operation gives what `evaluate` gives: integers exactly, floats within a relative
    tolerance.
    """
    module, op = one_operation(op_class, arrays, attributes, constants=constants, dynamic=dynamic)
    expected = evaluate(op, arrays)
    actual = lowered(module, arrays, constants)
    what = f"{op_class.name} {[(a.shape, str(a.dtype)) for a in arrays]} {attributes} dynamic={dynamic}"
    assert len(actual) == len(expected), what
    for a, e in zip(actual, expected):
        assert a.dtype == e.dtype, what
        assert a.shape == e.shape, f"{what}: {a.shape}, expected {e.shape}"
        if e.dtype.kind in "biu":
            np.testing.assert_array_equal(a, e, err_msg=what)
        else:
            np.testing.assert_allclose(
                a.astype(np.float64), e.astype(np.float64), rtol=tolerance, atol=tolerance, err_msg=what
            )
