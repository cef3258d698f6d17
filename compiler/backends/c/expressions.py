"""C expressions as text with a binding strength.

The strength limits parentheses to those that C or a reader needs.

An expression is printed where its value is used, not where its operation stands. It therefore records what must not happen
in between: `reads` are the C variables that are assigned more than once, `loads` is True if it reads memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

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
