"""Hooks into xDSL's interpreter that compile operations.

An operation is compiled when it is first run, and cached.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import scf
from xdsl.dialects.linalg import ops as linalg
from xdsl.interpreter import Interpreter, PythonValues, impl, register_impls
from xdsl.ir import Operation, SSAValue

from loomir.compiler.built import Built
from loomir.compiler.interpreters.codegen.generic import can_compile, compile_generic
from loomir.compiler.interpreters.codegen.scalar import MAX_NESTING, nesting
from loomir.compiler.interpreters.codegen.source import Function
from loomir.compiler.interpreters.codegen.vector import VectorEmitter
from loomir.compiler.interpreters.core import LoomirInterpreter
from loomir.compiler.interpreters.linalg import LinalgFunctions
from loomir.compiler.interpreters.scf import ScfFunctions

Compiled = tuple[Sequence[SSAValue], Function]


def sources_of(compiled: Iterable[Compiled | None]) -> list[str]:
    """The generated texts, for people and tests."""
    return [entry[1].source for entry in compiled if entry is not None]


@register_impls
class CompiledScfFunctions(ScfFunctions):
    """Loops and branches as generated Python, whole nests at once."""

    def __init__(self) -> None:
        self._compiled = Built[Operation, Compiled | None]()

    def _run(self, interpreter: Interpreter, op: Operation) -> PythonValues | None:
        """Run a compiled operation and return its results, or None.

        The result is None if the operation is to be interpreted (and the operations inside it compiled).
        """
        assert isinstance(interpreter, LoomirInterpreter)
        compiled = self._compiled.of(op, lambda: self._compile(interpreter, op))
        if compiled is None:
            return None
        arguments, function = compiled
        return function.run(interpreter, interpreter.get_values(arguments))

    def _compile(self, interpreter: LoomirInterpreter, op: Operation) -> Compiled | None:
        if nesting(op) > MAX_NESTING:
            return None
        emitter = VectorEmitter(interpreter)

        def emit() -> list[str]:
            emitter.emit(op)
            return [emitter.use(r) for r in op.results]

        function = emitter.compile(op, emit)
        return emitter.arguments, function

    def sources(self) -> list[str]:
        """The Python generated so far."""
        return sources_of(self._compiled.values())

    @impl(scf.ForOp)
    def run_for(self, interpreter: Interpreter, op: scf.ForOp, args: PythonValues) -> PythonValues:
        results = self._run(interpreter, op)
        return self.interpret_for(interpreter, op, args) if results is None else results

    @impl(scf.WhileOp)
    def run_while(self, interpreter: Interpreter, op: scf.WhileOp, args: PythonValues) -> PythonValues:
        results = self._run(interpreter, op)
        return self.interpret_while(interpreter, op, args) if results is None else results

    @impl(scf.IfOp)
    def run_if(self, interpreter: Interpreter, op: scf.IfOp, args: PythonValues) -> PythonValues:
        region = op.true_region if args[0] else op.false_region
        return interpreter.run_ssacfg_region(region, (), "scf.if")


@register_impls
class CompiledLinalgFunctions(LinalgFunctions):
    """`linalg.generic` as numpy operations; the rest as in the pure interpreter."""

    def __init__(self) -> None:
        super().__init__()
        self._compiled = Built[linalg.GenericOp, Compiled | None]()

    def sources(self) -> list[str]:
        """The Python generated so far."""
        return sources_of(self._compiled.values())

    @impl(linalg.GenericOp)
    def run_generic(self, interpreter: Interpreter, op: linalg.GenericOp, args: PythonValues) -> PythonValues:
        assert isinstance(interpreter, LoomirInterpreter)
        compiled = self._compiled.of(
            op, lambda: compile_generic(interpreter, op) if can_compile(op) else None
        )
        if compiled is None:
            return self.interpret_generic(interpreter, op, args)
        arguments, function = compiled
        given = dict(zip(op.operands, args))
        captured = interpreter.get_values(v for v in arguments if v not in given)
        rest = iter(captured)
        return function.run(interpreter, [given[v] if v in given else next(rest) for v in arguments])
