"""`onnx-topk-attribute-to-input`: the program in GRAPH is the same as that of the attribute."""

from __future__ import annotations

import onnx.parser
import pytest

from loomir.compiler.formats.onnx.importer import load_front
from loomir.compiler.pipeline import run_passes


@pytest.mark.parametrize("opset", [1, 8, 9])
@pytest.mark.parametrize("attributes", ["k = 2", "k = 3, axis = 0"])
def test_the_same_program(opset: int, attributes: str) -> None:
    model = onnx.parser.parse_model(f"""
        <ir_version: 3, opset_import: ["" : {opset}]>
        g (float[4, 5] x) => (float[n, m] values, int64[n, m] places) {{
            values, places = TopK <{attributes}> (x)
        }}
    """)
    with_attribute, with_input = load_front(model), load_front(model)
    run_passes(with_attribute, "convert-onnx-to-ov")
    run_passes(with_input, "onnx-topk-attribute-to-input,convert-onnx-to-ov", verify_each=True)
    assert "ov.top_k" in str(with_input) or "ov.topk" in str(with_input)
    assert str(with_attribute) == str(with_input)
