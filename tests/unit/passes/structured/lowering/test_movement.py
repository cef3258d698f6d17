"""Lowerings of reshape, slicing, gathering, joining and broadcasting against `evaluate`, on random cases."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest

from loomir.dialects.ov.evaluate import evaluate
from tests.unit.dialects.ov.movement_cases import GENERATORS, Case
from tests.unit.passes.structured.lowering.lowered import build_main, lowered_to_structured, run_structured

CASES = 12
UPSTREAM = shutil.which("mlir-opt-22")

PARAMETERS = {
    "reshape": [1], "slice": [1, 2, 3], "variadic_split": [2], "tile": [1], "broadcast": [1],
    "pad": [1, 2, 3], "gather": [], "range": [], "concat": [], "split": [], "transpose": [], "squeeze": [],
    "unsqueeze": [], "shape_of": [],
}  # fmt: skip
"""Which arrays may be inputs of the program besides data; the others say which axes are meant."""


def check(name: str, case: Case, rng: np.random.Generator, *, dynamic: bool, parameters: bool) -> None:
    expected = evaluate(case.build(), case.arrays)
    arguments = list(range(case.data))
    if parameters:
        arguments += [k for k in PARAMETERS[name] if k < len(case.arrays)]
    open_dims = [
        [i for i in range(case.arrays[k].ndim) if k < case.data and rng.integers(2)] if dynamic else []
        for k in arguments
    ]
    if name in ("squeeze",):
        # A dimension that may be 1 or not decides the rank.
        open_dims = [[i for i in dims if case.arrays[0].shape[i] != 1] for dims in open_dims]
        if len(case.arrays) == 1:
            open_dims = [[]]
    if any(open_dims) and any(0 in a.shape for a in (*case.arrays, *expected)):
        return  # `test_empty_tensors` has those
    module = build_main(
        case.op_class,
        case.arrays,
        case.attributes,
        arguments=arguments,
        open_dims=open_dims,
        variadic=case.variadic,
        results=case.results,
        result_bounds=[[e + 1 for e in r.shape] for r in expected],
    )
    shapes = [(a.shape, a.dtype) for a in case.arrays]
    what = f"{name} dynamic={open_dims}: {shapes} {case.arrays[1:]} {case.attributes}"
    try:
        actual = run_structured(module, {f"x{k}": case.arrays[k] for k in arguments})
    except Exception as error:
        raise AssertionError(f"{what}\n{module}") from error
    for ours, theirs in zip(actual, expected):
        assert ours.dtype == theirs.dtype, what
        assert ours.shape == theirs.shape, what
        np.testing.assert_array_equal(ours, theirs, err_msg=what)


@pytest.mark.parametrize("name", [n for n in GENERATORS if n != "strided_slice"])
@pytest.mark.parametrize("kind", ["static", "extents", "parameters", "both"])
def test_lowering_agrees_with_evaluate(name: str, kind: str):
    rng = np.random.default_rng(sum(name.encode()) + len(kind))
    for _ in range(CASES):
        case = GENERATORS[name](rng)
        check(name, case, rng, dynamic=kind in ("extents", "both"), parameters=kind in ("parameters", "both"))


@pytest.mark.skipif(UPSTREAM is None, reason="mlir-opt is not installed")
@pytest.mark.parametrize("name", [n for n in GENERATORS if n != "strided_slice"])
def test_upstream_accepts_what_is_lowered(name: str):
    """Static programs, and those whose parameters are inputs, in one run of the tool."""
    assert UPSTREAM is not None
    rng = np.random.default_rng(sum(name.encode()))
    texts: list[str] = []
    for index in range(CASES):
        case = GENERATORS[name](rng)
        arguments = list(range(case.data)) + [
            k for k in PARAMETERS[name] if index % 2 and k < len(case.arrays)
        ]
        expected = evaluate(case.build(), case.arrays)
        module = build_main(
            case.op_class,
            case.arrays,
            case.attributes,
            arguments=arguments,
            variadic=case.variadic,
            results=case.results,
            result_bounds=[[e + 1 for e in r.shape] for r in expected],
        )
        texts.append(str(lowered_to_structured(module)))
    done = subprocess.run(
        [UPSTREAM, "--split-input-file"],
        input="\n// -----\n".join(texts),
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[:2000]
