"""Options of passes on GRAPH that are numbers: what is out of range is refused before anything is done."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.compiler.mlir.context import make_context
from loomir.compiler.pipeline import available_passes
from loomir.compiler.universe import pass_modules
from tests.support import raises_error


def numbers() -> Iterator[tuple[ModulePass, str]]:
    """Every pass in passes/graph with each of its options that is a number."""
    for name, module in pass_modules().items():
        if ".passes.graph." in module:
            instance = available_passes()[name]()()
            for option in fields(instance):
                if str(option.type) in ("int", "int | None"):
                    yield instance, option.name


@pytest.mark.parametrize(("instance", "option"), list(numbers()), ids=lambda v: getattr(v, "name", v))
def test_a_negative_number_is_refused(instance: ModulePass, option: str) -> None:
    with raises_error("bad-option", option.replace("_", "-")):
        replace(instance, **{option: -1}).apply(make_context(), ModuleOp([]))


def test_there_are_such_options() -> None:
    assert len({instance.name for instance, _ in numbers()}) >= 14
