"""Extensions of a directory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import onnx
import pytest

from loomir.tools.model_optimizer.mo import remove_legacy_names
from loomir.tools.model_optimizer.mo.bridge import load_extensions
from loomir.tools.model_optimizer.mo.context import conversion
from loomir.tools.model_optimizer.mo.graph.graph import Node
from loomir.tools.model_optimizer.mo.op import Op
from loomir.tools.model_optimizer.mo.phases import extract, ordered, run_transformations
from tests.support import raises_error
from tests.unit.tools.model_optimizer.mo.graphs import CHAIN, front_graph

OPERATION = """
from openvino.tools.mo.graph.graph import Graph, Node
from openvino.tools.mo.ops.op import Op

class Mine(Op):
    op = "Mine"

    def __init__(self, graph: Graph, attrs: dict):
        super().__init__(graph, {"type": "Mine", "op": "Mine", "mark": MARK, "in_ports_count": 1, "out_ports_count": 1}, attrs)
"""
EXTRACTOR = """
from mo.front.extractor import FrontExtractorOp
from mo.front.onnx.extractors.utils import onnx_attr
IMPORT

class MineExtractor(FrontExtractorOp):
    op = "A"
    enabled = True

    @classmethod
    def extract(cls, node):
        Mine.update_node_stat(node, {"axis": onnx_attr(node, "axis", "i")})
        return cls.enabled
"""
REPLACER = """
from openvino.tools.mo.front.common.replacement import FrontReplacementOp
from openvino.tools.mo.ops.activation_ops import Sigmoid

class Replace(FrontReplacementOp):
    op = "Mine"
    enabled = True

    def run_before(self):
        from extensions.front.Pack import Pack
        from NAME.front.second import Second
        return [Pack, Second]

    def replace_op(self, graph, node):
        new = Sigmoid(graph, {"name": node.name + "/sigmoid"}).create_node()
        node.in_port(0).get_connection().set_destination(new.in_port(0))
        return [new.id]
"""
SECOND = """
from openvino.tools.mo.front.common.replacement import FrontReplacementPattern

class Second(FrontReplacementPattern):
    enabled = True

    def find_and_replace_pattern(self, graph):
        assert not graph.get_op_nodes(op="Mine")
"""


@pytest.fixture(autouse=True)
def names_go() -> Iterator[None]:
    with conversion():
        yield
    remove_legacy_names()


def write(directory: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
    return directory


def extension(directory: Path, mark: int, how: str) -> Path:
    imports = {
        "relative": "from ...ops.mine import Mine",
        "by name": f"from {directory.name}.ops.mine import Mine",
        "module": f"import {directory.name}.ops.mine\nMine = {directory.name}.ops.mine.Mine",
    }
    files = {
        "ops/mine.py": OPERATION.replace("MARK", str(mark)),
        "front/onnx/mine_ext.py": EXTRACTOR.replace("IMPORT", imports[how]),
        "front/a_replace.py": REPLACER.replace("NAME", directory.name),
        "front/second.py": SECOND,
    }
    return write(directory, files)


@pytest.mark.parametrize("how", ["relative", "by name", "module"])
def test_a_directory(tmp_path: Path, how: str) -> None:
    found = load_extensions(extension(tmp_path / "mo_extensions", 1, how))
    assert {phase: [c.__name__ for c in classes] for phase, classes in found.items() if classes} == {
        "ops": ["Mine"],
        "extractors": ["MineExtractor"],
        "front": ["Replace", "Second"],
    }
    graph = front_graph(CHAIN)
    Node(graph, "A")["pb"] = onnx.helper.make_node("A", ["x"], ["y"], axis=4)
    assert extract(graph, found["extractors"]) == ["A"]
    assert (Node(graph, "A").op, Node(graph, "A").axis, Node(graph, "A").mark) == ("Mine", 4, 1)
    run_transformations(graph, "front", found["front"])
    assert [n.op for n in graph.pseudo_topological_sort()] == ["Parameter", "Sigmoid", "B", "Result"]
    assert Op.get_op_class_by_name("Mine") is found["ops"][0]


def test_directories_do_not_share_modules(tmp_path: Path) -> None:
    """Equal names of directories and files: each imports its own, at once and when functions run later."""
    folders = [extension(tmp_path / str(i) / "mo_extensions", i, "by name") for i in (1, 2)]
    first, second = (load_extensions(folder) for folder in folders)
    assert first["ops"][0] is not second["ops"][0]
    for found, mark in ((first, 1), (second, 2)):
        node = Node(front_graph(CHAIN), "A")
        node["pb"] = onnx.helper.make_node("A", ["x"], ["y"], axis=0)
        found["extractors"][0].extract(node)  # pyright: ignore
        assert node.mark == mark
        order = ordered(found["front"])
        assert order.index(found["front"][0]) < order.index(found["front"][1])


def test_chosen_files(tmp_path: Path) -> None:
    found = load_extensions(extension(tmp_path / "mo_extensions", 1, "relative"), only=["front/second.py"])
    assert [c.__name__ for classes in found.values() for c in classes] == ["Second"]


def test_own_file_in_place_of_a_name(tmp_path: Path) -> None:
    """A class of the Model Optimizer's own module is meant by those who name it."""
    files = {
        "front/Pack.py": SECOND.replace("Second", "Pack"),
        "front/first.py": SECOND.replace("Second", "ZFirst").replace(
            "    enabled = True\n",
            "    enabled = True\n\n    def run_before(self):\n"
            "        from openvino.tools.mo.front.Pack import Pack\n        return [Pack]\n",
        ),
    }
    found = load_extensions(write(tmp_path / "mine", files))
    order = [c.__name__ for c in ordered(found["front"])]
    assert order.index("ZFirst") < order.index("Pack")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def (:", "SyntaxError"),
        ("import no_such_module_at_all", "no_such_module_at_all"),
        ("x = 1\n\ny = 1 / 0", "line 3"),
    ],
)
def test_broken_files_are_named(tmp_path: Path, text: str, told: str) -> None:
    write(tmp_path / "mine", {"ops/bad.py": text})
    with raises_error("mo-extension-broken", "bad.py", told):
        load_extensions(tmp_path / "mine")


def test_what_is_not_covered_names_the_file(tmp_path: Path) -> None:
    write(tmp_path / "mine", {"ops/bad.py": "from mo.graph.graph import Hypergraph"})
    with raises_error("mo-api-not-covered", "bad.py", "Hypergraph"):
        load_extensions(tmp_path / "mine")


def test_a_directory_without_extensions(tmp_path: Path) -> None:
    with raises_error("mo-extension-broken", "no extensions"):
        load_extensions(tmp_path / "nowhere")
