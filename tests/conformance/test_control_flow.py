"""ONNX's backend tests of control flow, recurrence and sequences pass, and do so with every name replaced by a random one."""

from __future__ import annotations

import random

import onnx
import pytest
from onnx import ModelProto

from loomir.compiler.model import Engine
from loomir.tools.fuzz.metamorphic import rename_everything
from tests.conformance.control_flow import find, listed
from tests.conformance.onnx_suite import ENGINES, run

pytestmark = pytest.mark.usefixtures("rotated_build")

NAMES = [name for names in listed().values() for name in names]
PASSED = ("passed", "passed-fixed")


def test_the_list_is_what_the_package_holds() -> None:
    assert find() == listed()
    assert {group: len(names) for group, names in listed().items()} == {
        "control-flow": 44,
        "recurrent": 18,
        "sequences": 24,
        "containers": 2,
    }


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("engine", ENGINES)
def test_it_passes(name: str, engine: Engine) -> None:
    outcome = run(name, engine)
    assert outcome.state in PASSED, outcome


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("engine", ENGINES)
def test_it_passes_with_every_name_replaced(name: str, engine: Engine) -> None:
    def renamed(model: ModelProto) -> ModelProto:
        result = rename_everything(model, random.Random(f"{name} {engine}"))
        onnx.checker.check_model(result)
        return result

    outcome = run(name, engine, renamed)
    assert outcome.state in PASSED, outcome
