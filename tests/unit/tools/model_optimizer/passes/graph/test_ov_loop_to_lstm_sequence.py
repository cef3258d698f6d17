"""`ov-loop-to-lstm-sequence`: loops of cells written in many ways give what their one sequence gives; and the way there and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.model import Model
from loomir.compiler.pipeline import run_passes
from loomir.dialects.element_types import dtype_of, f32, tensor_type_of
from loomir.dialects.interface import argument_names, main_function
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from tests.support import assert_all_agree
from tests.unit.passes.graph.lib.decompositions.test_recurrent import SEQUENCE, Example, H
from tests.unit.passes.structured.convert_ov_to_linalg.lowered import build_main
from tests.unit.tools.model_optimizer.passes.graph.written_lstm import Written, module_of

WAYS = {
    "plain": Written(),
    **{f"order-{order}": Written(order) for order in ("iofc", "ifco", "cofi", "ocif")},
    **{f"cut-{cut}": Written("iofc", cut) for cut in ("variadic", "slice", "strided", "none")},
    "functions-first": Written("iofc", functions_first=True),
    "one-product": Written("icfo", product="xh"),
    "one-product-of-h-and-x": Written("icfo", product="hx", outputs_first=False, bias="two"),
    "apart-and-inputs-first": Written("ifco", "none", outputs_first=False, bias="row"),
    "inputs-first": Written("iofc", outputs_first=False),
    **{f"bias-{bias}": Written("icfo", bias=bias) for bias in ("none", "two", "row", "inside", "forget")},
    "biases-apart": Written("icfo", "none", bias="two"),
    "backwards": Written(taken="backwards"),
    "backwards-joined-forwards": Written("ifco", taken="backwards", joined="other-way"),
    "time-first": Written(time="TNI"),
    "time-first-backwards": Written(time="TNI", taken="backwards", state="1NH"),
    "four-dimensions": Written(time="T1NI", state="N1H", last=True),
    "no-batch": Written(time="TI"),
    "gathered": Written("iofc", time="TNI", taken="gather", outputs_first=False),
    "gathered-backwards": Written("iofc", taken="gather-backwards"),
    "gathered-by-one": Written(time="TNI", taken="gather-one", trip="extent"),
    "trip": Written(trip="5"),
    "trip-is-extent": Written(trip="extent", taken="backwards"),
    "no-limit": Written(trip="-1"),
    "last-values": Written(last=True),
}
"""Ways to write the loop; each is one sequence."""


def feed_of(module: ModuleOp, seed: int = 3) -> dict[str, np.ndarray]:
    """Random numbers for what a program takes."""
    rng = np.random.default_rng(seed)
    function = main_function(module)
    types = [tensor_type_of(argument) for argument in function.args]
    return {
        name: rng.standard_normal(type_.get_shape()).astype(dtype_of(type_.element_type))
        for name, type_ in zip(argument_names(function), types)
    }


def converted(module: ModuleOp, passes: str = "ov-loop-to-lstm-sequence") -> tuple[ModuleOp, Counter[str]]:
    """A copy behind the pass, and which operations it has."""
    copy = module.clone()
    run_passes(copy, passes, verify_each=True)
    return copy, Counter(op.name for op in copy.walk())


@pytest.mark.parametrize("way", WAYS)
def test_one_sequence_gives_the_same(way: str) -> None:
    module = module_of(WAYS[way])
    after, found = converted(module)
    assert found["ov.lstm_sequence"] == 1
    assert not found["ov.loop"]
    feed = feed_of(module)
    assert_all_agree(GraphEngine(after)(feed), GraphEngine(module)(feed), way)


def test_plain_weights_are_taken_as_they_are() -> None:
    _, found = converted(module_of(Written()), "ov-loop-to-lstm-sequence,canonicalize,cse")
    assert not found["ov.slice"] + found["ov.concat"] + found["ov.transpose"]


def test_constant_weights_stay_constants() -> None:
    module = module_of(Written("iofc", product="xh", outputs_first=False, bias="inside"))
    block = main_function(module).body.block
    assert converted(module, "ov-loop-to-lstm-sequence,ov-fold-constants,canonicalize,cse")[1]["ov.slice"]
    for argument in list(block.args)[3:]:
        constant = ConstantOp.of(np.ones(tensor_type_of(argument).get_shape(), np.float32))
        first = block.first_op
        assert first is not None
        block.insert_op_before(constant, first)
        argument.replace_all_uses_with(constant.output)
    _, found = converted(module, "ov-loop-to-lstm-sequence,ov-fold-constants,canonicalize,cse")
    assert not found["ov.slice"] + found["ov.concat"] + found["ov.transpose"] + found["ov.add"]


def test_native() -> None:
    module = module_of(Written("iofc", time="TNI", taken="backwards", outputs_first=False, bias="two"))
    after, found = converted(module)
    assert found["ov.lstm_sequence"] == 1
    feed = feed_of(module)
    assert_all_agree(Model(after).run(feed, engine="native"), Model(module).run(feed, engine="native"))


def sequence(
    kind: str, direction: str, lengths: list[int] | None, attributes: dict, **how
) -> tuple[ModuleOp, dict[str, np.ndarray]]:
    """A program of one sequence, and a feed. Without `lengths` they are known to be all steps."""
    example = Example(kind, direction, 21, lengths=lengths)
    arrays = example.ours(linear="linear_before_reset" in attributes, peepholes=how.pop("peepholes", False))
    fixed = 3 if kind == "LSTM" else 2
    arguments = [k for k in range(len(arrays)) if lengths is not None or k != fixed]
    results = 3 if kind == "LSTM" else 2
    module = build_main(
        SEQUENCE[kind], arrays, {"hidden_size": H, "direction": direction, **attributes},
        arguments=arguments, results=results, result_bounds=[[9] * 4] * results, **how,
    )  # fmt: skip
    return module, {f"x{k}": arrays[k] for k in arguments}


def there_and_back(
    kind: str, direction: str, lengths: list[int] | None, passes: str, attributes: dict | None = None, **how
) -> Counter[str]:
    """A sequence to a loop and back: it gives the same; which operations there are then."""
    module, feed = sequence(kind, direction, lengths, attributes or {}, **how)
    loops, found = converted(module, passes)
    assert found["ov.loop"] == (2 if direction == "bidirectional" else 1)
    assert not found[SEQUENCE[kind].name]
    after, found = converted(loops, "ov-loop-to-lstm-sequence")
    assert_all_agree(GraphEngine(after)(feed), GraphEngine(module)(feed))
    return found


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("lengths", [None, [4, 1, 2]])
def test_there_and_back(kind: str, direction: str, lengths: list[int] | None) -> None:
    found = there_and_back(kind, direction, lengths, "ov-lstm-sequence-to-loop")
    assert found[SEQUENCE[kind].name] == (2 if direction == "bidirectional" else 1)
    assert not found["ov.loop"]


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("lengths", [None, [4, 1, 2]])
@pytest.mark.parametrize("tidied", ["", ",ov-infer,ov-fold-constants,canonicalize,cse"])
def test_there_and_back_of_what_is_written_out(
    direction: str, lengths: list[int] | None, tidied: str
) -> None:
    found = there_and_back("LSTM", direction, lengths, f"ov-decompose{tidied}")
    assert found["ov.lstm_sequence"] == (2 if direction == "bidirectional" else 1)
    assert not found["ov.loop"]
    found = there_and_back("LSTM", direction, lengths, f"ov-lstm-sequence-to-loop,ov-decompose{tidied}")
    assert found["ov.lstm_sequence"] == (2 if direction == "bidirectional" else 1)


def test_attributes_come_back() -> None:
    numbers = {"clip": 0.4, "input_forget": True, "activations": ["relu", "tanh", "softsign"]}
    found = there_and_back("LSTM", "reverse", None, "ov-lstm-sequence-to-loop", numbers, peepholes=True)
    assert found["ov.lstm_sequence"] == 1
    found = there_and_back(
        "GRU", "forward", [4, 1, 2], "ov-lstm-sequence-to-loop", {"linear_before_reset": True}
    )
    assert found["ov.gru_sequence"] == 1


@pytest.mark.parametrize(
    "numbers", [{"clip": 0.4}, {"input_forget": True}, {"activations": ["relu", "tanh", "tanh"]}]
)
def test_another_cell_that_is_written_out_stays(numbers: dict) -> None:
    found = there_and_back("LSTM", "forward", None, "ov-decompose", numbers)
    assert found["ov.loop"] == 1
    assert there_and_back("LSTM", "forward", None, "ov-decompose", peepholes=True)["ov.loop"] == 1


def test_open_steps() -> None:
    # The batch is one number: whatever the steps are, it is a sequence.
    open_dims: list[list[int]] = [[1], [], [], [], [], [], []]
    found = there_and_back("LSTM", "reverse", [4, 1, 2], "ov-decompose", open_dims=open_dims)
    assert found["ov.lstm_sequence"] == 1


@pytest.mark.parametrize("direction", ["forward", "reverse"])
@pytest.mark.parametrize(
    "passes", ["ov-lstm-sequence-to-loop", "ov-lstm-sequence-to-loop,ov-infer,ov-decompose"]
)
def test_open_batch(direction: str, passes: str) -> None:
    """There may be no step to tell that the cell's operands agree, and what is written out may be broadcast."""
    open_dims: list[list[int]] = [[0, 1], [0], [0], [0], [], [], []]
    assert there_and_back("LSTM", direction, [4, 1, 2], passes, open_dims=open_dims)["ov.loop"] == 1
    module, feed = sequence("LSTM", direction, [4, 1, 2], {}, open_dims=open_dims)
    loops, _ = converted(module, "ov-lstm-sequence-to-loop")
    after, found = converted(loops, "ov-loop-to-lstm-sequence{open-batch=true}")
    assert found["ov.lstm_sequence"] == 1
    assert not found["ov.loop"]
    assert_all_agree(GraphEngine(after)(feed), GraphEngine(module)(feed))


