"""Checks of a program read from text, before any other processing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp, TensorType, UnrankedTensorType

from loomir.compiler.stages.verify import verify_stage
from loomir.dialects.element_types import dtype_of
from loomir.dialects.interface import argument_names, main_function, result_names
from loomir.dialects.interface_checks import check_attributes
from loomir.dialects.locations import located
from loomir.errors import Error


def check_program(module: ModuleOp, path: Path) -> None:
    """Check that a module read from text is a callable GRAPH program.

    It needs a `main` that can be called.

    Errors: `no-main`, `not-of-stage`, `bad-interface`, `unsupported-type`.
    """
    try:
        function = main_function(module)
        verify_stage(module, "graph")
        check_attributes(function)
        types = function.function_type
        for type_ in (*types.inputs.data, *types.outputs.data):
            if isinstance(type_, TensorType | UnrankedTensorType):
                dtype_of(type_.element_type)
        for what, names in (("arguments", argument_names(function)), ("results", result_names(function))):
            twice = next((n for n, count in Counter(names).items() if count > 1), None)
            if twice is not None:
                raise located(Error("bad-interface", f"two {what} are called '{twice}'"), function)
    except Error as error:
        raise error.at(file=str(path)) from None
