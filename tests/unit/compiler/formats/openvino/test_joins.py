"""Concatenated outputs: what a port map says of them beside the axis has to be so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loomir
from tests.conformance.test_specification_examples import ENGINES, loop_example
from tests.support import assert_agree, raises_error
from tests.unit.compiler.formats.openvino.test_port_maps import (
    ROW_IN,
    STATES,
    edited,
    iterator_example,
)

SUMS_OUT = '<output axis="0" external_port_id="3" internal_layer_id="8" start="-1" end="0" stride="-1"/>'


def said(entry: str, attributes: str) -> str:
    """The entry, which says nothing beside its axis, with more attributes."""
    return entry.replace("/>", f" {attributes}/>")


SUMS = SUMS_OUT.replace(' start="-1" end="0" stride="-1"', "")

FAULTS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "no stride": ('stride="0"', "loop-stride", ('stride="0"', "the stride of a concatenated output is 0")),
    "no stride, and no part": ('stride="0" part_size="0"', "loop-stride", ("the stride",)),
    "no part": ('part_size="0"', "loop-part-size", ("part_size 0",)),
    "less than a part": ('part_size="-1"', "loop-part-size", ("part_size -1",)),
    "stride and part of two lengths": ('stride="2" part_size="1"', "loop-part-size", ("part_size 1 differs from the stride 2",)),
    "parts of 2, where a part is 1 long": ('stride="2" part_size="2"', "loop-part-size", ("part_size 2, but a part is 1 long on axis",)),
    "parts of 3 backwards": ('start="-1" end="0" stride="-3" part_size="3"', "loop-part-size", ("a part is 1 long on axis",)),
    "a stride that is no number": ('stride="x"', "ir-structure", ("stride='x'",)),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("kind", ["Loop", "TensorIterator"])
def test_fault(kind: str, fault: str, tmp_path: Path) -> None:
    attributes, identifier, fragments = FAULTS[fault]
    example, old, new = (
        (loop_example, STATES, STATES) if kind == "Loop" else (iterator_example, SUMS_OUT, SUMS)
    )
    path = edited(example(tmp_path), (old, said(new, attributes)))
    line = next(k for k, text in enumerate(path.read_text().splitlines(), 1) if attributes in text)
    with raises_error(identifier, f"{path}:{line}: ", kind, *fragments):
        loomir.load(path)


def test_stride_of_a_loop_in_text(tmp_path: Path) -> None:
    """A stride of 0 in text is refused before any engine runs.

    No importer has checked this program.
    """
    text = (
        loomir.load(loop_example(tmp_path))
        .mlir()
        .replace("concats = [#ov.slice<axis = 1", "concats = [#ov.slice<axis = 1, stride = 0")
    )
    assert "stride = 0" in text
    path = tmp_path / "loop.mlir"
    path.write_text(text)
    with raises_error("loop-stride", "concatenated output"):
        loomir.load(path)


def rows_by_two(folder: Path) -> Path:
    """The TensorIterator that takes two rows at once of four."""
    return edited(
        iterator_example(folder),
        *[('shape="3,2"', 'shape="4,2"'), ('shape="1,2"', 'shape="2,2"'), ('shape="1,2"', 'shape="2,2"')],
        (ROW_IN, ROW_IN.replace('start="0"', 'stride="2" part_size="2"')),
    )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("attributes", "backwards"),
    [
        ("", False),
        ('part_size="2"', False),
        ('stride="2"', False),
        ('stride="1"', False),
        ('start="0" end="-1" stride="2" part_size="2"', False),
        ('stride="-1"', True),
        ('start="-1" end="0" stride="-2" part_size="2"', True),
    ],
)
def test_parts_of_two(attributes: str, backwards: bool, engine, tmp_path: Path) -> None:
    model = loomir.load(edited(rows_by_two(tmp_path), (SUMS_OUT, said(SUMS, attributes))))
    x = np.arange(8, dtype=np.float32).reshape(4, 2)
    outputs = model.run({"x": x, "initial": np.ones((2, 2), np.float32)}, engine=engine)
    parts = [1 + x[:2], 1 + x[:2] + x[2:]]
    assert_agree(outputs["all"], np.concatenate(parts[::-1] if backwards else parts))


def test_parts_of_one_that_are_two_long(tmp_path: Path) -> None:
    path = edited(rows_by_two(tmp_path), (SUMS_OUT, said(SUMS, 'part_size="1"')))
    with raises_error("loop-part-size", "part_size 1, but a part is 2 long on axis 0"):
        loomir.load(path)
