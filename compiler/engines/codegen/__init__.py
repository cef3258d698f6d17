"""Python source generated from loop-level IR.

It makes the interpreters fast enough to be useful. This module has the hooks into xDSL's interpreter: an operation is compiled
when it is first run, and cached.

- `source`: the text of a function and its conversions; index expressions as linear forms and intervals, by which the other
  modules decide; the functions that the generated code calls;
- `scalar`: regions as Python loops over Python numbers, and a scalar operation as a Python expression;
- `lanes`: selects the loops that may run all their iterations at once;
- `vector`: such loops as numpy operations on all iterations.

A `linalg.generic` becomes numpy operations too: its parallel loops are lanes, its reduction loops stay loops. The body is
emitted once and runs once per point of the reduction loops, in their order, for all parallel points. That is correct if each
parallel point has an output element of its own; `can_compile` checks if the maps show that.

A value is *uniform* (one Python number for all lanes) or *varying* (a numpy array with one axis per lane loop). Only
independent iterations become lanes, and reductions keep their order, so that results are bit-identical to those of the
pure interpreter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import scf
from xdsl.dialects.linalg import ops as linalg
from xdsl.interpreter import Interpreter, PythonValues, impl, register_impls
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from loomir.compiler.engines import LoomirInterpreter, is_scalar
from loomir.compiler.engines.codegen.lanes import spread
from loomir.compiler.engines.codegen.scalar import MAX_NESTING, nesting
from loomir.compiler.engines.codegen.source import Function, element_type
from loomir.compiler.engines.codegen.vector import Lane, Scope, VectorEmitter
from loomir.compiler.engines.computations import (
    LinalgFunctions,
    ScfFunctions,
    iteration_extents,
    maps_of,
    padded_operands,
)
from loomir.compiler.shared_state import Built
from loomir.dialects.scalars.float_functions import narrow
from loomir.dialects.upstream.walking import walk

_PYTHON_OPERATORS = {
    AffineBinaryOpKind.Add: "({} + {})",
    AffineBinaryOpKind.Mul: "({} * {})",
    AffineBinaryOpKind.Mod: "({} % {})",
    AffineBinaryOpKind.FloorDiv: "({} // {})",
    AffineBinaryOpKind.CeilDiv: "(-(-{} // {}))",
}


def parallel_dims(op: linalg.GenericOp) -> list[int]:
    """The loops that become lanes, the outermost first."""
    return [d for d, kind in enumerate(op.iterator_types) if kind.data == "parallel"]


def can_compile(op: linalg.GenericOp) -> bool:
    """Return True if outputs have one element per parallel point.

    The indices of the element depend on the parallel loops only.
    """
    parallel = set(parallel_dims(op))
    for indexing in maps_of(op)[len(op.inputs) :]:
        used: set[int] = set()
        for expr in indexing.results:
            used.update(expr.used_dims())
        plain = {expr.position for expr in indexing.results if isinstance(expr, AffineDimExpr)}
        if used != parallel or plain != parallel:
            return False
    return True


class GenericEmitter(VectorEmitter):
    """Writes the function of one `linalg.generic`."""

    def __init__(self, interpreter: LoomirInterpreter, op: linalg.GenericOp) -> None:
        super().__init__(interpreter)
        self.op = op
        self.axes = {d: axis for axis, d in enumerate(parallel_dims(op))}
        self.loop_names: dict[int, str] = {}

    def build(self) -> Function:
        """The compiled function of the values in `arguments`."""
        return self.compile(self.op, self._emit_generic)

    # ----- indices --------------------------------------------------------------------------------------

    def _lane_of(self, expr: AffineExpr) -> Lane | None:
        """A linear index expression; None where it divides."""
        rank = len(self.axes)
        match expr:
            case AffineConstantExpr():
                return Lane(str(expr.value), (0,) * rank)
            case AffineDimExpr():
                axis = self.axes.get(expr.position)
                if axis is None:
                    return Lane(self.loop_names[expr.position], (0,) * rank)
                return Lane("0", tuple(int(a == axis) for a in range(rank)))
            case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Add):
                a, b = self._lane_of(expr.lhs), self._lane_of(expr.rhs)
                if a is None or b is None:
                    return None
                bases = [lane.base for lane in (a, b) if lane.base != "0"]
                return Lane(
                    f"({' + '.join(bases)})" if bases else "0",
                    tuple(x + y for x, y in zip(a.coefficients, b.coefficients)),
                )
            case AffineBinaryOpExpr(
                kind=AffineBinaryOpKind.Mul, lhs=lhs, rhs=AffineConstantExpr(value=factor)
            ):
                lane = self._lane_of(lhs)
                if lane is None:
                    return None
                base = "0" if lane.base == "0" else f"({lane.base} * {factor})"
                return Lane(base, tuple(c * factor for c in lane.coefficients))
            case _:
                return None

    def _index_at(self, expr: AffineExpr) -> Lane | str:
        lane = self._lane_of(expr)
        if lane is not None:
            return lane
        assert isinstance(expr, AffineBinaryOpExpr)
        parts = [self._index_at(e) for e in (expr.lhs, expr.rhs)]
        texts = [p if isinstance(p, str) else self._materialised(p) for p in parts]
        return _PYTHON_OPERATORS[expr.kind].format(*texts)

    # ----- the operation --------------------------------------------------------------------------------

    def _emit_generic(self) -> list[str]:
        op = self.op
        names = [self.use(v) for v in op.operands]
        padded = padded_operands(op)
        for operand, pad in padded.items():
            texts = ", ".join(self.use(v) for v in op.operands)
            names[operand] = self.fresh()
            self.line(f"{names[operand]} = {self.constant(pad)}(({texts},))")
        maps = maps_of(op)
        extents = [self.fresh() for _ in range(maps[0].num_dims)]
        arrays = "".join(f"{n}, " for n in names)
        if extents:
            count = self.constant(lambda *operands: iteration_extents(op, operands))
            self.line(f"{''.join(f'{e}, ' for e in extents)} = {count}({arrays})")
        first = len(op.inputs)
        if op.res:
            for k in range(first, len(names)):
                copy = self.fresh()
                self.line(f"{copy} = {names[k]}.copy()")
                names[k] = copy
        self._analyse(names)
        parallel = list(self.axes)
        self.line(f"if {' and '.join(extents[d] for d in parallel) or 'True'}:")
        self.depth += 1
        self.scope = Scope(len(parallel))
        self.enter_lanes([extents[d] for d in parallel])
        self._emit_loops(names, extents)
        self.depth -= 1
        self.scope = None
        return names[first:] if op.res else []

    def _analyse(self, names: Sequence[str]) -> None:
        """Determine the values of the body that vary.

        An input that is indexed by a parallel loop varies, and so do the values that depend on it.
        """
        op = self.op
        arguments = op.body.block.args
        for argument, operand, indexing in zip(arguments, op.operands, maps_of(op)):
            if not is_scalar(operand.type) and any(
                self.axes.keys() & e.used_dims() for e in indexing.results
            ):
                self.varying.add(argument)
        self.varying.update(arguments[len(op.inputs) :])
        for inner in walk(op.body):
            if isinstance(inner, linalg.IndexOp) and inner.dim.value.data in self.axes:
                self.varying.add(inner.result)
        assert spread(op, set(), self.varying)

    def _emit_loops(self, names: Sequence[str], extents: Sequence[str]) -> None:
        op = self.op
        maps, arguments = maps_of(op), op.body.block.args
        first = len(op.inputs)
        # Stores come last, but with several outputs one may overwrite what the next one still has to be
        # given.
        copies = not op.res and len(op.outputs) > 1
        outputs = list(zip(names[first:], maps[first:], arguments[first:]))
        reduction = [d for d in range(len(extents)) if d not in self.axes]
        for name, indexing, argument in outputs:
            if argument.first_use is not None or reduction:
                self.load_lanes(argument, name, [self._index_at(e) for e in indexing.results], True)
        accumulators = [self.names.get(argument) for _, _, argument in outputs]
        for d in reduction:
            self.loop_names[d] = self.fresh()
            self.line(f"for {self.loop_names[d]} in range({extents[d]}):")
            self.depth += 1
        for name, indexing, argument, operand in zip(names, maps, arguments[:first], op.inputs):
            if argument.first_use is None:
                continue
            if is_scalar(operand.type):
                self.names[argument] = name
            elif argument in self.varying:
                self.load_lanes(argument, name, [self._index_at(e) for e in indexing.results], copies)
            else:
                self._load_uniform(argument, name, operand, indexing.results)
        yielded = self._emit_inner(op.body)
        texts = [self.array(v) for v in yielded]
        if reduction:
            self.assign([a for a in accumulators if a is not None], texts)
            self.line("pass")
            self.depth -= len(reduction)
            texts = [a for a in accumulators if a is not None]
        for (name, indexing, _), text in zip(outputs, texts, strict=True):
            self.store_lanes(name, [self._index_at(e) for e in indexing.results], text)

    def _load_uniform(
        self, result: SSAValue, array: str, operand: SSAValue, exprs: Sequence[AffineExpr]
    ) -> None:
        """Emit the load of an element that all lanes share.

        `iteration_extents` has checked that it is within the array's bounds.
        """
        texts = []
        for expr in exprs:
            index = self._index_at(expr)
            texts.append(index if isinstance(index, str) else index.base)
        element = element_type(operand)
        if narrow(element):
            text = f"float({array}[{', '.join(texts) or '()'}])"
        else:
            text = f"{array}.item({', '.join(texts)})"
        self.line(f"{self.define(result)} = {text}")

    def emit(self, op: Operation) -> None:
        """Emit an operation of the body.

        `linalg.index` is the number of a lane or the variable of a loop.
        """
        if not isinstance(op, linalg.IndexOp):
            super().emit(op)
            return
        d = op.dim.value.data
        lane = self._lane_of(AffineDimExpr(d))
        assert lane is not None
        if d in self.axes:
            self.lanes[op.result] = lane
        else:
            self.names[op.result] = lane.base


def compile_generic(interpreter: LoomirInterpreter, op: linalg.GenericOp) -> tuple[list[SSAValue], Function]:
    """The values that a generic needs, and its compiled function of them."""
    emitter = GenericEmitter(interpreter, op)
    function = emitter.build()
    return emitter.arguments, function


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
