"""Sub-graphs that files describe, and what handlers put in their places."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.ir import SSAValue

import loomir
from loomir.compiler.extensions.loading import unloaded_afterwards
from loomir.dialects.onnx.operations import NodeOp
from loomir.dialects.upstream.walking import walk
from loomir.tools.model_optimizer.convert.replacement_files import Description
from loomir.tools.model_optimizer.convert.replacement_matching import name_of
from loomir.tools.model_optimizer.convert.replacements import Match, Replacement, replacing
from tests.support import count_calls, raises_error
from tests.support_extensions import load

MODEL = """<ir_version: 10, opset_import: ["" : 20]>
g (float[4] x, float[4] z) => (float[4] y, float[4] also)
<float two = {2.0}, float three = {3.0}>
{
    ["head"] h = Abs (x)
    ["block1/double"] d = Mul (h, two)
    ["block1/triple"] t = Mul (d, three)
    ["block1/sum"] s = Add (t, z)
    ["between"] b = Neg (s)
    ["block10/double"] d10 = Mul (b, two)
    ["block10/triple"] y = Mul (d10, three)
    ["tail"] also = Sub (d, h)
}
"""
X = np.array([1, -2, 3, -4], np.float32)
Z = np.array([0.5, 1, 1.5, 2], np.float32)
EXPECTED = {"y": -(np.abs(X) * 6 + Z) * 6, "also": np.abs(X)}

Handler = Callable[[Match], Any]


class Seen:
    """A handler that puts back what it finds, and notes it."""

    def __init__(self) -> None:
        self.matches: list[Match] = []
        self.told: list[tuple[list[str], list[str], list[str]]] = []

    def __call__(self, match: Match) -> list[SSAValue]:
        self.matches.append(match)
        self.told.append(
            (
                [name_of(node) for node in match.nodes],
                [str(value.name_hint) for value in match.inputs],
                [str(value.name_hint) for value in match.outputs],
            )
        )
        new: dict[SSAValue, SSAValue] = {}
        for node in match.nodes:
            inputs = [new.get(value, value) for value in node.inputs]
            new[node.results[0]] = match.build.node(node.operator.data, *inputs)
        return [new[value] for value in match.outputs]


def converted(
    folder: Path, handler: Handler, *entries: dict[str, Any], model: str = MODEL, **options: Any
) -> loomir.Model:
    (folder / "model.onnxtxt").write_text(model)
    (folder / "config.json").write_text(json.dumps([{"id": "Mine", **entry} for entry in entries]))
    made = loomir.Extension("acme")
    made.replacement("Mine")(handler)
    with unloaded_afterwards():
        load(made)
        return loomir.convert(
            folder / "model.onnxtxt", transformations_config=folder / "config.json", **options
        )


def check(program: loomir.Model) -> None:
    for engine in ("graph", "native"):
        for name, value in program.run({"x": X, "z": Z}, engine=engine).items():
            np.testing.assert_allclose(value, EXPECTED[name], rtol=1e-6)


def scope(*instances: str, **more: Any) -> dict[str, Any]:
    return {"match_kind": "scope", "instances": list(instances), **more}


def points(start: list[str], end: list[str], **more: Any) -> dict[str, Any]:
    return {"match_kind": "points", "instances": {"start_points": start, "end_points": end}, **more}


def test_a_scope(tmp_path: Path) -> None:
    seen = Seen()
    check(converted(tmp_path, seen, scope("block1/", custom_attributes={"k": 1})))
    assert seen.told == [
        (["block1/double", "block1/triple", "block1/sum"], ["h", "two", "three", "z"], ["d", "s"])
    ]
    assert seen.matches[0].custom_attributes == {"k": 1}
    assert (seen.matches[0].id, seen.matches[0].build.opset) == ("Mine", 20)


def test_each_instance_is_a_match(tmp_path: Path) -> None:
    seen = Seen()
    check(converted(tmp_path, seen, scope("block1/", "block10/")))
    assert [told[0][0] for told in seen.told] == ["block1/double", "block10/double"]


def test_an_expression_matches_beginnings(tmp_path: Path) -> None:
    """An expression matches prefixes, as in the Model Optimizer.

    `block1` is also in `block10/…`.
    """
    seen = Seen()
    check(converted(tmp_path, seen, scope("block1")))
    assert len(seen.told[0][0]) == 5


def test_what_lies_between_the_nodes_has_to_belong_to_them(tmp_path: Path) -> None:
    """`between` takes a result of `block1` and gives one to `block10`: no single node can stand for both."""

    def one(match: Match) -> list[SSAValue]:
        return [match.build.node("Sum", *match.inputs)] * len(match.outputs)

    said = "use one of its outputs and compute one of its inputs"
    with raises_error("replacement-match", "config.json", "'Mine'", said):
        converted(tmp_path, one, scope("block1"))


def test_inputs_and_outputs_in_the_order_of_the_description(tmp_path: Path) -> None:
    seen = Seen()
    description = scope(
        "block1/",
        inputs=[[{"node": "sum$", "port": 1}], [{"node": "double$", "port": 0}]],
        outputs=[{"node": "sum$", "port": 0}, {"node": "triple", "port": 0}, {"node": "double", "port": 0}],
    )
    check(converted(tmp_path, seen, description))
    assert seen.told[0][1:] == (["z", "h"], ["s", "t", "d"])


def test_between_points(tmp_path: Path) -> None:
    seen = Seen()
    check(converted(tmp_path, seen, points(["block1/sum"], ["block10/double"])))
    nodes = ["block1/sum", "between", "block10/double"]
    assert seen.told == [(nodes, ["t", "z", "two"], ["d10"])]


def test_between_points_without_them(tmp_path: Path) -> None:
    seen = Seen()
    options = {"include_inputs_to_sub_graph": False, "include_outputs_to_sub_graph": False}
    check(converted(tmp_path, seen, points(["block1/sum"], ["block10/triple"], **options)))
    assert seen.told[0][0] == ["between", "block10/double"]
    assert seen.told[0][1][0] == "s"
    assert seen.told[0][2] == ["d10"]


def test_an_input_of_the_model_may_be_a_start_point(tmp_path: Path) -> None:
    seen = Seen()
    check(converted(tmp_path, seen, points(["x"], ["head"], include_inputs_to_sub_graph=False)))
    assert seen.told == [(["head"], ["x"], ["h"])]


def test_what_the_nodes_between_need_belongs_to_them(tmp_path: Path) -> None:
    seen = Seen()
    check(converted(tmp_path, seen, points(["head"], ["block1/triple", "tail"])))
    assert seen.told[0][0] == ["head", "block1/double", "block1/triple", "tail"]
    with raises_error(
        "replacement-match", "need the graph's input 'x'", "make the nodes that take the input start points"
    ):
        converted(tmp_path, seen, points(["block1/double"], ["block1/triple", "tail"]))


def test_general(tmp_path: Path) -> None:
    seen: list[Match] = []

    def whole(match: Match) -> None:
        seen.append(match)
        for node in list(walk(match.module)):
            if isinstance(node, NodeOp) and node.operator.data == "Neg":
                node.results[0].replace_all_uses_with(node.inputs[0])

    program = converted(tmp_path, whole, {"match_kind": "general", "custom_attributes": {"a": [1, "b"]}})
    assert (seen[0].nodes, seen[0].inputs, seen[0].outputs) == ((), (), ())
    assert seen[0].custom_attributes == {"a": [1, "b"]}
    assert "ov.negative" not in program.mlir()


def test_nodes_of_a_body(tmp_path: Path) -> None:
    body = """<ir_version: 10, opset_import: ["" : 20]>
    g (float[4] x, bool c) => (float[4] y)
    {
        ["if"] y = If (c) <
            then_branch = a () => (float[4] t) { ["in/abs"] p = Abs (x) ["in/neg"] t = Neg (p) },
            else_branch = b () => (float[4] e) { ["out/abs"] e = Abs (x) }
        >
    }"""
    seen = Seen()
    program = converted(tmp_path, seen, scope("in/"), model=body)
    assert seen.told == [(["in/abs", "in/neg"], ["x"], ["t"])]
    np.testing.assert_array_equal(program.run({"x": X, "c": np.array(True)}, engine="graph")["y"], -np.abs(X))
    with raises_error("replacement-match", "in several graphs"):
        converted(tmp_path, seen, scope(".*/abs"), model=body)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (scope("nowhere/"), "no node's name begins with 'nowhere/'"),
        (scope("block1/", "block1/d"), "'block1/double' is in two instances"),
        (scope("block1/", inputs=[[{"node": "missing", "port": 0}]]), "no node is called 'block1/missing'"),
        (scope("block1/", inputs=[[{"node": ".*", "port": 0}]]), "3 nodes are called 'block1/.*'"),
        (scope("block1/", inputs=[[{"node": "sum", "port": 2}]]), "'sum' has no input 2"),
        (
            scope("block1/", inputs=[[{"node": "sum", "port": 1}, {"node": "double", "port": 0}]]),
            "must take the same value",
        ),
        (
            scope("block1/", outputs=[{"node": "sum", "port": 0}]),
            "output 0 of the node 'block1/double' is used outside",
        ),
        (points(["missing"], ["tail"]), "there is no node 'missing', which is a start point"),
        (points(["head"], ["missing"]), "there is no node 'missing', which is an end point"),
        (points(["x"], ["head"]), "there is no node 'x', which is a start point"),
        (points(["between"], ["head"]), "the end point 'head' is not reached"),
    ],
)
def test_what_matches_nothing(tmp_path: Path, entry: dict[str, Any], said: str) -> None:
    with raises_error("replacement-match", "config.json", "the replacement 'Mine'", said):
        converted(tmp_path, Seen(), entry)


@pytest.mark.parametrize(
    ("handler", "said"),
    [
        (lambda match: None, "has 1 values for 2 outputs"),
        (lambda match: [match.inputs[0]], "has 1 values for 2 outputs"),
        (lambda match: [None, match.inputs[0]], "has no value for output 0, which is used"),
        (lambda match: ["a", "b"], "has 'a' for output 0"),
        (lambda match: match.outputs, "returns a value of a replaced node for output 0"),
    ],
    ids=["nothing", "too few", "none", "no values", "old ones"],
)
def test_what_a_handler_gives_is_checked(tmp_path: Path, handler: Handler, said: str) -> None:
    with raises_error("replacement-result", "config.json", "in the transformation Mine", "'Mine'", said):
        converted(tmp_path, handler, scope("block1/"))


def test_general_gives_nothing(tmp_path: Path) -> None:
    with raises_error("replacement-result", "general"):
        converted(tmp_path, lambda match: [], {"match_kind": "general"})


def test_what_a_handler_raises_names_it(tmp_path: Path) -> None:
    with raises_error("transformation-failed", "Mine failed: KeyError: 'missing'", "acme"):
        converted(tmp_path, lambda match: match.custom_attributes["missing"], scope("block1/"))


def test_an_id_that_nobody_replaces(tmp_path: Path) -> None:
    with raises_error("replacement-handler", "config.json", "no extension replaces 'Other'", "known: Mine"):
        converted(tmp_path, Seen(), {"id": "Other", "match_kind": "general"})


def test_two_handlers_of_an_id() -> None:
    one, two = (Replacement("Mine", Seen(), owner=owner) for owner in ("a", "b"))
    with raises_error("extension-clash", "two handlers replace 'Mine', of a and b"):
        replacing([one, two], [])


def test_it_is_a_transformation_that_has_a_place_and_a_switch(tmp_path: Path) -> None:
    made = Replacement("Mine", Seen(), run_before=("FlattenToReshape",), enabled=False, owner="acme")
    (step,) = replacing([made], [Description("f", "Mine", "general")])
    assert (step.id, step.phase, step.run_before, step.enabled) == (
        "Mine",
        "front",
        ("FlattenToReshape",),
        False,
    )
    assert replacing([made], []) == []
    seen = Seen()
    converted(tmp_path, seen, scope("block1/"), disable=["Mine"])
    assert seen.told == []


def test_what_is_declared_of_a_result_stays(tmp_path: Path) -> None:
    """The model's output has its type, whatever is declared of the value in its place."""
    program = converted(tmp_path, lambda match: match.inputs[0], points(["between"], ["block10/triple"]))
    assert "-> (tensor<4xf32>" in program.mlir()


def test_the_cost_is_linear(tmp_path: Path) -> None:
    def calls(count: int) -> int:
        nodes = " ".join(f'["n{i}"] v{i + 1} = Abs (v{i})' for i in range(count))
        text = (
            f'<ir_version: 10, opset_import: ["" : 20]> g (float[4] v0) => (float[4] v{count}) {{ {nodes} }}'
        )
        entry = points(["n1"], [f"n{count - 1}"])
        return count_calls(lambda: converted(tmp_path, Seen(), entry, model=text))

    assert calls(400) < 4.6 * calls(100)
