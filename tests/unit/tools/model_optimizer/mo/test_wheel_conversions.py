"""Files of the Model Optimizer's own package as extensions, unchanged: whole models through `loomir convert` compute what they did.

`LOOMIR_MO_ORACLE` is the folder of its package `openvino/tools/mo` (`make model-optimizer` installs it, and says so to `make test`).
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import onnx.parser
import pytest

import loomir
from loomir.compiler.feeds.samples import random_feed
from loomir.tools.model_optimizer.mo import remove_legacy_names
from tests.support import assert_agree
from tests.unit.tools.model_optimizer.mo.wheel_models import CASES, WheelCase

ORACLE = os.environ.get("LOOMIR_MO_ORACLE")
pytestmark = pytest.mark.skipif(not ORACLE, reason="LOOMIR_MO_ORACLE does not say where a Model Optimizer is")


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_file_of_the_package(case: WheelCase, tmp_path: Path) -> None:
    assert ORACLE
    for file in case.files:
        target = tmp_path / "extension" / file
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(ORACLE) / file, target)
    proto = onnx.parser.parse_model(f'<ir_version: 6, opset_import: ["" : {case.opset}]> g {case.text}')
    try:
        # What loomir's own transformations do is not what is tried.
        off = ["FlattenToReshape", "TopKNormalize", "RemoveIdentity", "FuseSwish", "FuseBatchNorm", "CleanUp"]
        converted = loomir.convert(proto, mo_extensions=[tmp_path / "extension"], disable=off)
    finally:
        remove_legacy_names()
    text = converted.mlir()
    assert all(f"{name} " in text for name in case.has), text
    assert not any(f"{name} " in text for name in case.lacks), text
    plain = loomir.load(proto)
    feed = random_feed(plain, 0)
    expected = plain.run(feed, engine="graph")
    for engine in ("graph", "native"):
        for name, value in converted.run(feed, engine=engine).items():
            assert_agree(value, expected[name], name)
