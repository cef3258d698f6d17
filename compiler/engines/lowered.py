"""Engines for lowered programs: `StructuredEngine` on tensors, `LoopsEngine` on buffers.

Both accept the program after any pass of their stage (also half-way: linalg on memrefs) and a feed of named arrays, and
return named arrays; `compiler/feeds/signature.py` defines the user's view. xDSL's interpreter drives the execution; loops
are compiled to Python (`codegen`), and `linalg.generic` runs many points at once (`generics`), unless `pure` is set.

Runners that are given attributes convert them to argument values of a function: `dense<[1.0, 2.0]> : tensor<2xf32>`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    TensorType,
)
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl_attr, register_impls
from xdsl.interpreters.func import FuncFunctions
from xdsl.ir import Attribute

from loomir.compiler.engines import LoomirInterpreter, Run, RunListener, is_scalar, to_value
from loomir.compiler.engines.arrays import MemrefFunctions, TensorFunctions, VectorFunctions
from loomir.compiler.engines.codegen import CompiledScfFunctions
from loomir.compiler.engines.computations import ScalarFunctions, ScfFunctions
from loomir.compiler.engines.generics import LaneFunctions, LinalgFunctions
from loomir.compiler.feeds.signature import ARENA_FILL, Signature
from loomir.compiler.option_names import DEFAULT_MAX_ITERATIONS
from loomir.dialects.attributes import constant_array
from loomir.dialects.element_types import dtype_of
from loomir.dialects.interface import main_function
from loomir.errors import Error

_EXAMPLES = "for example 1.0 : f32, dense<[1, 2]> : tensor<2xi32>"


def array_of(attribute: Attribute) -> np.ndarray:
    """Return the array of a dense attribute or a number.

    The array of a number has rank 0. Error: `bad-option`.
    """
    if isinstance(attribute, DenseIntOrFPElementsAttr):
        return constant_array(attribute)
    if isinstance(attribute, IntegerAttr | FloatAttr):
        return np.asarray(to_value(attribute.value.data, attribute.type))
    raise Error("bad-option", f"--args: {str(attribute)[:80]} is not a value of an input", hint=_EXAMPLES)


def value_of(attribute: Attribute, type_: Attribute) -> Any:
    """Return the value of an argument from an attribute.

    The argument has type `type_`. Error: `bad-option`.
    """
    array = array_of(attribute)
    if is_scalar(type_):
        kinds = (IntegerType, IndexType) if array.dtype.kind in "iub" else (AnyFloat,)
        if array.shape == () and isinstance(type_, kinds):
            return to_value(array[()], type_)
    elif isinstance(type_, TensorType | MemRefType) and dtype_of(type_.element_type) == array.dtype:
        extents = type_.get_shape()
        if len(extents) == array.ndim and all(e in (DYNAMIC_INDEX, n) for e, n in zip(extents, array.shape)):
            # (The program may write into it.)
            return np.array(array, order="C")
    what = f"--args: {str(attribute)[:80]} is not a value of type {type_}"
    raise Error("bad-option", what, hint=_EXAMPLES)


def _of_type(type_: type[Attribute]) -> Any:
    """Return an implementation for attributes of a type.

    (Each type needs a function of its own, because the decorator marks the function with the type.)
    """

    def value(self: InterpreterFunctions, interpreter: Interpreter, attr: Attribute, attr_type: Any) -> Any:
        return value_of(attr, attr_type)

    return impl_attr(type_)(value)


_TYPES = (BFloat16Type, Float16Type, Float32Type, Float64Type, IndexType, IntegerType, MemRefType, TensorType)

ArgumentFunctions = register_impls(
    type(
        "ArgumentFunctions",
        (InterpreterFunctions,),
        {
            "__doc__": "Values of attributes, as loomir's interpreter functions have them.",
            **{f"value_of_{c.__name__}": _of_type(c) for c in _TYPES},
        },
    )
)


def register_functions(
    interpreter: Interpreter, regions: Sequence[InterpreterFunctions] | None = None
) -> None:
    """Register the semantics of STRUCTURED and LOOPS with an interpreter.

    `regions` replaces the implementations of loops and `linalg.generic` that run one operation at a time.
    """
    scalars = ScalarFunctions(), TensorFunctions(), MemrefFunctions(), VectorFunctions()
    for functions in (FuncFunctions(), *scalars, *(regions or (ScfFunctions(), LinalgFunctions()))):
        interpreter.register_implementations(functions)


class _Engine:
    """Engine for `main` of a module.

    It runs `main` any number of times and in several threads; the module must not change meanwhile.

    - `pure`: one operation and one element at a time, nothing compiled: slow, the reference;
    - `max_iterations`: bound on all iterations of `scf.for` and `scf.while` of one run (`limit-iterations`);
    - `listeners`: observe each operation. Loops are then interpreted, and `linalg.generic` is one operation.

    A call raises `loomir.Error` for an invalid feed (`input-…`), for a failed check of the program (see `diagnostics.KINDS`) and
    if it exceeds the bound, and `InterpreterError` for a bug of the compiler.
    """

    def __init__(
        self,
        module: ModuleOp,
        *,
        pure: bool = False,
        max_iterations: int = DEFAULT_MAX_ITERATIONS,
        listeners: Sequence[RunListener] = (),
    ) -> None:
        self.module = module
        self.fill = ARENA_FILL
        self.main = main_function(module)
        self.signature = Signature.of(self.main)
        self.max_iterations = max_iterations
        self.interpreter = LoomirInterpreter(module, listeners=tuple(listeners))
        loops = ScfFunctions() if listeners else CompiledScfFunctions()
        register_functions(self.interpreter, None if pure else (loops, LaneFunctions()))

    def __call__(self, feed: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """Return the outputs for a feed.

        Each output has its true shape and the element type that the user sees.
        """
        return self.run(feed).outputs

    def run(self, feed: Mapping[str, Any]) -> Run:
        """The outputs for a feed, and how many iterations the loops had."""
        arguments = self.signature.pack(feed, self.fill)
        interpreter = self.interpreter.for_call(self.max_iterations)
        with np.errstate(all="ignore"):
            results = interpreter.call_op(self.main, tuple(self._values(arguments)))
        # An output may be an input's or a constant's very memory, which the caller may write afterwards.
        outputs = {name: np.array(a) for name, a in self.signature.unpack(arguments, results).items()}
        return Run(outputs, interpreter.budget.used)

    def _values(self, arguments: Sequence[Any]) -> list[Any]:
        """Convert the arguments to the interpreter's representation.

        Arguments that the program must not write are read-only.
        """
        values: list[Any] = []
        for argument, value in zip(self.signature.arguments, arguments):
            if isinstance(argument.type, IndexType):
                values.append(int(value))
                continue
            if isinstance(value, np.ndarray) and argument.kind in ("input", "blob") and value.flags.writeable:
                value = value.view()
                value.flags.writeable = False
            values.append(value)
        return values


class StructuredEngine(_Engine):
    """Runs a STRUCTURED program: `StructuredEngine(module)({"x": array}) -> {"y": array}`."""


class LoopsEngine(_Engine):
    """Runs a LOOPS program, before or after `plan-memory`.

    `LoopsEngine(module)({"x": array})` returns `{"y": array}`. The arena argument, where there is one, is a new poisoned
    byte array for each call.
    """
