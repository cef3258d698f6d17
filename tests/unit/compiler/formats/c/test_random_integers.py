"""Random integer programs against Python: the intervals that make C plain must never be too small.

A program is text and, built along with it, a Python function of the inputs. Constants are small or extreme, so
that many results are known to fit and many don't; loops carry sums, counters and maxima.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from loomir.compiler.engines.native import NativeFunction
from loomir.compiler.formats.mlir.parser import parse_module
from tests.tiers import sample

Environment = dict[str, int]
Step = Callable[[Environment], None]
WIDTHS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}


def wrap(value: int, t: str) -> int:
    width = WIDTHS[t]
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def unsigned(value: int, t: str) -> int:
    return value & ((1 << WIDTHS[t]) - 1)


BINARY: dict[str, Callable[[int, int, str], int]] = {
    "addi": lambda a, b, t: a + b,
    "subi": lambda a, b, t: a - b,
    "muli": lambda a, b, t: a * b,
    "minsi": lambda a, b, t: min(a, b),
    "maxsi": lambda a, b, t: max(a, b),
    "minui": lambda a, b, t: min(unsigned(a, t), unsigned(b, t)),
    "maxui": lambda a, b, t: max(unsigned(a, t), unsigned(b, t)),
    "andi": lambda a, b, t: a & b,
    "ori": lambda a, b, t: a | b,
    "xori": lambda a, b, t: a ^ b,
    "divui": lambda a, b, t: unsigned(a, t) // unsigned(b, t) if b else 0,
    "remui": lambda a, b, t: unsigned(a, t) % unsigned(b, t) if b else 0,
    "floordivsi": lambda a, b, t: a // b if b else 0,
    "ceildivsi": lambda a, b, t: -(-a // b) if b else 0,
    "divsi": lambda a, b, t: (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1) if b else 0,
    "remsi": lambda a, b, t: (abs(a) % abs(b)) * (-1 if a < 0 else 1) if b else 0,
    "shli": lambda a, b, t: a << b if 0 <= b < WIDTHS[t] else 0,
    "shrui": lambda a, b, t: unsigned(a, t) >> b if 0 <= b < WIDTHS[t] else 0,
    "shrsi": lambda a, b, t: a >> min(unsigned(b, t), WIDTHS[t] - 1),
}
COMPARE: dict[str, Callable[[int, int, str], bool]] = {
    "eq": lambda a, b, t: a == b,
    "ne": lambda a, b, t: a != b,
    "slt": lambda a, b, t: a < b,
    "sge": lambda a, b, t: a >= b,
    "ult": lambda a, b, t: unsigned(a, t) < unsigned(b, t),
    "ule": lambda a, b, t: unsigned(a, t) <= unsigned(b, t),
    "ugt": lambda a, b, t: unsigned(a, t) > unsigned(b, t),
}


class Generator:
    """Writes text and steps side by side."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def constant(self, lines: list[str], steps: list[Step], t: str) -> str:
        half = 1 << (WIDTHS[t] - 1)
        value = self.random.choice(
            [0, 1, 2, 3, 5, 7, -1, -2, -8, half - 1, -half, self.random.randrange(-half, half)]
        )
        if t == "index":
            # An index that 32 bits don't hold means nothing on a small target.
            value = self.random.choice([0, 1, 2, 3, 7, -1, -5, 1000])
        word = self.name()
        lines.append(f"{word} = arith.constant {value} : {t}")
        steps.append(lambda env: env.__setitem__(word, value))
        return word

    def pick(self, scope: dict[str, str], t: str, lines: list[str], steps: list[Step]) -> str:
        fitting = [w for w, u in scope.items() if u == t]
        if not fitting or self.random.random() < 0.3:
            return self.constant(lines, steps, t)
        return self.random.choice(fitting[-6:])

    def operation(self, scope: dict[str, str], lines: list[str], steps: list[Step]) -> None:
        kind = self.random.random()
        t = self.random.choice(list(WIDTHS))
        word = self.name()
        if kind < 0.6:
            operation = self.random.choice(list(BINARY))
            a, b = (self.pick(scope, t, lines, steps) for _ in range(2))
            rule = BINARY[operation]
            lines.append(f"{word} = arith.{operation} {a}, {b} : {t}")
            steps.append(lambda env: env.__setitem__(word, wrap(rule(env[a], env[b], t), t)))
        elif kind < 0.8:
            self.cast(word, t, scope, lines, steps)
        else:
            predicate = self.random.choice(list(COMPARE))
            a, b, c, d = (self.pick(scope, t, lines, steps) for _ in range(4))
            test = COMPARE[predicate]
            lines.append(f"{word}c = arith.cmpi {predicate}, {a}, {b} : {t}")
            lines.append(f"{word} = arith.select {word}c, {c}, {d} : {t}")
            steps.append(lambda env: env.__setitem__(word, env[c] if test(env[a], env[b], t) else env[d]))
        scope[word] = t

    def cast(self, word: str, t: str, scope: dict[str, str], lines: list[str], steps: list[Step]) -> None:
        source = self.random.choice([u for u in WIDTHS if u != t and {u, t} != {"i64", "index"}] or ["i32"])
        a = self.pick(scope, source, lines, steps)
        zero = False
        if "index" in (source, t):
            operation = "index_cast"
        elif WIDTHS[source] < WIDTHS[t]:
            zero = self.random.random() < 0.5
            operation = "extui" if zero else "extsi"
        else:
            operation = "trunci"
        lines.append(f"{word} = arith.{operation} {a} : {source} to {t}")
        steps.append(lambda env: env.__setitem__(word, wrap(unsigned(env[a], source) if zero else env[a], t)))

    def loop(self, scope: dict[str, str], lines: list[str], steps: list[Step], depth: int) -> None:
        trips = self.random.choice([0, 1, 2, 5, 9])
        stride = self.random.choice([1, 1, 3])
        carried = [self.random.choice(list(WIDTHS)) for _ in range(self.random.randrange(1, 4))]
        initial = [self.pick(scope, t, lines, steps) for t in carried]
        counter, arguments = self.name(), [self.name() for _ in carried]
        results = [self.name() for _ in carried]
        inner = {**scope, counter: "index", **dict(zip(arguments, carried))}
        body: list[str] = []
        inner_steps: list[Step] = []
        self.block(inner, body, inner_steps, depth - 1)
        yielded: list[str] = []
        for word, t in zip(arguments, carried):
            if self.random.random() < 0.5:
                # A sum: what the analysis follows through the loop.
                added, total = self.pick(inner, t, body, inner_steps), self.name()
                body.append(f"{total} = arith.addi {word}, {added} : {t}")
                inner_steps.append(
                    lambda env, total=total, word=word, added=added, t=t: env.__setitem__(
                        total, wrap(env[word] + env[added], t)
                    )
                )
                yielded.append(total)
            else:
                yielded.append(self.pick(inner, t, body, inner_steps))
        pairs = ", ".join(f"{w} = {i}" for w, i in zip(arguments, initial))
        types = ", ".join(carried)
        n, s = self.name(), self.name()
        lines += [f"{n} = arith.constant {trips} : index", f"{s} = arith.constant {stride} : index"]
        lines.append(
            f"{', '.join(results)} = scf.for {counter} = %zero to {n} step {s} iter_args({pairs}) -> ({types}) {{"
        )
        lines += [*body, f"scf.yield {', '.join(yielded)} : {types}", "}"]

        def run(env: Environment) -> None:
            values = [env[i] for i in initial]
            for i in range(0, trips, stride):
                env[counter] = i
                env.update(zip(arguments, values))
                for step in inner_steps:
                    step(env)
                values = [env[y] for y in yielded]
            env.update(zip(results, values))

        steps.append(run)
        scope.update(zip(results, carried))

    def block(self, scope: dict[str, str], lines: list[str], steps: list[Step], depth: int) -> None:
        for _ in range(self.random.randrange(3, 9)):
            if depth > 0 and self.random.random() < 0.25:
                self.loop(scope, lines, steps, depth)
            else:
                self.operation(scope, lines, steps)


