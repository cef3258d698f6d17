"""One engine for all forms: every program between two passes of the pipeline runs, and gives the same."""

from __future__ import annotations

import numpy as np
import pytest

from loomir.compiler.checking.agreement import Outcome, compare
from loomir.compiler.checking.feeds import sample_feeds, sources_of
from loomir.compiler.checking.running import ProgramEngine, has_boundary_form
from loomir.compiler.formats.mlir.parser import make_context, parse_module
from loomir.compiler.pipeline import PIPELINES, pass_instances, run_passes
from loomir.dialects.interface import main_function
from tests.support_planted import planted_feed, planted_program


def test_every_form_between_passes_runs() -> None:
    module, feed, context = planted_program(), planted_feed(), make_context()
    expected = Outcome(ProgramEngine(module)(feed))
    forms = []
    for name in ("graph", "core", "structured", "loops"):
        for instance in pass_instances(list(PIPELINES[name])):
            instance.apply(context, module)
            outcome = Outcome(ProgramEngine(module)(feed))
            assert compare(expected, outcome, exact=False) is None, instance.name
            forms.append(has_boundary_form(main_function(module)))
    # First whole values, then the boundary form; never back.
    assert forms == sorted(forms)
    assert set(forms) == {False, True}


UNSIGNED = """
func.func @main(%x: tensor<2xui8> {loomir.name = "x"}, %y: tensor<?xui8> {loomir.name = "y", loomir.bounds = [3 : i64]})
    -> (tensor<2xui8> {loomir.name = "s"}, tensor<?xui8> {loomir.name = "t"}) {
  %s = ov.add %x, %x : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  %t = ov.maximum %y, %y : (tensor<?xui8>, tensor<?xui8>) -> tensor<?xui8>
  func.return %s, %t : tensor<2xui8>, tensor<?xui8>
}
"""


def test_casts_between_unsigned_and_signless() -> None:
    module = parse_module(UNSIGNED)
    feed = {"x": np.array([200, 3], np.uint8), "y": np.array([255], np.uint8)}
    expected = Outcome(ProgramEngine(module)(feed))
    run_passes(module, "ov-bound-shapes,convert-ov-loop-to-scf")
    assert "unrealized_conversion_cast" in str(module)
    assert compare(expected, Outcome(ProgramEngine(module)(feed)), exact=True) is None


INT4 = """
func.func @main(%x: tensor<3xi8> {loomir.name = "x"}) -> (tensor<3xi4> {loomir.name = "y"}, tensor<3xi8> {loomir.name = "z"}) {
  %y = ov.convert %x {destination_type = i4} : (tensor<3xi8>) -> tensor<3xi4>
  %z = ov.convert %y {destination_type = i8} : (tensor<3xi4>) -> tensor<3xi8>
  func.return %y, %z : tensor<3xi4>, tensor<3xi8>
}
"""


def test_casts_of_storage_types() -> None:
    module = parse_module(INT4)
    feed = {"x": np.array([-8, 7, 2], np.int8)}
    expected = Outcome(ProgramEngine(module)(feed))
    for passes in ("ov-bound-shapes,convert-ov-loop-to-scf", "convert-ov-to-linalg"):
        run_passes(module, passes)
        assert compare(expected, Outcome(ProgramEngine(module)(feed)), exact=True) is None, passes


COMPOSITE = """
func.func @main(%x: tensor<?x4xf32> {loomir.name = "x"}) -> (tensor<?x4xf32> {loomir.name = "y"}) {
  %axes = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %y = ov.mvn %x, %axes {normalize_variance = true, eps = 1.0e-6 : f64, eps_mode = "inside_sqrt"}
      : (tensor<?x4xf32>, tensor<1xi64>) -> tensor<?x4xf32>
  func.return %y : tensor<?x4xf32>
}
"""


def test_composite_operations_run_as_they_are() -> None:
    """Each is decomposed for the operands it meets: not by running the pass that is to be checked."""
    module = parse_module(COMPOSITE)
    engine = ProgramEngine(module)
    for rows in (1, 3):
        x = np.random.default_rng(rows).standard_normal((rows, 4)).astype(np.float32)
        y = engine({"x": x})["y"]
        np.testing.assert_allclose(y.mean(1), 0, atol=1e-6)
        np.testing.assert_allclose(y.std(1), 1, atol=1e-3)
    assert "ov.mvn" in str(module)


def test_feeds_are_seeded_and_differ() -> None:
    module = planted_program()
    first, again = sample_feeds(module, 4, seed=7), sample_feeds(module, 4, seed=7)
    for a, b in zip(first, again):
        assert all(np.array_equal(a[k], b[k]) for k in a)
    assert {bool(feed["c"]) for feed in first} == {False, True}
    counts = {int(feed["n"]) for feed in first}
    assert 0 in counts
    assert counts & {1, 2, 3, 5}
    assert not np.array_equal(first[0]["x"], sample_feeds(module, 1, seed=8)[0]["x"])


def test_dynamic_dimensions_stay_within_their_bounds() -> None:
    shapes = [feed["y"].shape for feed in sample_feeds(parse_module(UNSIGNED), 5)]
    assert (3,) in shapes
    assert (0,) in shapes
    assert all(n <= 3 for (n,) in shapes)


def test_fixed_inputs_states_and_given_ones() -> None:
    module = parse_module(
        """func.func @main(%a: tensor<2xf32> {loomir.name = "a", loomir.value = dense<3.0> : tensor<2xf32>},
                %h: tensor<2xf32> {loomir.name = "h", loomir.state = "v", loomir.initial = dense<5.0> : tensor<2xf32>},
                %x: tensor<2xf32> {loomir.name = "x"}) -> (tensor<2xf32> {loomir.name = "h", loomir.state = "v"}) {
             func.return %h : tensor<2xf32>
           }"""
    )
    feeds = sample_feeds(module, 2, given={"x": np.zeros(2, np.float32), "none": np.zeros(1)})
    assert [feed["a"].tolist() for feed in feeds] == [[3, 3], [3, 3]]
    assert feeds[0]["h"].tolist() == [5, 5]
    assert feeds[1]["h"].tolist() != [5, 5]
    assert all(feed["x"].tolist() == [0, 0] for feed in feeds)
    assert "none" not in feeds[0]


@pytest.mark.parametrize("stage", ["structured", "loops"])
def test_the_inputs_of_a_lowered_program_are_the_users(stage: str) -> None:
    module = parse_module(UNSIGNED)
    run_passes(
        module, [p for name in ("structured", "loops")[: 1 + (stage == "loops")] for p in PIPELINES[name]]
    )
    assert [(s.name, str(s.type)) for s in sources_of(module)] == [
        ("x", "tensor<2xui8>"),
        ("y", "tensor<?xui8>"),
    ]
    assert {f["y"].dtype for f in sample_feeds(module, 2)} == {np.dtype(np.uint8)}
