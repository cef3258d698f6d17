"""Random nests: generated code against the pure interpreter, bit by bit.

Nests mix reductions, bounds and conditions that depend on other loops, loads of what the nest writes, and stores that collide.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from loomir.compiler.engines.lowered import LoopsEngine
from loomir.compiler.formats.mlir.parser import make_context, parse_module
from tests.support_loops import loops
from tests.tiers import sample

CONTEXT = make_context()
SIZE = 24
TYPE = f"memref<{SIZE}x{SIZE}xf32>"
TRIPS = {"%c1": 1, "%c3": 3, "%c8": 8}


class Nest:
    """One random program over inputs %x, %y and outputs %p, %q of 24 × 24."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lines: list[str] = []
        self.count = 0
        # Half of the programs read only what they don't write, and mostly store where loops can become lanes.
        self.tidy = seed % 2 == 0
        # Every index stays below SIZE: a variable is below 8, a sum of two with a constant below 24.
        for _ in range(self.rng.randint(1, 3)):
            self.loop([], ["%zero", "%one"], depth=0)

    def line(self, text: str) -> None:
        self.lines.append(text)

    def fresh(self) -> str:
        self.count += 1
        return f"%t{self.count}"

    def index(self, variables: list[str]) -> str:
        """A linear form of loop variables within bounds."""
        kind = self.rng.randrange(6)
        a, b = (self.rng.choice([*variables, "%c2"]) for _ in range(2))
        if kind < 3:
            return a
        name = self.fresh()
        if kind == 3:
            self.line(f"{name} = arith.addi {a}, {self.rng.choice([b, '%c8', '%c1'])} : index")
        elif kind == 4:
            self.line(f"{name} = arith.subi %c16, {a} : index")
        else:
            double = self.fresh()
            self.line(f"{double} = arith.muli {a}, %c2 : index")
            self.line(f"{name} = arith.addi {double}, {self.rng.choice(['%c1', b])} : index")
        return name

    def value(self, variables: list[str], values: list[str]) -> str:
        """Some arithmetic; a load now and then."""
        name = self.fresh()
        kind = self.rng.randrange(5)
        if kind < 3:
            sources = ["%x", "%y"] if self.tidy else ["%x", "%y", "%x", "%p", "%q"]
            i, j = self.index(variables), self.index(variables)
            self.line(f"{name} = memref.load {self.rng.choice(sources)}[{i}, {j}] : {TYPE}")
        else:
            operation = self.rng.choice(["addf", "subf", "mulf", "maximumf"])
            self.line(
                f"{name} = arith.{operation} {self.rng.choice(values)}, {self.rng.choice(values)} : f32"
            )
        return name

    def condition(self, variables: list[str], values: list[str]) -> str:
        name = self.fresh()
        if self.rng.random() < 0.5:
            a, b = self.index(variables), self.index(variables)
            self.line(f"{name} = arith.cmpi {self.rng.choice(['slt', 'eq', 'sge'])}, {a}, {b} : index")
        else:
            self.line(f"{name} = arith.cmpf olt, {self.rng.choice(values)}, {self.rng.choice(values)} : f32")
        return name

    def body(self, variables: list[str], values: list[str], depth: int) -> list[str]:
        """Some statements; the values that there are afterwards."""
        values = list(values)
        for _ in range(self.rng.randint(1, 4)):
            kind = self.rng.random()
            if kind < 0.45:
                values.append(self.value(variables, values))
            elif kind < 0.65:
                if self.tidy:
                    i, j = variables[0], variables[-1]
                elif self.rng.random() < 0.7:
                    i, j = self.rng.choice(variables), self.rng.choice(variables)
                else:
                    i, j = self.index(variables), self.index(variables)
                value, target = self.rng.choice(values), self.rng.choice(["%p", "%q"])
                self.line(f"memref.store {value}, {target}[{i}, {j}] : {TYPE}")
            elif kind < 0.8:
                self.branch(variables, values, depth)
            elif depth < 4:
                self.loop(variables, values, depth)
        return values

    def branch(self, variables: list[str], values: list[str], depth: int) -> None:
        condition, result = self.condition(variables, values), self.fresh()
        self.line(f"{result} = scf.if {condition} -> (f32) {{")
        for closing in ("} else {", "}"):
            inner = self.body(variables, values, depth + 2)
            self.line(f"scf.yield {self.rng.choice(inner)} : f32")
            self.line(closing)
        values.append(result)

    def loop(self, variables: list[str], values: list[str], depth: int) -> None:
        bounds = ["%c8", "%c3", "%n", "%c8", *variables]
        upper, variable = self.rng.choice(bounds), self.fresh()
        lower = self.rng.choice(["%c0", "%c0", "%c1", *variables])
        step = self.rng.choice(["%c1", "%c1", "%c1", "%c2"])
        head = f"scf.for {variable} = {lower} to {upper} step {step}"
        if self.rng.random() < 0.4:
            result, carried = self.fresh(), self.fresh()
            self.line(f"{result} = {head} iter_args({carried} = {self.rng.choice(values)}) -> (f32) {{")
            inner = self.body([*variables, variable], [*values, carried], depth + 1)
            last = self.fresh()
            self.line(f"{last} = arith.addf {carried}, {self.rng.choice(inner)} : f32")
            self.line(f"scf.yield {last} : f32")
            self.line("}")
            values.append(result)
            return
        self.line(f"{head} {{")
        self.body([*variables, variable], values, depth + 1)
        self.line("}")

    def text(self) -> str:
        arguments = {
            "x": f"in {TYPE}",
            "y": f"in {TYPE}",
            "n": "in index",
            "p": f"out {TYPE}",
            "q": f"out {TYPE}",
        }
        start = f"memref.copy %x, %p : {TYPE} to {TYPE}\nmemref.copy %y, %q : {TYPE} to {TYPE}\n"
        return loops(arguments, start + "\n".join(self.lines) + "\nfunc.return")


@pytest.mark.parametrize("seed", sample(range(80), 3))
def test_random_nest(seed: int):
    text = Nest(seed).text()
    rng = np.random.default_rng(seed)
    feed = {
        "x": rng.standard_normal((SIZE, SIZE)).astype(np.float32),
        "y": rng.standard_normal((SIZE, SIZE)).astype(np.float32),
        "n": np.int64(seed % 8),
    }
    module = parse_module(text, context=CONTEXT)
    fast, pure = LoopsEngine(module), LoopsEngine(module, pure=True)
    first, second = fast.run(feed), pure.run(feed)
    a, b = first.outputs, second.outputs
    for name in b:
        np.testing.assert_array_equal(a[name], b[name], err_msg=text)
    assert first.iterations == second.iterations
