"""ConvertPromoteTypes-14: the common type is OpenVINO's for every pair of types, or both refuse."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import openvino as ov
import pytest
from openvino import opset14
from xdsl.dialects.builtin import UnrankedTensorType

import loomir
from loomir.compiler.formats.openvino.reader import load_openvino
from loomir.dialects.interface import main_function
from tests.support import raises_error

TYPES = ("boolean", "bf16", "f16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")


def promoted(pairs: list[tuple[str, str]], unsafe: bool, scalars: bool) -> ov.Model:
    """One model with an operation for each pair; the second operands are scalars."""
    first = {t: opset14.parameter([2], getattr(ov.Type, t)) for t, _ in pairs}
    second = {t: opset14.parameter([], getattr(ov.Type, t)) for _, t in pairs}
    nodes = [opset14.convert_promote_types(first[a], second[b], unsafe, scalars, "f64") for a, b in pairs]
    results = [opset14.result(o) for n in nodes for o in n.outputs()]
    return ov.Model(results, [*first.values(), *second.values()], "model")


def is_allowed(a: str, b: str, scalars: bool) -> bool:
    try:
        promoted([(a, b)], False, scalars)
    except RuntimeError:
        return False
    return True


@pytest.mark.parametrize("unsafe", [False, True])
@pytest.mark.parametrize("scalars", [False, True])
def test_common_type(unsafe: bool, scalars: bool, tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    pairs = [(a, b) for a, b in product(TYPES, TYPES) if unsafe or is_allowed(a, b, scalars)]
    ov.serialize(promoted(pairs, unsafe, scalars), path, path.with_suffix(".bin"))
    expected = [o.get_element_type().get_type_name() for o in ov.Core().read_model(path).outputs]
    types = main_function(load_openvino(path)).function_type.outputs
    elements = [str(UnrankedTensorType(t.element_type)) for t in types]  # pyright: ignore[reportAttributeAccessIssue]
    names = {"i1": "boolean", **{f"ui{n}": f"u{n}" for n in (8, 16, 32, 64)}}
    actual = [names.get(e[len("tensor<*x") : -1], e[len("tensor<*x") : -1]) for e in elements]
    assert actual == expected


@pytest.mark.parametrize("scalars", [False, True])
def test_unsafe_promotion(scalars: bool, tmp_path: Path) -> None:
    """OpenVINO does not build what is unsafe: here it is forbidden in the file of a model in which it is allowed."""
    path = tmp_path / "model.xml"
    refused = [(a, b) for a, b in product(TYPES, TYPES) if not is_allowed(a, b, scalars)]
    assert len(refused) > 30
    for a, b in refused[::5]:
        ov.serialize(promoted([(a, b)], True, scalars), path, path.with_suffix(".bin"))
        path.write_text(path.read_text().replace('promote_unsafe="true"', 'promote_unsafe="false"'))
        with raises_error("promotion-unsafe", "ConvertPromoteTypes"):
            loomir.load(path)
