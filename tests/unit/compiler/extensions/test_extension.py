"""Permitted contents of an extension, and their meaning.

An extension is added as a whole or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import onnx.parser
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.passes import ModulePass
from xdsl.traits import Pure

import loomir
from loomir.compiler.extensions.loading import unloaded_afterwards
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.option_names import ENGINES
from loomir.compiler.pipeline import run_passes
from loomir.dialects import ov
from loomir.dialects.element_types import TENSOR
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.interfaces import AnyOrder, ChannelsFirst, Sources
from loomir.dialects.ov.layers import is_known
from loomir.dialects.ov.operators.elementwise_unary import AbsOp, NegativeOp
from loomir.passes.front.convert_onnx_to_ov.node import Node
from tests.support import raises_error


@pytest.fixture(autouse=True)
def taken_back() -> Iterator[None]:
    with unloaded_afterwards():
        yield


def operation(
    name: str = "ov.acme.same",
    *,
    composite: bool = False,
    evaluated: bool = True,
    layout: Any = None,
    **sources: Any,
) -> type[OvOperation]:
    """An operation that gives its operand."""

    class Same(OvOperation):
        COMPOSITE: ClassVar[bool] = composite
        LAYOUT: ClassVar = layout
        SOURCES: ClassVar = Sources(**sources)
        data = operand_def(TENSOR)
        output = result_def(TENSOR)
        traits = traits_def(Pure())

        def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
            return [Fact(facts[0].element, facts[0].shape)]

        if evaluated:

            def evaluate(self, x: np.ndarray) -> np.ndarray:
                return x

    Same.name = name
    return irdl_op_definition(Same)


def extension(*classes: Any, name: str = "acme") -> loomir.Extension:
    made = loomir.Extension(name)
    for each in classes:
        made.operation(each)
    return made


def model(node: str, opset: int = 20) -> onnx.ModelProto:
    return onnx.parser.parse_model(
        f'<ir_version: 10, opset_import: ["" : {opset}, "com.acme" : 1]> g (float[2,3] x) => (float[2,3] y) {{ {node} }}'
    )


X = np.array([[-1, 2, -3], [4, 0.5, -0.25]], np.float32)


# ----- operations -------------------------------------------------------------------------------------------


class NotDefined(OvOperation):
    name = "ov.acme.not_defined"
    data = operand_def(TENSOR)


@irdl_op_definition
class Unreadable(OvOperation):
    name = "ov.acme.unreadable"
    SOURCES: ClassVar = Sources(openvino=("AcmeUnreadable",))
    data = operand_def(TENSOR)
    output = result_def(TENSOR)
    table = prop_def(DictionaryAttr)

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return x


@pytest.mark.parametrize(
    ("op_class", "said"),
    [
        (operation("ov.same"), "'ov.same'"),
        (operation("ov.other.same"), "'ov.other.same'"),
        (operation("acme.same"), "'acme.same'"),
        (operation("ov.acme.Same-op"), "'ov.acme.Same-op'"),
        (NotDefined, "@irdl_op_definition"),
        (Unreadable, "property"),
        (ModuleOp, "is not an operation of GRAPH"),
        (operation(evaluated=False), "has no evaluate"),
        (operation(composite=True), "COMPOSITE, but has no decomposition"),
        (operation(layout="nchw"), "LAYOUT of ov.acme.same is 'nchw'"),
        (operation(layout=ChannelsFirst((0, 1))), "names operand 1"),
        (operation(layout=AnyOrder(axes=2)), "names operand 2"),
        (operation(layout=AnyOrder(axis="axis")), "names the attribute 'axis'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_operation_is_refused(op_class: Any, said: str) -> None:
    with raises_error("extension-operation", said):
        extension(op_class).register()


def test_a_decomposition_of_what_is_not_composite() -> None:
    op_class = operation()
    made = extension(op_class)
    made.decomposition(op_class)(lambda op, build: [op.data])
    with raises_error("extension-operation", "not COMPOSITE"):
        made.register()


def test_a_name_that_is_none() -> None:
    for name in ("", "a b", "a.b", 3):
        with raises_error("bad-option", "is not a name of an extension"):
            loomir.Extension(name)  # type: ignore[arg-type]


def test_an_extensions_name_may_have_a_hyphen() -> None:
    extension(operation("ov.my_firm.same"), name="my-firm").register()()


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        ({"openvino": ("Swish", 4)}, "the layer 'Swish'"),
        ({"openvino": ("swish",)}, "the layer 'swish'"),
        ({"onnx": ("Abs", 13)}, "the operator 'Abs'-13"),
    ],
)
def test_what_loomir_knows_is_no_other_operation(sources: dict[str, Any], said: str) -> None:
    with raises_error("extension-clash", said):
        extension(operation(**sources)).register()
    loomir.load(model("y = Abs(x)"))


def test_two_operations_of_one_operator() -> None:
    both = extension(
        operation("ov.acme.a", onnx=("Same", 1), domain="com.acme"),
        operation("ov.acme.b", onnx=("Same", 1), domain="com.acme"),
    )
    with raises_error("extension-clash", "ov.acme.b is the operator 'Same' of 'com.acme'"):
        both.register()


# ----- as a whole or not at all -----------------------------------------------------------------------------


def everything(last: Any) -> loomir.Extension:
    """An extension with one of each kind, and at the end something that may be refused."""
    whole = operation("ov.acme.whole", openvino=("AcmeWhole",), onnx=("Whole", 1), domain="com.acme")
    parts = operation("ov.acme.parts", composite=True, evaluated=False, openvino=("AcmeParts",))
    made = extension(whole, parts)
    made.lowering(whole)(lambda op, low: low.operand(op.data))
    made.decomposition(parts)(lambda op, build: [build.make(AbsOp, op.data)])
    made.extractor("Abs")(lambda node: node.op(NegativeOp, node.input(0)))
    made.inference("Told", "com.acme")(lambda op, facts: facts)
    made.named_pass(AcmeNothingPass)
    made.operation(last)
    return made


class AcmeNothingPass(ModulePass):
    name = "acme-nothing"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pass


def held() -> list[str]:
    """Return the parts of `everything` that are in effect now."""
    found = [op.name for op in ov.operations() if op.name.startswith("ov.acme.")]
    found += [layer for layer in ("AcmeWhole", "AcmeParts") if is_known(layer)]
    text = loomir.load(model("y = Abs(x)")).mlir()
    found += ["Abs"] if "ov.negative" in text else []
    text = loomir.load(model("t = com.acme.Told(x) y = Relu(t)")).mlir()
    found += ["Told"] if "-> tensor<2x3xf32>\n    %1" in text else []
    try:
        run_passes(ModuleOp([]), "acme-nothing")
    except loomir.Error:
        return found
    return [*found, "acme-nothing"]


def test_nothing_stays_of_what_clashes() -> None:
    with raises_error("extension-operation"):
        everything(operation(evaluated=False)).register()
    assert held() == []
    with raises_error("extension-clash", "an operation ov.acme.whole exists already"):
        everything(operation("ov.acme.whole")).register()
    assert held() == []


def test_all_of_it_holds_until_it_is_taken_back() -> None:
    take_back = everything(operation("ov.acme.last")).register()
    names = ["ov.acme.whole", "ov.acme.parts", "ov.acme.last", "AcmeWhole", "AcmeParts", "Abs", "Told"]
    assert held() == [*names, "acme-nothing"]
    take_back()
    assert held() == []


@pytest.mark.parametrize("kind", ["extractor", "inference", "lowering", "decomposition", "pass"])
def test_two_extensions_clash(kind: str) -> None:
    whole = operation("ov.one.whole")
    parts = operation("ov.one.parts", composite=True, evaluated=False)

    def added(name: str) -> loomir.Extension:
        made = extension(*([whole, parts] if name == "one" else []), name=name)
        if name == "one" or kind == "decomposition":
            made.decomposition(parts)(lambda op, build: [op.data])
        if kind == "extractor":
            made.extractor("Same", "com.acme")(lambda node: node.input(0))
        elif kind == "inference":
            made.inference("Same", "com.acme")(lambda op, facts: facts)
        elif kind == "lowering":
            made.lowering(whole)(lambda op, low: low.operand(op.data))
        elif kind == "pass":
            made.named_pass(AcmeNothingPass)
        return made

    take_back = added("one").register()
    try:
        with raises_error("extension-clash", "already"):
            added("two").register()
    finally:
        take_back()


# ----- what it means ----------------------------------------------------------------------------------------


def test_an_operation_without_a_lowering_runs_in_the_graph_engine_alone(tmp_path: Path) -> None:
    take_back = extension(operation(onnx=("Same", 1), domain="com.acme")).register()
    try:
        program = loomir.load(model("s = com.acme.Same(x) y = Abs(s)"))
        np.testing.assert_array_equal(program.run({"x": X}, engine="graph")["y"], np.abs(X))
        for engine in ENGINES:
            if engine != "graph":
                with raises_error("no-lowering", "ov.acme.same", "@extension.lowering"):
                    program.run({"x": X}, engine=engine)
        with raises_error("no-lowering", "ov.acme.same"):
            program.emit_c(tmp_path)
    finally:
        take_back()


def test_text_of_an_extensions_operation_parses_while_it_is_there() -> None:
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = ov.acme.same %x : (tensor<2xf32>) -> tensor<2xf32>
      func.return %y : tensor<2xf32>
    }"""
    take_back = extension(operation()).register()
    assert "ov.acme.same %x" in str(parse_module(text))
    take_back()
    with raises_error("mlir-syntax", "ov.acme.same"):
        parse_module(text)


