"""C expressions, types and literals.

An expression is text with a binding strength, which limits parentheses to those that C or a reader needs.

An expression is printed where its value is used, not where its operation stands. It therefore records what must not happen
in between: `reads` are the C variables that are assigned more than once, `loads` is True if it reads memory.

loomir's element types have these types in C:

| type | in memory | as a value |
|---|---|---|
| `f32`, `f64` | `float`, `double` | the same |
| `f16`, `bf16` | `uint16_t` | `float` that the 16 bits can hold |
| `i8` … `i64` | `int8_t` … `int64_t` | the same: unsigned operations convert |
| `i1` | `bool` | `bool` |
| `index` | | `ptrdiff_t` |
| `vector<8xf32>` | | `loomir_f32x8` (`vectors.py`) |

Weights are printed as initialisers of arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import IndexType, IntegerType, VectorType
from xdsl.ir import Attribute

from loomir.dialects.element_types import FLOATS, element_of, is_storage, is_storage_integer, is_unsigned
from loomir.errors import Error

# Binding strengths, after the grammar of C99 §6.5.
ATOM, UNARY, MUL, ADD, SHIFT, COMPARE, BITWISE, AND, OR, CONDITIONAL = range(100, 0, -10)

_STRENGTH = {
    "*": MUL, "/": MUL, "%": MUL, "+": ADD, "-": ADD, "<<": SHIFT, ">>": SHIFT,
    "<": COMPARE, "<=": COMPARE, ">": COMPARE, ">=": COMPARE, "==": COMPARE, "!=": COMPARE,
    "&": BITWISE, "^": BITWISE, "|": BITWISE, "&&": AND, "||": OR,
}  # fmt: skip
_ARITHMETIC = frozenset("*/%+-")
_NEGATED = {"==": "!=", "!=": "=="}
_NOTHING: frozenset[str] = frozenset()


class Expr(NamedTuple):
    """C text that has a value; immutable."""

    text: str
    strength: int = ATOM
    reads: frozenset[str] = _NOTHING
    loads: bool = False
    operator: str = ""
    """The outermost binary operator, where there is one."""
    literal: int | float | bool | None = None
    """The value, where the text is a literal."""
    offset: tuple[Expr, int] | None = None
    """Single-assignment variable and constant of an index such as `i + 2`."""

    @property
    def is_name(self) -> bool:
        """Return True if the expression is an identifier or a literal.

        Evaluating it twice is as good as once.
        """
        return self.literal is not None or (self.strength == ATOM and self.text.isidentifier())


def name(text: str) -> Expr:
    """A variable that is assigned once."""
    return Expr(text)


def variable(text: str) -> Expr:
    """A variable that is assigned more than once."""
    return Expr(text, reads=frozenset((text,)))


def _of(operands: Sequence[Expr], text: str, strength: int, operator: str = "") -> Expr:
    reads = _NOTHING
    loads = False
    for e in operands:
        if e.reads:
            reads = reads | e.reads if reads else e.reads
        loads = loads or e.loads
    return Expr(text, strength, reads, loads, operator)


def _inside(e: Expr, needed: bool) -> str:
    return f"({e.text})" if needed else e.text


def binary(operator: str, a: Expr, b: Expr) -> Expr:
    """Return `a operator b`.

    Operands are parenthesized where the grammar or `-Wparentheses` requires it.
    """
    strength = _STRENGTH[operator]
    if operator in _ARITHMETIC:
        left, right = a.strength < strength, b.strength <= strength
    elif operator in ("&&", "||"):
        # `a && b && c` needs none; -Wparentheses wants them for && inside ||.
        left = a.strength < COMPARE and a.operator != operator
        right = b.strength < COMPARE and b.operator != operator
    elif strength == COMPARE:
        left, right = a.strength <= COMPARE, b.strength <= COMPARE
    else:
        left = a.strength < UNARY and a.operator != operator
        right = b.strength < UNARY
    return _of((a, b), f"{_inside(a, left)} {operator} {_inside(b, right)}", strength, operator)


def unary(operator: str, a: Expr) -> Expr:
    """`-a`, `~a`, `!a`."""
    # `--a` would be another operator.
    needed = a.strength < UNARY or a.text.startswith(operator)
    return _of((a,), f"{operator}{_inside(a, needed)}", UNARY)


def negate(a: Expr) -> Expr:
    """Return the logical negation.

    `==` becomes `!=` and vice versa; a literal becomes the opposite literal.
    """
    if a.literal is not None:
        return boolean(not a.literal)
    if a.operator in _NEGATED:
        other = _NEGATED[a.operator]
        head, _, tail = a.text.partition(f" {a.operator} ")
        # Only safe when the operator found is the outermost one.
        if f" {a.operator} " not in tail and "(" not in head + tail and "?" not in head + tail:
            return a._replace(text=f"{head} {other} {tail}", operator=other)
    if a.strength == UNARY and a.text.startswith("!"):
        inner = a.text[1:]
        return a._replace(text=inner, strength=ATOM)
    return unary("!", a)


def cast(c_type: str, a: Expr) -> Expr:
    """`(c_type)a`."""
    return _of((a,), f"({c_type}){_inside(a, a.strength < UNARY)}", UNARY)


def call(function: str, *arguments: Expr) -> Expr:
    """`function(arguments)`."""
    return _of(arguments, f"{function}({', '.join(a.text for a in arguments)})", ATOM)


def conditional(condition: Expr, a: Expr, b: Expr) -> Expr:
    """`condition ? a : b`."""
    parts = (
        _inside(condition, condition.strength <= CONDITIONAL),
        _inside(a, a.strength <= CONDITIONAL),
        _inside(b, b.strength <= CONDITIONAL),
    )
    return _of((condition, a, b), "{} ? {} : {}".format(*parts), CONDITIONAL)


def choose_boolean(condition: Expr, a: Expr, b: Expr) -> Expr:
    """Return `condition ? a : b` of booleans.

    If an arm is a literal, the expression uses `&&` or `||`.
    """
    if a.literal is not None and b.literal is not None:
        if bool(a.literal) == bool(b.literal):
            # Every operand is printed, or the variable that it is would be set and not used.
            return conditional(condition, a, b)
        return condition if a.literal else negate(condition)
    if a.literal is not None:
        return binary("||", condition, b) if a.literal else binary("&&", negate(condition), b)
    if b.literal is not None:
        return binary("||", negate(condition), a) if b.literal else binary("&&", condition, a)
    return conditional(condition, a, b)


def subscript(pointer: Expr, index: Expr) -> Expr:
    """`pointer[index]`, a load."""
    e = _of((pointer, index), f"{_inside(pointer, pointer.strength < ATOM)}[{index.text}]", ATOM)
    return e._replace(loads=True)


def integer(value: int, text: str | None = None) -> Expr:
    """An integer literal."""
    return Expr(str(value) if text is None else text, UNARY if value < 0 else ATOM, literal=value)


def boolean(value: bool) -> Expr:
    """`true` or `false`."""
    return Expr("true" if value else "false", literal=value)


def add(a: Expr, b: Expr) -> Expr:
    """Return `a + b` for subscripts and sizes.

    The sum does not wrap; literals are folded, and `+ 0` and `+ -1` are not emitted.
    """
    x, y = a.literal, b.literal
    if isinstance(x, int) and isinstance(y, int):
        return integer(x + y)
    if x == 0:
        return b
    if y == 0:
        return a
    if isinstance(y, int) and y < 0:
        return binary("-", a, integer(-y))
    return binary("+", a, b)


def displaced(a: Expr, b: Expr) -> Expr:
    """Return `a + b` of indices.

    A sum that is only a constant distance from a variable can be printed at any use.
    """
    if isinstance(a.literal, int):
        a, b = b, a
    e = add(a, b)
    if e is a or not isinstance(b.literal, int) or isinstance(b.literal, bool):
        return e
    base, distance = a.offset or (a, 0)
    if not base.is_name or base.reads or base.literal is not None:
        return e
    return add(base, integer(distance + b.literal))._replace(offset=(base, distance + b.literal))


def multiply(a: Expr, b: Expr) -> Expr:
    """`a * b` for subscripts and sizes: no wrap, literals folded, no `* 1`."""
    x, y = a.literal, b.literal
    if isinstance(x, int) and isinstance(y, int):
        return integer(x * y)
    if x == 1:
        return b
    if y == 1:
        return a
    return binary("*", a, b)


_LINE = 104
"""Columns of a line of an initialiser."""


def kind(t: Attribute) -> str:
    """Return the kind of a type, which appears in helper function names.

    The kinds are `f32`, `f64`, `f16`, `bf16`, `i1` … `i64` and `index`.

    Raises `c-unsupported-type`.
    """
    if type(t) in FLOATS:
        return t.name
    if isinstance(t, IndexType):
        return "index"
    if isinstance(t, IntegerType) and t.width.data in (1, 8, 16, 32, 64):
        return f"i{t.width.data}"
    raise Error(
        "c-unsupported-type", f"C has no type for {t}", hint="i1, i8 … i64, f16, bf16, f32, f64, index"
    )


_VALUE_TYPES = {
    "f32": "float",
    "f64": "double",
    "f16": "float",
    "bf16": "float",
    "i1": "bool",
    "i8": "int8_t",
    "i16": "int16_t",
    "i32": "int32_t",
    "i64": "int64_t",
    "index": "ptrdiff_t",
}
_BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}


def value_type(t: Attribute) -> str:
    """Return the C type of a scalar or vector SSA value.

    `vectors.py` defines the vector types; the lanes of a mask have 32 bits.
    """
    if isinstance(t, VectorType):
        k, lanes = kind(t.element_type), t.get_shape()[0]
        if k in ("f16", "bf16", "index") or lanes & (lanes - 1):
            raise Error(
                "c-unsupported-type",
                f"C has no type for {t}",
                hint="vectors have 2, 4, 8 … lanes of i1, i8 … i64, f32 or f64",
            )
        return f"loomir_{'i32' if k == 'i1' else k}x{lanes}"
    return _VALUE_TYPES[kind(t)]


def memory_type(t: Attribute) -> str:
    """The C type of an element in memory."""
    k = kind(t)
    return "uint16_t" if k in ("f16", "bf16") else _VALUE_TYPES[k]


def user_type(dtype: np.dtype) -> str:
    """Return the C type of an element as the caller sees it.

    A storage type is the integer, or the bits of the float.
    """
    if is_storage(element := element_of(dtype)):
        return "int8_t" if is_storage_integer(element) and not is_unsigned(element) else "uint8_t"
    if dtype.kind == "b":
        return "bool"
    if dtype.kind in "iu":
        return f"{dtype.name}_t"
    return {4: "float", 8: "double", 2: "uint16_t"}[dtype.itemsize]


def bits(k: str) -> int:
    """Return the width of an integer kind in bits.

    An index counts as 64, the widest that it may be.
    """
    return _BITS[k]


def limits(k: str) -> tuple[int, int]:
    """Return the least and greatest signed value of an integer kind.

    A boolean is 0 or 1.
    """
    if k == "i1":
        return 0, 1
    half = 1 << (_BITS[k] - 1)
    return -half, half - 1


def integer_literal(value: int, k: str) -> Expr:
    """A literal of an integer kind, `true` and `false` for i1."""
    if k == "i1":
        return boolean(value != 0)
    # The least value of a type is no literal with a minus: its absolute value does not fit.
    if value == -(1 << 63):
        return Expr("INT64_MIN", literal=value)
    if value == -(1 << 31):
        return Expr("INT32_MIN", literal=value)
    return integer(value)


def float_literal(value: float, k: str) -> Expr:
    """Return the shortest literal that reads back as exactly the same number.

    Infinity and NaN are `INFINITY` and `NAN`.
    """
    if k == "f64":
        text = _macro(value) or repr(float(value))
    else:
        text = _macro(value) or f"{_single(np.float32(value))}f"
    negative = text.startswith("-")
    return Expr(text, UNARY if negative else 100, literal=float(value))


_LARGE, _HUGE = 1e6, 1e16


def _single(value: np.float32) -> str:
    """Return the shortest text of an f32, equal in every numpy.

    The versions' `str` has exponents from `_LARGE` or from `_HUGE` on.
    """
    if _LARGE <= abs(value) < _HUGE:
        return np.format_float_scientific(value, trim="-", exp_digits=2)
    return str(value)


def _macro(value: float) -> str | None:
    if value != value:
        return "NAN"
    if value in (float("inf"), float("-inf")):
        return "INFINITY" if value > 0 else "-INFINITY"
    return None


def initialiser(array: np.ndarray) -> Iterable[str]:
    """Return the lines between the braces of a `static const` array.

    The elements are in row-major order. Floats have their shortest exact form, 16-bit floats are bits.
    """
    flat = array.reshape(-1)
    if flat.size == 0:
        # C has no empty array; the pointer is never read.
        return ["0"]
    return _wrap(_element_texts(flat))


def _element_texts(flat: np.ndarray) -> list[str]:
    if flat.dtype.kind == "b":
        return list(map(str, flat.view(np.uint8).tolist()))
    if flat.dtype.kind in "iu":
        texts = list(map(str, flat.tolist()))
        if flat.dtype.itemsize == 8:
            least = np.flatnonzero(flat == np.iinfo(np.int64).min)
            for k in least.tolist():
                texts[k] = "INT64_MIN"
        return texts
    if flat.dtype.itemsize == 2:
        return list(map("0x%04x".__mod__, flat.view(np.uint16).tolist()))
    if flat.dtype == np.float64:
        texts = list(map(repr, flat.tolist()))
    else:
        # str of a numpy float32 is its shortest form.
        texts = [f"{text}f" for text in map(str, flat)]
        size = np.abs(flat)
        for k in np.flatnonzero((size >= _LARGE) & (size < _HUGE)).tolist():
            texts[k] = f"{_single(flat[k])}f"
    odd = np.flatnonzero(~np.isfinite(flat))
    for k in odd.tolist():
        texts[k] = _macro(float(flat[k])) or texts[k]
    return texts


def _wrap(texts: list[str]) -> Iterable[str]:
    """As many elements a line as the widest allows."""
    per_line = max(1, _LINE // (max(map(len, texts)) + 2))
    for start in range(0, len(texts), per_line):
        yield ", ".join(texts[start : start + per_line]) + ("," if start + per_line < len(texts) else "")
