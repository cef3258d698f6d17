"""Every operation says which layer it comes from, at every stage."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp, UnknownLoc

import loomir
from loomir.compiler.model import StageName

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("stage", ["graph", "structured", "loops"])
@pytest.mark.parametrize(
    ("file", "shapes"), [("controlflow.xml", {}), ("kws.xml", {"input_1": [1, 49, 10, 1]})]
)
def test_no_operation_without_a_location(file: str, shapes: dict[str, list[int]], stage: StageName) -> None:
    module = loomir.load(EXAMPLES / file, shapes=shapes).lowered(stage)
    without = [
        op.name
        for op in module.walk()
        if isinstance(op.location, UnknownLoc) and not isinstance(op, ModuleOp)
    ]
    assert not without
