"""`target=` of `Model.save`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import loomir
from tests.support import raises_error

SWAP = """
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>, %n: tensor<i64>) -> (tensor<2xf32>, tensor<2xf32>) {
  %r:2 = ov.loop trip(%n) carried(%a, %b) : (tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<2xf32>, %q: tensor<2xf32>):
    ov.next carried(%q, %p : tensor<2xf32>, tensor<2xf32>)
  }
  func.return %r#0, %r#1 : tensor<2xf32>, tensor<2xf32>
}
"""


def _model(folder: Path) -> loomir.Model:
    path = folder / "swap.mlir"
    path.write_text(SWAP)
    return loomir.load(path, optimize=False)


def test_a_file_for_a_version_is_another_one_that_means_the_same(tmp_path: Path) -> None:
    model = _model(tmp_path)
    model.save(tmp_path / "plain.xml")
    model.save(tmp_path / "suited.xml", target="openvino-2026")
    assert 'type="If"' not in (tmp_path / "plain.xml").read_text()
    assert 'type="If"' in (tmp_path / "suited.xml").read_text()
    for trips in (0, 1, 2):
        values = (np.array([1, 2], np.float32), np.array([3, 4], np.float32), np.array(trips, np.int64))
        given: list[list[np.ndarray]] = []
        for name in ("plain", "suited"):
            read = loomir.load(tmp_path / f"{name}.xml")
            given.append(
                list(read.run(dict(zip([i.name for i in read.inputs], values)), engine="graph").values())
            )
        assert all(np.array_equal(a, b) for a, b in zip(*given, strict=True))


def test_an_unknown_version_is_refused(tmp_path: Path) -> None:
    with raises_error("bad-option", "target='openvino-2019'", "openvino-2026"):
        _model(tmp_path).save(tmp_path / "swap.xml", target="openvino-2019")
