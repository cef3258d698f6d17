"""Attributes of ONNX's nodes, equal to the Model Optimizer's own extractors.

The fixture's results are always compared; those of an installed Model Optimizer are if `LOOMIR_MO_ORACLE` locates it.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from loomir.tools.model_optimizer.mo import install_legacy_names, remove_legacy_names
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from loomir.tools.model_optimizer.mo.onnx_extraction import extract_built_in, read_by_class
from loomir.tools.model_optimizer.mo.op import Op
from loomir.tools.model_optimizer.mo.phases import extract
from tests import mo_extraction, mo_oracle
from tests.mo_oracle import needs_oracle
from tests.support import raises_error
from tests.unit.tools.model_optimizer.mo import extraction_program

# What is other than in the Model Optimizer, and why.
REFUSED_THERE = {
    "Cast",  # to an element type that it does not have
    "Constant",  # in one of the short forms of version 12
    "ConvTranspose",  # without kernel_shape: here it is a node that is not known
    "Dropout",  # whose mask is taken: the same
    "Einsum",  # with blanks in the equation
}
"""Operators that it fails at, in some form, and that are read here or left as nodes that are not known."""

BODIES = {"body", "then_branch", "else_branch", "input_port_map", "output_port_map", "back_edges"}
"""A loop's body is made there by the extractor, and here by what loads the model, as is what connects it."""

NO_SUCH_TYPE = {"bfloat16", "float8", "float4", "float6", "int4", "uint4", "int2", "uint2"}
"""Inputs of these element types it takes for float32 or bytes; here they keep their own."""


@cache
def fixture() -> dict[str, Any]:
    return mo_oracle.fixture(mo_extraction.FIXTURE)


@pytest.fixture(autouse=True)
def _legacy_names() -> Iterator[None]:
    install_legacy_names()
    yield
    remove_legacy_names()


def read(model: str) -> dict[str, Any]:
    """Return extracted attributes as JSON would have them."""
    extracted = extraction_program.extracted(model, lambda graph: extract(graph, [], extract_built_in))
    return json.loads(json.dumps(extracted))


def is_known(there: dict[str, Any]) -> bool:
    """Return True if a node got anything there beside its name."""
    return "out_ports_count" in there or "version" in there or len(there.keys() - {"op"}) > 2


def is_refused_for_a_reason(model: onnx.ModelProto) -> bool:
    """Return True if the Model Optimizer's failure is a known difference."""
    if {node.op_type for node in model.graph.node} & REFUSED_THERE:
        return True
    types = [value.type for value in model.graph.input]
    if not all(t.HasField("tensor_type") for t in types):
        # Sequences and what is optional: here nodes that are not known.
        return True
    names = [str(helper.tensor_dtype_to_np_dtype(t.tensor_type.elem_type)) for t in types]
    return any(known in name for name in names for known in NO_SUCH_TYPE)


def differences(text: str, expected: dict[str, Any]) -> Iterator[str]:
    """Yield differences from the expected result, except those with a reason."""
    model = onnx.load_model_from_string(base64.b64decode(text))
    actual = read(text)
    if "error" in expected:
        if "error" in actual or not is_refused_for_a_reason(model):
            yield f"error {actual.get('error')}, and there {expected['error']}"
        return
    if "error" in actual:
        yield actual["error"]
        return
    for name, there in expected.items():
        here = actual[name]
        if not is_known(there):
            # Here such a node has also its attributes, by their own names.
            here = {k: v for k, v in here.items() if k in there}
        for key in sorted((here.keys() | there.keys()) - BODIES):
            own_type = key == "data_type" and any(t in str(here.get(key)) for t in NO_SUCH_TYPE)
            if not own_type and here.get(key, "none") != there.get(key, "none"):
                yield f"{name}: {key} is {here.get(key)}, and there {there.get(key)}"


