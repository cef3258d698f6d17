"""docs/python.md has every public name and no other: those of `loomir.__all__`, and the attributes of its classes."""

from __future__ import annotations

import inspect
import re
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import loomir
from loomir.compiler.options import LoadOptions

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text()
ADD = b"""func.func @main(%x: tensor<2xf32> {loomir.name = "x"}, %h: tensor<2xf32> {loomir.name = "h", loomir.state = "v"})
    -> (tensor<2xf32> {loomir.name = "h", loomir.state = "v"}) {
  %y = ov.add %x, %h : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}"""
MODEL = loomir.load(ADD)

OBJECTS: dict[str, object] = {
    "Model": MODEL,
    "CompiledModel": MODEL.compile("graph"),
    "TensorInfo": MODEL.inputs[0],
    "SequenceInfo": loomir.SequenceInfo("s", loomir.TensorInfo("s", np.dtype(np.float32), (2,))),
    "OptionalInfo": loomir.OptionalInfo("o", loomir.TensorInfo("o", np.dtype(np.float32), (2,))),
    "StateInfo": MODEL.states[0],
    "Error": loomir.Error("bad-option", "it is wrong"),
}
"""An object of each public class, whose attributes are those of its class and its own."""

ELSEWHERE = {"Extension", "Transformation"}
"""Classes that another page describes."""


def section(name: str) -> str:
    """The part of the page under the heading of a name."""
    found = re.search(rf"^### `{name}[`(].*?\n(.*?)(?=^##|\Z)", PAGE, re.M | re.S)
    assert found, name
    return found[1]


def written(name: str) -> tuple[dict[str, str], set[str]]:
    """Return the attributes in the table of a class with their text, and the names that are not promised."""
    text = section(name)
    rows = {re.split(r"\W", row)[0]: row for row in re.findall(r"^\| `([^`]+)` \|", text, re.M)}
    _, _, rest = text.partition("\nNot promised")
    return rows, set(re.findall(r"`(\w+)`", rest.split("\n\n")[0]))


def signature_text(name: str, function: Any) -> str:
    """The call of a method, without types."""
    parameters = [
        p.replace(annotation=inspect.Parameter.empty)
        for p in inspect.signature(function).parameters.values()
        if p.name != "self"
    ]
    return f"{name}{inspect.Signature(parameters)}"


def test_every_public_name_has_a_heading() -> None:
    headings = re.findall(r"^### `(?:loomir\.)?(\w+)", PAGE, re.M)
    assert sorted(headings) == sorted(set(loomir.__all__) - ELSEWHERE)
    for name in ELSEWHERE:
        assert f"`{name}`" in PAGE


@pytest.mark.parametrize("name", OBJECTS)
def test_every_attribute_is_on_the_page(name: str) -> None:
    rows, internal = written(name)
    inherited = set(dir(Exception))
    public = {n for n in dir(OBJECTS[name]) if not n.startswith("_")} - inherited
    assert not rows.keys() & internal
    assert rows.keys() | internal == public


@pytest.mark.parametrize("name", OBJECTS)
def test_methods_are_called_as_the_page_says(name: str) -> None:
    rows, _ = written(name)
    kind = type(OBJECTS[name])
    for attribute, row in rows.items():
        member = inspect.getattr_static(kind, attribute, None)
        if inspect.isfunction(member):
            assert row == signature_text(attribute, member)
            assert inspect.getdoc(member)
        else:
            assert row == attribute
            assert not callable(getattr(OBJECTS[name], attribute))


@pytest.mark.parametrize("name", ["Model", "CompiledModel"])
def test_a_call_is_on_the_page(name: str) -> None:
    call = signature_text({"Model": "model"}.get(name, "compiled"), type(OBJECTS[name]).__call__)
    assert f"`{call}`" in section(name)


def test_options_of_load_are_on_the_page() -> None:
    rows = dict(re.findall(r"^\| `(\w+)=([^`]*)` \|", section("load"), re.M))
    assert list(rows) == [field.name for field in fields(LoadOptions)]
    for field in fields(LoadOptions):
        default = field.default if field.default_factory is MISSING else field.default_factory()
        assert rows[field.name] == repr(default), field.name


def test_names_are_there_before_they_are_loaded() -> None:
    """For completion; each is what its module has."""
    assert [name for name in dir(loomir) if not name.startswith("__")] == loomir.__all__
    assert sorted(loomir.__all__) == list(loomir.__all__)
    assert loomir._HOMES.keys() == set(loomir.__all__)
    assert all(getattr(loomir, name).__name__ == name for name in loomir.__all__)
    assert re.fullmatch(r"\d+\.\d+\.\d+", loomir.__version__)
    with pytest.raises(AttributeError, match="'laod'"):
        getattr(loomir, "laod")  # noqa: B009
