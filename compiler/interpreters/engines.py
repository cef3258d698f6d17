"""Engines for lowered programs: `StructuredEngine` on tensors, `LoopsEngine` on buffers.

Both accept the program after any pass of their stage (also half-way: linalg on memrefs) and a feed of named arrays, and
return named arrays; `compiler/feeds/signature.py` defines the user's view. xDSL's interpreter drives the execution; the
expensive parts are compiled to Python (`codegen`), unless `pure` is set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.interpreter import Interpreter, InterpreterFunctions
from xdsl.interpreters.func import FuncFunctions

from loomir.compiler.default_limits import DEFAULT_MAX_ITERATIONS
from loomir.compiler.feeds.signature import ARENA_FILL, Signature
from loomir.compiler.interpreters.codegen.functions import CompiledLinalgFunctions, CompiledScfFunctions
from loomir.compiler.interpreters.core import LoomirInterpreter, Run
from loomir.compiler.interpreters.linalg import LinalgFunctions
from loomir.compiler.interpreters.memref import MemrefFunctions
from loomir.compiler.interpreters.scalar import ScalarFunctions
from loomir.compiler.interpreters.scf import ScfFunctions
from loomir.compiler.interpreters.tensor import TensorFunctions
from loomir.compiler.interpreters.vector import VectorFunctions
from loomir.dialects.interface import main_function


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
    - `max_iterations`: bound on all iterations of `scf.for` and `scf.while` of one run (`limit-iterations`).

    A call raises `loomir.Error` for an invalid feed (`input-…`), for a failed check of the program (see `run_errors`) and
    if it exceeds the bound, and `InterpreterError` for a bug of the compiler.
    """

    def __init__(
        self, module: ModuleOp, *, pure: bool = False, max_iterations: int = DEFAULT_MAX_ITERATIONS
    ) -> None:
        self.module = module
        self.fill = ARENA_FILL
        self.main = main_function(module)
        self.signature = Signature.of(self.main)
        self.max_iterations = max_iterations
        self.interpreter = LoomirInterpreter(module)
        self._hooks = () if pure else (CompiledScfFunctions(), CompiledLinalgFunctions())
        register_functions(self.interpreter, self._hooks)

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

    def generated_sources(self) -> list[str]:
        """Return the Python code generated so far, one text per compiled operation.

        The list is empty if the engine is pure.
        """
        return [text for functions in self._hooks for text in functions.sources()]

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
