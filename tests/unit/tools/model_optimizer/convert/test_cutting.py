"""Cutting and freezing in FRONT and in GRAPH."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.parser
import pytest
from xdsl.dialects.builtin import ModuleOp, TensorType, UnrankedTensorType

from loomir.compiler.formats import load_module
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.formats.onnx.importer import load_front
from loomir.compiler.levels import UNOPTIMIZED_GRAPH
from loomir.compiler.model import Model
from loomir.compiler.pipeline import run_passes
from loomir.compiler.stages import is_front
from loomir.dialects.element_types import f16, f32
from loomir.dialects.interface import Entry, argument_names, main_function, result_names, set_arguments
from loomir.dialects.ov.facts import Dim
from loomir.passes.front.convert_onnx_to_ov.translate import convert
from loomir.passes.options import TranslationOptions
from loomir.tools.model_optimizer.convert.cutting import apply_input_options, cut
from loomir.tools.model_optimizer.convert.named_values import freeze
from loomir.tools.model_optimizer.convert.preprocessing import reshape, set_batch
from loomir.tools.model_optimizer.convert.preprocessing_options import parse_layouts
from loomir.tools.model_optimizer.convert.specifications import input_options, parse_inputs
from tests.model_optimizer.cutting_cases import FIXTURES, model
from tests.support import assert_agree, raises_error

STAGES = ("front", "graph")


def branches(stage: str) -> ModuleOp:
    """The model with branches: from ONNX in FRONT, or in GRAPH the IR that the Model Optimizer makes of it."""
    return load_front(model("branches")) if stage == "front" else load_module(FIXTURES / "as-it-is.xml")


def front(text: str) -> ModuleOp:
    return load_front(onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17, "own" : 1]> {text}'))


def runnable(module: ModuleOp) -> Model:
    if is_front(module):
        convert(module, TranslationOptions())
    run_passes(module, UNOPTIMIZED_GRAPH)
    return Model(module)


def names(module: ModuleOp) -> tuple[list[str], list[str]]:
    function = main_function(module)
    return argument_names(function), result_names(function)


def feed_of(program: Model) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    return {i.name: rng.standard_normal(i.shape).astype(i.dtype) for i in program.inputs}


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(
    ("inputs", "outputs", "after"),
    [
        ("relu", ["r"], (["0:relu"], ["r"])),
        ("0:relu[1,4,4,4]", ["z"], (["0:relu"], ["z"])),
        ("c,k", None, (["c", "k"], ["y", "z"])),
        ("s1", ["z"], (["s1"], ["z"])),
        ("s1,s0,k", ["a", "m"], (["s1", "s0", "k"], ["a", "m"])),
        ("1:add,0:add", ["a"], (["1:add", "0:add"], ["a"])),
        ("x", ["c"], (["x"], ["c"])),
        ("w,x", ["c"], (["w", "x"], ["c"])),
        ("r[2,4,4,4],k", None, (["r", "k"], ["y", "z"])),
    ],
)
def test_parts_of_a_model(
    stage: str, inputs: str, outputs: list[str] | None, after: tuple[list[str], list[str]]
) -> None:
    module = branches(stage)
    cut(module, parse_inputs(inputs), outputs)
    assert (names(module)[0], sorted(names(module)[1])) == (after[0], after[1])
    module.verify()
    assert str(parse_module(str(module))) == str(module)
    runnable(module)


@pytest.mark.parametrize("stage", STAGES)
def test_two_parts_give_what_the_whole_does(stage: str) -> None:
    whole = runnable(branches(stage))
    feed = feed_of(whole)
    expected = whole.run(feed)
    first, second = branches(stage), branches(stage)
    cut(first, None, ["r"])
    cut(second, parse_inputs("r,k"), None)
    middle = runnable(first).run({"x": feed["x"]})
    results = runnable(second).run({"r": middle["r"], "k": feed["k"]})
    for name, value in expected.items():
        assert_agree(results[name], value, name)


@pytest.mark.parametrize("stage", STAGES)
def test_an_input_port_is_cut_for_its_node_alone(stage: str) -> None:
    module = branches(stage)
    cut(module, parse_inputs("1:add,x,k"), None)
    program = runnable(module)
    feed = feed_of(program)
    other = feed | {"1:add": feed["1:add"] + 1}
    assert_agree(program.run(other)["z"], program.run(feed)["z"], "z does not read it")
    assert not np.allclose(program.run(other)["y"], program.run(feed)["y"])


@pytest.mark.parametrize("stage", STAGES)
def test_frozen_inputs_are_constants(stage: str) -> None:
    whole = runnable(branches(stage))
    feed = feed_of(whole)
    module = branches(stage)
    freeze(module, {"k": tuple(feed["k"].ravel().tolist())})
    assert names(module) == (["x"], names(whole.module)[1])
    results = runnable(module).run({"x": feed["x"]})
    for name, value in whole.run(feed).items():
        assert_agree(results[name], value, name)


@pytest.mark.parametrize("stage", STAGES)
def test_shapes_and_batch_sizes_hold_whatever_is_declared(stage: str) -> None:
    module = branches(stage)
    set_batch(module, 5)
    assert [o.shape for o in runnable(module).outputs] == [(5, 2, 4, 4)] * 2
    module = branches(stage)
    reshape(module, {"x": (Dim(0, 7), Dim(3, 3), Dim(4, 4), Dim(4, 4))})
    program = runnable(module)
    assert program.inputs[0].shape == (None, 3, 4, 4)
    assert program.inputs[0].max_shape == (7, 3, 4, 4)


@pytest.mark.parametrize("stage", STAGES)
def test_the_batch_of_a_layout(stage: str) -> None:
    module = branches(stage)
    set_batch(module, 1, parse_layouts("x(n...),k(?...)"))
    assert [i.shape for i in Model(module).inputs] == [(1, 3, 4, 4), (1, 2, 4, 4)]
    with raises_error("bad-option", "--layout", "2 and 1"):
        set_batch(module, 4, parse_layouts("nchw"))
    with raises_error("unknown-input", "'u'"):
        set_batch(module, 4, parse_layouts("u(nchw)"))


def test_a_batch_needs_a_dimension() -> None:
    with raises_error("bad-option", "--batch", "'x'", "need not be a batch"):
        set_batch(front("g (float[3,1] x) => (float[3,1] y) { y = Relu(x) }"), 4)
    with raises_error("bad-option", "--batch", "need not be a batch"):
        set_batch(front("g (float x) => (float y) { y = Relu(x) }"), 2)
    unranked = front("g (float[3] x) => (float[3] y) { y = Relu(x) }")
    main_function(unranked).body.block.args[0]._type = UnrankedTensorType(f32)
    with raises_error("bad-option", "the rank of the input 'x' is not known"):
        set_batch(unranked, 2)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(
    ("inputs", "outputs", "identifier", "says"),
    [
        ("rely,k", None, "unknown-name", "relu"),
        ("9:relu,k", None, "unknown-port", "its input ports: 0"),
        ("relu:1,k", None, "unknown-port", "its output ports: 0"),
        ("0:x,k", None, "unknown-port", "'x' is an input"),
        ("x:1,k", None, "unknown-port", "only output port"),
        ("add[1,2,4,4],k", None, "bad-option", "'0:add'"),
        ("relu,0:relu", ["r"], "bad-option", "same place"),
        ("r", ["a", "a:0"], "unknown-name", "'a:0'"),
        ("r", ["a", "add"], "bad-option", "same tensor"),
        ("r", None, "inputs-needed", "'k'"),
        ("0:add", ["a"], "inputs-needed", "'x'"),
        ("k->[1,2],x", None, "value-mismatch", "2 values do not fill it"),
        ("k{i32}->[1.5],x", None, "value-mismatch", "1 values do not fill it"),
    ],
)
def test_what_cannot_be_cut(
    stage: str, inputs: str, outputs: list[str] | None, identifier: str, says: str
) -> None:
    with raises_error(identifier, says):
        cut(branches(stage), parse_inputs(inputs), outputs)


# Identifiers that a test has to name itself.


def test_errors_of_names() -> None:
    with raises_error("unknown-name", "similar names: relu"):
        cut(branches("front"), None, ["rleu"])
    with raises_error("unknown-name", "the model's inputs: x, k"):
        cut(branches("front"), None, ["7777"])
    with raises_error("unknown-port", "'split' has no output port 2"):
        cut(branches("front"), None, ["split:2"])
    twice = "g (float[2] x) => (float[2] y, float[2] z) { [a] y = Relu(x) [a] z = Tanh(x) }"
    with raises_error("ambiguous-name", "several nodes"):
        cut(front(twice), None, ["a"])
    cut(front(twice), None, ["z"])
    colons = 'g (float[2] x) => (float[2] y) { ["0:a"] t = Relu(x) [b] y = Tanh(t) }'
    module = onnx.parser.parse_model(
        f'<ir_version: 8, opset_import: ["" : 17]> {colons.replace(chr(34), "").replace("0:a", "c")}'
    )
    module.graph.node[0].name, module.graph.node[1].name = "0:a", "a:1"
    with raises_error("ambiguous-name", "'0:a:1'"):
        cut(load_front(module), None, ["0:a:1"])


def test_two_names_of_one_input() -> None:
    module = front("g (float[1] x) => (float[1] y) { y = Relu(x) }")
    set_arguments(main_function(module), [Entry.of(name="x", names=["x", "other"])])
    with raises_error("bad-option", "x, other"):
        freeze(module, {"x": 1, "other": 2})
    with raises_error("bad-option", "same place"):
        cut(module, parse_inputs("x,other"), None)


def test_what_outputs_do_not_need_is_no_input() -> None:
    module = branches("front")
    cut(module, parse_inputs("add:0,x"), ["relu"])
    assert names(module)[0] == ["x"]


def test_other_inputs_are_needed() -> None:
    with raises_error("inputs-needed", "'k'"):
        cut(branches("front"), parse_inputs("x"), ["y"])


def test_outputs_that_nothing_reaches() -> None:
    model = "g (float[2] x, float[2] u) => (float[2] y) { y = Relu(x) }"
    with raises_error("no-outputs"):
        cut(front(model), parse_inputs("u"), None)


def test_the_type_of_what_nobody_knows() -> None:
    """Behind an operator that has no meaning only a shape that is given helps; before it types are known."""
    model = "g (float[2,3] x) => (float[2,3] y) { [a] t = Relu(x) [b] u = own.Thing(t) [c] y = Tanh(u) }"
    with raises_error("unknown-type", "'c[1,3,224,224]{f32}'"):
        cut(front(model), parse_inputs("c"), None)
    module = front(model)
    cut(module, parse_inputs("c[2,3]"), None)
    assert runnable(module).inputs[0].shape == (2, 3)
    module = front(model)
    cut(module, None, ["t"])
    assert names(module) == (["x"], ["t"])
    module = front(model)
    cut(module, parse_inputs("b"), ["b"])
    assert main_function(module).function_type.inputs.data[0] == TensorType(f32, [2, 3])


def test_a_type_alone_keeps_the_shape() -> None:
    module = branches("front")
    cut(module, parse_inputs("relu{f16}"), ["r"])
    assert main_function(module).function_type.inputs.data[0] == TensorType(f16, [1, 4, 4, 4])


def test_sequences_have_no_shapes() -> None:
    model = "g (seq(float[2]) s, int64 i) => (float[2] y) { [at] t = SequenceAt(s, i) [end] y = Relu(t) }"
    with raises_error("input-sequence", "'s'"):
        cut(front(model), parse_inputs("s[2],i"), None)
    with raises_error("input-sequence", "'0:at'"):
        cut(front(model), parse_inputs("0:at[2],i"), None)
    with raises_error("input-sequence", "'s'"):
        freeze(front(model), {"s": 1})
    module = front(model)
    cut(module, parse_inputs("i,0:at"), None)
    assert names(module)[0] == ["i", "0:at"]


def test_a_body_reads_what_is_cut_around_it() -> None:
    model = """g (bool c, float[2] x) => (float[2] y) {
      [a] t = Relu(x)
      [b] y = If (c) <then_branch = g1 () => (float[2] p) { p = Tanh(t) }, else_branch = g2 () => (float[2] q) { q = Identity(t) }>
    }"""
    module = front(model)
    cut(module, parse_inputs("a:0,c"), None)
    program = runnable(module)
    value = np.array([1, -2], np.float32)
    assert_agree(program.run({"a:0": value, "c": np.True_})["y"], np.tanh(value))
    with raises_error("unknown-name", "'p'"):
        cut(front(model), None, ["p"])


def test_ports_of_layers_that_became_several_operations() -> None:
    """Their outputs can be cut, what comes in cannot be told."""
    module = branches("graph")
    relu = next(op for op in main_function(module).body.block.ops if op.name == "ov.relu")
    copy = relu.clone()
    main_function(module).body.block.insert_op_after(copy, relu)
    with raises_error("unknown-port", "cannot be named"):
        cut(module, parse_inputs("0:relu"), ["z"])


def test_variables_stay() -> None:
    module = parse_module("""
      func.func @main(%x: tensor<2xf32> {loomir.name = "x"}, %u: tensor<2xf32> {loomir.name = "u"},
                      %h: tensor<2xf32> {loomir.name = "h", loomir.state = "h"})
          -> (tensor<2xf32> {loomir.name = "y"}, tensor<2xf32> {loomir.name = "z"}, tensor<2xf32> {loomir.name = "h", loomir.state = "h"}) {
        %y = ov.add %x, %h : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> loc("sum")
        %z = ov.tanh %u : (tensor<2xf32>) -> tensor<2xf32> loc("tanh")
        func.return %y, %z, %y : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
      }""")
    cut(module, parse_inputs("x"), None)
    assert names(module) == (["x", "h"], ["y", "h"])
    cut(module, None, ["y"])
    assert names(module) == (["x", "h"], ["y", "h"])
    set_batch(module, 1, parse_layouts("c"))
    apply_input_options(module, input_options(input_shape="[2]"))
    assert names(module) == (["x", "h"], ["y", "h"])


def test_all_options_together() -> None:
    module = branches("front")
    apply_input_options(
        module, input_options(input="k[1,2,4,4],relu[1,4,4,4]", freeze="x->[" + "0 " * 48 + "]")
    )
    assert names(module)[0] == ["k", "0:relu"]
    module = branches("front")
    with raises_error("bad-option", "2 inputs that are not frozen"):
        apply_input_options(module, input_options(input_shape="[1,3,4,4]"))