def others(module: ModuleOp) -> Iterator[tuple[Operation, int, SSAValue]]:
    """Every operand of floats in the loop's body, with each other value of its type that could stand there."""
    (loop,) = (op for op in module.walk() if isinstance(op, LoopOp))
    seen: list[SSAValue] = [*main_function(module).args, *loop.body.block.args]
    for op in loop.body.block.ops:
        for number, operand in enumerate(op.operands):
            if tensor_type_of(operand).element_type != f32:
                continue
            for value in seen:
                if value is not operand and value.type == operand.type:
                    yield op, number, value
        seen += op.results


@pytest.mark.parametrize("way", ["cut-variadic", "one-product", "functions-first", "gathered-backwards"])
def test_any_other_operand(way: str) -> None:
    """Whatever other value an operation of the body reads: if it is a sequence yet, it gives the same."""
    module = module_of(WAYS[way])
    feed = feed_of(module)
    tried = left = 0
    for op, number, value in others(module):
        before, op.operands[number] = op.operands[number], value
        after, found = converted(module)
        tried, left = tried + 1, left + found["ov.loop"]
        if not found["ov.loop"]:
            assert_all_agree(GraphEngine(after)(feed), GraphEngine(module)(feed), f"{op} {number}")
        op.operands[number] = before
    assert tried > 100
    assert left > tried // 2
