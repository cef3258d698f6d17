"""Random loop bodies on 64-bit integers, whose values depend on what they read for certain.

A step is a linear combination with odd factors modulo 2^64: a change of one operand changes the result, and two changes cancel with a
probability of 2^-64.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from hypothesis import strategies as st

from loomir.compiler.formats.mlir.parser import parse_module
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.upstream.walking import walk

NUMBER = "tensor<i64>"


@dataclass(frozen=True)
class RandomBody:
    """Steps of a body, and the values that it hands on.

    Values are numbered: the iteration number, the carried values, a value from outside, then the results of the steps. A step is its
    kind and the numbers of its operands.
    """

    carried: int
    steps: tuple[tuple[str, int, int, int], ...]
    following: tuple[int, ...]

    @property
    def places(self) -> int:
        """How many values there are."""
        return 2 + self.carried + len(self.steps)

    def text(self, trips: int, seed: int = 0) -> str:
        """A program with this loop, on the inputs c0, c1, … and x."""
        factors = random.Random(seed)
        lines: list[str] = []
        names = ["%i", *(f"%v{k}" for k in range(self.carried)), "%x"]

        def combine(to: str, a: str, b: str) -> list[str]:
            made: list[str] = []
            for operand, value in (("a", a), ("b", b)):
                factor = factors.randrange(1 << 62) | 1
                made.append(f"{to}{operand}f = ov.constant dense<{factor}> : {NUMBER} : {NUMBER}")
                made.append(
                    f"{to}{operand} = ov.multiply {value}, {to}{operand}f : ({NUMBER}, {NUMBER}) -> {NUMBER}"
                )
            return [*made, f"{to} = ov.add {to}a, {to}b : ({NUMBER}, {NUMBER}) -> {NUMBER}"]

        for number, (kind, *places) in enumerate(self.steps):
            a, b, c = (names[place % len(names)] for place in places)
            to = f"%s{number}"
            if kind == "combine":
                lines += combine(to, a, b)
            elif kind == "if":
                lines.append(f"{to}c = ov.less {a}, {b} : ({NUMBER}, {NUMBER}) -> tensor<i1>")
                lines.append(f"{to} = ov.if {to}c -> ({NUMBER}) {{")
                lines += combine(f"{to}t", a, c)
                lines.append(f"ov.yield {to}t : {NUMBER}\n}} else {{\nov.yield {b} : {NUMBER}\n}}")
            else:
                lines.append(f"{to}n = ov.constant dense<2> : {NUMBER} : {NUMBER}")
                lines.append(
                    f"{to}, {to}o = ov.loop trip({to}n) carried({a}, {b}) : ({NUMBER}, {NUMBER}, {NUMBER}) -> ({NUMBER}, {NUMBER}) {{"
                )
                lines.append(f"^bb0({to}i: {NUMBER}, {to}v: {NUMBER}, {to}w: {NUMBER}):")
                lines += combine(f"{to}t", f"{to}w", c)
                lines.append(f"ov.next carried({to}t, {to}v : {NUMBER}, {NUMBER})\n}}")
            names.append(to)
        values = ", ".join(f"%v{k}" for k in range(self.carried))
        arguments = ", ".join(f"{name}: {NUMBER}" for name in values.split(", "))
        inputs = ", ".join(f"%c{k}: {NUMBER}" for k in range(self.carried))
        results = ", ".join(f"%r{k}" for k in range(self.carried))
        types = ", ".join([NUMBER] * self.carried)
        handed_on = ", ".join(names[place % len(names)] for place in self.following)
        body = "\n".join(lines)
        initial = ", ".join(f"%c{k}" for k in range(self.carried))
        return f"""
        func.func @main({inputs}, %x: {NUMBER}) -> ({types}) {{
          %n = ov.constant dense<{trips}> : {NUMBER} : {NUMBER}
          {results} = ov.loop trip(%n) carried({initial}) : ({NUMBER}, {types}) -> ({types}) {{
          ^bb0(%i: {NUMBER}, {arguments}):
            {body}
            ov.next carried({handed_on} : {types})
          }}
          func.return {results} : {types}
        }}"""


@st.composite
def bodies(draw: st.DrawFn, kinds: tuple[str, ...] = ("combine",)) -> RandomBody:
    """Bodies with up to four carried values and six steps of these kinds."""
    carried = draw(st.integers(1, 4))
    places = st.integers(0, 11)
    steps = draw(st.lists(st.tuples(st.sampled_from(kinds), places, places, places), max_size=6))
    following = draw(st.lists(places, min_size=carried, max_size=carried))
    return RandomBody(carried, tuple(steps), tuple(following))


def first_loop(text: str) -> LoopOp:
    """The first loop of a program."""
    return next(op for op in walk(parse_module(text)) if isinstance(op, LoopOp))
