"""Interval arithmetic on integers.

It computes the bounds of a mathematical result from those of the operands. Python's integers are exact at any size. Division
by zero yields 0, as everywhere in loomir. None: nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable

Interval = tuple[int, int]
"""The least and the greatest value."""
Rule = Callable[[Interval, Interval], "Interval | None"]


def join(a: Interval, b: Interval) -> Interval:
    """The least interval that holds both."""
    return min(a[0], b[0]), max(a[1], b[1])


def meet(a: Interval, b: Interval) -> Interval:
    """The numbers in both; the bounds are exchanged if there are none."""
    return max(a[0], b[0]), min(a[1], b[1])


def contains(outer: Interval, inner: Interval) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def corners(function: Callable[[int, int], int]) -> Callable[[Interval, Interval], Interval]:
    """Return the interval rule of a function monotone in each argument.

    The interval lies between the function's values at the four corners.
    """

    def rule(a: Interval, b: Interval) -> Interval:
        values = [function(x, y) for x in a for y in b]
        return min(values), max(values)

    return rule


def add(a: Interval, b: Interval) -> Interval:
    return a[0] + b[0], a[1] + b[1]


def subtract(a: Interval, b: Interval) -> Interval:
    return a[0] - b[1], a[1] - b[0]


multiply = corners(lambda x, y: x * y)
minimum = corners(min)
maximum = corners(max)


def truncated_quotient(x: int, y: int) -> int:
    """x / y rounded towards zero, of y other than 0."""
    q = abs(x) // abs(y)
    return q if (x < 0) == (y < 0) else -q


def floored_quotient(x: int, y: int) -> int:
    """x / y rounded down, of y other than 0."""
    return x // y


def raised_quotient(x: int, y: int) -> int:
    """x / y rounded up, of y other than 0."""
    return -(-x // y)


def quotient(rounding: Callable[[int, int], int]) -> Callable[[Interval, Interval], Interval]:
    """Return the interval rule of a quotient with the given rounding.

    If the divisor may be 0 or change sign, the rule also evaluates its values nearest to 0; if it may be 0, the interval contains
    0.
    """

    def rule(a: Interval, b: Interval) -> Interval:
        low, high = b
        ends = {low, high, *((-1,) if low < 0 <= high else ()), *((1,) if low <= 0 < high else ())}
        found = [rounding(x, y) for x in a for y in ends if y]
        if low <= 0 <= high:
            found.append(0)
        return min(found), max(found)

    return rule


def remainder(a: Interval, b: Interval) -> Interval:
    """Remainders with the sign of the dividend: nearer to 0 than both."""
    if a[0] == a[1] and b[0] == b[1] != 0:
        exact = a[0] - b[0] * truncated_quotient(a[0], b[0])
        return exact, exact
    most = max(0, abs(b[0]) - 1, abs(b[1]) - 1)
    return (0 if a[0] >= 0 else max(a[0], -most)), (0 if a[1] <= 0 else min(a[1], most))


def floored_remainder(a: Interval, b: Interval) -> Interval:
    """Return the interval of a remainder with the sign of the divisor.

    The remainder is nearer to 0 than the divisor.
    """
    if a[0] == a[1] and b[0] == b[1] != 0:
        exact = a[0] % b[0]
        return exact, exact
    most = max(0, abs(b[0]) - 1, abs(b[1]) - 1)
    low, high = (0 if b[0] >= 0 else -most), (0 if b[1] <= 0 else most)
    return low, min(high, a[1]) if low == 0 <= a[0] else high


def non_negative(rule: Rule) -> Rule:
    """Restrict a rule for unsigned numbers to non-negative operands.

    For these the signed representation equals the unsigned value.
    """
    return lambda a, b: rule(a, b) if a[0] >= 0 and b[0] >= 0 else None


def conjunction(a: Interval, b: Interval) -> Interval | None:
    """`a & b` is between 0 and what is not negative."""
    upper = [x[1] for x in (a, b) if x[0] >= 0]
    return (0, min(upper)) if upper else None


def bitwise(function: Callable[[int, int], int]) -> Rule:
    """Return the interval rule of `|` or `^`.

    Two constants yield the exact result; two non-negative numbers yield one with no more bits than they have.
    """

    def rule(a: Interval, b: Interval) -> Interval | None:
        if a[0] == a[1] and b[0] == b[1]:
            exact = function(a[0], b[0])
            return exact, exact
        if a[0] < 0 or b[0] < 0:
            return None
        return 0, (1 << max(a[1].bit_length(), b[1].bit_length())) - 1

    return rule


def shift_left(a: Interval, n: Interval) -> Interval | None:
    return multiply(a, (1 << n[0], 1 << n[1])) if contains((0, 63), n) else None


def shift_right(a: Interval, n: Interval) -> Interval | None:
    return (a[0] >> n[1], a[1] >> n[0]) if contains((0, 63), n) and a[0] >= 0 else None


TRUE, FALSE = (1, 1), (0, 0)


def compare(relation: str, a: Interval, b: Interval) -> Interval | None:
    """Return the result of a comparison if the intervals decide it.

    The relation is `==`, `!=`, `<`, `<=`, `>` or `>=`.
    """
    match relation:
        case ">":
            return compare("<", b, a)
        case ">=":
            return compare("<=", b, a)
        case "<":
            always, never = a[1] < b[0], a[0] >= b[1]
        case "<=":
            always, never = a[1] <= b[0], a[0] > b[1]
        case _:
            always, never = a[0] == a[1] == b[0] == b[1], a[1] < b[0] or b[1] < a[0]
            if relation == "!=":
                always, never = never, always
    return TRUE if always else FALSE if never else None


def compare_unsigned(relation: str, a: Interval, b: Interval) -> Interval | None:
    """Return the result of an unsigned comparison if the intervals decide it.

    The bits are read as unsigned. Nothing may be negative, or one side must be the least or the greatest number.
    """
    if a[0] >= 0 and b[0] >= 0:
        return compare(relation, a, b)
    if b in (FALSE, (-1, -1)):
        # C compilers warn where x < 0, x >= 0 and x <= max, x > max stand.
        return {("<", 0): FALSE, (">=", 0): TRUE, ("<=", -1): TRUE, (">", -1): FALSE}.get((relation, b[0]))
    if a in (FALSE, (-1, -1)):
        return {("<=", 0): TRUE, (">", 0): FALSE, ("<", -1): FALSE, (">=", -1): TRUE}.get((relation, a[0]))
    return None