@pytest.mark.parametrize("seed", sample(range(40), 3))
def test_random_program(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    g = Generator(seed)
    inputs = {f"%in_{t}": t for t in ("i8", "i16", "i32", "i64")}
    scope, lines, steps = dict(inputs), ["%zero = arith.constant 0 : index"], []
    for _ in range(4):
        g.block(scope, lines, steps, 3)
    results = {w: t for w, t in scope.items() if t != "index"}
    arguments = ", ".join(
        f'{w}: {t} {{loomir.name = "{w[1:]}", loomir.role = "input"}}' for w, t in inputs.items()
    )
    types = ", ".join(f'{t} {{loomir.name = "{w[1:]}"}}' for w, t in results.items())
    text = f"""
        func.func @main({arguments}) -> ({types}) {{
          {chr(10).join(lines)}
          func.return {", ".join(results)} : {", ".join(results.values())}
        }}"""
    flags = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror", "-fsanitize=undefined"]
    flags += ["-fsanitize-undefined-trap-on-error"]
    run = NativeFunction(parse_module(text), flags=flags)
    for k in range(6):
        values = {w: g.random.randrange(1 << WIDTHS[t]) for w, t in inputs.items()}
        if k < 2:
            values = {w: (1 << (WIDTHS[t] - 1)) - k for w, t in inputs.items()}
        env = {w: wrap(v, inputs[w]) for w, v in values.items()}
        feed = {w[1:]: np.array(env[w], f"int{WIDTHS[t]}") for w, t in inputs.items()}
        for step in steps:
            step(env)
        actual = run(feed)
        wrong = {w: (int(actual[w[1:]]), env[w]) for w in results if int(actual[w[1:]]) != env[w]}
        assert not wrong, f"{wrong}\n{text}\n{run.code.source}"
