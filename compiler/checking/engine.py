"""Engine for programs in any form, of a stage or between passes.

A stage's own engine knows the operations of its stage. Between stages there are more: `ov` beside `scf` and `tensor`
after `convert-ov-loop-to-scf`, `linalg` on memrefs after `bufferize`, composite operations before `ov-decompose`. This
engine registers all implementations at once, and the signature of `main` determines how it is called: with whole values
(GRAPH), or in the boundary form that `compiler/feeds/signature.py` reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    AnyFloat,
    IndexType,
    IntegerType,
    MemRefType,
    ModuleOp,
    TensorType,
    UnrealizedConversionCastOp,
)
from xdsl.dialects.func import FuncOp
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import Operation

from loomir.compiler.checking.agreement import is_narrow_integer
from loomir.compiler.default_limits import DEFAULT_MAX_ITERATIONS, MAX_BYTES
from loomir.compiler.feeds.sequences import Boundary
from loomir.compiler.feeds.signature import ARENA_FILL
from loomir.compiler.interpreters.core import LoomirInterpreter, Run, Semantics
from loomir.compiler.interpreters.engines import LoopsEngine
from loomir.compiler.interpreters.linalg import LinalgFunctions
from loomir.compiler.interpreters.memref import MemrefFunctions
from loomir.compiler.interpreters.ov import GraphEngine, ov_functions
from loomir.compiler.interpreters.scalar import ScalarFunctions
from loomir.compiler.interpreters.scf import ScfFunctions
from loomir.compiler.interpreters.tensor import TensorFunctions
from loomir.dialects.element_types import dtype_of, stored
from loomir.dialects.interface import BLOB, DIM, ROLE, TYPE, arguments_of, main_function, results_of
from loomir.dialects.walking import walk

GRAPH_DIALECTS = ("ov", "ovseq")


class ProgramEngine:
    """Runs `main` of a module in whatever form it is: `ProgramEngine(module)({"x": array}) -> {"y": array}`.

    - `max_iterations`: bound on the iterations of all loops of one run (`limit-iterations`);
    - `max_bytes`: bound on the size of one tensor (`limit-bytes`);
    - `interpreted`: run one operation after the other, so that a listener sees each;
    - `fill`: the byte that buffers hold at the beginning, where the program takes any;
    - `watch`: see `LoomirInterpreter`.

    Errors are those of the stages' engines. The module must not change between calls.
    """

    def __init__(
        self,
        module: ModuleOp,
        *,
        max_iterations: int = DEFAULT_MAX_ITERATIONS,
        max_bytes: int = MAX_BYTES,
        interpreted: bool = False,
        fill: int = ARENA_FILL,
        watch: Callable[[Operation, Semantics], Semantics] | None = None,
    ) -> None:
        if has_boundary_form(main_function(module)):
            # Generated Python is for the lowered dialects: where `ov` is left, everything is interpreted.
            mixed = any(op.dialect_name() in GRAPH_DIALECTS for op in walk(module))
            self._engine = LoopsEngine(module, pure=mixed or interpreted, max_iterations=max_iterations)
            self._engine.fill = fill
            others: tuple[InterpreterFunctions, ...] = ()
        else:
            self._engine = GraphEngine(module, max_iterations=max_iterations, max_bytes=max_bytes)
            others = (
                ScalarFunctions(),
                TensorFunctions(),
                MemrefFunctions(),
                ScfFunctions(),
                LinalgFunctions(),
            )
        self.interpreter: LoomirInterpreter = self._engine.interpreter
        self.interpreter.watch = watch
        for functions in (*others, ov_functions()(max_bytes), _CastFunctions()):
            self.interpreter.register_implementations(functions, override=True)
        # Sequences and optionals are themselves to the user, whatever the program holds them in.
        self._boundary = Boundary.of(module)

    def __call__(self, feed: Mapping[str, Any]) -> dict[str, Any]:
        """Return the outputs for a feed.

        Each has its true shape and the element type that the user sees.
        """
        return self.run(feed).outputs

    def run(self, feed: Mapping[str, Any]) -> Run:
        """The outputs for a feed, and how many iterations the loops had."""
        run = self._engine.run(feed)
        return replace(run, outputs=self._boundary.assemble(run.outputs))


def has_boundary_form(main: FuncOp) -> bool:
    """Return True if `main` takes scalars, flat tensors and buffers.

    This is the form of STRUCTURED and LOOPS; in GRAPH, `main` takes whole values. A `main` that could be both, with static
    tensors only, is called in the same way in either form.
    """
    types = (*main.function_type.inputs.data, *main.function_type.outputs.data)
    if any(isinstance(t, IntegerType | IndexType | AnyFloat | MemRefType) for t in types):
        return True
    return any(entry.says(BLOB, DIM, ROLE, TYPE) for entry in (*arguments_of(main), *results_of(main)))


@register_impls
class _CastFunctions(InterpreterFunctions):
    """Materialization casts between unsigned or storage elements and signless ones.

    On memrefs it is the one of `loomir.pads`.
    """

    @impl(UnrealizedConversionCastOp)
    def run_cast(
        self, interpreter: Interpreter, op: UnrealizedConversionCastOp, args: PythonValues
    ) -> PythonValues:
        (value,) = args
        type_ = op.outputs[0].type
        if not isinstance(type_, TensorType) or not isinstance(value, np.ndarray):
            return args
        dtype = dtype_of(type_.element_type)
        value = stored(value)
        if dtype == value.dtype:
            return (value,)
        # Integers of 2 and 4 bits are widened below GRAPH; everything else is the same bits.
        return (value.astype(dtype) if is_narrow_integer(dtype) else value.view(dtype),)
