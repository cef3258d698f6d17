"""Source text of a generated function, and the functions that it calls.

The text consists of the function's lines, the names of values, and the conversions of arguments and results.

Index values are linear forms, read off the IR that computes them.

The functions that generated code calls are strided access to all lanes at once, gather and scatter, and the related checks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from loomir.compiler.engines import (
    InterpreterError,
    LoomirInterpreter,
    OutOfBoundsError,
    is_scalar,
    to_value,
    trip_count,
)
from loomir.compiler.engines.computations import constant_value
from loomir.dialects.diagnostics import place
from loomir.dialects.element_types import is_float, shaped_type_of
from loomir.dialects.scalars.float_functions import narrow
from loomir.dialects.scalars.row import constant_integer, is_boolean
from loomir.dialects.vectors import is_vector
from loomir.passes.analysis.value_ranges import IntegerRanges

MAX_DEPTH = 64
"""Maximum number of operations through which a form is followed.

The values beyond are symbols.
"""


@dataclass(frozen=True)
class LinearForm:
    """`constant + Σ coefficient · symbol`, as a mathematical integer (no wrap-around)."""

    constant: int
    terms: dict[SSAValue, int]

    def plus(self, other: LinearForm, factor: int = 1) -> LinearForm:
        terms = dict(self.terms)
        for symbol, coefficient in other.terms.items():
            total = terms.get(symbol, 0) + factor * coefficient
            if total:
                terms[symbol] = total
            else:
                terms.pop(symbol, None)
        return LinearForm(self.constant + factor * other.constant, terms)

    def times(self, factor: int) -> LinearForm:
        return LinearForm(0, {}).plus(self, factor)


class LinearForms:
    """Linear forms of values, each computed once, and their `ranges`."""

    def __init__(self) -> None:
        self.ranges = IntegerRanges()
        self._forms: dict[SSAValue, LinearForm] = {}

    def form(self, value: SSAValue, depth: int = 0) -> LinearForm:
        """The value as a linear form of loop variables and other symbols."""
        known = self._forms.get(value)
        if known is None:
            known = self._forms[value] = self._form(value, depth)
        return known

    def _form(self, value: SSAValue, depth: int) -> LinearForm:
        if (number := constant_integer(value)) is not None:
            return LinearForm(number, {})
        if isinstance(value, OpResult) and isinstance(value.type, IndexType) and depth < MAX_DEPTH:
            op = value.op
            if isinstance(op, arith.AddiOp | arith.SubiOp):
                sign = 1 if isinstance(op, arith.AddiOp) else -1
                return self.form(op.lhs, depth + 1).plus(self.form(op.rhs, depth + 1), sign)
            if isinstance(op, arith.MuliOp):
                for factor, other in ((op.rhs, op.lhs), (op.lhs, op.rhs)):
                    if (number := constant_integer(factor)) is not None:
                        return self.form(other, depth + 1).times(number)
        return LinearForm(0, {value: 1})


MAX_OVERLAP_WORK = 10_000
"""Limit on the work of an exact overlap test.

Beyond it two views count as overlapping.
"""


def out_of_bounds(array: np.ndarray, index: Sequence[Any]) -> OutOfBoundsError:
    """The error of an access outside of an array."""
    return OutOfBoundsError(f"index {[int(i) for i in index]} is outside of shape {list(array.shape)}")


def disjoint(pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> bool:
    """Return True if no pair of arrays shares an element."""
    for a, b in pairs:
        if not np.may_share_memory(a, b):
            continue
        try:
            # numpy's stub knows two special bounds only.
            if np.shares_memory(a, b, MAX_OVERLAP_WORK):  # pyright: ignore[reportArgumentType]
                return False
        except np.exceptions.TooHardError:
            return False
    return True


class Access:
    """Strided access of all lanes.

    In dimension d the lanes t access `base[d] + Σ coefficients[d][axis] · t[axis]`.

    `view` returns the elements as an array with one axis per lane loop (of extent 1 if the index does not depend on it)
    over the same memory.
    """

    __slots__ = ("_data", "_dtype", "_high", "_low", "_owner", "_shape", "_steps", "_strides", "array")

    def __init__(
        self, array: np.ndarray, coefficients: Sequence[Sequence[int]], counts: Sequence[int]
    ) -> None:
        self.array = array
        # An array with any strides is no buffer to numpy's constructor; the memory that it is a view of is.
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        self._owner = owner
        self._data = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
        self._dtype = array.dtype
        self._strides = array.strides
        self._shape = tuple(
            n if any(row[axis] for row in coefficients) else 1 for axis, n in enumerate(counts)
        )
        self._steps = tuple(
            sum(row[axis] * stride for row, stride in zip(coefficients, array.strides))
            for axis in range(len(counts))
        )
        self._low = tuple(sum(min(0, c * (n - 1)) for c, n in zip(row, counts)) for row in coefficients)
        self._high = tuple(
            size - sum(max(0, c * (n - 1)) for c, n in zip(row, counts))
            for row, size in zip(coefficients, array.shape)
        )

    def inside(self, *base: int) -> bool:
        """Return True if all lanes stay within the array."""
        return all(b + low >= 0 and b < high for b, low, high in zip(base, self._low, self._high))

    def view(self, *base: int) -> np.ndarray:
        """The lanes' elements. Raises `OutOfBoundsError`."""
        offset = self._data
        for b, low, high, stride in zip(base, self._low, self._high, self._strides):
            if b + low < 0 or b >= high:
                raise OutOfBoundsError(
                    f"base {list(base)} of a strided access is outside of shape {list(self.array.shape)}"
                )
            offset += b * stride
        return np.ndarray(self._shape, self._dtype, self._owner, offset, self._steps)

    def target(self, *base: int) -> np.ndarray:
        """Return a writable `view`.

        Raises `InterpreterError` for a read-only array, since its owner may be writable.
        """
        if not self.array.flags.writeable:
            raise InterpreterError("a store to an input or a constant")
        return self.view(*base)


