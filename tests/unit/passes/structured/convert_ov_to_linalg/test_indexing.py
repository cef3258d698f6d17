"""Lowerings of gathering, scattering, cumulative sums, searching and columns: what upstream accepts, what the C checks,
and that scattering writes in place."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.model import Model
from loomir.dialects.interface import with_full_constants
from loomir.dialects.ov.base import AttrValue, OvOperation
from loomir.dialects.ov.operators.constant import OneHotOp
from loomir.dialects.ov.operators.gathering import GatherElementsOp, GatherNDOp
from loomir.dialects.ov.operators.layout import ReverseSequenceOp
from loomir.dialects.ov.operators.reduction import CumProdOp, CumSumOp
from loomir.dialects.ov.operators.scattering import (
    ScatterElementsUpdateOp,
    ScatterNDUpdateOp,
    ScatterUpdateOp,
)
from loomir.dialects.ov.operators.sorting import SearchSortedOp
from loomir.dialects.ov.operators.windows import Col2ImOp
from tests.operators import assert_lowering, one_operation, structured
from tests.support import raises_error
from tests.support_tools import MLIR_OPT, needs

X = np.arange(12, dtype=np.float32).reshape(3, 4)
BLOCK = np.arange(30, dtype=np.float32).reshape(2, 5, 3)
HALF = X.astype(np.float16)
AT = np.array([[0, -1, 2, 1]])
ROW = np.array([[5, 6, 7, 8]], np.float32)
AXIS = np.array(0)

Use = tuple[type[OvOperation], Sequence[np.ndarray], Mapping[str, AttrValue], Sequence[int]]
"""Class, operands, attributes, and which operands are constants."""

USES: dict[str, Use] = {
    "gather_elements": (GatherElementsOp, [X, AT], {"axis": 0}, []),
    "gather_nd": (GatherNDOp, [X, np.array([[1, -1], [0, 2]])], {}, []),
    "gather_nd of slices": (GatherNDOp, [X, np.array([[1], [0]], np.uint8)], {}, []),
    "gather_nd of batches": (GatherNDOp, [X, np.array([[3], [0], [1]])], {"batch_dims": 1}, []),
    "scatter": (ScatterElementsUpdateOp, [X, AT, ROW, AXIS], {}, [3]),
    "scatter mean": (
        ScatterElementsUpdateOp, [HALF, AT, ROW.astype(np.float16), AXIS], {"reduction": "mean", "use_init_val": False}, [3],
    ),
    "scatter mean of integers": (
        ScatterElementsUpdateOp, [X.astype(np.int8), AT, -ROW.astype(np.int8), AXIS], {"reduction": "mean"}, [3],
    ),
    "scatter product alone": (
        ScatterElementsUpdateOp, [X, AT, ROW, AXIS], {"reduction": "prod", "use_init_val": False}, [3],
    ),
    "scatter_nd": (ScatterNDUpdateOp, [X, np.array([[2], [2]]), np.vstack([ROW, ROW])], {"reduction": "sum"}, []),
    "scatter_nd of elements": (ScatterNDUpdateOp, [X, np.array([[2, 1]]), np.array([9], np.float32)], {}, []),
    "scatter_nd into a constant": (ScatterNDUpdateOp, [X * 0, np.array([[1]]), ROW], {}, [0]),
    "scatter_update at one": (ScatterUpdateOp, [X, np.array(2, np.int32), X[1], np.array(0)], {}, [3]),
    "scatter_update at one in the middle": (
        ScatterUpdateOp, [BLOCK, np.array([1], np.uint8), BLOCK[:, :1] * 2, np.array(-2)], {}, [3]),
    "scatter_update at one, last": (ScatterUpdateOp, [X, np.array([[0]]), X[:, :1, None] + 1, np.array(1)], {}, [3]),
    "scatter_update at one of nothing": (ScatterUpdateOp, [X[:, :0], np.array(1), X[0, :0], np.array(0)], {}, [3]),
    "scatter_update": (ScatterUpdateOp, [X, np.array([2, 0]), X[:, :2], np.array(1)], {}, [3]),
    "reverse_sequence": (ReverseSequenceOp, [X, np.array([2, 0, 4])], {}, []),
    "one_hot": (
        OneHotOp, [np.array([[1, -1, 7]], np.int32), np.array([3]), np.array([5], np.uint8), np.array(2, np.uint8)],
        {"axis": 1, "negative_indices_mode": "normalize"}, [1],
    ),
    "cum_sum": (CumSumOp, [HALF, AXIS], {"exclusive": True}, [1]),
    "cum_prod": (CumProdOp, [X.astype(np.uint8), np.array(-1)], {"reverse": True}, [1]),
    "search_sorted": (SearchSortedOp, [X, X[:, ::2] + 1], {"right_mode": True}, []),
    "search_sorted in one": (SearchSortedOp, [X[0], X], {}, []),
    "col2im": (Col2ImOp, [np.arange(18.0).reshape(1, 2, 9), np.array([4, 3]), np.array([2, 1])], {"pads_end": [0, 0]}, [1, 2]),
    "col2im of f16": (
        Col2ImOp, [HALF.reshape(6, 2), np.array([5]), np.array([2])], {"strides": [2], "pads_begin": [1], "dilations": [2]}, [1, 2],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", USES)
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "open"])
def test_lowered_is_evaluated(name: str, dynamic: bool) -> None:
    op_class, arrays, attributes, constants = USES[name]
    if dynamic and op_class is ScatterNDUpdateOp:
        with raises_error("unknown-length", "tuples of indices"):
            assert_lowering(op_class, arrays, attributes, constants=constants, dynamic=True)
    elif dynamic and op_class is GatherNDOp:
        with raises_error("unresolved-rank"):
            assert_lowering(op_class, arrays, attributes, constants=constants, dynamic=True)
    else:
        assert_lowering(op_class, arrays, attributes, constants=constants, dynamic=dynamic)


@needs(MLIR_OPT)
def test_upstream_accepts_what_is_lowered() -> None:
    texts: list[str] = []
    for op_class, arrays, attributes, constants in USES.values():
        for dynamic in (False, True):
            if dynamic and op_class in (ScatterNDUpdateOp, GatherNDOp):
                continue  # see above
            module, _ = one_operation(op_class, arrays, attributes, constants=constants, dynamic=dynamic)
            texts.append(str(with_full_constants(structured(module))))
            texts.append(str(with_full_constants(Model(module).lowered("loops"))))
    done = subprocess.run(
        [MLIR_OPT, "--split-input-file"],
        input="\n// -----\n".join(texts),
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[:2000]


def chained(count: int) -> ModuleOp:
    """Scatters one after another, each into the result of the one before."""
    from loomir.compiler.formats.mlir.parser import parse_module

    lines = [
        f"%{k} = ov.scatter_nd_update %{k - 1 if k else 'r'}, %i, %u : "
        "(tensor<64x8xf32>, tensor<2x1xi64>, tensor<2x8xf32>) -> tensor<64x8xf32>"
        for k in range(count)
    ]
    return parse_module(
        "func.func @main(%x: tensor<64x8xf32>, %i: tensor<2x1xi64>, %u: tensor<2x8xf32>) -> tensor<64x8xf32> {\n"
        "%r = ov.relu %x : (tensor<64x8xf32>) -> tensor<64x8xf32>\n"
        + "\n".join(lines)
        + f"\nfunc.return %{count - 1} : tensor<64x8xf32>\n}}"
    )


def test_scatters_write_in_place() -> None:
    """No buffer but the result, no copy: an update costs what is updated."""
    loops = Model(chained(3)).lowered("loops")
    assert not [op for op in loops.walk() if isinstance(op, memref.AllocOp | memref.ViewOp | memref.CopyOp)]


def test_indices_are_checked_in_c() -> None:
    for use, wrong in (
        ("scatter_update", -1),
        ("scatter_update at one", 3),
        ("scatter_update at one in the middle", 5),
        ("scatter_update at one, last", -1),
        ("scatter", 3),
        ("scatter_nd", -4),
        ("gather_nd", 4),
        ("gather_elements", -4),
    ):
        op_class, arrays, attributes, constants = USES[use]
        indices = arrays[1].copy()
        indices.reshape(-1)[-1] = wrong
        given = [arrays[0], indices, *arrays[2:]]
        module, _ = one_operation(op_class, given, attributes, constants=constants)
        with raises_error("runtime-index"):
            Model(module).run(
                {f"x{k}": a for k, a in enumerate(given) if k not in constants}, engine="native"
            )
