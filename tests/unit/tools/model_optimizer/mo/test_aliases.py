"""The API under its other names, each module once."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator

import pytest

from loomir.errors import Error
from loomir.tools.model_optimizer.mo import LEGACY, install_legacy_names, remove_legacy_names
from loomir.tools.model_optimizer.mo.graph.graph import Graph
from tests.support import raises_error


@pytest.fixture
def legacy() -> Iterator[None]:
    install_legacy_names()
    yield
    remove_legacy_names()


@pytest.mark.usefixtures("legacy")
@pytest.mark.parametrize("alias", ["loomir.mo", *LEGACY])
@pytest.mark.parametrize(
    "module", ["graph.graph", "ops.reshape", "front.common.partial_infer.utils", "ops.op", "front"]
)
def test_one_module_whatever_its_name(alias: str, module: str) -> None:
    here = importlib.import_module(f"loomir.tools.model_optimizer.mo.{module}")
    there = importlib.import_module(f"{alias}.{module}")
    assert here is there
    assert sys.modules[f"{alias}.{module}"] is sys.modules[f"loomir.tools.model_optimizer.mo.{module}"]
    assert here.__spec__ is not None
    assert here.__spec__.name == f"loomir.tools.model_optimizer.mo.{module}"


@pytest.mark.usefixtures("legacy")
def test_names_are_the_same_classes() -> None:
    from extensions.ops.elementwise import Add as Old  # pyright: ignore
    from mo.graph.graph import Graph as OldGraph  # pyright: ignore
    from openvino.tools.mo.ops.elementwise import Add  # pyright: ignore
    from openvino.tools.mo.utils import class_registration  # pyright: ignore

    assert Add is Old
    assert OldGraph is Graph
    assert class_registration.ClassType.OP


@pytest.mark.usefixtures("legacy")
def test_what_is_not_there_is_named() -> None:
    with raises_error("mo-api-not-covered", "'mo.pipeline'"):
        importlib.import_module("mo.pipeline.unified")
    with raises_error("mo-api-not-covered", "graph.graph.Hypergraph"):
        exec("from mo.graph.graph import Hypergraph")
    with raises_error("mo-api-not-covered", "ops.nothing"):
        exec("from openvino.tools.mo.ops import nothing")
    with pytest.raises(ImportError):
        importlib.import_module("extensions.ops.nothing")
    assert not hasattr(importlib.import_module("mo.graph.graph"), "__wrapped__")


def test_only_when_asked() -> None:
    assert "openvino.tools.mo" not in sys.modules
    with pytest.raises(ImportError) as info:
        importlib.import_module("mo.graph.graph")
    assert not isinstance(info.value, Error)


@pytest.mark.usefixtures("legacy")
def test_the_real_openvino_stays() -> None:
    real = pytest.importorskip("openvino.opset8")
    importlib.import_module("openvino.tools.mo")
    openvino = importlib.import_module("openvino")
    assert openvino.__file__
    assert importlib.import_module("openvino.opset8") is real


@pytest.mark.usefixtures("legacy")
def test_own_transformations_are_names_only() -> None:
    from openvino.tools.mo.front.Pack import Pack  # pyright: ignore

    with raises_error("mo-api-not-covered", "Pack", "replace_it"):
        Pack.replace_it()
