"""Operation sets: every operator and version of OpenVINO is known, and those that cannot be read are listed here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import openvino
import pytest

import loomir
from loomir.dialects.ov.layers import rows, supported
from loomir.dialects.ov.layers.format import VERSIONS, first_opset, operator_name, operator_version
from tests.support import raises_error
from tests.unit.compiler.formats.openvino.test_broken_models import layer, write

HEADERS = Path(openvino.__file__).parent / "include" / "openvino" / "opsets"

STRUCTURE = {"Parameter", "Result", "Constant", "Loop", "TensorIterator", "If", "ReadValue", "Assign"}
"""Layers that the reader itself understands; the others have rows."""

MISSING = {
    "detection networks: proposals, prior boxes and what follows them": """
        DetectionOutput-0 DetectionOutput-8 ExperimentalDetectronDetectionOutput-6
        ExperimentalDetectronGenerateProposalsSingleImage-6 ExperimentalDetectronPriorGridGenerator-6
        ExperimentalDetectronROIFeatureExtractor-6 ExperimentalDetectronTopKROIs-6 GenerateProposals-9 MatrixNms-8
        MulticlassNms-8 MulticlassNms-9 NMSRotated-13 PriorBox-0 PriorBox-8 PriorBoxClustered-0 Proposal-0 Proposal-4 RegionYolo-0""",
    "regions of interest beyond ROIAlign and ROIPooling": "DeformablePSROIPooling-1 PSROIPooling-0 ROIAlignRotated-15",
    "a loss, of training": "CTCLoss-4",
    "spectra of windows": "ISTFT-16 STFT-15",
    "pixel formats of cameras": "BGRtoNV12-17 I420toBGR-8 I420toRGB-8 NV12toBGR-8 NV12toRGB-8 RGBtoNV12-17",
    "random numbers": "Multinomial-13 RandomUniform-8",
    "strings": "StringTensorPack-15 StringTensorUnpack-15",
    "matrix and segment operators of single models": """
        BinaryConvolution-1 ErfInv-17 GroupedMatMul-17 Inverse-14 SegmentMax-16 SparseFillEmptyRows-16""",
}
"""Why, and which."""


def missing() -> dict[str, str]:
    """Operator and version → why it is not there."""
    return {pair: why for why, pairs in MISSING.items() for pair in pairs.split()}


def openvino_pairs() -> dict[tuple[str, int], int]:
    """Every (operator, version) in the installed OpenVINO's headers, with the first set that has it."""
    found: dict[tuple[str, int], int] = {}
    for header in HEADERS.glob("opset*_tbl.hpp"):
        number = int(re.findall(r"\d+", header.name)[0])
        for name, version in re.findall(
            r"^_OPENVINO_OP_REG\((\w+), ov::op::v(\d+)\)", header.read_text(), re.M
        ):
            key = (name, int(version))
            found[key] = min(number, found.get(key, number))
    return found


def test_the_table_is_openvinos() -> None:
    ours = {
        (name, version): first_opset(name, version)
        for name, versions in VERSIONS.items()
        for version in versions
    }
    assert ours == openvino_pairs()
    assert len(ours) == 245


def _pairs() -> Iterator[tuple[str, int]]:
    for name, versions in VERSIONS.items():
        for version in versions:
            yield name, version


def test_what_is_missing_is_listed() -> None:
    """An operator that comes must leave the list, one that goes must be given a reason."""
    lacking = {f"{n}-{v}" for n, v in _pairs() if n not in STRUCTURE and not supported(n, v)}
    assert lacking == set(missing())


def test_rows_say_their_versions() -> None:
    """A row of an operator with several versions must not read one by chance."""
    vague = [
        t
        for t, row in rows().items()
        if row.versions is None and len(VERSIONS.get(operator_name(t) or "", ())) > 1
    ]
    assert not vague


@pytest.mark.parametrize(
    ("name", "opset", "version"),
    [
        ("Range", "opset1", 0), ("Range", "opset3", 0), ("Range", "opset4", 4), ("Range", "opset12", 4), ("MVN", "opset1", 0),
        ("MVN", "opset6", 6), ("GRUCell", "experimental", 3), ("ExperimentalDetectronTopKROIs", "extension", 6),
        ("ScatterNDUpdate", "opset14", 3), ("ScatterNDUpdate", "opset15", 15),
    ],
)  # fmt: skip
def test_version_of_a_layer(name: str, opset: str, version: int) -> None:
    assert operator_version(name, opset) == version


def test_unknown_set(tmp_path: Path) -> None:
    range_ = layer(2, "sum", "Range", "", [(), (), ()], [((2,), "FP32")], "set4")
    with raises_error("unknown-opset", "set4"):
        loomir.load(
            write(tmp_path, l2=range_, wires=((0, 0, 2, 0), (1, 0, 2, 1), (1, 0, 2, 2), (2, 3, 3, 0)))
        )


def test_version_that_no_row_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from loomir.dialects.ov import layers as module

    table = {"softmax": replace(rows()["SoftMax"], versions=(8,))}
    monkeypatch.setattr(module, "_rows_by_operator", lambda: table)
    module.row_of.cache_clear()
    one = ((0, 0, 2, 0), (2, 1, 3, 0))
    with raises_error("operator-version", "Softmax-1", "Softmax-8"):
        loomir.load(
            write(tmp_path, l2=layer(2, "s", "SoftMax", 'axis="0"', [(2,)], [((2,), "FP32")]), wires=one)
        )
    module.row_of.cache_clear()


def test_operator_of_the_sets_that_is_not_supported(tmp_path: Path) -> None:
    with raises_error("unknown-operator", "'DetectionOutput' is not supported"):
        loomir.load(
            write(tmp_path, l2=layer(2, "d", "DetectionOutput", "", [(2,), (2,)], [((2,), "FP32")]))
        ).lowered("loops")


def test_case_of_types_does_not_count(tmp_path: Path) -> None:
    """OpenVINO compares types without regard to case."""
    model = loomir.load(write(tmp_path, l2=layer(2, "sum", "aDD", "", [(2,), (2,)], [((2,), "FP32")])))
    (y,) = model.run({"x": np.ones(2, np.float32)}, engine="graph").values()
    np.testing.assert_array_equal(y, [1, 1])


def test_inputs_that_an_older_version_needs(tmp_path: Path) -> None:
    """Builders of older versions report missing inputs."""
    range_ = layer(2, "r", "Range", "", [], [((2,), "FP32")])
    with raises_error("operand-count", "there are 0"):
        loomir.load(write(tmp_path, l2=range_, wires=((2, 0, 3, 0),)))
