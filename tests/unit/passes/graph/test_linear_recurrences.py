"""Linear recurrences in blocks: within the bound of their rounding, in any form, length and direction."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.pipeline import run_passes
from loomir.passes.graph.lib.linear_recurrences import _steps

FORWARD, BACKWARD = "#ov.slice<axis = 0>", "#ov.slice<axis = 0, start = -1, end = 0, stride = -1>"
FORMS = {
    "product and sum": ("ov.multiply %v, %p", "ov.add %m, %q"),
    "product less a term": ("ov.multiply %p, %v", "ov.subtract %m, %q"),
    "a term less the product": ("ov.multiply %p, %v", "ov.subtract %q, %m"),
    "sum, then product": ("ov.add %q, %v", "ov.multiply %m, %p"),
    "difference, then product": ("ov.subtract %q, %v", "ov.multiply %m, %p"),
    "one factor for all": ("ov.multiply %v, %b", "ov.add %m, %q"),
}
SHAPE = (3, 2)


def _module(form: str, trips: int, slices: str, joined: str) -> str:
    part, whole = (f"tensor<{'x'.join(map(str, (n, *SHAPE)))}xf32>" for n in (1, trips))
    first, second = FORMS[form]
    binary = f"({part}, {part}) -> {part}"
    return f"""
        func.func @main(%x: {whole}, %y: {whole}, %a: {part}, %b: {part}) -> ({part}, {whole}) {{
          %r, %all = ov.loop carried(%a) sliced(%x, %y)
              {{slices = [{slices}, {slices}], concats = [{slices}]}}
              : ({part}, {whole}, {whole}) -> ({part}, {whole}) {{
          ^bb0(%i: tensor<i64>, %v: {part}, %p: {part}, %q: {part}):
            %m = {first} : {binary}
            %w = {second} : {binary}
            ov.next carried(%w : {part}) concat({joined} : {part})
          }}
          func.return %r, %all : {part}, {whole}
        }}"""


def _by_hand(form: str, x: np.ndarray, y: np.ndarray, a: np.ndarray, b: np.ndarray, joined: str) -> tuple:
    """Return results in float64, and the same of absolute values, which weigh the roundings."""
    one = {"ov.multiply": np.multiply, "ov.add": np.add, "ov.subtract": np.subtract}
    sums = {**one, "ov.subtract": np.add}
    found = []
    for operations, turned in ((one, lambda v: v), (sums, np.abs)):
        v, parts = turned(a.astype(np.float64)), []
        for p, q in zip(x.astype(np.float64)[:, None], y.astype(np.float64)[:, None], strict=True):
            values = {"%v": v, "%p": turned(p), "%q": turned(q), "%b": turned(b.astype(np.float64))}
            for name, text in zip(("%m", "%w"), FORMS[form], strict=True):
                operation, operands = text.split(" ", 1)
                values[name] = operations[operation](*(values[o] for o in operands.split(", ")))
            parts.append(values[joined])
            v = values["%w"]
        found.append((v, np.concatenate(parts)))
    return found[0], found[1]


@pytest.mark.parametrize(("form", "backward", "joined"), product(FORMS, (False, True), ("%w", "%v", "%m")))
@pytest.mark.parametrize("trips", [32, 37, 100])
def test_errors_are_within_the_bound(form: str, backward: bool, joined: str, trips: int) -> None:
    module = parse_module(_module(form, trips, BACKWARD if backward else FORWARD, joined))
    run_passes(module, "ov-infer,ov-loop-reassociate,ov-infer")
    assert "axis = 1" in str(module)
    random = np.random.default_rng(trips)
    feed = [random.uniform(-1.2, 1.2, (n, *SHAPE)).astype(np.float32) for n in (trips, trips, 1, 1)]
    results = GraphEngine(module)({f"arg{k}": v for k, v in enumerate(feed)}).values()
    ordered = [v[::-1] if backward and len(v) > 1 else v for v in feed]
    (end, all_), (weight, weights) = _by_hand(form, *ordered, joined)
    wanted, weighed = (
        [last, whole[::-1] if backward else whole] for last, whole in ((end, all_), (weight, weights))
    )
    roundings = 2 * (_steps(trips) + -(-trips // _steps(trips))) + 4
    for got, value, scale in zip(results, wanted, weighed, strict=True):
        assert np.all(np.abs(got - value) <= roundings * 2.0**-24 * scale)
