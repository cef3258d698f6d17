"""Directories of extensions in whole conversions: one after another, two at once, what they do not bring."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

import loomir
from loomir.tools.model_optimizer.mo import remove_legacy_names
from tests.support import raises_error
from tests.unit.tools.model_optimizer.mo.bridge.programs import model

TWICE = """g (float[2,3] x) => (float[A,B] y) {
  [first] a = acme.Odd <k = 2> (x)
  [second] y = acme.Odd <k = 5> (a)
}"""

ODD = """
import numpy as np
from openvino.tools.mo.front.extractor import FrontExtractorOp
from openvino.tools.mo.front.onnx.extractors.utils import onnx_attr
from openvino.tools.mo.graph.graph import Node
from openvino.tools.mo.ops.op import Op


class Odd(Op):
    op = "Odd"

    def __init__(self, graph, attrs):
        own = {"type": "Odd", "op": "Odd", "in_ports_count": 1, "out_ports_count": 1, "infer": Odd.infer}
        super().__init__(graph, own, attrs)

    def backend_attrs(self):
        return ["k"]

    @staticmethod
    def infer(node: Node):
        shape = node.in_port(0).data.get_shape()
        # (`hidden` is in no layer.)
        node.out_port(0).data.set_shape(np.array([*shape, node.hidden]))


class OddExtractor(FrontExtractorOp):
    op = "Odd"
    enabled = True

    @classmethod
    def extract(cls, node):
        k = onnx_attr(node, "k", "i")
        found = Op.get_op_class_by_name("Odd")
        assert found.__module__ == Odd.__module__
        Odd.update_node_stat(node, {"k": k, "hidden": FACTOR * k})
        return cls.enabled
"""


@pytest.fixture(autouse=True)
def names_go() -> Iterator[None]:
    yield
    remove_legacy_names()


def directory(path: Path, **files: str) -> Path:
    """A directory of extensions: by place, with `__` for `/`, the text of a file."""
    for place, text in files.items():
        file = path / f"{place.replace('__', '/')}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text))
    return path


def shape_of(directory: Path) -> list[int | None]:
    """That of the output of `TWICE`."""
    converted = loomir.convert(model(TWICE), mo_extensions=[directory])
    return list(converted.outputs[0].shape or ())


def test_two_nodes_of_one_class_and_two_conversions(tmp_path: Path) -> None:
    """Each node is inferred with its own attributes; the second conversion knows nothing of the first."""
    folder = directory(tmp_path, front__onnx__odd=ODD.replace("FACTOR", "1"))
    assert shape_of(folder) == [2, 3, 2, 5]
    folder = directory(tmp_path, front__onnx__odd=ODD.replace("FACTOR", "10"))
    assert shape_of(folder) == [2, 3, 20, 50]


def test_two_conversions_at_once(tmp_path: Path) -> None:
    """Two threads, with directories that mean different things by one name."""
    folders = [
        directory(tmp_path / str(factor), front__onnx__odd=ODD.replace("FACTOR", str(factor)))
        for factor in (1, 10)
    ]
    found: list[list[list[int | None]]] = [[], []]
    start = threading.Barrier(2)

    def run(index: int) -> None:
        start.wait()
        found[index] += [shape_of(folders[index]) for _ in range(8)]

    threads = [threading.Thread(target=run, args=(index,)) for index in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[[2, 3, 2, 5]] * 8, [[2, 3, 20, 50]] * 8]


def test_later_phases_at_once(tmp_path: Path) -> None:
    """Inference of the later phases stays until the last of two conversions."""
    text = """
    import numpy as np
    from openvino.tools.mo.front.common.partial_infer.utils import int64_array
    from openvino.tools.mo.middle.replacement import MiddleReplacementPattern
    from openvino.tools.mo.front.tf.graph_utils import create_op_with_const_inputs
    from openvino.tools.mo.ops.transpose import Transpose

    class Turn(MiddleReplacementPattern):
        enabled = True

        def find_and_replace_pattern(self, graph):
            for node in graph.get_op_nodes(type="ReLU"):
                for _ in range(4):
                    new = create_op_with_const_inputs(graph, Transpose, {1: int64_array([1, 0])}, {"name": "turn"})
                    node.out_port(0).get_connection().insert_node(new)
                    new.infer(new)
    """
    folder = directory(tmp_path, middle__turn=text)
    source = model("g (float[2,3] x) => (float[A,B] y) { y = Relu (x) }")
    errors: list[BaseException] = []

    def run() -> None:
        try:
            for _ in range(8):
                assert loomir.convert(source, mo_extensions=[folder]).outputs[0].shape == (2, 3)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors


def test_loader(tmp_path: Path) -> None:
    text = """
    from openvino.tools.mo.load.loader import Loader

    class Other(Loader):
        enabled = True
    """
    folder = directory(tmp_path, load__onnx__loader=text)
    with raises_error("mo-loader", "Other"):
        loomir.convert(model(TWICE), mo_extensions=[folder])
