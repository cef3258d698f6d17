"""Loops with conditions, before and after `ov-uplift-while-to-for`: the same for all feeds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.model import Model
from loomir.compiler.pipeline import run_passes
from loomir.dialects.element_types import dtype_of, tensor_type_of
from loomir.dialects.interface import Entry, main_function, set_arguments
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.errors import Error

PASSES = ["ov-infer", "ov-fold-constants", "canonicalize", "cse", "ov-uplift-while-to-for"]
"""Without what would compute counters from the trips, behind it: the loops have to be there."""


def program(text: str) -> ModuleOp:
    """A module whose inputs are called as its arguments are."""
    module = parse_module(text)
    function = main_function(module)
    set_arguments(function, [Entry.of(name=argument.name_hint) for argument in function.args])
    return module


def optimised(module: ModuleOp, passes: Sequence[str] = PASSES) -> ModuleOp:
    """A copy behind some passes."""
    copy = module.clone()
    run_passes(copy, list(passes))
    return copy


def loops_of(module: ModuleOp) -> list[LoopOp]:
    """All loops."""
    return [op for op in module.walk() if isinstance(op, LoopOp)]


def conditions(module: ModuleOp) -> int:
    """How many loops a condition may end."""
    return sum(loop.next.cond is not None for loop in loops_of(module))


def assert_same(module: ModuleOp, other: ModuleOp, feeds: list[dict[str, int]]) -> None:
    """Both give the same for each feed, or fail alike."""
    types = {a.name_hint: tensor_type_of(a).element_type for a in main_function(module).args}
    models = [Model(each) for each in (module, other)]
    for feed in feeds:
        arrays = {name: np.array(value, dtype_of(types[name])) for name, value in feed.items()}
        outcomes = []
        for model in models:
            try:
                outcomes.append([np.asarray(v).tolist() for v in model.run(arrays).values()])
            except Error as error:
                outcomes.append(error.identifier)
        assert outcomes[0] == outcomes[1], feed
