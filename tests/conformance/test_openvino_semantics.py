"""Every row of the semantics tables (of OpenVINO IR, of docs/semantics.md) in every engine."""

from __future__ import annotations

import numpy as np
import pytest

import loomir
from loomir.errors import Error
from tests.conformance.openvino_models import CASES, Case
from tests.support import assert_agree

pytestmark = pytest.mark.usefixtures("rotated_build")

ENGINES = ("graph", "structured", "loops", "interpreter", "native")


@pytest.fixture(params=CASES, ids=lambda c: c.name)
def row(request: pytest.FixtureRequest) -> Case:
    return request.param


@pytest.mark.parametrize("engine", ENGINES)
def test_row(row: Case, engine: str, tmp_path) -> None:
    path = tmp_path / "model.xml"
    row.build(path)
    if row.error:
        with pytest.raises(Error) as info:
            loomir.load(path).run(row.feeds[0], engine=engine)
        assert info.value.identifier in row.error, str(info.value)
        assert str(path) in str(info.value), str(info.value)
        return
    model = loomir.load(path)
    for number, (feed, expected) in enumerate(zip(row.feeds, row.expected, strict=True)):
        outputs = list(model.run(feed, engine=engine).values())
        assert len(outputs) == len(expected)
        for index, (actual, wanted) in enumerate(zip(outputs, expected)):
            assert_agree(np.asarray(actual), wanted, f"call {number}, output {index}")
