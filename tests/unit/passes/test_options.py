"""Options of passes that are numbers: what is out of range is refused before anything is done."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.compiler.formats.mlir.parser import make_context
from loomir.compiler.pipeline import available_passes
from loomir.compiler.universe import pass_modules
from tests.support import raises_error


def numbers() -> Iterator[tuple[ModulePass, str]]:
    """Every pass of loomir with each of its options that is a number."""
    for name in pass_modules():
        instance = available_passes()[name]()()
        for option in fields(instance):
            if str(option.type) in ("int", "int | None"):
                yield instance, option.name


@pytest.mark.parametrize(("instance", "option"), list(numbers()), ids=lambda v: getattr(v, "name", v))
def test_a_negative_number_is_refused(instance: ModulePass, option: str) -> None:
    # (A factor of 0 or less has had a name of its own for longer.)
    identifier = "unroll-factor" if (instance.name, option) == ("scf-unroll", "factor") else "bad-option"
    with raises_error(identifier, "-1"):
        replace(instance, **{option: -1}).apply(make_context(), ModuleOp([]))


@pytest.mark.parametrize(("instance", "option"), list(numbers()), ids=lambda v: getattr(v, "name", v))
def test_true_is_no_number(instance: ModulePass, option: str) -> None:
    with raises_error("bad-option", f"{option.replace('_', '-')}=true must be a number"):
        replace(instance, **{option: True}).apply(make_context(), ModuleOp([]))


def test_there_are_such_options() -> None:
    assert len({instance.name for instance, _ in numbers()}) >= 17
