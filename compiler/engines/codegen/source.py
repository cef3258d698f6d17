"""Source text of a generated function.

The text consists of the function's lines, the names of values, and the conversions of arguments and results.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Operation, SSAValue

from loomir.compiler.engines import (
    LoomirInterpreter,
    OutOfBoundsError,
    is_scalar,
    to_value,
    trip_count,
)
from loomir.compiler.engines.computations import constant_value
from loomir.dialects.diagnostics import describe_location
from loomir.dialects.element_types import is_float, shaped_type_of
from loomir.dialects.scalars.float_functions import narrow
from loomir.dialects.scalars.row import is_boolean
from loomir.dialects.vectors import is_vector
from loomir.passes.analysis.value_ranges import IntegerRanges


def out_of_bounds(array: np.ndarray, index: Sequence[Any]) -> OutOfBoundsError:
    """The error of an access outside of an array."""
    return OutOfBoundsError(f"index {[int(i) for i in index]} is outside of shape {list(array.shape)}")


def python_type(element: Attribute) -> str:
    """Return the name of the Python type that holds a scalar.

    It is also the conversion from a numpy scalar.
    """
    if is_boolean(element):
        return "bool"
    return "float" if is_float(element) else "int"


def element_type(value: SSAValue) -> Attribute:
    """The element type of a memref or tensor."""
    return shaped_type_of(value).element_type


GeneratedFunction = Callable[[LoomirInterpreter, Sequence[Any]], tuple[Any, ...]]
"""Generated code of one function.

It maps the interpreter of a call and the values that it needs to the results.
"""

STATE = ("    B = I.budget", "    C = I.cell")
"""Definitions of the call's state that generated code uses.

They are local variables, because rounding to f32 is the most frequent operation.
"""


class PythonWriter:
    """Collects one Python function `compiled(I, arguments…)`, where `I` is the call's interpreter."""

    def __init__(self) -> None:
        self.ranges = IntegerRanges()
        self.names: dict[SSAValue, str] = {}
        self.arguments: list[SSAValue] = []
        self.lines: list[str] = []
        self.depth = 1
        self.namespace: dict[str, Any] = {
            "inf": math.inf,
            "nan": math.nan,
            "memoryview": memoryview,
            "sqrt": math.sqrt,
            "oob": out_of_bounds,
            "trip_count": trip_count,
        }
        self._constants: dict[int, str] = {}
        self._memoryviews: set[SSAValue] = set()
        self._counter = 0

    # ----- text -----------------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        """One line at the current depth."""
        self.lines.append("    " * self.depth + text)

    def fresh(self) -> str:
        """A new variable."""
        self._counter += 1
        return f"v{self._counter}"

    def define(self, value: SSAValue) -> str:
        """A new variable for a value."""
        name = self.names[value] = self.fresh()
        return name

    def constant(self, value: Any) -> str:
        """The global name of a Python object."""
        name = self._constants.get(id(value))
        if name is None:
            name = self._constants[id(value)] = f"k{len(self._constants)}"
            self.namespace[name] = value
        return name

    def use(self, value: SSAValue) -> str:
        """Return the text of a value.

        A value from outside becomes an argument.
        """
        name = self.names.get(value)
        if name is None:
            if isinstance(value.owner, arith.ConstantOp):
                # A constant outside is as good as one inside.
                self.emit_constant(value.owner)
                return self.names[value]
            name = f"a{len(self.arguments)}"
            self.names[value] = name
            self.arguments.append(value)
        return name

    def elements(self, value: SSAValue) -> str:
        """Return the name for element access to a memref or tensor.

        It is a memoryview, which returns Python numbers, except for 16-bit floats, which memoryviews do not support.
        """
        name = self.use(value)
        if narrow(element_type(value)):
            return name
        if value in self.arguments:
            self._memoryviews.add(value)
        return f"{name}_m"

    def emit_constant(self, op: arith.ConstantOp) -> None:
        """A constant is its literal wherever it is used."""
        value = constant_value(op.value)
        if is_vector(op.result.type):
            self.names[op.result] = self.constant(value)
            return
        if isinstance(op.result.type, IndexType):
            text = repr(value)
        else:
            kind = {"bool": bool, "float": float, "int": int}[python_type(op.result.type)]
            text = repr(kind(value))
        self.names[op.result] = f"({text})" if text.startswith("-") else text

    # ----- the function ---------------------------------------------------------------------------------

    def compile(self, op: Operation, emit: Callable[[], Sequence[str]]) -> GeneratedFunction:
        """Compile the function whose body `emit` writes.

        It takes the values in `arguments` and returns the results.
        """
        self.ranges.analyse_operation(op)
        results = emit()
        self.line(f"return ({''.join(f'{r}, ' for r in results)})")
        parameters = "".join(f", a{i}" for i in range(len(self.arguments)))
        views = [
            f"    {self.names[v]}_m = memoryview({self.names[v]})"
            for v in self.arguments
            if v in self._memoryviews
        ]
        source = "\n".join([f"def compiled(I{parameters}):", *STATE, *views, *self.lines])
        exec(compile(source, f"<{op.name}>", "exec"), self.namespace)
        compiled = self.namespace["compiled"]
        convert = [_from_interpreter(v.type) for v in self.arguments]
        back = [r.type for r in op.results]

        def call(interpreter: LoomirInterpreter, values: Sequence[Any]) -> tuple[Any, ...]:
            try:
                results = compiled(interpreter, *[c(v) for c, v in zip(convert, values)])
            except IndexError as error:
                raise OutOfBoundsError(f"in {describe_location(op)}: {error}") from error
            return tuple([r if not is_scalar(t) else to_value(r, t) for r, t in zip(results, back)])

        return call


def _from_interpreter(element: Attribute) -> Callable[[Any], Any]:
    if not is_scalar(element):
        return _itself
    return {"bool": bool, "float": float, "int": int}[python_type(element)]


def _itself(value: Any) -> Any:
    return value
