"""The optimisation levels: all run, verify after every pass, and between them switch every pass on and off."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loomir
from loomir.compiler.lowering import lower
from loomir.compiler.model import ENGINES
from loomir.compiler.pass_options import with_options
from loomir.compiler.pipeline import pass_instances
from loomir.tools.fuzz.levels import (
    BY_NAME,
    LEVELS,
    REFUSING,
    REQUIRED,
    ROUNDING,
    STEPS,
    Level,
    behind,
    without,
)
from tests.support import assert_all_agree

PASSES = Path(__file__).parents[4] / "passes"
MODEL = """
<ir_version: 8, opset_import: ["" : 21]>
g (float[3,4] x, int64 n) => (float[3,4] last, float[?,4] rows)
<int64 limit = {5}, float[4,4] w = {0.5, 0.25, -1, 2, 1, -0.5, 0.5, 1, 0, 1, 0.25, -1, 2, 1, -1, 0.5}> {
  trips = Min (n, limit)
  last, rows = Loop (trips, , x) <body = b (int64 i, bool c, float[3,4] v) => (bool c2, float[3,4] v2, float[4] row) {
    c2 = Identity (c)
    p = MatMul (v, w)
    v2 = Tanh (p)
    zero = Constant <value_int = 0> ()
    row = Gather <axis = 0> (v2, zero)
  }>
}
"""


def load(level: Level):
    import onnx

    return loomir.load(onnx.parser.parse_model(MODEL), pipelines=level.pipelines)


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
def test_every_pass_leaves_a_program_that_verifies(level: Level) -> None:
    model = load(level)
    model.module.verify()
    lower(model.module, "loops", pipelines=level.pipelines, verify_each=True)


def test_levels_agree() -> None:
    feed = {"x": np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4), "n": np.array(4, np.int64)}
    wanted = load(BY_NAME["imported"]).run(feed, engine="graph")
    for level in LEVELS:
        model = load(level)
        for engine in ENGINES:
            assert_all_agree(model.run(feed, engine=engine), wanted, f"{level.name} {engine}")


def test_every_pass_is_on_in_one_level_and_off_in_another() -> None:
    ours = {
        (p.parent.name if p.name == "__init__.py" else p.stem).replace("_", "-")
        for stage in ("graph", "structured", "loops")
        for p in (PASSES / stage).rglob("*.py")
    }
    every = {name for level in LEVELS for name in level.passes}
    ours = {name for name in ours if name in _registered()}
    assert ours >= {"ov-infer", "bufferize", "linalg-fuse-elementwise"}
    assert ours <= every | REFUSING | ROUNDING, "passes that no level has"
    always = {name for name in every if all(name in level.passes for level in LEVELS)}
    assert always - {"ov-infer"} <= REQUIRED, "passes that every level has"


def _registered() -> set[str]:
    from loomir.compiler.pipeline import available_passes

    return set(available_passes())


def test_required_passes_are_in_every_level() -> None:
    for level in LEVELS:
        assert REQUIRED & BY_NAME["default"].passes <= level.passes, level.name


def test_names_are_unique_and_pipelines_parse() -> None:
    assert len(BY_NAME) == len(LEVELS)
    for level in LEVELS:
        for step in STEPS:
            spelled = ",".join(str(p.pipeline_pass_spec()) for p in getattr(level, step))
            assert tuple(pass_instances(spelled)) == getattr(level, step)


def test_editing() -> None:
    passes = pass_instances("cse,ov-loop-unroll{factor=2},cse,dce")
    assert without(passes, "cse") == tuple(pass_instances("ov-loop-unroll{factor=2},dce"))
    more = pass_instances("cse,ov-loop-unroll{factor=2},cse,licm,dce")
    assert behind(passes, "cse", "licm") == tuple(more)
    other = pass_instances("cse,ov-loop-unroll{factor=2 max-trips=3},cse,dce")
    assert with_options(passes, "ov-loop-unroll", max_trips=3) == tuple(other)
    with pytest.raises(AssertionError, match="licm"):
        without(passes, "licm")
    with pytest.raises(AssertionError, match="licm"):
        with_options(passes, "licm")
