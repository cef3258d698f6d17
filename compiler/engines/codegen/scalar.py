"""Regions of scf as Python loops over Python numbers.

```mlir
%r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) {
  %a = memref.load %x[%k] : memref<64xf32>
  %s = arith.addf %acc, %a : f32
  scf.yield %s : f32
}
```
becomes
```python
v3 = 0.0
B, C = I.budget, I.cell  # of this call
B.left -= max(0, v1 - 0)
if B.left < 0: B.take(0)
for v4 in range(0, v1, 1):
    v5 = v2_m[v4]        # a memoryview of the array v2
    C[0] = v3 + v5       # rounds to f32
    v6 = C[0]
    v3 = v6
```
Operations that have no Python form here are called through the interpreter's own implementation.

Scalar operations are Python expressions. Numbers are `float` (exactly a value of the type), `int` (signed) and `bool` (i1). The
table of scalar operations has expressions for the common ones; the others call the numpy function that the pure interpreter
uses, so that rare or delicate operations have a single definition.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects import arith, cf, memref, scf, tensor
from xdsl.dialects.builtin import Float32Type, Float64Type, IndexType
from xdsl.ir import Block, Operation, Region, SSAValue

from loomir.compiler.engines import LoomirInterpreter, is_scalar, runtime_error
from loomir.compiler.engines.codegen.source import PythonWriter, element_type, python_type
from loomir.compiler.engines.computations import elementwise, is_elementwise
from loomir.dialects.element_types import dtype_of, is_float
from loomir.dialects.region_flow import region_flow
from loomir.dialects.scalars import SCALARS, Python
from loomir.dialects.scalars.float_functions import narrow
from loomir.dialects.scalars.row import constant_integer, constant_trips, is_boolean, is_integer, width_of
from loomir.dialects.upstream.walking import walk
from loomir.dialects.vectors import is_vector, touches_vectors


def emit_scalar(source: PythonWriter, op: Operation, operands: Sequence[str]) -> None:
    """Write an elementwise operation on scalars and name its results."""
    python = SCALARS[type(op)].python
    if callable(python):
        python = python(op)
    expression = None if python is None else _expression(source, op, operands, python)
    if python is None or expression is None:
        _by_numpy(source, op, operands)
        return
    name = source.define(op.results[0])
    element = op.results[0].type
    if isinstance(element, Float32Type) and not python.exact:
        source.line(f"C[0] = {expression}")
        source.line(f"{name} = C[0]")
        return
    source.line(f"{name} = {expression}")
    if is_integer(element) and source.ranges.wraps(op):
        half = 1 << (width_of(element) - 1)
        source.line(f"if not {-half} <= {name} <= {half - 1}:")
        source.line(f"    {name} = (({name} + {half}) & {2 * half - 1}) - {half}")


def _expression(source: PythonWriter, op: Operation, operands: Sequence[str], python: Python) -> str | None:
    """Return the expression of an operation, or None.

    The result is None if the types require the general implementation.
    """
    element = op.results[0].type
    if any(is_boolean(v.type) for v in (*op.operands, *op.results)):
        template = python.boolean
    elif is_float(element) and not python.exact and not _once_rounded(op):
        return None
    else:
        template = python.expression
    if template is None:
        return None
    given = op.operands[0].type
    mask = (1 << width_of(given)) - 1 if is_integer(given) else None
    numpy = _numpy_call(source, op, operands) if "{numpy}" in template else None
    return template.format(*operands, mask=mask, numpy=numpy)


def _once_rounded(op: Operation) -> bool:
    """Return True if a float result may be rounded from double.

    This holds for f64 and, unless an integer was rounded to double before, for f32.
    """
    element = op.results[0].type
    if isinstance(element, Float32Type):
        return not any(is_integer(v.type) and width_of(v.type) > 53 for v in op.operands)
    return isinstance(element, Float64Type)


def _numpy_call(source: PythonWriter, op: Operation, operands: Sequence[str]) -> str:
    """A call of the operation's numpy function, with one result converted back."""
    function = source.constant(elementwise(op))
    arguments = ", ".join(
        f"{source.constant(dtype_of(v.type).type)}({text})" for v, text in zip(op.operands, operands)
    )
    text = f"{function}({arguments})"
    return f"{python_type(op.results[0].type)}({text})" if len(op.results) == 1 else text


def _by_numpy(source: PythonWriter, op: Operation, operands: Sequence[str]) -> None:
    text = _numpy_call(source, op, operands)
    names = [source.define(r) for r in op.results]
    source.line(f"{', '.join(names)} = {text}")
    if len(names) > 1:
        for name, result in zip(names, op.results):
            source.line(f"{name} = {python_type(result.type)}({name})")