def test_a_composite_is_what_it_is_made_of() -> None:
    parts = operation("ov.acme.parts", composite=True, evaluated=False, onnx=("Parts", 1), domain="com.acme")
    made = extension(parts)

    @made.decomposition(parts)
    def decompose(op: Any, build: GraphBuilder) -> Sequence[SSAValue]:
        return [build.make(NegativeOp, build.make(AbsOp, op.data))]

    take_back = made.register()
    try:
        program = loomir.load(model("y = com.acme.Parts(x)"))
        for engine in ENGINES:
            np.testing.assert_array_equal(program.run({"x": X}, engine=engine)["y"], -np.abs(X))
    finally:
        take_back()


def test_an_extractor_comes_before_what_there_is() -> None:
    made = extension()
    seen: list[tuple[str, int]] = []

    @made.extractor("Softmax")
    def softmax(node: Node) -> SSAValue:
        seen.append((node.operator, node.version))
        return node.op(AbsOp, node.input(0))

    take_back = made.register()
    try:
        assert "ov.abs" in loomir.load(model("y = Softmax(x)")).mlir()
        assert "ov.abs" in loomir.load(model("y = Softmax(x)", opset=11)).mlir()
    finally:
        take_back()
    assert seen == [("Softmax", 13), ("Softmax", 11)]
    assert "ov.softmax" in loomir.load(model("y = Softmax(x)")).mlir()


def test_an_inference_of_a_wrong_number_of_results() -> None:
    made = extension()
    made.inference("Told", "com.acme")(lambda op, facts: [])
    take_back = made.register()
    try:
        with raises_error("result-count", "Told"):
            loomir.load(model("y = com.acme.Told(x)"))
    finally:
        take_back()
