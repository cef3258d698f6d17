"""Common parts of the rules for `arith` and `math`.

A rule takes the operation and a `Context` and returns the expression of its (first) result. An expression of an `i8` or
`i16` always has exactly that C type: values that C promotes to `int` are converted back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from xdsl.ir import Attribute, Operation, SSAValue

from loomir.compiler.backends.c.expressions import Expr, call, cast, choose_boolean, conditional, integer
from loomir.compiler.backends.c.literals import bits, kind, value_type
from loomir.compiler.backends.c.runtime import Runtime
from loomir.errors import Error
from loomir.passes.analysis.integer_ranges import IntegerRanges


class Context(Protocol):
    """Context that an expression needs from its enclosing function."""

    runtime: Runtime
    ranges: IntegerRanges

    def use(self, value: SSAValue) -> Expr:
        """The expression of an operand, to be printed once."""
        ...

    def atom(self, value: SSAValue) -> Expr:
        """Return the operand as a variable or literal that may be repeated.

        It can be printed any number of times.
        """
        ...


Rule = Callable[[Any, Context], Expr]
"""Takes an operation of the class that it is the rule of."""


def unsigned_type(k: str) -> str:
    """The unsigned C type of an integer kind."""
    return "size_t" if k == "index" else f"uint{bits(k)}_t"


def wide_unsigned(k: str) -> str:
    return "size_t" if k == "index" else f"uint{max(32, bits(k))}_t"


def as_unsigned(e: Expr, k: str) -> Expr:
    """The bits of an integer read as unsigned."""
    if isinstance(e.literal, int) and (e.literal >= 0 or k != "index"):
        value = e.literal % (1 << bits(k))
        return integer(value, f"{value}u")
    return cast(unsigned_type(k), e)


def narrow(e: Expr, k: str) -> Expr:
    """Undo C's promotion to `int`; the value fits."""
    return cast(f"int{k[1:]}_t", e) if k in ("i8", "i16") else e


def refuse(op: Operation, why: str) -> Error:
    """Return the error for an operation, or a use, unsupported in C."""
    return Error("c-unsupported-op", why, op=op.name)


def choose(condition: Expr, a: Expr, b: Expr, t: Attribute) -> Expr:
    """`condition ? a : b` of a scalar type."""
    k = kind(t)
    if k == "i1":
        return choose_boolean(condition, a, b)
    if k in ("i64", "index") and a.literal is not None and b.literal is not None:
        # Two literals would make an int, in which the operations around it may overflow.
        a = cast(value_type(t), a)
    return narrow(conditional(condition, a, b), k)


def rounded(e: Expr, k: str, c: Context) -> Expr:
    """Round a result computed in `float` to its 16-bit type."""
    return call(c.runtime.fixed(f"round_{k}"), e) if k in ("f16", "bf16") else e
