"""FRONT is all of a model: of ONNX's own backend tests what is printed parses back, and means what the model means.

A sample here, all 2,024 by `make thorough`.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import onnx

from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.formats.onnx.importer import load_front, load_onnx
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.translate import convert
from loomir.passes.options import TranslationOptions
from tests.conformance.onnx_suite import all_tests
from tests.tiers import sample

ONE_IN = 20


def graph_of(model: onnx.ModelProto | Path) -> str:
    """GRAPH as it is imported, or the error."""
    try:
        return str(load_onnx(model))
    except Error as error:
        return f"{error.identifier}: {error.what}"


def graph_of_text(text: str) -> str:
    """GRAPH of FRONT in a text, or the error."""
    module = parse_module(text)
    assert str(module) == text, "it is printed otherwise than it was read"
    try:
        convert(module, TranslationOptions())
    except Error as error:
        return f"{error.identifier}: {error.what}"
    return str(module)


def test_front_holds_the_whole_model() -> None:
    wrong: list[str] = []
    for name in sample(sorted(all_tests()), ONE_IN):
        test = all_tests()[name]
        model = Path(test.model_dir) / "model.onnx" if test.model is None and test.model_dir else test.model
        assert model is not None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Kept: its large constants are not in the text, but found as long as they are there.
            front = load_front(model)
            if graph_of(model) != graph_of_text(str(front)):
                wrong.append(name)
    assert not wrong, wrong
