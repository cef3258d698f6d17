"""Affine forms: sums of a constant and of symbols times integers.

A *symbol* is anything hashable that stands for an integer: a value, the number of a loop's dimension or of its iteration. A form is
normalised, so that equal sums are equal, in whatever order they were added:

    >>> i, n = AffineForm.of("i"), AffineForm.of("n")
    >>> i * 2 + n + i == n + i * 3
    True

A product of symbols is a symbol itself (`Product`). In one symbol, a form is a slope and a rest:

    >>> slope, rest = (i * n + i * 3 + n).split("i")
    >>> str(slope), str(rest)
    ('n + 3', 'n')

A form is a number of ℤ. The arithmetic of a program wraps around: what it computes is equal to the form modulo 2^w for numbers of w
bits, since sums and products are the same there. It is the form itself wherever the form is a number of the type (`fits`), whatever the
steps in between: no operation needs a proof of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

from loomir.dialects.scalars import intervals
from loomir.dialects.scalars.intervals import Interval

Symbol = TypeVar("Symbol", bound=Hashable)

_MAX_TERMS = 16
_MAX_FACTORS = 4
_MAX_BITS = 1024


@dataclass(frozen=True)
class Product:
    """Product of two or more symbols.

    Products of the same symbols are equal, in whatever order they were multiplied.
    """

    symbols: tuple[Any, ...] = field(compare=False)
    powers: frozenset[tuple[Any, int]] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "powers", frozenset(Counter(self.symbols).items()))

    def __str__(self) -> str:
        return " * ".join(map(str, self.symbols))


def factors_of(symbol: Any) -> tuple[Any, ...]:
    """Return the symbols of a product, or a symbol by itself."""
    return symbol.symbols if isinstance(symbol, Product) else (symbol,)


@dataclass(frozen=True, eq=False)
class AffineForm(Generic[Symbol]):
    """The integer `constant + Σ coefficient · symbol`.

    `terms` has each symbol once, in the order of their first summands, with a coefficient that is not 0. The order takes no part in
    comparisons.
    """

    constant: int = 0
    terms: tuple[tuple[Symbol, int], ...] = ()

    @staticmethod
    def of(symbol: Symbol, coefficient: int = 1) -> AffineForm[Symbol]:
        """The form of one symbol."""
        return AffineForm(0, ((symbol, coefficient),) if coefficient else ())

    @staticmethod
    def sum_of(constant: int, terms: Iterable[tuple[Symbol, int]]) -> AffineForm[Symbol]:
        """The sum of a constant and of summands.

        A symbol may occur in more than one of them.
        """
        coefficients: dict[Symbol, int] = {}
        for symbol, coefficient in terms:
            coefficients[symbol] = coefficients.get(symbol, 0) + coefficient
        return AffineForm(constant, tuple((s, c) for s, c in coefficients.items() if c))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AffineForm):
            return NotImplemented
        return self.constant == other.constant and (
            self.terms == other.terms or frozenset(self.terms) == frozenset(other.terms)
        )

    def __hash__(self) -> int:
        return hash((self.constant, frozenset(self.terms)))

    def __str__(self) -> str:
        summands = [str(s) if c == 1 else f"{c} * {s}" for s, c in self.terms]
        return " + ".join([*summands, *([str(self.constant)] if self.constant or not summands else [])])

    # -- arithmetic

    def __add__(self, other: AffineForm[Symbol] | int) -> AffineForm[Symbol]:
        if isinstance(other, int):
            return AffineForm(self.constant + other, self.terms)
        return AffineForm.sum_of(self.constant + other.constant, (*self.terms, *other.terms))

    def __sub__(self, other: AffineForm[Symbol] | int) -> AffineForm[Symbol]:
        return self + (-other if isinstance(other, int) else other._scaled(-1))

    def __mul__(self, other: AffineForm[Symbol] | int) -> AffineForm[Symbol]:
        if isinstance(other, int):
            return self._scaled(other)
        if not self.terms or not other.terms:
            return other._scaled(self.constant) if not self.terms else self._scaled(other.constant)
        products = [
            (cast(Symbol, Product((*factors_of(a), *factors_of(b)))), c * d)
            for a, c in self.terms
            for b, d in other.terms
        ]
        rest = [*self._scaled(other.constant).terms, *other._scaled(self.constant).terms]
        return AffineForm.sum_of(self.constant * other.constant, [*products, *rest])

    def _scaled(self, factor: int) -> AffineForm[Symbol]:
        terms = tuple((s, c * factor) for s, c in self.terms) if factor else ()
        return AffineForm(self.constant * factor, terms)

    # -- parts

    @property
    def is_small(self) -> bool:
        """True if the form has few terms, of few factors and digits.

        Products of sums have many terms, and each square of a square has twice the factors or digits. Those who read the integers of a
        program take what has a larger form for unknown.
        """
        return (
            len(self.terms) <= _MAX_TERMS
            and all(len(factors_of(symbol)) <= _MAX_FACTORS for symbol, _ in self.terms)
            and all(n.bit_length() <= _MAX_BITS for n in (self.constant, *(c for _, c in self.terms)))
        )

    @property
    def number(self) -> int | None:
        """The integer if the form has no symbol, or None."""
        return None if self.terms else self.constant

    def coefficient(self, symbol: Symbol) -> int:
        """The factor of a symbol by itself, 0 if there is none."""
        return next((c for s, c in self.terms if s == symbol), 0)

    def symbols(self) -> Iterator[Symbol]:
        """Yield the symbols, also those in products, perhaps more than once."""
        for symbol, _ in self.terms:
            yield from factors_of(symbol)

    def without(self, *symbols: Symbol) -> AffineForm[Symbol]:
        """The form less the terms of these symbols by themselves."""
        return AffineForm(self.constant, tuple(term for term in self.terms if term[0] not in symbols))

    def split(self, symbol: Symbol) -> tuple[AffineForm[Symbol], AffineForm[Symbol]]:
        """Return the slope in a symbol, and the rest.

        The form is `slope · symbol + rest`. Of a product with a higher power of the symbol, the slope contains the symbol itself.
        """
        slope = AffineForm[Symbol](0)
        rest: list[tuple[Symbol, int]] = []
        for each, coefficient in self.terms:
            factors = list(factors_of(each))
            if symbol not in factors:
                rest.append((each, coefficient))
                continue
            factors.remove(symbol)
            product = AffineForm[Symbol](coefficient)
            for factor in factors:
                product *= AffineForm.of(factor)
            slope += product
        return slope, AffineForm(self.constant, tuple(rest))

    def substitute(self, symbol: Symbol, by: AffineForm[Symbol]) -> AffineForm[Symbol]:
        """Return the form with a symbol replaced, in products too."""
        result = AffineForm[Symbol](self.constant)
        for each, coefficient in self.terms:
            product = AffineForm[Symbol](coefficient)
            for factor in factors_of(each):
                product *= by if factor == symbol else AffineForm.of(factor)
            result += product
        return result

    # -- bounds

    def interval(self, of: Callable[[Symbol], Interval | None]) -> Interval | None:
        """Return bounds of the integer from those of its symbols, or None.

        The result is None if those of a symbol are unknown.
        """
        total = self.constant, self.constant
        for each, coefficient in self.terms:
            product = coefficient, coefficient
            for factor in factors_of(each):
                known = of(factor)
                if known is None:
                    return None
                product = intervals.multiply(product, known)
            total = intervals.add(total, product)
        return total

    def fits(self, type_range: Interval, of: Callable[[Symbol], Interval | None]) -> bool:
        """Return True if the integer is a number of a type.

        What a program computes modulo the type's size is then this integer.
        """
        found = self.interval(of)
        return found is not None and intervals.contains(type_range, found)