def _outside(index: Any, size: int, array: np.ndarray) -> OutOfBoundsError:
    return OutOfBoundsError(
        f"indices {np.min(index)} to {np.max(index)} leave an extent of {size} in shape {list(array.shape)}"
    )


def gather(array: np.ndarray, mask: Any, index: tuple[Any, ...]) -> np.ndarray:
    """Return `array[index]` lane by lane.

    The values of lanes outside of the mask are arbitrary. Raises `OutOfBoundsError`.
    """
    safe = []
    for i, size in zip(index, array.shape):
        if mask is not None:
            i = np.where(mask, i, 0)
            if not size and np.any(mask):
                raise out_of_bounds(array, [0] * len(index))
        if np.size(i) and (np.min(i) < 0 or np.max(i) >= max(size, mask is not None)):
            raise _outside(i, size, array)
        safe.append(i)
    if array.size == 0:
        return np.zeros(np.broadcast_shapes(*(np.shape(i) for i in safe)), array.dtype)
    return array[tuple(safe)]


def scatter(
    array: np.ndarray, mask: Any, index: tuple[Any, ...], value: Any, counts: tuple[int, ...]
) -> None:
    """Perform `array[index] = value` for every lane of the mask.

    If the mask is None, these are all lanes. Raises `OutOfBoundsError`.
    """
    index = tuple(np.broadcast_to(i, counts) for i in index)
    value = np.broadcast_to(value, counts)
    if mask is not None:
        mask = np.broadcast_to(mask, counts)
        index = tuple(i[mask] for i in index)
        value = value[mask]
    for i, size in zip(index, array.shape):
        if i.size and (i.min() < 0 or i.max() >= size):
            raise _outside(i, size, array)
    array[index] = value


def active(mask: Any, counts: tuple[int, ...]) -> int:
    """How many lanes run."""
    if mask is None:
        return prod(counts)
    return int(np.count_nonzero(np.broadcast_to(mask, counts)))


def span(lower: Any, upper: Any, mask: Any) -> tuple[int, int]:
    """Return the smallest range that contains the ranges of the mask's lanes."""
    lower, upper = np.broadcast_arrays(lower, upper)
    runs = lower < upper if mask is None else (lower < upper) & mask
    if not np.any(runs):
        return 0, 0
    runs, lower, upper = np.broadcast_arrays(runs, lower, upper)
    return int(lower[runs].min()), int(upper[runs].max())


def total_trips(lower: Any, upper: Any, mask: Any, counts: tuple[int, ...]) -> int:
    """Return the total trip count of the mask's lanes.

    Each lane runs from `lower` to `upper`.
    """
    trips = np.broadcast_to(np.maximum(np.subtract(upper, lower), 0), counts)
    return int(trips.sum() if mask is None else trips[np.broadcast_to(mask, counts)].sum())


def lane_numbers(count: int, axis: int, rank: int) -> np.ndarray:
    """0, 1, … along one axis of `rank`."""
    shape = [1] * rank
    shape[axis] = count
    return np.arange(count, dtype=np.int64).reshape(shape)


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


class Function(NamedTuple):
    """Generated Python: its text, and what runs it on an interpreter's values."""

    source: str
    run: Callable[[LoomirInterpreter, Sequence[Any]], tuple[Any, ...]]


"""Generated code of one function.

It maps the interpreter of a call and the values that it needs to the results.
"""

STATE = ("    B = I.budget", "    C = I.cell")
"""Definitions of the call's state that generated code uses.

They are local variables, because rounding to f32 is the most frequent operation.
"""


class Source:
    """Collects one Python function `compiled(I, arguments…)`, where `I` is the call's interpreter."""

    def __init__(self) -> None:
        self.forms = LinearForms()
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

    def compile(self, op: Operation, emit: Callable[[], Sequence[str]]) -> Function:
        """Compile the function whose body `emit` writes.

        It takes the values in `arguments` and returns the results.
        """
        self.forms.ranges.analyse_operation(op)
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
                raise OutOfBoundsError(f"in {place(op)}: {error}") from error
            return tuple([r if not is_scalar(t) else to_value(r, t) for r, t in zip(results, back)])

        return Function(source, call)


def _from_interpreter(element: Attribute) -> Callable[[Any], Any]:
    if not is_scalar(element):
        return _itself
    return {"bool": bool, "float": float, "int": int}[python_type(element)]


def _itself(value: Any) -> Any:
    return value