MAX_NESTING = 14
"""Maximum loop nesting in one generated function.

Python allows 20 nested loops; a few are reserved for generated ones.
"""


def free_values(op: Operation) -> list[SSAValue]:
    """Return the values that an operation's regions capture.

    They are in order of first use.
    """
    inside: set[SSAValue] = set()
    free: dict[SSAValue, None] = {}
    for region in op.regions:
        for block in region.blocks:
            inside.update(block.args)
        for inner in walk(region):
            for block in (b for r in inner.regions for b in r.blocks):
                inside.update(block.args)
            inside.update(inner.results)
    for region in op.regions:
        for inner in walk(region):
            free.update(dict.fromkeys(v for v in inner.operands if v not in inside))
    return list(free)


class ScalarEmitter(PythonWriter):
    """Writes the Python of an operation with regions."""

    def __init__(self, interpreter: LoomirInterpreter) -> None:
        super().__init__()
        self.interpreter = interpreter

    def bind(self, value: SSAValue) -> None:
        """Emit the memoryview of a newly named memref or tensor.

        It is the fastest way for Python to read elements.
        """
        if is_scalar(value.type) or is_vector(value.type) or narrow(element_type(value)):
            return
        if any(
            isinstance(u.operation, memref.LoadOp | memref.StoreOp | tensor.ExtractOp) for u in value.uses
        ):
            self.line(f"{self.names[value]}_m = memoryview({self.names[value]})")

    def emit_block(self, block: Block) -> list[str]:
        """Write a block; the texts of what its terminator hands on."""
        op = block.first_op
        assert op is not None
        while op.next_op is not None:
            self.emit(op)
            op = op.next_op
        return [self.use(v) for v in op.operands]

    def emit(self, op: Operation) -> None:
        """Write one operation."""
        match op:
            case arith.ConstantOp():
                self.emit_constant(op)
            case arith.SelectOp() if not is_scalar(op.result.type) and not is_vector(op.cond.type):
                cond, a, b = map(self.use, op.operands)
                self.line(f"{self.define(op.result)} = {a} if {cond} else {b}")
                self.bind(op.result)
            case memref.LoadOp():
                self._emit_load(op.res, op.memref, op.indices)
            case tensor.ExtractOp():
                self._emit_load(op.result, op.tensor, op.indices)
            case memref.StoreOp():
                self._emit_store(op)
            case cf.AssertOp():
                error = self.constant(lambda: runtime_error(op.msg.data, op))
                self.line(f"if not {self.use(op.arg)}: raise {error}()")
            case scf.ForOp():
                self.emit_for(op)
            case scf.WhileOp():
                self._emit_while(op)
            case scf.IfOp():
                self.emit_if(op)
            case _ if type(op) in SCALARS and touches_vectors(op):
                self._emit_lanewise(op)
            case _ if is_elementwise(op):
                emit_scalar(self, op, [self.use(v) for v in op.operands])
            case _:
                self._emit_call(op)

    # ----- memory ---------------------------------------------------------------------------------------

    def _index(self, shaped: SSAValue, indices: Sequence[SSAValue]) -> str:
        """Return the text of a subscript, without the brackets.

        Indices that may be negative are checked first, because Python would count them from the end.
        """
        texts = [self.use(i) for i in indices]
        negative = [t for t, i in zip(texts, indices) if self.ranges.of(i)[0] < 0]
        if negative:
            test = " or ".join(f"{t} < 0" for t in negative)
            self.line(f"if {test}: raise oob({self.use(shaped)}, ({', '.join(texts)},))")
        return ", ".join(texts) if texts else "()"

    def _emit_load(self, result: SSAValue, shaped: SSAValue, indices: Sequence[SSAValue]) -> None:
        index = self._index(shaped, indices)
        text = f"{self.elements(shaped)}[{index}]"
        if narrow(element_type(shaped)):
            text = f"float({text})"
        self.line(f"{self.define(result)} = {text}")

    def _emit_store(self, op: memref.StoreOp) -> None:
        index = self._index(op.memref, op.indices)
        self.line(f"{self.elements(op.memref)}[{index}] = {self.use(op.value)}")

    def _emit_lanewise(self, op: Operation) -> None:
        """An operation on vectors: numpy's function of their arrays."""
        text = f"{self.constant(elementwise(op))}({', '.join(map(self._to_interpreter, op.operands))})"
        self.line(f"{', '.join([self.define(r) for r in op.results])} = {text}")

    # ----- other operations -----------------------------------------------------------------------------

    def _emit_call(self, op: Operation) -> None:
        """Run an operation as the interpreter does, from generated code."""
        functions, function = self.interpreter.implementation(op)
        captured = free_values(op)
        count = len(op.operands)

        def call(interpreter: LoomirInterpreter, *values: Any) -> Any:
            interpreter.set_values(zip(captured, values[count:]))
            results = function(functions, interpreter, op, values[:count]).values
            return results[0] if len(results) == 1 else results

        values = [self._to_interpreter(v) for v in (*op.operands, *captured)]
        text = f"{self.constant(call)}({', '.join(['I', *values])})"
        names = [self.define(r) for r in op.results]
        self.line(f"{', '.join(names)} = {text}" if names else text)
        for name, result in zip(names, op.results):
            if is_scalar(result.type):
                self.line(f"{name} = {python_type(result.type)}({name})")
            else:
                self.bind(result)

    def _to_interpreter(self, value: SSAValue) -> str:
        text = self.use(value)
        if not is_scalar(value.type) or isinstance(value.type, IndexType):
            return text
        return f"{self.constant(dtype_of(value.type).type)}({text})"

    # ----- control flow ---------------------------------------------------------------------------------

    def emit_region(self, region: Region, targets: Sequence[str]) -> None:
        """Emit a region one level deeper.

        The values that it yields are assigned to the targets, all at once.
        """
        self.depth += 1
        begin = len(self.lines)
        yielded = self.emit_block(region.block)
        self.assign(targets, yielded)
        if len(self.lines) == begin:
            self.line("pass")
        self.depth -= 1

    def assign(self, targets: Sequence[str], texts: Sequence[str]) -> None:
        """A parallel assignment, without what assigns a variable to itself."""
        pairs = [(t, x) for t, x in zip(targets, texts, strict=True) if t != x]
        if pairs:
            self.line(f"{', '.join(t for t, _ in pairs)} = {', '.join(x for _, x in pairs)}")

    def bind_all(self, values: Sequence[SSAValue]) -> None:
        for value in values:
            self.bind(value)

    def spend(self, trips: str) -> None:
        """Count iterations against the budget."""
        self.line(f"B.left -= {trips}")
        self.line("if B.left < 0: B.take(0)")

    def emit_for(self, op: scf.ForOp) -> None:
        """`scf.for` as `for … in range(…)`."""
        lower, upper, step = map(self.use, (op.lb, op.ub, op.step))
        initial = [self.use(v) for v in op.iter_args]
        carried = [self.define(a) for a in op.body.block.args[1:]]
        self.assign(carried, initial)
        trips = constant_trips(op)
        if trips is not None:
            self.spend(str(trips))
        elif constant_integer(op.step) == 1:
            self.spend(f"max(0, {upper} - {lower})")
        else:
            self.spend(f"trip_count({lower}, {upper}, {step})")
        self.line(f"for {self.define(op.body.block.args[0])} in range({lower}, {upper}, {step}):")
        self.depth += 1
        self.bind_all(op.body.block.args[1:])
        self.depth -= 1
        self.emit_region(op.body, carried)
        self.names.update(zip(op.res, carried))
        self.bind_all(op.res)

    def emit_if(self, op: scf.IfOp) -> None:
        """`scf.if` as `if`."""
        results = [self.define(r) for r in op.output]
        self.line(f"if {self.use(op.cond)}:")
        self.emit_region(op.true_region, results)
        if op.false_region.blocks:
            self.line("else:")
            self.emit_region(op.false_region, results)
        self.bind_all(op.output)

    def _emit_while(self, op: scf.WhileOp) -> None:
        initial = [self.use(v) for v in op.arguments]
        before = [self.define(a) for a in op.before_region.block.args]
        results = [self.define(r) for r in op.res]
        after = [self.define(a) for a in op.after_region.block.args]
        self.assign(before, initial)
        self.line("while True:")
        self.depth += 1
        self.bind_all(op.before_region.block.args)
        go_on, *forwarded = self.emit_block(op.before_region.block)
        self.line(f"if not {go_on}:")
        self.depth += 1
        self.assign(results, forwarded)
        self.line("break")
        self.depth -= 1
        self.spend("1")
        self.assign(after, forwarded)
        self.bind_all(op.after_region.block.args)
        self.depth -= 1
        self.emit_region(op.after_region, before)
        self.bind_all(op.res)


def nesting(op: Operation) -> int:
    """How deep loops nest in an operation, itself included."""
    deepest = 0
    stack = [(op, 0)]
    while stack:
        inner, depth = stack.pop()
        depth += (flow := region_flow(inner)) is not None and flow.repeats
        deepest = max(deepest, depth)
        stack += [(o, depth) for region in inner.regions for block in region.blocks for o in block.ops]
    return deepest
