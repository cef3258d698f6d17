"""Every option against what the Model Optimizer made of the same model: inputs, outputs, and results (`tests/model_optimizer/`)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import loomir
from loomir.compiler.formats.onnx.importer import load_front
from loomir.compiler.levels import UNOPTIMIZED_GRAPH
from loomir.compiler.model import Model
from loomir.compiler.pipeline import run_passes
from loomir.dialects.interface import arguments_of, main_function, results_of
from loomir.passes.front.convert_onnx_to_ov.translate import convert
from loomir.passes.options import TranslationOptions
from loomir.tools.model_optimizer.convert.cutting import apply_input_options
from loomir.tools.model_optimizer.convert.preprocessing import normalise_inputs
from loomir.tools.model_optimizer.convert.preprocessing_options import (
    PreprocessingOptions,
    parse_layouts,
    parse_scale,
    parse_values,
)
from loomir.tools.model_optimizer.convert.specifications import input_options, parse_outputs
from tests.model_optimizer.cutting_cases import CASES, FIXTURES, Case, model
from tests.support import assert_agree, raises_error

MADE = [case for case in CASES if case.refused is None]
REFUSED = [case for case in CASES if case.refused is not None]


def converted(name: str, given: Mapping[str, str]) -> Model:
    """One of the models with options by the Model Optimizer's names."""
    module = load_front(model(name))
    layouts = parse_layouts(given["layout"]) if "layout" in given else ()
    options = input_options(
        input=given.get("input"),
        input_shape=given.get("input_shape"),
        freeze=given.get("freeze_placeholder_with_value"),
        batch=given.get("batch"),
    )
    outputs = parse_outputs(given["output"]) if "output" in given else None
    apply_input_options(module, options, outputs, layouts)
    convert(module, TranslationOptions())
    run_passes(module, UNOPTIMIZED_GRAPH)
    preprocessing = PreprocessingOptions(
        means=parse_values("mean-values", given["mean_values"]) if "mean_values" in given else (),
        scales=parse_values("scale-values", given["scale_values"]) if "scale_values" in given else (),
        scale=parse_scale(given["scale"]) if "scale" in given else None,
        layouts=layouts,
        reverse_channels="reverse_input_channels" in given,
    )
    normalise_inputs(module, preprocessing)
    return Model(module)


def inputs_of(module: ModuleOp) -> list[tuple[object, ...]]:
    function = main_function(module)
    pairs = zip(function.args, arguments_of(function))
    return [(entry.name, entry.names, argument.type, entry.bounds) for argument, entry in pairs]


def outputs_of(module: ModuleOp) -> list[tuple[object, ...]]:
    function = main_function(module)
    return [(entry.name, entry.names) for entry in results_of(function)]


@pytest.mark.parametrize("case", MADE, ids=lambda case: case.name)
def test_as_the_model_optimizer(case: Case) -> None:
    ours = converted(case.model, case.options)
    theirs = loomir.load(FIXTURES / f"{case.name}.xml", optimize=False)
    mine, other = inputs_of(ours.module), inputs_of(theirs.module)
    assert mine == other if case.ordered else sorted(mine, key=str) == sorted(other, key=str)
    assert outputs_of(ours.module) == outputs_of(theirs.module)
    assert [(o.name, o.dtype, o.shape) for o in ours.outputs] == [
        (o.name, o.dtype, o.shape) for o in theirs.outputs
    ]
    rng = np.random.default_rng(0)
    for extent in case.extents:
        feed = {
            i.name: rng.standard_normal([extent if e is None else e for e in i.shape or ()]).astype(i.dtype)
            for i in ours.inputs
        }
        results, expected = ours.run(feed, engine="graph"), theirs.run(feed, engine="graph")
        native = ours.run(feed)
        for name, value in expected.items():
            assert_agree(results[name], value, name)
            assert_agree(native[name], value, name)


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_refused_as_by_the_model_optimizer(case: Case) -> None:
    assert case.name in (FIXTURES / "refused.txt").read_text().splitlines()
    assert case.refused is not None
    with raises_error(case.refused):
        converted(case.model, case.options)