def test_sample_is_read_as_there() -> None:
    wrong = {
        name: found
        for name, row in fixture().items()
        if (found := list(differences(row["model"], row["nodes"])))
    }
    assert not wrong, json.dumps(wrong, indent=1)
    assert len(fixture()) > 400


@needs_oracle
def test_all_node_tests_are_read_as_there() -> None:
    models = mo_extraction.encoded(mo_extraction.node_tests())
    expected = mo_extraction.oracle(models)
    wrong = {
        name: found for name, model in models.items() if (found := list(differences(model, expected[name])))
    }
    assert not wrong, json.dumps(wrong, indent=1)


@needs_oracle
def test_fixture_is_what_is_there() -> None:
    models = {name: row["model"] for name, row in fixture().items()}
    assert mo_extraction.oracle(models) == {name: row["nodes"] for name, row in fixture().items()}


def node_of(operator: str, opset: int = 13, **attributes: Any) -> Node:
    """A node in a graph of its own."""
    graph = Graph(name="one")
    graph.graph.update(layout="NCHW", fw="onnx", fw_opset_version=opset)
    graph.add_node("x", kind="op", pb=helper.make_node(operator, ["a"], ["b"], **attributes))
    return Node(graph, "x")


def test_unknown_operator_keeps_its_attributes() -> None:
    tensor = helper.make_tensor("t", TensorProto.FLOAT, [2], [1.0, 2.0])
    node = node_of("Mystery", number=3, text="some", many=[1, 2], texts=["a", "b"], tensor=tensor)
    assert not extract_built_in(node)
    assert (node.op, node.number, node.text, node.many, node.texts) == (
        "Mystery",
        3,
        "some",
        [1, 2],
        ["a", "b"],
    )
    assert node.tensor.dtype == np.float32
    assert node.tensor.tolist() == [1.0, 2.0]


class Mystery(Op):
    op = "Mystery"

    def __init__(self, graph: Graph, attrs: dict[str, Any]) -> None:
        super().__init__(graph, {"op": self.op, "type": None, "mine": True, "in_ports_count": 1}, attrs)


class Relu(Mystery):
    op = "Relu"


def test_class_of_an_extension_reads_what_no_extractor_does() -> None:
    node = node_of("Mystery")
    assert extract(node.graph, [Mystery], extract_built_in) == ["x"]
    assert node.mine
    node = node_of("Relu")
    assert extract(node.graph, [Relu], extract_built_in) == ["x"]
    assert node.op == "ReLU"
    assert not node.has("mine")


def test_class_of_an_extension_alone() -> None:
    """Extraction by class alone, for a bridge that reads the others itself."""
    assert extract(node_of("Mystery").graph, [Mystery], read_by_class) == ["x"]
    assert extract(node_of("Relu").graph, [Relu], read_by_class) == []
    assert extract(node_of("Relu").graph, [Mystery], read_by_class) == []


def test_node_without_a_message_is_left_alone() -> None:
    graph = Graph()
    graph.add_node("x", kind="op", op="Relu")
    assert not extract_built_in(Node(graph, "x"))


@pytest.mark.parametrize(
    ("operator", "opset", "attributes"),
    [
        ("Conv", 13, {"pads": [1, 2, 3]}),
        ("Slice", 9, {"starts": [1]}),
        ("Pad", 2, {"mode": "edge"}),
        ("DepthToSpace", 13, {"blocksize": 2, "mode": "XYZ"}),
        ("Upsample", 7, {"scales": [1.0, 2.0]}),
        ("Upsample", 7, {"mode": "cubic"}),
        ("DetectionOutput", 13, {"code_type": "ROUND"}),
    ],
)
def test_attributes_that_cannot_be(operator: str, opset: int, attributes: dict[str, Any]) -> None:
    with raises_error("mo-onnx-attribute"):
        extract_built_in(node_of(operator, opset, **attributes))


def test_element_type_that_onnx_does_not_have() -> None:
    with raises_error("mo-data-type"):
        extract_built_in(node_of("Cast", to=99))
